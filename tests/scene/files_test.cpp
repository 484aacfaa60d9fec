// Includes, mesh files, and documents that stand for themselves.

#include <cstring>
#include <numbers>

#include "scene/scene_support.h"

namespace uptack::test {
namespace {

const std::string part =
    R"({"uptack": 1, "parameters": {"size": 1}, "materials": {"rubber": {"friction": 0.9}},
    "bodies": [{"name": "base", "shape": {"box": "size"}, "material": "rubber", "position": [1, 0, 0], "velocity": [1, 0, 0]},
               {"name": "arm", "shape": {"box": 0.1}, "position": [2, 0, 0]},
               {"name": "fan", "shape": {"box": 1}, "position": [0, 0, 5], "motion": {"offset": ["t", 0, 0], "axis": [1, 0, 0], "angle": "t", "center": [0, 1, 0]}}],
    "joints": [{"name": "hinge", "kind": "revolute", "a": "base", "b": "arm", "position": [1.5, 0, 0], "axis": [1, 0, 0]}],
    "forces": [{"name": "push", "body": "arm", "force": [1, 0, 0]}],
    "watch": "hinge"})";

TEST(Include, PutsThePartWhereItBelongsUnderItsName) {
    const Folder folder("include");
    folder.write("parts/arm.json", part);
    const Scene scene = read_scene(folder.write("main.json", R"({"uptack": 1, "parameters": {"k": 3},
        "include": [{"file": "parts/arm.json", "name": "left", "position": [0, 0, 10], "rotation": [0, 0, "90*deg"], "set": {"size": "k - 1"}},
                    {"file": "parts/arm.json", "name": "right"}],
        "joints": [{"name": "bridge", "kind": "fixed", "a": "left/arm", "b": "right/arm"}]})"));
    ASSERT_EQ(scene.model.bodies.size(), 6U);
    const RigidBody& base = body(scene, "left/base");
    expect_near(base.initial_pose.position, {0.0, 1.0, 10.0});
    expect_near(linear(base.initial_velocity), {0.0, 1.0, 0.0});
    EXPECT_NEAR(base.mass.mass, 8000.0, 1e-9);
    EXPECT_NEAR(body(scene, "right/base").mass.mass, 1000.0, 1e-9);
    EXPECT_EQ(scene.model.materials[static_cast<std::size_t>(scene.model.shapes[0].material)].name,
              "left/rubber");
    const RigidBody& fan = body(scene, "left/fan");
    expect_near(fan.motion.axis, {0.0, 1.0, 0.0});
    expect_near(fan.motion.center, {-1.0, 0.0, 10.0});
    EXPECT_NEAR(fan.motion.offset[1](2.0), 2.0, 1e-14);
    EXPECT_NEAR(fan.motion.offset[0](2.0), 0.0, 1e-14);
    const Joint& hinge = joint(scene, "left/hinge");
    EXPECT_EQ(hinge.body_a, find_body(scene.model, "left/base"));
    expect_near(hinge.frame_a.position, {0.5, 0.0, 0.0});
    expect_near(rotate(base.initial_pose.orientation * hinge.frame_a.orientation, {0.0, 0.0, 1.0}),
                {0.0, 1.0, 0.0});
    EXPECT_NEAR(scene.model.forces[0].force[1](0.0), 1.0, 1e-14);
    EXPECT_EQ(scene.watch, (std::vector<std::string>{"left/hinge", "right/hinge"}));
    EXPECT_GE(find_joint(scene.model, "bridge"), 0);
}

TEST(Include, CanBeRepeatedAndNested) {
    const Folder folder("nested");
    folder.write(
        "parts/leg.json",
        R"({"uptack": 1, "bodies": [{"name": "toe", "repeat": {"k": 2}, "shape": {"box": 0.1}, "position": ["k", 0, 0],
        "let": {"r": {"random": [0, 1]}}, "velocity": ["r", 0, 0]}]})");
    folder.write(
        "parts/side.json",
        R"({"uptack": 1, "include": [{"file": "leg.json", "name": "leg", "repeat": {"i": 3}, "position": [0, "i", 0]}]})");
    const Scene scene = read_scene(folder.write(
        "main.json",
        R"({"uptack": 1, "include": [{"file": "parts/side.json", "name": "l"}, {"file": "parts/side.json", "name": "r", "position": [0, 0, 1], "rotation": [0, 0, "90*deg"]}]})"));
    ASSERT_EQ(scene.model.bodies.size(), 12U);
    expect_near(body(scene, "r/leg 2/toe 1").initial_pose.position, {-2.0, 1.0, 1.0});
    EXPECT_NE(body(scene, "r/leg 2/toe 1").initial_velocity, body(scene, "l/leg 2/toe 1").initial_velocity);
    EXPECT_EQ(bits(parse_scene(scene.document, "main")), bits(scene));
}

TEST(Include, JitterTurnsWithThePart) {
    const Scene scene =
        scene_of(R"("include": {"rotation": [0, 0, "90*deg"], "scene": {"uptack": 1, "bodies": [
        {"name": "b", "shape": {"box": 1}, "jitter": {"position": [0.1, 0, 0], "velocity": [1, 0, 0]}}]}})");
    const RigidBody& b = body(scene, "b");
    EXPECT_NEAR(b.initial_pose.position[0], 0.0, 1e-15);
    EXPECT_NE(b.initial_pose.position[1], 0.0);
    EXPECT_NEAR(b.initial_velocity[0], 0.0, 1e-15);
    EXPECT_NE(b.initial_velocity[1], 0.0);
}

TEST(Include, AStringIsEnoughAndErrorsNameTheInnerFile) {
    const Folder folder("short");
    folder.write("ball.json", R"({"uptack": 1, "bodies": [{"name": "ball", "shape": {"sphere": 1}}]})");
    EXPECT_EQ(
        read_scene(folder.write("a.json", R"({"uptack": 1, "include": "ball.json"})")).model.bodies[0].name,
        "ball");
    folder.write("bad.json", R"({"uptack": 1, "bodies": [{"name": "ball", "shape": {"spere": 1}}]})");
    const std::string error = error_of([&] {
        read_scene(folder.write("b.json", R"({"uptack": 1, "include": ["ball.json", "bad.json"]})"));
    });
    EXPECT_TRUE(
        error.starts_with("bad.json: /bodies/0/shape/spere: unknown key \"spere\"; did you mean \"sphere\"?"))
        << error;
    folder.write("worse.json", "{\n\"uptack\" 1}");
    const std::string worse =
        error_of([&] { read_scene(folder.write("b.json", R"({"uptack": 1, "include": "worse.json"})")); });
    EXPECT_TRUE(worse.starts_with("worse.json:2:10: not JSON")) << worse;
}

TEST(Include, PathsThatLeaveTheFolderAreRefused) {
    const Folder folder("paths");
    folder.write("secret.json", R"({"uptack": 1})");
    folder.write("scene/part.json", R"({"uptack": 1})");
    std::filesystem::create_symlink(folder.path() / "secret.json", folder.path() / "scene/link.json");
    std::filesystem::create_directory_symlink(folder.path(), folder.path() / "scene/up");
    const auto try_path = [&](const std::string& path) {
        return error_of([&] {
            read_scene(
                folder.write("scene/main.json", fmt::format(R"({{"uptack": 1, "include": "{}"}})", path)));
        });
    };
    EXPECT_EQ(try_path("part.json"), "no error");
    EXPECT_NE(try_path("../secret.json").find("is refused"), std::string::npos);
    EXPECT_NE(try_path("a/../../secret.json").find("is refused"), std::string::npos);
    EXPECT_NE(try_path((folder.path() / "secret.json").string()).find("is refused"), std::string::npos);
    EXPECT_NE(try_path("link.json").find("leads out"), std::string::npos);
    EXPECT_NE(try_path("up/secret.json").find("leads out"), std::string::npos);
    EXPECT_NE(try_path("none.json").find("there is no file"), std::string::npos);
    EXPECT_NE(try_path("").find("is refused"), std::string::npos);
    EXPECT_NE(try_path(".").find("is no file"), std::string::npos);
    EXPECT_NE(try_path("main.json").find("includes itself"), std::string::npos);
}

TEST(Include, CirclesAndCrowdsAreRefused) {
    const Folder folder("circle");
    folder.write("a.json", R"({"uptack": 1, "include": "b.json"})");
    folder.write("b.json", R"({"uptack": 1, "include": "a.json"})");
    EXPECT_NE(error_of([&] { read_scene(folder.path() / "a.json"); }).find("includes itself"),
              std::string::npos);
    folder.write("empty.json", R"({"uptack": 1})");
    std::string many = R"({"uptack": 1, "include": ["empty.json")";
    for (int k = 1; k < 32; ++k) many += R"(, "empty.json")";
    EXPECT_NO_THROW(read_scene(folder.write("many.json", many + "]}")));
    EXPECT_THROW(read_scene(folder.write("many.json", many + R"(, "empty.json"]})")), LimitError);
}

TEST(Include, TextWithoutAFolderMayNotReadFiles) {
    EXPECT_NE(error_of([] { scene_of(R"("include": "a.json")"); }).find("the scene has no folder"),
              std::string::npos);
    const Folder folder("given");
    folder.write("ball.json", R"({"uptack": 1, "bodies": [{"name": "ball", "shape": {"sphere": 1}}]})");
    EXPECT_EQ(
        parse_scene(R"({"uptack": 1, "include": "ball.json"})", "x", {}, folder.path()).model.bodies.size(),
        1U);
}

const char* const tetrahedron_obj =
    "# a comment\nv 0 0 0\nv 1 0 0 1.0\nv 0 1 0\r\nvt 0 0\nv 0 0 1\nf 1/1 3/1 2\nf 1 2 4\nf -3//1 3 4\nf 3 1 "
    "4\n";

std::string binary_stl() {
    // The same tetrahedron, in an order of its own.
    const float corners[4][3][3] = {{{0, 0, 0}, {0, 1, 0}, {1, 0, 0}},
                                    {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}},
                                    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                    {{0, 1, 0}, {0, 0, 0}, {0, 0, 1}}};
    std::string text(80, 's');
    text += std::string("\4\0\0\0", 4);
    for (const auto& triangle : corners) {
        text += std::string(12, '\0');
        char bytes[36];
        std::memcpy(bytes, triangle, sizeof bytes);
        text.append(bytes, sizeof bytes);
        text += std::string(2, '\0');
    }
    return text;
}

TEST(MeshFiles, ObjAndStlGiveTheSameSolid) {
    const Folder folder("meshes");
    folder.write("t.obj", tetrahedron_obj);
    folder.write("t.stl", binary_stl());
    folder.write("text.stl",
                 "solid t\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 0 1 0\nvertex 1 0 "
                 "0\nendloop\nendfacet\n"
                 "facet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 0 "
                 "1\nendloop\nendfacet\nendsolid\n");
    const Scene scene = read_scene(folder.write("main.json", R"({"uptack": 1, "bodies": [
        {"name": "obj", "shape": {"mesh": {"file": "t.obj"}}}, {"name": "stl", "shape": {"mesh": {"file": "t.stl", "scale": 2}}},
        {"name": "text", "shape": {"mesh": {"file": "text.stl"}}}, {"name": "hull", "shape": {"hull": {"file": "t.stl", "scale": 3}}}]})"));
    const TriangleSoup& obj = *std::get<TriangleMesh>(scene.model.shapes[0].geometry).soup;
    EXPECT_EQ(obj.vertices, (std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}));
    EXPECT_EQ(obj.triangles, (std::vector<std::array<int, 3>>{{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}));
    const TriangleSoup& stl = *std::get<TriangleMesh>(scene.model.shapes[1].geometry).soup;
    EXPECT_EQ(stl.vertices, (std::vector<Vec3>{{0, 0, 0}, {0, 2, 0}, {2, 0, 0}, {0, 0, 2}}));
    EXPECT_EQ(stl.triangles, (std::vector<std::array<int, 3>>{{0, 1, 2}, {0, 2, 3}, {2, 1, 3}, {1, 0, 3}}));
    EXPECT_EQ(std::get<TriangleMesh>(scene.model.shapes[2].geometry).soup->triangles.size(), 2U);
    EXPECT_NEAR(body(scene, "hull").mass.mass, 1000.0 * 27.0 / 6.0, 1e-8);
    EXPECT_EQ(bits(parse_scene(scene.document, "main")), bits(scene));
}

TEST(MeshFiles, FaultsNameTheLine) {
    const Folder folder("bad_meshes");
    const auto try_mesh = [&](const std::string& content) {
        folder.write("m.obj", content);
        return error_of([&] {
            read_scene(folder.write("main.json",
                                    R"({"uptack": 1, "bodies": [{"shape": {"mesh": {"file": "m.obj"}}}]})"));
        });
    };
    EXPECT_EQ(try_mesh("v 0 0 0\nv 1 zero 0\n"), "m.obj:2: 'zero' is no number");
    EXPECT_EQ(try_mesh("v 0 0 0\nf 1 2 3\n"), "m.obj:2: '2' is not a vertex; 1 are there so far");
    EXPECT_EQ(try_mesh("v 0 0 0\nf 1 1\n"), "m.obj:2: a face with less than three corners");
    EXPECT_NE(try_mesh("hello").find("no triangles"), std::string::npos);
    EXPECT_NE(try_mesh("v 0 0 inf\n").find("not finite"), std::string::npos);
    EXPECT_NE(try_mesh("").find("no triangles"), std::string::npos);
}

TEST(Document, StandsForTheSceneBitByBit) {
    const Scene scene = scene_of(R"~("title": "T", "parameters": {"n": 7, "mu": {"value": "n/10", "max": 1}},
        "settings": {"step": "1/300", "tolerance": "1e-7 J"}, "camera": {"eye": ["n", 1, 2]},
        "materials": {"m": {"friction": "mu"}}, "ground": {"material": "m"},
        "bodies": [{"name": "b", "repeat": {"i": "n"}, "shape": {"box": ["0.1*(i+1)", 0.2, "1/3"]},
        "jitter": {"position": 0.1, "rotation": 0.1}, "position": ["i/3", 0, 1], "rotation": ["i", 0.1, 0.2]}],
        "joints": [{"kind": "revolute", "a": "b {i}", "b": "b {i+1}", "repeat": {"i": "n - 1"},
        "motor": {"velocity": "mu*sin(i*t)"}}])~",
                                 {{"n", "5"}, {"mu", "n/7"}});
    const Scene again = parse_scene(scene.document, "test");
    EXPECT_EQ(scene.model.bodies.size(), 6U);
    EXPECT_EQ(bits(again), bits(scene));
    EXPECT_EQ(again.document, scene.document);
    EXPECT_EQ(again.parameters[1].value, 5.0 / 7.0);
}

}  // namespace
}  // namespace uptack::test

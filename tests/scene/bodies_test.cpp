// Bodies, shapes, materials and groups.

#include <numbers>

#include "scene/scene_support.h"

namespace uptack::test {
namespace {

const double pi = std::numbers::pi;

Quaternion rotation_of(const std::string& rotation) {
    const Scene scene =
        scene_of(R"("bodies": [{"name": "b", "shape": {"box": [1, 2, 3]}, "rotation": )" + rotation + "}]");
    return body(scene, "b").initial_pose.orientation;
}

TEST(Rotation, ThreeAnglesTurnAboutTheFixedAxesXThenYThenZ) {
    // x -> x (about x) -> -z (about y by 90) -> -z; y -> z -> x -> y; z -> -y -> -y -> x.
    const Quaternion q = rotation_of(R"(["90*deg", "90*deg", "90*deg"])");
    expect_near(rotate(q, {1.0, 0.0, 0.0}), {0.0, 0.0, -1.0});
    expect_near(rotate(q, {0.0, 1.0, 0.0}), {0.0, 1.0, 0.0});
    expect_near(rotate(q, {0.0, 0.0, 1.0}), {1.0, 0.0, 0.0});
    const Quaternion about_z = rotation_of(R"([0, 0, "90*deg"])");
    expect_near(rotate(about_z, {1.0, 0.0, 0.0}), {0.0, 1.0, 0.0});
}

TEST(Rotation, AxisAndAngleAlongAndQuaternion) {
    expect_near(rotate(rotation_of(R"({"axis": [0, 0, 5], "angle": "90*deg"})"), {1.0, 0.0, 0.0}),
                {0.0, 1.0, 0.0});
    expect_near(rotate(rotation_of(R"({"along": [0, 2, 0]})"), {0.0, 0.0, 1.0}), {0.0, 1.0, 0.0});
    expect_near(rotate(rotation_of(R"({"along": [0, 0, -1]})"), {0.0, 0.0, 1.0}), {0.0, 0.0, -1.0});
    expect_near(rotate(rotation_of(R"({"quaternion": [2, 0, 0, 2]})"), {1.0, 0.0, 0.0}), {0.0, 1.0, 0.0});
    for (const char* wrong : {R"({"axis": [0, 0, 1]})", R"({"angle": 1})",
                              R"({"axis": [0, 0, 0], "angle": 1})", R"({"quaternion": [0, 0, 0, 0]})",
                              "[1, 2]", "3", "{}", R"({"along": [1, 0, 0], "quaternion": [1, 0, 0, 0]})"}) {
        EXPECT_THROW(rotation_of(wrong), InputError) << wrong;
    }
}

TEST(Shapes, SizesInFilesAreFullSizes) {
    const Scene scene =
        scene_of(R"("bodies": [{"name": "b", "shapes": [{"sphere": 0.3}, {"box": [1, 2, 3]}, {"box": 4},
        {"capsule": {"radius": 0.1, "length": 2}}, {"cylinder": {"radius": 0.2, "length": 3}},
        {"cone": {"radius": 0.4, "length": 5}}, {"hull": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]},
        {"hull": {"points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "scale": 2}}]}])");
    const std::vector<Shape>& shapes = scene.model.shapes;
    EXPECT_EQ(std::get<Sphere>(shapes[0].geometry).radius, 0.3);
    EXPECT_EQ(std::get<Box>(shapes[1].geometry).half_size, (Vec3{0.5, 1.0, 1.5}));
    EXPECT_EQ(std::get<Box>(shapes[2].geometry).half_size, (Vec3{2.0, 2.0, 2.0}));
    EXPECT_EQ(std::get<Capsule>(shapes[3].geometry).half_length, 1.0);
    EXPECT_EQ(std::get<Capsule>(shapes[3].geometry).radius, 0.1);
    EXPECT_EQ(std::get<Cylinder>(shapes[4].geometry).half_length, 1.5);
    EXPECT_EQ(std::get<Cylinder>(shapes[4].geometry).radius, 0.2);
    EXPECT_EQ(std::get<Cone>(shapes[5].geometry).half_length, 2.5);
    EXPECT_EQ(std::get<Cone>(shapes[5].geometry).radius, 0.4);
    double extent = 0.0;
    for (const Vec3& v : std::get<Hull>(shapes[6].geometry).polyhedron->vertices)
        extent = std::max(extent, v[0]);
    EXPECT_EQ(extent, 1.0);
    for (const Vec3& v : std::get<Hull>(shapes[7].geometry).polyhedron->vertices)
        extent = std::max(extent, v[0]);
    EXPECT_EQ(extent, 2.0);
}

TEST(Shapes, HeightFieldsByListAndByFormula) {
    const Scene scene =
        scene_of(R"("bodies": [{"name": "a", "shape": {"height_field": {"columns": 3, "rows": 2,
        "spacing": [0.5, 2], "heights": [0, 1, 2, 10, 11, 12]}}}, {"name": "b", "shape": {"height_field": {"columns": 3,
        "rows": 2, "spacing": [0.5, 2], "height": "2*x + 5*y"}}}])");
    const HeightGrid& listed = *std::get<HeightField>(scene.model.shapes[0].geometry).grid;
    const HeightGrid& formula = *std::get<HeightField>(scene.model.shapes[1].geometry).grid;
    EXPECT_EQ(listed.columns, 3);
    EXPECT_EQ(listed.rows, 2);
    EXPECT_EQ(listed.spacing_x, 0.5);
    EXPECT_EQ(listed.spacing_y, 2.0);
    EXPECT_EQ(listed.heights, formula.heights);
    EXPECT_EQ(body(scene, "a").kind, BodyKind::fixed);
}

TEST(Shapes, MeshesByNameAreShared) {
    const Scene scene =
        scene_of(R"("meshes": {"m": {"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "scale": 0.5,
        "triangles": [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]}},
        "bodies": [{"name": "a", "shape": {"mesh": "m"}, "repeat": {"i": 2}}, {"name": "b", "shape": {"hull": "m"}}])");
    const auto& first = std::get<TriangleMesh>(scene.model.shapes[0].geometry).soup;
    EXPECT_EQ(first, std::get<TriangleMesh>(scene.model.shapes[1].geometry).soup);
    EXPECT_EQ(first->vertices[1], (Vec3{0.5, 0.0, 0.0}));
    EXPECT_EQ(first->triangles[3], (std::array{2, 0, 3}));
    EXPECT_EQ(body(scene, "a 0").kind, BodyKind::fixed);
    EXPECT_EQ(body(scene, "b").kind, BodyKind::dynamic);
    EXPECT_NEAR(body(scene, "b").mass.mass, 1000.0 / 48.0, 1e-10);  // density a^3 / 6
}

TEST(Bodies, EveryFieldArrives) {
    const Scene scene = scene_of(
        R"("materials": {"m": {}}, "bodies": [{"name": "b", "shape": {"sphere": 1, "material": "m", "color": "#00ff00",
        "position": [1, 0, 0]}, "position": [1, 2, 3], "velocity": [4, 5, 6], "angular_velocity": [7, 8, 9], "mass": 2,
        "inertia": [1, 2, 2.5, 0.1, 0.2, 0.3], "center_of_mass": [0.1, 0.2, 0.3], "linear_damping": 0.4, "angular_damping": 0.5,
        "can_sleep": false, "color": "#ff0000"}])");
    const RigidBody& b = body(scene, "b");
    EXPECT_EQ(b.initial_velocity, (Vec6{4.0, 5.0, 6.0, 7.0, 8.0, 9.0}));
    EXPECT_EQ(b.mass.mass, 2.0);
    EXPECT_EQ(b.mass.inertia, (Symmetric3{1.0, 2.0, 2.5, 0.1, 0.2, 0.3}));
    EXPECT_EQ(b.mass.center_of_mass, (Vec3{0.1, 0.2, 0.3}));
    expect_near(b.initial_pose.position, {1.1, 2.2, 3.3});
    EXPECT_EQ(b.linear_damping, 0.4);
    EXPECT_EQ(b.angular_damping, 0.5);
    EXPECT_FALSE(b.can_sleep);
    expect_near(scene.model.shapes[0].pose.position, {0.9, -0.2, -0.3});
    EXPECT_EQ(scene.model.shapes[0].color, "#00ff00");
    EXPECT_EQ(scene.model.shapes[0].material, 1);
}

TEST(Bodies, MassAloneScalesWhatDensitiesGive) {
    const Scene scene = scene_of(R"("bodies": [{"name": "b", "shape": {"box": [1, 2, 3]}, "mass": 12}])");
    EXPECT_NEAR(body(scene, "b").mass.mass, 12.0, 1e-12);
    EXPECT_NEAR(body(scene, "b").mass.inertia[0], 13.0, 1e-12);  // m (b^2 + c^2) / 12
    EXPECT_NEAR(body(scene, "b").mass.inertia[2], 5.0, 1e-12);
}

TEST(Bodies, KindsAreGuessedAndCanBeSaid) {
    const Scene scene = scene_of(
        R"("bodies": [{"name": "a", "shape": {"box": 1}}, {"name": "b", "shape": {"box": 1}, "motion": {}},
        {"name": "c", "shape": {"half_space": true}}, {"name": "d", "shape": {"box": 1}, "kind": "fixed"},
        {"name": "e", "shape": {"half_space": true}, "kind": "kinematic"}])");
    EXPECT_EQ(body(scene, "a").kind, BodyKind::dynamic);
    EXPECT_EQ(body(scene, "b").kind, BodyKind::kinematic);
    EXPECT_EQ(body(scene, "c").kind, BodyKind::fixed);
    EXPECT_EQ(body(scene, "d").kind, BodyKind::fixed);
    EXPECT_EQ(body(scene, "e").kind, BodyKind::kinematic);
}

TEST(Bodies, MotionsTurnAboutTheBodyUnlessACenterIsGiven) {
    const Scene scene = scene_of(
        R"("bodies": [{"name": "a", "shape": {"box": 1}, "position": [1, 2, 3], "motion": {"angle": "t"}},
        {"name": "b", "shape": {"box": 1}, "position": [1, 2, 3], "motion": {"angle": "t", "axis": [0, 2, 0], "center": [0, 0, 3],
        "offset": [0, "t", 0]}}])");
    EXPECT_EQ(body(scene, "a").motion.center, (Vec3{1.0, 2.0, 3.0}));
    expect_near(motion_pose(body(scene, "b"), pi / 2.0).position, {0.0, 2.0 + pi / 2.0, 2.0});
}

TEST(Bodies, RelativePositionsAreInTheOtherBodysFrame) {
    const Scene scene = scene_of(
        R"("bodies": [{"name": "a", "shape": {"box": 1}, "position": [1, 0, 0], "rotation": [0, 0, "90*deg"]},
        {"name": "b", "shape": {"box": 1}, "relative_to": "a", "position": [2, 0, 1], "rotation": [0, 0, "90*deg"]}])");
    expect_near(body(scene, "b").initial_pose.position, {1.0, 2.0, 1.0});
    expect_near(rotate(body(scene, "b").initial_pose.orientation, {1.0, 0.0, 0.0}), {-1.0, 0.0, 0.0});
}

TEST(Ground, IsAFixedHalfSpaceAtItsHeight) {
    const Scene plain = scene_of(R"("ground": true)");
    EXPECT_EQ(body(plain, "ground").kind, BodyKind::fixed);
    EXPECT_TRUE(std::holds_alternative<HalfSpace>(plain.model.shapes[0].geometry));
    const Scene high = scene_of(
        R"("materials": {"ice": {"friction": 0.02}}, "ground": {"height": 2, "material": "ice", "color": "#123456"})");
    EXPECT_EQ(body(high, "ground").initial_pose.position, (Vec3{0.0, 0.0, 2.0}));
    EXPECT_EQ(high.model.shapes[0].material, 1);
    EXPECT_EQ(high.model.shapes[0].color, "#123456");
}

TEST(Materials, EveryFieldArrivesAndTheDefaultCanBeChanged) {
    const Scene scene =
        scene_of(R"("materials": {"default": {"friction": 0.1}, "m": {"density": 1, "friction": 0.2,
        "restitution": 0.3, "rolling_friction": 0.4, "spinning_friction": 0.5, "compliance": 0.6, "adhesion": 0.7,
        "surface_velocity": [1, 2, 3], "color": "#abcdef"}}, "bodies": [{"shape": {"box": 1}}, {"shape": {"box": 1}, "material": "m"}])");
    ASSERT_EQ(scene.model.materials.size(), 2U);
    EXPECT_EQ(scene.model.materials[0].friction, 0.1);
    EXPECT_EQ(scene.model.materials[0].name, "default");
    const Material& m = scene.model.materials[1];
    EXPECT_EQ(m.density, 1.0);
    EXPECT_EQ(m.friction, 0.2);
    EXPECT_EQ(m.restitution, 0.3);
    EXPECT_EQ(m.rolling_friction, 0.4);
    EXPECT_EQ(m.spinning_friction, 0.5);
    EXPECT_EQ(m.compliance, 0.6);
    EXPECT_EQ(m.adhesion, 0.7);
    EXPECT_EQ(m.surface_velocity_b, (Vec3{1.0, 2.0, 3.0}));
    EXPECT_EQ(m.color, "#abcdef");
    EXPECT_EQ(scene.model.shapes[0].material, 0);
    EXPECT_EQ(scene.model.shapes[1].material, 1);
}

TEST(Materials, PairsReplaceWhatTheyNameAndKeepTheRuleForTheRest) {
    const Scene scene = scene_of(
        R"("materials": {"a": {"friction": 0.4, "restitution": 0.1}, "b": {"friction": 0.9, "restitution": 0.5}},
        "material_pairs": [{"between": ["b", "a"], "friction": 0.05}])");
    const Material pair = combine(scene.model, 1, 2);
    EXPECT_EQ(pair.friction, 0.05);
    EXPECT_EQ(pair.restitution, 0.5);
    EXPECT_EQ(scene.model.materials.size(), 3U);
    EXPECT_THROW(
        scene_of(R"("materials": {"a": {}}, "material_pairs": [{"between": ["a", "a"], "friction": -1}])"),
        InputError);
}

TEST(Groups, GiveBitsToShapesAndBodiesHandThemDown) {
    const Scene scene = scene_of(R"("groups": ["wheel", "track"], "bodies": [
        {"group": "wheel", "ignores": "track", "shapes": [{"box": 1}, {"box": 1, "group": ["default", "track"]}]},
        {"collides_with": ["wheel", "default"], "shape": {"box": 1}}, {"collides_with": [], "shape": {"box": 1}}])");
    const std::vector<Shape>& shapes = scene.model.shapes;
    EXPECT_EQ(shapes[0].groups, 2U);
    EXPECT_EQ(shapes[0].mask, ~4U);
    EXPECT_EQ(shapes[1].groups, 5U);
    EXPECT_EQ(shapes[1].mask, ~4U);
    EXPECT_EQ(shapes[2].groups, 1U);
    EXPECT_EQ(shapes[2].mask, 3U);
    EXPECT_EQ(shapes[3].mask, 0U);
}

TEST(NoCollision, PairsArriveByName) {
    const Scene scene = scene_of(R"("bodies": [{"name": "b", "repeat": {"i": 4}, "shape": {"box": 1}}],
        "no_collision": [{"between": ["b {i}", "b {i+1}"], "repeat": {"i": 3}, "if": "i != 1"}])");
    EXPECT_EQ(scene.model.no_collision, (std::vector<std::pair<int, int>>{{0, 1}, {2, 3}}));
}

}  // namespace
}  // namespace uptack::test

// What is said about faults: where, what, and what to do.

#include "builder.h"
#include "scene/scene_support.h"

namespace uptack::test {
namespace {

struct Mistake {
    const char* entries;
    const char* said;
};

TEST(Errors, NameThePlaceAndTheRemedy) {
    const Mistake mistakes[] = {
        {R"("bodies": [{"shap": {"box": 1}}])",
         "test: /bodies/0/shap: unknown key \"shap\"; did you mean \"shape\"? Known here are name, kind, "
         "shape,"},
        {R"("bodis": [])", "test: /bodis: unknown key \"bodis\"; did you mean \"bodies\"?"},
        {R"("xyzzy": 1)", "test: /xyzzy: unknown key \"xyzzy\"; known here are uptack, title"},
        {R"("bodies": [{"shape": {"box": [1, 2]}}])",
         "test: /bodies/0/shape/box: three numbers [x, y, z] are wanted"},
        {R"("bodies": [{"shape": {"box": [1, 2, true]}}])",
         "test: /bodies/0/shape/box/2: true or false where a number is wanted"},
        {R"("bodies": [{"shape": {"box": 1, "sphere": 1}}])", "test: /bodies/0/shape: exactly one of"},
        {R"("bodies": [{"shape": {}}])", "not 0"},
        {R"("bodies": [{"shape": {"sphere": -1}}])", "test: /bodies/0: body 'body 0'"},
        {R"("bodies": [{"shape": {"sphere": "radius"}}])", "test: /bodies/0/shape/sphere: "},
        {R"("bodies": {"a": 1})", "test: /bodies: an object {...} where a list [...] is wanted"},
        {R"("bodies": [3])", "test: /bodies/0: a number where an object {...} is wanted"},
        {R"("bodies": [{"name": "a", "shape": {"box": 1}}, {"name": "a", "shape": {"box": 1}}])",
         "test: /bodies/1: there is a body \"a\" already"},
        {R"("bodies": [{"name": "world", "shape": {"box": 1}}])", "is what does not move"},
        {R"("bodies": [{"shape": {"box": 1}, "material": "wod"}], "materials": {"wood": {}})",
         "test: /bodies/0/material: no material is called \"wod\"; did you mean \"wood\"?"},
        {R"("bodies": [{"shape": {"box": 1}, "kind": "dynamik"}])",
         "test: /bodies/0/kind: \"dynamik\" is unknown; did you mean \"dynamic\"?"},
        {R"("bodies": [{"shape": {"box": 1}, "color": "red"}])",
         "test: /bodies/0/color: \"red\" is no color; write \"#rrggbb\""},
        {R"("bodies": [{"shape": {"box": 1}, "group": "g"}])",
         "test: /bodies/0/group: no group is called \"g\"; name it in \"groups\""},
        {R"("bodies": [{"shape": {"box": 1}, "shapes": []}])", "has both shape and shapes"},
        {R"("bodies": [{"shape": {"box": 1}, "inertia": [1, 1, 1]}])",
         "test: /bodies/0/inertia: wants mass beside it"},
        {R"("bodies": [{"shape": {"box": 1}, "center_of_mass": [1, 1, 1]}])",
         "wants mass and inertia beside it"},
        {R"("bodies": [{"shape": {"box": 1}, "mass": 1, "inertia": [1, 1, 1, 1]}])",
         "test: /bodies/0/inertia: "},
        {R"("bodies": [{"shape": {"mesh": {"vertices": [[0,0,0],[1,0,0],[0,1,0]], "triangles": [[0,1,3]]}}}])",
         "/triangles/0/2: 3 is not the number of a vertex, 0 to 2"},
        {R"("bodies": [{"name": "a{1", "shape": {"box": 1}}])", "a { without its }"},
        {R"("bodies": [{"name": "a", "shape": {"box": 1}, "repeat": {"i": 2.5}}])",
         "test: /bodies/0/repeat/i: 2.5 is not a whole number"},
        {R"("bodies": [{"name": "a", "shape": {"box": 1}, "repeat": {"i": -1}}])", "-1 is less than 0"},
        {R"("joints": [{"kind": "revolute", "b": "x"}])", "test: /joints/0/b: no body is called \"x\""},
        {R"("joints": [{"b": "world"}])", "test: /joints/0: \"kind\" is missing"},
        {R"("joints": [{"kind": "revolute"}])", "\"b\" is missing"},
        {R"("joints": [{"kind": "hinge", "b": "world"}])", "Known here are"},
        {R"("joints": [{"kind": "revolute", "b": "world"}])", "test: /joints/0: joint 'joint 0'"},
        {R"("watch": "hing")", "test: /watch: no joint is called \"hing\""},
        {R"("forces": [{"body": "world"}])", "nothing moves the world"},
        {R"("ground": 3)", "test: /ground: a number where an object"},
        {R"("materials": {"m": {"friction": -1}})", "test: /materials/m: "},
        {R"("materials": {"m/n": {"friktion": 1}})", "test: /materials/m~1n/friktion: unknown key"},
        {R"("gravity": [0, 0, "0/0"])", "test: /gravity/2: \"0/0\" is not a number"},
        {R"("title": 3)", "test: /title: a number where a text"},
        {R"("parameters": [1])", "test: /parameters: an object is wanted"},
    };
    for (const Mistake& mistake : mistakes) {
        const std::string error = error_of([&] { scene_of(mistake.entries); });
        const bool known_here = error.find(mistake.said) != std::string::npos ||
                                (std::string(mistake.said) == "Known here are" &&
                                 error.find("nown here are") != std::string::npos);
        EXPECT_TRUE(known_here) << mistake.entries << "\n  said:   " << error
                                << "\n  wanted: " << mistake.said;
    }
}

TEST(Errors, TheVersionIsAskedFor) {
    EXPECT_EQ(error_of([] { parse_scene("{}", "x"); }), "x: /: \"uptack\" is missing");
    EXPECT_NE(error_of([] { parse_scene(R"({"uptack": 2})", "x"); }).find("version 1"), std::string::npos);
    EXPECT_NE(error_of([] { parse_scene("[]", "x"); }).find("a list where an object"), std::string::npos);
    EXPECT_NE(error_of([] { parse_scene("3", "x"); }).find("a number where an object"), std::string::npos);
}

TEST(Limits, TooManyThingsAreRefused) {
    const auto build = [](const std::string& text, const SceneLimits& limits) {
        const scene::Json document = scene::parse_json("{\"uptack\": 1, " + text + "}", "test");
        scene::Reader reader(document, {{"", "test"}});
        scene::Scope scope;
        reader.enter({.scope = &scope, .prefix = {}, .local_from = 0, .indices = {}});
        Model model;
        scene::Builder(reader, model, limits).read_document(document);
    };
    const std::string bodies =
        R"("bodies": [{"name": "b", "shapes": [{"sphere": 1}, {"sphere": 2}], "repeat": {"i": 10}}])";
    const std::string joints = R"(, "joints": [{"kind": "fixed", "b": "b {i}", "repeat": {"i": 10}}])";
    const std::string forces = R"(, "forces": [{"body": "b {i}", "repeat": {"i": 10}}])";
    const std::string all = bodies + joints + forces;
    EXPECT_NO_THROW(build(all, {.bodies = 10, .shapes = 20, .joints = 10, .forces = 10}));
    const auto expect_limit = [](const auto& action, std::initializer_list<const char*> words) {
        std::string said;
        try {
            action();
        } catch (const LimitError& error) {
            said = error.what();
        }
        for (const char* word : words)
            EXPECT_NE(said.find(word), std::string::npos) << word << " in: " << said;
    };
    // Each says the limit, what it is, and a remedy.
    expect_limit([&] { build(all, {.bodies = 9, .shapes = 20, .joints = 10, .forces = 10}); },
                 {"/bodies/0", "limit of 9", "repeat fewer"});
    expect_limit([&] { build(all, {.bodies = 10, .shapes = 19, .joints = 10, .forces = 10}); },
                 {"/bodies/0", "limit of 19", "use fewer"});
    expect_limit([&] { build(all, {.bodies = 10, .shapes = 20, .joints = 9, .forces = 10}); },
                 {"/joints/0", "limit of 9", "repeat fewer"});
    expect_limit([&] { build(all, {.bodies = 10, .shapes = 20, .joints = 10, .forces = 9}); },
                 {"/forces/0", "limit of 9", "add up"});
    expect_limit(
        [] { scene_of(R"("bodies": [{"shape": {"sphere": 1}, "repeat": {"i": 1e9, "j": 1e9, "k": 0}}])"); },
        {"/bodies/0", "limit of 20000000", "repeat fewer"});
    expect_limit(
        [] {
            parse_scene(R"({"uptack": 1, "bodies": [{"shape": {"sphere": 1}, "repeat": {"i": 10}}]})", "test",
                        {}, {}, {.repetitions = 9});
        },
        {"/bodies/0", "limit of 9", "repeat fewer"});
    expect_limit(
        [] {
            scene_of(
                R"("bodies": [{"shape": {"height_field": {"columns": 3000, "rows": 3000, "height": 0}}}])");
        },
        {"9000000 samples", "4000000", "coarser"});
    expect_limit(
        [] {
            scene_of(R"("bodies": [{"name": ")" + std::string(300, 'a') + R"(", "shape": {"sphere": 1}}])");
        },
        {"300 bytes", "200", "shorten"});
    std::string groups;
    for (int k = 0; k < 32; ++k) groups += fmt::format("{}\"g{}\"", k == 0 ? "" : ", ", k);
    expect_limit([&] { scene_of("\"groups\": [" + groups + "]"); }, {"limit of 31", "share"});
    expect_limit([] { scene_of(R"("settings": {"duration": 1e9, "step": 1e-3})"); },
                 {"/settings", "1e+12 steps", "2e+08", "shorter duration"});
    expect_limit([] { scene_of(R"("settings": {"duration": 1e9, "step": 1e-300})"); }, {"steps", "2e+08"});
    expect_limit([] { scene_of(R"("settings": {"duration": 1e5, "substeps": 10000})"); }, {"steps", "2e+08"});
    expect_limit([] { scene_of(R"("settings": {"duration": 1e5, "step": 0.0006, "frame": 1e-9})"); },
                 {"frames", "1e+08", "longer"});
    EXPECT_NO_THROW(scene_of(R"("settings": {"duration": 1e5, "step": 0.1, "frame": 1e-9})"));
    std::string loops;
    for (int k = 0; k < 9; ++k) loops += fmt::format("{}\"i{}\": 1", k == 0 ? "" : ", ", k);
    expect_limit([&] { scene_of(R"("bodies": [{"shape": {"sphere": 1}, "repeat": {)" + loops + "}}]"); },
                 {"9 loops", "limit is 8"});
}

}  // namespace
}  // namespace uptack::test

// Parameters, loops, "let", names with {...}, functions of time.

#include <numbers>

#include "scene/scene_support.h"
#include "scope.h"

namespace uptack::test {
namespace {

TEST(Parameters, LaterOnesMayUseEarlierOnes) {
    const Scene scene =
        scene_of(R"("parameters": {"a": 2, "b": {"value": "3*a", "min": 0, "max": 10, "description": "d"}})");
    ASSERT_EQ(scene.parameters.size(), 2U);
    EXPECT_EQ(scene.parameters[0].value, 2.0);
    EXPECT_EQ(scene.parameters[1].value, 6.0);
    EXPECT_EQ(scene.parameters[1].lower, 0.0);
    EXPECT_EQ(scene.parameters[1].upper, 10.0);
    EXPECT_EQ(scene.parameters[1].description, "d");
    EXPECT_THROW(scene_of(R"("parameters": {"b": "3*a", "a": 2})"), InputError);
}

TEST(Parameters, OverridesReplaceValuesAndThoseThatDependOnThem) {
    const std::string text = R"("parameters": {"a": 2, "b": {"value": "3*a", "max": 100}})";
    EXPECT_EQ(scene_of(text, {{"a", "5"}}).parameters[1].value, 15.0);
    EXPECT_EQ(scene_of(text, {{"b", "a + 0.5"}}).parameters[1].value, 2.5);
    EXPECT_EQ(error_of([&] {
                  scene_of(text, {{"c", "1"}});
              }),
              "--set c: unknown parameter; did you mean \"a\"? Known here are a, b");
    EXPECT_NE(error_of([&] {
                  scene_of(text, {{"b", "101"}});
              }).find("/parameters/b/value: 101 is more than max, 100"),
              std::string::npos);
    EXPECT_NE(error_of([&] { scene_of(text, {{"b", "1/0"}}); }).find("infinite"), std::string::npos);
}

TEST(Parameters, NamesThatExpressionsHaveAreRefused) {
    for (const char* name : {"t", "pi", "e", "deg", "sin", "ramp", "smooth", "a b", "1a", ""}) {
        const std::string text = fmt::format(R"("parameters": {{"{}": 1}})", name);
        EXPECT_THROW(scene_of(text), InputError) << name;
    }
}

TEST(Parameters, EveryFunctionOfExpressionsIsReserved) {
    // A name that is a function is told apart by its parenthesis; every name that parse() knows must be
    // refused.
    for (const char* call :
         {"sin(1)",    "atan2(1, 2)",   "min(1, 2)", "max(1, 2)", "mod(1, 2)", "clamp(1, 2, 3)", "step(1)",
          "smooth(1)", "ramp(1, 2, 3)", "abs(1)",    "floor(1)",  "ceil(1)",   "round(1)",       "sign(1)",
          "exp(1)",    "log(1)",        "sqrt(1)",   "sinh(1)",   "cosh(1)",   "tanh(1)",        "asin(1)",
          "acos(1)",   "atan(1)",       "cos(1)",    "tan(1)"}) {
        const std::string text(call);
        EXPECT_NO_THROW(Expression::parse(text, {}, "x")) << text;
        EXPECT_FALSE(scene::name_fault(text.substr(0, text.find('('))).empty()) << text;
    }
}

TEST(Expressions, DegTurnsDegreesIntoRadians) {
    EXPECT_DOUBLE_EQ(scene_of(R"("parameters": {"a": "180*deg"})").parameters[0].value, std::numbers::pi);
}

TEST(Expressions, FunctionsOfTimeKeepTheValuesOfTheirPlace) {
    const Scene scene =
        scene_of(R"~("parameters": {"x": -2, "te": 3}, "bodies": [{"name": "a", "repeat": {"i": 3},
        "shape": {"sphere": 1}, "motion": {"offset": ["x^2*t + i", "1e3*t + 2e-1*te", "exp(te*t)"],
        "angle": "30*deg*t"}}])~");
    for (int i = 0; i < 3; ++i) {
        const Motion& motion = body(scene, fmt::format("a {}", i)).motion;
        EXPECT_DOUBLE_EQ(motion.offset[0](0.5), 2.0 + i);  // (-2)^2, not -2^2
        EXPECT_DOUBLE_EQ(motion.offset[1](0.5), 500.6);    // the e of 1e3 is no name, te is
        EXPECT_DOUBLE_EQ(motion.offset[2](0.5), std::exp(1.5));
        EXPECT_DOUBLE_EQ(motion.angle(2.0), std::numbers::pi / 3.0);
    }
}

TEST(Expressions, TIsKnownOnlyToFunctionsOfTime) {
    EXPECT_THROW(scene_of(R"("gravity": [0, 0, "t"])"), InputError);
}

TEST(Repeat, LoopsRunInTheGivenOrderAndInnerOnesMayUseOuterOnes) {
    const Scene scene =
        scene_of(R"("bodies": [{"name": "b", "repeat": {"k": 3, "i": "3 - k"}, "shape": {"box": 1},
        "position": ["10*i", 0, "k"]}])");
    std::vector<std::string> names;
    for (const RigidBody& one : scene.model.bodies) names.push_back(one.name);
    EXPECT_EQ(names, (std::vector<std::string>{"b 0 0", "b 0 1", "b 0 2", "b 1 0", "b 1 1", "b 2 0"}));
    expect_near(body(scene, "b 1 1").initial_pose.position, {10.0, 0.0, 1.0});
}

TEST(Repeat, RangesIncludeBothEnds) {
    const Scene scene =
        scene_of(R"("bodies": [{"name": "b{2*i}", "repeat": {"i": [-1, 1]}, "shape": {"box": 1}}])");
    ASSERT_EQ(scene.model.bodies.size(), 3U);
    EXPECT_EQ(scene.model.bodies[0].name, "b-2");
    EXPECT_EQ(scene.model.bodies[1].name, "b0");
    EXPECT_EQ(scene.model.bodies[2].name, "b2");
}

TEST(Repeat, IfLeavesOutAndLetIsWorkedOutAnew) {
    const Scene scene =
        scene_of(R"("bodies": [{"name": "b", "repeat": {"i": 5}, "let": {"x": "i^2", "y": "x + 1"},
        "if": "i % 2 == 0", "shape": {"sphere": 1}, "position": ["x", "y", 0]}])");
    ASSERT_EQ(scene.model.bodies.size(), 3U);
    expect_near(body(scene, "b 4").initial_pose.position, {16.0, 17.0, 0.0});
}

TEST(Repeat, WorksInShapesAndNamesTheLoopVariablesInErrors) {
    const Scene scene =
        scene_of(R"("bodies": [{"name": "b", "shapes": [{"sphere": 1, "repeat": {"i": 4}, "name": "s{i}",
        "position": ["i - 1.5", 0, 0]}]}])");
    ASSERT_EQ(scene.model.shapes.size(), 4U);
    expect_near(scene.model.shapes[3].pose.position, {1.5, 0.0, 0.0});
    EXPECT_EQ(scene.model.shapes[3].name, "s3");
    EXPECT_EQ(
        error_of([] {
            scene_of(R"~("bodies": [{"name": "b", "repeat": {"i": 4}, "shape": {"sphere": "1/(2-i)"}}])~");
        }),
        "test: /bodies/0/shape/sphere: \"1/(2-i)\" is infinite; check divisions and roots (with i = 2)");
}

TEST(Repeat, NamesCannotBeTakenTwice) {
    EXPECT_NE(
        error_of([] {
            scene_of(R"("parameters": {"i": 1}, "bodies": [{"repeat": {"i": 2}, "shape": {"sphere": 1}}])");
        }).find("/bodies/0/repeat/i: the name i is taken"),
        std::string::npos);
}

TEST(Repeat, EndlessLoopsAreALimit) {
    EXPECT_THROW(scene_of(R"("bodies": [{"repeat": {"i": 100000, "j": 100000}, "if": 0}])"), LimitError);
}

TEST(Random, DependsOnSeedAndLoopVariablesAndStaysWithin) {
    const std::string entry =
        R"("bodies": [{{"name": "b", "repeat": {{"i": 500}}, "let": {{"r": {{"random": [0.1, 0.3], "seed": {}}}}},
        "shape": {{"sphere": "r"}}}}])";
    const auto radii = [&](int seed) {
        std::vector<double> found;
        const Scene scene = scene_of(fmt::format(fmt::runtime(entry), seed));
        for (const Shape& shape : scene.model.shapes)
            found.push_back(std::get<Sphere>(shape.geometry).radius);
        return found;
    };
    const std::vector<double> first = radii(1);
    double sum = 0.0;
    for (const double radius : first) {
        EXPECT_GE(radius, 0.1);
        EXPECT_LE(radius, 0.3);
        sum += radius;
    }
    EXPECT_NEAR(sum / 500.0, 0.2, 0.01);  // four standard deviations of the mean
    EXPECT_EQ(first, radii(1));
    EXPECT_NE(first, radii(2));
    EXPECT_NE(first[0], first[1]);
}

TEST(Jitter, DependsOnNameAndSeedNotOnTheOrderOfTheFile) {
    const std::string a =
        R"({"name": "a", "shape": {"box": 1}, "jitter": {"position": [0.1, 0.2, 0], "rotation": 0.3, "velocity": 1, "seed": 4}})";
    const std::string b =
        R"({"name": "b", "shape": {"box": 1}, "jitter": {"position": [0.1, 0.2, 0], "rotation": 0.3, "velocity": 1, "seed": 4}})";
    const Scene one = scene_of("\"bodies\": [" + a + ", " + b + "]");
    const Scene two = scene_of("\"bodies\": [" + b + ", " + a + "]");
    for (const char* name : {"a", "b"}) {
        EXPECT_EQ(body(one, name).initial_pose, body(two, name).initial_pose);
        EXPECT_EQ(body(one, name).initial_velocity, body(two, name).initial_velocity);
        const Pose& pose = body(one, name).initial_pose;
        EXPECT_LE(std::abs(pose.position[0]), 0.1);
        EXPECT_LE(std::abs(pose.position[1]), 0.2);
        EXPECT_EQ(pose.position[2], 0.0);
        EXPECT_GT(length(logarithm(pose.orientation)), 0.0);
        EXPECT_LE(length(logarithm(pose.orientation)), 0.3 * std::sqrt(3.0));
        EXPECT_GT(length(linear(body(one, name).initial_velocity)), 0.0);
    }
    EXPECT_NE(body(one, "a").initial_pose, body(one, "b").initial_pose);
    EXPECT_EQ(error_of([] { scene_of(R"("bodies": [{"shape": {"box": 1}, "jitter": {"position": 1}}])"); }),
              "test: /bodies/0/jitter: wants the body to have a name, on which the offsets depend");
}

}  // namespace
}  // namespace uptack::test

#include "names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "uptack/model.h"

namespace uptack::test {
namespace {

TEST(Names, DigitsCountAsNumbers) {
    const std::vector<std::string> sorted{
        "",   "01",  "1",      "2",       "10",     "Z",       "a",         "a0",     "a1",       "a1b",
        "a2", "a10", "a10 b2", "a10 b11", "ball 2", "ball 10", "ball 010x", "ball-2", "b\xc3\xa9"};
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        for (std::size_t j = 0; j < sorted.size(); ++j) {
            EXPECT_EQ(model::compare_natural(sorted[i], sorted[j]) < 0, i < j)
                << sorted[i] << " | " << sorted[j];
            EXPECT_EQ(model::compare_natural(sorted[i], sorted[j]) == 0, i == j);
        }
    }
}

TEST(Names, NumbersLongerThanAnyIntegerAreCompared) {
    const std::string nines(40, '9');
    EXPECT_TRUE(model::compare_natural("x" + nines, "x1" + nines) < 0);
    EXPECT_TRUE(model::compare_natural("x000000000000000000000000000000002", "x10") < 0);
}

BodyDefinition ball(const std::string& name) {
    return {.name = name, .shapes = {Shape{.geometry = Sphere{0.1}}}};
}

TEST(Names, TheOrderOfBodiesAndJointsDoesNotDependOnWhoWasFirst) {
    std::vector<std::string> names{"ball 1", "ball 2", "ball 9", "ball 10", "ball 11", "floor", "x01", "x1"};
    const std::vector<std::string> expected = names;
    std::sort(names.begin(), names.end());
    do {
        Model model;
        for (const std::string& name : names) add_body(model, ball(name));
        for (const std::string& name : names) {
            add_joint(model, {.name = name, .kind = JointKind::fixed, .body_a = no_body, .body_b = 0});
        }
        std::vector<std::string> bodies;
        std::vector<std::string> joints;
        for (const int i : body_order(model))
            bodies.push_back(model.bodies[static_cast<std::size_t>(i)].name);
        for (const int i : joint_order(model))
            joints.push_back(model.joints[static_cast<std::size_t>(i)].name);
        ASSERT_EQ(bodies, expected);
        ASSERT_EQ(joints, expected);
        // A sample of the permutations.
    } while (std::next_permutation(names.begin(), names.end() - 1) &&
             std::next_permutation(names.begin() + 2, names.end()));
}

TEST(Names, FindGivesTheIndexOrMinusOne) {
    Model model;
    add_body(model, ball("a"));
    add_body(model, ball("b"));
    add_joint(model, {.name = "hinge", .body_a = 0, .body_b = 1});
    EXPECT_EQ(find_body(model, "b"), 1);
    EXPECT_EQ(find_body(model, "c"), -1);
    EXPECT_EQ(find_joint(model, "hinge"), 0);
    EXPECT_EQ(find_joint(model, "b"), -1);
}

TEST(Names, ThoseWithoutNamesGetTheirNumber) {
    Model model;
    add_body(model, ball(""));
    add_body(model, ball(""));
    add_joint(model, {.body_a = 0, .body_b = 1});
    add_force(model, {.body = 0});
    EXPECT_EQ(model.bodies[1].name, "body 1");
    EXPECT_EQ(model.joints[0].name, "joint 0");
    EXPECT_EQ(model.forces[0].name, "force 0");
}

TEST(Names, KindsCoordinatesAndShapesAreSpelledAsInScenes) {
    EXPECT_EQ(joint_kind_name(JointKind::free), "free");
    EXPECT_EQ(joint_kind_name(JointKind::point_on_line), "point_on_line");
    EXPECT_EQ(joint_kind_name(JointKind::pulley), "pulley");
    EXPECT_EQ(coordinate_name(Coordinate::x), "x");
    EXPECT_EQ(coordinate_name(Coordinate::angle_y), "angle_y");
    EXPECT_EQ(coordinate_name(Coordinate::distance), "distance");
    EXPECT_EQ(geometry_name(Sphere{}), "sphere");
    EXPECT_EQ(geometry_name(HalfSpace{}), "half_space");
    EXPECT_EQ(geometry_name(Cone{}), "cone");
    EXPECT_EQ(geometry_name(Hull{}), "hull");
    EXPECT_EQ(geometry_name(HeightField{}), "height_field");
}

}  // namespace
}  // namespace uptack::test

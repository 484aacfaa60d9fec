// The joint network, the plate stack, the brick wall and the chain.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "generators/rigid_motion.h"
#include "support/tolerance.h"
#include "uptack/generators.h"

namespace uptack::test {
namespace {

std::vector<Vec3> lattice(int edge) {
    std::vector<Vec3> position;
    for (int i = 0; i < edge * edge * edge; ++i) {
        position.push_back({1.0 * (i % edge), 1.0 * (i / edge % edge), 1.0 * (i / (edge * edge))});
    }
    return position;
}

// Where the wall's generator puts its bricks and the ball.
std::vector<Vec3> wall_places(int bricks, int courses) {
    std::vector<Vec3> position;
    for (int i = 0; i < bricks * courses; ++i) {
        const int course = i / bricks;
        position.push_back({(i % bricks + 0.5 * (course % 2)) * 0.201, 0.0, 0.08 * (course + 0.5)});
    }
    position.push_back({0.1 * bricks, -0.35, 0.04 * courses});
    return position;
}

TEST(BrickWall, RowsSeeNothingInACommonMotion) {
    const Problem problem = generate_brick_wall({.bricks_per_course = 6, .courses = 5});
    EXPECT_LE(worst_velocity_in_common_motion(problem, wall_places(6, 5)), tolerance(1e-13));
}

TEST(BrickWall, EveryBrickRestsOnSomething) {
    const Problem problem = generate_brick_wall({.bricks_per_course = 6, .courses = 5});
    std::vector<int> supports(problem.bodies.size(), 0);
    for (const Block& block : problem.blocks) {
        if (problem.jacobian[block.first_row].a[2] == 1.0) ++supports[block.body_a];
    }
    for (std::size_t b = 0; b + 1 < supports.size(); ++b) EXPECT_GE(supports[b], 4) << "brick " << b;
}

TEST(JointNetwork, RowsSeeNothingInACommonMotion) {
    const Problem problem = generate_joint_network();
    EXPECT_LE(worst_velocity_in_common_motion(problem, lattice(10)), tolerance(1e-13));
    EXPECT_EQ(worst_frame_error(problem), 0.0);
}

TEST(JointNetwork, HoldsEveryPartDirectlyOrThroughOthers) {
    const Problem problem = generate_joint_network();
    std::vector<int> group(problem.bodies.size());
    std::iota(group.begin(), group.end(), 0);
    for (const Block& block : problem.blocks) {
        const int from = group[block.body_a];
        const int to = group[block.body_b];
        std::replace(group.begin(), group.end(), from, to);
    }
    EXPECT_EQ(std::count(group.begin(), group.end(), group[0]), 1000);
}

TEST(JointNetwork, NoTwoJointsTieTheSamePair) {
    const Problem problem = generate_joint_network();
    std::vector<std::pair<int, int>> pairs;
    for (const Block& block : problem.blocks) pairs.emplace_back(block.body_a, block.body_b);
    std::sort(pairs.begin(), pairs.end());
    EXPECT_EQ(std::adjacent_find(pairs.begin(), pairs.end()), pairs.end());
}

TEST(JointNetwork, MassesSpanTwoDecades) {
    double lightest = infinity;
    double heaviest = 0.0;
    for (const Body& body : generate_joint_network().bodies) {
        lightest = std::min(lightest, 1.0 / body.inverse_mass);
        heaviest = std::max(heaviest, 1.0 / body.inverse_mass);
    }
    EXPECT_GE(lightest, 0.0999);
    EXPECT_LT(lightest, 0.11);
    EXPECT_GT(heaviest, 9.0);
    EXPECT_LE(heaviest, 10.001);
}

TEST(JointNetwork, HasThreeAndAHalfRowsPerPartAtAnySize) {
    for (const int edge : {2, 3, 5, 20}) {
        const Problem problem = generate_joint_network({.edge = edge});
        EXPECT_EQ(problem.row_count(), edge * edge * edge * 7 / 2);
        EXPECT_TRUE(validate(problem).empty()) << edge;
    }
}

TEST(PlateStack, RowsSeeNothingInACommonMotion) {
    const Problem problem = generate_plate_stack();
    std::vector<Vec3> position;
    for (int i = 0; i < 20; ++i) position.push_back({0.0, 0.0, 0.05 + 0.1 * i});
    EXPECT_LE(worst_velocity_in_common_motion(problem, position), tolerance(1e-14));
    EXPECT_LE(worst_frame_error(problem), tolerance(1e-15));
}

TEST(PlateStack, AlternatesItsMassesUnderAHeavyTop) {
    const Problem problem = generate_plate_stack({.mass_ratio = 50.0});
    EXPECT_EQ(problem.bodies[0].inverse_mass, 1.0);
    EXPECT_EQ(problem.bodies[1].inverse_mass, 1.0 / 50.0);
    EXPECT_EQ(problem.bodies[18].inverse_mass, 1.0);
    EXPECT_EQ(problem.bodies[19].inverse_mass, 1.0 / 150.0);
}

TEST(PlateStack, StandsOnTheWorld) {
    const Problem problem = generate_plate_stack();
    for (int corner = 0; corner < 4; ++corner) EXPECT_EQ(problem.blocks[corner].body_b, no_body);
    EXPECT_EQ(problem.blocks[4].body_a, 1);
    EXPECT_EQ(problem.blocks[4].body_b, 0);
}

TEST(Chain, RowsSeeNothingInACommonMotion) {
    std::vector<Vec3> position;
    for (int i = 0; i < 100; ++i) position.push_back({i + 0.5, 0.0, 0.0});
    EXPECT_LE(worst_velocity_in_common_motion(generate_chain(), position), tolerance(1e-13));
}

TEST(Chain, HangsOnTheWorldAndFalls) {
    const Problem problem = generate_chain({.links = 3, .mass_ratio = 7.0});
    EXPECT_EQ(problem.blocks[0].body_b, no_body);
    EXPECT_EQ(problem.blocks[2].body_b, 1);
    EXPECT_EQ(problem.bodies[2].inverse_mass, 1.0 / 7.0);
    EXPECT_NEAR(problem.bodies[0].free_velocity[0], 0.003, tolerance(1e-17));
    EXPECT_NEAR(problem.bodies[0].free_velocity[2], -0.0981, tolerance(1e-16));
}

}  // namespace
}  // namespace uptack::test

// Islands against a search through the blocks that knows nothing of forests.

#include "uptack/islands.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>

#include "support/random.h"
#include "support/small_problems.h"
#include "uptack/generators.h"

namespace uptack::test {
namespace {

const JacobianRow up{.a = {0, 0, 1, 0, 0, 0}, .b = {0, 0, -1, 0, 0, 0}};

void tie(Problem& problem, int a, int b) {
    add_block(problem, Unilateral{}, a, b, std::span(&up, 1), std::array{0.0});
}

bool moves(const Problem& problem, int body) {
    if (body == no_body) return false;
    const Body& b = problem.bodies[body];
    double sum = b.inverse_mass;
    for (const double entry : b.inverse_inertia_w) sum += entry * entry;
    return sum > 0.0;
}

/// By flooding: every block takes the number of the first one it can be reached from.
std::vector<int> flooded(const Problem& problem, int& count) {
    std::vector<int> island(problem.blocks.size(), -1);
    count = 0;
    for (std::size_t seed = 0; seed < island.size(); ++seed) {
        if (island[seed] >= 0) continue;
        island[seed] = count;
        std::set<int> bodies;
        for (bool grown = true; grown;) {
            grown = false;
            for (std::size_t k = 0; k < island.size(); ++k) {
                const Block& block = problem.blocks[k];
                const bool reached = bodies.count(block.body_a) + bodies.count(block.body_b) > 0;
                if (island[k] < 0 && reached) {
                    island[k] = count;
                    grown = true;
                }
                if (island[k] != count) continue;
                for (const int body : {block.body_a, block.body_b}) {
                    if (moves(problem, body) && bodies.insert(body).second) grown = true;
                }
            }
        }
        ++count;
    }
    return island;
}

TEST(Islands, AreJoinedByMovableBodiesOnly) {
    Problem problem;
    problem.bodies.assign(6, ball());
    problem.bodies[2] = Body{};  // a moving wall: touched by both islands, joins nothing
    tie(problem, 0, 2);
    tie(problem, 3, 2);
    tie(problem, 1, 0);
    tie(problem, 3, no_body);
    tie(problem, 2, no_body);  // between immovable things
    tie(problem, 4, no_body);
    Islands islands;
    find_islands(problem, islands);
    EXPECT_EQ(islands.count, 4);
    EXPECT_EQ(islands.of_block, (std::vector<int>{0, 1, 0, 1, 2, 3}));
    EXPECT_EQ(islands.of_body, (std::vector<int>{0, 0, -1, 1, 3, -1}));
}

TEST(Islands, ABodyThatOnlyTurnsJoinsItsBlocks) {
    Problem problem;
    problem.bodies.assign(3, ball());
    problem.bodies[1].inverse_mass = 0.0;  // a wheel on a fixed axle
    tie(problem, 0, 1);
    tie(problem, 1, 2);
    Islands islands;
    find_islands(problem, islands);
    EXPECT_EQ(islands.count, 1);
}

TEST(Islands, TheAssembledFormIsOne) {
    Problem problem = two_stacked_balls();
    problem.bodies.push_back(ball());
    tie(problem, 2, no_body);
    Islands islands;
    find_islands(problem, islands);
    EXPECT_EQ(islands.count, 2);
    find_islands(assemble(problem), islands);
    EXPECT_EQ(islands.count, 1);
    EXPECT_EQ(islands.of_block, (std::vector<int>{0, 0, 0}));
    find_islands(Problem{}, islands);
    EXPECT_EQ(islands.count, 0);
}

TEST(Islands, AgreeWithFloodingOnRandomGraphs) {
    Random random(3);
    Islands islands;  // used again, so that what an earlier problem left in it is tested too
    for (int trial = 0; trial < 200; ++trial) {
        Problem problem;
        const int bodies = random.whole(1, 30);
        const int blocks = random.whole(0, 40);
        problem.bodies.assign(bodies, ball());
        for (Body& body : problem.bodies) {
            if (random.uniform(0.0, 1.0) < 0.2) body = Body{};
        }
        for (int k = 0; k < blocks; ++k) {
            const int a = random.whole(0, bodies - 1);
            const int b = random.whole(no_body, bodies - 1);
            if (a != b) tie(problem, a, b);
        }
        int count = 0;
        const std::vector<int> expected = flooded(problem, count);
        find_islands(problem, islands);
        ASSERT_EQ(islands.of_block, expected) << "trial " << trial;
        ASSERT_EQ(islands.count, count);
        for (std::size_t k = 0; k < expected.size(); ++k) {
            for (const int body : {problem.blocks[k].body_a, problem.blocks[k].body_b}) {
                if (!moves(problem, body)) continue;
                ASSERT_EQ(islands.of_body[body], expected[k]);
            }
        }
    }
}

// A hundred thousand bodies joined from the wrong end: a forest without compression would take minutes.
TEST(Islands, LongChainsAreQuick) {
    Problem problem;
    const int links = 200'000;
    problem.bodies.assign(links, ball());
    for (int k = links - 1; k > 0; --k) tie(problem, k, k - 1);
    Islands islands;
    find_islands(problem, islands);
    EXPECT_EQ(islands.count, 1);
    const int* storage = islands.of_block.data();
    find_islands(problem, islands);
    EXPECT_EQ(islands.of_block.data(), storage);
}

}  // namespace
}  // namespace uptack::test

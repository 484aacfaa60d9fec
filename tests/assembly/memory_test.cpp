// The warm start: what is remembered comes back in the right frame, scale and place.

#include <cmath>

#include "small_world.h"
#include "support/allocations.h"
#include "support/tolerance.h"

namespace uptack::test {
namespace {

/// Three bodies in a row with contacts of 6 rows, and a motor between the first two.
Model three_bodies() {
    Model model;
    model.materials[0].friction = 0.5;
    model.materials[0].rolling_friction = 0.01;
    model.materials[0].spinning_friction = 0.01;
    for (int k = 0; k < 3; ++k) {
        model.bodies.push_back(solid("body " + std::to_string(k), 1.0, {{1.0 * k, 0, 0}, {}}));
        Shape shape;
        shape.body = k;
        model.shapes.push_back(shape);
    }
    Joint joint;
    joint.name = "slide";
    joint.kind = JointKind::prismatic;
    joint.body_a = 0;
    joint.body_b = 1;
    joint.frame_a.position = {1, 0, 0};
    joint.axes = {{.coordinate = Coordinate::z,
                   .lower = -1.0,
                   .upper = 1e-3,
                   .motor = MotorKind::velocity,
                   .target = 1.0,
                   .stiffness = 10.0,
                   .friction = 1.0}};
    model.joints = {joint};
    return model;
}

Contact contact_of(int a, int b, std::uint32_t feature, const Vec3& normal = {-1, 0, 0}) {
    return {.body_a = a,
            .body_b = b,
            .shape_a = a,
            .shape_b = b,
            .feature = feature,
            .point_w = {0.5 * (a + b), 0, 0},
            .normal_w = normal,
            .gap = 0.0};
}

void fill(Solution& solution, std::size_t rows, Random& random) {
    solution.impulse = random.normals(rows);
}

/// What the same step remembers it recalls.
ImpulseMemory expect_back(const World& world) {
    ImpulseMemory memory;
    world.assembler.remember(world.step, world.contacts, world.solution, memory);
    Solution start;
    world.assembler.recall(memory, world.step, world.contacts, start);
    EXPECT_EQ(start.impulse, world.solution.impulse);
    return memory;
}

TEST(Memory, TheSameStepGetsItsImpulsesBack) {
    Random random(1);
    World world(three_bodies(), {.scheme = Scheme::euler});
    world.contacts.contacts = {contact_of(0, 1, 3), contact_of(0, 2, 1), contact_of(1, 2, 0)};
    world.assemble();
    fill(world.solution, world.step.problem.bias.size(), random);
    const ImpulseMemory memory = expect_back(world);
    EXPECT_TRUE(std::is_sorted(memory.blocks.begin(), memory.blocks.end(),
                               [](const auto& a, const auto& b) { return a.key < b.key; }));
}

TEST(Memory, ContactsThatCameAndWentDoNotDisturbTheOthers) {
    Random random(2);
    World world(three_bodies(), {.scheme = Scheme::euler});
    world.contacts.contacts = {contact_of(0, 1, 3), contact_of(0, 1, 9), contact_of(1, 2, 0)};
    world.assemble();
    fill(world.solution, world.step.problem.bias.size(), random);
    const Solution old = world.solution;
    const Problem old_problem = world.step.problem;
    ImpulseMemory memory;
    world.assembler.remember(world.step, world.contacts, world.solution, memory);
    const std::size_t joint_blocks = world.step.problem.blocks.size() - 3;

    world.contacts.contacts = {contact_of(0, 1, 9), contact_of(0, 2, 0), contact_of(1, 2, 0),
                               contact_of(1, 2, 4)};
    world.contacts.contacts[0].point_w[1] = 0.1;
    world.assemble();
    Solution start;
    world.assembler.recall(memory, world.step, world.contacts, start);
    const auto at = [&](std::size_t contact, int row) {
        return start.impulse[world.step.problem.blocks[joint_blocks + contact].first_row + row];
    };
    const auto was = [&](std::size_t contact, int row) {
        return old.impulse[old_problem.blocks[joint_blocks + contact].first_row + row];
    };
    for (int row = 0; row < 6; ++row) {
        EXPECT_EQ(at(0, row), was(0, row) + was(1, row));  // nobody else is left to take what 3 carried
        EXPECT_EQ(at(1, row), 0.0);
        EXPECT_EQ(at(2, row), was(2, row));
        EXPECT_EQ(at(3, row), 0.0);
    }
    for (int row = 0; row < old_problem.blocks[joint_blocks].first_row; ++row) {
        EXPECT_EQ(start.impulse[row], old.impulse[row]);
    }
}

TEST(Memory, WhatAVanishedContactCarriedGoesToTheNearestOfItsPair) {
    Random random(4);
    World world(three_bodies(), {.scheme = Scheme::euler});
    const auto at_y = [](int a, int b, std::uint32_t feature, double y) {
        Contact contact = contact_of(a, b, feature);
        contact.point_w[1] = y;
        return contact;
    };
    world.contacts.contacts = {at_y(0, 1, 2, -1.0), at_y(0, 1, 5, 1.0), at_y(0, 2, 5, 0.9)};
    world.assemble();
    fill(world.solution, world.step.problem.bias.size(), random);
    const Solution old = world.solution;
    const int old_row = world.step.problem.blocks[world.step.problem.blocks.size() - 3].first_row;
    ImpulseMemory memory;
    world.assembler.remember(world.step, world.contacts, world.solution, memory);

    world.contacts.contacts = {at_y(0, 1, 3, 0.9), at_y(0, 1, 4, 0.0), at_y(0, 1, 6, -0.9),
                               at_y(0, 2, 5, 0.0)};
    world.assemble();
    Solution start;
    world.assembler.recall(memory, world.step, world.contacts, start);
    const int row = world.step.problem.blocks[world.step.problem.blocks.size() - 4].first_row;
    for (int i = 0; i < 6; ++i) {
        EXPECT_EQ(start.impulse[row + i], old.impulse[old_row + 6 + i]);
        EXPECT_EQ(start.impulse[row + 6 + i], 0.0);
        EXPECT_EQ(start.impulse[row + 12 + i], old.impulse[old_row + i]);
        EXPECT_EQ(start.impulse[row + 18 + i], old.impulse[old_row + 12 + i]);
    }
}

// Pairs of shapes lie across the borders of chunks: each is recalled once, whole.
TEST(Memory, ManyContactsOfEveryPairComeBack) {
    constexpr int bodies = 60;
    Model model;
    model.materials[0].friction = 0.5;
    for (int k = 0; k < bodies; ++k) {
        model.bodies.push_back(solid("body " + std::to_string(100 + k), 1.0, {{1.0 * k, 0, 0}, {}}));
        Shape shape;
        shape.body = k;
        model.shapes.push_back(shape);
    }
    World world(model, {.scheme = Scheme::euler});
    for (int a = 0; a < bodies; ++a) {
        for (int b = a + 1; b < bodies; ++b) {
            for (std::uint32_t feature = 0; feature < 1 + static_cast<unsigned>(a * b) % 7; ++feature)
                world.contacts.contacts.push_back(contact_of(a, b, feature));
        }
    }
    ASSERT_GT(world.contacts.contacts.size(), 6000U);
    world.assemble();
    Random random(5);
    fill(world.solution, world.step.problem.bias.size(), random);
    expect_back(world);
}

TEST(Memory, TangentialImpulsesStayWhereTheyPointedWhenTheNormalTurns) {
    Random random(3);
    for (int trial = 0; trial < 20; ++trial) {
        World world(three_bodies(), {.scheme = Scheme::euler});
        const Vec3 n0 = direction(random_vector(random));
        const Vec3 n1 = direction(random_vector(random));
        world.contacts.contacts = {contact_of(0, 1, 3, n0)};
        world.assemble();
        fill(world.solution, world.step.problem.bias.size(), random);
        ImpulseMemory memory;
        world.assembler.remember(world.step, world.contacts, world.solution, memory);
        const int first = world.step.problem.blocks.back().first_row;
        const auto vector_of = [&](const Solution& s, const Vec3& n, int row) {
            const auto frame = contact_frame(n);
            return s.impulse[first + row] * frame[1] + s.impulse[first + row + 1] * frame[2];
        };
        const Vec3 slid = vector_of(world.solution, n0, 1);
        const Vec3 rolled = vector_of(world.solution, n0, 3);

        world.contacts.contacts[0].normal_w = n1;
        world.assemble();
        Solution start;
        world.assembler.recall(memory, world.step, world.contacts, start);
        EXPECT_EQ(start.impulse[first], world.solution.impulse[first]);
        EXPECT_EQ(start.impulse[first + 5], world.solution.impulse[first + 5]);
        for (int k = 0; k < 3; ++k) {
            EXPECT_NEAR(vector_of(start, n1, 1)[k], (slid - dot(n1, slid) * n1)[k], tolerance(1e-14));
            EXPECT_NEAR(vector_of(start, n1, 3)[k], (rolled - dot(n1, rolled) * n1)[k], tolerance(1e-14));
        }
    }
}

TEST(Memory, ImpulsesAreScaledWithTheTimeForcesAct) {
    World world(three_bodies());
    world.assemble();
    world.solve();
    ImpulseMemory memory;
    world.assembler.remember(world.step, world.contacts, world.solution, memory);
    const std::vector<double> first = world.solution.impulse;
    world.advance_all();
    world.assemble();
    EXPECT_DOUBLE_EQ(world.step.kick_s, 2.0 * memory.kick_s);  // leapfrog's first step kicks half as long
    Solution start;
    world.assembler.recall(memory, world.step, world.contacts, start);
    ASSERT_EQ(start.impulse.size(), first.size());
    for (std::size_t i = 0; i < first.size(); ++i) EXPECT_DOUBLE_EQ(start.impulse[i], 2.0 * first[i]);
}

TEST(Memory, NothingRememberedIsZero) {
    World world(three_bodies());
    world.assemble();
    Solution start;
    world.assembler.recall({}, world.step, world.contacts, start);
    EXPECT_EQ(start.impulse, std::vector<double>(world.step.problem.bias.size(), 0.0));
}

TEST(Memory, ASteadyStepAllocatesNothing) {
    World world(three_bodies());
    world.contacts.contacts = {contact_of(0, 1, 3), contact_of(0, 2, 1), contact_of(1, 2, 0)};
    ImpulseMemory memory;
    const auto round = [&] {
        free_motion(world.model, world.state, world.settings, world.motion);
        const long before = allocations;
        world.assembler.assemble(world.state, world.contacts, world.motion, world.settings, world.step);
        world.assembler.recall(memory, world.step, world.contacts, world.solution);
        world.assembler.remember(world.step, world.contacts, world.solution, memory);
        world.assembler.follow_angles(world.state);
        return allocations - before;
    };
    EXPECT_GT(round(), 0);
    EXPECT_EQ(round(), 0);
    EXPECT_EQ(round(), 0);
}

}  // namespace
}  // namespace uptack::test

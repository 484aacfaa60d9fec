// A hand's spring on a body: where it comes to rest, that nothing explodes, whom it moves and whom not.

#include <gtest/gtest.h>

#include <cmath>

#include "support/tolerance.h"
#include "uptack/input_error.h"
#include "worlds.h"

namespace uptack::test {
namespace {

Vec3 held_point(const Simulation& simulation, const Pull& pull) {
    return transform(simulation.state().pose[pull.body], pull.point_b);
}

double speed(const Simulation& simulation, int body) {
    const Vec6& v = simulation.state().velocity[body];
    return length(linear(v)) + length(angular(v));
}

/// k d = m g.
TEST(Pull, BodyHangsBelowTheTargetByItsWeightOverTheStiffness) {
    for (const double mass : {1e-3, 1.0, 1e3}) {
        for (const double step_s : {1.0 / 1000.0, 1.0 / 240.0, 1.0 / 10.0}) {
            Model model;
            const int body = add_point(model, "body", {0.0, 0.0, 0.0}, mass, 0.01 * mass);
            Simulation simulation(model, settings(step_s));
            const double k = 1000.0;
            simulation.pull({.body = body,
                             .target_w = {0.3, -0.2, 1.0},
                             .stiffness = k,
                             .damping = 2.0 * std::sqrt(k * mass)});
            run(simulation, 60.0);
            const Vec3 expected{0.3, -0.2, 1.0 - mass * g / k};
            EXPECT_LT(length(simulation.state().pose[body].position - expected), tolerance(1e-9))
                << "mass " << mass << ", step " << step_s;
            EXPECT_LT(speed(simulation, body), tolerance(1e-9));
        }
    }
}

/// Held at a corner with a spring that is far too stiff for the step: it swings, but never faster than the
/// fall and the pull could make it, and the corner stays where the weight has it.
TEST(Pull, StaysStableAtAnyMassAndStepHeldAtACorner) {
    for (const double mass : {1e-3, 1.0, 1e3}) {
        for (const double step_s : {1.0 / 240.0, 1.0 / 30.0}) {
            for (const double k : {1e2, 1e4, 1e6}) {
                Model model;
                const int body = add_body(model, {.name = "box",
                                                  .shapes = {{.geometry = Box{{0.1, 0.2, 0.3}}}},
                                                  .total_mass = mass,
                                                  .angular_damping = 0.5});
                Simulation simulation(model, settings(step_s));
                const Pull pull{.body = body,
                                .point_b = {0.1, 0.2, 0.3},
                                .target_w = {3.0, 0.2, 0.3},
                                .stiffness = k,
                                .damping = 2.0 * std::sqrt(k * mass)};
                simulation.pull(pull);
                run(simulation, 40.0);
                const Vec3 rest{3.0, 0.2, 0.3 - mass * g / k};
                const double off = length(held_point(simulation, pull) - rest);
                EXPECT_LT(off, tolerance(0.02 + 0.1 * mass * g / k))
                    << "mass " << mass << ", step " << step_s << ", stiffness " << k;
                EXPECT_LT(speed(simulation, body), tolerance(2.0))
                    << "mass " << mass << ", step " << step_s << ", stiffness " << k;
            }
        }
    }
}

TEST(Pull, MakesNoMotionWhereItIsAtEase) {
    Model model;
    model.gravity = {};
    const int body = add_box(model, "box", {0.1, 0.2, 0.3}, {1.0, 2.0, 3.0});
    Simulation simulation(model, settings(1.0 / 240.0));
    simulation.pull({.body = body,
                     .point_b = {0.125, 0.25, 0.25},
                     .target_w = {1.125, 2.25, 3.25},
                     .stiffness = 1e4,
                     .damping = 10.0});
    const StepReport report = run(simulation, 1.0);
    EXPECT_EQ(report.kinetic_J, 0.0);
    EXPECT_EQ(simulation.state().pose[body].position, (Vec3{1.0, 2.0, 3.0}));
}

/// What the ground and the hand carry together is the weight.  The hand's force is that on a free body:
/// with s = T (k h + c) / m it carries (0.4 + s) / (1 + s) of the weight instead of k d = 0.4.
TEST(Pull, TakesItsShareOfARestingWeight) {
    Model model;
    const int ground = add_ground(model);
    const int ball = add_ball(model, "ball", 0.1, {0.0, 0.0, 0.1});
    ASSERT_EQ(ground, 0);
    const double weight = model.bodies[ball].mass.mass * g;
    Simulation simulation(model, settings(1.0 / 240.0, 1e-10));
    simulation.pull(
        {.body = ball, .target_w = {0.0, 0.0, 0.2}, .stiffness = 4.0 * weight, .damping = weight});
    run(simulation, 2.0);
    double carried = 0.0;
    for (const ContactReaction& contact : simulation.contact_reactions()) carried += std::abs(contact.normal);
    const double s = (4.0 * g / 240.0 + g) / 240.0;
    EXPECT_NEAR(carried / weight, 0.6 / (1.0 + s), tolerance(1e-6));
    EXPECT_LT(speed(simulation, ball), tolerance(1e-6));
}

/// Far from the target the force is the largest there is, whatever the stiffness; c v = F at the end.
TEST(Pull, IsNotStrongerThanItsLargestForce) {
    Model model;
    model.gravity = {};
    const int body = add_point(model, "body", {}, 2.0, 0.01);
    Simulation simulation(model, settings(1.0 / 1000.0));
    simulation.pull(
        {.body = body, .target_w = {1e6, 0.0, 0.0}, .stiffness = 1.0, .damping = 4.0, .max_force = 12.0});
    run(simulation, 20.0);
    // The implicit spring resists with c + k h; 1e-3 of 4 here.
    EXPECT_NEAR(simulation.state().velocity[body][0], 12.0 / 4.001, tolerance(1e-6));
}

TEST(Pull, WakesASleeper) {
    Model model;
    add_ground(model);
    const int ball = add_ball(model, "ball", 0.1, {0.0, 0.0, 0.1});
    SimulationSettings sleepy = settings(1.0 / 240.0);
    sleepy.sleep.enabled = true;
    Simulation simulation(model, sleepy);
    ASSERT_EQ(run(simulation, 1.0).sleeping, 1);
    simulation.pull({.body = ball, .target_w = {0.0, 0.0, 1.0}, .stiffness = 1e4, .damping = 400.0});
    run(simulation, 1.0);
    EXPECT_GT(simulation.state().pose[ball].position[2], 0.5);
}

TEST(Pull, DoesNotMoveWhatIsFixedOrPrescribed) {
    Model model;
    const int ground = add_ground(model);
    const int slider = add_body(model, {.name = "slider", .kind = BodyKind::kinematic});
    Simulation simulation(model, settings(1.0 / 240.0));
    const State start = simulation.state();
    for (const int body : {ground, slider}) {
        simulation.pull({.body = body, .target_w = {0.0, 0.0, 1.0}, .stiffness = 1e6, .damping = 1e3});
        run(simulation, 0.1);
        EXPECT_EQ(simulation.state().pose[body], start.pose[body]);
    }
}

TEST(Pull, LeavesNoTraceOnceReleased) {
    Model model;
    add_ground(model);
    const int box = add_box(model, "box", {0.1, 0.2, 0.3}, {0.0, 0.0, 0.5}, turn({0.6, 0.0, 0.8}, 0.4));
    Simulation alone(model, settings(1.0 / 240.0));
    Simulation held(model, settings(1.0 / 240.0));
    const Checkpoint start = held.checkpoint();
    held.pull({.body = box, .target_w = {0.0, 0.0, 2.0}, .stiffness = 1e4, .damping = 100.0});
    run(held, 0.5);
    held.restore(start);
    held.release();
    run(held, 1.0);
    run(alone, 1.0);
    EXPECT_TRUE(held.checkpoint() == alone.checkpoint());
}

TEST(Pull, RefusesWhatCannotBe) {
    Model model;
    const int ball = add_ball(model, "ball", 0.1, {});
    Simulation simulation(model, settings(1.0 / 240.0));
    EXPECT_THROW(simulation.pull({.body = -1}), InputError);
    EXPECT_THROW(simulation.pull({.body = 7}), InputError);
    EXPECT_THROW(simulation.pull({.body = ball, .stiffness = -1.0}), InputError);
    EXPECT_THROW(simulation.pull({.body = ball, .max_force = -1.0}), InputError);
    EXPECT_THROW(simulation.pull({.body = ball, .damping = infinity}), InputError);
    EXPECT_THROW(simulation.pull({.body = ball, .target_w = {std::nan(""), 0.0, 0.0}}), InputError);
}

}  // namespace
}  // namespace uptack::test

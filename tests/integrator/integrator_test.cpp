#include "uptack/integrator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "spin.h"

namespace uptack {
namespace {

/// One step without constraints.
void step_freely(const Model& model, const StepSettings& settings, State& state) {
    FreeMotion motion;
    free_motion(model, state, settings, motion);
    std::vector<Vec6> velocity;
    for (const Body& body : motion.body) velocity.push_back(body.free_velocity);
    advance(model, settings, motion, velocity, state);
}

BodyDefinition ball(const Vec3& velocity = {}) {
    return {.name = "ball", .velocity = velocity, .shapes = {{.geometry = Sphere{0.1}}}};
}

/// Principal moments 1, 2, 2.5 kg m^2: the second axis is the unstable one.
BodyDefinition wing_nut(const Vec3& spin) {
    return {.name = "wing nut",
            .angular_velocity = spin,
            .mass = MassProperties{.mass = 1.0, .inertia = {1.0, 2.0, 2.5, 0.0, 0.0, 0.0}}};
}

double angle_between(const Quaternion& p, const Quaternion& q) {
    return length(logarithm(conjugate(p) * q));
}

TEST(Integrator, LeapfrogFallsOnTheExactParabola) {
    Model model;
    add_body(model, ball({1.0, 0.0, 3.0}));
    State state = initial_state(model);
    for (int i = 0; i < 100; ++i) step_freely(model, {.step_s = i < 50 ? 0.01 : 0.02}, state);
    const double t = state.time;
    EXPECT_NEAR(t, 1.5, 1e-14);
    EXPECT_NEAR(state.pose[0].position[0], t, 1e-14);
    EXPECT_NEAR(state.pose[0].position[2], 3.0 * t - 0.5 * 9.81 * t * t, 1e-13);
    EXPECT_NEAR(state.velocity[0][2], 3.0 - 9.81 * (t - state.velocity_lag_s), 1e-13);
}

TEST(Integrator, EulerFallsHalfAStepAhead) {
    Model model;
    add_body(model, ball());
    State state = initial_state(model);
    const int n = 100;
    const double h = 0.01;
    for (int i = 0; i < n; ++i) step_freely(model, {.step_s = h, .scheme = Scheme::euler}, state);
    EXPECT_NEAR(state.pose[0].position[2], -0.5 * 9.81 * h * h * n * (n + 1), 1e-13);
}

TEST(Integrator, EnergyOfAFlightIsConstantFromTheSecondStepOn) {
    Model model;
    add_body(model, ball({1.0, 0.0, 3.0}));
    State state = initial_state(model);
    const Energy start = energy(model, state);
    for (int i = 0; i < 100; ++i) {
        step_freely(model, {.step_s = 0.01}, state);
        const Energy now = energy(model, state);
        // The middle of a chord lies g h^2 / 8 below the parabola: a constant, second order.
        const double sag = model.bodies[0].mass.mass * 9.81 * 9.81 * 0.01 * 0.01 / 8.0;
        EXPECT_NEAR(now.kinetic_J + now.potential_J, start.kinetic_J + start.potential_J - sag * 1.0,
                    1e-10 + 2.0 * sag);
    }
}

TEST(Integrator, AFreeSpinKeepsItsMomentumToRoundingAndDoesNotGainEnergy) {
    Model model;
    model.gravity = {};
    add_body(model, wing_nut({0.01, 6.0, 0.01}));
    State state = initial_state(model);
    const Vec6 before = momentum(model, state);
    const double start = energy(model, state).kinetic_J;
    double highest = 0.0;
    double lowest = infinity;
    for (int i = 0; i < 100'000; ++i) {
        step_freely(model, {.step_s = 1.0 / 240.0}, state);
        const double now = energy(model, state).kinetic_J;
        highest = std::max(highest, now);
        lowest = std::min(lowest, now);
    }
    const Vec6 after = momentum(model, state);
    for (int k = 0; k < 6; ++k) EXPECT_NEAR(after[k], before[k], 4e-15 * 100'000 * 12.0);  // 4e-15 a step
    // |omega| h = 1/40, so the scheme's wobble is of the order of its square, 6e-4; no drift in 417 s.
    EXPECT_LT((highest - start) / start, 1e-4);
    EXPECT_LT((start - lowest) / start, 1e-4);
}

TEST(Integrator, TheWingNutTurnsOverAtJacobisPeriod) {
    // Landau and Lifshitz, section 37, I1 < I2 < I3 and L^2 > 2 E I2:  omega_2 = a sn(lambda t) with
    //     lambda^2 = (I3 - I2)(L^2 - 2 E I1) / (I1 I2 I3),   k^2 = (I2 - I1)(2 E I3 - L^2) / ((I3 - I2)(L^2 -
    //     2 E I1)).
    Model model;
    model.gravity = {};
    const Vec3 spin{0.0, 6.0, 0.1};
    add_body(model, wing_nut(spin));
    const double i1 = 1.0;
    const double i2 = 2.0;
    const double i3 = 2.5;
    const double twice_energy = i2 * 36.0 + i3 * 0.01;
    const double momentum_squared = i2 * i2 * 36.0 + i3 * i3 * 0.01;
    const double lambda = std::sqrt((i3 - i2) * (momentum_squared - twice_energy * i1) / (i1 * i2 * i3));
    const double k = std::sqrt((i2 - i1) * (twice_energy * i3 - momentum_squared) /
                               ((i3 - i2) * (momentum_squared - twice_energy * i1)));
    const double period = 4.0 * std::comp_ellint_1(k) / lambda;

    State state = initial_state(model);
    std::vector<double> crossings;  // of omega_2 through zero, half a period apart
    double last = 6.0;
    const double h = 1.0 / 1000.0;
    while (crossings.size() < 9) {
        step_freely(model, {.step_s = h}, state);
        const double now = rotate_back(state.pose[0].orientation, angular(state.velocity[0]))[1];
        if (now * last < 0.0) crossings.push_back(state.time - h * now / (now - last));
        last = now;
    }
    EXPECT_NEAR((crossings[8] - crossings[0]) / 4.0, period, 2e-4 * period);
}

TEST(Integrator, SpinIsOfSecondOrder) {
    Model model;
    model.gravity = {};
    add_body(model, wing_nut({1.0, 5.0, 2.0}));
    const auto end = [&](int steps) {
        State state = initial_state(model);
        for (int i = 0; i < steps; ++i) step_freely(model, {.step_s = 1.0 / steps}, state);
        return state.pose[0].orientation;
    };
    const Quaternion reference = end(8192);
    const double coarse = angle_between(end(64), reference);
    const double fine = angle_between(end(128), reference);
    EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.1);
    EXPECT_LT(fine, 5e-3);
}

TEST(Integrator, SolveSpinSatisfiesItsEquation) {
    const Symmetric3 inertia{1.0, 2.0, 2.5, 0.2, -0.1, 0.3};
    for (const Vec3& l : {Vec3{1.0, 2.0, 3.0}, Vec3{-40.0, 5.0, 60.0}, Vec3{1e-9, 0.0, 1e-9}}) {
        const double half = 1.0 / 480.0;
        const Vec3 u = integrator::solve_spin(inertia, l, half, {});
        const Vec3 rest = multiply(inertia, u) - rotate(exponential(-half * u), l);
        EXPECT_LE(length(rest), 1e-14 * length(l));
    }
    EXPECT_EQ(integrator::solve_spin(inertia, {}, 0.1, {1.0, 0.0, 0.0}), Vec3{});
}

TEST(Integrator, ConstraintImpulsesKeepTheMomentumTheyLeft) {
    // A blow of [0.3, -0.2, 0.5] N m s on a spinning body: L must change by exactly that.
    Model model;
    model.gravity = {};
    add_body(model, wing_nut({1.0, 5.0, 2.0}));
    State state = initial_state(model);
    const StepSettings settings{.step_s = 0.01};
    step_freely(model, settings, state);
    const Vec6 before = momentum(model, state);
    FreeMotion motion;
    free_motion(model, state, settings, motion);
    const Vec3 blow{0.3, -0.2, 0.5};
    const Vec6 change = apply_inverse_mass(motion.body[0], join({}, blow));
    std::vector<Vec6> velocity{motion.body[0].free_velocity};
    for (int k = 0; k < 6; ++k) velocity[0][k] += change[k];
    advance(model, settings, motion, velocity, state);
    const Vec6 after = momentum(model, state);
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(after[3 + k] - before[3 + k], blow[k], 1e-13);
}

TEST(Integrator, KinematicBodiesAreWhereTheirMotionSays) {
    Model model;
    add_body(model,
             {.name = "tray",
              .kind = BodyKind::kinematic,
              .pose = {.position = {1.0, 0.0, 0.0}},
              .shapes = {{.geometry = Box{}}},
              .motion = {.offset = {"0.1*sin(10*t)", 0.0, "t"}, .axis = {0.0, 0.0, 2.0}, .angle = "3*t"}});
    State state = initial_state(model);
    const StepSettings settings{.step_s = 0.01};
    for (int i = 0; i < 50; ++i) step_freely(model, settings, state);
    const double t = 0.5;
    EXPECT_NEAR(state.pose[0].position[0], 0.1 * std::sin(10 * t) + std::cos(3.0 * t), 1e-12);
    EXPECT_NEAR(state.pose[0].position[1], std::sin(3.0 * t), 1e-12);
    EXPECT_NEAR(state.pose[0].position[2], t, 1e-12);
    EXPECT_NEAR(angle_between(state.pose[0].orientation, turn({0.0, 0.0, 1.0}, 1.5)), 0.0, 1e-12);
    EXPECT_NEAR(state.velocity[0][5], 3.0, 1e-11);
    EXPECT_NEAR(state.velocity[0][2], 1.0, 1e-12);
}

TEST(Integrator, AForceOffCentreTurnsTheBodyAndFollowsItsFrame) {
    Model model;
    model.gravity = {};
    const int body = add_body(model, ball());
    const double inertia = model.bodies[body].mass.inertia[0];
    const double mass = model.bodies[body].mass.mass;
    add_force(model, {.name = "push",
                      .body = body,
                      .point_b = {0.1, 0.0, 0.0},
                      .frame = ForceFrame::body,
                      .force = {0.0, "2+t", 0.0},
                      .torque = {0.5, 0.0, 0.0}});
    State state = initial_state(model);
    state.pose[0].orientation = turn({0.0, 0.0, 1.0}, 0.5 * std::numbers::pi);  // body y is world -x
    FreeMotion motion;
    free_motion(model, state, {.step_s = 0.02}, motion);
    EXPECT_DOUBLE_EQ(motion.kick_s, 0.01);
    EXPECT_NEAR(motion.body[0].free_velocity[0], -2.0 * 0.01 / mass, 1e-15);
    EXPECT_NEAR(motion.body[0].free_velocity[1], 0.0, 1e-15);
    EXPECT_NEAR(motion.body[0].free_velocity[4], 0.5 * 0.01 / inertia, 1e-14);
    EXPECT_NEAR(motion.body[0].free_velocity[5], 0.2 * 0.01 / inertia, 1e-14);
}

TEST(Integrator, DampingDecaysExactly) {
    Model model;
    model.gravity = {};
    BodyDefinition definition = ball({2.0, 0.0, 0.0});
    definition.angular_velocity = {0.0, 3.0, 0.0};
    definition.linear_damping = 4.0;
    definition.angular_damping = 2.0;
    add_body(model, definition);
    State state = initial_state(model);
    for (int i = 0; i < 10; ++i) step_freely(model, {.step_s = 0.1}, state);
    EXPECT_NEAR(state.velocity[0][0], 2.0 * std::exp(-4.0 * 0.95), 1e-14);
    EXPECT_NEAR(state.velocity[0][4], 3.0 * std::exp(-2.0 * 0.95), 1e-14);
}

TEST(Integrator, SleepingBodiesStayWhereTheyAre) {
    Model model;
    add_body(model, ball({1.0, 0.0, 0.0}));
    State state = initial_state(model);
    state.still_s[0] = infinity;
    state.velocity[0] = {};
    FreeMotion motion;
    free_motion(model, state, {}, motion);
    EXPECT_EQ(motion.body[0].inverse_mass, 0.0);
    step_freely(model, {}, state);
    EXPECT_EQ(state.pose[0], model.bodies[0].initial_pose);
}

}  // namespace
}  // namespace uptack

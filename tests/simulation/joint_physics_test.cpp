// Mechanisms, against closed forms.

#include <gtest/gtest.h>

#include "worlds.h"

namespace uptack::test {
namespace {

/// A point-like bob of 1 kg on a rod of 1 m, hinged at the origin about y, released at `amplitude` from
/// below.
Model pendulum(double amplitude) {
    Model model;
    const int bob = add_point(model, "bob", {std::sin(amplitude), 0.0, -std::cos(amplitude)}, 1.0, 1e-3);
    add_joint(model, {.name = "hinge", .body_b = bob, .frame = frame({}, {0.0, 1.0, 0.0})});
    return model;
}

/// Time of the n-th passage through the bottom, interpolated.
double passage(Simulation& simulation, int n) {
    double last = simulation.state().pose[0].position[0];
    for (int seen = 0;;) {
        const double before = simulation.state().time;
        simulation.step();
        const double now = simulation.state().pose[0].position[0];
        if (now * last <= 0.0 && ++seen == n)
            return before + (simulation.state().time - before) * last / (last - now);
        last = now;
    }
}

TEST(Pendulum, HasItsPeriodAtLargeAmplitudes) {
    for (double amplitude : {0.1, 0.5 * pi, 0.95 * pi}) {
        Simulation simulation(pendulum(amplitude), settings(1.0 / 1000.0, 1e-12));
        const double inertia = 1.0 + 1e-3;
        const double exact = 4.0 * std::sqrt(inertia / g) * std::comp_ellint_1(std::sin(0.5 * amplitude));
        const double first = passage(simulation, 1);
        const double third = passage(simulation, 2);
        EXPECT_NEAR((third - first) / exact, 1.0, 2e-5) << "amplitude " << amplitude;
    }
}

TEST(Pendulum, IsOfSecondOrder) {
    const auto end = [](int steps) {
        Simulation simulation(pendulum(2.0), settings(1.0 / steps, 1e-13));
        for (int i = 0; i < steps; ++i) simulation.step();
        return simulation.state().pose[0].position;
    };
    const Vec3 reference = end(6400);
    const double coarse = length(end(100) - reference);
    const double fine = length(end(200) - reference);
    EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.25);
}

TEST(Pendulum, ReactionIsWeightPlusCentripetalForceAtTheBottom) {
    Simulation simulation(pendulum(0.5 * pi), settings(1.0 / 4000.0, 1e-12));
    passage(simulation, 1);
    // m g + m v^2 / L with v^2 = 2 g L m / (m L^2 + I) L^2
    const double v2 = 2.0 * g / 1.001;
    EXPECT_NEAR(simulation.joint_reaction("hinge").force_w[2], g + v2, 0.02);
}

Model double_pendulum() {
    Model model;
    const int upper = add_point(model, "upper", {1.0, 0.0, 0.0}, 1.0, 0.05);
    const int lower = add_point(model, "lower", {1.0, 0.0, 1.0}, 0.7, 0.05);
    add_joint(model, {.name = "shoulder", .body_b = upper, .frame = frame({}, {0.0, 1.0, 0.0})});
    add_joint(model, {.name = "elbow",
                      .body_a = upper,
                      .body_b = lower,
                      .frame = frame({1.0, 0.0, 0.0}, {0.0, 1.0, 0.0})});
    return model;
}

TEST(DoublePendulum, EnergyErrorIsOfSecondOrderAndDriftStaysSmall) {
    const auto error = [](int steps_per_second) {
        Simulation simulation(double_pendulum(), settings(1.0 / steps_per_second, 1e-12));
        const Energy start = energy(simulation.model(), simulation.state());
        double worst = 0.0;
        for (int i = 0; i < 2 * steps_per_second; ++i) {
            worst = std::max(worst,
                             std::abs(total_energy(simulation.step()) - start.kinetic_J - start.potential_J));
        }
        return worst;
    };
    const double coarse = error(500);
    const double fine = error(1000);
    EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.35);
    EXPECT_LT(fine, 0.01);
}

TEST(DoublePendulum, JointDriftIsOfSecondOrderAndDoesNotGrow) {
    SimulationSettings s = settings(1.0 / 1000.0, 1e-12);
    Simulation simulation(double_pendulum(), s);
    double early = 0.0;
    double late = 0.0;
    for (int i = 0; i < 10'000; ++i) {
        const double drift = simulation.step().max_joint_drift;
        (i < 2000 ? early : late) = std::max(i < 2000 ? early : late, drift);
    }
    EXPECT_LT(late, 4.0 * early);
    EXPECT_LT(late, 1e-4);
}

/// 100 links of 0.1 kg and 0.1 m, a load of 100 kg: taut, the links swing at sqrt(T l / I) = 2000 rad/s.
TEST(HeavyChain, HoldsAtAStepFarAboveItsFastestSwing) {
    Model model;
    int last = no_body;
    const Quaternion along_x = turn({0.0, 1.0, 0.0}, 0.5 * pi);
    for (int i = 0; i <= 100; ++i) {
        const bool load = i == 100;
        const Symmetric3 link_inertia{6e-5, 6e-5, 2e-5, 0.0, 0.0, 0.0};
        const int link =
            add_body(model, {.name = "link " + std::to_string(i),
                             .pose = {{load ? 10.25 : 0.1 * i + 0.05, 0.0, 0.0}, along_x},
                             .mass = MassProperties{
                                 .mass = load ? 100.0 : 0.1,
                                 .inertia = load ? Symmetric3{2.5, 2.5, 2.5, 0.0, 0.0, 0.0} : link_inertia}});
        add_joint(model, {.name = "pin " + std::to_string(i),
                          .kind = JointKind::spherical,
                          .body_a = last,
                          .body_b = link,
                          .frame = frame({0.1 * i, 0.0, 0.0}, {0.0, 0.0, 1.0})});
        last = link;
    }
    Simulation simulation(model, settings(1.0 / 240.0, 1e-6));
    const double fall = 100.0 * g * 10.25;  // what the load can gain: the scale of the energies
    for (int i = 0; i < 4 * 240; ++i) {
        const StepReport report = simulation.step();
        ASSERT_LT(std::abs(total_energy(report)), 1e-3 * fall) << "step " << i;
        ASSERT_LT(report.max_joint_drift, 1e-4) << "step " << i;
    }
}

/// Crank 0.2, rod 0.5, slider along x; the crank is driven at 2 pi rad/s by a position motor.
TEST(SliderCrank, FollowsItsKinematics) {
    Model model;
    model.gravity = {0.0, 0.0, 0.0};
    const double r = 0.2;
    const double l = 0.5;
    const int crank = add_point(model, "crank", {0.5 * r, 0.0, 0.0}, 1.0, 0.01);
    const int rod = add_point(model, "rod", {r + 0.5 * l, 0.0, 0.0}, 1.0, 0.02);
    const int slider = add_point(model, "slider", {r + l, 0.0, 0.0}, 2.0, 0.01);
    const Vec3 z{0.0, 0.0, 1.0};
    add_joint(model, {.name = "drive",
                      .body_b = crank,
                      .frame = frame({}, z),
                      .axes = {{.motor = MotorKind::position, .target = "2*pi*t"}}});
    add_joint(model, {.name = "pin", .body_a = crank, .body_b = rod, .frame = frame({r, 0.0, 0.0}, z)});
    add_joint(model,
              {.name = "wrist", .body_a = rod, .body_b = slider, .frame = frame({r + l, 0.0, 0.0}, z)});
    add_joint(model, {.name = "guide",
                      .kind = JointKind::prismatic,
                      .body_b = slider,
                      .frame = frame({r + l, 0.0, 0.0}, {1.0, 0.0, 0.0})});
    Simulation simulation(model, settings(1.0 / 1000.0, 1e-12));
    double worst = 0.0;
    for (int i = 0; i < 3000; ++i) {
        simulation.step();
        const double a = 2.0 * pi * simulation.state().time;
        const double x = r * std::cos(a) + std::sqrt(l * l - r * r * std::sin(a) * std::sin(a));
        worst = std::max(worst, std::abs(simulation.state().pose[slider].position[0] - x));
    }
    EXPECT_LT(worst, 2e-5);  // O(h^2): 1/2 h^2 w^2 r = 4e-6 and its like in three joints
    EXPECT_NEAR(simulation.joint_readings("drive")[0].value, 6.0 * pi, 1e-4);
}

/// Grashof four-bar: ground 4, crank 1, coupler 3, rocker 3 (times 0.1 m).
TEST(FourBar, FollowsItsKinematics) {
    Model model;
    model.gravity = {0.0, 0.0, 0.0};
    const Vec3 z{0.0, 0.0, 1.0};
    const double d = 0.4;
    const double r = 0.1;
    const double l = 0.3;
    const double c = 0.3;
    // Crank along +x at the start; the coupler's end where the two circles meet, above.
    const double base = d - r;
    const double along = (l * l - c * c + base * base) / (2.0 * base);
    const Vec3 a{r, 0.0, 0.0};
    const Vec3 b{r + along, std::sqrt(l * l - along * along), 0.0};
    const Vec3 ground{d, 0.0, 0.0};
    const int crank = add_point(model, "crank", 0.5 * a, 1.0, 0.01);
    const int coupler = add_point(model, "coupler", 0.5 * (a + b), 1.0, 0.01);
    const int rocker = add_point(model, "rocker", 0.5 * (b + ground), 1.0, 0.01);
    add_joint(model, {.name = "drive",
                      .body_b = crank,
                      .frame = frame({}, z),
                      .axes = {{.motor = MotorKind::position, .target = "pi*t"}}});
    add_joint(model, {.name = "a", .body_a = crank, .body_b = coupler, .frame = frame(a, z)});
    add_joint(model, {.name = "b", .body_a = coupler, .body_b = rocker, .frame = frame(b, z)});
    add_joint(model, {.name = "rest", .body_b = rocker, .frame = frame(ground, z)});
    Simulation simulation(model, settings(1.0 / 1000.0, 1e-12));
    double worst = 0.0;
    for (int i = 0; i < 4000; ++i) {
        simulation.step();
        const double t = simulation.state().time;
        const Vec3 tip{r * std::cos(pi * t), r * std::sin(pi * t), 0.0};
        const Vec3 line = ground - tip;
        const double span = length(line);
        const double x = (l * l - c * c + span * span) / (2.0 * span);
        const Vec3 end = tip + (x / span) * line + (std::sqrt(l * l - x * x) / span) * cross(z, line);
        const Vec3 half = 0.5 * (end + ground);
        worst = std::max(worst, length(simulation.state().pose[rocker].position - half));
    }
    EXPECT_LT(worst, 2e-5);
}

TEST(Top, PrecessesSteadily) {
    // A symmetric top on its tip, theta = 1 rad: steady precession W solves
    //     I1 W^2 cos(theta) - I3 s W + m g l = 0,   s the spin about its axis.
    Model model;
    const double theta = 1.0;
    const double l = 0.1;
    const double mass = 1.0;
    const double i3 = 0.002;
    const double around_centre = 0.0015;
    const double i1 = around_centre + mass * l * l;
    const double w = 2.0;
    const double s = (i1 * w * w * std::cos(theta) + mass * g * l) / (i3 * w);
    const Vec3 axis{std::sin(theta), 0.0, std::cos(theta)};
    // omega = W z + (s - W cos theta) axis, so that its part along the axis is s.
    const Vec3 omega = Vec3{0.0, 0.0, w} + (s - w * std::cos(theta)) * axis;
    const int top = add_body(
        model,
        {.name = "top",
         .pose = {l * axis, turn_between({0.0, 0.0, 1.0}, axis)},
         .velocity = cross(omega, l * axis),
         .angular_velocity = omega,
         .mass = MassProperties{.mass = mass, .inertia = {around_centre, around_centre, i3, 0.0, 0.0, 0.0}}});
    add_joint(
        model,
        {.name = "tip", .kind = JointKind::spherical, .body_b = top, .frame = frame({}, {0.0, 0.0, 1.0})});
    Simulation simulation(model, settings(1.0 / 4000.0, 1e-12));
    double nutation = 0.0;
    for (int i = 0; i < 4000; ++i) {
        simulation.step();
        nutation =
            std::max(nutation, std::abs(simulation.state().pose[top].position[2] / l - std::cos(theta)));
    }
    const Vec3 x = simulation.state().pose[top].position;
    EXPECT_LT(nutation, 2e-3);
    EXPECT_NEAR(std::atan2(x[1], x[0]), w * 1.0, 5e-3);
}

TEST(Spring, OscillatesAtItsFrequencyWithoutLosingEnergy) {
    Model model;
    model.gravity = {};
    const int mass = add_point(model, "mass", {0.5, 0.0, 0.0}, 2.0, 1.0);
    add_joint(model, {.name = "spring",
                      .kind = JointKind::prismatic,
                      .body_b = mass,
                      .frame = frame({}, {1.0, 0.0, 0.0}),
                      .frame_b = frame({0.5, 0.0, 0.0}, {1.0, 0.0, 0.0}),
                      .axes = {{.coordinate = Coordinate::z, .stiffness = 200.0, .rest = 0.3}}});
    Simulation simulation(model, settings(1.0 / 1000.0, 1e-13));
    const double w = 10.0;
    StepReport report;
    for (int i = 0; i < 10'000; ++i) report = simulation.step();
    const double t = simulation.state().time;
    EXPECT_NEAR(simulation.state().pose[mass].position[0], 0.3 + 0.2 * std::cos(w * t), 2e-4);
    EXPECT_NEAR(total_energy(report), 0.5 * 200.0 * 0.04, 1e-3);
}

TEST(Spring, IsStableHoweverStiff) {
    Model model;
    const int mass = add_point(model, "mass", {0.0, 0.0, 0.0}, 1.0, 1.0);
    add_joint(model, {.name = "spring",
                      .kind = JointKind::prismatic,
                      .body_b = mass,
                      .frame = frame({}, {0.0, 0.0, 1.0}),
                      .axes = {{.coordinate = Coordinate::z, .stiffness = 1e9, .damping = 1e3}}});
    Simulation simulation(model, settings(1.0 / 60.0, 1e-12));
    run(simulation, 10.0);
    EXPECT_NEAR(simulation.state().pose[mass].position[2], -g / 1e9, 1e-4);
}

TEST(Joints, ReactionOfAHangingBodyIsItsWeight) {
    for (Stabilisation kind : {Stabilisation::recovery, Stabilisation::spook}) {
        Model model;
        const int body = add_point(model, "body", {0.5, 0.0, 0.0}, 3.0, 0.2);
        add_joint(
            model,
            {.name = "weld", .kind = JointKind::fixed, .body_b = body, .frame = frame({}, {1.0, 0.0, 0.0})});
        SimulationSettings s = settings(1.0 / 240.0, 1e-12);
        s.stepping.stabilisation = kind;
        Simulation simulation(model, s);
        run(simulation, 2.0);
        const JointReaction r = simulation.joint_reaction("weld");
        EXPECT_NEAR(r.force_w[2], 3.0 * g, 1e-6);
        EXPECT_NEAR(r.force_w[0], 0.0, 1e-6);
        // About the joint's frame on b, at the wall: the weight hangs 0.5 m away, the wall turns it up.
        EXPECT_NEAR(r.torque_w[1], -0.5 * 3.0 * g, 1e-6);
        EXPECT_NEAR(dot(r.force_j, r.force_j), dot(r.force_w, r.force_w), 1e-6);
    }
}

}  // namespace
}  // namespace uptack::test

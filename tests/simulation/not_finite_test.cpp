// Steps whose numbers are not finite: undone, the first cause named, and on request gone on from without it.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "worlds.h"

namespace uptack::test {
namespace {

constexpr double h = 1.0 / 100.0;

/// A ball that falls on the ground from far above, to have something that goes on.
int add_witness(Model& model) {
    return add_ball(model, "witness", 0.1, {5.0, 0.0, 3.0});
}

SimulationSettings freezing() {
    SimulationSettings s = settings(h, 1e-6);
    s.on_not_finite = OnNotFinite::freeze;
    return s;
}

/// The report of the first step that is not finite, within a second.
StepReport first_failure(Simulation& simulation) {
    for (int i = 0; i < 100; ++i) {
        const State before = simulation.state();
        const Checkpoint kept = simulation.checkpoint();
        const StepReport report = simulation.step();
        if (report.status != Status::not_finite) continue;
        EXPECT_EQ(simulation.state(), before);
        EXPECT_EQ(simulation.checkpoint(), kept) << "the step must be undone as a whole";
        EXPECT_FALSE(report.tolerance_met);
        EXPECT_EQ(report.step, before.step + 1);
        return report;
    }
    ADD_FAILURE() << "every step was finite";
    return {};
}

void expect_words(const std::string& text, std::initializer_list<const char*> words) {
    for (const char* word : words) EXPECT_NE(text.find(word), std::string::npos) << word << " in: " << text;
}

bool is_finite(const State& state) {
    for (std::size_t i = 0; i < state.pose.size(); ++i) {
        double sum = state.pose[i].orientation.w;
        for (const double x : state.pose[i].position) sum += x;
        for (const double v : state.velocity[i]) sum += v;
        if (!std::isfinite(sum)) return false;
    }
    return true;
}

/// Freezes exactly `frozen`, keeps it to the bit where it was, lets the witness fall on, and a restart from a
/// checkpoint gives the same bits.
void expect_freezing_goes_on(const Model& model, const std::vector<std::string>& frozen,
                             const std::string& cause) {
    Simulation simulation(model, freezing());
    StepReport report;
    Checkpoint middle;
    State at;
    std::string froze;
    for (int i = 0; i < 100; ++i) {
        const State before = simulation.state();
        report = simulation.step();
        ASSERT_NE(report.status, Status::not_finite) << report.reason;
        if (!report.froze.empty()) {
            froze += report.froze;
            at = before;
        }
        if (i == 60) middle = simulation.checkpoint();
    }
    expect_words(froze, {cause.c_str()});
    EXPECT_EQ(report.frozen, static_cast<int>(frozen.size()));
    EXPECT_EQ(report.sleeping, 0);
    EXPECT_TRUE(is_finite(simulation.state()));
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
        const std::string& name = model.bodies[i].name;
        const bool wanted = std::find(frozen.begin(), frozen.end(), name) != frozen.end();
        EXPECT_EQ(is_frozen(simulation.state(), i), wanted) << name;
        if (!wanted) continue;
        EXPECT_EQ(simulation.state().pose[i], at.pose[i]) << name;
        EXPECT_EQ(simulation.state().velocity[i], Vec6{}) << name;
        EXPECT_EQ(simulation.state().frozen_at[i], at.time) << name;
        expect_words(froze, {name.c_str()});
    }
    EXPECT_LT(simulation.origin("witness").position[2], 0.101) << "the others go on";

    Simulation resumed(model, freezing());
    resumed.restore(middle);
    while (resumed.state().step < simulation.state().step) resumed.step();
    EXPECT_EQ(resumed.checkpoint(), simulation.checkpoint());
}

TEST(NotFinite, AForceThatBecomesNanIsNamed) {
    Model model;
    add_ground(model);
    add_witness(model);
    const int ball = add_ball(model, "ball", 0.1, {0.0, 0.0, 0.1});
    add_force(model, {.name = "wind", .body = ball, .force = {0.0, "sqrt(0.205 - t)", 0.0}});
    Simulation simulation(model, settings(h, 1e-6));
    const StepReport report = first_failure(simulation);
    EXPECT_NEAR(simulation.state().time, 0.21, 1e-12);
    expect_words(report.reason, {"force 'wind'", "body 'ball'", "force along y", "nan", "t = 0.21 s"});
    expect_freezing_goes_on(model, {"ball"}, "force 'wind'");
}

TEST(NotFinite, ATorqueThatOverflowsIsNamed) {
    Model model;
    add_ground(model);
    add_witness(model);
    const int box = add_box(model, "box", {0.1, 0.2, 0.3}, {0.0, 0.0, 0.3});
    add_force(model, {.name = "drill",
                      .body = box,
                      .frame = ForceFrame::body,
                      .torque = {0.0, 0.0, "t < 0.2 ? 0 : exp(1e5 * t)"}});
    Simulation simulation(model, settings(h, 1e-6));
    expect_words(first_failure(simulation).reason, {"force 'drill'", "body 'box'", "torque along z", "inf"});
    expect_freezing_goes_on(model, {"box"}, "force 'drill'");
}

TEST(NotFinite, AMotorIsNamedWithItsJoint) {
    for (const MotorKind kind : {MotorKind::position, MotorKind::velocity, MotorKind::force}) {
        Model model;
        add_ground(model);
        add_witness(model);
        const int arm = add_point(model, "arm", {0.5, 0.0, 2.0}, 1.0, 0.01);
        const int hand = add_point(model, "hand", {1.0, 0.0, 2.0}, 1.0, 0.01);
        add_joint(model, {.name = "shoulder",
                          .kind = JointKind::revolute,
                          .body_b = arm,
                          .frame = frame({0.0, 0.0, 2.0}, {0.0, 1.0, 0.0})});
        add_joint(model, {.name = "elbow",
                          .kind = JointKind::revolute,
                          .body_a = arm,
                          .body_b = hand,
                          .frame = frame({0.75, 0.0, 2.0}, {0.0, 1.0, 0.0}),
                          .axes = {{.motor = kind, .target = "log(0.3 - t)", .max_force = 50.0}}});
        Simulation simulation(model, settings(h, 1e-6));
        const StepReport report = first_failure(simulation);
        EXPECT_NEAR(simulation.state().time, 0.3, 0.011);
        expect_words(report.reason, {"motor of joint 'elbow' (angle)", "its target is"});
        expect_freezing_goes_on(model, {"arm", "hand"}, "motor of joint 'elbow'");
    }
}

TEST(NotFinite, AKinematicMotionIsNamed) {
    for (const bool turns : {false, true}) {
        Model model;
        add_ground(model);
        add_witness(model);
        BodyDefinition lift{
            .name = "lift", .kind = BodyKind::kinematic, .pose = {.position = {0.0, 0.0, 0.2}}};
        lift.shapes = {{.geometry = Box{{0.3, 0.3, 0.1}}}};
        (turns ? lift.motion.angle : lift.motion.offset[2]) = "t + sqrt(0.2 - t)";
        add_body(model, lift);
        add_ball(model, "rider", 0.1, {0.0, 0.0, 0.85});
        Simulation simulation(model, settings(h, 1e-6));
        expect_words(first_failure(simulation).reason,
                     {"motion of body 'lift'", turns ? "its angle is" : "offset along z", "nan"});
        expect_freezing_goes_on(model, {"lift"}, "motion of body 'lift'");
    }
}

TEST(NotFinite, HugeVelocitiesAreNamed) {
    for (const double speed : {1e155, 1e200, 1e300, 1.7e308}) {
        Model model;
        add_ground(model);
        add_witness(model);
        add_ball(model, "bullet", 0.1, {0.0, 0.0, 0.3}, {0.0, 0.0, -speed});
        Simulation simulation(model, settings(h, 1e-6));
        expect_words(first_failure(simulation).reason, {"bullet"});
        expect_freezing_goes_on(model, {"bullet"}, "bullet");
    }
}

TEST(NotFinite, AFreeBodyThatLeavesTheNumbersIsNamed) {
    Model model;
    add_ground(model);
    add_witness(model);
    const int probe = add_point(model, "probe", {100.0, 0.0, 1.0}, 1e-3, 1e-5);
    add_force(model, {.name = "thrust", .body = probe, .force = {0.0, 0.0, "t < 0.3 ? 0 : 1.7e308"}});
    Simulation simulation(model, settings(h, 1e-6));
    expect_words(first_failure(simulation).reason, {"body 'probe'", "under its load"});
    expect_freezing_goes_on(model, {"probe"}, "probe");
}

TEST(NotFinite, AnEnergyThatOverflowsIsNotAStep) {
    Model model;
    add_ground(model);
    add_witness(model);
    const int probe = add_point(model, "probe", {100.0, 0.0, 1.0}, 1.0, 0.01);
    add_force(model, {.name = "thrust", .body = probe, .force = {"t < 0.3 ? 0 : 1e160", 0.0, 0.0}});
    Simulation simulation(model, settings(h, 1e-6));
    const StepReport report = first_failure(simulation);
    EXPECT_TRUE(std::isfinite(report.kinetic_J) && std::isfinite(report.potential_J));
    expect_words(report.reason, {"body 'probe'", "too fast", "its energy"});
    expect_freezing_goes_on(model, {"probe"}, "probe");
}

TEST(NotFinite, AFrozenBodyCarriesOthersAndNothingWakesIt) {
    Model model;
    add_ground(model);
    const int table = add_box(model, "table", {0.5, 0.5, 0.05}, {0.0, 0.0, 1.0});
    add_ball(model, "witness", 0.1, {0.0, 0.0, 1.5});
    add_force(model, {.name = "fault", .body = table, .force = {0.0, 0.0, "t > 0 ? 1/(t - t) : 0"}});
    SimulationSettings s = freezing();
    s.sleep.enabled = true;
    s.sleep.after_s = 0.2;
    Simulation simulation(model, s);
    simulation.step();
    const Vec3 place = simulation.origin("table").position;
    expect_words(simulation.step().froze, {"table", "force 'fault'", "inf"});
    const StepReport last = run(simulation, 2.0);
    EXPECT_EQ(simulation.origin("table").position, place);
    EXPECT_NEAR(simulation.origin("witness").position[2], place[2] + 0.15, 1e-3)
        << "it lies on the frozen table";
    EXPECT_EQ(last.frozen, 1);
    EXPECT_EQ(last.sleeping, 1) << "the witness sleeps, the table is frozen";
    simulation.pull({.body = table, .target_w = {0.0, 0.0, 5.0}, .stiffness = 1e4});
    run(simulation, 0.1);
    EXPECT_EQ(simulation.origin("table").position, place);
}

TEST(NotFinite, SubstepsStopAtTheOneThatFailed) {
    Model model;
    add_ground(model);
    const int ball = add_ball(model, "ball", 0.1, {0.0, 0.0, 1.0});
    add_force(model, {.name = "wind", .body = ball, .force = {"sqrt(0.026 - t)", 0.0, 0.0}});
    SimulationSettings s = settings(h, 1e-6);
    s.substeps = 4;
    Simulation simulation(model, s);
    StepReport report;
    for (int i = 0; i < 3; ++i) report = simulation.step();
    EXPECT_EQ(report.status, Status::not_finite);
    EXPECT_EQ(simulation.state().step, 11);
    EXPECT_EQ(report.step, 12);
    EXPECT_DOUBLE_EQ(report.time, 0.03);
}

}  // namespace
}  // namespace uptack::test

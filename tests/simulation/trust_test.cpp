// Tolerances, substeps, sleep, bad settings.  same_bits_test.cpp has the rest.

#include <gtest/gtest.h>

#include <cmath>

#include "uptack/input_error.h"
#include "worlds.h"

namespace uptack::test {
namespace {

TEST(Trust, EveryStepOfACollapseMeetsItsTolerance) {
    Simulation simulation(collapse(), settings(1.0 / 120.0, 1e-4));
    for (int i = 0; i < 200; ++i) {
        const StepReport report = simulation.step();
        EXPECT_TRUE(report.tolerance_met) << "step " << report.step << ", " << report.worst << ", "
                                          << report.relative_error << ", " << report.reason;
        EXPECT_EQ(report.status, Status::converged) << report.step;
        const Certificate again = certify(simulation.step_problem().problem, simulation.solution().impulse);
        EXPECT_EQ(again.energy_error_J, report.energy_error_J);
    }
}

TEST(Trust, SubstepsEqualSmallSteps) {
    SimulationSettings coarse = settings(1.0 / 60.0, 1e-6);
    coarse.substeps = 4;
    Simulation one(collapse(), coarse);
    Simulation four(collapse(), settings(1.0 / 240.0, 1e-6));
    for (int i = 0; i < 20; ++i) {
        const StepReport report = one.step();
        EXPECT_EQ(report.step, 4 * (i + 1));
        for (int k = 0; k < 4; ++k) four.step();
    }
    EXPECT_EQ(one.checkpoint(), four.checkpoint());
}

TEST(Sleep, AStillStackFallsAsleepAndWakesWhenHit) {
    Model model;
    add_ground(model);
    for (int i = 0; i < 3; ++i) {
        add_box(model, "box " + std::to_string(i), {0.2, 0.2, 0.1}, {0.0, 0.0, 0.1 + 0.2 * i});
    }
    const int ball = add_ball(model, "shot", 0.05, {0.0, 0.0, 8.0});
    SimulationSettings s = settings(1.0 / 240.0, 1e-8);
    s.sleep.enabled = true;
    Simulation simulation(model, s);
    const StepReport before = run(simulation, 1.0);
    EXPECT_EQ(before.sleeping, 3);
    EXPECT_EQ(simulation.state().velocity[1], Vec6{});
    run(simulation, 0.5);
    EXPECT_EQ(simulation.state().still_s[3] < infinity, true);
    run(simulation, 3.0);
    EXPECT_LT(simulation.state().pose[ball].position[2], 1.0);
    EXPECT_EQ(simulation.state().pose[1].position[2] > 0.0999, true);
}

TEST(Settings, ThatCannotBeRightAreRefused) {
    Model model;
    add_ground(model);
    add_ball(model, "ball", 0.1, {0.0, 0.0, 1.0});
    const auto refuses = [&](auto change) {
        SimulationSettings s;
        change(s);
        EXPECT_THROW(Simulation(model, s), InputError);
    };
    refuses([](SimulationSettings& s) { s.stepping.step_s = 0.0; });
    refuses([](SimulationSettings& s) { s.stepping.step_s = std::nan(""); });
    refuses([](SimulationSettings& s) { s.substeps = 0; });
    refuses([](SimulationSettings& s) { s.stepping.joint_recovery = 1.5; });
    refuses([](SimulationSettings& s) { s.stepping.contact_recovery = -0.1; });
    refuses([](SimulationSettings& s) { s.stepping.envelope = -1.0; });
    refuses([](SimulationSettings& s) { s.solver.name = "magic"; });
    refuses([](SimulationSettings& s) { s.solver.stop.tolerance.value = -1.0; });
    refuses([](SimulationSettings& s) { s.solver.stop.budget_s = 0.0; });
    Simulation simulation(model);
    EXPECT_THROW(simulation.restore({}), InputError);
    EXPECT_THROW(simulation.joint_reaction("none"), InputError);
    EXPECT_THROW(simulation.origin("none"), InputError);
}

}  // namespace
}  // namespace uptack::test

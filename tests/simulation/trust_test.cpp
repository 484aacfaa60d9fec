// Same bits whoever was added first, however many threads, and after a restart; sleep; bad settings.

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "uptack/input_error.h"
#include "worlds.h"

namespace uptack::test {
namespace {

/// A heap of boxes and balls that collapses, with a chain hanging into it.
Model collapse(const std::vector<int>& order) {
    Model model;
    std::vector<int> links(4, -1);
    for (int i : order) {
        const std::string name = "body " + std::to_string(i);
        const Vec3 place{0.13 * (i % 3), 0.11 * ((i / 3) % 3), 0.2 + 0.25 * (i / 9)};
        if (i < 4) {
            links[i] = add_point(model, "link " + std::to_string(i), {0.2 * i - 0.8, 0.0, 1.0}, 1.0, 0.01);
        } else if (i % 2 == 0) {
            add_box(model, name, {0.1, 0.08, 0.06}, place, turn({0.0, 0.6, 0.8}, 0.3 * i));
        } else {
            add_ball(model, name, 0.09, place);
        }
    }
    add_ground(model);
    for (int i = 0; i < 4; ++i) {
        add_joint(model, {.name = "pin " + std::to_string(i),
                          .kind = JointKind::spherical,
                          .body_a = i == 0 ? no_body : links[i - 1],
                          .body_b = links[i],
                          .frame = frame({0.2 * i - 0.9, 0.0, 1.0}, {0.0, 0.0, 1.0})});
    }
    return model;
}

std::vector<int> in_order() {
    std::vector<int> order(31);
    std::iota(order.begin(), order.end(), 0);
    return order;
}

TEST(Trust, InsertionOrderDoesNotChangeABit) {
    std::vector<int> shuffled = in_order();
    std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937{5});
    Simulation first(collapse(in_order()), settings(1.0 / 120.0, 1e-5));
    Simulation second(collapse(shuffled), settings(1.0 / 120.0, 1e-5));
    for (int i = 0; i < 150; ++i) {
        first.step();
        second.step();
    }
    for (std::size_t i = 0; i < first.model().bodies.size(); ++i) {
        const int j = find_body(second.model(), first.model().bodies[i].name);
        ASSERT_GE(j, 0);
        EXPECT_EQ(first.state().pose[i], second.state().pose[j]);
        EXPECT_EQ(first.state().velocity[i], second.state().velocity[j]);
    }
}

TEST(Trust, ResumingGivesTheSameBits) {
    for (const char* solver : {"auto", "psor", "newton"}) {
        SimulationSettings s = settings(1.0 / 120.0, 1e-4);
        s.solver.name = solver;
        Simulation whole(collapse(in_order()), s);
        for (int i = 0; i < 60; ++i) whole.step();
        const Checkpoint middle = whole.checkpoint();
        Simulation resumed(collapse(in_order()), s);
        resumed.restore(middle);
        for (int i = 0; i < 60; ++i) {
            whole.step();
            resumed.step();
        }
        EXPECT_EQ(whole.checkpoint(), resumed.checkpoint()) << solver;
    }
}

TEST(Trust, ThreadsDoNotChangeABit) {
    const auto end = [](std::size_t threads) {
        const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
        Simulation simulation(collapse(in_order()), settings(1.0 / 120.0, 1e-5));
        for (int i = 0; i < 80; ++i) simulation.step();
        return simulation.checkpoint();
    };
    EXPECT_EQ(end(1), end(2));
}

TEST(Trust, EveryStepOfACollapseMeetsItsTolerance) {
    Simulation simulation(collapse(in_order()), settings(1.0 / 120.0, 1e-4));
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
    Simulation one(collapse(in_order()), coarse);
    Simulation four(collapse(in_order()), settings(1.0 / 240.0, 1e-6));
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

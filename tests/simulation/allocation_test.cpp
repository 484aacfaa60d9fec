// A steady step asks for no memory but for the words of its report.

#include <gtest/gtest.h>

#include "support/allocations.h"
#include "uptack/simulation.h"

namespace uptack::test {
namespace {

// Strings of a StepReport: solver, worst, deepest, loosest and what they are put together from.
constexpr std::int64_t words = 16;

// What a loop on several threads asks for beside it: nothing, but for the plain threads that the thread
// sanitizer can follow (src/linalg/parallel.h).  Each of the two that are started has its state allocated by
// the standard library, and a step of the pile has some ten such loops.
#ifdef UPTACK_PLAIN_THREADS
constexpr std::int64_t thread_states = 2 * 12;
#else
constexpr std::int64_t thread_states = 0;
#endif

SimulationSettings settings(const char* solver, int iterations) {
    SimulationSettings out;
    out.stepping.step_s = 1.0 / 240.0;
    out.solver.name = solver;
    out.solver.stop.max_iterations = iterations;
    return out;
}

Model floor_only() {
    Model model;
    add_body(model, {.name = "floor", .kind = BodyKind::fixed, .shapes = {{.geometry = HalfSpace{}}}});
    return model;
}

/// 1 kg and 100 kg in turn, each of them on the one below.
Model plates(int count) {
    Model model = floor_only();
    for (int i = 0; i < count; ++i) {
        BodyDefinition plate;
        plate.name = "plate " + std::to_string(i);
        plate.pose.position = {0.0, 0.0, 0.05 + 0.1 * i};
        plate.shapes = {{.geometry = Box{{0.5, 0.5, 0.05}}}};
        plate.mass =
            MassProperties{.mass = i % 2 == 0 ? 1.0 : 100.0, .inertia = {0.1, 0.1, 0.1, 0.0, 0.0, 0.0}};
        add_body(model, plate);
    }
    return model;
}

/// Columns of spheres that stand side by side and touch: large enough for batches and several threads.
Model pile(int side, int layers) {
    Model model = floor_only();
    for (int i = 0; i < side * side * layers; ++i) {
        BodyDefinition ball;
        ball.name = "ball " + std::to_string(100'000 + i);
        ball.pose.position = {0.1 * (i % side), 0.1 * (i / side % side), 0.05 + 0.1 * (i / side / side)};
        ball.shapes = {{.geometry = Sphere{0.05}}};
        add_body(model, ball);
    }
    return model;
}

std::int64_t most_in_a_step(Simulation& simulation, int warm_up, int measured) {
    for (int i = 0; i < warm_up; ++i) simulation.step();
    std::int64_t most = 0;
    for (int i = 0; i < measured; ++i) {
        const std::int64_t before = allocations;
        simulation.step();
        most = std::max(most, allocations - before);
    }
    return most;
}

TEST(SteadyStep, OfPlatesAllocatesOnlyForItsReport) {
    Simulation simulation(plates(20), settings("auto", 2000));
    EXPECT_LE(most_in_a_step(simulation, 60, 60), words);
}

TEST(SteadyStep, OfARestingPileAllocatesOnlyForItsReport) {
    Simulation simulation(pile(12, 12), settings("nncg", 20));
    EXPECT_LE(most_in_a_step(simulation, 20, 20), words + thread_states);
}

}  // namespace
}  // namespace uptack::test

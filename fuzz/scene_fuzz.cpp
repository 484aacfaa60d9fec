// Scene JSON: read or refused; what is read reads again from its own document, and its first steps are made.

#include <algorithm>
#include <cmath>

#include "support/fuzz.h"
#include "uptack/recording.h"
#include "uptack/scene.h"

namespace uptack::fuzz {
namespace {

constexpr SceneLimits limits{
    .bodies = 50, .shapes = 100, .joints = 50, .forces = 50, .repetitions = 2000, .height_samples = 400};
constexpr std::size_t max_simulated_bodies = 16;
constexpr int steps = 3;

/// Includes and mesh files are refused: no folder.
std::optional<Scene> read(const std::string& text) {
    return accepted([&] { return parse_scene(text, "fuzz", {}, {}, limits); });
}

void check_document(const Scene& scene) {
    const std::optional<Scene> again = read(scene.document);
    require(again.has_value(), "a scene's own document is refused");
    require(again->document == scene.document, "a scene's document changes when it is read again");
    require(model_json(*again) == model_json(scene), "a scene's document gives another model");
}

/// Little work, whatever the scene asks for.
SimulationSettings small(SimulationSettings settings) {
    settings.substeps = std::min(settings.substeps, 2);
    settings.solver.stop.max_iterations = std::min<std::int64_t>(settings.solver.stop.max_iterations, 50);
    return settings;
}

bool all_finite(const State& state) {
    for (std::size_t b = 0; b < state.pose.size(); ++b) {
        for (const double value : state.pose[b].position) {
            if (!std::isfinite(value)) return false;
        }
        for (const double value : state.velocity[b]) {
            if (!std::isfinite(value)) return false;
        }
    }
    return true;
}

void simulate(const Scene& scene) {
    auto simulation = accepted([&] { return Simulation(scene.model, small(scene.settings)); });
    if (!simulation) return;
    for (int k = 0; k < steps; ++k) {
        const StepReport report = simulation->step();
        require(all_finite(simulation->state()), "a state that is not finite was not undone");
        if (report.status == Status::not_finite) return;
    }
}

}  // namespace
}  // namespace uptack::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace uptack::fuzz;
    use_one_thread();
    const auto scene = read(std::string(reinterpret_cast<const char*>(data), size));
    if (!scene) return 0;
    check_document(*scene);
    if (scene->model.bodies.size() <= max_simulated_bodies) simulate(*scene);
    return 0;
}

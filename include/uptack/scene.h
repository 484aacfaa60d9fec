// A scene file, read: the model, how to simulate it, and how to look at it.
//
// Written by: scene.  Read by: apps, recording.

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "uptack/math.h"
#include "uptack/model.h"
#include "uptack/simulation.h"

namespace uptack {

struct SceneParameter {
    std::string name;
    double value = 0.0;
    std::optional<double> lower;  ///< for sliders
    std::optional<double> upper;
    std::string description;
};

struct Camera {
    Vec3 eye{3.0, -4.0, 2.5};  ///< [m]
    Vec3 target{};             ///< [m]
    double field_of_view_deg = 40.0;
};

struct Scene {
    std::string name;  ///< of the file, without folder and ending
    std::string title;
    std::string description;
    Model model;
    SimulationSettings settings;
    double duration_s = 5.0;
    double frame_s = 1.0 / 60.0;  ///< time between recorded frames
    Camera camera;
    std::vector<SceneParameter> parameters;
    std::vector<std::string> watch;  ///< joints whose reactions are worth plotting
    std::string
        document;  ///< JSON text that parse_scene() turns into the same scene: includes and mesh files put in
};

/// What a scene may make the program build, all its parts together.
struct SceneLimits {
    std::size_t bodies = 2'000'000;
    std::size_t shapes = 4'000'000;
    std::size_t joints = 2'000'000;
    std::size_t forces = 2'000'000;
    std::int64_t repetitions = 20'000'000;  ///< turns of loops
    int height_samples = 4'000'000;         ///< of one height field
};

/// That a run may make, substeps counted: nobody waits for more.
inline constexpr double most_steps = 200e6;

/// name=value pairs of parameters, as --set gives them; values are expressions.
using Overrides = std::vector<std::pair<std::string, std::string>>;

/// Throws InputError naming file, JSON pointer and remedy; LimitError for what is too large.
Scene read_scene(const std::filesystem::path& path, const Overrides& overrides = {});
/// The same from text; includes and mesh files are refused unless `folder` is given.
Scene parse_scene(const std::string& text, const std::string& name, const Overrides& overrides = {},
                  const std::filesystem::path& folder = {}, const SceneLimits& limits = {});

}  // namespace uptack

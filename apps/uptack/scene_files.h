// Scenes by path or by the name of one that came with the program.

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common.h"
#include "uptack/scene.h"
#include "uptack/simulation.h"

namespace uptack::app {

struct BundledScene {
    std::string name;
    std::filesystem::path path;
    std::string title;
    std::string description;
};

/// Those in the scenes folder, by name.
std::vector<BundledScene> bundled_scenes();

/// A file that begins like JSON, or the name of a bundled scene where there is no such file.
bool is_scene(const std::string& word);

/// Where it is; throws InputError.
std::filesystem::path scene_path(const std::string& word);

/// Reads the scene; --set's "name=value" words become overrides.  Throws InputError, UsageError.
Scene load_scene(const std::string& word, const std::vector<std::string>& settings = {});

/// What the command line may change of a scene's settings; empty: as in the scene.
struct SettingsWords {
    std::string solver;     ///< NAME[:option=value,...]
    std::string tolerance;  ///< "1e-4" relative, "1e-6J" or "1e-6 J" in joules
    std::string budget_ms;
    std::string duration;  ///< an expression, as in scenes
    std::string step;
    bool freeze = false;  ///< on_not_finite: freeze
};

/// The options for them, but for the duration, and --set for parameters.
std::vector<CLI::Option*> add_scene_settings(CLI::App& verb, SettingsWords& words,
                                             std::vector<std::string>& parameters);

/// The scene with these in its document, so that a recording says how it was made.
Scene with_settings(const Scene& scene, const SettingsWords& words);

/// "run.h5" means "run.h5.part" where only that is there: a run that goes on, or was cut off.
std::string recording_file(const std::string& word);

/// The recording's name once it is finished: without ".part".
std::filesystem::path finished_name(const std::filesystem::path& recording);

/// Throws LimitError beyond the steps that a run may have.
void check_step_number(const Scene& scene, std::int64_t step);

/// The problem of step number `step`, with names; the scene's own solver makes the steps before it.
Problem problem_of_step(const Scene& scene, std::int64_t step);

/// The problem of the simulation's last step, with names.
Problem named_problem(const Simulation& simulation);

}  // namespace uptack::app

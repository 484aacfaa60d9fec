#include "scene_files.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "uptack/assembly.h"
#include "uptack/input_error.h"

namespace uptack::app {
namespace {

namespace fs = std::filesystem;

/// The installed share folder beside the program, then the source tree it was built from.
fs::path scene_folder() {
    std::error_code ignored;
    const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
    const fs::path installed = program.parent_path().parent_path() / "share" / "uptack" / "scenes";
    return fs::is_directory(installed, ignored) ? installed : fs::path(UPTACK_SCENE_FOLDER);
}

fs::path bundled_path(const std::string& name) {
    if (name.empty() || name.find('/') != std::string::npos) return {};
    const fs::path path = scene_folder() / (name + ".json");
    std::error_code ignored;
    return fs::is_regular_file(path, ignored) ? path : fs::path();
}

/// Scenes are JSON with comments: the first thing in the file is a brace or a slash.
bool begins_like_json(const fs::path& path) {
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored)) return false;
    std::ifstream stream(path, std::ios::binary);
    char first = '\0';
    stream >> first;
    return first == '{' || first == '/';
}

/// "psor:omega=1.2,symmetric=true" -> {"name": "psor", "options": {...}}.
Json solver_json(const std::string& words) {
    const std::size_t colon = words.find(':');
    const std::string name = words.substr(0, colon);
    OptionValues options;
    Json option_json = Json::object();
    for (std::size_t begin = colon; begin != std::string::npos;) {
        const std::size_t end = words.find_first_of(":,", begin + 1);
        options.push_back(split_option(words.substr(begin + 1, end - begin - 1)));
        option_json[options.back().first] = options.back().second;
        begin = end;
    }
    solver_from_words(name, options);
    return {{"name", name}, {"options", std::move(option_json)}};
}

Json tolerance_json(std::string words) {
    const bool joules = !words.empty() && words.back() == 'J';
    if (joules) words.pop_back();
    while (!words.empty() && words.back() == ' ') words.pop_back();
    const std::string fault = check_not_negative(words);
    if (!fault.empty()) throw UsageError(fmt::format("--tolerance: {}; write 1e-4, or 1e-6J", fault));
    if (joules) return words + " J";
    return std::strtod(words.c_str(), nullptr);
}

std::string text_of(const Json& document, const char* key) {
    const auto found = document.find(key);
    return found != document.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

std::vector<BundledScene> bundled_scenes() {
    std::vector<BundledScene> scenes;
    std::error_code failure;
    for (const auto& entry : fs::directory_iterator(scene_folder(), failure)) {
        if (entry.path().extension() != ".json") continue;
        std::ifstream stream(entry.path());
        const Json document = Json::parse(stream, nullptr, false, true);
        if (!document.is_object()) continue;
        scenes.push_back({.name = entry.path().stem().string(),
                          .path = entry.path(),
                          .title = text_of(document, "title"),
                          .description = text_of(document, "description")});
    }
    std::sort(scenes.begin(), scenes.end(),
              [](const BundledScene& a, const BundledScene& b) { return a.name < b.name; });
    return scenes;
}

bool is_scene(const std::string& word) {
    std::error_code ignored;
    return fs::exists(word, ignored) ? begins_like_json(word) : !bundled_path(word).empty();
}

fs::path scene_path(const std::string& word) {
    std::error_code ignored;
    if (fs::exists(word, ignored)) return word;
    fs::path bundled = bundled_path(word);
    if (!bundled.empty()) return bundled;
    throw InputError(word,
                     "is neither a scene file nor the name of a scene; 'uptack scenes' lists the names");
}

Scene load_scene(const std::string& word, const std::vector<std::string>& settings) {
    Overrides overrides;
    for (const std::string& setting : settings) {
        const std::size_t sign = setting.find('=');
        if (sign == std::string::npos || sign == 0) {
            throw UsageError(fmt::format("'{}' is not parameter=value", setting));
        }
        overrides.emplace_back(setting.substr(0, sign), setting.substr(sign + 1));
    }
    return read_scene(scene_path(word), overrides);
}

Scene with_settings(const Scene& scene, const SettingsWords& words) {
    Json changes = Json::object();
    if (!words.solver.empty()) changes["solver"] = solver_json(words.solver);
    if (!words.tolerance.empty()) changes["tolerance"] = tolerance_json(words.tolerance);
    if (!words.budget_ms.empty()) changes["budget_ms"] = std::strtod(words.budget_ms.c_str(), nullptr);
    if (!words.duration.empty()) changes["duration"] = words.duration;
    if (!words.step.empty()) changes["step"] = words.step;
    if (words.freeze) changes["on_not_finite"] = "freeze";
    if (changes.empty()) return scene;
    Json document = Json::parse(scene.document);
    document["settings"].update(changes);
    try {
        return parse_scene(to_text(document, -1), scene.name);
    } catch (const LimitError&) {
        throw;
    } catch (const InputError& error) {
        throw UsageError(error.what());
    }
}

Problem named_problem(const Simulation& simulation) {
    StepProblem step = simulation.step_problem();
    Assembler(simulation.model()).name_blocks(step);
    return std::move(step.problem);
}

std::vector<CLI::Option*> add_scene_settings(CLI::App& verb, SettingsWords& words,
                                             std::vector<std::string>& parameters) {
    return {verb.add_option("--solver", words.solver,
                            "Solver as NAME or NAME:option=value,option=value; default: the scene's"),
            verb.add_option("--tolerance", words.tolerance,
                            "Error to reach in every step: 1e-4 relative, 1e-6J in joules"),
            verb.add_option("--budget-ms", words.budget_ms,
                            "Wall-clock limit of each step's solve in milliseconds")
                ->check(check_positive),
            verb.add_option("--step", words.step, "Time step in seconds, as 1/240"),
            verb.add_option("--set", parameters, "A parameter of the scene as name=value; may be repeated")
                ->allow_extra_args(false)};
}

std::string recording_file(const std::string& word) {
    std::error_code ignored;
    const std::string part = word + ".part";
    return !fs::exists(word, ignored) && fs::exists(part, ignored) ? part : word;
}

fs::path finished_name(const fs::path& recording) {
    return recording.extension() == ".part" ? fs::path(recording).replace_extension() : recording;
}

void check_step_number(const Scene& scene, std::int64_t step) {
    const double steps = static_cast<double>(step) * scene.settings.substeps;
    if (steps <= most_steps) return;
    throw LimitError(
        "--at-step",
        fmt::format("{:.3g} steps and substeps; the limit is {:g}, take an earlier step", steps, most_steps));
}

Problem problem_of_step(const Scene& scene, std::int64_t step) {
    Simulation simulation(scene.model, scene.settings);
    for (std::int64_t k = 0; k < step; ++k) {
        if (simulation.step().status == Status::not_finite) {
            throw InputError(scene.name, fmt::format("step {} is not finite; take an earlier one", k + 1));
        }
    }
    Problem problem = named_problem(simulation);
    problem.name = fmt::format("{} step {}", scene.name, step);
    return problem;
}

}  // namespace uptack::app

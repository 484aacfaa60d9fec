// uptack info: what a problem, a scene or a recording holds.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "problem_summary.h"
#include "run_summary.h"
#include "scene_files.h"
#include "uptack/problem_file.h"
#include "uptack/recording.h"
#include "verbs.h"

namespace uptack::app {
namespace {

/// The solvers' own threshold (src/solvers/pack.cpp).
constexpr double symmetric_up_to = 1e-11;

struct InfoArguments {
    std::string file;
    bool json = false;
};

Json range_json(const Range& range) {
    return range.empty() ? Json(nullptr) : Json::array({number(range.least), number(range.most)});
}

Json info_json(const std::string& file, const Problem& problem, const ProblemSummary& summary) {
    Json document = size_json(problem);
    document["file"] = file;
    document["file_kind"] = file_kind(file);
    document["movable_bodies"] = summary.movable_bodies;
    document["friction_models"] = {{"convex", summary.convex_cones}, {"exact", summary.exact_cones}};
    document["mass_range_kg"] = range_json(summary.mass_kg);
    document["mu_range"] = range_json(summary.mu);
    document["diagonal_range_per_kg"] = range_json(summary.diagonal_per_kg);
    document["zero_diagonal_rows"] = summary.zero_diagonal_rows;
    document["symmetric"] = summary.asymmetry <= symmetric_up_to;
    document["asymmetry"] = number(summary.asymmetry);
    document["density"] = summary.density ? number(*summary.density) : Json(nullptr);
    document["reference_energy_J"] = number(summary.reference_energy_J);
    return document;
}

std::string range_text(const Range& range, const char* unit) {
    if (range.empty()) return "-";
    if (range.least == range.most) return fmt::format("{:.4g}{}", range.least, unit);
    return fmt::format("{:.4g} to {:.4g}{}", range.least, range.most, unit);
}

void print_line(const char* label, const std::string& text) {
    print_text("{:<18} {}\n", label, text);
}

void print_info(const std::string& file, const Problem& problem, const ProblemSummary& summary) {
    print_line("file", fmt::format("{} ({})", file, file_kind(file)));
    print_line("problem", problem.name.empty() ? "(no name)" : problem.name);
    if (problem.matrix) {
        print_line("form", "assembled: A and b, the bodies eliminated");
        print_line("symmetric", summary.asymmetry <= symmetric_up_to
                                    ? "yes"
                                    : fmt::format("no, |A - A^T| is up to {:.2g} of |A|", summary.asymmetry));
    } else {
        print_line("form", "bodies: J, M^-1, v_free and b; symmetric");
        print_line("bodies",
                   fmt::format("{}, of which {} can move", problem.bodies.size(), summary.movable_bodies));
        print_line("mass", range_text(summary.mass_kg, " kg"));
    }
    print_line("rows", fmt::format("{} in {} blocks, {} of them contacts", problem.row_count(),
                                   problem.blocks.size(), count_contacts(problem)));
    for (const auto& [law, count] : count_laws(problem)) print_line("", fmt::format("{:>9} {}", count, law));
    if (!summary.mu.empty()) print_line("mu", range_text(summary.mu, ""));
    print_line("diagonal of A", range_text(summary.diagonal_per_kg, " 1/kg"));
    if (summary.zero_diagonal_rows > 0) {
        print_line(
            "",
            fmt::format("{} rows have a diagonal <= 0 (they act on nothing that moves, or A is not definite)",
                        summary.zero_diagonal_rows));
    }
    print_line("density of A",
               summary.density ? fmt::format("{:.3g} %", 100.0 * *summary.density) : "not counted");
    print_line("reference energy",
               fmt::format("{:.6g} J, the error of zero impulses", summary.reference_energy_J));
}

Json scene_json(const Scene& scene) {
    Json parameters = Json::array();
    for (const SceneParameter& parameter : scene.parameters) {
        parameters.push_back({{"name", parameter.name},
                              {"value", number(parameter.value)},
                              {"lower", parameter.lower ? number(*parameter.lower) : Json(nullptr)},
                              {"upper", parameter.upper ? number(*parameter.upper) : Json(nullptr)},
                              {"description", parameter.description}});
    }
    const Tolerance& tolerance = scene.settings.solver.stop.tolerance;
    return {{"scene", scene.name},
            {"title", scene.title},
            {"description", scene.description},
            {"bodies", scene.model.bodies.size()},
            {"shapes", scene.model.shapes.size()},
            {"joints", scene.model.joints.size()},
            {"materials", scene.model.materials.size()},
            {"step_s", number(scene.settings.stepping.step_s)},
            {"duration_s", number(scene.duration_s)},
            {"frame_s", number(scene.frame_s)},
            {"solver", scene.settings.solver.name},
            {"tolerance", number(tolerance.value)},
            {"tolerance_unit", tolerance.unit == ErrorUnit::joules ? "J" : "relative"},
            {"parameters", std::move(parameters)}};
}

void print_scene(const Scene& scene) {
    const Model& model = scene.model;
    print_line("scene", scene.title.empty() ? scene.name : fmt::format("{}: {}", scene.name, scene.title));
    if (!scene.description.empty()) print_line("", scene.description);
    print_line("model", fmt::format("{} bodies, {} shapes, {} joints", model.bodies.size(),
                                    model.shapes.size(), model.joints.size()));
    print_line("steps",
               fmt::format("of {} for {:g} s, a frame every {:.4g} s",
                           format_seconds(scene.settings.stepping.step_s), scene.duration_s, scene.frame_s));
    print_line("solver", fmt::format("{} to {}", scene.settings.solver.name,
                                     tolerance_text(scene.settings.solver.stop.tolerance)));
    for (const SceneParameter& parameter : scene.parameters) {
        print_line("parameter",
                   fmt::format("{} = {:g}  {}", parameter.name, parameter.value, parameter.description));
    }
}

ExitCode scene_info(const InfoArguments& arguments) {
    const Scene scene = load_scene(arguments.file);
    if (arguments.json) {
        Json document{{"file", arguments.file}, {"file_kind", "scene"}};
        document.update(scene_json(scene));
        print_json(document);
    } else {
        print_line("file", fmt::format("{} (scene)", arguments.file));
        print_scene(scene);
    }
    return ExitCode::ok;
}

ExitCode recording_info(const InfoArguments& arguments) {
    const Recording recording(arguments.file);
    RunSummary summary;
    for (const StepReport& report : recording.reports()) summary.add(report);
    const std::optional<Checkpoint> checkpoint = recording.last_checkpoint();
    if (arguments.json) {
        Json document{{"file", arguments.file},
                      {"file_kind", "recording"},
                      {"finished", recording.finished()},
                      {"frames", recording.frame_count()},
                      {"resumable", checkpoint.has_value()},
                      {"checkpoint_time_s", checkpoint ? number(checkpoint->state.time) : Json(nullptr)}};
        document.update(scene_json(recording.scene()));
        document.update(summary.json());
        print_json(document);
        return ExitCode::ok;
    }
    print_line("file", fmt::format("{} (recording)", arguments.file));
    print_scene(recording.scene());
    print_line("state", recording.finished() ? "finished"
                        : checkpoint ? fmt::format("cut off or stopped; can be resumed from t = {:.6g} s",
                                                   checkpoint->state.time)
                                     : "cut off before the first checkpoint");
    print_line("frames", fmt::format("{}", recording.frame_count()));
    print_text("\n");
    summary.print(recording.scene().settings);
    return ExitCode::ok;
}

ExitCode run_info(const InfoArguments& arguments) {
    if (is_scene(arguments.file)) return scene_info(arguments);
    if (is_recording(arguments.file)) return recording_info(arguments);
    const Problem problem = read_problem(arguments.file);
    const ProblemSummary summary = summarise(problem);
    if (arguments.json) {
        print_json(info_json(arguments.file, problem, summary));
    } else {
        print_info(arguments.file, problem, summary);
    }
    return ExitCode::ok;
}

}  // namespace

void add_info(CLI::App& app, Action& action) {
    auto arguments = std::make_shared<InfoArguments>();
    CLI::App* verb = app.add_subcommand("info", "Show what a problem, a scene or a recording holds");
    verb->add_option("FILE", arguments->file, "Problem, scene or recording; or the name of a scene")
        ->required();
    add_json_option(*verb, arguments->json);
    verb->footer("Example:\n  uptack info b3.h5\n  uptack info pendulum");
    verb->callback([arguments, &action] { action = [arguments] { return run_info(*arguments); }; });
}

}  // namespace uptack::app

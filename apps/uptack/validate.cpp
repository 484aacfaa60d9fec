// uptack validate: may this file be solved, run or read, and if not, why?

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "problem_summary.h"
#include "scene_files.h"
#include "uptack/input_error.h"
#include "uptack/problem_file.h"
#include "uptack/recording.h"
#include "verbs.h"

namespace uptack::app {
namespace {

struct ValidateArguments {
    std::string file;
    bool json = false;
};

void report_valid(const ValidateArguments& arguments, const Problem& problem) {
    if (arguments.json) {
        Json document{{"file", arguments.file}, {"valid", true}, {"message", nullptr}};
        document.update(size_json(problem));
        print_json(document);
    } else {
        print_text("{}: valid; {}\n", arguments.file, describe_size(problem));
    }
}

void report_valid(const ValidateArguments& arguments, const Scene& scene) {
    const Simulation simulation(scene.model, scene.settings);  // refuses what no step could be made of
    const Model& model = simulation.model();
    if (arguments.json) {
        print_json({{"file", arguments.file},
                    {"valid", true},
                    {"message", nullptr},
                    {"scene", scene.name},
                    {"bodies", model.bodies.size()},
                    {"joints", model.joints.size()}});
    } else {
        print_text("{}: valid; a scene of {} bodies and {} joints\n", arguments.file, model.bodies.size(),
                   model.joints.size());
    }
}

/// Every frame and every report is read.
void report_valid(const ValidateArguments& arguments, const Recording& recording) {
    for (int k = 0; k < recording.frame_count(); ++k) recording.frame(k);
    const std::size_t steps = recording.reports().size();
    const bool resumable = recording.last_checkpoint().has_value();
    if (arguments.json) {
        print_json({{"file", arguments.file},
                    {"valid", true},
                    {"message", nullptr},
                    {"scene", recording.scene().name},
                    {"frames", recording.frame_count()},
                    {"steps", steps},
                    {"finished", recording.finished()},
                    {"resumable", resumable}});
    } else {
        print_text("{}: valid; a recording of {} frames and {} steps{}\n", arguments.file,
                   recording.frame_count(), steps, recording.finished() ? "" : ", not finished");
    }
}

void report_valid(const ValidateArguments& arguments) {
    if (is_scene(arguments.file)) return report_valid(arguments, load_scene(arguments.file));
    if (is_recording(arguments.file)) return report_valid(arguments, Recording(arguments.file));
    report_valid(arguments, read_problem(arguments.file));
}

/// Here a bad file is a result, so with --json it is a document too.
ExitCode run_validate(const ValidateArguments& arguments) {
    try {
        report_valid(arguments);
        return ExitCode::ok;
    } catch (const InputError& error) {
        if (arguments.json) {
            print_json({{"file", arguments.file}, {"valid", false}, {"message", error.what()}});
        }
        throw;
    }
}

}  // namespace

void add_validate(CLI::App& app, Action& action) {
    auto arguments = std::make_shared<ValidateArguments>();
    CLI::App* verb = app.add_subcommand("validate", "Check that a problem, a scene or a recording is good");
    verb->add_option("FILE", arguments->file, "Problem, scene or recording; or the name of a scene")
        ->required();
    add_json_option(*verb, arguments->json);
    verb->footer("Example:\n  uptack validate Capsules.hdf5 && echo good\n  uptack validate scene.json");
    verb->callback([arguments, &action] { action = [arguments] { return run_validate(*arguments); }; });
}

}  // namespace uptack::app

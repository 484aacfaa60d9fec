// uptack export: a recording as tables or as pictures for ParaView.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "uptack/input_error.h"
#include "uptack/recording.h"
#include "verbs.h"

namespace uptack::app {
namespace {

struct ExportArguments {
    std::string file;
    std::string csv;
    std::string vtk;
    bool json = false;
};

/// All but the two files per frame that belong to STEM.pvd.
std::vector<std::string> main_files(const ExportArguments& arguments) {
    std::vector<std::string> files;
    if (!arguments.csv.empty()) {
        for (const char* ending : {"_bodies.csv", "_joints.csv", "_steps.csv"}) {
            files.push_back(arguments.csv + ending);
        }
    }
    if (!arguments.vtk.empty()) files.push_back(arguments.vtk + ".pvd");
    return files;
}

ExitCode run_export(const ExportArguments& arguments) {
    if (arguments.csv.empty() && arguments.vtk.empty()) throw UsageError("say --csv STEM or --vtk STEM");
    const Recording recording(arguments.file);
    const std::vector<std::string> files = main_files(arguments);
    check_outputs({files.begin(), files.end()}, {arguments.file});
    if (!arguments.csv.empty()) export_csv(recording, arguments.csv);
    if (!arguments.vtk.empty()) export_vtk(recording, arguments.vtk);
    if (arguments.json) {
        print_json({{"file", arguments.file},
                    {"frames", recording.frame_count()},
                    {"steps", recording.step_count()},
                    {"output", files}});
        return ExitCode::ok;
    }
    for (const std::string& file : files) print_text("{}\n", file);
    return ExitCode::ok;
}

}  // namespace

void add_export(CLI::App& app, Action& action) {
    auto arguments = std::make_shared<ExportArguments>();
    CLI::App* verb = app.add_subcommand("export", "Write a recording as CSV tables or for ParaView");
    verb->add_option("RECORDING", arguments->file, "Recording that 'uptack run -o' made")->required();
    verb->add_option("--csv", arguments->csv, "Write STEM_bodies.csv, STEM_joints.csv and STEM_steps.csv");
    verb->add_option("--vtk", arguments->vtk, "Write STEM.pvd and two VTP files per frame");
    add_json_option(*verb, arguments->json);
    verb->footer(
        "Example:\n"
        "  uptack export run.h5 --csv run\n"
        "  uptack export run.h5 --vtk run");
    verb->callback([arguments, &action] { action = [arguments] { return run_export(*arguments); }; });
}

}  // namespace uptack::app

// uptack convert: from any readable format to ours or to FCLIB.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "problem_summary.h"
#include "uptack/problem_file.h"
#include "verbs.h"

namespace uptack::app {
namespace {

struct ConvertArguments {
    std::string input;
    std::string output;
    std::string format = "uptack";
    bool json = false;
};

ExitCode run_convert(const ConvertArguments& arguments) {
    check_outputs({arguments.output}, {arguments.input});
    const Problem problem = read_problem(arguments.input);
    if (arguments.format == "fclib") {
        write_fclib_local(arguments.output, problem);
    } else {
        write_problem(arguments.output, problem);
    }
    if (arguments.json) {
        Json document{{"input", arguments.input}, {"output", arguments.output}, {"format", arguments.format}};
        document.update(size_json(problem));
        print_json(document);
    } else {
        print_text("{} ({}): {}\n", arguments.output, arguments.format, describe_size(problem));
    }
    return ExitCode::ok;
}

}  // namespace

void add_convert(CLI::App& app, Action& action) {
    auto arguments = std::make_shared<ConvertArguments>();
    CLI::App* verb = app.add_subcommand("convert", "Write a problem in another format");
    verb->add_option("IN", arguments->input, "Problem file: Uptack, FCLIB or Siconos text")->required();
    verb->add_option("OUT", arguments->output, "File to write")->required();
    verb->add_option(
            "--to", arguments->format,
            "uptack (lossless) or fclib (local form; friction cones and bilateral rows); default uptack")
        ->check(CLI::IsMember({"uptack", "fclib"}));
    add_json_option(*verb, arguments->json);
    verb->footer("Example:\n  uptack convert b3.h5 b3.hdf5 --to fclib");
    verb->callback([arguments, &action] { action = [arguments] { return run_convert(*arguments); }; });
}

}  // namespace uptack::app

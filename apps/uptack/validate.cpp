// uptack validate: may this file be solved, and if not, why?

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "problem_summary.h"
#include "uptack/input_error.h"
#include "uptack/problem_file.h"
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
        fmt::print("{}: valid; {}\n", arguments.file, describe_size(problem));
    }
}

/// Here a bad file is a result, so with --json it is a document too.
ExitCode run_validate(const ValidateArguments& arguments) {
    try {
        report_valid(arguments, read_problem(arguments.file));
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
    CLI::App* verb = app.add_subcommand("validate", "Check that a problem file may be solved");
    verb->add_option("FILE", arguments->file, "Problem file")->required();
    add_json_option(*verb, arguments->json);
    verb->footer("Example:\n  uptack validate Capsules.hdf5 && echo good");
    verb->callback([arguments, &action] { action = [arguments] { return run_validate(*arguments); }; });
}

}  // namespace uptack::app

// uptack solvers: what there is to choose from.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "verbs.h"

namespace uptack::app {
namespace {

ExitCode print_solvers_json() {
    Json solvers = Json::array();
    for (const SolverInfo& solver : list_solvers()) {
        Json options = Json::array();
        for (const OptionInfo& option : solver.options) {
            options.push_back(
                {{"name", option.name}, {"default", option.default_value}, {"help", option.help}});
        }
        solvers.push_back({{"solver", solver.name}, {"summary", solver.summary}, {"options", options}});
    }
    print_json({{"solvers", solvers}});
    return ExitCode::ok;
}

ExitCode print_solvers() {
    for (const SolverInfo& solver : list_solvers()) {
        print_text("{:<8} {}\n", solver.name, solver.summary);
        for (const OptionInfo& option : solver.options) {
            print_text("           {:<24} {}\n", fmt::format("{}={}", option.name, option.default_value),
                       option.help);
        }
    }
    return ExitCode::ok;
}

}  // namespace

void add_solvers(CLI::App& app, Action& action) {
    auto json = std::make_shared<bool>(false);
    CLI::App* verb = app.add_subcommand("solvers", "List the solvers and their options");
    add_json_option(*verb, *json);
    verb->footer("Example:\n  uptack solvers");
    verb->callback(
        [json, &action] { action = [json] { return *json ? print_solvers_json() : print_solvers(); }; });
}

}  // namespace uptack::app

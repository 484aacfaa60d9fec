// The command line: reads the words, lets one verb work, turns whatever goes wrong into one line and an exit
// code.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <new>

#include "uptack/input_error.h"
#include "verbs.h"

namespace uptack::app {
namespace {

ExitCode fail(ExitCode code, const std::string& message) {
    print_error(message);
    return code;
}

ExitCode run_guarded(const Action& action) {
    try {
        return action();
    } catch (const UsageError& error) {
        return fail(ExitCode::usage, error.what());
    } catch (const LimitError& error) {
        return fail(ExitCode::limit_exceeded, error.what());
    } catch (const InputError& error) {
        return fail(ExitCode::bad_input, error.what());
    } catch (const std::bad_alloc&) {
        return fail(ExitCode::limit_exceeded, "out of memory; take a smaller problem or a larger machine");
    } catch (const std::exception& error) {
        return fail(
            ExitCode::internal_error,
            fmt::format("internal error: {}; please report it with the command and the file", error.what()));
    }
}

/// A script must not take a cut-off document for a whole one.
ExitCode flush_output(ExitCode code) {
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    return fail(ExitCode::bad_input, "standard output cannot be written; is the disk full?");
}

/// No option means anything by an empty word: a script's variable was not set.
void refuse_empty_words(const CLI::App& app) {
    for (const CLI::App* verb : app.get_subcommands()) {
        for (const CLI::Option* option : verb->get_options()) {
            const std::vector<std::string>& words = option->results();
            if (std::find(words.begin(), words.end(), "") == words.end()) continue;
            throw UsageError(
                fmt::format("{}: is empty; give it a value, or leave it out", option->get_name()));
        }
    }
}

/// "uptack solve", for the hint at the end of a usage error.
std::string chosen_verb(const CLI::App& app) {
    const auto chosen = app.get_subcommands();
    return chosen.empty() ? "uptack" : "uptack " + chosen.back()->get_name();
}

ExitCode run(int argc, char** argv) {
    CLI::App app{
        "Uptack simulates rigid bodies that touch, each step solved to an error you choose, measured in "
        "joules.",
        "uptack"};
    app.set_version_flag("--version", "uptack " UPTACK_VERSION);
    app.require_subcommand(1);
    app.footer(
        "Example:\n"
        "  uptack run pendulum -o pendulum.h5\n"
        "  uptack report pendulum.h5\n"
        "  uptack generate b3 -o b3.h5\n"
        "  uptack solve b3.h5 --solver apgd --tolerance 1e-6\n"
        "  uptack compare b3.h5 --seconds 1 -o report.html\n"
        "\nExit codes: 0 ok, 2 usage, 3 bad input, 4 tolerance not met (--require), 5 not finite, 6 limit "
        "exceeded");
    Action action;
    for (const auto add : {add_run, add_scenes, add_view, add_report, add_export, add_generate, add_info,
                           add_validate, add_convert, add_solvers, add_solve, add_compare}) {
        add(app, action);
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& request) {
        app.exit(request);
        return ExitCode::ok;
    } catch (const CLI::ParseError& error) {
        return fail(ExitCode::usage, fmt::format("{}; see '{} --help'", error.what(), chosen_verb(app)));
    }
    return flush_output(run_guarded([&] {
        refuse_empty_words(app);
        return action();
    }));
}

}  // namespace
}  // namespace uptack::app

int main(int argc, char** argv) {
    try {
        return static_cast<int>(uptack::app::run(argc, argv));
    } catch (...) {
        std::fputs("uptack: internal error before the verb began; please report it with the command\n",
                   stderr);
        return static_cast<int>(uptack::app::ExitCode::internal_error);
    }
}

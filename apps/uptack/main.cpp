// The command line: reads the words, lets one verb work, turns whatever goes wrong into one line, an exit
// code and, with --json, a document.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <new>
#include <span>
#include <string_view>

#include "uptack/input_error.h"
#include "verbs.h"

namespace uptack::app {
namespace {

/// The command line as it was given; after "--" no word is an option.
using Words = std::span<const char* const>;

Words before_double_dash(Words words) {
    const auto end = std::find(words.begin(), words.end(), std::string_view("--"));
    return words.first(static_cast<std::size_t>(end - words.begin()));
}

/// Looked for by hand: a command line that cannot be understood may ask for JSON too.
bool asks_for_json(Words words) {
    const Words options = before_double_dash(words);
    return std::find(options.begin(), options.end(), std::string_view("--json")) != options.end();
}

struct Failure {
    ExitCode code = ExitCode::internal_error;
    std::string message;
};

Failure failure_in_flight() {
    try {
        throw;
    } catch (const UsageError& error) {
        return {ExitCode::usage, error.what()};
    } catch (const LimitError& error) {
        return {ExitCode::limit_exceeded, error.what()};
    } catch (const InputError& error) {
        return {ExitCode::bad_input, error.what()};
    } catch (const std::bad_alloc&) {
        return {ExitCode::limit_exceeded, "out of memory; take a smaller problem or a larger machine"};
    } catch (const std::exception& error) {
        return {
            ExitCode::internal_error,
            fmt::format("internal error: {}; please report it with the command and the file", error.what())};
    }
}

/// A line for people; with --json a document for scripts too, unless the verb has printed its own.
ExitCode report(const Failure& failure, Words words) {
    print_error(failure.message);
    if (asks_for_json(words) && !printed_json()) {
        print_json(
            {{"error", {{"exit_code", static_cast<int>(failure.code)}, {"message", failure.message}}}});
    }
    return failure.code;
}

ExitCode run_guarded(Words words, const Action& action) {
    try {
        return action();
    } catch (...) {
        return report(failure_in_flight(), words);
    }
}

/// A script must not take a cut-off document for a whole one.
ExitCode flush_output(ExitCode code) {
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    print_error("standard output cannot be written; is the disk full?");
    return ExitCode::bad_input;
}

/// No option means anything by an empty word: a script's variable was not set.
[[noreturn]] void refuse_empty(std::string_view option) {
    throw UsageError(fmt::format("{}: is empty; give it a value, or leave it out", option));
}

/// The parser would take the word after "--option=" for the value.
void refuse_empty_assignments(Words words) {
    for (const std::string_view word : before_double_dash(words)) {
        if (word.starts_with("--") && word.find('=') == word.size() - 1) {
            refuse_empty(word.substr(0, word.size() - 1));
        }
    }
}

void refuse_empty_words(const CLI::App& app) {
    for (const CLI::App* verb : app.get_subcommands()) {
        for (const CLI::Option* option : verb->get_options()) {
            const std::vector<std::string>& words = option->results();
            if (std::find(words.begin(), words.end(), "") != words.end()) refuse_empty(option->get_name());
        }
    }
}

/// "uptack solve", for the hint at the end of a usage error.
std::string chosen_verb(const CLI::App& app) {
    const auto chosen = app.get_subcommands();
    return chosen.empty() ? "uptack" : "uptack " + chosen.back()->get_name();
}

/// Throws CLI::Success where help or the version was asked for, UsageError.
void parse(CLI::App& app, Words words) {
    refuse_empty_assignments(words);
    try {
        app.parse(static_cast<int>(words.size()), words.data());
    } catch (const CLI::Success&) {
        throw;
    } catch (const CLI::ParseError& error) {
        throw UsageError(fmt::format("{}; see '{} --help'", error.what(), chosen_verb(app)));
    }
    refuse_empty_words(app);
}

ExitCode run(Words words) {
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
    return flush_output(run_guarded(words, [&] {
        try {
            parse(app, words);
        } catch (const CLI::Success& request) {
            app.exit(request);
            return ExitCode::ok;
        }
        return action();
    }));
}

}  // namespace
}  // namespace uptack::app

int main(int argc, char** argv) {
    try {
        return static_cast<int>(uptack::app::run({argv, static_cast<std::size_t>(argc)}));
    } catch (...) {
        std::fputs("uptack: internal error before the verb began; please report it with the command\n",
                   stderr);
        return static_cast<int>(uptack::app::ExitCode::internal_error);
    }
}

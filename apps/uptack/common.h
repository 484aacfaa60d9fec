// What the verbs share: exit codes, errors, numbers and files on their way out.

#pragma once

#include <fmt/core.h>

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "uptack/problem.h"
#include "uptack/solvers.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace uptack::app {

/// Scripts depend on these: docs/05-command-line.md.
enum class ExitCode : int {
    ok = 0,
    internal_error = 1,
    usage = 2,
    bad_input = 3,
    tolerance_not_met = 4,  ///< only where --require asked
    not_finite = 5,
    limit_exceeded = 6,
    interrupted = 130,  ///< a run that was stopped by Ctrl-C; what a shell expects
};

/// A verb's work, run after the whole command line has been understood.
using Action = std::function<ExitCode()>;

/// The command line is wrong, although each option alone could be read.
class UsageError final : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

using Json = nlohmann::ordered_json;

/// JSON has no NaN and no infinity: they become null.
Json number(double value);

/// One document, ASCII; bytes that are not UTF-8 (old FCLIB files have some) are replaced.
std::string to_text(const Json& document, int indent);

/// On standard output.
void print_json(const Json& document);

/// Has a document been printed?  There must be no second one.
bool printed_json();

/// With control characters as \x1b: those in names and titles must not reach a terminal.  Line ends stay.
std::string visible(std::string_view text);

/// Text for people on standard output, made visible.
template <class... Values>
void print_text(fmt::format_string<Values...> format, Values&&... values) {
    fmt::print("{}", visible(fmt::format(format, std::forward<Values>(values)...)));
}

/// One line "uptack: ..." on stderr, made visible.
void print_error(std::string message);

/// Before long work: throws InputError where an output could not be written, UsageError where it is an input
/// too, or two are one file.  Empty names are outputs that nobody asked for.  Leaves nothing behind.
void check_outputs(const std::vector<std::filesystem::path>& outputs,
                   const std::vector<std::filesystem::path>& inputs = {});

/// Through an OutputDraft: throws InputError, and then an older file stays.
void write_text_file(const std::filesystem::path& path, std::string_view text);

/// The same for what is too large to be held in memory: `write` is given the stream, and may throw.
void write_stream_file(const std::filesystem::path& path, const std::function<void(std::ostream&)>& write);

/// As make_solver, but what is wrong is the command line: throws UsageError.
std::unique_ptr<Solver> solver_from_words(std::string_view name, const OptionValues& options);

/// "omega=1.2" -> {"omega", "1.2"}; throws UsageError without "=".
std::pair<std::string, std::string> split_option(const std::string& text);

/// Rewrites the model of every friction cone.  No value leaves the problem as it is.
void set_friction_model(Problem& problem, std::optional<FrictionModel> model);

/// "0.123", "4.56", "789", "12345": three significant digits, but no exponent where digits do.
std::string three_digits(double value);

/// "123 us", "4.56 s": three digits and a unit that suits.
std::string format_seconds(double seconds);

/// What `solve` and `compare` both offer.
struct RunOptions {
    std::string law;  ///< "convex", "exact" or empty: as in the file
    int threads = 0;  ///< 0: as many as the machine has
};

void add_json_option(CLI::App& verb, bool& json);
void add_threads_option(CLI::App& verb, RunOptions& run);
void add_run_options(CLI::App& verb, RunOptions& run);  ///< these and --law
std::optional<FrictionModel> friction_model(const RunOptions& run);

/// The threads that oneTBB may use for this request.
std::size_t thread_count(const RunOptions& run);

/// Option checks for CLI11: an empty string is consent.
std::string check_positive(const std::string& text);
std::string check_not_negative(const std::string& text);

}  // namespace uptack::app

#include "common.h"

#include <fmt/core.h>
#include <oneapi/tbb/info.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "uptack/input_error.h"
#include "uptack/output_file.h"
#include "uptack/utf8.h"

namespace uptack::app {

namespace {

namespace fs = std::filesystem;

bool document_printed = false;

/// By whatever name: ./run.h5 is run.h5, and links are what they lead to.
bool is_same_file(const fs::path& one, const fs::path& other) {
    std::error_code failure;
    if (fs::equivalent(one, other, failure)) return true;
    const auto full = [&](const fs::path& path) {
        return fs::weakly_canonical(fs::absolute(path, failure), failure);
    };
    return full(one) == full(other);
}

/// The whole text as a finite number, if it is one.
std::optional<double> finite_number(const std::string& text) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !std::isfinite(value)) return std::nullopt;
    return value;
}

/// The number of a control character, also of the second set (0x80 to 0x9f) as UTF-8 or as a stray byte; -1
/// of other characters.
int control_code(std::string_view character) {
    if (character.size() > 2 || (character.size() == 2 && character.front() != '\xc2')) return -1;
    const unsigned code = static_cast<unsigned char>(character.back());
    return code < 0x20U || (code >= 0x7fU && code < 0xa0U) ? static_cast<int>(code) : -1;
}

}  // namespace

Json number(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

std::string to_text(const Json& document, int indent) {
    return document.dump(indent, ' ', true, Json::error_handler_t::replace);
}

void print_json(const Json& document) {
    document_printed = true;
    fmt::print("{}\n", to_text(document, 2));
}

bool printed_json() {
    return document_printed;
}

std::string visible(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const std::size_t length = std::max<std::size_t>(1, character_length(text, 0));
        const std::string_view character = text.substr(0, length);
        const int code = control_code(character);
        result += code < 0 || code == '\n' ? std::string(character) : fmt::format("\\x{:02x}", code);
        text.remove_prefix(length);
    }
    return result;
}

void print_error(std::string message) {
    std::replace(message.begin(), message.end(), '\n', ' ');
    fmt::print(stderr, "uptack: {}\n", visible(message));
}

void check_outputs(const std::vector<fs::path>& outputs, const std::vector<fs::path>& inputs) {
    for (std::size_t k = 0; k < outputs.size(); ++k) {
        if (outputs[k].empty()) continue;
        const auto is_this = [&](const fs::path& other) { return is_same_file(outputs[k], other); };
        if (std::any_of(inputs.begin(), inputs.end(), is_this)) {
            throw UsageError(
                fmt::format("{}: is an input too; name another file for the output", outputs[k].string()));
        }
        if (std::any_of(outputs.begin(), outputs.begin() + static_cast<std::ptrdiff_t>(k), is_this)) {
            throw UsageError(
                fmt::format("{}: is named for two outputs; name another file for one", outputs[k].string()));
        }
        const OutputDraft draft(outputs[k]);
    }
}

void write_text_file(const fs::path& path, std::string_view text) {
    write_stream_file(path, [text](std::ostream& out) { out << text; });
}

void write_stream_file(const fs::path& path, const std::function<void(std::ostream&)>& write) {
    OutputDraft draft(path);
    errno = 0;
    std::ofstream out(draft.path(), std::ios::binary);
    if (out) write(out);
    out.close();
    if (!out) throw output_error(path, errno != 0 ? errno : EIO);
    draft.put_in_place();
}

std::unique_ptr<Solver> solver_from_words(std::string_view name, const OptionValues& options) {
    try {
        return make_solver(name, options);
    } catch (const InputError& error) {
        throw UsageError(error.what());
    }
}

std::pair<std::string, std::string> split_option(const std::string& text) {
    const std::size_t sign = text.find('=');
    if (sign == std::string::npos || sign == 0) {
        throw UsageError(fmt::format("'{}' is not option=value; see 'uptack solvers' for the options", text));
    }
    return {text.substr(0, sign), text.substr(sign + 1)};
}

void set_friction_model(Problem& problem, std::optional<FrictionModel> model) {
    if (!model) return;
    for (Block& block : problem.blocks) {
        if (auto* cone = std::get_if<FrictionCone>(&block.law)) cone->model = *model;
    }
}

std::string three_digits(double value) {
    return std::abs(value) >= 100.0 && std::abs(value) < 1e6 ? fmt::format("{:.0f}", value)
                                                             : fmt::format("{:.3g}", value);
}

std::string format_seconds(double seconds) {
    if (seconds < 1e-3) return three_digits(seconds * 1e6) + " us";
    if (seconds < 1.0) return three_digits(seconds * 1e3) + " ms";
    return three_digits(seconds) + " s";
}

void add_json_option(CLI::App& verb, bool& json) {
    verb.add_flag("--json", json, "Print one JSON document on standard output, and nothing else there");
}

void add_threads_option(CLI::App& verb, RunOptions& run) {
    verb.add_option("--threads", run.threads, "Threads; default: as many as the machine has")
        ->check(CLI::Range(1, 1024));
}

void add_run_options(CLI::App& verb, RunOptions& run) {
    verb.add_option("--law", run.law,
                    "Friction cones as convex (cone complementarity) or exact (Coulomb, De Saxce); "
                    "default: as in the file")
        ->check(CLI::IsMember({"convex", "exact"}));
    add_threads_option(verb, run);
}

std::optional<FrictionModel> friction_model(const RunOptions& run) {
    if (run.law.empty()) return std::nullopt;
    return run.law == "exact" ? FrictionModel::exact : FrictionModel::convex;
}

std::size_t thread_count(const RunOptions& run) {
    return static_cast<std::size_t>(run.threads > 0 ? run.threads : tbb::info::default_concurrency());
}

std::string check_positive(const std::string& text) {
    const std::optional<double> value = finite_number(text);
    return value && *value > 0.0 ? "" : fmt::format("'{}' is not a positive number", text);
}

std::string check_not_negative(const std::string& text) {
    const std::optional<double> value = finite_number(text);
    return value && *value >= 0.0 ? "" : fmt::format("'{}' is not a number >= 0", text);
}

}  // namespace uptack::app

#include "common.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <oneapi/tbb/info.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <system_error>

#include "uptack/input_error.h"

namespace uptack::app {

namespace {

namespace fs = std::filesystem;

fs::path part_of(const fs::path& path) {
    fs::path part = path;
    part += ".part";
    return part;
}

[[noreturn]] void fail_to_write(const fs::path& path, int error) {
    throw InputError(path.string(), fmt::format("cannot be written ({}); choose another place for the output",
                                                std::strerror(error)));
}

/// Renaming onto a device or a folder would replace or fail late, so it is refused here.
void refuse_unless_regular(const fs::path& path) {
    std::error_code ignored;
    const fs::file_status status = fs::status(path, ignored);
    if (fs::exists(status) && !fs::is_regular_file(status)) {
        throw InputError(path.string(), "is not a regular file; name a file for the output");
    }
}

/// A file descriptor that closes itself, for the one place where the disk must have the bytes.
struct Descriptor {
    int value = -1;

    explicit Descriptor(const fs::path& path)
        : value(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (value >= 0) ::close(value);
    }
};

/// 0, or the errno of the first call that failed.
int write_all(const fs::path& path, std::string_view text) {
    const Descriptor file(path);
    if (file.value < 0) return errno;
    while (!text.empty()) {
        const ssize_t written = ::write(file.value, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return errno;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return ::fsync(file.value) == 0 ? 0 : errno;
}

int flush_to_disk(const fs::path& path) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0) return errno;
    const int error = ::fsync(file) == 0 ? 0 : errno;
    ::close(file);
    return error;
}

/// Removes a file, if it is there, when it goes.
struct RemovedFile {
    explicit RemovedFile(fs::path file) : path(std::move(file)) {}
    RemovedFile(const RemovedFile&) = delete;
    RemovedFile& operator=(const RemovedFile&) = delete;
    ~RemovedFile() {
        std::error_code ignored;
        fs::remove(path, ignored);
    }
    fs::path path;
};

/// The whole text as a finite number, if it is one.
std::optional<double> finite_number(const std::string& text) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !std::isfinite(value)) return std::nullopt;
    return value;
}

}  // namespace

Json number(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

std::string to_text(const Json& document, int indent) {
    return document.dump(indent, ' ', true, Json::error_handler_t::replace);
}

void print_json(const Json& document) {
    fmt::print("{}\n", to_text(document, 2));
}

void print_error(std::string message) {
    std::replace(message.begin(), message.end(), '\n', ' ');
    fmt::print(stderr, "uptack: {}\n", message);
}

void check_writable(const fs::path& path) {
    refuse_unless_regular(path);
    const fs::path part = part_of(path);
    const int error = write_all(part, "");
    std::error_code ignored;
    fs::remove(part, ignored);
    if (error != 0) fail_to_write(path, error);
}

void write_text_file(const fs::path& path, std::string_view text) {
    refuse_unless_regular(path);
    const fs::path part = part_of(path);
    int error = write_all(part, text);
    if (error == 0 && std::rename(part.c_str(), path.c_str()) != 0) error = errno;
    if (error == 0) return;
    std::error_code ignored;
    fs::remove(part, ignored);
    fail_to_write(path, error);
}

void write_stream_file(const fs::path& path, const std::function<void(std::ostream&)>& write) {
    refuse_unless_regular(path);
    const fs::path part = part_of(path);
    const RemovedFile leftover(part);
    errno = 0;
    std::ofstream out(part, std::ios::binary);
    if (out) write(out);
    out.close();
    if (!out) fail_to_write(path, errno != 0 ? errno : EIO);
    const int error = flush_to_disk(part);
    if (error != 0) fail_to_write(path, error);
    if (std::rename(part.c_str(), path.c_str()) != 0) fail_to_write(path, errno);
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

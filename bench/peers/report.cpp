#include "report.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cmath>
#include <ctime>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace uptack::peers {
namespace {

constexpr const char* yardstick_engine = "uptack";
constexpr const char* yardstick_setting = "1e-4";
constexpr const char* line_format =
    "{:<9} {:<18} {:>9} {:>9} {:>7} {:>11} {:>8} {:>9} {:>9} {:>9} {:>9} {:>5} {:>7}  {}\n";

/// Milliseconds of the line that ratios refer to; 0 where it did not run.
double yardstick_ms(std::span<const PhaseResult> results, const PhaseResult& of) {
    for (const PhaseResult& r : results) {
        const bool same = r.scene == of.scene && r.phase == of.phase;
        if (same && r.engine == yardstick_engine && r.setting == yardstick_setting) return r.median_ms;
    }
    return 0.0;
}

std::string ratio(std::span<const PhaseResult> results, const PhaseResult& of) {
    const double yardstick = yardstick_ms(results, of);
    return yardstick > 0.0 && of.steps > 0 ? fmt::format("{:.3g}", of.median_ms / yardstick) : "";
}

std::string number(const std::optional<double>& value, int digits = 3) {
    return value ? fmt::format("{:.{}g}", *value, digits) : "";
}

std::string first_line_with(const char* path, const std::string& key) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        if (line.compare(0, key.size(), key) != 0) continue;
        const std::size_t colon = line.find(": ");
        return colon == std::string::npos ? line : line.substr(colon + 2);
    }
    return "unknown";
}

}  // namespace

void print_heading(const Scene& scene) {
    fmt::print("\n{}\n", scene.title);
    fmt::print(line_format, "phase", "engine", "ms/step", "worst", "ratio", "overlap/mm", "at end",
               "drift/mm", "energy", "error", "worst", "met", "points", "note");
}

void print_line(const PhaseResult& r, std::span<const PhaseResult> all) {
    const auto if_ran = [&](const std::string& text) { return r.steps > 0 ? text : std::string(); };
    fmt::print(line_format, r.phase, r.engine + " " + r.setting, if_ran(fmt::format("{:.3g}", r.median_ms)),
               if_ran(fmt::format("{:.3g}", r.worst_ms)), ratio(all, r), number(r.penetration_mm),
               number(r.last_penetration_mm), number(r.drift_mm), number(r.energy_drift),
               number(r.relative_error, 2), number(r.worst_error, 2),
               r.relative_error ? fmt::format("{:.0f}%", 100.0 * r.tolerance_met) : "",
               if_ran(std::to_string(r.contacts)), r.note);
    std::fflush(stdout);
}

Origin origin_of_run(const std::string& commit) {
    Origin origin;
    origin.machine = fmt::format("{}, {} threads", first_line_with("/proc/cpuinfo", "model name"),
                                 std::thread::hardware_concurrency());
    origin.commit = commit;
    origin.date = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
    std::ifstream("/proc/loadavg") >> origin.load;
    return origin;
}

std::string describe(const Origin& origin) {
    return fmt::format("machine: {}\ncommit: {}\ndate: {}\nload at the start: {}", origin.machine,
                       origin.commit, origin.date, origin.load);
}

std::ofstream begin_csv(const std::filesystem::path& path, const Origin& origin) {
    if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path());
    std::ofstream file(path);
    file << "# machine: " << origin.machine << "\n# commit: " << origin.commit << "\n# date: " << origin.date
         << "\n# load at the start: " << origin.load << "\n";
    return file;
}

void end_csv(const std::filesystem::path& path, std::ofstream& file) {
    if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

void write_csv(const std::filesystem::path& path, const Origin& origin,
               std::span<const PhaseResult> results) {
    std::ofstream file = begin_csv(path, origin);
    file << "scene,phase,engine,setting,steps,median_ms,worst_ms,ratio,penetration_mm,last_penetration_mm,"
            "drift_mm,energy_drift,"
            "relative_error,worst_relative_error,tolerance_met,contacts,note\n";
    for (const PhaseResult& r : results) {
        file << fmt::format(
            "{},{},{},{},{},{:.6g},{:.6g},{},{},{},{},{},{},{},{},{},\"{}\"\n", r.scene, r.phase, r.engine,
            r.setting, r.steps, r.median_ms, r.worst_ms, ratio(results, r), number(r.penetration_mm, 6),
            number(r.last_penetration_mm, 6), number(r.drift_mm, 6), number(r.energy_drift, 6),
            number(r.relative_error, 4), number(r.worst_error, 4),
            r.relative_error ? fmt::format("{:.4g}", r.tolerance_met) : "", r.contacts, r.note);
    }
    end_csv(path, file);
}

}  // namespace uptack::peers

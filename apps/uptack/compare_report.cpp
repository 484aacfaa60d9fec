#include "compare_report.h"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>

#include "uptack/report.h"

namespace uptack::app {

namespace {

std::string now_utc() {
    return fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(std::time(nullptr)));
}

/// The processor's name where the system tells it.
std::string machine_name() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
        const std::size_t colon = line.find(": ");
        if (line.rfind("model name", 0) == 0 && colon != std::string::npos) return line.substr(colon + 2);
    }
    return "unknown processor";
}

/// Five digits are more than a picture shows, and keep the page small.
Json rounded(double value) {
    return number(std::strtod(fmt::format("{:.5g}", value).c_str(), nullptr));
}

Json history_json(const std::vector<HistoryPoint>& history) {
    Json iteration = Json::array();
    Json seconds = Json::array();
    Json relative_error = Json::array();
    for (const HistoryPoint& point : history) {
        iteration.push_back(point.iteration);
        seconds.push_back(rounded(point.seconds));
        relative_error.push_back(rounded(point.relative_error));
    }
    return {{"iteration", iteration}, {"seconds", seconds}, {"relative_error", relative_error}};
}

Json run_json(const Run& run) {
    Json levels = Json::array();
    for (const auto& seconds : run.seconds_to_level)
        levels.push_back(seconds ? number(*seconds) : Json(nullptr));
    return {{"problem", run.problem},
            {"solver", run.solver},
            {"status", run.status},
            {"reason", run.reason},
            {"iterations", run.iterations},
            {"seconds", number(run.seconds)},
            {"energy_error_J", number(run.energy_error_J)},
            {"relative_error", number(run.relative_error)},
            {"natural_residual", number(run.natural_residual)},
            {"fischer_burmeister", number(run.fischer_burmeister)},
            {"worst", run.worst},
            {"seconds_to_level", levels},
            {"history", history_json(run.history)}};
}

Json problem_json(const ComparedProblem& problem) {
    Json document = problem.size_fields;
    document["name"] = problem.name;
    document["file"] = problem.file;
    document["reference_energy_J"] = number(problem.reference_energy_J);
    return document;
}

std::string title_of(const Comparison& comparison) {
    if (comparison.problems.size() == 1) return "Solvers compared on " + comparison.problems.front().name;
    return fmt::format("Solvers compared on {} problems", comparison.problems.size());
}

std::string table_line(const Run& run, std::size_t name_width) {
    std::string line = fmt::format("  {:<{}}  ", run.solver, name_width);
    if (run.status == "unsuitable") return line + fmt::format("unsuitable: {}\n", run.reason);
    line += fmt::format("{:<15} {:>10}", run.status, run.iterations);
    for (const auto& seconds : run.seconds_to_level) {
        line += fmt::format("  {:>9}", seconds ? three_digits(*seconds * 1e3) : "-");
    }
    return line + fmt::format("  {:>10.2e}\n", run.relative_error);
}

}  // namespace

Json comparison_json(const Comparison& comparison) {
    Json problems = Json::array();
    for (const ComparedProblem& problem : comparison.problems) problems.push_back(problem_json(problem));
    Json runs = Json::array();
    for (const Run& run : comparison.runs) runs.push_back(run_json(run));
    return {{"kind", "comparison"},  // tells the page what this is
            {"title", title_of(comparison)},
            {"command", comparison.command},
            {"version", UPTACK_VERSION},
            {"date", now_utc()},
            {"machine", machine_name()},
            {"threads", comparison.threads},
            {"seconds_limit", number(comparison.seconds_limit)},
            {"tolerance", number(comparison.tolerance)},
            {"accuracy_levels", accuracy_levels},
            {"solvers", comparison.solvers},
            {"problems", problems},
            {"runs", runs}};
}

std::string comparison_page(const Comparison& comparison) {
    std::ostringstream page;
    write_page(page, title_of(comparison), to_text(comparison_json(comparison), -1));
    return page.str();
}

std::string comparison_table(const Comparison& comparison) {
    std::size_t width = 6;
    for (const std::string& solver : comparison.solvers) width = std::max(width, solver.size());
    std::string text;
    for (std::size_t k = 0; k < comparison.problems.size(); ++k) {
        const ComparedProblem& problem = comparison.problems[k];
        text += fmt::format("{}{}: {}\n", k == 0 ? "" : "\n", problem.name, problem.counts);
        text += fmt::format("  {:<{}}  {:<15} {:>10}  {:>9}  {:>9}  {:>9}  {:>9}  {:>10}\n", "solver", width,
                            "status", "iterations", "ms: 1e-2", "1e-4", "1e-6", "1e-8", "rel. error");
        for (const Run& run : comparison.runs) {
            if (run.problem == k) text += table_line(run, width);
        }
    }
    return text;
}

}  // namespace uptack::app

// Uptack's solver beside Siconos's, on the same problems with the exact law of friction.
//
//     build/bin/siconos_bench [--csv FILE] [--scene NAME ...] [FILE | FOLDER ...]
//
// Without files: one step of each measured phase of the scenes of peers_bench that have contacts.  Everyone
// starts from zero, on one thread; times are CPU seconds, the least of several runs.  Siconos is given W, the
// matrix of the contacts, which Uptack makes or does without at its own expense.  Every answer is judged by
// Uptack's certificate, and beside it by Siconos's own measure: the two weigh contacts differently, so what
// one solver was asked for says little about the other's.  Ratios are therefore to the time in which Uptack
// gets to the error that Siconos's answer was certified to have.

#include <fmt/format.h>
#include <tbb/global_control.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <iterator>
#include <optional>

#include "peers/report.h"
#include "peers/siconos.h"
#include "uptack/certificate.h"
#include "uptack/input_error.h"
#include "uptack/problem_file.h"
#include "uptack/solvers.h"

namespace uptack::peers {
namespace {

namespace fs = std::filesystem;

constexpr int most_runs = 7;
constexpr double enough_s = 0.3;       // of repetitions
constexpr double finest_error = 1e-8;  // nobody is asked for less, and less counts as this

struct Options {
    std::vector<std::string> files;
    std::vector<std::string> scenes;
    double at = 0.25;
    double limit_s = 10.0;
    std::string csv;
    std::string commit = "unknown";
};

struct Entry {
    std::string name;
    SiconosMethod method;
    double tolerance;
};
const std::vector<Entry> siconos_entries = {
    {"siconos nsgs 1e-4", SiconosMethod::nsgs, 1e-4},
    {"siconos nsgs 1e-8", SiconosMethod::nsgs, 1e-8},
    {"siconos nsn_ac 1e-8", SiconosMethod::newton_alart_curnier, 1e-8},
    {"siconos nsn_fb 1e-8", SiconosMethod::newton_fischer, 1e-8},
    {"siconos admm 1e-8", SiconosMethod::admm, 1e-8},
};

struct Line {
    std::string problem{};
    std::size_t contacts = 0;
    std::string solver{};
    double seconds = 0.0;
    double error = 0.0;                      ///< by the certificate
    std::optional<double> claimed{};         ///< by the solver, in its own measure
    double siconos_error = 0.0;              ///< by Siconos's measure
    std::optional<double> uptack_seconds{};  ///< to the same error
    std::string note{};

    /// Of answers only, not of what was there when a run was cut: it may have been there long before.
    std::optional<double> ratio() const {
        return uptack_seconds && note.empty() ? std::optional(seconds / *uptack_seconds) : std::nullopt;
    }
};

std::string number(const std::optional<double>& value, const char* form) {
    return value ? fmt::format(fmt::runtime(form), *value) : "";
}

// ---- the table
// ---------------------------------------------------------------------------------------------

constexpr const char* line_format = "{:<32} {:>8}  {:<20} {:>9} {:>8} {:>8} {:>8} {:>9} {:>6}  {}\n";

void print_heading() {
    fmt::print(
        "ms       CPU time; forming W is not counted\n"
        "error    relative, by Uptack's certificate\n"
        "claimed  what the solver says of itself\n"
        "siconos  the answer by Siconos's measure\n"
        "same ms  what Uptack takes to the same certified error, or to {:.0e} if that is more\n"
        "ratio    ms / same ms, where Siconos says that it converged\n\n",
        finest_error);
    fmt::print(line_format, "problem", "contacts", "solver", "ms", "error", "claimed", "siconos", "same ms",
               "ratio", "note");
}

void print(const Line& line) {
    const auto milliseconds = [](double s) { return fmt::format("{:.3g}", 1e3 * s); };
    fmt::print(line_format, line.problem, line.contacts, line.solver, milliseconds(line.seconds),
               fmt::format("{:.1e}", line.error), number(line.claimed, "{:.1e}"),
               fmt::format("{:.1e}", line.siconos_error),
               line.uptack_seconds ? milliseconds(*line.uptack_seconds) : "", number(line.ratio(), "{:.3g}"),
               line.note);
    std::fflush(stdout);
}

/// Per solver: how many problems came to which certified error, and the ratios.
void print_tally(const std::vector<Line>& lines) {
    constexpr const char* tally_format = "{:<20} {:>8} {:>6} {:>6} {:>6} {:>8} {:>8} {:>8}\n";
    fmt::print("\n");
    fmt::print(tally_format, "solver", "problems", "<=1e-4", "<=1e-6", "<=1e-8", "least", "median",
               "largest");
    std::vector<std::string> solvers;
    for (const Line& line : lines) {
        if (std::find(solvers.begin(), solvers.end(), line.solver) == solvers.end())
            solvers.push_back(line.solver);
    }
    for (const std::string& solver : solvers) {
        std::vector<Line> of;
        std::copy_if(lines.begin(), lines.end(), std::back_inserter(of),
                     [&](const Line& line) { return line.solver == solver; });
        const auto count = [&](double error) {
            return std::count_if(of.begin(), of.end(), [&](const Line& line) { return line.error <= error; });
        };
        std::vector<double> ratios;
        for (const Line& line : of) {
            if (line.ratio()) ratios.push_back(*line.ratio());
        }
        std::sort(ratios.begin(), ratios.end());
        const auto at = [&](std::size_t k) { return ratios.empty() ? "" : fmt::format("{:.3g}", ratios[k]); };
        fmt::print(tally_format, solver, of.size(), count(1e-4), count(1e-6), count(1e-8), at(0),
                   at(ratios.size() / 2), at(ratios.size() - 1));
    }
}

void write(const fs::path& path, const Origin& origin, const std::vector<Line>& lines) {
    std::ofstream file = begin_csv(path, origin);
    file << "problem,contacts,solver,ms,relative_error,claimed_error,siconos_error,uptack_same_error_ms,"
            "ratio,note\n";
    for (const Line& line : lines) {
        const std::optional<double> same_ms =
            line.uptack_seconds ? std::optional(1e3 * *line.uptack_seconds) : std::nullopt;
        file << fmt::format("\"{}\",{},{},{:.6g},{:.4g},{},{:.4g},{},{},\"{}\"\n", line.problem,
                            line.contacts, line.solver, 1e3 * line.seconds, line.error,
                            number(line.claimed, "{:.4g}"), line.siconos_error, number(same_ms, "{:.6g}"),
                            number(line.ratio(), "{:.3g}"), line.note);
    }
    end_csv(path, file);
}

// ---- the solvers
// -------------------------------------------------------------------------------------------

struct OurRun {
    std::vector<double> impulse{};
    double seconds = infinity;
    double error = infinity;    ///< by the certificate
    double claimed = infinity;  ///< by the solver
    std::string note{};
};

OurRun solve_once(const Problem& problem, double tolerance, double limit_s) {
    Solution solution;
    const double before = cpu_seconds();
    const auto solver = make_solver("auto", {});
    const SolveReport report = solver->solve(
        problem, solution, {.tolerance = {tolerance}, .max_iterations = 10'000'000, .budget_s = limit_s});
    OurRun run{.seconds = cpu_seconds() - before, .claimed = report.relative_error};
    run.error = certify(problem, solution.impulse).relative_error;
    run.impulse = std::move(solution.impulse);
    if (run.error > tolerance) run.note = status_name(report.status);
    return run;
}

OurRun solve_often(const Problem& problem, double tolerance, double limit_s) {
    OurRun best = solve_once(problem, tolerance, limit_s);
    double spent = best.seconds;
    for (int k = 1; k < most_runs && spent < enough_s; ++k) {
        const double seconds = solve_once(problem, tolerance, limit_s).seconds;
        spent += seconds;
        best.seconds = std::min(best.seconds, seconds);
    }
    return best;
}

/// The lines of one problem, printed as they come.
void compare(const std::string& name, const Problem& problem, double limit_s, std::vector<Line>& lines) {
    const SiconosProblem theirs(problem);
    const auto add = [&](Line line) {
        line.problem = name;
        line.contacts = problem.blocks.size();
        print(line);
        lines.push_back(std::move(line));
    };
    const auto add_ours = [&](const char* solver, const OurRun& run) {
        add({.solver = solver,
             .seconds = run.seconds,
             .error = run.error,
             .claimed = run.claimed,
             .siconos_error = theirs.error(run.impulse),
             .note = run.note});
    };
    add_ours("uptack 1e-4", solve_often(problem, 1e-4, limit_s));
    const OurRun finest = solve_often(problem, finest_error, limit_s);
    add_ours("uptack 1e-8", finest);
    for (const Entry& entry : siconos_entries) {
        const SiconosAnswer answer = theirs.solve({.method = entry.method,
                                                   .tolerance = entry.tolerance,
                                                   .limit_s = limit_s,
                                                   .most_runs = most_runs,
                                                   .enough_s = enough_s});
        Line line{.solver = entry.name,
                  .seconds = answer.seconds,
                  .error = certify(problem, answer.impulse).relative_error,
                  .claimed = answer.claimed_error,
                  .siconos_error = theirs.error(answer.impulse),
                  .note = answer.trouble};
        if (line.error < 1.0) {  // that of no impulses at all
            const OurRun same =
                line.error <= finest_error ? finest : solve_often(problem, line.error, limit_s);
            if (same.error <= std::max(line.error, finest_error)) line.uptack_seconds = same.seconds;
        }
        add(std::move(line));
    }
}

// ---- the problems
// ------------------------------------------------------------------------------------------

using Take = std::function<void(const std::string& name, const Problem& problem)>;

void take_scene(const Scene& scene, double at, const Take& take) {
    Simulation simulation(make_model(scene), make_settings(scene));
    int step = 0;
    double start_s = 0.0;
    for (const Phase& phase : scene.phases) {
        if (phase.measured) {
            const auto wanted = static_cast<int>(std::lround((start_s + at * phase.seconds) / scene.step_s));
            for (; step < wanted; ++step) simulation.step();
            take(fmt::format("{} {} (step {})", scene.name, phase.name, step),
                 simulation.step_problem().problem);
        }
        start_s += phase.seconds;
    }
}

void take_files(const fs::path& path, const Take& take) {
    std::vector<fs::path> files = {path};
    if (fs::is_directory(path)) {
        files.clear();
        for (const auto& entry : fs::recursive_directory_iterator(path)) {
            if (entry.path().extension() == ".hdf5" || entry.path().extension() == ".h5")
                files.push_back(entry.path());
        }
        std::sort(files.begin(), files.end());
    }
    for (const fs::path& file : files) {
        try {
            take(file.stem().string(), read_problem(file));
        } catch (const InputError& error) {
            fmt::print("{}: left out: {}\n", file.filename().string(), error.what());
        }
    }
}

void compare_all(const Options& options) {
    const Origin origin = origin_of_run(options.commit);
    fmt::print("{}\n", describe(origin));
    print_heading();
    std::vector<Line> lines;
    const Take take = [&](const std::string& name, const Problem& problem) {
        if (const std::string refusal = siconos_refusal(problem); !refusal.empty()) {
            fmt::print("{}: left out: {}\n", name, refusal);
            return;
        }
        compare(name, problem, options.limit_s, lines);
        if (!options.csv.empty()) write(options.csv, origin, lines);
    };
    for (const Scene& scene : all_scenes()) {
        const bool named = std::count(options.scenes.begin(), options.scenes.end(), scene.name) > 0;
        const bool by_default = options.scenes.empty() && options.files.empty() && scene.touching;
        if (named || by_default) take_scene(scene, options.at, take);
    }
    for (const std::string& file : options.files) take_files(file, take);
    print_tally(lines);
}

}  // namespace
}  // namespace uptack::peers

int main(int argc, char** argv) {
    uptack::peers::Options options;
    CLI::App app{"Uptack beside Siconos on the same problems"};
    app.add_option("files", options.files, "problem files and folders, instead of the scenes");
    app.add_option("--scene", options.scenes, "these: stack pyramid pile wall");
    app.add_option("--at", options.at, "the step is taken after this share of a phase")
        ->capture_default_str();
    app.add_option("--limit", options.limit_s,
                   "seconds after which one solve is cut; CPU, Uptack's by the clock")
        ->capture_default_str();
    app.add_option("--csv", options.csv, "write the results there too");
    app.add_option("--commit", options.commit, "what the results are of");
    CLI11_PARSE(app, argc, argv);
    const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
    try {
        uptack::peers::compare_all(options);
    } catch (const std::exception& error) {
        fmt::print(stderr, "siconos_bench: {}\n", error.what());
        return 1;
    }
}

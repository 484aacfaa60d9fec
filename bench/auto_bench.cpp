// Is `auto` ever much slower than the best single solver, and does it reach 1e-8?
//
//     build/bin/auto_bench [--csv FILE] [--files-only] [FILE.hdf5 | FILE.dat | FOLDER ...]
//
// Every generated problem (not with --files-only), and the problem files and folders that are named; each at
// four tolerances, cold, on one thread.  Times are CPU seconds of that thread, packing and analysis included,
// the least of several runs; a run counts only if the certificate confirms the tolerance.  A single solver is
// given twice the time that auto took: what is slower does not matter here.  Then auto and the best of them
// run again, in turns.

#include <fmt/format.h>
#include <tbb/global_control.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "uptack/certificate.h"
#include "uptack/generators.h"
#include "uptack/input_error.h"
#include "uptack/problem_file.h"
#include "uptack/solvers.h"

namespace uptack::bench {
namespace {

namespace fs = std::filesystem;

constexpr double limit_s = 2.0;       // what the promise allows for 1e-8
constexpr double least_cap_s = 0.05;  // the scheduler may take a core away for milliseconds
constexpr double loaded = 3.0;        // wall-clock time that a loaded machine may take for it
constexpr double allowed = 1.5;       // of the best single solver's time,
constexpr double granted_s =
    5e-5;  // or so much more: a choice must be made, and small problems take microseconds
constexpr double enough_s = 0.3;  // of repetitions
constexpr int most_runs = 7;

struct Case {
    std::string name;
    Problem problem;
};

struct Run {
    double seconds = infinity;  // CPU; infinity: the tolerance was not met
    double error = infinity;    // certified
    std::string reason;
};

struct Line {
    double tolerance = 0.0;
    Run automatic;
    std::string methods;  // that auto took
    Run best;
    std::string best_name;

    double ratio() const { return automatic.seconds / best.seconds; }
    bool is_fine() const {
        return best.seconds == infinity || automatic.seconds <= allowed * best.seconds + granted_s;
    }
};

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Run run_once(const std::string& name, const Problem& problem, double tolerance, double budget_s,
             const OptionValues& options = {}) {
    Solution solution;
    const double start = cpu_seconds();
    const auto solver = make_solver(name, options);
    const SolveReport report = solver->solve(
        problem, solution, {.tolerance = {tolerance}, .max_iterations = 10'000'000, .budget_s = budget_s});
    const double seconds = cpu_seconds() - start;
    Run run{.error = certify(problem, solution.impulse).relative_error, .reason = report.reason};
    if (run.error <= tolerance) run.seconds = seconds;
    return run;
}

/// One run more; keeps the faster one.
void run_again(const std::string& name, const Problem& problem, double tolerance, double budget_s,
               Run& best) {
    Run again = run_once(name, problem, tolerance, budget_s);
    if (best.error == infinity || again.seconds < best.seconds) best = std::move(again);
}

/// The fastest of several; one is enough where it failed or takes long.
Run run_often(const std::string& name, const Problem& problem, double tolerance, double budget_s) {
    Run best;
    double spent = 0.0;
    for (int k = 0; k < most_runs && spent < enough_s; ++k) {
        run_again(name, problem, tolerance, budget_s, best);
        spent += best.seconds;
    }
    return best;
}

/// In turns: between one solver's runs and the other's the load of the machine may have changed.
void run_in_turns(const Problem& problem, double cap_s, Line& line) {
    double spent = 0.0;
    for (int k = 0; k < most_runs && spent < 2.0 * enough_s; ++k) {
        run_again("auto", problem, line.tolerance, loaded * limit_s, line.automatic);
        run_again(line.best_name, problem, line.tolerance, cap_s, line.best);
        spent += line.automatic.seconds + line.best.seconds;
    }
}

Line compare(const Case& one, double tolerance) {
    Line line{.tolerance = tolerance, .automatic = {}, .methods = {}, .best = {}, .best_name = "none"};
    line.automatic = run_often("auto", one.problem, tolerance, loaded * limit_s);
    line.methods = run_once("auto", one.problem, tolerance, loaded * limit_s, {{"explain", "true"}}).reason;
    const double cap = std::clamp(loaded * line.automatic.seconds, least_cap_s, loaded * limit_s);
    for (const SolverInfo& info : list_solvers()) {
        if (info.name == "auto") continue;
        const Run run = run_often(info.name, one.problem, tolerance, cap);
        if (run.seconds < line.best.seconds) {
            line.best = run;
            line.best_name = info.name;
        }
    }
    if (line.best.seconds < infinity) run_in_turns(one.problem, cap, line);
    return line;
}

std::vector<Case> generated_cases() {
    std::vector<Case> cases;
    for (const NamedGenerator& named : list_generators()) cases.push_back({named.name, generate(named.name)});
    const auto add = [&](std::string name, Problem problem) {
        cases.push_back({std::move(name), std::move(problem)});
    };
    add("b3 1:1000", generate_plate_stack({.mass_ratio = 1000.0}));
    add("b3 exact", generate_plate_stack({.model = FrictionModel::exact}));
    add("wall 10x8", generate_brick_wall({.bricks_per_course = 10, .courses = 8}));
    add("wall 10x8 exact",
        generate_brick_wall({.bricks_per_course = 10, .courses = 8, .model = FrictionModel::exact}));
    add("b2-friction 200", generate_sphere_packing({.spheres = 200, .contacts = 700, .mu = 0.3}));
    add("b1 edge 6", generate_joint_network({.edge = 6}));
    add("chain 1000", generate_chain({.links = 1000}));
    for (std::uint64_t seed = 2; seed <= 6; ++seed) {
        add(fmt::format("random seed {}", seed), generate_random({.seed = seed}).problem);
    }
    return cases;
}

void add_files(const fs::path& path, std::vector<Case>& cases) {
    std::vector<fs::path> files;
    if (fs::is_directory(path)) {
        for (const auto& entry : fs::recursive_directory_iterator(path)) {
            if (entry.path().extension() == ".hdf5" || entry.path().extension() == ".dat")
                files.push_back(entry.path());
        }
        std::sort(files.begin(), files.end());
    } else {
        files.push_back(path);
    }
    for (const fs::path& file : files) {
        try {
            cases.push_back({file.filename().string(), read_problem(file.string())});
        } catch (const InputError& error) {
            fmt::print("{}: left out: {}\n", file.filename().string(), error.what());
        }
    }
}

struct Tally {
    int lines = 0, fine = 0, strictly = 0, reached = 0, reachable = 0, cases = 0;
    double worst = 0.0;
    std::string worst_where;
};

void print(const Case& one, const Line& line) {
    fmt::print("{:28} {:.0e}  {:>9.3f} {:.1e}  {:>9.3f} {:8} {:6.2f}{} {}\n", one.name.substr(0, 28),
               line.tolerance, 1e3 * line.automatic.seconds, line.automatic.error, 1e3 * line.best.seconds,
               line.best_name, line.ratio(), line.is_fine() ? " " : "!", line.methods);
    std::fflush(stdout);
}

void count(const Case& one, const Line& line, Tally& tally) {
    ++tally.lines;
    if (line.is_fine()) ++tally.fine;
    if (!(line.ratio() > allowed)) ++tally.strictly;
    if (line.tolerance == 1e-8) {
        ++tally.cases;
        if (line.automatic.seconds <= limit_s) ++tally.reached;
        if (line.automatic.seconds <= limit_s || line.best.seconds <= limit_s) ++tally.reachable;
    }
    if (!line.is_fine() && line.ratio() > tally.worst) {
        tally.worst = line.ratio();
        tally.worst_where = fmt::format("{} at {:.0e}", one.name, line.tolerance);
    }
}

struct Options {
    std::vector<std::string> files;
    std::string csv;
    bool files_only = false;
};

std::vector<Case> cases_of(const Options& options) {
    std::vector<Case> cases;
    if (!options.files_only) cases = generated_cases();
    for (const std::string& file : options.files) add_files(file, cases);
    return cases;
}

int run(const Options& options) {
    const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
    const std::vector<Case> cases = cases_of(options);
    std::ofstream csv;
    if (!options.csv.empty()) {
        csv.open(options.csv);
        if (!csv) {
            fmt::print(stderr, "auto_bench: cannot write {}; is there such a folder?\n", options.csv);
            return 2;
        }
        csv << "problem,rows,tolerance,auto_s,auto_error,best_s,best_solver,methods\n";
    }
    fmt::print("{:28} {:5}  {:>9} {:7}  {:>9} {:8} {:>6}\n", "problem", "tol", "auto ms", "error", "best ms",
               "of", "ratio");
    Tally tally;
    for (const Case& one : cases) {
        for (const double tolerance : {1e-2, 1e-4, 1e-6, 1e-8}) {
            const Line line = compare(one, tolerance);
            print(one, line);
            count(one, line, tally);
            if (csv.is_open()) {
                csv << fmt::format("{},{},{:.0e},{:.6g},{:.3g},{:.6g},{},\"{}\"\n", one.name,
                                   one.problem.row_count(), tolerance, line.automatic.seconds,
                                   line.automatic.error, line.best.seconds, line.best_name, line.methods);
            }
        }
    }
    fmt::print("\nwithin {} x of the best single solver: {} of {}; or {:.0f} us: {}{}\n", allowed,
               tally.strictly, tally.lines, 1e6 * granted_s, tally.fine,
               tally.worst > 0.0 ? fmt::format("; worst {:.2f}, {}", tally.worst, tally.worst_where) : "");
    fmt::print("1e-8 within {} s: {} of {} problems (any solver: {})\n", limit_s, tally.reached, tally.cases,
               tally.reachable);
    return tally.fine == tally.lines ? 0 : 1;
}

}  // namespace
}  // namespace uptack::bench

int main(int argc, char** argv) {
    uptack::bench::Options options;
    CLI::App app{"auto beside the best single solver, at four tolerances"};
    app.add_option("files", options.files, "problem files and folders, besides the generated problems")
        ->check(CLI::ExistingPath);
    app.add_flag("--files-only", options.files_only, "no generated problems")->needs("files");
    app.add_option("--csv", options.csv, "write the results there too");
    CLI11_PARSE(app, argc, argv);
    return uptack::bench::run(options);
}

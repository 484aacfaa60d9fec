// uptack compare: many solvers on many problems, each for the same time.

#include <fmt/core.h>
#include <oneapi/tbb/global_control.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <ostream>
#include <utility>
#include <vector>

#include "chromium.h"
#include "compare_report.h"
#include "problem_summary.h"
#include "scene_files.h"
#include "uptack/certificate.h"
#include "uptack/input_error.h"
#include "uptack/problem_file.h"
#include "uptack/report.h"
#include "verbs.h"
#include "words.h"

namespace uptack::app {
namespace {

struct CompareArguments {
    std::vector<std::string> files;
    std::vector<std::string> solvers;
    double seconds = 1.0;
    double tolerance = 1e-10;
    std::int64_t at_step = 60;
    RunOptions run;
    std::string output;
    PictureOptions picture;
    std::string command;
    bool json = false;
};

/// Keeps of a solver's progress what a picture of the best error so far needs: a point per 10 % of progress
/// is about a pixel, and bounds the history at a few hundred points however many iterations there were.
class Recorder {
public:
    explicit Recorder(Run& run) : run_(run) {}

    void look(const Progress& progress) {
        const HistoryPoint before = last_;
        last_ = {progress.iteration, progress.seconds,
                 std::min(progress.relative_error, before.relative_error)};
        if (!(progress.relative_error < before.relative_error)) return;
        for (std::size_t k = 0; k < accuracy_levels.size(); ++k) {
            const bool reached = progress.relative_error <= accuracy_levels[k];
            if (reached && !run_.seconds_to_level[k]) run_.seconds_to_level[k] = progress.seconds;
        }
        if (progress.relative_error >= 0.9 * drawn_.relative_error) return;
        const bool was_level = before.seconds > 1.1 * drawn_.seconds && std::isfinite(drawn_.relative_error);
        if (was_level) draw(before);  // or a plateau would look like a slope
        draw(last_);
    }

    void finish() {
        if (last_.iteration > drawn_.iteration && std::isfinite(last_.relative_error)) draw(last_);
    }

private:
    void draw(const HistoryPoint& point) {
        run_.history.push_back(point);
        drawn_ = point;
    }

    Run& run_;
    HistoryPoint last_{.iteration = -1, .seconds = 0.0, .relative_error = infinity};
    HistoryPoint drawn_ = last_;
};

/// Times to a level count only if the certificate, too, finds the result at that level; the slack is for its
/// rounding, which differs from the solver's.
void drop_unconfirmed_levels(Run& run) {
    constexpr double slack = 1.001;
    for (std::size_t k = 0; k < accuracy_levels.size(); ++k) {
        if (!(run.relative_error <= slack * accuracy_levels[k])) run.seconds_to_level[k].reset();
    }
}

void certify_run(const Problem& problem, const Solution& solution, double tolerance, Run& run) {
    const Certificate certificate = certify(problem, solution.impulse, 1);
    run.energy_error_J = certificate.energy_error_J;
    run.relative_error = certificate.relative_error;
    run.natural_residual = certificate.natural_residual;
    run.fischer_burmeister = certificate.fischer_burmeister;
    const bool has_worst = !certificate.worst.empty() && certificate.energy_error_J > 0.0;
    if (has_worst) run.worst = describe_block(problem, certificate.worst.front().block);
    if (run.status == status_name(Status::converged) && !(run.relative_error <= tolerance)) {
        run.status = "not_confirmed";
    }
    drop_unconfirmed_levels(run);
}

Run run_one(const Problem& problem, const std::string& label, const StopRule& rule) {
    Run run;
    run.solver = label;
    const std::unique_ptr<Solver> solver = solver_from_label(label);
    Recorder recorder(run);
    Solution solution;
    const SolveReport report = solver->solve(
        problem, solution, rule, [&recorder](const Progress& progress) { recorder.look(progress); });
    run.status = status_name(report.status);
    run.reason = report.reason;
    if (report.status == Status::unsuitable) return run;
    recorder.finish();
    run.iterations = report.iterations;
    run.seconds = report.seconds;
    certify_run(problem, solution, rule.tolerance.value, run);
    return run;
}

/// A solver that is done in a fraction of its time runs again, up to five times within it, and the fastest
/// run counts: in a millisecond the operating system alone can cost more than the solver.
Run run_fastest(const Problem& problem, const std::string& label, const StopRule& rule) {
    constexpr int most_runs = 5;
    Run fastest = run_one(problem, label, rule);
    double spent = fastest.seconds;
    const bool done =
        fastest.status == status_name(Status::converged) || fastest.status == status_name(Status::stalled);
    for (int k = 1; done && k < most_runs && spent + fastest.seconds <= rule.budget_s; ++k) {
        Run again = run_one(problem, label, rule);
        spent += again.seconds;
        if (again.seconds < fastest.seconds) fastest = std::move(again);
    }
    return fastest;
}

/// A progress line on stderr, only where a person watches.
void show_progress(const std::string& text) {
    if (isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\r\033[K{}", visible(text));
}

ComparedProblem compared_problem(const std::string& file, const Problem& problem) {
    const std::vector<double> nothing(problem.bias.size(), 0.0);
    return {.name = problem.name.empty() ? std::filesystem::path(file).stem().string() : problem.name,
            .file = file,
            .counts = describe_counts(problem),
            .size_fields = size_json(problem),
            .reference_energy_J = certify(problem, nothing, 0).reference_energy_J};
}

/// Two problems of one name could not be told apart: they get their file's name.
void make_names_distinct(std::vector<ComparedProblem>& problems) {
    std::vector<std::string> names;
    names.reserve(problems.size());
    for (const ComparedProblem& problem : problems) names.push_back(problem.name);
    for (ComparedProblem& problem : problems) {
        if (std::count(names.begin(), names.end(), problem.name) > 1) {
            problem.name = std::filesystem::path(problem.file).stem().string();
        }
    }
}

/// A scene stands for the problem of one of its steps.
Problem load_problem(const CompareArguments& arguments, const std::string& file) {
    if (!is_scene(file)) return read_problem(file);
    show_progress(fmt::format("{}: making {} steps", file, arguments.at_step));
    return problem_of_step(load_scene(file), arguments.at_step);
}

Comparison compare(const CompareArguments& arguments) {
    Comparison comparison{.command = arguments.command,
                          .seconds_limit = arguments.seconds,
                          .tolerance = arguments.tolerance,
                          .threads = thread_count(arguments.run),
                          .problems = {},
                          .solvers = arguments.solvers,
                          .runs = {}};
    const StopRule rule{.tolerance = {arguments.tolerance, ErrorUnit::relative},
                        .max_iterations = std::numeric_limits<std::int64_t>::max(),
                        .budget_s = arguments.seconds};
    const std::size_t total = arguments.files.size() * arguments.solvers.size();
    for (std::size_t k = 0; k < arguments.files.size(); ++k) {
        Problem problem = load_problem(arguments, arguments.files[k]);
        set_friction_model(problem, friction_model(arguments.run));
        comparison.problems.push_back(compared_problem(arguments.files[k], problem));
        for (const std::string& label : arguments.solvers) {
            show_progress(
                fmt::format("[{}/{}] {}: {}", comparison.runs.size() + 1, total, arguments.files[k], label));
            comparison.runs.push_back(run_fastest(problem, label, rule));
            comparison.runs.back().problem = k;
        }
    }
    show_progress("");
    make_names_distinct(comparison.problems);
    return comparison;
}

void check_files(const CompareArguments& arguments) {
    if (!arguments.output.empty() && !has_page()) {
        throw InputError("-o",
                         "this Uptack was built without the page; leave -o out, or build it with "
                         "-DUPTACK_VIEWER=ON, which needs node and npm");
    }
    std::vector<std::filesystem::path> inputs;
    for (const std::string& file : arguments.files) {
        inputs.push_back(is_scene(file) ? scene_path(file) : std::filesystem::path(file));
    }
    check_outputs({arguments.output, arguments.picture.png}, inputs);
}

/// Whatever can be found wrong before the long work is: names, outputs, every file.
void check_before_work(const CompareArguments& arguments) {
    for (const std::string& label : arguments.solvers) solver_from_label(label);
    check_files(arguments);
    check_picture(arguments.picture);
    for (const std::string& file : arguments.files) {
        if (is_scene(file)) {
            check_step_number(load_scene(file), arguments.at_step);
        } else {
            read_problem(file);
        }
    }
}

ExitCode run_compare(CompareArguments& arguments) {
    if (arguments.solvers.empty()) {
        for (const SolverInfo& solver : list_solvers()) arguments.solvers.push_back(solver.name);
    }
    check_before_work(arguments);
    const tbb::global_control threads(tbb::global_control::max_allowed_parallelism,
                                      thread_count(arguments.run));
    const Comparison comparison = compare(arguments);
    if (!arguments.output.empty()) write_text_file(arguments.output, comparison_page(comparison));
    if (!arguments.picture.png.empty()) {
        write_picture(arguments.picture, "show=page",
                      [&comparison](std::ostream& out) { out << comparison_page(comparison); });
    }
    if (arguments.json) {
        print_json(comparison_json(comparison));
    } else {
        print_text("{}", comparison_table(comparison));
        if (!arguments.output.empty()) print_text("\nThe page is in {}\n", arguments.output);
        if (!arguments.picture.png.empty()) print_text("\nThe picture is in {}\n", arguments.picture.png);
    }
    for (const ComparedProblem& problem : comparison.problems) {
        if (std::isfinite(problem.reference_energy_J)) continue;
        print_error(zero_energy_text(problem.file));
        return ExitCode::not_finite;
    }
    return ExitCode::ok;
}

/// The command again, for the page's footer.
std::string command_line(const CLI::App& verb, const CompareArguments& arguments) {
    std::string text = "uptack compare";
    for (const std::string& file : arguments.files) text += " " + file;
    for (const CLI::Option* option : verb.get_options()) {
        if (option->count() == 0 || option->get_positional()) continue;
        text += " " + option->get_name();
        std::string values;
        for (const std::string& value : option->results()) values += (values.empty() ? "" : ",") + value;
        if (option->get_items_expected_max() > 0) text += " " + values;
    }
    return text;
}

}  // namespace

void add_compare(CLI::App& app, Action& action) {
    auto arguments = std::make_shared<CompareArguments>();
    CLI::App* verb = app.add_subcommand("compare", "Run solvers on problems and draw how their errors fall");
    verb->add_option("FILES", arguments->files, "Problem files; or scenes, of which one step is taken")
        ->required();
    verb->add_option("--at-step", arguments->at_step, "Which step of a scene; default 60")
        ->check(CLI::PositiveNumber);
    verb->add_option("--solvers", arguments->solvers,
                     "Solvers as a,b,c; with options as psor:omega=1.2:symmetric=true; default all")
        ->delimiter(',')
        ->allow_extra_args(false);
    verb->add_option("--seconds", arguments->seconds, "Time for each solver on each problem; default 1")
        ->check(check_positive);
    verb->add_option("--tolerance", arguments->tolerance,
                     "Relative error at which a solver may stop; default 1e-10")
        ->check(check_not_negative);
    verb->add_option("-o,--output", arguments->output, "Write a self-contained page (HTML) to this file");
    add_picture_options(*verb, arguments->picture);
    add_run_options(*verb, arguments->run);
    add_json_option(*verb, arguments->json);
    verb->footer(
        "Example:\n"
        "  uptack compare b2.h5 b3.h5 --solvers psor,apgd,spg --seconds 2 -o report.html\n"
        "  uptack compare wall --at-step 100 --solvers newton,nncg\n"
        "\nA time to an accuracy counts only if the certificate confirms that accuracy.\n"
        "A run that is done early is repeated up to five times within its time, and the fastest counts.");
    verb->callback([verb, arguments, &action] {
        arguments->command = command_line(*verb, *arguments);
        action = [arguments] { return run_compare(*arguments); };
    });
}

}  // namespace uptack::app

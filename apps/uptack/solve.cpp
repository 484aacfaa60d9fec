// uptack solve: one problem, one solver, and what the certificate says of the result.

#include <fmt/core.h>
#include <oneapi/tbb/global_control.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "explain.h"
#include "problem_summary.h"
#include "uptack/certificate.h"
#include "uptack/input_error.h"
#include "uptack/missing_energy.h"
#include "uptack/problem_file.h"
#include "verbs.h"

namespace uptack::app {
namespace {

struct SolveArguments {
    std::string file;
    std::string solver = "auto";
    std::vector<std::string> settings;
    double tolerance = 1e-6;
    double tolerance_J = 0.0;
    bool in_joules = false;
    double budget_ms = infinity;
    std::int64_t iterations = StopRule{}.max_iterations;
    std::string warm;
    std::string solution;
    std::string history;
    RunOptions run;
    bool estimate = false;
    bool require = false;
    bool explain = false;
    bool json = false;
};

/// Everything there is to say about one solve.
struct Outcome {
    SolveReport report;
    std::string reason;
    Certificate certificate;
    std::optional<double> missing_J;  ///< estimate of the energy still missing, where asked for
    bool tolerance_met = false;
    std::string status;  ///< the solver's, unless the certificate contradicts it
};

StopRule stop_rule(const SolveArguments& arguments) {
    StopRule rule;
    rule.tolerance = arguments.in_joules ? Tolerance{arguments.tolerance_J, ErrorUnit::joules}
                                         : Tolerance{arguments.tolerance, ErrorUnit::relative};
    rule.max_iterations = arguments.iterations;
    rule.budget_s = arguments.budget_ms * 1e-3;
    return rule;
}

Solution starting_point(const SolveArguments& arguments, const Problem& problem) {
    if (arguments.warm.empty()) return {};
    Solution solution = read_solution(arguments.warm);
    if (solution.impulse.size() != problem.bias.size()) {
        throw InputError(arguments.warm,
                         fmt::format("has {} impulses, the problem has {} rows; take a solution of "
                                     "this problem",
                                     solution.impulse.size(), problem.row_count()));
    }
    return solution;
}

void write_history(const std::string& file, const std::vector<Progress>& history) {
    std::string text = "iteration,seconds,energy_error_J,relative_error\n";
    for (const Progress& p : history) {
        text += fmt::format("{},{},{},{}\n", p.iteration, p.seconds, p.energy_error_J, p.relative_error);
    }
    write_text_file(file, text);
}

/// A solver does not grade itself: "converged" stands only if the certificate agrees.
Outcome judge(const Problem& problem, const Solution& solution, const SolveReport& report,
              Tolerance tolerance) {
    Outcome outcome{.report = report,
                    .reason = std::string(report.reason),
                    .certificate = {},
                    .missing_J = {},
                    .tolerance_met = false,
                    .status = std::string(status_name(report.status))};
    if (report.status == Status::unsuitable) return outcome;
    outcome.certificate = certify(problem, solution.impulse);
    const Certificate& c = outcome.certificate;
    outcome.tolerance_met = c.finite && meets(tolerance, c.energy_error_J, c.reference_energy_J);
    if (report.status == Status::converged && !outcome.tolerance_met) outcome.status = "not_confirmed";
    return outcome;
}

Outcome solve_and_judge(const SolveArguments& arguments, const Problem& problem,
                        std::unique_ptr<Solver> solver) {
    const StopRule rule = stop_rule(arguments);
    Solution solution = starting_point(arguments, problem);
    std::vector<Progress> history;
    Observer observer;
    if (!arguments.history.empty())
        observer = [&history](const Progress& progress) { history.push_back(progress); };
    const SolveReport report = solver->solve(problem, solution, rule, observer);
    solver.reset();  // its arrays are as large as the problem, and certifying needs room too
    Outcome outcome = judge(problem, solution, report, rule.tolerance);
    if (outcome.report.status == Status::unsuitable) return outcome;
    if (arguments.estimate && outcome.certificate.finite) {
        outcome.missing_J = estimate_missing_energy(problem, solution.impulse);
    }
    if (!arguments.history.empty()) write_history(arguments.history, history);
    if (!arguments.solution.empty() && outcome.certificate.finite)
        write_solution(arguments.solution, solution);
    return outcome;
}

Json worst_json(const Problem& problem, const Certificate& certificate) {
    Json worst = Json::array();
    for (const BlockError& error : certificate.worst) {
        worst.push_back({{"block", error.block},
                         {"description", describe_block(problem, error.block)},
                         {"energy_error_J", number(error.energy_error_J)}});
    }
    return worst;
}

Json outcome_json(const SolveArguments& arguments, const Problem& problem, const Outcome& outcome) {
    const Certificate& c = outcome.certificate;
    const StopRule rule = stop_rule(arguments);
    Json document = size_json(problem);
    document["file"] = arguments.file;
    document["solver"] = arguments.solver;
    document["settings"] = arguments.settings;
    document["status"] = outcome.status;
    document["reason"] = outcome.reason;
    document["tolerance"] = rule.tolerance.value;
    document["tolerance_unit"] = arguments.in_joules ? "J" : "relative";
    document["tolerance_met"] = outcome.tolerance_met;
    if (outcome.report.status == Status::unsuitable) return document;
    document["iterations"] = outcome.report.iterations;
    document["seconds"] = number(outcome.report.seconds);
    document["energy_error_J"] = number(c.energy_error_J);
    document["reference_energy_J"] = number(c.reference_energy_J);
    document["relative_error"] = number(c.relative_error);
    document["natural_residual"] = number(c.natural_residual);
    document["fischer_burmeister"] = number(c.fischer_burmeister);
    document["finite"] = c.finite;
    if (outcome.missing_J) document["missing_energy_estimate_J"] = number(*outcome.missing_J);
    document["worst"] = worst_json(problem, c);
    if (arguments.explain) document["decisions"] = explanation_json(outcome.report.stages);
    return document;
}

std::string status_text(const SolveArguments& arguments, const Outcome& outcome) {
    const char* unit = arguments.in_joules ? " J" : "";
    const double value =
        arguments.in_joules ? outcome.certificate.energy_error_J : outcome.certificate.relative_error;
    const double limit = stop_rule(arguments).tolerance.value;
    std::string text = outcome.status + "; ";
    std::replace(text.begin(), text.end(), '_', ' ');
    if (outcome.tolerance_met) {
        text += fmt::format("the certificate confirms {:.3g}{} <= {:.3g}{}", value, unit, limit, unit);
    } else if (outcome.report.status == Status::converged) {
        text += fmt::format("the solver says converged, but the certificate finds {:.3g}{} > {:.3g}{}", value,
                            unit, limit, unit);
    } else {
        text += fmt::format("tolerance not met: {:.3g}{} > {:.3g}{}", value, unit, limit, unit);
    }
    return outcome.reason.empty() ? text : fmt::format("{} ({})", text, outcome.reason);
}

void print_worst(const Problem& problem, const Certificate& c) {
    if (c.energy_error_J <= 0.0 || !std::isfinite(c.energy_error_J)) return;
    print_text("\nWorst blocks\n");
    for (const BlockError& error : c.worst) {
        print_text("  {:>9.3g} J {:>4.0f} %   {}\n", error.energy_error_J,
                   100.0 * error.energy_error_J / c.energy_error_J, describe_block(problem, error.block));
    }
}

void print_outcome(const SolveArguments& arguments, const Problem& problem, const Outcome& outcome) {
    std::string settings;
    for (const std::string& setting : arguments.settings) settings += ", " + setting;
    print_text("Problem  {}\n", describe_size(problem));
    print_text("Solver   {}{}\n", arguments.solver, settings);
    print_text("Status   {}\n", status_text(arguments, outcome));
    print_text("Work     {} iterations in {}\n", outcome.report.iterations,
               format_seconds(outcome.report.seconds));
    const Certificate& c = outcome.certificate;
    print_text("\nCertificate\n");
    print_text("  energy error        {:.4g} J (zero impulses: {:.4g} J)\n", c.energy_error_J,
               c.reference_energy_J);
    print_text("  relative error      {:.4g}\n", c.relative_error);
    print_text("  natural residual    {:.4g}\n", c.natural_residual);
    print_text("  Fischer-Burmeister  {:.4g}\n", c.fischer_burmeister);
    if (outcome.missing_J) {
        print_text("\nEstimate\n  still missing       {:.4g} J, by one Newton step; not a bound\n",
                   *outcome.missing_J);
    }
    print_worst(problem, c);
    if (arguments.explain) print_text("\nDecisions\n{}", explanation_text(outcome.report.stages));
}

std::string not_finite_text(const SolveArguments& arguments, const Certificate& certificate) {
    if (!std::isfinite(certificate.reference_energy_J)) return zero_energy_text(arguments.file);
    return fmt::format("{}: solver {} met numbers that are not finite; try another solver or options",
                       arguments.file, arguments.solver);
}

ExitCode exit_code(const SolveArguments& arguments, const Outcome& outcome) {
    if (outcome.report.status == Status::unsuitable) {
        print_error(fmt::format("{}: solver {} cannot take this problem: {}", arguments.file,
                                arguments.solver, outcome.reason));
        return ExitCode::bad_input;
    }
    if (outcome.report.status == Status::not_finite || !outcome.certificate.finite) {
        print_error(not_finite_text(arguments, outcome.certificate));
        return ExitCode::not_finite;
    }
    if (arguments.require && !outcome.tolerance_met) {
        print_error(fmt::format("{}: tolerance not met; allow more time or iterations, or try another solver",
                                arguments.file));
        return ExitCode::tolerance_not_met;
    }
    return ExitCode::ok;
}

ExitCode run_solve(const SolveArguments& arguments) {
    OptionValues options;
    for (const std::string& setting : arguments.settings) options.push_back(split_option(setting));
    if (arguments.explain) ask_to_explain(arguments.solver, options);
    std::unique_ptr<Solver> solver = solver_from_words(arguments.solver, options);
    check_outputs({arguments.solution, arguments.history}, {arguments.file, arguments.warm});
    Problem problem = read_problem(arguments.file);
    set_friction_model(problem, friction_model(arguments.run));

    const tbb::global_control threads(tbb::global_control::max_allowed_parallelism,
                                      thread_count(arguments.run));
    const Outcome outcome = solve_and_judge(arguments, problem, std::move(solver));
    if (arguments.json) {
        print_json(outcome_json(arguments, problem, outcome));
    } else if (outcome.report.status != Status::unsuitable) {
        print_outcome(arguments, problem, outcome);
    }
    return exit_code(arguments, outcome);
}

void add_stop_options(CLI::App& verb, SolveArguments& arguments) {
    auto* relative = verb.add_option("--tolerance", arguments.tolerance,
                                     "Relative error sqrt(e/e0) to reach; default 1e-6")
                         ->check(check_not_negative);
    verb.add_option("--tolerance-J", arguments.tolerance_J, "Energy error to reach, in joules")
        ->check(check_not_negative)
        ->excludes(relative);
    verb.add_option("--budget-ms", arguments.budget_ms, "Wall-clock limit in milliseconds; default none")
        ->check(check_positive);
    verb.add_option("--iterations", arguments.iterations, "Iteration limit; default 100000")
        ->check(CLI::PositiveNumber);
    verb.add_flag("--estimate", arguments.estimate,
                  "Estimate the kinetic energy of the velocity error too; costs a factorisation");
    verb.add_flag("--require", arguments.require,
                  "Exit with 4 when the certificate does not confirm the tolerance");
}

}  // namespace

void add_solve(CLI::App& app, Action& action) {
    auto arguments = std::make_shared<SolveArguments>();
    CLI::App* verb = app.add_subcommand("solve", "Solve one problem and certify the result");
    verb->add_option("FILE", arguments->file, "Problem file")->required();
    verb->add_option("--solver", arguments->solver, "Which solver; see 'uptack solvers'; default auto");
    verb->add_option("--set", arguments->settings, "A solver option as option=value; may be repeated")
        ->allow_extra_args(false);
    add_stop_options(*verb, *arguments);
    verb->add_option("--warm", arguments->warm, "Solution file to start from");
    verb->add_option("--save-solution", arguments->solution,
                     "Write the impulses and velocities to this file");
    verb->add_option("--history", arguments->history, "Write iteration, seconds and errors to this CSV file");
    verb->add_flag("--explain", arguments->explain, "Say what auto did on each island, and why");
    add_run_options(*verb, arguments->run);
    add_json_option(*verb, arguments->json);
    verb->footer(
        "Example:\n"
        "  uptack solve b3.h5 --tolerance 1e-6 --explain\n"
        "  uptack solve b3.h5 --solver psor --set omega=1.2 --tolerance 1e-4 --budget-ms 5\n"
        "  uptack solve b3.h5 --solver apgd --tolerance-J 1e-9 --require --json");
    verb->callback([verb, arguments, &action] {
        arguments->in_joules = verb->count("--tolerance-J") > 0;
        action = [arguments] { return run_solve(*arguments); };
    });
}

}  // namespace uptack::app

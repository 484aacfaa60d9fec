// uptack info: what a problem file holds.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "problem_summary.h"
#include "uptack/problem_file.h"
#include "verbs.h"

namespace uptack::app {
namespace {

/// The solvers' own threshold (src/solvers/pack.cpp).
constexpr double symmetric_up_to = 1e-11;

struct InfoArguments {
    std::string file;
    bool json = false;
};

Json range_json(const Range& range) {
    return range.empty() ? Json(nullptr) : Json::array({number(range.least), number(range.most)});
}

Json info_json(const std::string& file, const Problem& problem, const ProblemSummary& summary) {
    Json document = size_json(problem);
    document["file"] = file;
    document["file_kind"] = file_kind(file);
    document["movable_bodies"] = summary.movable_bodies;
    document["friction_models"] = {{"convex", summary.convex_cones}, {"exact", summary.exact_cones}};
    document["mass_range_kg"] = range_json(summary.mass_kg);
    document["mu_range"] = range_json(summary.mu);
    document["diagonal_range_per_kg"] = range_json(summary.diagonal_per_kg);
    document["zero_diagonal_rows"] = summary.zero_diagonal_rows;
    document["symmetric"] = summary.asymmetry <= symmetric_up_to;
    document["asymmetry"] = number(summary.asymmetry);
    document["density"] = summary.density ? number(*summary.density) : Json(nullptr);
    document["reference_energy_J"] = number(summary.reference_energy_J);
    return document;
}

std::string range_text(const Range& range, const char* unit) {
    if (range.empty()) return "-";
    if (range.least == range.most) return fmt::format("{:.4g}{}", range.least, unit);
    return fmt::format("{:.4g} to {:.4g}{}", range.least, range.most, unit);
}

void print_line(const char* label, const std::string& text) {
    fmt::print("{:<18} {}\n", label, text);
}

void print_info(const std::string& file, const Problem& problem, const ProblemSummary& summary) {
    print_line("file", fmt::format("{} ({})", file, file_kind(file)));
    print_line("problem", problem.name.empty() ? "(no name)" : problem.name);
    if (problem.matrix) {
        print_line("form", "assembled: A and b, the bodies eliminated");
        print_line("symmetric", summary.asymmetry <= symmetric_up_to
                                    ? "yes"
                                    : fmt::format("no, |A - A^T| is up to {:.2g} of |A|", summary.asymmetry));
    } else {
        print_line("form", "bodies: J, M^-1, v_free and b; symmetric");
        print_line("bodies",
                   fmt::format("{}, of which {} can move", problem.bodies.size(), summary.movable_bodies));
        print_line("mass", range_text(summary.mass_kg, " kg"));
    }
    print_line("rows", fmt::format("{} in {} blocks, {} of them contacts", problem.row_count(),
                                   problem.blocks.size(), count_contacts(problem)));
    for (const auto& [law, count] : count_laws(problem)) print_line("", fmt::format("{:>9} {}", count, law));
    if (!summary.mu.empty()) print_line("mu", range_text(summary.mu, ""));
    print_line("diagonal of A", range_text(summary.diagonal_per_kg, " 1/kg"));
    if (summary.zero_diagonal_rows > 0) {
        print_line(
            "",
            fmt::format("{} rows have a diagonal <= 0 (they act on nothing that moves, or A is not definite)",
                        summary.zero_diagonal_rows));
    }
    print_line("density of A",
               summary.density ? fmt::format("{:.3g} %", 100.0 * *summary.density) : "not counted");
    print_line("reference energy",
               fmt::format("{:.6g} J, the error of zero impulses", summary.reference_energy_J));
}

ExitCode run_info(const InfoArguments& arguments) {
    const Problem problem = read_problem(arguments.file);
    const ProblemSummary summary = summarise(problem);
    if (arguments.json) {
        print_json(info_json(arguments.file, problem, summary));
    } else {
        print_info(arguments.file, problem, summary);
    }
    return ExitCode::ok;
}

}  // namespace

void add_info(CLI::App& app, Action& action) {
    auto arguments = std::make_shared<InfoArguments>();
    CLI::App* verb = app.add_subcommand("info", "Show what a problem file holds");
    verb->add_option("FILE", arguments->file, "Problem file")->required();
    add_json_option(*verb, arguments->json);
    verb->footer("Example:\n  uptack info b3.h5");
    verb->callback([arguments, &action] { action = [arguments] { return run_info(*arguments); }; });
}

}  // namespace uptack::app

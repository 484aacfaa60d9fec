// What a comparison found, as JSON, as a table on a terminal, and as a page.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common.h"

namespace uptack::app {

/// The relative errors whose times are reported.
inline constexpr std::array<double, 4> accuracy_levels{1e-2, 1e-4, 1e-6, 1e-8};

struct HistoryPoint {
    std::int64_t iteration = 0;
    double seconds = 0.0;
    double relative_error = 0.0;
};

/// One solver on one problem.
struct Run {
    std::size_t problem = 0;  ///< index in Comparison::problems
    std::string solver;       ///< as the user named it, options included
    std::string status;
    std::string reason;
    std::int64_t iterations = 0;
    double seconds = 0.0;
    double energy_error_J = infinity;  ///< this and the next three from the certificate
    double relative_error = infinity;
    double natural_residual = infinity;
    double fischer_burmeister = infinity;
    std::string worst;                  ///< the worst block, described
    std::vector<HistoryPoint> history;  ///< best so far, thinned; the solver's own estimate
    std::array<std::optional<double>, accuracy_levels.size()> seconds_to_level{};
};

/// One problem, without the problem: only what the report says of it.
struct ComparedProblem {
    std::string name;
    std::string file;
    std::string counts;  ///< describe_counts()
    Json size_fields;    ///< size_json()
    double reference_energy_J = 0.0;
};

struct Comparison {
    std::string command;
    double seconds_limit = 0.0;
    double tolerance = 0.0;
    std::size_t threads = 0;
    std::vector<ComparedProblem> problems;
    std::vector<std::string> solvers;
    std::vector<Run> runs;
};

Json comparison_json(const Comparison& comparison);

/// The self-contained page; viewer/src/compare draws it.
std::string comparison_page(const Comparison& comparison);

/// Times to the accuracy levels and final errors, one table per problem.
std::string comparison_table(const Comparison& comparison);

}  // namespace uptack::app

#include "problem_summary.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "uptack/certificate.h"

namespace uptack::app {

namespace {

/// Counting A's entries of the body form visits every pair of blocks that share a body.  A heavy part with a
/// hundred thousand contacts would keep that busy for minutes; beyond this many visits the density is left
/// out.
constexpr double most_pair_visits = 2e8;

bool moves(const Body& body) {
    const auto is_zero = [](double value) { return value == 0.0; };
    return body.inverse_mass != 0.0 ||
           !std::all_of(body.inverse_inertia_w.begin(), body.inverse_inertia_w.end(), is_zero);
}

/// A_ij, 0 where nothing is stored.
double entry(const SparseMatrix& matrix, int row, int column) {
    const auto first = matrix.column.begin() + matrix.start[row];
    const auto last = matrix.column.begin() + matrix.start[row + 1];
    const auto found = std::lower_bound(first, last, column);
    return found != last && *found == column ? matrix.value[found - matrix.column.begin()] : 0.0;
}

double asymmetry(const SparseMatrix& matrix) {
    double largest = 0.0;
    double difference = 0.0;
    for (int row = 0; row < matrix.rows(); ++row) {
        for (std::int64_t k = matrix.start[row]; k < matrix.start[row + 1]; ++k) {
            largest = std::max(largest, std::abs(matrix.value[k]));
            difference =
                std::max(difference, std::abs(matrix.value[k] - entry(matrix, matrix.column[k], row)));
        }
    }
    return largest > 0.0 ? difference / largest : 0.0;
}

std::vector<std::vector<int>> blocks_of_bodies(const Problem& problem) {
    std::vector<std::vector<int>> blocks(problem.bodies.size());
    for (int k = 0; k < static_cast<int>(problem.blocks.size()); ++k) {
        const Block& block = problem.blocks[k];
        for (const int body : {block.body_a, block.body_b}) {
            if (body == no_body || !moves(problem.bodies[body])) continue;
            if (blocks[body].empty() || blocks[body].back() != k) blocks[body].push_back(k);
        }
    }
    return blocks;
}

/// Entries that A = J M^-1 J^T + C would have, block by block.
std::optional<double> body_form_entries(const Problem& problem) {
    const std::vector<std::vector<int>> neighbours = blocks_of_bodies(problem);
    double visits = 0.0;
    for (const auto& blocks : neighbours)
        visits += static_cast<double>(blocks.size()) * static_cast<double>(blocks.size());
    if (visits > most_pair_visits) return std::nullopt;

    std::vector<int> seen_by(problem.blocks.size(), -1);
    double entries = 0.0;
    for (int k = 0; k < static_cast<int>(problem.blocks.size()); ++k) {
        const Block& block = problem.blocks[k];
        for (const int body : {block.body_a, block.body_b}) {
            if (body == no_body) continue;
            for (const int other : neighbours[body]) {
                if (seen_by[other] == k) continue;
                seen_by[other] = k;
                entries += static_cast<double>(block.rows) * problem.blocks[other].rows;
            }
        }
    }
    return entries;
}

void summarise_bodies(const Problem& problem, ProblemSummary& summary) {
    for (const Body& body : problem.bodies) {
        if (!moves(body)) continue;
        ++summary.movable_bodies;
        if (body.inverse_mass > 0.0) summary.mass_kg.include(1.0 / body.inverse_mass);
    }
}

void summarise_laws(const Problem& problem, ProblemSummary& summary) {
    for (const Block& block : problem.blocks) {
        if (const auto* cone = std::get_if<FrictionCone>(&block.law)) {
            summary.mu.include(cone->mu);
            ++(cone->model == FrictionModel::exact ? summary.exact_cones : summary.convex_cones);
        } else if (const auto* box = std::get_if<BoxFriction>(&block.law)) {
            summary.mu.include(box->mu);
        }
    }
}

void summarise_matrix(const Problem& problem, ProblemSummary& summary) {
    const auto& matrix = problem.matrix;
    for (const Block& block : problem.blocks) {
        for (int row = block.first_row; row < block.first_row + block.rows; ++row) {
            const double value = diagonal_entry(problem, block, row);
            summary.diagonal_per_kg.include(value);
            if (value <= 0.0) ++summary.zero_diagonal_rows;
        }
    }
    if (matrix) summary.asymmetry = asymmetry(*matrix);
    const auto entries =
        matrix ? std::optional(static_cast<double>(matrix->value.size())) : body_form_entries(problem);
    const double rows = problem.row_count();
    if (entries && rows > 0) summary.density = *entries / (rows * rows);
}

}  // namespace

void Range::include(double value) {
    least = std::min(least, value);
    most = std::max(most, value);
}

ProblemSummary summarise(const Problem& problem) {
    ProblemSummary summary;
    summarise_bodies(problem, summary);
    summarise_laws(problem, summary);
    summarise_matrix(problem, summary);
    const std::vector<double> nothing(problem.bias.size(), 0.0);
    summary.reference_energy_J = certify(problem, nothing).reference_energy_J;
    return summary;
}

int count_contacts(const Problem& problem) {
    const auto is_contact = [](const Block& block) {
        return !std::holds_alternative<Bilateral>(block.law) && !std::holds_alternative<Interval>(block.law);
    };
    return static_cast<int>(std::count_if(problem.blocks.begin(), problem.blocks.end(), is_contact));
}

std::map<std::string, int> count_laws(const Problem& problem) {
    std::map<std::string, int> counts;
    for (const Block& block : problem.blocks) ++counts[law_name(block.law)];
    return counts;
}

std::string describe_counts(const Problem& problem) {
    std::string laws;
    for (const auto& [law, count] : count_laws(problem)) {
        laws += fmt::format("{}{} {}", laws.empty() ? "" : ", ", count, law);
    }
    const std::string bodies = problem.matrix ? "assembled" : fmt::format("{} bodies", problem.bodies.size());
    return fmt::format("{}, {} rows in {} blocks ({})", bodies, problem.row_count(), problem.blocks.size(),
                       laws);
}

std::string describe_size(const Problem& problem) {
    return problem.name.empty() ? describe_counts(problem) : problem.name + ": " + describe_counts(problem);
}

std::string zero_energy_text(const std::string& file) {
    return fmt::format(
        "{}: the energy of zero impulses is not finite; check the units of its matrix, biases and velocities",
        file);
}

Json size_json(const Problem& problem) {
    return {{"problem", problem.name},          {"form", problem.matrix ? "assembled" : "bodies"},
            {"bodies", problem.bodies.size()},  {"rows", problem.row_count()},
            {"blocks", problem.blocks.size()},  {"contacts", count_contacts(problem)},
            {"law_counts", count_laws(problem)}};
}

}  // namespace uptack::app

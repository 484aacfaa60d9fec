#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "fclib_matrix.h"
#include "triplets.h"
#include "uptack/problem_file.h"

namespace uptack {
namespace {

// How far V^T and the rows below W may differ, relative to the largest entry: round-off of an assembled A.
constexpr double symmetry_slack = 1e-12;

/// FCLIB wants the contacts first and the joints apart.
struct RowPlan {
    int dimension = 0;         ///< rows per contact
    std::vector<int> contact;  ///< rows of the problem, in order
    std::vector<int> joint;
    std::vector<double> mu;
};

RowPlan plan_rows(const Problem& problem, const std::string& where) {
    RowPlan plan;
    for (std::size_t k = 0; k < problem.blocks.size(); ++k) {
        const Block& block = problem.blocks[k];
        const auto* cone = std::get_if<FrictionCone>(&block.law);
        const bool joint = std::holds_alternative<Bilateral>(block.law);
        const std::string name = describe_block(problem, static_cast<int>(k));
        if (cone == nullptr && !joint) {
            throw InputError(where, fmt::format("{} cannot be said in FCLIB, which knows friction cones and "
                                                "bilateral rows; write Uptack's own format instead",
                                                name));
        }
        if (cone != nullptr && block.rows != 2 && block.rows != 3) {
            throw InputError(where,
                             fmt::format("{} has {} rows, but a contact of FCLIB's local form has 2 or 3; "
                                         "write Uptack's own format instead",
                                         name, block.rows));
        }
        if (cone != nullptr && plan.dimension != 0 && block.rows != plan.dimension) {
            throw InputError(where,
                             fmt::format("{} has {} rows where earlier contacts have {}; FCLIB wants one "
                                         "dimension, so write two files or Uptack's own format",
                                         name, block.rows, plan.dimension));
        }
        std::vector<int>& rows = joint ? plan.joint : plan.contact;
        for (int i = 0; i < block.rows; ++i) rows.push_back(block.first_row + i);
        if (cone == nullptr) continue;
        plan.dimension = block.rows;
        plan.mu.push_back(cone->mu);
    }
    if (plan.mu.empty()) {
        throw InputError(where,
                         "there is no friction cone, and FCLIB needs one; write Uptack's own format instead");
    }
    return plan;
}

/// A restricted to some rows and columns, both ascending.
SparseMatrix part(const SparseMatrix& a, const std::vector<int>& rows, const std::vector<int>& columns) {
    std::vector<int> place(static_cast<std::size_t>(a.rows()), -1);
    for (std::size_t j = 0; j < columns.size(); ++j) place[columns[j]] = static_cast<int>(j);
    SparseMatrix out;
    out.start.push_back(0);
    for (const int row : rows) {
        for (std::int64_t k = a.start[row]; k < a.start[row + 1]; ++k) {
            if (place[a.column[k]] < 0) continue;
            out.column.push_back(place[a.column[k]]);
            out.value.push_back(a.value[k]);
        }
        out.start.push_back(std::ssize(out.value));
    }
    return out;
}

// FCLIB stores V once and means it twice, so what lies below W must be its transpose.
void check_transposed(const SparseMatrix& v, const SparseMatrix& below, double largest,
                      const std::string& where) {
    Triplets difference;
    for (int i = 0; i < v.rows(); ++i) {
        for (std::int64_t k = v.start[i]; k < v.start[i + 1]; ++k) difference.add(v.column[k], i, v.value[k]);
    }
    for (int i = 0; i < below.rows(); ++i) {
        for (std::int64_t k = below.start[i]; k < below.start[i + 1]; ++k) {
            difference.add(i, below.column[k], -below.value[k]);
        }
    }
    for (const double value : compress(difference, below.rows()).value) {
        if (std::abs(value) > symmetry_slack * largest) {
            throw InputError(where,
                             fmt::format("contact and joint rows act on each other unequally (by {:.2g}), "
                                         "which FCLIB cannot say; write Uptack's own format instead",
                                         std::abs(value)));
        }
    }
}

std::vector<double> pick(const std::vector<double>& values, const std::vector<int>& rows) {
    std::vector<double> picked;
    picked.reserve(rows.size());
    for (const int row : rows) picked.push_back(values[row]);
    return picked;
}

// FCLIB's cones are Coulomb's; whoever reads the file should know when ours were not.
std::string description(const Problem& problem) {
    const bool convex = std::any_of(problem.blocks.begin(), problem.blocks.end(), [](const Block& block) {
        const auto* cone = std::get_if<FrictionCone>(&block.law);
        return cone != nullptr && cone->model == FrictionModel::convex;
    });
    return convex ? "Written by Uptack. The cones were meant in the convex form (no De Saxce term)."
                  : "Written by Uptack. The cones are meant in Coulomb's form (De Saxce).";
}

double largest_entry(const SparseMatrix& a) {
    double largest = 0.0;
    for (const double value : a.value) largest = std::max(largest, std::abs(value));
    return largest;
}

void write_joints(hdf5::OutputFile& file, const Problem& problem, const RowPlan& plan,
                  const std::string& where) {
    const SparseMatrix& a = *problem.matrix;
    const SparseMatrix v = part(a, plan.contact, plan.joint);
    check_transposed(v, part(a, plan.joint, plan.contact), largest_entry(a), where);
    const auto joints = static_cast<int>(plan.joint.size());
    write_fclib_matrix(file, "fclib_local/V", v, joints);
    write_fclib_matrix(file, "fclib_local/R", part(a, plan.joint, plan.joint), joints);
    file.write("fclib_local/vectors/s", pick(problem.bias, plan.joint));
}

void write_assembled(const std::filesystem::path& path, const Problem& problem, const RowPlan& plan) {
    if (std::cmp_greater(problem.matrix->value.size(), std::numeric_limits<int>::max())) {
        throw InputError(path.string(),
                         fmt::format("A has {} entries, more than FCLIB can count; write Uptack's own format",
                                     problem.matrix->value.size()));
    }
    hdf5::OutputFile file(path);
    file.create_group("fclib_local");
    file.create_group("fclib_local/vectors");
    file.create_group("fclib_local/info");
    file.write("fclib_local/spacedim", std::span<const int>(&plan.dimension, 1));
    write_fclib_matrix(file, "fclib_local/W", part(*problem.matrix, plan.contact, plan.contact),
                       static_cast<int>(plan.contact.size()));
    file.write("fclib_local/vectors/q", pick(problem.bias, plan.contact));
    file.write("fclib_local/vectors/mu", plan.mu);
    if (!plan.joint.empty()) write_joints(file, problem, plan, path.string());
    file.write_text("fclib_local/info/title", problem.name);
    file.write_text("fclib_local/info/description", description(problem));
    file.write_text("fclib_local/info/math_info", "u = W r + q, rows normal first");
    file.commit();
}

}  // namespace

void write_fclib_local(const std::filesystem::path& path, const Problem& problem) {
    if (const std::vector<Fault> faults = validate(problem, 1); !faults.empty()) {
        throw InputError(path.string(), fmt::format("the problem to be written is not valid: {}: {}",
                                                    faults[0].where, faults[0].message));
    }
    const RowPlan plan = plan_rows(problem, path.string());
    if (problem.matrix) {
        write_assembled(path, problem, plan);
    } else {
        write_assembled(path, assemble(problem), plan);
    }
}

}  // namespace uptack

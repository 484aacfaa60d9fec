#include "global_reduction.h"

#include <fmt/format.h>

#include <Eigen/SparseCore>
#include <Eigen/SparseLU>
#include <algorithm>
#include <numeric>

#include "read_limits.h"
#include "uptack/input_error.h"

namespace uptack {
namespace {

using EigenSparse = Eigen::SparseMatrix<double>;
using EigenTriplets = std::vector<Eigen::Triplet<double>>;

// Right sides solved together: enough to use the factor well, few enough that a large mesh stays cheap.
constexpr Eigen::Index columns_at_once = 32;

// The dofs that M couples, directly or through others.
std::vector<std::vector<int>> coupled_dofs(const SparseMatrix& mass) {
    std::vector<int> parent(static_cast<std::size_t>(mass.rows()));
    std::iota(parent.begin(), parent.end(), 0);
    const auto root = [&](int dof) {
        while (parent[dof] != dof) dof = parent[dof] = parent[parent[dof]];
        return dof;
    };
    for (int row = 0; row < mass.rows(); ++row) {
        for (std::int64_t k = mass.start[row]; k < mass.start[row + 1]; ++k) {
            const int a = root(row);
            const int b = root(mass.column[k]);
            parent[std::max(a, b)] = std::min(a, b);
        }
    }
    std::vector<std::vector<int>> groups;
    std::vector<int> group_of(parent.size(), -1);
    for (int dof = 0; dof < mass.rows(); ++dof) {
        int& group = group_of[root(dof)];
        if (group < 0) {
            group = static_cast<int>(groups.size());
            groups.emplace_back();
        }
        groups[group].push_back(dof);
    }
    return groups;
}

class Elimination {
public:
    Elimination(const GlobalForm& global, const std::string& where, const ReadLimits& limits)
        : global_(global), where_(where), limits_(limits), bias_(global.bias) {
        local_dof_.assign(global.momentum.size(), 0);
        local_row_.assign(global.bias.size(), -1);
    }

    // 1. Find the constraint rows that act on the group; without any, its M does not matter.
    // 2. Factorise its M.
    // 3. Add its part of q and, some columns at a time, of A.
    void eliminate(const std::vector<int>& dofs) {
        const std::vector<int> rows = acting_rows(dofs);
        if (rows.empty()) return;
        const EigenSparse directions = local_directions(dofs, rows);
        factorise(dofs);
        add_bias(dofs, rows, directions);
        const Eigen::Index count = directions.cols();
        for (Eigen::Index first = 0; first < count; first += columns_at_once) {
            const Eigen::Index columns = std::min(columns_at_once, count - first);
            add_entries(rows, directions, first, columns);
        }
    }

    AssembledForm finish() { return {compress(entries_, static_cast<int>(bias_.size())), std::move(bias_)}; }

private:
    std::vector<int> acting_rows(const std::vector<int>& dofs) {
        const SparseMatrix& b = global_.directions;
        std::vector<int> rows;
        for (const int dof : dofs) {
            rows.insert(rows.end(), b.column.begin() + b.start[dof], b.column.begin() + b.start[dof + 1]);
        }
        std::sort(rows.begin(), rows.end());
        rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
        return rows;
    }

    EigenSparse local_directions(const std::vector<int>& dofs, const std::vector<int>& rows) {
        const SparseMatrix& b = global_.directions;
        for (std::size_t i = 0; i < rows.size(); ++i) local_row_[rows[i]] = static_cast<int>(i);
        EigenTriplets triplets;
        for (std::size_t i = 0; i < dofs.size(); ++i) {
            for (std::int64_t k = b.start[dofs[i]]; k < b.start[dofs[i] + 1]; ++k) {
                triplets.emplace_back(static_cast<int>(i), local_row_[b.column[k]], b.value[k]);
            }
        }
        EigenSparse local(static_cast<Eigen::Index>(dofs.size()), static_cast<Eigen::Index>(rows.size()));
        local.setFromTriplets(triplets.begin(), triplets.end());
        return local;
    }

    void factorise(const std::vector<int>& dofs) {
        const SparseMatrix& m = global_.mass;
        for (std::size_t i = 0; i < dofs.size(); ++i) local_dof_[dofs[i]] = static_cast<int>(i);
        EigenTriplets triplets;
        for (std::size_t i = 0; i < dofs.size(); ++i) {
            for (std::int64_t k = m.start[dofs[i]]; k < m.start[dofs[i] + 1]; ++k) {
                triplets.emplace_back(static_cast<int>(i), local_dof_[m.column[k]], m.value[k]);
            }
        }
        const auto size = static_cast<Eigen::Index>(dofs.size());
        EigenSparse local(size, size);
        local.setFromTriplets(triplets.begin(), triplets.end());
        first_dof_ = dofs.front();
        factor_.compute(local);
        if (factor_.info() != Eigen::Success) throw singular();
    }

    void add_bias(const std::vector<int>& dofs, const std::vector<int>& rows, const EigenSparse& directions) {
        Eigen::VectorXd momentum(static_cast<Eigen::Index>(dofs.size()));
        for (std::size_t i = 0; i < dofs.size(); ++i) {
            momentum[static_cast<Eigen::Index>(i)] = global_.momentum[dofs[i]];
        }
        const Eigen::VectorXd velocity = factor_.solve(momentum);
        if (!velocity.allFinite()) throw singular();
        const Eigen::VectorXd part = directions.transpose() * velocity;
        for (std::size_t i = 0; i < rows.size(); ++i) bias_[rows[i]] += part[static_cast<Eigen::Index>(i)];
    }

    void add_entries(const std::vector<int>& rows, const EigenSparse& directions, Eigen::Index first,
                     Eigen::Index columns) {
        const Eigen::MatrixXd right(directions.middleCols(first, columns));
        const Eigen::MatrixXd velocity = factor_.solve(right);
        if (!velocity.allFinite()) throw singular();
        const Eigen::MatrixXd part = directions.transpose() * velocity;
        for (Eigen::Index j = 0; j < columns; ++j) {
            for (Eigen::Index i = 0; i < part.rows(); ++i) {
                if (part(i, j) != 0.0) entries_.add(rows[i], rows[first + j], part(i, j));
            }
        }
        check_entries(where_, static_cast<std::int64_t>(entries_.value.size()), limits_);
    }

    InputError singular() const {
        return InputError(where_, fmt::format("M is singular near degree of freedom {}; give every degree of "
                                              "freedom that a contact acts on some mass",
                                              first_dof_));
    }

    const GlobalForm& global_;
    const std::string& where_;
    const ReadLimits& limits_;
    std::vector<double> bias_;
    Triplets entries_;
    std::vector<int> local_dof_;  // index inside the group at hand
    std::vector<int> local_row_;
    int first_dof_ = 0;
    Eigen::SparseLU<EigenSparse> factor_;
};

}  // namespace

AssembledForm eliminate_mass(const GlobalForm& global, const std::string& where, const ReadLimits& limits) {
    Elimination elimination(global, where, limits);
    for (const std::vector<int>& dofs : coupled_dofs(global.mass)) elimination.eliminate(dofs);
    return elimination.finish();
}

}  // namespace uptack

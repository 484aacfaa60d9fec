#include "kkt_system.h"

#include <algorithm>
#include <cmath>

namespace uptack {
namespace {

// After this many switches the factor is made anew: round-off of the modifications adds up slowly.
constexpr int max_switches = 500;
// More changes at once than one in this many rows: factoring anew is cheaper than switching.
constexpr int rows_per_switch = 60;

/// Place of a_ij in A, or -1 where the pattern has none.
std::int64_t place(const SparseMatrix& a, int i, int j) {
    const auto first = a.column.begin() + a.start[i];
    const auto last = a.column.begin() + a.start[i + 1];
    const auto found = std::lower_bound(first, last, j);
    return found != last && *found == j ? found - a.column.begin() : -1;
}

double entry(const SparseMatrix& a, int i, int j) {
    const std::int64_t k = place(a, i, j);
    return k < 0 ? 0.0 : a.value[k];
}

/// visit(row, dof, value) for every entry of G in the rows of a cell.
template <class Visit>
void for_each_entry_of(const PackedProblem& packed, const Cell& cell, const Visit& visit) {
    for (int i = cell.first_row; i < cell.first_row + cell.rows; ++i) {
        for (int k = 0; k < row_width; ++k) {
            const double value = packed.row_of_g(i)[k];
            if (value != 0.0) visit(i, 6 * (k < 6 ? cell.slot_a : cell.slot_b) + k % 6, value);
        }
    }
}

}  // namespace

void KktSystem::build(const PackedProblem& packed, double regularisation) {
    const std::size_t rows = packed.rows();
    // The state holds a slot for the world too; it has no unknowns.
    offset_ = 6 * static_cast<int>(packed.bodies());
    r_.assign(rows, 1.0);
    if (packed.matrix()) {
        fill_assembled_matrix(packed);
    } else {
        fill_body_matrix(packed);
    }
    ldlt_.analyze(matrix_);
    on_.assign(offset_ + rows, 1);
    std::fill(on_.begin() + offset_, on_.end(), 0);
    rhs_.assign(offset_ + rows, 0.0);
    factorisations_ = 0;
    regularise(packed, regularisation);
}

void KktSystem::regularise(const PackedProblem& packed, double regularisation) {
    const std::size_t rows = packed.rows();
    floor_.assign(offset_ + rows, 0.0);
    for (std::size_t i = 0; i < rows; ++i) {
        const double r = regularisation * packed.metric()[i];
        ldlt_.shift_diagonal(offset_ + static_cast<int>(i), r_[i] - r);  // K holds -(C + R)
        r_[i] = r;
        floor_[offset_ + i] = 0.5 * r;
    }
    stale_ = true;
}

// Columns of the bodies hold their diagonal and the rows that touch them, those of the rows their diagonal
// alone; rows are visited in order, so every column comes out sorted.
void KktSystem::fill_body_matrix(const PackedProblem& packed) {
    const auto for_each_entry = [&](auto&& visit) {
        for (const Cell& cell : packed.cells()) for_each_entry_of(packed, cell, visit);
    };
    const int order = offset_ + static_cast<int>(packed.rows());
    SymmetricMatrix& out = matrix_;
    out.start.assign(order + 1, 1);  // every column has its diagonal
    out.start[0] = 0;
    for_each_entry([&](int, int dof, double) { ++out.start[dof + 1]; });
    for (int j = 0; j < order; ++j) out.start[j + 1] += out.start[j];
    out.row.resize(out.start[order]);
    out.value.resize(out.start[order]);
    next_.assign(out.start.begin(), out.start.end() - 1);
    for (int j = 0; j < order; ++j) {
        const int i = j - offset_;
        const double c = i < 0 || packed.compliance().empty() ? 0.0 : packed.compliance()[i];
        out.row[next_[j]] = j;
        out.value[next_[j]++] = i < 0 ? 1.0 : -(c + r_[i]);
    }
    for_each_entry([&](int i, int dof, double value) {
        out.row[next_[dof]] = offset_ + i;
        out.value[next_[dof]++] = value;
    });
}

// The lower triangle of -1/2 (A + A^T) - R, with the pattern of A united with its transpose's.
void KktSystem::fill_assembled_matrix(const PackedProblem& packed) {
    const SparseMatrix& a = *packed.matrix();
    SymmetricMatrix& out = matrix_;
    // Column j takes its rows from A's row j and, for entries without a twin there, from A's rows below.
    next_.assign(a.rows() + 1, 0);
    const auto for_each_entry = [&](auto&& visit) {
        for (int i = 0; i < a.rows(); ++i) {
            visit(i, i);
            for (std::int64_t k = a.start[i]; k < a.start[i + 1]; ++k) {
                const int j = a.column[k];
                if (j < i) visit(i, j);
                if (j > i && place(a, j, i) < 0) visit(j, i);
            }
        }
    };
    for_each_entry([&](int, int j) { ++next_[j + 1]; });
    for (int j = 0; j < a.rows(); ++j) next_[j + 1] += next_[j];
    out.start = next_;
    out.row.resize(out.start.back());
    out.value.resize(out.start.back());
    for_each_entry([&](int i, int j) { out.row[next_[j]++] = i; });
    for (int j = 0; j < a.rows(); ++j) {
        std::sort(out.row.begin() + out.start[j], out.row.begin() + out.start[j + 1]);
        for (std::int64_t p = out.start[j]; p < out.start[j + 1]; ++p) {
            const int i = out.row[p];
            out.value[p] = -0.5 * (entry(a, i, j) + entry(a, j, i)) - (i == j ? r_[i] : 0.0);
        }
    }
}

void KktSystem::refactor() {
    stale_ = ldlt_.factor(on_, floor_, deadline_) == SwitchingLdlt::abandoned;
    switches_ = 0;
    ++factorisations_;
}

int KktSystem::activate(std::span<const char> on) {
    int changes = 0;
    for (std::size_t i = 0; i < on.size(); ++i) changes += (on_[offset_ + i] != 0) != (on[i] != 0) ? 1 : 0;
    if (stale_ || changes * rows_per_switch > static_cast<int>(on.size()) ||
        switches_ + changes > max_switches) {
        std::copy(on.begin(), on.end(), on_.begin() + offset_);
        if (stale_ || changes > 0) refactor();
        return changes;
    }
    for (std::size_t i = 0; i < on.size(); ++i) {
        if ((on_[offset_ + i] != 0) != (on[i] != 0)) switch_row(static_cast<int>(i));
    }
    return changes;
}

int KktSystem::switch_row(int row) {
    char& state = on_[offset_ + row];
    state = state != 0 ? 0 : 1;
    const bool sound = state != 0 ? ldlt_.switch_on(offset_ + row) : ldlt_.switch_off(offset_ + row);
    if (!sound || ++switches_ > max_switches) refactor();
    return 1;
}

void KktSystem::solve(View g, MutableView d) {
    std::fill(rhs_.begin(), rhs_.begin() + offset_, 0.0);
    for (std::size_t i = 0; i < g.size(); ++i) rhs_[offset_ + i] = on_[offset_ + i] != 0 ? -g[i] : 0.0;
    ldlt_.solve(rhs_);
    for (std::size_t i = 0; i < g.size(); ++i) d[i] = on_[offset_ + i] != 0 ? -rhs_[offset_ + i] : 0.0;
}

}  // namespace uptack

#include "linalg/switching_ldlt.h"

#include <suitesparse/amd.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <stdexcept>

namespace uptack {
namespace {

constexpr int rows_per_glance = 16;  // at the clock; a row takes from nanoseconds to 0.1 ms

double away_from_zero(double pivot, double floor, double sign) {
    return std::abs(pivot) >= floor ? pivot : std::copysign(floor, sign);
}

}  // namespace

void SwitchingLdlt::analyze(const SymmetricMatrix& matrix) {
    if (matrix.start != pattern_start_ || matrix.row != pattern_row_) {
        pattern_start_ = matrix.start;
        pattern_row_ = matrix.row;
        order_rows(matrix);
        permute_pattern(matrix);
        find_structure();
    }
    take_numbers(matrix);
    const std::size_t n = to_place_.size();
    l_value_.assign(l_row_.size(), 0.0);
    d_.assign(n, -1.0);
    on_.assign(n, 0);
    floor_.assign(n, 0.0);
    work_.assign(n, 0.0);
}

void SwitchingLdlt::order_rows(const SymmetricMatrix& matrix) {
    const int n = matrix.order();
    to_row_.resize(n);
    to_place_.resize(n);
    if (n == 0) return;
    // AMD takes the pattern of either triangle and of both; 64-bit so that large problems fit.
    std::vector<SuiteSparse_long> start(matrix.start.begin(), matrix.start.end());
    std::vector<SuiteSparse_long> row(matrix.row.begin(), matrix.row.end());
    std::vector<SuiteSparse_long> order(n);
    const auto status = amd_l_order(n, start.data(), row.data(), order.data(), nullptr, nullptr);
    if (status < AMD_OK) throw std::bad_alloc();
    for (int place = 0; place < n; ++place) {
        to_row_[place] = static_cast<int>(order[place]);
        to_place_[order[place]] = place;
    }
}

void SwitchingLdlt::permute_pattern(const SymmetricMatrix& matrix) {
    const int n = matrix.order();
    k_start_.assign(n + 1, 0);
    const auto for_each_entry = [&](auto&& visit) {
        for (int j = 0; j < n; ++j) {
            for (std::int64_t p = matrix.start[j]; p < matrix.start[j + 1]; ++p) {
                visit(to_place_[matrix.row[p]], to_place_[j], p);
            }
        }
    };
    for_each_entry([&](int i, int j, std::int64_t) {
        if (i == j) return;
        ++k_start_[i + 1];
        ++k_start_[j + 1];
    });
    for (int i = 0; i < n; ++i) k_start_[i + 1] += k_start_[i];
    entries_ = k_start_[n] / 2;
    k_index_.resize(k_start_[n]);
    k_value_.resize(k_start_[n]);
    k_twin_.assign(2 * matrix.row.size(), -1);
    std::vector<std::int64_t> next(k_start_.begin(), k_start_.end() - 1);
    for_each_entry([&](int i, int j, std::int64_t p) {
        if (i == j) return;
        k_index_[next[i]] = j;
        k_index_[next[j]] = i;
        k_twin_[2 * p] = next[i]++;
        k_twin_[2 * p + 1] = next[j]++;
    });
}

void SwitchingLdlt::take_numbers(const SymmetricMatrix& matrix) {
    k_diagonal_.assign(to_place_.size(), 0.0);
    for (int j = 0; j < matrix.order(); ++j) {
        for (std::int64_t p = matrix.start[j]; p < matrix.start[j + 1]; ++p) {
            if (matrix.row[p] == j) {
                k_diagonal_[to_place_[j]] = matrix.value[p];
            } else {
                k_value_[k_twin_[2 * p]] = k_value_[k_twin_[2 * p + 1]] = matrix.value[p];
            }
        }
    }
}

// Row k of L reaches from each entry of K's row k up the tree of the columns before it (Liu).  Counting and
// filling walk the same way; a column's rows come out ascending because k does.
void SwitchingLdlt::find_structure() {
    const auto n = static_cast<int>(to_place_.size());
    parent_.assign(n, -1);
    row_start_.assign(n + 1, 0);
    row_column_.clear();
    std::vector<int> seen(n, -1);
    std::vector<std::int64_t> count(n, 0);
    for (int k = 0; k < n; ++k) {
        seen[k] = k;
        for (std::int64_t p = k_start_[k]; p < k_start_[k + 1]; ++p) {
            for (int i = k_index_[p]; i < k && seen[i] != k; i = parent_[i]) {
                if (parent_[i] == -1) parent_[i] = k;
                seen[i] = k;
                row_column_.push_back(i);
                ++count[i];
            }
        }
        const auto first = row_column_.begin() + row_start_[k];
        std::sort(first, row_column_.end());
        row_start_[k + 1] = static_cast<std::int64_t>(row_column_.size());
    }
    l_start_.assign(n + 1, 0);
    for (int j = 0; j < n; ++j) l_start_[j + 1] = l_start_[j] + count[j];
    l_row_.resize(l_start_[n]);
    row_position_.resize(row_column_.size());
    std::vector<std::int64_t> next(l_start_.begin(), l_start_.end() - 1);
    for (int k = 0; k < n; ++k) {
        for (std::int64_t p = row_start_[k]; p < row_start_[k + 1]; ++p) {
            row_position_[p] = next[row_column_[p]]++;
            l_row_[row_position_[p]] = k;
        }
    }
}

// From y = row k of K: row k of L, by a triangular solve with the columns before it, and what is left of the
// pivot. Beyond row k, y follows only if a later column needs it.
double SwitchingLdlt::eliminate_row(int k, Carry carry) {
    double* y = work_.data();
    double pivot = k_diagonal_[k];
    for (std::int64_t p = row_start_[k]; p < row_start_[k + 1]; ++p) {
        const int i = row_column_[p];
        const double yi = y[i];
        y[i] = 0.0;
        if (yi == 0.0) continue;
        const std::int64_t here = row_position_[p];
        for (std::int64_t q = l_start_[i]; q < here; ++q) y[l_row_[q]] -= l_value_[q] * yi;
        const std::int64_t last = carry == Carry::beyond_it ? l_start_[i + 1] : here;
        for (std::int64_t q = here + 1; q < last; ++q) y[l_row_[q]] -= l_value_[q] * yi;
        l_value_[here] = yi / d_[i];
        pivot -= l_value_[here] * yi;
    }
    return pivot;
}

// Up-looking: row k of L by a sparse triangular solve with the rows before it.
int SwitchingLdlt::factor(std::span<const char> on, std::span<const double> pivot_floor, Deadline deadline) {
    const auto n = static_cast<int>(to_place_.size());
    assert(static_cast<int>(on.size()) == n && static_cast<int>(pivot_floor.size()) == n);
    for (int row = 0; row < n; ++row) {
        on_[to_place_[row]] = on[row];
        floor_[to_place_[row]] = pivot_floor[row];
    }
    std::fill(l_value_.begin(), l_value_.end(), 0.0);
    int moved = 0;
    double* y = work_.data();
    for (int k = 0; k < n; ++k) {
        d_[k] = -1.0;
        if (on_[k] == 0) continue;
        if (k % rows_per_glance == 0 && deadline.passed()) return abandoned;
        for (std::int64_t p = k_start_[k]; p < k_start_[k + 1]; ++p) {
            if (k_index_[p] < k && on_[k_index_[p]] != 0) y[k_index_[p]] = k_value_[p];
        }
        const double pivot = eliminate_row(k, Carry::to_the_row);
        d_[k] = away_from_zero(pivot, floor_[k], k_diagonal_[k]);
        if (d_[k] != pivot) ++moved;
    }
    return moved;
}

bool SwitchingLdlt::switch_on(int row) {
    const int k = to_place_[row];
    assert(on_[k] == 0);
    on_[k] = 1;
    return add_row(k);
}

bool SwitchingLdlt::switch_off(int row) {
    const int k = to_place_[row];
    assert(on_[k] != 0);
    on_[k] = 0;
    return remove_row(k);
}

bool SwitchingLdlt::add_row(int k) {
    double* y = work_.data();  // k12 below k, k32 above
    for (std::int64_t p = k_start_[k]; p < k_start_[k + 1]; ++p) {
        if (on_[k_index_[p]] != 0) y[k_index_[p]] = k_value_[p];
    }
    const double pivot = away_from_zero(eliminate_row(k, Carry::beyond_it), floor_[k], k_diagonal_[k]);
    d_[k] = pivot;
    for (std::int64_t q = l_start_[k]; q < l_start_[k + 1]; ++q) {
        l_value_[q] = y[l_row_[q]] / pivot;
        y[l_row_[q]] = l_value_[q];  // the vector of the modification
    }
    return std::isfinite(pivot) && modify_path(k, -pivot);
}

bool SwitchingLdlt::remove_row(int k) {
    double* y = work_.data();
    for (std::int64_t q = l_start_[k]; q < l_start_[k + 1]; ++q) {
        y[l_row_[q]] = l_value_[q];
        l_value_[q] = 0.0;
    }
    const double pivot = d_[k];
    d_[k] = -1.0;
    for (std::int64_t p = row_start_[k]; p < row_start_[k + 1]; ++p) l_value_[row_position_[p]] = 0.0;
    return modify_path(k, pivot);
}

// L D L^T += alpha y y^T along the path above k (method C1 of Gill, Golub, Murray, Saunders 1974); y is zero
// after.
bool SwitchingLdlt::modify_path(int k, double alpha) {
    double* y = work_.data();
    bool sound = true;
    for (int j = parent_[k]; j >= 0; j = parent_[j]) {
        const double yj = y[j];
        y[j] = 0.0;
        if (yj == 0.0) continue;
        const double before = d_[j];
        const double after = before + alpha * yj * yj;
        // A pivot that changes sign or nearly vanishes cannot belong to a quasi-definite matrix: round-off
        // has won.
        if (!(after * before > 1e-14 * before * before)) sound = false;
        if (!sound) continue;  // go on only to leave y zero
        const double beta = alpha * yj / after;
        alpha *= before / after;
        d_[j] = after;
        for (std::int64_t q = l_start_[j]; q < l_start_[j + 1]; ++q) {
            double& yr = y[l_row_[q]];
            yr -= yj * l_value_[q];
            l_value_[q] += beta * yr;
        }
    }
    return sound;
}

void SwitchingLdlt::solve(std::span<double> b) const {
    const auto n = static_cast<int>(to_place_.size());
    double* y = work_.data();
    for (int place = 0; place < n; ++place) y[place] = b[to_row_[place]];
    for (int j = 0; j < n; ++j) {
        const double yj = y[j];
        if (yj == 0.0) continue;
        for (std::int64_t q = l_start_[j]; q < l_start_[j + 1]; ++q) y[l_row_[q]] -= l_value_[q] * yj;
    }
    for (int j = n - 1; j >= 0; --j) {
        double sum = y[j] / d_[j];
        for (std::int64_t q = l_start_[j]; q < l_start_[j + 1]; ++q) sum -= l_value_[q] * y[l_row_[q]];
        y[j] = sum;
    }
    for (int place = 0; place < n; ++place) b[to_row_[place]] = y[place];
    std::fill(work_.begin(), work_.end(), 0.0);  // the other routines rely on it
}

void SwitchingLdlt::multiply(std::span<const double> x, std::span<double> y) const {
    const auto n = static_cast<int>(to_place_.size());
    for (int k = 0; k < n; ++k) {
        double sum = 0.0;
        if (on_[k] != 0) {
            sum = k_diagonal_[k] * x[to_row_[k]];
            for (std::int64_t p = k_start_[k]; p < k_start_[k + 1]; ++p) {
                if (on_[k_index_[p]] != 0) sum += k_value_[p] * x[to_row_[k_index_[p]]];
            }
        }
        y[to_row_[k]] = sum;
    }
}

}  // namespace uptack

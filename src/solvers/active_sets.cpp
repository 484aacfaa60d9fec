#include "active_sets.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace uptack {
namespace {

constexpr int most_rows = 12;        // 4096 sets of 12 x 12: milliseconds
constexpr double round_off = 1e-12;  // of the largest entry: a pivot below is none
constexpr double slack = 1e-10;      // of the largest impulse or velocity

using Row = std::array<double, most_rows + 1>;  // of A, and b behind it
using Matrix = std::array<Row, most_rows>;
using Vector = std::array<double, most_rows>;

struct Tiny {
    int rows = 0;
    Matrix a{};
    unsigned bilateral = 0;  // one bit per row
};

bool is_on(unsigned set, int row) {
    return ((set >> static_cast<unsigned>(row)) & 1U) != 0;
}

Tiny read(const Problem& problem) {
    Tiny tiny{.rows = problem.row_count()};
    const SparseMatrix& matrix = *problem.matrix;
    for (int i = 0; i < tiny.rows; ++i) {
        for (std::int64_t k = matrix.start[i]; k < matrix.start[i + 1]; ++k) {
            tiny.a[i][matrix.column[k]] += matrix.value[k];
        }
        tiny.a[i][most_rows] = problem.bias[i];
    }
    for (const Block& block : problem.blocks) {
        if (!std::holds_alternative<Bilateral>(block.law)) continue;
        for (int i = 0; i < block.rows; ++i)
            tiny.bilateral |= 1U << static_cast<unsigned>(block.first_row + i);
    }
    return tiny;
}

/// A_on,on x_on = -b_on by elimination with complete pivoting.
Vector solve_set(const Tiny& tiny, unsigned set) {
    Matrix a = tiny.a;
    std::array<int, most_rows> row{};
    int count = 0;
    for (int i = 0; i < tiny.rows; ++i) {
        if (is_on(set, i)) row[count++] = i;
    }
    std::array<int, most_rows> column = row;
    double largest = 0.0;
    int rank = 0;
    for (; rank < count; ++rank) {
        int p = rank;
        int q = rank;
        for (int i = rank; i < count; ++i) {
            for (int j = rank; j < count; ++j) {
                if (std::abs(a[row[i]][column[j]]) > std::abs(a[row[p]][column[q]])) {
                    p = i;
                    q = j;
                }
            }
        }
        std::swap(row[rank], row[p]);
        std::swap(column[rank], column[q]);
        const Row& pivot_row = a[row[rank]];
        const double pivot = pivot_row[column[rank]];
        largest = std::max(largest, std::abs(pivot));
        if (!(std::abs(pivot) > round_off * largest)) break;
        for (int i = rank + 1; i < count; ++i) {
            const double factor = a[row[i]][column[rank]] / pivot;
            for (int j = rank; j < count; ++j) a[row[i]][column[j]] -= factor * pivot_row[column[j]];
            a[row[i]][most_rows] -= factor * pivot_row[most_rows];
        }
    }
    Vector x{};
    for (int k = rank - 1; k >= 0; --k) {
        double sum = -a[row[k]][most_rows];
        for (int j = k + 1; j < rank; ++j) sum -= a[row[k]][column[j]] * x[column[j]];
        x[column[k]] = sum / a[row[k]][column[k]];
    }
    return x;
}

bool fits(const Tiny& tiny, unsigned set, const Vector& x) {
    double impulse = 0.0;
    for (const double value : x) impulse = std::max(impulse, std::abs(value));
    for (int i = 0; i < tiny.rows; ++i) {
        double w = tiny.a[i][most_rows];
        double size = std::abs(w);
        for (int j = 0; j < tiny.rows; ++j) {
            w += tiny.a[i][j] * x[j];
            size += std::abs(tiny.a[i][j] * x[j]);
        }
        if (is_on(set, i) ? !(std::abs(w) <= slack * size) : !(w >= -slack * size)) return false;
        if (!is_on(tiny.bilateral, i) && !(x[i] >= -slack * impulse)) return false;
    }
    return true;
}

}  // namespace

bool can_try_active_sets(const Problem& problem) {
    if (!problem.matrix || problem.row_count() > most_rows) return false;
    return std::all_of(problem.blocks.begin(), problem.blocks.end(), [](const Block& block) {
        return std::holds_alternative<Bilateral>(block.law) || std::holds_alternative<Unilateral>(block.law);
    });
}

bool try_active_sets(const Problem& problem, std::vector<double>& impulse) {
    const Tiny tiny = read(problem);
    const unsigned all = (1U << static_cast<unsigned>(tiny.rows)) - 1U;
    for (unsigned set = 0; set <= all; ++set) {
        if ((set & tiny.bilateral) != tiny.bilateral) continue;
        Vector x = solve_set(tiny, set);
        if (!fits(tiny, set, x)) continue;
        for (int i = 0; i < tiny.rows; ++i) {
            if (!is_on(tiny.bilateral, i)) x[i] = std::max(x[i], 0.0);
        }
        impulse.assign(x.begin(), x.begin() + tiny.rows);
        return true;
    }
    return false;
}

}  // namespace uptack

// Contacts of an assembled matrix: the panels hold its rows, and sweeping them is sweeping row by row.

#include "matrix_panels.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernel_sets.h"
#include "kernels/cone_projection.h"
#include "packed_problem.h"
#include "support/random.h"
#include "support/tolerance.h"

namespace uptack::test {
namespace {

/// Contacts in space and in the plane in turn, or of one kind; each row has its diagonal and some others.
Problem random_contacts(std::uint64_t seed, int contacts, std::vector<int> rows_in_turn) {
    Random random(seed);
    Problem problem;
    int rows = 0;
    for (int k = 0; k < contacts; ++k) {
        const int n = rows_in_turn[k % rows_in_turn.size()];
        const FrictionCone cone{.mu = random.uniform(0.0, 1.0),
                                .model = k % 3 == 0 ? FrictionModel::convex : FrictionModel::exact};
        problem.blocks.push_back({.first_row = rows, .rows = n, .law = cone});
        rows += n;
    }
    SparseMatrix matrix;
    matrix.start.push_back(0);
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < rows; ++j) {
            if (i != j && random.uniform(0.0, 1.0) > 0.2) continue;
            matrix.column.push_back(j);
            matrix.value.push_back(i == j ? 10.0 : random.normal());
        }
        matrix.start.push_back(static_cast<std::int64_t>(matrix.column.size()));
    }
    problem.matrix = matrix;
    problem.bias = random.normals(rows);
    return problem;
}

std::vector<double> product(const SparseMatrix& matrix, const std::vector<double>& x) {
    std::vector<double> y(matrix.rows(), 0.0);
    for (int i = 0; i < matrix.rows(); ++i) {
        for (std::int64_t k = matrix.start[i]; k < matrix.start[i + 1]; ++k)
            y[i] += matrix.value[k] * x[matrix.column[k]];
    }
    return y;
}

TEST(MatrixPanels, TimesImpulsesIsTheMatrixTimesThem) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const Problem problem = random_contacts(seed, 1 + static_cast<int>(seed), {3, 2});
        PackedProblem packed;
        packed.pack(problem);
        const std::vector<double> x = Random(seed).normals(packed.rows());
        std::vector<double> y(packed.rows(), 1e9);
        packed.multiply(x, y);
        const std::vector<double> expected = product(*problem.matrix, x);
        for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], expected[i], tolerance(1e-12)) << seed;
    }
}

/// Row by row, straight from the matrix.
void sweep_plainly(const Problem& problem, std::span<const Cell> cells, double omega,
                   std::vector<double>& x) {
    for (const Cell& cell : cells) {
        double w[3] = {};
        for (int i = 0; i < cell.rows; ++i) {
            const int row = cell.first_row + i;
            w[i] = problem.bias[row];
            for (std::int64_t k = problem.matrix->start[row]; k < problem.matrix->start[row + 1]; ++k)
                w[i] += problem.matrix->value[k] * x[problem.matrix->column[k]];
        }
        if (takes_term(cell)) w[0] += cell.mu * (cell.rows == 3 ? std::hypot(w[1], w[2]) : std::abs(w[1]));
        double* xk = x.data() + cell.first_row;
        double rest = 0.0;
        for (int i = 0; i < cell.rows; ++i) xk[i] -= omega * cell.step * (i == 0 ? cell.spread : 1.0) * w[i];
        project_cone(cell.mu, lean_of(cell), xk[0], xk[1], cell.rows == 3 ? xk[2] : rest);
    }
}

TEST(MatrixPanels, AreSweptAsTheirRowsWouldBe) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        for (const std::vector<int>& kinds : {std::vector<int>{3}, std::vector<int>{2}, {3, 3, 2}}) {
            const Problem problem = random_contacts(seed, 2 + static_cast<int>(seed), kinds);
            PackedProblem packed;
            packed.pack(problem);
            std::vector<double> x = Random(seed).normals(packed.rows());
            packed.project(x);
            std::vector<double> expected = x;
            for (int sweep = 0; sweep < 3; ++sweep) {
                packed.sweep(1.2, Direction::forward, x, {});
                sweep_plainly(problem, packed.cells(), 1.2, expected);
            }
            for (std::size_t i = 0; i < x.size(); ++i)
                EXPECT_NEAR(x[i], expected[i], tolerance(1e-12)) << "seed " << seed << " row " << i;
        }
    }
}

/// A sparse symmetric matrix, entries only above or only below the diagonal added as asked.
Problem scalar_rows(Random& random, int rows, int stray_row, int stray_column, double stray) {
    std::vector<std::vector<double>> dense(rows, std::vector<double>(rows, 0.0));
    for (int i = 0; i < rows; ++i) {
        dense[i][i] = 5.0;
        for (int j = 0; j < i; ++j) {
            if (random.uniform(0.0, 1.0) < 0.4) dense[i][j] = dense[j][i] = random.normal();
        }
    }
    dense[stray_row][stray_column] += stray;
    Problem problem;
    SparseMatrix matrix;
    matrix.start.push_back(0);
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < rows; ++j) {
            if (dense[i][j] == 0.0) continue;
            matrix.column.push_back(j);
            matrix.value.push_back(dense[i][j]);
        }
        matrix.start.push_back(static_cast<std::int64_t>(matrix.column.size()));
        problem.blocks.push_back({.first_row = i, .rows = 1, .law = Unilateral{}});
    }
    problem.matrix = matrix;
    problem.bias = random.normals(rows);
    return problem;
}

TEST(PackedMatrix, SeesEveryEntryWithoutItsTwin) {
    Random random(11);
    for (int trial = 0; trial < 300; ++trial) {
        const int rows = random.whole(2, 8);
        const int i = random.whole(0, rows - 1);
        const int j = random.whole(0, rows - 1);
        for (const double stray : {0.0, 1e-15, 0.3}) {
            PackedProblem packed;
            packed.pack(scalar_rows(random, rows, i, j, stray));
            EXPECT_EQ(packed.is_symmetric(), i == j || stray < 0.1) << i << " " << j << " of " << rows;
        }
    }
}

TEST(MatrixPanels, BackwardsEndsWithTheFirstContact) {
    const Problem problem = random_contacts(3, 5, {3});
    PackedProblem packed;
    packed.pack(problem);
    std::vector<double> x = Random(3).normals(packed.rows());
    packed.project(x);
    std::vector<double> expected = x;
    std::vector<Cell> reversed(packed.cells().rbegin(), packed.cells().rend());
    packed.sweep(1.0, Direction::backward, x, {});
    sweep_plainly(problem, reversed, 1.0, expected);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], expected[i], tolerance(1e-12));
}

#ifdef __x86_64__
TEST(MatrixPanels, GiveTheSameBitsOnEveryInstructionSet) {
    if (__builtin_cpu_supports("avx2") == 0 || __builtin_cpu_supports("fma") == 0) GTEST_SKIP();
    const Problem problem = random_contacts(5, 40, {3, 2});
    PackedProblem packed;
    packed.pack(problem);
    MatrixPanels panels;
    panels.build(*problem.matrix, packed.cells());
    const PackedView view{
        .cells = packed.cells().data(), .q = packed.linear_term().data(), .panels = panels.all().data()};
    const CellRange all{.first = 0, .count = static_cast<int>(packed.cells().size())};
    std::vector<double> portable = Random(5).normals(packed.rows());
    packed.project(portable);
    std::vector<double> wide = portable;
    for (int sweep = 0; sweep < 3; ++sweep) {
        kernels_portable.sweep_panels(view, all, 1.1, portable.data());
        kernels_avx2.sweep_panels(view, all, 1.1, wide.data());
    }
    EXPECT_EQ(portable, wide);
    for (const MatrixPanel& panel : panels.all()) {
        double one[3] = {1.0, 2.0, 3.0};
        double other[3] = {1.0, 2.0, 3.0};
        kernels_portable.add_panel(panel, wide.data(), one);
        kernels_avx2.add_panel(panel, wide.data(), other);
        for (int i = 0; i < 3; ++i) EXPECT_EQ(one[i], other[i]);
    }
}
#endif

}  // namespace
}  // namespace uptack::test

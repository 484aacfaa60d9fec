#include "linalg/switching_ldlt.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "support/random.h"
#include "support/tolerance.h"

namespace uptack::test {
namespace {

SymmetricMatrix compressed(const Eigen::MatrixXd& dense) {
    SymmetricMatrix out;
    out.start.push_back(0);
    for (int j = 0; j < dense.cols(); ++j) {
        for (int i = j; i < dense.rows(); ++i) {
            if (i != j && dense(i, j) == 0.0) continue;
            out.row.push_back(i);
            out.value.push_back(dense(i, j));
        }
        out.start.push_back(static_cast<std::int64_t>(out.row.size()));
    }
    return out;
}

/// [I B^T; B -C] with sparse B; `bodies` dofs, `rows` constraints, redundant ones among them.
Eigen::MatrixXd random_kkt(Random& random, int bodies, int rows) {
    Eigen::MatrixXd k = Eigen::MatrixXd::Identity(bodies + rows, bodies + rows);
    for (int r = 0; r < rows; ++r) {
        for (int entry = 0; entry < 4; ++entry) {
            const int b = random.whole(0, bodies - 1);
            k(bodies + r, b) = k(b, bodies + r) = random.normal();
        }
        if (r > 2 && r % 5 == 0) {  // a copy of the row before
            k.row(bodies + r).head(bodies) = k.row(bodies + r - 1).head(bodies);
            k.col(bodies + r).head(bodies) = k.col(bodies + r - 1).head(bodies);
        }
        k(bodies + r, bodies + r) = -1e-6;
    }
    return k;
}

Eigen::MatrixXd switched(Eigen::MatrixXd k, const std::vector<char>& on) {
    for (int i = 0; i < k.rows(); ++i) {
        if (on[i]) continue;
        k.row(i).setZero();
        k.col(i).setZero();
        k(i, i) = -1.0;
    }
    return k;
}

double solve_error(const SwitchingLdlt& factor, const Eigen::MatrixXd& k, Random& random) {
    std::vector<double> b = random.normals(k.rows());
    const Eigen::VectorXd rhs = Eigen::Map<Eigen::VectorXd>(b.data(), k.rows());
    factor.solve(b);
    return (k * Eigen::Map<Eigen::VectorXd>(b.data(), k.rows()) - rhs).norm() / rhs.norm();
}

TEST(SwitchingLdlt, SolvesQuasiDefiniteSystems) {
    Random random(1);
    for (int trial = 0; trial < 30; ++trial) {
        const Eigen::MatrixXd k = random_kkt(random, 5 + trial, 3 + trial / 2);
        SwitchingLdlt factor;
        factor.analyze(compressed(k));
        const std::vector<char> on(k.rows(), 1);
        const std::vector<double> floor(k.rows(), 0.0);
        EXPECT_EQ(factor.factor(on, floor), 0);
        EXPECT_LE(solve_error(factor, k, random), tolerance(1e-8));
    }
}

TEST(SwitchingLdlt, StopsAtTheDeadlineAndWorksAgainWithoutOne) {
    Random random(4);
    const Eigen::MatrixXd k = random_kkt(random, 40, 30);
    SwitchingLdlt factor;
    factor.analyze(compressed(k));
    const std::vector<char> on(k.rows(), 1);
    const std::vector<double> floor(k.rows(), 0.0);
    EXPECT_EQ(factor.factor(on, floor, Deadline(Deadline::Clock::now())), SwitchingLdlt::abandoned);
    EXPECT_EQ(factor.factor(on, floor), 0);
    EXPECT_LE(solve_error(factor, k, random), tolerance(1e-8));
}

// Hundreds of switches in random order must agree with a factorisation from scratch of the same rows.
TEST(SwitchingLdlt, SwitchingRowsIsTheSameAsFactoringAnew) {
    Random random(2);
    for (int trial = 0; trial < 10; ++trial) {
        const int bodies = 20;
        const int rows = 25;
        const Eigen::MatrixXd k = random_kkt(random, bodies, rows);
        SwitchingLdlt factor;
        factor.analyze(compressed(k));
        std::vector<char> on(k.rows(), 1);
        const std::vector<double> floor(k.rows(), 0.0);
        factor.factor(on, floor);
        for (int change = 0; change < 300; ++change) {
            const int row = bodies + random.whole(0, rows - 1);
            if (on[row]) {
                ASSERT_TRUE(factor.switch_off(row));
            } else {
                ASSERT_TRUE(factor.switch_on(row));
            }
            on[row] = on[row] ? 0 : 1;
            EXPECT_EQ(factor.is_on(row), on[row] != 0);
        }
        EXPECT_LE(solve_error(factor, switched(k, on), random), tolerance(1e-6));
        SwitchingLdlt fresh;
        fresh.analyze(compressed(k));
        fresh.factor(on, floor);
        std::vector<double> a = random.normals(k.rows());
        std::vector<double> b = a;
        factor.solve(a);
        fresh.solve(b);
        for (std::size_t i = 0; i < a.size(); ++i)
            EXPECT_NEAR(a[i], b[i], tolerance(1e-4) * (1 + std::abs(b[i])));
    }
}

TEST(SwitchingLdlt, MultipliesByTheRowsThatAreOn) {
    Random random(3);
    const Eigen::MatrixXd k = random_kkt(random, 12, 9);
    SwitchingLdlt factor;
    factor.analyze(compressed(k));
    std::vector<char> on(k.rows(), 1);
    on[14] = on[17] = 0;
    factor.factor(on, std::vector<double>(k.rows(), 0.0));
    const std::vector<double> x = random.normals(k.rows());
    std::vector<double> y(k.rows());
    factor.multiply(x, y);
    Eigen::MatrixXd masked = switched(k, on);
    masked(14, 14) = masked(17, 17) = 0.0;
    const Eigen::VectorXd expected = masked * Eigen::Map<const Eigen::VectorXd>(x.data(), k.rows());
    for (int i = 0; i < k.rows(); ++i) EXPECT_NEAR(y[i], expected[i], tolerance(1e-12));
}

TEST(SwitchingLdlt, MovesVanishingPivotsAndCountsThem) {
    Eigen::MatrixXd k =
        Eigen::MatrixXd::Zero(4, 4);  // one body dof, three copies of the same row, no compliance
    k(0, 0) = 1.0;
    for (int r = 1; r < 4; ++r) k(r, 0) = k(0, r) = 1.0;
    SwitchingLdlt factor;
    factor.analyze(compressed(k));
    const std::vector<char> on(4, 1);
    EXPECT_GT(factor.factor(on, std::vector<double>(4, 1e-8)), 0);
    std::vector<double> b = {1.0, 0.5, 0.5, 0.5};
    factor.solve(b);
    for (const double value : b) EXPECT_TRUE(std::isfinite(value));
    EXPECT_NEAR(b[0], 0.5, tolerance(1e-6));
}

// A chain of links and joints: AMD must find the order without growing fill.
TEST(SwitchingLdlt, ChainFillsLinearlyAndLittle) {
    for (const int n : {100, 1000, 10'000}) {
        SymmetricMatrix k;  // dof i couples with joint rows i - 1 and i
        k.start.push_back(0);
        for (int i = 0; i < n; ++i) {
            k.row.push_back(i);
            k.value.push_back(1.0);
            for (const int joint : {i - 1, i}) {
                if (joint < 0 || joint >= n - 1) continue;
                k.row.push_back(n + joint);
                k.value.push_back(joint == i ? 1.0 : -1.0);
            }
            k.start.push_back(static_cast<std::int64_t>(k.row.size()));
        }
        for (int joint = 0; joint < n - 1; ++joint) {
            k.row.push_back(n + joint);
            k.value.push_back(-1e-9);
            k.start.push_back(static_cast<std::int64_t>(k.row.size()));
        }
        SwitchingLdlt factor;
        factor.analyze(k);
        EXPECT_LE(factor.fill(), 2 * factor.entries());
    }
}

TEST(SwitchingLdlt, TakesAnEmptyMatrix) {
    SwitchingLdlt factor;
    factor.analyze({.start = {0}, .row = {}, .value = {}});
    EXPECT_EQ(factor.factor({}, {}), 0);
    factor.solve({});
}

}  // namespace
}  // namespace uptack::test

// Small scalar problems against an oracle that tries every combination of active sets.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <optional>

#include "support/dense.h"
#include "support/random.h"
#include "support/solve.h"
#include "support/tolerance.h"

namespace uptack::test {
namespace {

struct Bounds {
    double lower;
    double upper;
};

/// x with w = A x + q obeying the bounds, by brute force: each row free, at its lower or at its upper bound.
std::optional<Eigen::VectorXd> enumerate(const Eigen::MatrixXd& a, const Eigen::VectorXd& q,
                                         const std::vector<Bounds>& bounds) {
    const auto n = static_cast<int>(q.size());
    std::vector<int> state(n, 0);
    for (;;) {
        std::vector<int> free;
        Eigen::VectorXd x = Eigen::VectorXd::Zero(n);
        bool possible = true;
        for (int i = 0; i < n; ++i) {
            if (state[i] == 0) free.push_back(i);
            if (state[i] == 1) x[i] = bounds[i].lower;
            if (state[i] == 2) x[i] = bounds[i].upper;
            possible = possible && std::isfinite(x[i]);
        }
        if (possible) {
            const Eigen::VectorXd rhs = -(a * x + q)(free);
            Eigen::VectorXd solved;
            if (!free.empty()) solved = a(free, free).completeOrthogonalDecomposition().solve(rhs);
            for (std::size_t k = 0; k < free.size(); ++k) x[free[k]] = solved[static_cast<Eigen::Index>(k)];
            const Eigen::VectorXd w = a * x + q;
            bool good = true;
            for (int i = 0; i < n && good; ++i) {
                constexpr double slack = 1e-9;
                good = x[i] >= bounds[i].lower - slack && x[i] <= bounds[i].upper + slack;
                if (state[i] == 0) good = good && std::abs(w[i]) <= slack;
                if (state[i] == 1) good = good && w[i] >= -slack;
                if (state[i] == 2) good = good && w[i] <= slack;
            }
            if (good) return x;
        }
        int i = 0;
        while (i < n && state[i] == 2) state[i++] = 0;
        if (i == n) return std::nullopt;
        ++state[i];
    }
}

struct SmallProblem {
    Problem problem;
    std::vector<Bounds> bounds;
    Eigen::MatrixXd a;
    Eigen::VectorXd q;
};

/// Mixed rows; redundant ones (rank below n) for every third seed, with q in the range of A so that a
/// solution exists.
SmallProblem random_small(std::uint64_t seed) {
    Random random(seed);
    const int n = random.whole(1, 6);
    const int rank = seed % 3 == 0 ? std::max(1, n - 2) : n;
    Eigen::MatrixXd half(n, rank);
    for (double& value : half.reshaped()) value = random.normal();
    SmallProblem out;
    out.a = half * half.transpose();
    if (rank == n) out.a.diagonal().array() += 0.05;
    Eigen::VectorXd v(rank);
    for (double& value : v) value = random.normal();
    out.q = half * v;
    if (seed % 4 ==
        0) {  // degenerate: a solution with w = 0 everywhere and some impulses at their bound, zero
        Eigen::VectorXd x(n);
        for (double& value : x) value = std::max(0.0, random.normal());
        out.q = -out.a * x;
    }
    out.problem = from_dense(out.a, out.q);
    for (int i = 0; i < n; ++i) {
        const int kind = random.whole(0, 3);
        const double low = random.uniform(-1.0, 0.0);
        const double width = kind == 3 ? 0.0 : random.uniform(0.1, 1.0);
        Law law = Interval{.lower = low, .upper = low + width};
        Bounds bounds{low, low + width};
        if (kind == 0) law = Bilateral{}, bounds = {-infinity, infinity};
        if (kind == 1) law = Unilateral{}, bounds = {0.0, infinity};
        out.problem.blocks.push_back({.first_row = i, .rows = 1, .law = law});
        out.bounds.push_back(bounds);
    }
    return out;
}

TEST(Enumeration, EverySolverFindsTheVelocitiesOfTheOracle) {
    int solved = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        const SmallProblem small = random_small(seed);
        const auto oracle = enumerate(small.a, small.q, small.bounds);
        if (!oracle) continue;
        ++solved;
        const std::vector<double> x(oracle->begin(), oracle->end());
        EXPECT_LE(certify(small.problem, x).energy_error_J, tolerance(1e-12))
            << "the oracle itself, seed " << seed;
        const Eigen::VectorXd w = small.a * *oracle + small.q;
        for (const std::string solver : {"psor", "nncg", "apgd", "spg", "jacobi", "simplex"}) {
            const Outcome out =
                solve_with(solver, small.problem, {.tolerance = {1e-9}, .max_iterations = 400'000});
            EXPECT_EQ(out.report.status, Status::converged)
                << solver << " seed " << seed << " at " << out.certificate.relative_error;
            const Eigen::Map<const Eigen::VectorXd> found(out.solution.impulse.data(), small.q.size());
            EXPECT_LE((small.a * found + small.q - w).norm(), tolerance(1e-5) * (1.0 + w.norm()))
                << solver << " seed " << seed;
        }
    }
    EXPECT_GE(solved, 350);
}

// Thousands of problems for the exact method: with block steps and with single pivots alone, which must meet
// too.
TEST(Enumeration, SimplexFindsTheVelocitiesOfTheOracleEverywhere) {
    int solved = 0;
    for (std::uint64_t seed = 1001; seed <= 4000; ++seed) {
        const SmallProblem small = random_small(seed);
        if (small.q.size() > 5) continue;  // 3^n combinations each
        const auto oracle = enumerate(small.a, small.q, small.bounds);
        if (!oracle) continue;
        ++solved;
        const Eigen::VectorXd w = small.a * *oracle + small.q;
        for (const bool block_steps : {true, false}) {
            const auto solver = make_simplex({.block_steps = block_steps});
            const Outcome out = solve_with(*solver, small.problem, {.tolerance = {1e-11}});
            EXPECT_EQ(out.report.status, Status::converged)
                << "seed " << seed << " block steps " << block_steps << " at "
                << out.certificate.relative_error;
            const Eigen::Map<const Eigen::VectorXd> found(out.solution.impulse.data(), small.q.size());
            EXPECT_LE((small.a * found + small.q - w).norm(), tolerance(1e-7) * (1.0 + w.norm()))
                << "seed " << seed;
        }
    }
    EXPECT_GE(solved, 2000);
}

}  // namespace
}  // namespace uptack::test

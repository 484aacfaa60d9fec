// What is particular to one method: the papers' theorems, the slips that were mended, the edges of the
// algorithm.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <Eigen/Eigenvalues>
#include <cmath>

#include "kernel_sets.h"
#include "largest_eigenvalue.h"
#include "packed_problem.h"
#include "spg.h"
#include "support/dense.h"
#include "support/random.h"
#include "support/small_problems.h"
#include "support/solve.h"
#include "support/tolerance.h"
#include "uptack/generators.h"

namespace uptack::test {
namespace {

// f = 1/2 x'Ax + q'x, by the packed problem's own product (which the dense tests below hold to the truth).
double objective(const PackedProblem& packed, const std::vector<double>& x, std::vector<double>& y) {
    packed.multiply(x, y);
    return 0.5 * dot(View(x), View(y)) + dot(View(x), packed.frozen_linear_term());
}

// [fixed-point]: monotone for omega in (0, 2).  True of the objective (the energy norm of the distance),
// sweep by sweep; not of any residual.
TEST(Psor, LowersTheObjectiveAtEverySweepForEveryOmega) {
    for (const std::string name : {"b1", "b2", "b3"}) {
        PackedProblem packed;
        packed.pack(generate(name));
        for (const double omega : {0.3, 1.0, 1.5, 1.95}) {
            std::vector<double> x(packed.rows(), 0.0);
            std::vector<double> y(packed.rows(), 0.0);
            std::vector<double> u(packed.state_size(), 0.0);
            double last = 0.0;
            for (int sweep = 0; sweep < 60; ++sweep) {
                packed.sweep(omega, sweep % 2 == 0 ? Direction::forward : Direction::backward, x, u);
                const double now = objective(packed, x, y);
                EXPECT_LE(now, last + tolerance(1e-13) * std::abs(last)) << name << " omega " << omega;
                last = now;
            }
        }
    }
}

/// Spectral radius of the SOR iteration matrix I - (D / omega + L)^-1 A.
double sor_radius(const Eigen::MatrixXd& a, double omega) {
    Eigen::MatrixXd lower = a.triangularView<Eigen::StrictlyLower>();
    lower.diagonal() = a.diagonal() / omega;
    const Eigen::MatrixXd iteration = Eigen::MatrixXd::Identity(a.rows(), a.cols()) - lower.inverse() * a;
    return iteration.eigenvalues().cwiseAbs().maxCoeff();
}

/// How much a late sweep shrinks the distance to the solution, averaged over many.
double observed_rate(const Problem& problem, double omega, const Eigen::VectorXd& solution) {
    PackedProblem packed;
    packed.pack(problem);
    std::vector<double> x(packed.rows(), 0.0);
    std::vector<double> u(packed.state_size(), 0.0);
    const auto distance = [&] {
        return (Eigen::Map<Eigen::VectorXd>(x.data(), solution.size()) - solution).norm();
    };
    double early = 0.0;
    int early_sweep = 0;
    int sweep = 0;
    for (; sweep < 200'000 && distance() > 1e-9 * solution.norm(); ++sweep) {
        packed.sweep(omega, Direction::forward, x, u);
        if (early == 0.0 && distance() < 1e-4 * solution.norm()) {
            early = distance();
            early_sweep = sweep;
        }
    }
    return std::pow(distance() / early, 1.0 / (sweep - 1 - early_sweep));
}

TEST(Psor, ConvergesAtTheRateOfItsIterationMatrixOnJoints) {
    const Problem problem = generate_joint_network({.edge = 3});
    const Eigen::MatrixXd a = dense_matrix(problem);
    const Eigen::VectorXd solution = a.ldlt().solve(-linear_term(problem));
    for (const double omega : {0.7, 1.0, 1.4}) {
        EXPECT_NEAR(observed_rate(problem, omega, solution), sor_radius(a, omega), tolerance(3e-3)) << omega;
    }
}

// With contacts, the late sweeps see only the rows that carry load.
TEST(Psor, ConvergesAtTheRateOfItsActiveRowsOnContacts) {
    Problem problem = generate_sphere_packing({.spheres = 30, .contacts = 80});
    problem.compliance.assign(problem.bias.size(), 1e-3);  // unique impulses
    const Outcome reference = solve_with("apgd", problem, {.tolerance = {1e-14}});
    std::vector<int> active;
    for (int i = 0; i < problem.row_count(); ++i) {
        if (reference.solution.impulse[i] > 1e-9) active.push_back(i);
    }
    const Eigen::MatrixXd a = dense_matrix(problem)(active, active);
    const Eigen::VectorXd q = linear_term(problem)(active);
    Eigen::VectorXd solution = Eigen::VectorXd::Zero(problem.row_count());
    const Eigen::VectorXd carried = a.ldlt().solve(-q);
    for (std::size_t k = 0; k < active.size(); ++k)
        solution[active[k]] = carried[static_cast<Eigen::Index>(k)];
    EXPECT_NEAR(observed_rate(problem, 1.0, solution), sor_radius(a, 1.0), tolerance(3e-3));
}

// With a step of 3 / trace this diverges for omega > 1.14; with 1 / lambda_max it must not, up to 2.
TEST(Psor, BoxCornersDoNotDivergeForLargeOmega) {
    const Problem stack = generate_plate_stack({.plates = 3, .mass_ratio = 1.0, .mu = 2.0});
    for (const double omega : {1.3, 1.7, 1.95}) {
        const auto solver = make_psor({.omega = omega});
        const Outcome out = solve_with(*solver, stack, {.tolerance = {1e-6}, .max_iterations = 50'000});
        EXPECT_EQ(out.report.status, Status::converged) << omega;
    }
}

TEST(Psor, SymmetricSweepsReachTheSameAnswer) {
    const Problem problem = generate_random({.seed = 2, .compliance = 0.1}).problem;
    const auto forward = make_psor();
    const auto symmetric = make_psor({.symmetric = true});
    const Outcome a = solve_with(*forward, problem, {.tolerance = {1e-10}});
    const Outcome b = solve_with(*symmetric, problem, {.tolerance = {1e-10}});
    EXPECT_EQ(a.report.status, Status::converged);
    EXPECT_EQ(b.report.status, Status::converged);
    EXPECT_NE(a.report.iterations, b.report.iterations);
    for (std::size_t i = 0; i < a.solution.velocity.size(); ++i) {
        EXPECT_NEAR(a.solution.velocity[i][0], b.solution.velocity[i][0], tolerance(1e-7));
    }
}

// Three coincident rows: with B = diag(A)^-1 the simultaneous form doubles the error at every step.
TEST(Jacobi, SafeDiagonalHoldsWhereThePlainOneDiverges) {
    Problem problem = resting_ball();
    const JacobianRow up{.a = {0, 0, 1, 0, 0, 0}};
    for (int copy = 0; copy < 2; ++copy)
        add_block(problem, Bilateral{}, 0, no_body, std::span(&up, 1), std::array{0.0});
    const Outcome out = solve_with("jacobi", problem, {.tolerance = {1e-12}});
    EXPECT_EQ(out.report.status, Status::converged);
    EXPECT_NEAR(out.solution.velocity[0][2], 0.0, tolerance(1e-11));
}

TEST(Jacobi, SafeDiagonalDominatesTheMatrix) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const Problem bodies = generate_random({.seed = seed, .bodies = 8, .blocks = 20}).problem;
        for (const Problem& problem : {bodies, assemble(bodies)}) {
            PackedProblem packed;
            packed.pack(problem);
            std::vector<double> d(packed.rows());
            packed.safe_diagonal(d);
            const Eigen::MatrixXd gap =
                Eigen::MatrixXd(Eigen::Map<Eigen::VectorXd>(d.data(), problem.row_count()).asDiagonal()) -
                dense_matrix(problem);
            EXPECT_GE(gap.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff(), -tolerance(1e-9));
        }
    }
}

// A light hub in the middle of heavy arms, the hub on side b of every row: it is the hub's count that
// matters.
TEST(Jacobi, SafeDiagonalCountsTheRowsOfEitherSide) {
    Problem star;
    star.bodies.push_back(ball(0.01));
    for (int arm = 1; arm <= 5; ++arm) {
        star.bodies.push_back(ball(100.0));
        const JacobianRow row{.a = {0, 0, 1, 0, 0, 0}, .b = {0, 0, -1, 0, 0, 0}};
        add_block(star, Bilateral{}, arm, 0, std::span(&row, 1), std::array{0.0});
    }
    PackedProblem packed;
    packed.pack(star);
    std::vector<double> d(packed.rows());
    packed.safe_diagonal(d);
    for (const double value : d) EXPECT_NEAR(value, 5.0 / 0.01 + 1.0 / 100.0, tolerance(1e-9));
}

// The first row of a cell is the one that asks for most: the bound is over all of them.
TEST(Jacobi, SafeDiagonalOfAnAssembledConeLooksAtEveryRow) {
    Eigen::MatrixXd a = Eigen::MatrixXd::Identity(3, 3);
    a(0, 1) = a(1, 0) = 0.9;
    Problem problem = from_dense(a, Eigen::VectorXd::Zero(3));
    problem.blocks = {{.first_row = 0, .rows = 3, .law = FrictionCone{.mu = 0.5}}};
    PackedProblem packed;
    packed.pack(problem);
    std::vector<double> d(3);
    packed.safe_diagonal(d);
    for (const double value : d) EXPECT_NEAR(value, 1.9, tolerance(1e-12));
}

// One row: a step of omega goes omega of the way, by its name in the registry too.
TEST(Jacobi, OmegaScalesTheStep) {
    const double weight = mass * gravity * time_step;
    for (const std::string omega : {"0.5", "1.5"}) {
        const auto solver = make_solver("jacobi", {{"omega", omega}});
        const Outcome out = solve_with(*solver, resting_ball(), {.tolerance = {1e-12}, .max_iterations = 1});
        EXPECT_NEAR(out.solution.impulse[0], std::stod(omega) * weight, tolerance(1e-12));
    }
}

// The non-monotone test must really look at the objective: where the spectral step overshoots, it shortens.
TEST(Spg, LineSearchTriggersAndTheObjectiveStaysBelowItsMemory) {
    Spg strict({.memory = 1});
    Spg usual({});
    const Problem problem = generate_plate_stack({.plates = 10, .mass_ratio = 100.0});
    solve_with(strict, problem, {.tolerance = {1e-12}, .max_iterations = 2000});
    solve_with(usual, problem, {.tolerance = {1e-12}, .max_iterations = 2000});
    EXPECT_GT(strict.backtracks(), 0);
    EXPECT_GT(usual.backtracks(), 0);
    EXPECT_GT(strict.backtracks(), usual.backtracks()) << "a longer memory allows more";
}

TEST(Spg, AskingForMoreDecreaseShortensMoreSteps) {
    Spg modest({.memory = 1});
    Spg demanding({.memory = 1, .armijo = 0.6});
    const Problem problem = generate_plate_stack({.plates = 10, .mass_ratio = 100.0});
    solve_with(modest, problem, {.tolerance = {1e-12}, .max_iterations = 500});
    solve_with(demanding, problem, {.tolerance = {1e-12}, .max_iterations = 500});
    EXPECT_GT(demanding.backtracks(), modest.backtracks() + 10);
}

// Redundant rows: s in the null space of A gives <s, y> = 0; the step must not collapse.
TEST(Spg, RedundantContactsDoNotStallIt) {
    Problem table;
    table.bodies = {ball()};
    for (const double x : {-1.0, 1.0}) {
        for (const double y : {-1.0, 1.0}) {
            const JacobianRow leg{.a = {0, 0, 1, y, -x, 0}};
            add_block(table, Unilateral{}, 0, no_body, std::span(&leg, 1), std::array{0.0});
        }
    }
    for (const std::string solver : {"spg", "apgd", "psor", "nncg", "leap", "jacobi"}) {
        const Outcome out = solve_with(solver, table, {.tolerance = {1e-12}});
        EXPECT_EQ(out.report.status, Status::converged) << solver;
        EXPECT_NEAR(out.solution.velocity[0][2], 0.0, tolerance(1e-11)) << solver;
        double sum = 0.0;
        for (const double impulse : out.solution.impulse) sum += impulse;
        EXPECT_NEAR(sum, mass * gravity * time_step, tolerance(1e-10)) << solver;
    }
}

TEST(ConeMetric, ReachesTheSameVelocitiesInFewerIterationsOnSpheres) {
    const Problem problem = generate_sphere_packing({.spheres = 100, .contacts = 320, .mu = 0.3});
    const auto plain = make_apgd();
    const auto apart = make_apgd({.cone_metric = true});
    const Outcome a = solve_with(*plain, problem, {.tolerance = {1e-8}});
    const Outcome b = solve_with(*apart, problem, {.tolerance = {1e-8}});
    EXPECT_EQ(a.report.status, Status::converged);
    EXPECT_EQ(b.report.status, Status::converged);
    EXPECT_LT(b.report.iterations, a.report.iterations);
    for (std::size_t i = 0; i < a.solution.velocity.size(); ++i) {
        for (int k = 0; k < 6; ++k)
            EXPECT_NEAR(a.solution.velocity[i][k], b.solution.velocity[i][k], tolerance(1e-4));
    }
}

/// The energy error of S(x_n), by the lines of nncg.h with the state computed afresh for every sweep.
double error_after_nncg(const Problem& problem, std::int64_t sweeps) {
    PackedProblem packed;
    packed.pack(problem);
    const std::size_t n = packed.rows();
    std::vector<double> x(n, 0.0), p(n, 0.0), u(packed.state_size()), swept(n), y(n);
    packed.project(x);
    double last = 0.0;
    for (std::int64_t j = 1; j <= sweeps; ++j) {
        swept = x;
        packed.carry(x, u);
        packed.sweep(1.0, Direction::forward, swept, u);
        double square = 0.0;
        for (std::size_t i = 0; i < n; ++i) square += packed.metric()[i] * std::pow(swept[i] - x[i], 2);
        const double beta = last > 0.0 && square <= last ? square / last : 0.0;
        for (std::size_t i = 0; i < n; ++i) {
            const double d = swept[i] - x[i];
            x[i] = swept[i] + beta * p[i];
            p[i] = beta > 0.0 || last == 0.0 ? d + beta * p[i] : 0.0;
        }
        last = square;
    }
    packed.multiply(swept, y);
    return packed.energy_error(swept, y);
}

// The solver carries x, its state and two directions along; a slip in one of them only costs iterations.
TEST(Nncg, FollowsTheAlgorithmOfItsHeader) {
    const Problem problem = generate_random({.seed = 3, .compliance = 0.05}).problem;
    for (const std::int64_t sweeps : {1, 2, 3, 7, 30}) {
        double seen = 0.0;
        const auto solver = make_nncg();
        solve_with(*solver, problem, {.tolerance = {1e-15}, .max_iterations = sweeps},
                   [&](const Progress& progress) { seen = progress.energy_error_J; });
        EXPECT_NEAR(seen / error_after_nncg(problem, sweeps), 1.0, tolerance(1e-6)) << sweeps;
    }
}

TEST(Cg, FindsContradictingRows) {
    Problem problem;
    problem.bodies = {ball()};
    const JacobianRow up{.a = {0, 0, 1, 0, 0, 0}};
    add_block(problem, Bilateral{}, 0, no_body, std::span(&up, 1), std::array{0.0});
    add_block(problem, Bilateral{}, 0, no_body, std::span(&up, 1), std::array{1.0});
    const Outcome out = solve_with("cg", problem, {.tolerance = {1e-9}});
    EXPECT_EQ(out.report.status, Status::stalled);
    EXPECT_GT(out.certificate.relative_error, 1e-3);
}

// Its estimate comes free from the recurrence; it must still be the certificate's error, not a multiple of
// it.
TEST(Cg, EstimatesTheErrorThatTheCertificateFinds) {
    const Problem problem = generate_joint_network({.edge = 3});
    for (const std::int64_t iterations : {1, 5, 20}) {
        const Outcome out = solve_with("cg", problem, {.tolerance = {1e-12}, .max_iterations = iterations});
        EXPECT_EQ(out.report.status, Status::iteration_limit);
        EXPECT_NEAR(out.report.energy_error_J / out.certificate.energy_error_J, 1.0, tolerance(1e-6));
    }
}

// Gyroscopic terms make real W unsymmetric; the answer must satisfy the matrix as given, not its symmetric
// part.
TEST(UnsymmetricMatrix, IsSolvedAsGiven) {
    Random random(9);
    const int n = 12;
    Eigen::MatrixXd half = Eigen::MatrixXd::Zero(n, n);
    for (double& value : half.reshaped()) value = random.normal();
    Eigen::MatrixXd skew = half - half.transpose();
    const Eigen::MatrixXd a = half * half.transpose() + Eigen::MatrixXd::Identity(n, n) + 0.05 * skew;
    Eigen::VectorXd q(n);
    for (double& value : q) value = random.normal();
    Problem problem = from_dense(a, q);
    for (int i = 0; i < n; ++i) problem.blocks.push_back({.first_row = i, .rows = 1, .law = Unilateral{}});
    ASSERT_TRUE(validate(problem).empty());
    for (const std::string solver : {"psor", "nncg", "apgd", "spg"}) {
        const Outcome out = solve_with(solver, problem, {.tolerance = {1e-9}});
        EXPECT_EQ(out.report.status, Status::converged) << solver;
        EXPECT_LE(out.certificate.relative_error, 1e-9 * (1 + tolerance(1e-6))) << solver;
        for (const std::int64_t iterations : {3, 10, 25}) {
            const Outcome early =
                solve_with(solver, problem, {.tolerance = {1e-15}, .max_iterations = iterations});
            EXPECT_NEAR(early.report.relative_error / early.certificate.relative_error, 1.0, tolerance(1e-6))
                << solver << " after " << iterations;
        }
    }
}

TEST(IndefiniteMatrix, IsSaidNotLooped) {
    Eigen::MatrixXd a(2, 2);
    a << 1.0, 3.0, 3.0, 1.0;
    Eigen::VectorXd q(2);
    q << -1.0, -0.5;
    Problem problem = from_dense(a, q);
    for (int i = 0; i < 2; ++i) problem.blocks.push_back({.first_row = i, .rows = 1, .law = Bilateral{}});
    for (const std::string solver : {"spg", "apgd"}) {
        const Outcome out = solve_with(solver, problem, {.tolerance = {1e-9}});
        EXPECT_EQ(out.report.status, Status::unsuitable) << solver << " " << out.report.relative_error;
        EXPECT_NE(out.report.reason, "");
    }
    a(0, 0) = 0.0;
    Problem hollow = from_dense(a, q);
    hollow.blocks = problem.blocks;
    EXPECT_EQ(solve_with("psor", hollow, {}).report.status, Status::unsuitable);
    EXPECT_EQ(solve_with("nncg", hollow, {}).report.status, Status::unsuitable);
}

TEST(Leap, TakesHalfTheSweepsOfNncgInPackings) {
    for (const char* name : {"b2", "b2-friction", "shaker"}) {
        const Problem packing = generate(name);
        const auto sweeps = [&](const char* solver) {
            const Outcome out = solve_with(solver, packing, {.tolerance = {1e-2}});
            EXPECT_EQ(out.report.status, Status::converged) << solver << " on " << name;
            return static_cast<double>(out.report.iterations);
        };
        EXPECT_LT(sweeps("leap"), 0.6 * sweeps("nncg")) << name;
    }
}

TEST(Leap, NeedsBodies) {
    const Outcome out = solve_with("leap", assemble(generate_plate_stack({.plates = 3})), {});
    EXPECT_EQ(out.report.status, Status::unsuitable);
    EXPECT_NE(out.report.reason.find("nncg"), std::string::npos) << out.report.reason;
}

// Found by fuzzing: at the solution the steps are round-off, and so is the curvature along them.
TEST(Apgd, DoesNotTakeRoundOffForNegativeCurvature) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        for (const double compliance : {0.0, 0.05}) {
            const Problem problem =
                generate_random({.seed = seed, .bodies = 3, .blocks = 2, .mu = 0.0, .compliance = compliance})
                    .problem;
            const Outcome out = solve_with("apgd", problem, {.tolerance = {0.0}, .max_iterations = 400});
            EXPECT_NE(out.report.status, Status::unsuitable) << "seed " << seed;
        }
    }
}

TEST(PackedProblem, MultipliesLikeTheDenseMatrix) {
    Random random(4);
    const Problem problem = generate_random({.seed = 8, .compliance = 0.3}).problem;
    PackedProblem packed;
    packed.pack(problem);
    const std::vector<double> x = random.normals(packed.rows());
    std::vector<double> y(packed.rows());
    packed.multiply(x, y);
    const Eigen::VectorXd expected =
        dense_matrix(problem) * Eigen::Map<const Eigen::VectorXd>(x.data(), y.size());
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], expected[i], tolerance(1e-10));
}

// Inertias of rank one and two, as rotated rods and plates have them, with round-off where zeros should be: a
// pivot that is only round-off must not blow up what is divided by it.
TEST(PackedProblem, MultipliesLikeTheDenseMatrixForBodiesThatCannotTurnFreely) {
    const std::vector<Symmetric3> inertias = {
        {1e-300, 1, 1, 1e-13, -1e-13, 0},          // a first pivot that is no pivot
        {1, 1 + 1e-15, 4, 1, 2, 2 + 1e-13},        // a second one: rank one, y and x alike
        {1, 1, 1, 1, 1, 1},                        // exactly rank one
        {0, 2, 2, 0, 0, 1},                        // turns about two axes
        {1e-18, 0.64, 0.36, -8e-10, 6e-10, -0.48}  // rank one, hardly along x
    };
    const std::vector<Vec6> rows = {{0, 0, 0, 1, 0, 0}, {0, 0, 0, 0, 1, 0}, {0, 0, 0, 0, 0, 1}};
    for (const Symmetric3& inertia : inertias) {
        Problem problem;
        problem.bodies = {{.inverse_mass = 1.0, .inverse_inertia_w = inertia}};
        for (const Vec6& row : rows) {
            JacobianRow j{.a = row};
            j.a[0] = 1.0;
            add_block(problem, Bilateral{}, 0, no_body, std::span(&j, 1), std::array{0.0});
        }
        ASSERT_TRUE(validate(problem).empty());
        PackedProblem packed;
        packed.pack(problem);
        const Eigen::MatrixXd expected = dense_matrix(problem);
        for (int j = 0; j < 3; ++j) {
            std::vector<double> x(3, 0.0);
            std::vector<double> y(3);
            x[j] = 1.0;
            packed.multiply(x, y);
            for (int i = 0; i < 3; ++i) EXPECT_NEAR(y[i], expected(i, j), tolerance(1e-12)) << i << j;
        }
    }
}

PackedProblem packed_of(const Problem& problem) {
    PackedProblem packed;
    packed.pack(problem);
    return packed;
}

Problem uncoupled_rows(const Law& law, int rows) {
    Problem problem = from_dense(Eigen::MatrixXd::Identity(rows, rows), Eigen::VectorXd::Zero(rows));
    problem.blocks = {{.first_row = 0, .rows = rows, .law = law}};
    return problem;
}

TEST(PackedProblem, KnowsWhatIsNotOneConvexProblem) {
    const FrictionCone rolling{.mu = 0.0, .mu_roll = 0.1, .model = FrictionModel::exact};
    EXPECT_FALSE(packed_of(uncoupled_rows(rolling, 5)).is_convex());
    EXPECT_FALSE(
        packed_of(uncoupled_rows(FrictionCone{.mu = 0.1, .model = FrictionModel::exact}, 3)).is_convex());
    EXPECT_FALSE(packed_of(uncoupled_rows(BoxFriction{.mu = 0.1}, 3)).is_convex());
    EXPECT_TRUE(packed_of(uncoupled_rows(FrictionCone{.mu = 0.1, .mu_roll = 0.1}, 5)).is_convex());
    for (const double skew : {1.0, 1e-6, 1e-14}) {
        Problem problem = uncoupled_rows(Bilateral{}, 2);
        problem.matrix->value[1] = skew;
        EXPECT_EQ(packed_of(problem).is_convex(), skew < 1e-12) << "a twin that is zero";
        problem.matrix = SparseMatrix{.start = {0, 2, 3}, .column = {0, 1, 1}, .value = {1.0, skew, 1.0}};
        EXPECT_EQ(packed_of(problem).is_convex(), skew < 1e-12) << "a twin that is not there";
    }
}

TEST(PackedProblem, SymmetricProductIsThatOfTheSymmetricPart) {
    Eigen::MatrixXd a(2, 2);
    a << 4.0, 3.0, -1.0, 5.0;
    Problem problem = from_dense(a, Eigen::VectorXd::Zero(2));
    problem.blocks = {{.first_row = 0, .rows = 2, .law = Bilateral{}}};
    const PackedProblem packed = packed_of(problem);
    std::vector<double> y(2);
    packed.multiply(std::vector{1.0, 10.0}, y);
    EXPECT_EQ(y, (std::vector{34.0, 49.0}));
    packed.multiply_symmetric(std::vector{1.0, 10.0}, y);
    EXPECT_EQ(y, (std::vector{14.0, 51.0}));
}

TEST(PackedProblem, KnowsWhichRowsAreBilateral) {
    EXPECT_TRUE(packed_of(uncoupled_rows(Bilateral{}, 3)).only_bilateral());
    EXPECT_TRUE(packed_of(uncoupled_rows(Interval{}, 3)).only_bilateral());
    EXPECT_FALSE(packed_of(uncoupled_rows(Interval{.lower = -1.0}, 1)).only_bilateral());
    EXPECT_FALSE(packed_of(uncoupled_rows(Interval{.upper = 1.0}, 1)).only_bilateral());
    EXPECT_FALSE(packed_of(uncoupled_rows(Unilateral{}, 1)).only_bilateral());
    EXPECT_FALSE(packed_of(uncoupled_rows(BoxFriction{}, 2)).only_bilateral());
    EXPECT_FALSE(packed_of(uncoupled_rows(FrictionCone{}, 2)).only_bilateral());
}

// The certificate's a_k, diagonals that are not positive included: the third row has none, the second a
// negative one.
TEST(PackedProblem, MeasuresWithTheMetricOfTheCertificate) {
    Eigen::MatrixXd hollow(3, 3);
    hollow << 2.0, -5.0, 0.0, -5.0, -1.0, 3.0, 0.0, 3.0, 0.0;
    Problem foreign = from_dense(hollow, Eigen::VectorXd::Zero(3));
    foreign.blocks = {{.first_row = 0, .rows = 3, .law = Bilateral{}}};
    for (const Problem& problem : {foreign, generate_random({.seed = 6, .compliance = 0.2}).problem}) {
        const PackedProblem packed = packed_of(problem);
        EXPECT_EQ(packed.has_positive_diagonal(), !problem.matrix.has_value());
        for (const Block& block : problem.blocks) {
            const auto a = effective_inverse_mass(problem, block);
            for (int i = 0; i < block.rows; ++i) {
                EXPECT_NEAR(packed.metric()[block.first_row + i] / a[i], 1.0, tolerance(1e-12));
            }
        }
    }
}

TEST(PackedProblem, ConeMetricSetsNormalAndTangentsApart) {
    const Problem problem = generate_random({.seed = 6, .blocks = 100}).problem;
    const PackedProblem packed = packed_of(problem);
    std::vector<double> apart(packed.rows());
    packed.cone_metric(apart);
    for (const Block& block : problem.blocks) {
        std::vector<double> expected(packed.metric().begin() + block.first_row,
                                     packed.metric().begin() + block.first_row + block.rows);
        if (const auto* cone = std::get_if<FrictionCone>(&block.law)) {
            const int tangents = friction_groups(*cone, block.rows)[0].count;
            double sum = 0.0;
            for (int i = 0; i <= tangents; ++i)
                expected[i] = diagonal_entry(problem, block, block.first_row + i);
            for (int i = 1; i <= tangents; ++i) sum += expected[i];
            for (int i = 1; i <= tangents; ++i) expected[i] = sum / tangents;
        }
        for (int i = 0; i < block.rows; ++i) {
            EXPECT_NEAR(apart[block.first_row + i] / expected[i], 1.0, tolerance(1e-12)) << block.rows << i;
        }
    }
}

/// The same cells in the opposite order; `source` says which row of the original each row is.
Problem with_cells_reversed(const Problem& problem, std::vector<int>& source) {
    Problem out;
    out.bodies = problem.bodies;
    for (auto block = problem.blocks.rbegin(); block != problem.blocks.rend(); ++block) {
        const bool one_cell = std::holds_alternative<FrictionCone>(block->law) ||
                              std::holds_alternative<BoxFriction>(block->law);
        std::vector<JacobianRow> rows;
        std::vector<double> bias;
        for (int i = 0; i < block->rows; ++i) {
            source.push_back(block->first_row + (one_cell ? i : block->rows - 1 - i));
            rows.push_back(problem.jacobian[source.back()]);
            bias.push_back(problem.bias[source.back()]);
        }
        add_block(out, block->law, block->body_a, block->body_b, rows, bias);
    }
    return out;
}

// The kernels see bodies, the general loop sees the matrix; every row has a compliance of its own.
TEST(PackedProblem, SweepsTheBodiesAsItSweepsTheirMatrix) {
    for (const FrictionModel model : {FrictionModel::convex, FrictionModel::exact}) {
        Problem bodies = generate_random({.seed = 12, .blocks = 60, .model = model}).problem;
        for (std::size_t i = 0; i < bodies.bias.size(); ++i)
            bodies.compliance.push_back(0.02 * static_cast<double>(1 + i % 7));
        const PackedProblem one = packed_of(bodies);
        const Problem matrix = assemble(bodies);
        const PackedProblem other = packed_of(matrix);
        std::vector<double> x(one.rows(), 0.0), u(one.state_size(), 0.0), z(one.rows(), 0.0), none;
        for (int sweep = 0; sweep < 3; ++sweep) {
            one.sweep(1.1, Direction::forward, x, u);
            other.sweep(1.1, Direction::forward, z, none);
        }
        for (std::size_t i = 0; i < z.size(); ++i) EXPECT_NEAR(x[i], z[i], tolerance(1e-9)) << i;
    }
}

TEST(PackedProblem, SweepingBackwardsIsSweepingTheReversedProblem) {
    const Problem bodies = generate_random({.seed = 12, .model = FrictionModel::exact}).problem;
    std::vector<int> source;
    const Problem reversed = with_cells_reversed(bodies, source);
    for (const bool assembled : {false, true}) {
        const Problem original = assembled ? assemble(bodies) : bodies;  // a packed problem looks into it
        const Problem opposite = assembled ? assemble(reversed) : reversed;
        const PackedProblem there = packed_of(original);
        const PackedProblem back = packed_of(opposite);
        std::vector<double> x(there.rows(), 0.0), u(there.state_size(), 0.0);
        std::vector<double> z(back.rows(), 0.0), v(back.state_size(), 0.0);
        for (int sweep = 0; sweep < 3; ++sweep) {
            there.sweep(1.1, Direction::backward, x, u);
            back.sweep(1.1, Direction::forward, z, v);
        }
        for (std::size_t i = 0; i < z.size(); ++i) EXPECT_NEAR(x[source[i]], z[i], tolerance(1e-10)) << i;
    }
}

TEST(PackedProblem, SweepCarriesItsStateExactly) {
    const Problem problem = generate_random({.seed = 8, .compliance = 0.3}).problem;
    PackedProblem packed;
    packed.pack(problem);
    std::vector<double> x(packed.rows(), 0.0);
    std::vector<double> u(packed.state_size(), 0.0);
    std::vector<double> fresh(packed.state_size());
    for (int sweep = 0; sweep < 20; ++sweep) packed.sweep(1.3, Direction::forward, x, u);
    packed.carry(x, fresh);
    for (std::size_t i = 0; i < u.size(); ++i) EXPECT_NEAR(u[i], fresh[i], tolerance(1e-12));
}

// Four at a time and one by one: runs of contacts of every length between other cells.
TEST(PackedProblem, MeasuresLikeTheCertificateWhereverContactsStand) {
    Random random(9);
    for (int trial = 0; trial < 40; ++trial) {
        const bool has_boxes = trial % 2 == 1;
        Problem problem = generate_brick_wall({.bricks_per_course = 4, .courses = 3});
        for (Block& block : problem.blocks) {
            const int law = random.whole(0, 19);
            if (law == 0) block.law = Unilateral{};
            if (law == 1 && has_boxes) block.law = BoxFriction{.mu = 0.3};
            if (law >= 10)
                block.law = FrictionCone{.mu = random.uniform(0.0, 1.0), .model = FrictionModel::exact};
        }
        PackedProblem packed;
        packed.pack(problem);
        std::vector<double> x = random.normals(packed.rows());
        packed.project(x);
        for (const Block& block : problem.blocks) {
            EXPECT_TRUE(contains(block.law, std::span(x).subspan(block.first_row, 3), tolerance(1e-12)));
        }
        std::vector<double> y(packed.rows());
        packed.multiply(x, y);
        const Certificate certificate = certify(problem, x);
        EXPECT_NEAR(packed.energy_error(x, y) / certificate.energy_error_J, 1.0, tolerance(1e-11)) << trial;
        EXPECT_NEAR(packed.reference_energy() / certificate.reference_energy_J, 1.0, tolerance(1e-11))
            << trial;
        std::vector<double> z(packed.rows());
        packed.fixed_point_step(x, y, 1.0, packed.metric(), z);
        double energy_J = 0.0;  // of the step with alpha = 1, which is the natural map
        for (std::size_t i = 0; i < z.size(); ++i)
            energy_J += 0.5 * packed.metric()[i] * (x[i] - z[i]) * (x[i] - z[i]);
        if (has_boxes) continue;  // there the bounds differ
        EXPECT_NEAR(energy_J / certificate.energy_error_J, 1.0, tolerance(1e-11)) << trial;
    }
}

#ifdef __x86_64__
TEST(Kernels, EveryInstructionSetGivesTheSameBits) {
    if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "this machine has no AVX2 to compare with";
    Random random(5);
    constexpr int bodies = 50;
    constexpr int cells = 200;
    std::vector<Cell> list;
    for (int k = 0; k < cells; ++k) {
        Cell cell{};
        cell.slot_a = random.whole(0, bodies - 1);
        cell.slot_b = (cell.slot_a + random.whole(1, bodies - 1)) % bodies;
        cell.first_row = 3 * k;
        cell.kind = CellKind::contact;
        cell.rows = 3;
        cell.exact = static_cast<std::uint8_t>(k % 2);
        cell.mu = 0.4;
        cell.step = 0.05;
        cell.spread = k % 3 == 0 ? 1.0 : 1.6;
        list.push_back(cell);
    }
    const auto g = random.normals(3UL * cells * row_width);
    const auto q = random.normals(3UL * cells);
    const auto c = std::vector<double>(3UL * cells, 0.01);
    std::vector<double> metric = random.normals(3UL * cells);
    for (std::size_t i = 0; i < metric.size(); ++i)
        metric[i] = i % 3 == 2 ? metric[i - 1] : 0.5 + std::abs(metric[i]);
    const PackedView view{.cells = list.data(), .g = g.data(), .q = q.data(), .c = c.data()};
    const auto run = [&](const Kernels& kernels) {
        std::vector<double> x(q.size(), 0.0);
        std::vector<double> u(state_width * bodies, 0.0);
        for (int sweep = 0; sweep < 10; ++sweep)
            kernels.sweep_contacts(view, {.count = cells}, 1.2, x.data(), u.data());
        kernels.scatter(view, {.count = cells, .stride = -1}, x.data(), u.data());
        std::vector<double> y(x.size());
        kernels.gather(view, {.count = cells}, u.data(), x.data(), y.data());
        std::vector<double> z(x.size());
        ContactLoop loop{.cells = list.data(), .count = cells, .x = x.data(), .y = y.data(), .q = q.data()};
        loop.metric = metric.data();
        loop.plain = false;
        loop.exact = true;
        kernels.step_contacts(loop, 0.7, z.data());
        kernels.project_contacts(loop, y.data());
        std::vector<double> direction = z;
        std::vector<double> before = y;
        kernels.extrapolate(0.8, z.data(), before.data(), direction.data(), 3 * cells - 3);
        const double square = kernels.square_of_change(z.data(), y.data(), metric.data(), 3 * cells - 3);
        const double energy = kernels.energy_of_contacts(loop);
        for (const auto* more : {&y, &z, &direction, &before}) x.insert(x.end(), more->begin(), more->end());
        x.insert(x.end(), {square, energy});
        return x;
    };
    const auto portable = run(kernels_portable);
    EXPECT_TRUE(portable == run(kernels_avx2));
    EXPECT_TRUE(std::isfinite(portable.back()));
}
#endif

TEST(LargestEigenvalue, IsATightUpperBound) {
    Random random(6);
    for (int trial = 0; trial < 3000; ++trial) {
        const int n = random.whole(1, 6);
        const int rank = random.whole(1, n);
        Eigen::MatrixXd half = Eigen::MatrixXd::Zero(n, rank);
        for (double& value : half.reshaped()) value = random.normal();
        Eigen::MatrixXd s = half * half.transpose();
        if (trial % 3 == 0) s = Eigen::MatrixXd(s.diagonal().asDiagonal());
        if (trial % 7 == 0 && n == 3) s = Eigen::Vector3d(1.0, 3.5, 3.5).asDiagonal();  // a sphere's contact
        std::vector<double> metric(n);
        for (double& d : metric) d = random.uniform(0.5, 2.0);
        const Eigen::VectorXd root = Eigen::Map<Eigen::VectorXd>(metric.data(), n).cwiseSqrt().cwiseInverse();
        const Eigen::MatrixXd scaled = root.asDiagonal() * s * root.asDiagonal();
        const double exact = scaled.selfadjointView<Eigen::Lower>().eigenvalues().maxCoeff();
        const double bound = largest_scaled_eigenvalue(std::span(s.data(), n * n), metric);
        EXPECT_GE(bound, exact * (1.0 - tolerance(1e-12)));
        EXPECT_LE(bound, exact * (1.0 + tolerance(2e-3)) + 1e-12);
    }
}

}  // namespace
}  // namespace uptack::test

// Every solver x every problem x the certificate.

#include <gtest/gtest.h>

#include <cmath>

#include "support/solve.h"
#include "support/tolerance.h"
#include "uptack/generators.h"

namespace uptack::test {
namespace {

struct Case {
    std::string name;
    Problem problem;
    double gauss_seidel;  // relative error the sweeping solvers must reach within the iterations
    double gradient;      // and the gradient solvers
    std::int64_t iterations;
};

/// The papers' problems at the papers' sizes, and every law at once.  What is asked is what the methods are
/// able to give in a few seconds; where that is little (stiff stacks, friction in packings), it says so.
const std::vector<Case>& cases() {
    static const std::vector<Case> all = [] {
        std::vector<Case> list;
        list.push_back({"b1", generate("b1"), 1e-8, 1e-8, 3000});
        list.push_back({"b2", generate("b2"), 1e-3, 1e-8, 4000});
        list.push_back({"shaker", generate("shaker"), 3e-3, 1e-4, 3000});
        list.push_back({"b2-friction", generate("b2-friction"), 3e-2, 1.5e-2, 4000});
        list.push_back({"shaker-friction", generate("shaker-friction"), 1e-2, 1e-2, 2000});
        list.push_back({"b3", generate("b3"), 3e-1, 3e-2, 30'000});
        list.push_back({"chain", generate("chain"), 1e-2, 1e-3, 30'000});
        for (const FrictionModel model : {FrictionModel::convex, FrictionModel::exact}) {
            const std::string kind = model == FrictionModel::exact ? "exact" : "convex";
            list.push_back({"b3 light " + kind,
                            generate_plate_stack({.plates = 4, .mass_ratio = 2.0, .model = model}), 1e-6,
                            1e-6, 100'000});
            list.push_back({"random " + kind,
                            generate_random({.seed = 7, .model = model, .compliance = 0.05}).problem, 1e-8,
                            1e-8, 100'000});
        }
        return list;
    }();
    return all;
}

class SolverMatrix : public testing::TestWithParam<std::string> {};

TEST_P(SolverMatrix, ReachesItsErrorOnEveryProblemAndTheCertificateAgrees) {
    const std::string solver = GetParam();
    const bool gradient = solver == "spg" || solver == "apgd" || solver == "cg";
    for (const Case& one : cases()) {
        const double wanted = gradient ? one.gradient : one.gauss_seidel;
        const Outcome out =
            solve_with(solver, one.problem, {.tolerance = {wanted}, .max_iterations = one.iterations});
        EXPECT_LE(out.certificate.relative_error, wanted * (1.0 + tolerance(1e-6)))
            << solver << " on " << one.name << " stopped as " << status_name(out.report.status) << " after "
            << out.report.iterations;
        EXPECT_EQ(out.report.status, Status::converged) << solver << " on " << one.name;
        if (out.certificate.relative_error < 1e-10)
            continue;  // a factorisation's: the two differ by round-off
        EXPECT_NEAR(out.report.relative_error / out.certificate.relative_error, 1.0, tolerance(1e-5));
    }
}

INSTANTIATE_TEST_SUITE_P(Solvers, SolverMatrix,
                         testing::Values("auto", "psor", "nncg", "leap", "apgd", "spg"),
                         [](const auto& one) { return one.param; });

// Jacobi needs ten times the iterations; it is held to what it can do.
TEST(SolverMatrix, JacobiConvergesSlowlyOnEveryProblem) {
    for (const Case& one : cases()) {
        double last = infinity;
        for (const std::int64_t iterations : {10, 100, 1000}) {
            const Outcome out =
                solve_with("jacobi", one.problem, {.tolerance = {1e-8}, .max_iterations = iterations});
            if (out.report.status == Status::converged) break;
            EXPECT_LT(out.certificate.relative_error, 0.999 * last) << one.name << " after " << iterations;
            last = out.certificate.relative_error;
        }
    }
}

TEST(SolverMatrix, CgSolvesJointsAndRefusesTheRest) {
    for (const Case& one : cases()) {
        const Outcome out = solve_with("cg", one.problem, {.tolerance = {1e-10}});
        if (one.name == "b1" || one.name == "chain") {
            EXPECT_EQ(out.report.status, Status::converged);
            EXPECT_LE(out.certificate.relative_error, 1e-10 * (1.0 + tolerance(1e-3)));
        } else {
            EXPECT_EQ(out.report.status, Status::unsuitable) << one.name;
            EXPECT_NE(out.report.reason, "");
        }
    }
}

// The known answer, not only a small error: velocities are unique where the problem is convex.
TEST(SolverMatrix, VelocitiesAreTheKnownOnesOfRandomProblems) {
    for (const std::string solver : {"psor", "nncg", "leap", "apgd", "spg", "jacobi"}) {
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            const KnownProblem known = generate_random({.seed = seed, .compliance = 0.1});
            const Outcome out = solve_with(solver, known.problem, {.tolerance = {1e-9}});
            const auto expected = body_velocities(known.problem, known.impulse);
            for (std::size_t b = 0; b < expected.size(); ++b) {
                for (int k = 0; k < 6; ++k) {
                    EXPECT_NEAR(out.solution.velocity[b][k], expected[b][k], tolerance(1e-5))
                        << solver << " seed " << seed;
                }
            }
        }
    }
}

TEST(SolverMatrix, AssembledFormGivesTheSameAnswer) {
    const Problem bodies = generate_random({.seed = 11, .compliance = 0.05}).problem;
    const Problem assembled = assemble(bodies);
    for (const std::string solver : {"psor", "nncg", "apgd", "spg", "jacobi"}) {
        const Outcome out = solve_with(solver, assembled, {.tolerance = {1e-9}});
        EXPECT_EQ(out.report.status, Status::converged) << solver;
        EXPECT_LE(certify(bodies, out.solution.impulse).relative_error, 2e-9) << solver;
        EXPECT_TRUE(out.solution.velocity.empty());
    }
}

TEST(PaperFigures, ApgdNeedsAtMost1100IterationsToOneInTenThousand) {
    for (const Case& one : cases()) {
        if (one.name != "b2" && one.name != "shaker") continue;
        const Outcome out = solve_with("apgd", one.problem, {.tolerance = {1e-4}});
        EXPECT_LE(out.report.iterations, 1100) << one.name;
        EXPECT_EQ(out.report.status, Status::converged);
        RecordProperty("apgd_iterations_" + one.name, static_cast<int>(out.report.iterations));
    }
}

// "As fast as state-of-the-art CG": true on the network of joints, to within half as much again.
TEST(PaperFigures, SpgKeepsUpWithConjugateGradientsOnJoints) {
    const Problem& b1 = cases()[0].problem;
    const auto cg = solve_with("cg", b1, {.tolerance = {1e-8}});
    const auto spg = solve_with("spg", b1, {.tolerance = {1e-8}});
    EXPECT_EQ(spg.report.status, Status::converged);
    EXPECT_LE(static_cast<double>(spg.report.iterations), 1.5 * static_cast<double>(cg.report.iterations));
}

}  // namespace
}  // namespace uptack::test

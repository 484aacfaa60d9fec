// The sparse simplex: exactness, warm starts, pyramids, contradictions.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/random.h"
#include "support/small_problems.h"
#include "support/solve.h"
#include "support/tolerance.h"
#include "uptack/friction_pyramid.h"
#include "uptack/generators.h"

namespace uptack::test {
namespace {

const Problem& b2() {
    static const Problem problem = generate("b2");
    return problem;
}

TEST(Simplex, SolvesThePackingToRoundOff) {
    const Outcome out = solve_with("simplex", b2(), {.tolerance = {1e-12}});
    EXPECT_EQ(out.report.status, Status::converged);
    EXPECT_LE(out.certificate.relative_error, 1e-12);
    const Outcome limit = solve_with("apgd", b2(), {.tolerance = {1e-9}});
    for (std::size_t b = 0; b < b2().bodies.size(); ++b) {
        for (int k = 0; k < 3; ++k) {
            EXPECT_NEAR(out.solution.velocity[b][k], limit.solution.velocity[b][k], tolerance(1e-6));
        }
    }
}

TEST(Simplex, SinglePivotsAloneReachTheSamePlace) {
    const Problem problem = generate_sphere_packing({.spheres = 150, .contacts = 450});
    const auto blocks = make_simplex();
    const auto pivots = make_simplex({.sweeps = 0, .block_steps = false});
    const Outcome a = solve_with(*blocks, problem, {.tolerance = {1e-12}});
    const Outcome b = solve_with(*pivots, problem, {.tolerance = {1e-12}});
    EXPECT_EQ(a.report.status, Status::converged);
    EXPECT_EQ(b.report.status, Status::converged);
    for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
        EXPECT_NEAR(a.solution.velocity[i][2], b.solution.velocity[i][2], tolerance(1e-10));
    }
}

TEST(Simplex, WarmStartNearTheSolutionNeedsATenthOfThePivots) {
    auto solver = make_simplex();
    Outcome cold = solve_with(*solver, b2(), {.tolerance = {1e-11}});
    Random random(1);
    Problem moved = b2();
    for (double& bias : moved.bias) bias += 1e-6 * random.normal();  // the next step's gaps
    const SolveReport warm = solver->solve(moved, cold.solution, {.tolerance = {1e-11}});
    EXPECT_EQ(warm.status, Status::converged);
    EXPECT_GT(warm.iterations, 0);
    EXPECT_LE(10 * warm.iterations, cold.report.iterations);
}

TEST(Simplex, OneFactorisationSolvesJoints) {
    for (const std::string name : {"b1", "chain"}) {
        const Problem problem = generate(name);
        const Outcome out = solve_with("simplex", problem, {.tolerance = {1e-12}});
        EXPECT_EQ(out.report.status, Status::converged) << name;
        EXPECT_EQ(out.report.iterations, 1) << name;
    }
}

TEST(Simplex, TakesIntervalsBoxFrictionAndUnsymmetricMatrices) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const Problem problem = generate_random({.seed = seed, .mu = 0.0, .compliance = 0.05}).problem;
        const Outcome out = solve_with("simplex", problem, {.tolerance = {1e-9}});
        EXPECT_EQ(out.report.status, Status::converged) << seed << " " << out.report.reason;
    }
    const Outcome box =
        solve_with("simplex", sliding_block(BoxFriction{.mu = 0.5}, 2.0), {.tolerance = {1e-10}});
    EXPECT_NEAR(box.solution.impulse[1], -0.5 * mass * gravity * time_step, tolerance(1e-9));
}

// Four legs, three needed: the impulses are not unique, the sum and the velocity are.
TEST(Simplex, HyperstaticTableStandsStill) {
    Problem table;
    table.bodies = {ball()};
    for (const double x : {-1.0, 1.0}) {
        for (const double y : {-1.0, 1.0}) {
            const JacobianRow leg{.a = {0, 0, 1, y, -x, 0}};
            add_block(table, Unilateral{}, 0, no_body, std::span(&leg, 1), std::array{0.0});
        }
    }
    const Outcome out = solve_with("simplex", table, {.tolerance = {1e-13}});
    EXPECT_EQ(out.report.status, Status::converged);
    // The proximal start from zero picks the impulse of least norm: all legs carry the same.
    for (const double leg : out.solution.impulse) {
        EXPECT_NEAR(leg, mass * gravity * time_step / 4, tolerance(1e-6));
    }
}

TEST(Simplex, NamesTheRowsThatContradictEachOther) {
    Problem problem;
    problem.bodies = {ball(), ball()};
    problem.body_names = {"cart", "other"};
    const JacobianRow along{.a = {1, 0, 0, 0, 0, 0}};
    add_block(problem, Bilateral{}, 0, no_body, std::span(&along, 1), std::array{-1.0});  // drives at +1 m/s
    add_block(problem, Bilateral{}, 0, no_body, std::span(&along, 1), std::array{1.0});   // drives at -1 m/s
    add_block(problem, Bilateral{}, 1, no_body, std::span(&along, 1), std::array{0.5});
    problem.block_names = {"motor left", "motor right", "innocent"};
    const Outcome out = solve_with("simplex", problem, {.tolerance = {1e-9}});
    EXPECT_EQ(out.report.status, Status::infeasible);
    EXPECT_NE(out.report.reason.find("motor left"), std::string::npos) << out.report.reason;
    EXPECT_NE(out.report.reason.find("motor right"), std::string::npos) << out.report.reason;
    EXPECT_EQ(out.report.reason.find("innocent"), std::string::npos) << out.report.reason;
}

TEST(Simplex, RefusesWhatItCannotTakeAndSaysWhy) {
    const Problem rolling = generate_random({.seed = 1}).problem;
    const Outcome out = solve_with("simplex", rolling, {});
    EXPECT_EQ(out.report.status, Status::unsuitable);
    EXPECT_NE(out.report.reason.find("pyramid"), std::string::npos);
}

TEST(Simplex, StopsAtItsIterationLimitAndBudgetWithTheBestIterate) {
    const Outcome few = solve_with("simplex", b2(), {.tolerance = {1e-12}, .max_iterations = 10});
    EXPECT_EQ(few.report.status, Status::iteration_limit);
    EXPECT_LE(few.certificate.relative_error, 1.0);
    const Outcome brief = solve_with("simplex", b2(), {.tolerance = {1e-12}, .budget_s = 0.05});
    EXPECT_EQ(brief.report.status, Status::budget_spent);
    EXPECT_LT(brief.certificate.relative_error, 1.0);
}

TEST(FrictionPyramid, IsInscribedInTheConeAndNearsItWithMoreFacets) {
    const FrictionCone cone{.mu = 0.5};
    const Problem problem = sliding_block(cone, 2.0);
    double last = infinity;
    for (const int facets : {4, 8, 16, 32, 64}) {
        const FrictionPyramid pyramid = linearise_friction(problem, facets);
        ASSERT_TRUE(validate(pyramid.problem).empty());
        EXPECT_EQ(pyramid.problem.row_count(), facets);
        Random random(static_cast<std::uint64_t>(facets));
        std::vector<double> beta(facets);
        for (double& value : beta) value = random.uniform(0.0, 1.0);
        std::vector<double> x(3);
        recover_impulses(problem, pyramid, beta, x);
        EXPECT_TRUE(contains(cone, x, tolerance(1e-14)));
        const auto solver = make_simplex({.facets = facets});
        const Outcome out = solve_with(*solver, problem, {.tolerance = {1e-6}});
        EXPECT_LE(out.certificate.relative_error, last + tolerance(1e-9)) << facets;
        last = out.certificate.relative_error;
    }
    EXPECT_LE(last, 1e-2);
}

// J of a ray is J_n + mu t_i . J_t: impulses beta cause the same body velocities as the recovered x.
TEST(FrictionPyramid, RaysMoveTheBodiesAsTheirImpulsesDo) {
    const Problem problem = generate_plate_stack({.plates = 3, .mass_ratio = 3.0});
    const FrictionPyramid pyramid = linearise_friction(problem, 7);
    Random random(3);
    std::vector<double> beta(pyramid.problem.bias.size());
    for (double& value : beta) value = random.uniform(0.0, 1.0);
    std::vector<double> x(problem.bias.size());
    recover_impulses(problem, pyramid, beta, x);
    const auto a = body_velocities(pyramid.problem, beta);
    const auto b = body_velocities(problem, x);
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (int k = 0; k < 6; ++k) EXPECT_NEAR(a[i][k], b[i][k], tolerance(1e-11));
    }
}

}  // namespace
}  // namespace uptack::test

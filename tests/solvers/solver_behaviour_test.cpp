// What every solver promises, whatever its method: budgets, best iterates, warm starts, no allocation, same
// bits.

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <cmath>
#include <limits>

#include "support/allocations.h"
#include "support/random.h"
#include "support/slowness.h"
#include "support/small_problems.h"
#include "support/solve.h"
#include "support/tolerance.h"
#include "uptack/generators.h"
#include "uptack/input_error.h"

namespace uptack::test {
namespace {

const std::vector<std::string> general_solvers = {"psor", "nncg", "leap", "apgd", "spg", "jacobi"};

Problem all_laws(FrictionModel model = FrictionModel::convex) {
    return generate_random({.seed = 4, .bodies = 30, .blocks = 80, .model = model, .compliance = 0.02})
        .problem;
}

TEST(EverySolver, FindsTheHandSolutions) {
    const double weight = mass * gravity * time_step;
    for (const std::string& name : general_solvers) {
        const Outcome stack = solve_with(name, two_stacked_balls(), {.tolerance = {1e-10}});
        EXPECT_NEAR(stack.solution.impulse[0], 2 * weight, tolerance(1e-8)) << name;
        EXPECT_NEAR(stack.solution.impulse[1], weight, tolerance(1e-8)) << name;
        EXPECT_NEAR(stack.solution.velocity[1][2], 0.0, tolerance(1e-8)) << name;

        const FrictionCone coulomb{.mu = 0.5, .model = FrictionModel::exact};
        const Outcome slide = solve_with(name, sliding_block(coulomb, 2.0), {.tolerance = {1e-10}});
        EXPECT_NEAR(slide.solution.impulse[0], weight, tolerance(1e-8)) << name;
        EXPECT_NEAR(slide.solution.impulse[1], -0.5 * weight * 0.6, tolerance(1e-8)) << name;
        EXPECT_NEAR(slide.solution.velocity[0][2], 0.0, tolerance(1e-8))
            << name << ": a sliding block must not lift";

        const Outcome box =
            solve_with(name, sliding_block(BoxFriction{.mu = 0.5}, 2.0), {.tolerance = {1e-10}});
        EXPECT_NEAR(box.solution.impulse[1], -0.5 * weight, tolerance(1e-8)) << name;
        EXPECT_NEAR(box.solution.impulse[2], -0.5 * weight, tolerance(1e-8)) << name;

        const FrictionCone sticky{.mu = 30.0, .model = FrictionModel::exact};
        const Outcome stick = solve_with(name, sliding_block(sticky, 2.0), {.tolerance = {1e-10}});
        EXPECT_NEAR(stick.solution.velocity[0][0], 0.0, tolerance(1e-8)) << name;
    }
}

// Convex friction opens a sliding contact by mu |v_t|: the answer follows from w on the dual cone's boundary
// and x on the cone's, so x_n = (m g h + mu m v) / (1 + mu^2) ... in closed form for a point mass.
TEST(EverySolver, ConvexFrictionLiftsASlidingBlockByMuTimesSpeed) {
    const double mu = 0.5;
    for (const std::string& name : general_solvers) {
        const Outcome out =
            solve_with(name, sliding_block(FrictionCone{.mu = mu}, 2.0), {.tolerance = {1e-11}});
        const double x_n = mass * (gravity * time_step + mu * 2.0) / (1.0 + mu * mu);
        const auto& v = out.solution.velocity[0];
        EXPECT_NEAR(out.solution.impulse[0], x_n, tolerance(1e-8)) << name;
        EXPECT_NEAR(v[2], mu * std::hypot(v[0], v[1]), tolerance(1e-8)) << name;
    }
}

TEST(EverySolver, ReturnsTheBestIterateItLookedAt) {
    for (const std::string& name : general_solvers) {
        for (const std::int64_t iterations : {1, 7, 50, 333}) {
            const Problem problem = all_laws();
            double best = infinity;
            auto solver = make_solver(name);
            const Outcome out =
                solve_with(*solver, problem, {.tolerance = {1e-15}, .max_iterations = iterations},
                           [&](const Progress& progress) { best = std::min(best, progress.relative_error); });
            EXPECT_LE(out.report.iterations, iterations);
            EXPECT_DOUBLE_EQ(out.report.relative_error, best) << name;
            EXPECT_NEAR(out.certificate.relative_error / best, 1.0, tolerance(1e-6)) << name;
        }
    }
}

TEST(EverySolver, NeverReturnsSomethingWorseThanDoingNothing) {
    for (const std::string& name : general_solvers) {
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            const Problem problem = generate_random({.seed = seed, .model = FrictionModel::exact}).problem;
            const Outcome out = solve_with(name, problem, {.tolerance = {1e-15}, .max_iterations = 2});
            EXPECT_LE(out.certificate.relative_error, 1.0 + tolerance(1e-12)) << name << " seed " << seed;
        }
    }
}

TEST(EverySolver, SaysConvergedOnlyWhenItIs) {
    for (const std::string& name : general_solvers) {
        const Problem problem = all_laws();
        const Outcome few = solve_with(name, problem, {.tolerance = {1e-6}, .max_iterations = 3});
        EXPECT_EQ(few.report.status, Status::iteration_limit) << name;
        EXPECT_GT(few.certificate.relative_error, 1e-6) << name;
        EXPECT_EQ(few.report.iterations, 3) << name;
        const Outcome many = solve_with(name, problem, {.tolerance = {1e-6}});
        EXPECT_EQ(many.report.status, Status::converged) << name;
        EXPECT_LE(many.certificate.relative_error, 1e-6 * (1.0 + tolerance(1e-6))) << name;
    }
}

// Two rows that ask for two speeds at once: the error stays where it is, and a solver must say so in time,
// but not so early that a slow start is taken for a stall.
TEST(EverySolver, SaysWhenTheErrorHasStoppedFalling) {
    Problem problem;
    problem.bodies = {ball()};
    const JacobianRow up{.a = {0, 0, 1, 0, 0, 0}};
    for (const double bias : {0.0, 1.0})
        add_block(problem, Bilateral{}, 0, no_body, std::span(&up, 1), std::array{bias});
    for (const std::string& name : general_solvers) {
        const Outcome out = solve_with(name, problem, {.tolerance = {1e-9}});
        EXPECT_EQ(out.report.status, Status::stalled) << name << " after " << out.report.iterations;
        EXPECT_GE(out.report.iterations, name == "spg" ? 1 : 2500) << name;  // spg may see it by its slope
        EXPECT_LE(out.report.iterations, 5000) << name;
        EXPECT_NE(out.report.reason, "") << name;
    }
}

TEST(EverySolver, TakesToleranceInJoules) {
    const Problem problem = all_laws();
    const double joules =
        1e-8 * certify(problem, std::vector<double>(problem.bias.size(), 0.0)).energy_error_J;
    for (const std::string& name : general_solvers) {
        const Outcome out = solve_with(name, problem, {.tolerance = {joules, ErrorUnit::joules}});
        EXPECT_EQ(out.report.status, Status::converged) << name;
        EXPECT_LE(out.certificate.energy_error_J, joules * (1.0 + tolerance(1e-6))) << name;
    }
}

// An iteration here takes well under a millisecond, one of newton some: none is begun that would end too
// late. The rest of the allowance is for a busy machine.
TEST(EverySolver, KeepsItsTimeBudget) {
    const Problem problem = generate_sphere_packing({.spheres = 500, .contacts = 1700, .mu = 0.3});
    for (const std::string& name : general_solvers) {
        const Outcome out = solve_with(name, problem, {.tolerance = {1e-15}, .budget_s = 0.03 * slowness});
        EXPECT_EQ(out.report.status, Status::budget_spent) << name;
        EXPECT_GE(out.report.seconds, 0.01) << name;  // the time was given to be used
        EXPECT_LE(out.report.seconds, 0.2 * slowness) << name;
        EXPECT_LT(out.certificate.relative_error, 1.0) << name;
    }
}

TEST(EverySolver, WarmStartAtTheSolutionIsDoneAtOnce) {
    for (const std::string& name : general_solvers) {
        const Problem problem = all_laws();
        auto solver = make_solver(name);
        Outcome out = solve_with(*solver, problem, {.tolerance = {1e-7}});
        const SolveReport again = solver->solve(problem, out.solution, {.tolerance = {1e-6}});
        EXPECT_EQ(again.iterations, 0) << name;
        EXPECT_EQ(again.status, Status::converged) << name;
        EXPECT_LE(certify(problem, out.solution.impulse).relative_error, 1e-6) << name;
    }
}

TEST(EverySolver, ProjectsAWarmStartBeforeItIsReturned) {
    Problem problem = resting_ball();
    problem.bodies.push_back(ball());
    problem.bodies[1].free_velocity[2] = 1.0;  // leaves the ground: its impulse is zero
    const JacobianRow up{.a = {0, 0, 1, 0, 0, 0}};
    add_block(problem, Unilateral{}, 1, no_body, std::span(&up, 1), std::array{0.0});
    for (const std::string& name : general_solvers) {
        Solution warm{.impulse = {0.9 * mass * gravity * time_step, -1e-6}, .velocity = {}};
        make_solver(name)->solve(problem, warm, {.tolerance = {1e-15}, .max_iterations = 0});
        EXPECT_DOUBLE_EQ(warm.impulse[0], 0.9 * mass * gravity * time_step) << name;
        EXPECT_EQ(warm.impulse[1], 0.0) << name;
    }
}

TEST(EverySolver, DropsAWarmStartThatIsWorseThanNothing) {
    const Problem problem = all_laws();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const std::string& name : general_solvers) {
        auto solver = make_solver(name);
        const std::int64_t cold = solve_with(*solver, problem, {.tolerance = {1e-5}}).report.iterations;
        for (const double bad : {1e6, nan, infinity}) {
            Solution warm{.impulse = std::vector<double>(problem.bias.size(), bad), .velocity = {}};
            EXPECT_EQ(solver->solve(problem, warm, {.tolerance = {1e-5}}).iterations, cold) << name << bad;
        }
        Solution wrong_size{.impulse = {1.0, 2.0}, .velocity = {}};
        EXPECT_EQ(solver->solve(problem, wrong_size, {.tolerance = {1e-5}}).iterations, cold) << name;
    }
}

TEST(EverySolver, AllocatesNothingOnceItHasSeenTheProblem) {
    for (const FrictionModel model : {FrictionModel::convex, FrictionModel::exact}) {
        const Problem problem = all_laws(model);
        const Problem joints = generate_joint_network({.edge = 3});
        const Problem smooth = generate_sphere_packing({.spheres = 50, .contacts = 140});
        for (const SolverInfo& info : list_solvers()) {
            auto solver = make_solver(info.name);
            const Problem& one = info.name == "cg" ? joints : info.name == "simplex" ? smooth : problem;
            Solution solution;
            const StopRule rule{.tolerance = {1e-12}, .max_iterations = 100};
            solver->solve(one, solution, rule);
            std::fill(solution.impulse.begin(), solution.impulse.end(), 0.0);
            const std::int64_t before = allocations;
            solver->solve(one, solution, rule);
            EXPECT_EQ(allocations - before, 0) << info.name;
        }
    }
}

TEST(EverySolver, GivesTheSameBitsOnOneThreadAndOnMany) {
    const Problem problem = generate_sphere_packing({.spheres = 8000, .contacts = 0, .mu = 0.3});
    ASSERT_GT(problem.row_count(), 60'000);
    const Problem joints = generate_joint_network({.edge = 24});
    ASSERT_GT(joints.row_count(), 40'000);
    for (const std::string name :
         {"psor", "nncg", "leap", "apgd", "spg", "jacobi", "cg"}) {  // the direct ones use one thread
        const Problem& one = name == "cg" ? joints : problem;
        const StopRule rule{.tolerance = {1e-12}, .max_iterations = 12};
        std::vector<std::vector<double>> impulses;
        for (const std::size_t threads : {1, 2, 4}) {
            const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
            impulses.push_back(solve_with(name, one, rule).solution.impulse);
        }
        EXPECT_TRUE(impulses[0] == impulses[1]) << name;
        EXPECT_TRUE(impulses[0] == impulses[2]) << name;
    }
}

TEST(EverySolver, HandlesAProblemWithoutRows) {
    Problem empty;
    empty.bodies = {ball()};
    for (const SolverInfo& info : list_solvers()) {
        const Outcome out = solve_with(info.name, empty, {});
        EXPECT_EQ(out.report.status, Status::converged) << info.name;
        ASSERT_EQ(out.solution.velocity.size(), 1U);
        EXPECT_DOUBLE_EQ(out.solution.velocity[0][2], -gravity * time_step);
    }
}

TEST(EverySolver, ReturnsImpulsesOfFullLengthWhereTheEnergyOfZeroImpulsesOverflows) {
    Problem far = resting_ball();
    far.bias = {-1e300};
    Problem pair;  // coupled, assembled
    pair.matrix = SparseMatrix{.start = {0, 2, 4}, .column = {0, 1, 0, 1}, .value = {2.0, 1.0, 1.0, 2.0}};
    pair.bias = {-1e300, -1e300};
    pair.blocks = {{.first_row = 0, .rows = 1, .law = Unilateral{}},
                   {.first_row = 1, .rows = 1, .law = Unilateral{}}};
    Problem apart = pair;  // two islands
    apart.matrix = SparseMatrix{.start = {0, 1, 2}, .column = {0, 1}, .value = {2.0, 2.0}};
    for (const Problem* problem : {&far, &pair, &apart}) {
        ASSERT_TRUE(validate(*problem).empty());
        for (const SolverInfo& info : list_solvers()) {
            Solution solution;
            const SolveReport report = make_solver(info.name)->solve(*problem, solution, {}, {});
            ASSERT_EQ(solution.impulse.size(), problem->bias.size()) << info.name;
            if (report.status == Status::unsuitable) continue;
            EXPECT_EQ(report.status, Status::not_finite) << info.name;
            EXPECT_FALSE(certify(*problem, solution.impulse).finite) << info.name;
        }
    }
}

TEST(EverySolver, StopsAtOnceWhenNothingNeedsToBeDone) {
    Problem flying = resting_ball();
    flying.bodies[0].free_velocity[2] = 1.0;
    for (const std::string& name : general_solvers) {
        const Outcome out = solve_with(name, flying, {});
        EXPECT_EQ(out.report.status, Status::converged) << name;
        EXPECT_EQ(out.report.iterations, 0) << name;
        EXPECT_EQ(out.certificate.relative_error, 0.0) << name;
    }
}

TEST(Registry, ExplainsWhatIsWrong) {
    const auto message = [](const std::string& name, const OptionValues& options) -> std::string {
        try {
            make_solver(name, options);
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_NE(message("simplicissimus", {}).find("psor, nncg, leap, apgd, spg, jacobi, simplex"),
              std::string::npos);
    EXPECT_NE(message("psor", {{"omgea", "1"}}).find("omega, symmetric"), std::string::npos);
    EXPECT_NE(message("psor", {{"omega", "2.5"}}).find("'2.5' is not a number from"), std::string::npos);
    EXPECT_NE(message("psor", {{"omega", "nan"}}).find("'nan'"), std::string::npos);
    EXPECT_NE(message("spg", {{"memory", "1.5"}}).find("whole"), std::string::npos);
    EXPECT_NE(message("apgd", {{"cone_metric", "maybe"}}).find("neither true nor false"), std::string::npos);
    EXPECT_NE(message("cg", {{"omega", "1"}}).find("no options"), std::string::npos);
    EXPECT_EQ(message("psor", {{"omega", "1.7"}, {"symmetric", "true"}}), "");
}

TEST(Registry, NamesMatchTheSolvers) {
    for (const SolverInfo& info : list_solvers()) EXPECT_EQ(make_solver(info.name)->name(), info.name);
}

}  // namespace
}  // namespace uptack::test

// The solver that chooses: islands, shares, budgets, and that it is never worse than what it was given.

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>

#include "support/random.h"
#include "support/slowness.h"
#include "support/small_problems.h"
#include "support/solve.h"
#include "support/tolerance.h"
#include "uptack/generators.h"
#include "uptack/islands.h"
#include "uptack/simulation.h"

namespace uptack::test {
namespace {

/// The problems side by side, their blocks in turn: islands whose rows lie scattered.
Problem interleaved(const std::vector<Problem>& parts) {
    Problem all;
    std::vector<int> first_body;
    std::size_t most = 0;
    for (const Problem& part : parts) {
        first_body.push_back(static_cast<int>(all.bodies.size()));
        all.bodies.insert(all.bodies.end(), part.bodies.begin(), part.bodies.end());
        most = std::max(most, part.blocks.size());
    }
    for (std::size_t k = 0; k < most; ++k) {
        for (std::size_t p = 0; p < parts.size(); ++p) {
            if (k >= parts[p].blocks.size()) continue;
            const Block& block = parts[p].blocks[k];
            const auto shifted = [&](int body) { return body == no_body ? body : body + first_body[p]; };
            add_block(all, block.law, shifted(block.body_a), shifted(block.body_b),
                      std::span(parts[p].jacobian).subspan(block.first_row, block.rows),
                      std::span(parts[p].bias).subspan(block.first_row, block.rows));
            for (int i = 0; i < block.rows && !parts[p].compliance.empty(); ++i) {
                all.compliance.resize(all.bias.size(), 0.0);
                all.compliance[all.bias.size() - block.rows + i] = parts[p].compliance[block.first_row + i];
            }
        }
    }
    return all;
}

Problem mixed(FrictionModel model = FrictionModel::convex) {
    return interleaved({generate_chain({.links = 12}), generate_plate_stack({.plates = 5, .model = model}),
                        generate_random({.seed = 3, .model = model, .compliance = 0.05}).problem,
                        resting_ball(), two_stacked_balls(),
                        generate_sphere_packing({.spheres = 60, .contacts = 0, .mu = 0.3, .model = model})});
}

int island_count(const Problem& problem) {
    Islands islands;
    find_islands(problem, islands);
    return islands.count;
}

double energy_of_zero(const Problem& problem) {
    return certify(problem, std::vector<double>(problem.bias.size(), 0.0)).energy_error_J;
}

TEST(Auto, IsListedFirst) {
    EXPECT_EQ(list_solvers().front().name, "auto");
}

TEST(Auto, FindsTheHandSolutions) {
    const double weight = mass * gravity * time_step;
    const Outcome stack = solve_with("auto", two_stacked_balls(), {.tolerance = {1e-10}});
    EXPECT_NEAR(stack.solution.impulse[0], 2 * weight, tolerance(1e-8));
    EXPECT_NEAR(stack.solution.impulse[1], weight, tolerance(1e-8));
    const FrictionCone coulomb{.mu = 0.5, .model = FrictionModel::exact};
    const Outcome slide = solve_with("auto", sliding_block(coulomb, 2.0), {.tolerance = {1e-10}});
    EXPECT_NEAR(slide.solution.impulse[0], weight, tolerance(1e-8));
    EXPECT_NEAR(slide.solution.impulse[1], -0.5 * weight * 0.6, tolerance(1e-8));
    const Outcome box =
        solve_with("auto", sliding_block(BoxFriction{.mu = 0.5}, 2.0), {.tolerance = {1e-10}});
    EXPECT_NEAR(box.solution.impulse[1], -0.5 * weight, tolerance(1e-8));
}

TEST(Auto, MeetsTheToleranceOfTheWholeHoweverTheIslandsShareIt) {
    for (const FrictionModel model : {FrictionModel::convex, FrictionModel::exact}) {
        const Problem problem = mixed(model);
        ASSERT_GE(island_count(problem), 6);
        for (const double wanted : {1e-2, 1e-4, 1e-6}) {
            if (model == FrictionModel::exact && wanted < 1e-5) continue;  // the packing stalls at 6e-6
            const Outcome out = solve_with("auto", problem, {.tolerance = {wanted}});
            EXPECT_EQ(out.report.status, Status::converged) << wanted << " " << out.report.reason;
            EXPECT_LE(out.certificate.relative_error, wanted * (1.0 + tolerance(1e-6)));
            EXPECT_NEAR(out.report.relative_error / out.certificate.relative_error, 1.0, tolerance(1e-5));
            EXPECT_NEAR(out.report.energy_error_J / out.certificate.energy_error_J, 1.0, tolerance(1e-5));
        }
        const double joules = 1e-9 * energy_of_zero(problem);
        const Outcome out = solve_with("auto", problem, {.tolerance = {joules, ErrorUnit::joules}});
        EXPECT_EQ(out.report.status, Status::converged);
        EXPECT_LE(out.certificate.energy_error_J, joules * (1.0 + tolerance(1e-6)));
    }
}

// Velocities are unique where the problem is convex, and islands do not feel each other.
TEST(Auto, IslandsSideBySideMoveAsEachWouldAlone) {
    const std::vector<Problem> parts = {generate_random({.seed = 1, .compliance = 0.1}).problem,
                                        generate_random({.seed = 2, .compliance = 0.1}).problem,
                                        generate_chain({.links = 7})};
    const Outcome together = solve_with("auto", interleaved(parts), {.tolerance = {1e-9}});
    ASSERT_EQ(together.report.status, Status::converged);
    std::size_t first = 0;
    for (const Problem& part : parts) {
        const Outcome alone = solve_with("newton", part, {.tolerance = {1e-11}});
        for (std::size_t b = 0; b < part.bodies.size(); ++b) {
            for (int k = 0; k < 6; ++k) {
                EXPECT_NEAR(together.solution.velocity[first + b][k], alone.solution.velocity[b][k],
                            tolerance(1e-5));
            }
        }
        first += part.bodies.size();
    }
}

// A wall that moves as prescribed touches both balls; each island has its own copy of it.
TEST(Auto, AMovingWallPushesEveryIslandThatTouchesIt) {
    Problem problem;
    problem.bodies = {ball(),
                      Body{.inverse_mass = 0, .inverse_inertia_w = {}, .free_velocity = {0, 0, 0.3, 0, 0, 0}},
                      ball(4.0)};
    const JacobianRow up{.a = {0, 0, 1, 0, 0, 0}, .b = {0, 0, -1, 0, 0, 0}};
    add_block(problem, Unilateral{}, 2, 1, std::span(&up, 1), std::array{0.0});
    add_block(problem, Unilateral{}, 0, 1, std::span(&up, 1), std::array{0.1});
    const Outcome out = solve_with("auto", problem, {.tolerance = {1e-12}});
    EXPECT_NEAR(out.solution.impulse[0], 4.0 * (0.3 + gravity * time_step), tolerance(1e-10));
    EXPECT_NEAR(out.solution.impulse[1], mass * (0.2 + gravity * time_step), tolerance(1e-10));
    EXPECT_NEAR(out.solution.velocity[2][2], 0.3, tolerance(1e-10));
}

TEST(Auto, ManyIslandsEndWithinTheTolerance) {
    Random random(5);
    std::vector<Problem> parts;
    for (int k = 0; k < 300; ++k) {
        const FrictionCone cone{.mu = 0.5, .model = FrictionModel::exact};
        parts.push_back(sliding_block(cone, random.uniform(0.0, 3.0)));
    }
    const Problem problem = interleaved(parts);
    ASSERT_EQ(island_count(problem), 300);
    const Outcome out = solve_with("auto", problem, {.tolerance = {1e-8}});
    EXPECT_EQ(out.report.status, Status::converged);
    EXPECT_LE(out.certificate.relative_error, 1e-8 * (1.0 + tolerance(1e-6)));
}

// One of two islands has a warm start that is exact, the other one that is absurd: only the second is
// dropped.
TEST(Auto, JudgesTheWarmStartIslandByIsland) {
    Problem one = generate_plate_stack({.plates = 6});
    one.compliance.assign(one.bias.size(), 0.02);
    const Problem problem = interleaved({one, one});
    Outcome out = solve_with("auto", problem, {.tolerance = {1e-8}});
    Solution warm = out.solution;
    for (double& x : warm.impulse) x *= 1.0 + 1e-8;  // so that there is an error to compare
    std::vector<double> judged = warm.impulse;
    Islands islands;
    find_islands(problem, islands);
    for (std::size_t k = 0; k < problem.blocks.size(); ++k) {
        if (islands.of_block[k] == 0) continue;
        const auto [first, rows] = std::pair(problem.blocks[k].first_row, problem.blocks[k].rows);
        std::fill_n(warm.impulse.begin() + first, rows, 1e6);
        std::fill_n(judged.begin() + first, rows, 0.0);
    }
    const std::vector<double> given = warm.impulse;
    double start_J = -1.0;
    auto solver = make_solver("auto", {{"explain", "true"}});
    const SolveReport report =
        solver->solve(problem, warm, {.tolerance = {1e-6}}, [&](const Progress& progress) {
            if (start_J < 0.0) start_J = progress.energy_error_J;
        });
    EXPECT_NEAR(start_J / certify(problem, judged).energy_error_J, 1.0, tolerance(1e-9));
    EXPECT_EQ(report.status, Status::converged);
    EXPECT_NE(report.reason.find("as they were: 1 island (72 rows)"), std::string::npos) << report.reason;
    for (std::size_t k = 0; k < problem.blocks.size(); ++k) {
        const int row = problem.blocks[k].first_row;
        if (islands.of_block[k] != 0) continue;
        // projected: what was on the boundary of a cone may have changed in its last digit
        EXPECT_NEAR(warm.impulse[row], given[row], tolerance(1e-15) * std::abs(given[row]));
    }
}

TEST(Auto, WarmStartAtTheSolutionIsDoneAtOnce) {
    for (const Problem& problem : {mixed(), generate_plate_stack({.plates = 6})}) {
        auto solver = make_solver("auto");
        Outcome out = solve_with(*solver, problem, {.tolerance = {1e-7}});
        const SolveReport again = solver->solve(problem, out.solution, {.tolerance = {1e-6}});
        EXPECT_EQ(again.iterations, 0);
        EXPECT_EQ(again.status, Status::converged);
    }
}

TEST(Auto, NeverReturnsSomethingWorseThanItWasGiven) {
    Random random(8);
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const Problem problem = interleaved(
            {generate_random({.seed = seed, .model = FrictionModel::exact}).problem,
             generate_random({.seed = seed + 100, .bodies = 5, .blocks = 8, .model = FrictionModel::exact})
                 .problem});
        for (const std::int64_t iterations : {0, 1, 2, 30}) {
            const Outcome out =
                solve_with("auto", problem, {.tolerance = {1e-15}, .max_iterations = iterations});
            EXPECT_LE(out.certificate.relative_error, 1.0 + tolerance(1e-12)) << seed;
            EXPECT_LE(out.report.iterations, iterations);
            Solution warm = out.solution;
            for (double& x : warm.impulse) x *= 1.0 + 0.01 * random.normal();
            const double given = certify(problem, warm.impulse).relative_error;
            make_solver("auto")->solve(problem, warm, {.tolerance = {1e-15}, .max_iterations = iterations});
            // Projecting the start may raise its error: only beyond that it may not be worse.
            if (iterations <= 2) continue;
            EXPECT_LE(certify(problem, warm.impulse).relative_error, 1.01 * given) << seed;
        }
    }
}

TEST(Auto, KeepsItsTimeBudget) {
    const Problem packing = generate_sphere_packing({.spheres = 500, .contacts = 1700, .mu = 0.3});
    for (const Problem& problem : {packing, interleaved({packing, packing, packing})}) {
        auto solver = make_solver("auto", {{"explain", "true"}});
        const Outcome out = solve_with(*solver, problem, {.tolerance = {1e-15}, .budget_s = 0.05 * slowness});
        EXPECT_EQ(out.report.status, Status::budget_spent);
        EXPECT_LE(out.report.seconds, 0.2 * slowness);
        EXPECT_LT(out.certificate.relative_error, 1.0);
        EXPECT_NE(out.report.reason, "");
    }
}

// Judging and copying islands takes as long as sweeping them some times.
TEST(Auto, DoesNotSplitWhereTheTimeIsTooShortForThat) {
    const Problem two =
        interleaved({generate_brick_wall({.bricks_per_course = 4, .courses = 3}), resting_ball()});
    for (const double budget_s : {1e-9, infinity}) {
        auto solver = make_solver("auto", {{"explain", "true"}});
        const Outcome out = solve_with(*solver, two, {.tolerance = {1e-6}, .budget_s = budget_s});
        ASSERT_FALSE(out.report.stages.empty());
        EXPECT_EQ(out.report.stages.front().rows == two.row_count(), budget_s < infinity);
    }
}

// Loose bodies beside a heap are swept with it; what has joints is an island of its own however small it is.
TEST(Auto, KeepsAHeapWithItsCrumbsTogether) {
    const Problem heap = generate_sphere_packing({.spheres = 400, .contacts = 1400, .mu = 0.3});
    const Problem loose = interleaved({heap, two_stacked_balls(), resting_ball()});
    const Problem jointed = interleaved({heap, generate_chain({.links = 2}), resting_ball()});
    for (const bool joints : {false, true}) {
        const Problem& problem = joints ? jointed : loose;
        ASSERT_GT(island_count(problem), 2);
        auto solver = make_solver("auto", {{"explain", "true"}});
        const Outcome out = solve_with(*solver, problem, {.tolerance = {1e-3}});
        ASSERT_FALSE(out.report.stages.empty());
        EXPECT_EQ(out.report.stages.front().rows == problem.row_count(), !joints);
        EXPECT_LE(out.certificate.relative_error, 1e-3);
    }
}

// Nothing at all would let everything fall: one sweep is made of every island, however short the time.
TEST(Auto, MakesOneSweepHoweverShortTheTime) {
    const Problem packing = generate_sphere_packing({.spheres = 300, .contacts = 1000, .mu = 0.3});
    for (const Problem& problem :
         {packing, interleaved({packing, resting_ball(), generate_chain({.links = 5})})}) {
        for (const char* settle : {"true", "false"}) {
            auto solver = make_solver("auto", {{"settle", settle}});
            const Outcome out = solve_with(*solver, problem, {.tolerance = {1e-12}, .budget_s = 1e-9});
            EXPECT_EQ(out.report.status, Status::budget_spent);
            EXPECT_EQ(out.report.iterations, 1);
            EXPECT_LT(out.certificate.relative_error, 0.9);
        }
    }
}

TEST(Auto, EndsWhenItsCallerHasEnough) {
    const Problem problem = generate_sphere_packing({.spheres = 500, .contacts = 1700, .mu = 0.3});
    bool enough = false;
    Solution solution;
    const SolveReport report =
        make_solver("auto")->solve(problem, solution, {.tolerance = {1e-9}, .enough = &enough},
                                   [&](const Progress& progress) { enough = progress.iteration >= 10; });
    EXPECT_EQ(report.status, Status::iteration_limit);
    EXPECT_GE(report.iterations, 10);
    EXPECT_LE(report.iterations, 15);
}

// Exact friction in a dense packing: no solver here reaches 1e-4.
TEST(Auto, GivesUpSoonWhereNothingHelps) {
    const Problem problem =
        generate_sphere_packing({.spheres = 500, .contacts = 1700, .mu = 0.3, .model = FrictionModel::exact});
    const Outcome out = solve_with("auto", problem, {.tolerance = {1e-7}});
    EXPECT_EQ(out.report.status, Status::stalled);
    EXPECT_LE(out.report.iterations, 5000);
    EXPECT_LT(out.certificate.relative_error, 0.05);
    EXPECT_NE(out.report.reason.find("leap"), std::string::npos) << out.report.reason;
}

Problem wall_with_exact_friction(int bricks, int courses) {
    return generate_brick_wall(
        {.bricks_per_course = bricks, .courses = courses, .model = FrictionModel::exact});
}

TEST(Auto, LetsNewtonWalkBeforeItGivesUp) {
    for (const auto& [bricks, courses] : {std::pair{3, 4}, {5, 4}, {6, 6}}) {
        const Outcome out =
            solve_with("auto", wall_with_exact_friction(bricks, courses), {.tolerance = {1e-6}});
        EXPECT_EQ(out.report.status, Status::converged) << bricks << " x " << courses;
        EXPECT_LE(out.certificate.relative_error, 1e-6) << bricks << " x " << courses;
    }
}

/// The first step of boxes on boxes, faces on faces.
Problem standing_pyramid(int base) {
    Model model;
    add_body(model, {.name = "ground", .kind = BodyKind::fixed, .shapes = {{.geometry = HalfSpace{}}}});
    for (int row = 0; row < base; ++row) {
        for (int i = 0; i < base - row; ++i) {
            add_body(model, {.name = "box " + std::to_string(row) + " " + std::to_string(i),
                             .pose = {.position = {0.44 * (i + 0.5 * row), 0.0, 0.2 * (2 * row + 1)}},
                             .shapes = {{.geometry = Box{{0.2, 0.2, 0.2}}}}});
        }
    }
    SimulationSettings settings;
    settings.stepping.step_s = 1.0 / 60.0;
    Simulation simulation(model, settings);
    simulation.step();
    return simulation.step_problem().problem;
}

bool leaps(const SolveReport& report) {
    return std::any_of(report.stages.begin(), report.stages.end(),
                       [](const SolveStage& stage) { return stage.method == "leap"; });
}

// Of walls and pyramids the faces look alike.  A wall that was hit has valleys, and leaps go along them; in a
// pyramid they take ten times as long as newton.
TEST(Auto, LeapsInWallsThatAreHitAndNotInPyramidsThatStand) {
    for (const bool stands : {false, true}) {
        const Problem problem = stands ? standing_pyramid(12) : wall_with_exact_friction(10, 8);
        auto solver = make_solver("auto", {{"explain", "true"}});
        const double goal = stands ? 1e-8 : 1e-4;
        const Outcome out = solve_with(*solver, problem, {.tolerance = {goal}, .max_iterations = 100'000});
        EXPECT_EQ(leaps(out.report), !stands);
        EXPECT_LE(out.certificate.relative_error, goal);
    }
}

TEST(Auto, UsesTheTimeThatItWasGiven) {
    const Problem problem = wall_with_exact_friction(12, 10);
    const double budget_s = 0.4 * slowness;
    auto solver = make_solver("auto", {{"explain", "true"}});
    const Outcome out = solve_with(
        *solver, problem, {.tolerance = {1e-13}, .max_iterations = 10'000'000, .budget_s = budget_s});
    EXPECT_EQ(out.report.status, Status::budget_spent);
    EXPECT_GE(out.report.seconds, 0.9 * budget_s);
}

// The wall's share of the time is half: what the boxes leave of theirs is the wall's.
TEST(Auto, GivesTheTimeThatEasyIslandsLeaveToTheHardOne) {
    const Problem wall = wall_with_exact_friction(12, 10);
    std::vector<Problem> parts = {wall};
    for (int rows = 0; rows < wall.row_count(); rows += 12)
        parts.push_back(generate_plate_stack({.plates = 1, .model = FrictionModel::exact}));
    const Problem problem = interleaved(parts);
    const double budget_s = 0.4 * slowness;
    const Outcome out = solve_with(
        "auto", problem, {.tolerance = {1e-13}, .max_iterations = 10'000'000, .budget_s = budget_s});
    EXPECT_EQ(out.report.status, Status::budget_spent);
    EXPECT_GE(out.report.seconds, 0.75 * budget_s);
    EXPECT_LE(out.report.seconds, 1.5 * budget_s);
}

// Where the time is too short to order and factor 3500 rows there is much for conjugate gradients.  How short
// that is depends on the machine.
TEST(Auto, GoesOnWithTheTimeThatNewtonLeaves) {
    const Problem network = generate("b1");
    for (const double budget_s : {0.002, 0.004, 0.006, 0.008, 0.012, 0.016, 0.024}) {
        auto solver = make_solver("auto", {{"explain", "true"}});
        const Outcome out =
            solve_with(*solver, network, {.tolerance = {1e-8}, .budget_s = budget_s * slowness});
        for (const SolveStage& stage : out.report.stages) EXPECT_NE(stage.why_ended, "") << stage.method;
        const bool used = out.report.seconds >= 0.8 * budget_s * slowness;
        EXPECT_TRUE(used || out.certificate.relative_error < 1e-3)
            << out.certificate.relative_error << " after " << out.report.seconds << " of "
            << budget_s * slowness << " s";
    }
}

TEST(Auto, RowsThatContradictEachOtherStallOneIslandAndNotTheOthers) {
    Problem quarrel;
    quarrel.bodies = {ball()};
    const JacobianRow up{.a = {0, 0, 1, 0, 0, 0}};
    for (const double bias : {0.0, 1.0})
        add_block(quarrel, Bilateral{}, 0, no_body, std::span(&up, 1), std::array{bias});
    const Problem problem = interleaved({quarrel, resting_ball()});
    const Outcome out = solve_with("auto", problem, {.tolerance = {1e-6}});
    EXPECT_EQ(out.report.status, Status::stalled);
    EXPECT_NE(out.report.reason, "");
    EXPECT_NEAR(out.solution.velocity[1][2], 0.0, tolerance(1e-6));
}

TEST(Auto, SolvesJointsFarBelowTheTolerance) {
    const Outcome out = solve_with("auto", generate_chain({.links = 50}), {.tolerance = {1e-2}});
    EXPECT_LE(out.certificate.relative_error, 1e-5);
    EXPECT_EQ(out.report.iterations, 1);
}

TEST(Auto, TakesTheAssembledForm) {
    const Problem bodies = mixed();
    const Problem assembled = assemble(bodies);
    const Outcome out = solve_with("auto", assembled, {.tolerance = {1e-8}});
    EXPECT_EQ(out.report.status, Status::converged) << out.report.reason;
    EXPECT_LE(certify(bodies, out.solution.impulse).relative_error, 2e-8);
    EXPECT_TRUE(out.solution.velocity.empty());
}

/// A dense matrix, its rows all unilateral.
Problem complementarity(const std::vector<std::vector<double>>& a, const std::vector<double>& b) {
    Problem problem;
    SparseMatrix matrix{.start = {0}, .column = {}, .value = {}};
    const auto n = static_cast<int>(b.size());
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            matrix.column.push_back(j);
            matrix.value.push_back(a[i][j]);
        }
        matrix.start.push_back(static_cast<std::int64_t>(matrix.value.size()));
        problem.blocks.push_back({.first_row = i, .rows = 1, .law = Unilateral{}});
    }
    problem.matrix = matrix;
    problem.bias = b;
    return problem;
}

// Zero diagonal, far from symmetric: no other method here applies.  Cottle, Pang and Stone's second example.
TEST(Auto, TriesEveryActiveSetOfATinyProblemThatIsNotMonotone) {
    const Problem problem = complementarity({{0, 2, -1}, {-1, 0, 1}, {2, -2, 0}}, {-3, 6, -1});
    const Outcome out = solve_with("auto", problem, {.tolerance = {1e-10}});
    EXPECT_EQ(out.report.status, Status::converged) << out.report.reason;
    EXPECT_NEAR(out.solution.impulse[0], 6.0, 1e-12);
    EXPECT_NEAR(out.solution.impulse[1], 1.5, 1e-12);
    EXPECT_EQ(out.solution.impulse[2], 0.0);
}

// The last row asks x1 + x2 + x3 <= -6.
TEST(Auto, SaysSoWhereNoActiveSetFits) {
    const Problem problem =
        complementarity({{11, 0, 10, 1}, {0, 11, 10, 1}, {10, 10, 21, 1}, {-1, -1, -1, 0}}, {50, 50, 10, -6});
    const Outcome out = solve_with("auto", problem, {.tolerance = {1e-10}});
    EXPECT_EQ(out.report.status, Status::stalled);
    EXPECT_LE(out.certificate.relative_error, 1.0 + tolerance(1e-9));
}

TEST(Auto, TakesAChainToNewtonAtAnyTolerance) {
    for (const double goal : {1e-2, 1e-6}) {
        const Problem problem = generate_chain({.links = 400});
        const auto solver = make_solver("auto", {{"explain", "true"}});
        const Outcome out = solve_with(*solver, problem, {.tolerance = {goal}});
        EXPECT_EQ(out.report.reason, "newton 1 island (1200 rows)");
    }
}

TEST(Auto, ReachesWhatTheBestSolversReach) {
    for (const std::string name : {"b1", "b2", "shaker", "chain", "b3", "wall", "b2-friction"}) {
        const Problem problem = generate(name);
        const Outcome out = solve_with("auto", problem, {.tolerance = {1e-4}});
        EXPECT_EQ(out.report.status, Status::converged) << name << " " << out.report.reason;
        EXPECT_LE(out.certificate.relative_error, 1e-4 * (1.0 + tolerance(1e-6))) << name;
        EXPECT_LE(out.report.iterations, 3000) << name;
    }
}

TEST(Auto, ShowsTheObserverTheErrorOfTheWhole) {
    const Problem problem = mixed();
    auto solver = make_solver("auto");
    const double reference_J = energy_of_zero(problem);
    std::vector<Progress> seen;
    const Outcome out = solve_with(*solver, problem, {.tolerance = {1e-6}},
                                   [&](const Progress& progress) { seen.push_back(progress); });
    ASSERT_GE(seen.size(), 3U);
    EXPECT_NEAR(seen.front().energy_error_J / reference_J, 1.0, 0.3);  // zero moved into the intervals
    double least_J = infinity;
    for (const Progress& progress : seen) least_J = std::min(least_J, progress.energy_error_J);
    EXPECT_NEAR(least_J / out.report.energy_error_J, 1.0, tolerance(1e-9));
    for (std::size_t k = 0; k < seen.size(); ++k) {
        EXPECT_NEAR(seen[k].relative_error, std::sqrt(seen[k].energy_error_J / reference_J), tolerance(1e-9));
        if (k == 0) continue;
        EXPECT_GE(seen[k].iteration, seen[k - 1].iteration);
        EXPECT_GE(seen[k].seconds, seen[k - 1].seconds);
    }
}

TEST(Auto, SaysWhatItDidWhenAsked) {
    const Problem problem =
        interleaved({generate_chain({.links = 12}), generate_chain({.links = 3}), resting_ball()});
    auto solver = make_solver("auto", {{"explain", "true"}});
    Solution solution;
    const SolveReport report = solver->solve(problem, solution, {.tolerance = {1e-4}});
    EXPECT_EQ(report.status, Status::converged);
    EXPECT_EQ(report.reason, "nncg 1 island (1 rows), newton 2 islands (45 rows)");
    ASSERT_EQ(report.stages.size(), 3U);
    EXPECT_EQ(report.stages[0].method, "newton");
    EXPECT_EQ(report.stages[0].rows, 36);
    EXPECT_EQ(report.stages[2].method, "nncg");
    for (const SolveStage& stage : report.stages) {
        EXPECT_EQ(stage.why_ended, "the tolerance is met");
        EXPECT_LT(stage.after_J, 1e-8 * stage.reference_J);
        EXPECT_NEAR(stage.before_J / stage.reference_J, 1.0, tolerance(1e-12));
        EXPECT_GE(stage.seconds, 0.0);
    }
    const SolveReport silent = solve_with("auto", problem, {.tolerance = {1e-4}}).report;
    EXPECT_EQ(silent.reason, "");
    EXPECT_TRUE(silent.stages.empty());
}

// Contacts of many islands are swept as one; a joint among them is still solved far below the tolerance, and
// an island that takes longer than the others is left to itself.  Not where each is to settle, nor from a
// warm start.
TEST(Auto, SweepsIslandsOfContactsTogether) {
    const FrictionCone cone{.mu = 0.5, .model = FrictionModel::exact};
    std::vector<Problem> parts;
    for (int k = 0; k < 80; ++k) parts.push_back(sliding_block(cone, 0.1 * k));
    const Problem plain = interleaved(parts);
    parts.push_back(generate_chain({.links = 3}));
    const Problem jointed = interleaved(parts);
    parts.back() = generate_plate_stack({.plates = 10});
    const Problem hard = interleaved(parts);
    const auto solve = [](const Problem& problem, Solution& solution, const char* settle = "false") {
        auto solver = make_solver("auto", {{"explain", "true"}, {"settle", settle}});
        const SolveReport report = solver->solve(problem, solution, {.tolerance = {1e-5}});
        EXPECT_EQ(report.status, Status::converged);
        EXPECT_LE(certify(problem, solution.impulse).relative_error, 1e-5 * (1.0 + tolerance(1e-6)));
        return report;
    };
    const auto is_together = [](const SolveStage& stage) { return stage.island == SolveStage::all_together; };

    Solution solution;
    const SolveReport swept = solve(plain, solution);
    ASSERT_EQ(swept.stages.size(), 1U);
    EXPECT_TRUE(is_together(swept.stages[0]));
    EXPECT_EQ(swept.stages[0].rows, plain.row_count());
    EXPECT_EQ(swept.stages[0].iterations, swept.iterations);
    EXPECT_EQ(swept.stages[0].why_ended, "the tolerance is met");
    EXPECT_NEAR(swept.stages[0].before_J / energy_of_zero(plain), 1.0, tolerance(1e-9));
    EXPECT_EQ(swept.reason, "nncg 80 islands (" + std::to_string(plain.row_count()) + " rows)");
    for (double& x : solution.impulse) x *= 1.0 + 1e-3;
    const SolveReport warm = solve(plain, solution);
    EXPECT_TRUE(std::none_of(warm.stages.begin(), warm.stages.end(), is_together));

    Solution joints;
    const SolveReport then_newton = solve(jointed, joints);
    ASSERT_GE(then_newton.stages.size(), 2U);
    EXPECT_TRUE(is_together(then_newton.stages[0]));
    EXPECT_EQ(then_newton.stages.back().method, "newton");
    EXPECT_LT(then_newton.stages.back().after_J, 1e-16 * then_newton.stages.back().reference_J);

    Solution left;
    const SolveReport longer = solve(hard, left);
    ASSERT_GE(longer.stages.size(), 2U);
    EXPECT_EQ(longer.stages[0].why_ended, "some islands take longer than others");
    EXPECT_EQ(longer.stages[1].rows, 120);
    EXPECT_LT(longer.stages[1].before_J, longer.stages[1].reference_J);

    Solution settled;
    const SolveReport each = solve(plain, settled, "true");
    EXPECT_TRUE(std::none_of(each.stages.begin(), each.stages.end(), is_together));
}

// Sweeps crawl on a packing with friction: they are left for newton, which is told from where and why.
TEST(Auto, LeavesSweepsForNewtonWhenThatIsTheShorterWay) {
    const Problem problem = generate_sphere_packing({.spheres = 500, .contacts = 1700, .mu = 0.3});
    auto solver = make_solver("auto", {{"explain", "true"}});
    Solution solution;
    const SolveReport report = solver->solve(problem, solution, {.tolerance = {1e-7}});
    EXPECT_EQ(report.status, Status::converged);
    ASSERT_EQ(report.stages.size(), 2U) << report.reason;
    EXPECT_EQ(report.stages[0].method, "leap");
    EXPECT_NE(report.stages[0].why_ended.find("newton"), std::string::npos) << report.stages[0].why_ended;
    EXPECT_EQ(report.stages[1].method, "newton");
    EXPECT_EQ(report.stages[1].before_J, report.stages[0].after_J);
    EXPECT_EQ(report.stages[0].iterations + report.stages[1].iterations, report.iterations);
}

TEST(Auto, SettlesSmallIslandsFarBelowTheToleranceWhenAsked) {
    const Problem problem = generate_plate_stack({.plates = 10});
    const auto error = [&](const char* settle) {
        auto solver = make_solver("auto", {{"settle", settle}});
        return solve_with(*solver, problem, {.tolerance = {1e-3}}).certificate.relative_error;
    };
    EXPECT_LE(error("true"), 1e-5);
    EXPECT_GT(error("false"), 1e-5);
}

TEST(Auto, GivesTheSameBitsEveryTimeAndOnAnyNumberOfThreads) {
    const Problem bed = generate_sphere_packing({.spheres = 4500, .contacts = 0, .mu = 0.3});
    ASSERT_GT(bed.row_count(), 33'000);
    auto used = make_solver("auto");
    for (const Problem& problem : {mixed(FrictionModel::exact), bed}) {
        const StopRule rule{.tolerance = {1e-5}, .max_iterations = 150};
        std::vector<std::vector<double>> impulses;
        for (const std::size_t threads : {1, 2, 1}) {
            const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
            impulses.push_back(solve_with("auto", problem, rule).solution.impulse);
            impulses.push_back(
                solve_with(*used, problem, rule).solution.impulse);  // what it solved before is forgotten
        }
        for (const auto& impulse : impulses) EXPECT_TRUE(impulse == impulses[0]);
    }
}

// What one step leaves over pushes a heap about in the next.
TEST(Auto, SettlingHeapsGoSomewhatBelowTheTolerance) {
    for (const FrictionModel model : {FrictionModel::exact, FrictionModel::convex}) {
        const Problem heap =
            generate_sphere_packing({.spheres = 300, .contacts = 0, .mu = 0.3, .model = model});
        const auto solved = [&](const char* settle, std::vector<double> start) {
            auto solver = make_solver("auto", {{"settle", settle}});
            Outcome out;
            out.solution.impulse = std::move(start);
            out.report = solver->solve(heap, out.solution, {.tolerance = {0.03}});
            return out;
        };
        const Outcome plain = solved("false", {});
        const Outcome settled = solved("true", {});
        EXPECT_EQ(plain.report.status, Status::converged);
        EXPECT_EQ(settled.report.status, Status::converged);
        EXPECT_LE(settled.report.iterations, 3 * plain.report.iterations + 150);
        const bool goes_on = settled.report.relative_error < 0.5 * plain.report.relative_error;
        EXPECT_EQ(goes_on, model == FrictionModel::exact);
        // From there nothing is left to do.
        EXPECT_EQ(solved("true", settled.solution.impulse).report.iterations, 0);
    }
}

}  // namespace
}  // namespace uptack::test

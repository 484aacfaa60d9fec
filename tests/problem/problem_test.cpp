#include "uptack/problem.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/small_problems.h"
#include "support/tolerance.h"
#include "uptack/error_metric.h"
#include "uptack/generators.h"

namespace uptack::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::string first_fault(const Problem& problem) {
    const auto faults = validate(problem);
    return faults.empty() ? "" : faults[0].where + ": " + faults[0].message;
}

bool says(const Problem& problem, const std::string& where, const std::string& what) {
    const std::string fault = first_fault(problem);
    return fault.find(where) != std::string::npos && fault.find(what) != std::string::npos;
}

TEST(Validate, GoodProblemsHaveNoFaults) {
    EXPECT_EQ(first_fault(resting_ball()), "");
    EXPECT_EQ(first_fault(two_stacked_balls()), "");
    EXPECT_EQ(first_fault(assemble(two_stacked_balls())), "");
    EXPECT_EQ(first_fault(Problem{}), "");
}

TEST(Validate, NamesThePlaceAndTheRemedy) {
    Problem p = two_stacked_balls();
    p.bodies[1].inverse_mass = -1.0;
    EXPECT_TRUE(says(p, "body 1", "inverse mass is -1"));

    p = two_stacked_balls();
    p.bodies[0].inverse_inertia_w = {1, 1, -1, 0, 0, 0};
    EXPECT_TRUE(says(p, "body 0", "inertia"));

    p = two_stacked_balls();
    p.bodies[0].free_velocity[4] = nan;
    EXPECT_TRUE(says(p, "body 0", "free velocity"));

    p = two_stacked_balls();
    p.bias[1] = nan;
    EXPECT_TRUE(says(p, "row 1", "bias"));

    p = two_stacked_balls();
    p.jacobian[1].b[2] = infinity;
    EXPECT_TRUE(says(p, "row 1", "Jacobian is not finite"));

    p = two_stacked_balls();
    p.compliance = {0.0, -1e-3};
    EXPECT_TRUE(says(p, "row 1", "compliance is -0.001"));

    p = two_stacked_balls();
    p.compliance = {0.0};
    EXPECT_TRUE(says(p, "compliance", "1 rows"));

    p = two_stacked_balls();
    p.blocks[1].body_a = 7;
    EXPECT_TRUE(says(p, "block 1", "body index 7"));

    p = two_stacked_balls();
    p.blocks[1].body_b = 1;
    EXPECT_TRUE(says(p, "block 1", "itself"));

    p = two_stacked_balls();
    p.blocks[1].first_row = 0;
    EXPECT_TRUE(says(p, "block 1", "row 1 of 2 is next"));

    p = two_stacked_balls();
    p.blocks[1].rows = std::numeric_limits<int>::max();
    EXPECT_TRUE(says(p, "block 1", "follow each other"));

    p = two_stacked_balls();
    p.blocks.pop_back();
    EXPECT_TRUE(says(p, "blocks", "cover 1 of 2"));

    p = two_stacked_balls();
    p.blocks[0].law = Interval{.lower = 1.0, .upper = -1.0};
    EXPECT_TRUE(says(p, "block 0", "empty"));

    p = two_stacked_balls();
    p.blocks[0].law = FrictionCone{.mu = 0.5};
    EXPECT_TRUE(says(p, "block 0", "cannot have 1 rows"));

    p = sliding_block(FrictionCone{.mu = -0.1}, 1.0);
    EXPECT_TRUE(says(p, "block 0", "mu is -0.1"));

    p = sliding_block(FrictionCone{.mu = 0.5, .mu_roll = -0.2}, 1.0);
    EXPECT_TRUE(says(p, "block 0", "mu_roll is -0.2"));

    p = sliding_block(FrictionCone{.mu = 0.5, .mu_spin = -0.3}, 1.0);
    EXPECT_TRUE(says(p, "block 0", "mu_spin is -0.3"));

    p = sliding_block(BoxFriction{.mu = nan}, 1.0);
    EXPECT_TRUE(says(p, "block 0", "mu is nan"));

    p = two_stacked_balls();
    p.jacobian[0].a = {};
    EXPECT_TRUE(says(p, "row 0", "moves no body"));

    p = two_stacked_balls();
    p.body_names = {"only one"};
    EXPECT_TRUE(says(p, "body_names", "one name per body"));
}

TEST(Validate, ExplainsABrokenMatrix) {
    const Problem good = assemble(two_stacked_balls());
    Problem p = good;
    p.matrix->value[0] = nan;
    EXPECT_TRUE(says(p, "matrix row 0", "not finite"));
    p = good;
    p.matrix->column[0] = 5;
    EXPECT_TRUE(says(p, "matrix row 0", "column 5"));
    p = good;
    p.matrix->column[1] = 0;
    EXPECT_TRUE(says(p, "matrix row 0", "column 0 after 0"));
    p = good;
    p.matrix->start.back() = 99;
    EXPECT_TRUE(says(p, "matrix", "do not fit together"));
    p = good;
    p.matrix->start[1] = 99;
    EXPECT_TRUE(says(p, "matrix row 0", "must not decrease"));
    p = good;
    p.bias.push_back(0.0);
    EXPECT_TRUE(says(p, "matrix", "has 2 rows but bias has 3"));
    p = good;
    p.bodies.push_back(ball());
    EXPECT_TRUE(says(p, "problem", "carries no bodies"));
}

TEST(Validate, StopsCollectingAtTheGivenNumber) {
    Problem p = two_stacked_balls();
    for (int i = 0; i < 50; ++i) p.bodies.push_back({.inverse_mass = -1.0});
    EXPECT_EQ(validate(p, 7).size(), 7U);
}

TEST(Validate, FindsTheFaultsOfLaterBlocksToo) {
    Problem p = two_stacked_balls();
    p.bias = {nan, nan};
    p.blocks[1].law = Interval{.lower = infinity, .upper = infinity};
    const auto faults = validate(p);
    ASSERT_EQ(faults.size(), 2U);
    EXPECT_EQ(faults[0].where, "row 0");
    EXPECT_EQ(faults[1].where, "block 1");
    p.blocks[0].first_row = 1;  // nothing can be said of what follows
    EXPECT_EQ(validate(p).size(), 1U);
}

// Finite numbers whose products are not: every solver would divide by infinity.
TEST(Validate, RefusesAnEffectiveMassThatOverflows) {
    Problem p = two_stacked_balls();
    p.jacobian[1].b[2] = 1e200;
    EXPECT_TRUE(says(p, "row 1", "overflows"));
}

// One inertia per condition: each principal minor alone negative.
TEST(Validate, RefusesEveryKindOfIndefiniteInertia) {
    const std::vector<Symmetric3> indefinite = {
        {-1, 0, 0, 0, 0, 0}, {0, -1, 0, 0, 0, 0}, {0, 0, -1, 0, 0, 0},         {1, 1, 0, 2, 0, 0},
        {1, 0, 1, 0, 2, 0},  {0, 1, 1, 0, 0, 2},  {1, 1, 1, -0.7, -0.7, -0.7}, {1, 1, 1, 0.9, 0.9, 0.1},
    };
    for (const Symmetric3& inertia : indefinite) {
        Problem p = resting_ball();
        p.bodies[0].inverse_inertia_w = inertia;
        EXPECT_TRUE(says(p, "body 0", "inertia")) << inertia[3] << " " << inertia[4] << " " << inertia[5];
    }
    const std::vector<Symmetric3> definite = {
        {1, 1, 1, 0.7, 0.7, 0.7}, {1, 1, 1, 0.9, 0.9, 0.8}, {1, 4, 9, 2, 3, 6}, {0, 1, 1, 0, 0, 1}, {}};
    for (const Symmetric3& inertia : definite) {
        Problem p = resting_ball();
        p.bodies[0].inverse_inertia_w = inertia;
        EXPECT_EQ(first_fault(p), "") << inertia[3] << " " << inertia[4] << " " << inertia[5];
    }
}

TEST(Problem, BlocksAddedToACompliantProblemAreRigid) {
    Problem problem = resting_ball();
    problem.compliance = {0.5};
    const JacobianRow up{.a = {0, 0, 1, 0, 0, 0}};
    add_block(problem, Unilateral{}, 0, no_body, std::span(&up, 1), std::array{0.0});
    EXPECT_EQ(problem.compliance, (std::vector{0.5, 0.0}));
    EXPECT_EQ(first_fault(problem), "");
}

TEST(Problem, VelocitiesFollowFromImpulses) {
    const Problem problem = two_stacked_balls();
    const auto v = body_velocities(problem, std::array{3.0, 1.0});
    EXPECT_NEAR(v[0][2], -gravity * time_step + (3.0 - 1.0) / mass, tolerance(1e-15));
    EXPECT_NEAR(v[1][2], -gravity * time_step + 1.0 / mass, tolerance(1e-15));
}

// w = J (v_free + M^-1 J^T x) + C x + b must be A x + q of the assembled form, for any x.
TEST(Problem, AssembledFormSaysTheSameAsTheBodies) {
    const KnownProblem known = generate_random({.seed = 3, .bodies = 12, .blocks = 30, .compliance = 0.01});
    const Problem& p = known.problem;
    const Problem assembled = assemble(p);
    ASSERT_EQ(first_fault(assembled), "");
    const auto v = body_velocities(p, known.impulse);
    for (const Block& block : p.blocks) {
        for (int i = block.first_row; i < block.first_row + block.rows; ++i) {
            double w = p.bias[i] + p.compliance[i] * known.impulse[i];
            if (block.body_a != no_body) w += dot(p.jacobian[i].a, v[block.body_a]);
            if (block.body_b != no_body) w += dot(p.jacobian[i].b, v[block.body_b]);
            double from_matrix = assembled.bias[i];
            const SparseMatrix& a = *assembled.matrix;
            for (std::int64_t k = a.start[i]; k < a.start[i + 1]; ++k) {
                from_matrix += a.value[k] * known.impulse[a.column[k]];
            }
            EXPECT_NEAR(from_matrix, w, tolerance(1e-11));
            EXPECT_NEAR(diagonal_entry(p, block, i), diagonal_entry(assembled, assembled.blocks[0], i),
                        tolerance(1e-12));
        }
    }
}

// A wheel on a fixed axle moves nowhere and still couples the two cords wound on it.
TEST(Problem, AssembledFormCouplesThroughABodyThatOnlyTurns) {
    Problem problem;
    problem.bodies = {{.inverse_mass = 0.0, .inverse_inertia_w = {4, 0, 0, 0, 0, 0}}};
    const JacobianRow left{.a = {0, 0, 0, 1, 0, 0}};
    const JacobianRow right{.a = {0, 0, 0, -0.5, 0, 0}};
    add_block(problem, Unilateral{}, 0, no_body, std::span(&left, 1), std::array{0.0});
    add_block(problem, Unilateral{}, 0, no_body, std::span(&right, 1), std::array{0.0});
    const Problem assembled = assemble(problem);
    EXPECT_EQ(assembled.matrix->value, (std::vector{4.0, -2.0, -2.0, 1.0}));
}

TEST(Problem, BlocksDescribeThemselvesForPeople) {
    Problem problem = sliding_block(FrictionCone{.mu = 0.3}, 1.0);
    EXPECT_EQ(describe_block(problem, 0),
              "block 0 (convex friction cone, mu 0.3) between body 0 and the world");
    problem.body_names = {"crate"};
    problem.block_names = {"crate on floor"};
    EXPECT_EQ(describe_block(problem, 0),
              "crate on floor (convex friction cone, mu 0.3) between 'crate' and the world");
}

TEST(ErrorMetric, RollingRowsHaveAMetricOfTheirOwn) {
    std::array<double, 6> a = {1.0, 2.0, 3.0, 10.0, 30.0, 7.0};
    share_metric(FrictionCone{.mu = 0.5}, a);
    EXPECT_EQ(a, (std::array<double, 6>{2.0, 2.0, 2.0, 20.0, 20.0, 7.0}));
}

// Foreign matrices may have anything on their diagonal; the row's largest entry, whatever its sign, stands
// in.
TEST(ErrorMetric, ARowWithoutADiagonalIsMeasuredByItsLargestEntry) {
    Problem problem;
    problem.matrix = SparseMatrix{.start = {0, 2, 3, 3}, .column = {0, 1, 0}, .value = {-1.0, -3.0, 2.0}};
    problem.bias = {0.0, 0.0, 0.0};
    problem.blocks = {{.first_row = 0, .rows = 3, .law = Bilateral{}}};
    const auto a = effective_inverse_mass(problem, problem.blocks[0]);
    EXPECT_EQ(a[0], 3.0);
    EXPECT_EQ(a[1], 2.0);
    EXPECT_EQ(a[2], 1.0) << "an empty row has no scale of its own";
}

TEST(ErrorMetric, AnOverflowedReferenceConfirmsNothing) {
    EXPECT_FALSE(meets({.value = 0.1}, 1.0, infinity));
    EXPECT_FALSE(meets({.value = 0.1}, infinity, infinity));
    EXPECT_FALSE(meets({.value = 0.1}, nan, 1.0));
    EXPECT_FALSE(meets({.value = 0.1}, 1.0, nan));
}

TEST(ErrorMetric, ToleranceIsRelativeOrInJoules) {
    EXPECT_TRUE(meets({.value = 0.1}, 0.01, 1.0));
    EXPECT_FALSE(meets({.value = 0.1}, 0.011, 1.0));
    EXPECT_TRUE(meets({.value = 0.01, .unit = ErrorUnit::joules}, 0.01, 1.0));
    EXPECT_FALSE(meets({.value = 0.01, .unit = ErrorUnit::joules}, 0.011, 1e9));
    EXPECT_TRUE(meets({.value = 1e-6}, 0.0, 0.0));
    EXPECT_FALSE(meets({.value = 1e-6}, 1e-30, 0.0));
}

}  // namespace
}  // namespace uptack::test

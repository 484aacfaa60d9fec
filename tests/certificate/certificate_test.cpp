#include "uptack/certificate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/random.h"
#include "support/small_problems.h"
#include "support/tolerance.h"
#include "uptack/generators.h"
#include "uptack/solvers.h"

namespace uptack::test {
namespace {

double half_square(double value) {
    return 0.5 * value * value;
}

// [energy-error, eq. 4-5] as printed, but for sigma_u = u - (x0 - dx_l): the printed sign is a slip.
double equation_5(double x, double w, double a, const Interval& law) {
    const double above = std::max(0.0, x - law.upper);
    const double below = std::max(0.0, law.lower - x);
    const double x0 = std::max(std::min(x, law.upper), law.lower);
    const double w_l = std::max(0.0, w);
    const double w_u = std::max(0.0, -w);
    const double sigma_l = x0 + above - law.lower;
    const double sigma_u = law.upper - (x0 - below);
    return std::max({a * (half_square(above) + half_square(below)),
                     std::min(half_square(w_l) / a, a * half_square(sigma_l)),
                     std::min(half_square(w_u) / a, a * half_square(sigma_u))});
}

/// One assembled row with A = a whose velocity at impulse x is w.
Problem single_row(const Law& law, double a, double x, double w) {
    Problem problem;
    problem.matrix = SparseMatrix{.start = {0, 1}, .column = {0}, .value = {a}};
    problem.bias = {w - a * x};
    problem.blocks = {{.first_row = 0, .rows = 1, .law = law}};
    return problem;
}

TEST(Certificate, MissingImpulseCostsTheKineticEnergyItShouldHaveRemoved) {
    const double fall_speed = gravity * time_step;
    const Certificate certificate = certify(resting_ball(), std::array{0.0});
    EXPECT_NEAR(certificate.energy_error_J, 0.5 * mass * fall_speed * fall_speed, tolerance(1e-15));
    EXPECT_DOUBLE_EQ(certificate.relative_error, 1.0);
    ASSERT_EQ(certificate.worst.size(), 1U);
    EXPECT_EQ(certificate.worst[0].block, 0);
}

TEST(Certificate, AProjectionDoesNotHideWhatIsNotFinite) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const Law& law : {Law{Bilateral{}}, Law{Unilateral{}}, Law{Interval{.lower = -1.0, .upper = 1.0}}}) {
        for (const double bad : {nan, infinity, -infinity}) {
            Problem problem = single_row(law, 1.0, 0.0, 0.0);
            EXPECT_TRUE(certify(problem, std::array{0.0}).finite);
            EXPECT_FALSE(certify(problem, std::array{bad}).finite) << law_name(law) << " " << bad;
            problem.bias = {bad};
            EXPECT_FALSE(certify(problem, std::array{0.0}).finite) << law_name(law) << " " << bad;
        }
        // Finite, but the energy of doing nothing is not: no relative error can be said.
        Problem fast = single_row(law, 1.0, 0.0, -1e200);
        EXPECT_FALSE(certify(fast, std::array{0.0}).finite && !std::holds_alternative<Interval>(law));
    }
}

TEST(Certificate, IsTheCorrectedEquationFiveForScalarRows) {
    Random random(1);
    for (int trial = 0; trial < 20'000; ++trial) {
        const double low = random.uniform(-2.0, 1.0);
        Interval law{.lower = low, .upper = low + std::max(0.0, random.uniform(-0.3, 2.0))};
        if (trial % 5 == 1) law.lower = -infinity;
        if (trial % 5 == 2) law.upper = infinity;
        if (trial % 5 == 3) law = {.lower = 0.0, .upper = infinity};
        const double a = std::exp(random.uniform(-3.0, 3.0));
        const double x = random.uniform(-3.0, 3.0);
        const double w = random.uniform(-3.0, 3.0);
        const double expected = equation_5(x, w, a, law);
        const double measured = certify(single_row(law, a, x, w), std::array{x}).energy_error_J;
        EXPECT_NEAR(measured, expected, tolerance(1e-12) * (1.0 + expected))
            << "x " << x << " w " << w << " a " << a;
    }
}

TEST(Certificate, IsZeroAtSolutionsOfEveryLawAndPositiveBeside) {
    for (const FrictionModel model : {FrictionModel::convex, FrictionModel::exact}) {
        for (std::uint64_t seed = 1; seed <= 40; ++seed) {
            const KnownProblem known = generate_random({.seed = seed, .model = model});
            const Certificate at = certify(known.problem, known.impulse);
            EXPECT_LE(at.relative_error, tolerance(1e-12)) << "seed " << seed;
            EXPECT_LE(at.natural_residual, tolerance(1e-10)) << "seed " << seed;
            // Fischer-Burmeister's function takes the root of round-off at degenerate points of a cone.
            EXPECT_LE(at.fischer_burmeister, tolerance(1e-6)) << "seed " << seed;
            std::vector<double> beside = known.impulse;
            for (std::size_t i = 0; i < beside.size(); i += 7) {
                beside[i] += 0.1;
                const Certificate off = certify(known.problem, beside);
                EXPECT_GT(off.energy_error_J, 1e-9 * at.reference_energy_J)
                    << "seed " << seed << " row " << i;
                EXPECT_GT(off.natural_residual, 1e-6);
                EXPECT_GT(off.fischer_burmeister, 1e-6);
                beside[i] -= 0.1;
            }
        }
    }
}

/// The same problem in other units: lengths times `length`, masses times `weight`.
Problem in_units(Problem p, double length, double weight) {
    for (Body& body : p.bodies) {
        body.inverse_mass /= weight;
        for (double& value : body.inverse_inertia_w) value /= weight * length * length;
        for (int k = 0; k < 3; ++k) body.free_velocity[k] *= length;
    }
    for (const Block& block : p.blocks) {
        const bool cone = std::holds_alternative<FrictionCone>(block.law);
        for (int i = 0; i < block.rows; ++i) {
            const bool turning = cone && i >= 3;  // rows in rad/s: rolling and spinning
            JacobianRow& row = p.jacobian[block.first_row + i];
            for (int k = 0; k < 3; ++k) {
                // J maps [length/s, rad/s] to the row's own unit
                if (turning) row.a[k] /= length, row.b[k] /= length;
                if (!turning) row.a[k + 3] *= length, row.b[k + 3] *= length;
            }
            if (!turning) p.bias[block.first_row + i] *= length;
        }
    }
    return p;
}

std::vector<double> impulses_in_units(const Problem& p, std::vector<double> x, double length, double weight) {
    for (const Block& block : p.blocks) {
        const bool cone = std::holds_alternative<FrictionCone>(block.law);
        for (int i = 0; i < block.rows; ++i) {
            x[block.first_row + i] *= weight * length * (cone && i >= 3 ? length : 1.0);
        }
    }
    return x;
}

Problem laws_in_units(Problem p, double length, double weight) {
    for (Block& block : p.blocks) {
        if (auto* interval = std::get_if<Interval>(&block.law)) {
            interval->lower *= weight * length;
            interval->upper *= weight * length;
        }
        if (auto* cone = std::get_if<FrictionCone>(&block.law)) {
            cone->mu_roll *= length;
            cone->mu_spin *= length;
        }
    }
    return p;
}

// Metres to millimetres and kilograms to grams: joules become g mm^2 / s^2, a factor of 1e9.
TEST(Certificate, JoulesTransformWithTheUnitsAndTheRelativeErrorDoesNot) {
    const double length = 1e3;
    const double weight = 1e3;
    const KnownProblem known = generate_random({.seed = 5, .bodies = 15, .blocks = 40});
    Random random(2);
    std::vector<double> x = known.impulse;
    for (double& value : x) value += 0.1 * random.normal();
    const Problem other = laws_in_units(in_units(known.problem, length, weight), length, weight);
    const Certificate here = certify(known.problem, x);
    const Certificate there = certify(other, impulses_in_units(known.problem, x, length, weight));
    EXPECT_NEAR(there.energy_error_J / here.energy_error_J, weight * length * length, tolerance(1e-3));
    EXPECT_NEAR(there.relative_error / here.relative_error, 1.0, tolerance(1e-12));
    EXPECT_GT(std::abs(there.natural_residual / here.natural_residual - 1.0), 0.1);
}

// Along a solver's path the certificate must fall as the true distance falls: the energy norm of the velocity
// error is 1/2 dv' M dv, measured against a solution.
TEST(Certificate, OrdersIteratesAsTheEnergyNormDistanceDoes) {
    const Problem problem = generate_sphere_packing({.spheres = 200, .contacts = 600});
    Solution reference;
    make_apgd()->solve(problem, reference, {.tolerance = {1e-11}, .max_iterations = 100'000});
    ASSERT_LE(certify(problem, reference.impulse).relative_error, 1e-10);
    std::vector<double> error;
    std::vector<double> distance;
    for (const int sweeps : {1, 3, 10, 30, 100, 300, 1000}) {
        Solution x;
        make_psor({.omega = 1.0})->solve(problem, x, {.tolerance = {1e-12}, .max_iterations = sweeps});
        error.push_back(certify(problem, x.impulse).energy_error_J);
        double energy = 0.0;
        for (std::size_t b = 0; b < problem.bodies.size(); ++b) {
            if (problem.bodies[b].inverse_mass == 0.0) continue;
            for (int k = 0; k < 3; ++k) {
                energy +=
                    half_square(x.velocity[b][k] - reference.velocity[b][k]) / problem.bodies[b].inverse_mass;
            }
        }
        distance.push_back(energy);
    }
    for (std::size_t i = 1; i < error.size(); ++i) {
        EXPECT_LT(error[i], error[i - 1]);
        EXPECT_LT(distance[i], distance[i - 1]);
    }
}

// mu m g h against the motion, exactly; the convex law would lift the block off by mu |v_t|.
TEST(Certificate, ExactFrictionAcceptsCoulombsAnswerAndNotTheConvexOne) {
    const double mu = 0.5;
    const double x_n = mass * gravity * time_step;
    const std::vector<double> coulomb = {x_n, -mu * x_n * 0.6, -mu * x_n * 0.8};
    const Problem exact = sliding_block(FrictionCone{.mu = mu, .model = FrictionModel::exact}, 2.0);
    const Problem convex = sliding_block(FrictionCone{.mu = mu}, 2.0);
    EXPECT_LE(certify(exact, coulomb).relative_error, tolerance(1e-15));
    EXPECT_GT(certify(convex, coulomb).relative_error, 0.1);
}

TEST(Certificate, BoxFrictionIsMeasuredRowByRow) {
    const Problem box = sliding_block(BoxFriction{.mu = 0.5}, 2.0);
    const double x_n = mass * gravity * time_step;
    EXPECT_LE(certify(box, std::vector{x_n, -0.5 * x_n, -0.5 * x_n}).relative_error, tolerance(1e-15));
    EXPECT_GT(certify(box, std::vector{x_n, -0.3 * x_n, -0.4 * x_n}).relative_error, 1e-3);
}

// A pulling normal impulse allows no friction at all: the tangent's whole impulse is an error.
TEST(Certificate, BoxFrictionUnderAPullingNormalAllowsNoTangent) {
    const Problem box = sliding_block(BoxFriction{.mu = 0.5}, 0.0);
    const double a = 1.0 / mass;
    const double x_t = 0.25;
    const double pull = -0.1;
    const double w_n = -gravity * time_step + a * pull;
    const double r_n = pull - std::max(0.0, pull - w_n / a);
    const Certificate certificate = certify(box, std::vector{pull, x_t, 0.0});
    EXPECT_NEAR(certificate.energy_error_J, 0.5 * a * (r_n * r_n + x_t * x_t), tolerance(1e-12));
}

// For two rows and mu = 1 the cone is a rotated quadrant, and the Jordan-algebra formula must be the scalar
// one in the rotated coordinates: phi of (x_n +- x_t)(w_n +- w_t) with |.| scaled by 1/sqrt(2) each way.
TEST(Certificate, ConeFischerBurmeisterIsTheScalarOneInRotatedCoordinates) {
    Random random(3);
    for (int trial = 0; trial < 500; ++trial) {
        const std::vector<double> x = random.normals(2);
        const std::vector<double> w = random.normals(2);
        Problem problem;
        problem.matrix = SparseMatrix{.start = {0, 1, 2}, .column = {0, 1}, .value = {1.0, 1.0}};
        problem.bias = {w[0] - x[0], w[1] - x[1]};
        problem.blocks = {{.first_row = 0, .rows = 2, .law = FrictionCone{.mu = 1.0}}};
        double expected = 0.0;
        for (const double sign : {1.0, -1.0}) {
            const double a = (x[0] + sign * x[1]) / std::sqrt(2.0);
            const double b = (w[0] + sign * w[1]) / std::sqrt(2.0);
            expected += 2.0 * half_square(a + b - std::hypot(a, b));
        }
        EXPECT_NEAR(certify(problem, x).fischer_burmeister, std::sqrt(expected), tolerance(1e-12));
    }
}

TEST(Certificate, FischerBurmeisterOfScalarRows) {
    const auto phi = [](double a, double b) { return a + b - std::hypot(a, b); };
    EXPECT_NEAR(certify(single_row(Unilateral{}, 2.0, 0.3, 0.4), std::array{0.3}).fischer_burmeister,
                phi(0.3, 0.4), tolerance(1e-15));
    EXPECT_NEAR(certify(single_row(Bilateral{}, 2.0, 0.3, -0.4), std::array{0.3}).fischer_burmeister, 0.4,
                tolerance(1e-15));
    const Interval interval{.lower = -1.0, .upper = 1.0};
    EXPECT_NEAR(certify(single_row(interval, 2.0, 0.3, 0.4), std::array{0.3}).fischer_burmeister,
                std::abs(phi(1.3, -phi(0.7, -0.4))), tolerance(1e-15));
}

/// Three uncoupled rows whose velocities at x are w.
Problem contact_rows(const Law& law, const std::vector<double>& x, const std::vector<double>& w) {
    Problem problem;
    problem.matrix = SparseMatrix{.start = {0, 1, 2, 3}, .column = {0, 1, 2}, .value = {1.0, 1.0, 1.0}};
    for (std::size_t i = 0; i < 3; ++i) problem.bias.push_back(w[i] - x[i]);
    problem.blocks = {{.first_row = 0, .rows = 3, .law = law}};
    return problem;
}

// Without friction a cone is a unilateral row and two that carry nothing; a box is three scalar rows.
TEST(Certificate, FischerBurmeisterOfSmoothConesAndBoxesIsThatOfTheirRows) {
    const auto phi = [](double a, double b) { return a + b - std::hypot(a, b); };
    const std::vector<double> x = {0.3, 0.2, -0.1};
    const std::vector<double> w = {0.4, 5.0, -6.0};
    const double smooth = certify(contact_rows(FrictionCone{.mu = 0.0}, x, w), x).fischer_burmeister;
    EXPECT_NEAR(smooth * smooth, 2.0 * half_square(phi(0.3, 0.4)) + 0.04 + 0.01, tolerance(1e-14));
    const double box = certify(contact_rows(BoxFriction{.mu = 1.0}, x, w), x).fischer_burmeister;
    const double t1 = phi(0.5, -phi(0.1, -5.0));
    const double t2 = phi(0.2, -phi(0.4, 6.0));
    EXPECT_NEAR(box * box, 2.0 * (half_square(phi(0.3, 0.4)) + half_square(t1) + half_square(t2)),
                tolerance(1e-13));
}

// Two contacts that close on each other: however large the impulses, one of them is violated, also when x - w
// / a rounds back to x.
TEST(Certificate, HugeImpulsesDoNotHideAContradiction) {
    Problem squeezed;
    squeezed.bodies = {ball()};
    for (const double side : {-1.0, 1.0}) {
        const JacobianRow row{.a = {0, 0, side, 0, 0, 0}};
        add_block(squeezed, Unilateral{}, 0, no_body, std::span(&row, 1), std::array{-1.0});
    }
    for (const double x : {1.0, 1e8, 1e17, 1e30}) {
        EXPECT_GT(certify(squeezed, std::array{x, x}).energy_error_J, 0.1) << x;
    }
}

TEST(Certificate, NamesTheWorstBlocksInOrder) {
    const Problem problem = two_stacked_balls();
    const double weight = mass * gravity * time_step;
    const Certificate certificate = certify(problem, std::array{2.0 * weight, 1.5 * weight});
    ASSERT_EQ(certificate.worst.size(), 2U);
    EXPECT_GE(certificate.worst[0].energy_error_J, certificate.worst[1].energy_error_J);
    EXPECT_DOUBLE_EQ(certificate.worst[0].energy_error_J + certificate.worst[1].energy_error_J,
                     certificate.energy_error_J);
    EXPECT_EQ(certify(problem, std::array{0.0, 0.0}, 1).worst.size(), 1U);
}

// More blocks than are asked for, neither rising nor falling; of equals the first is named first.
TEST(Certificate, NamesTheWorstOfMany) {
    const std::vector<double> closing_speed = {3.0, 1.0, 4.0, 5.0, 9.0, 0.0, 5.0, 2.0};
    Problem problem;
    problem.matrix = SparseMatrix{.start = {0}, .column = {}, .value = {}};
    for (int i = 0; i < static_cast<int>(closing_speed.size()); ++i) {
        problem.matrix->column.push_back(i);
        problem.matrix->value.push_back(1.0);
        problem.matrix->start.push_back(i + 1);
        problem.bias.push_back(-closing_speed[i]);
        problem.blocks.push_back({.first_row = i, .rows = 1, .law = Unilateral{}});
    }
    const std::vector<double> nothing(closing_speed.size(), 0.0);
    const auto worst_blocks = [&](std::size_t count) {
        std::vector<int> blocks;
        for (const BlockError& error : certify(problem, nothing, count).worst) blocks.push_back(error.block);
        return blocks;
    };
    EXPECT_EQ(worst_blocks(4), (std::vector{4, 3, 6, 2}));
    EXPECT_EQ(worst_blocks(100), (std::vector{4, 3, 6, 2, 0, 7, 1})) << "a block without error is not bad";
    EXPECT_TRUE(worst_blocks(0).empty());
    EXPECT_DOUBLE_EQ(certify(problem, nothing).block_energy_error_J[4], 0.5 * 81.0);
}

TEST(Certificate, CompliantRowsYieldToTheirImpulse) {
    Problem problem = resting_ball();
    problem.compliance = {1.5};
    const double x = gravity * time_step / (1.0 / mass + 1.5);  // (1/m + C) x = g h
    EXPECT_LE(certify(problem, std::array{x}).relative_error, tolerance(1e-15));
    EXPECT_GT(certify(problem, std::array{mass * gravity * time_step}).relative_error, 0.1);
}

TEST(Certificate, SaysWhenImpulsesAreNotFinite) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(certify(two_stacked_balls(), std::array{0.0, nan}).finite);
    EXPECT_FALSE(certify(two_stacked_balls(), std::array{0.0, infinity}).finite);
    EXPECT_TRUE(certify(two_stacked_balls(), std::array{0.0, 0.0}).finite);
}

}  // namespace
}  // namespace uptack::test

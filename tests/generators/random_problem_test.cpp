#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "support/tolerance.h"
#include "uptack/generators.h"

namespace uptack::test {
namespace {

constexpr double rounding = 1e-12;  // of a velocity or an impulse of about 1

// w = J v+ + C x + b, from the problem's data alone.
std::vector<double> constraint_velocity(const KnownProblem& known) {
    const Problem& problem = known.problem;
    const std::vector<Vec6> velocity = body_velocities(problem, known.impulse);
    const auto along = [&](int body, const Vec6& row) {
        return body == no_body ? 0.0
                               : std::inner_product(row.begin(), row.end(), velocity[body].begin(), 0.0);
    };
    std::vector<double> w = problem.bias;
    for (const Block& block : problem.blocks) {
        for (int i = block.first_row; i < block.first_row + block.rows; ++i) {
            w[i] += along(block.body_a, problem.jacobian[i].a) + along(block.body_b, problem.jacobian[i].b);
            if (!problem.compliance.empty()) w[i] += problem.compliance[i] * known.impulse[i];
        }
    }
    return w;
}

bool obeys_interval(double x, double w, double lower, double upper) {
    const double slack = tolerance(rounding);
    if (x < lower - slack || x > upper + slack) return false;
    if (w > slack && std::abs(x - lower) > slack) return false;
    return !(w < -slack && std::abs(x - upper) > slack);
}

// Cones: x in K, w~ in K*, <x, w~> = 0.
bool obeys_cone(const Law& law, std::span<const double> x, std::span<const double> w) {
    const double slack = tolerance(rounding);
    std::vector<double> corrected(w.begin(), w.end());
    add_de_saxce_term(law, corrected);
    const double product = std::inner_product(x.begin(), x.end(), corrected.begin(), 0.0);
    return contains(law, x, slack) && dual_contains(law, corrected, slack) && std::abs(product) <= slack;
}

bool obeys(const Law& law, std::span<const double> x, std::span<const double> w) {
    if (const auto* interval = std::get_if<Interval>(&law)) {
        for (std::size_t i = 0; i < x.size(); ++i) {
            if (!obeys_interval(x[i], w[i], interval->lower, interval->upper)) return false;
        }
        return contains(law, x, tolerance(rounding));
    }
    if (const auto* box = std::get_if<BoxFriction>(&law)) {
        if (!obeys_interval(x[0], w[0], 0.0, infinity)) return false;
        const double bound = box->mu * x[0];
        return std::all_of(x.begin() + 1, x.end(), [&](const double& t) {
            return obeys_interval(t, w[static_cast<std::size_t>(&t - x.data())], -bound, bound);
        });
    }
    return obeys_cone(law, x, w);
}

void expect_solved(const KnownProblem& known) {
    const std::vector<double> w = constraint_velocity(known);
    for (const Block& block : known.problem.blocks) {
        const auto first = static_cast<std::size_t>(block.first_row);
        const auto rows = static_cast<std::size_t>(block.rows);
        EXPECT_TRUE(obeys(block.law, std::span(known.impulse).subspan(first, rows),
                          std::span(w).subspan(first, rows)))
            << law_name(block.law) << ", " << rows << " rows";
    }
}

TEST(RandomProblem, KnownSolutionObeysEveryLaw) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        for (const FrictionModel model : {FrictionModel::convex, FrictionModel::exact}) {
            for (const double compliance : {0.0, 0.1}) {
                const KnownProblem known =
                    generate_random({.seed = seed, .model = model, .compliance = compliance});
                ASSERT_TRUE(validate(known.problem).empty());
                expect_solved(known);
            }
        }
    }
}

TEST(RandomProblem, ASingleBodyIsHeldToTheWorld) {
    const KnownProblem known = generate_random({.bodies = 1, .blocks = 30});
    EXPECT_TRUE(validate(known.problem).empty());
    expect_solved(known);
}

TEST(RandomProblem, WithoutFrictionThereAreScalarLawsOnly) {
    for (const Block& block : generate_random({.blocks = 200, .mu = 0.0}).problem.blocks) {
        EXPECT_FALSE(std::holds_alternative<FrictionCone>(block.law));
        EXPECT_FALSE(std::holds_alternative<BoxFriction>(block.law));
    }
}

TEST(RandomProblem, EveryLawComesInEverySizeItMayHave) {
    std::set<std::pair<std::size_t, int>> seen;
    for (const Block& block : generate_random({.blocks = 2000}).problem.blocks) {
        seen.emplace(block.law.index(), block.rows);
    }
    const std::vector<Law> laws = {Bilateral{}, Unilateral{}, Interval{}, FrictionCone{}, BoxFriction{}};
    for (const Law& law : laws) {
        for (int rows = 1; rows <= max_block_rows; ++rows) {
            EXPECT_EQ(seen.count({law.index(), rows}) == 1, allows_rows(law, rows))
                << law_name(law) << ' ' << rows;
        }
    }
}

TEST(RandomProblem, SomeBodiesAreKinematicAndSomeBlocksHoldToTheWorld) {
    const Problem problem = generate_random({.bodies = 50, .blocks = 200}).problem;
    const auto is_kinematic = [&](int body) {
        return body != no_body && problem.bodies[body].inverse_mass == 0.0;
    };
    int kinematic = 0;
    int world = 0;
    for (const Block& block : problem.blocks) {
        kinematic += is_kinematic(block.body_a) || is_kinematic(block.body_b) ? 1 : 0;
        world += block.body_a == no_body || block.body_b == no_body ? 1 : 0;
    }
    EXPECT_GT(kinematic, 0);
    EXPECT_GT(world, 0);
}

TEST(RandomProblem, ConesLiftStickAndSlide) {
    int lifted = 0;
    int sticking = 0;
    int sliding = 0;
    const KnownProblem known = generate_random({.blocks = 1000, .model = FrictionModel::exact});
    const std::vector<double> w = constraint_velocity(known);
    for (const Block& block : known.problem.blocks) {
        if (!std::holds_alternative<FrictionCone>(block.law)) continue;
        const bool moves = std::abs(w[block.first_row + 1]) > 1e-6;
        if (known.impulse[block.first_row] == 0.0) {
            ++lifted;
        } else {
            ++(moves ? sliding : sticking);
        }
    }
    EXPECT_GT(lifted, 10);
    EXPECT_GT(sticking, 10);
    EXPECT_GT(sliding, 10);
}

TEST(RandomProblem, IntervalsAreFiniteHalfFiniteAndOfZeroWidth) {
    int finite = 0;
    int half_finite = 0;
    int zero_width = 0;
    for (const Block& block : generate_random({.blocks = 500}).problem.blocks) {
        const auto* interval = std::get_if<Interval>(&block.law);
        if (interval == nullptr) continue;
        const int finite_ends =
            (std::isfinite(interval->lower) ? 1 : 0) + (std::isfinite(interval->upper) ? 1 : 0);
        zero_width += interval->lower == interval->upper ? 1 : 0;
        finite += finite_ends == 2 ? 1 : 0;
        half_finite += finite_ends == 1 ? 1 : 0;
    }
    EXPECT_GT(zero_width, 0);
    EXPECT_GT(finite, zero_width);
    EXPECT_GT(half_finite, 0);
}

}  // namespace
}  // namespace uptack::test

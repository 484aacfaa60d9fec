#include "uptack/law.h"

#include <gtest/gtest.h>

#include <cmath>

#include "solvers/kernels/cone_projection.h"
#include "support/random.h"
#include "support/tolerance.h"

namespace uptack::test {
namespace {

struct Sample {
    const char* name;
    Law law;
    int rows;
};

// Every law with every number of rows it may have; box friction, whose set moves with the point, is tested
// apart.
std::vector<Sample> convex_samples() {
    std::vector<Sample> samples = {
        {"bilateral", Bilateral{}, 3},
        {"unilateral", Unilateral{}, 2},
        {"interval", Interval{.lower = -1.0, .upper = 0.5}, 2},
        {"half line", Interval{.lower = -infinity, .upper = 0.25}, 1},
        {"point", Interval{.lower = 0.3, .upper = 0.3}, 1},
    };
    for (const double mu : {0.0, 0.3, 1.0, 4.0}) {
        for (const double roll : {0.0, 0.05, 0.7}) {
            for (int rows = 2; rows <= 6; ++rows) {
                samples.push_back({"cone", FrictionCone{.mu = mu, .mu_roll = roll, .mu_spin = 0.2}, rows});
            }
        }
    }
    return samples;
}

std::vector<double> random_metric(const Sample& sample, Random& random) {
    std::vector<double> metric(sample.rows);
    for (double& d : metric) d = std::exp(random.uniform(-2.0, 2.0));
    if (const auto* cone = std::get_if<FrictionCone>(&sample.law)) {
        for (const FrictionGroup& g : friction_groups(*cone, sample.rows)) {
            for (int i = 1; i < g.count; ++i) metric[g.first + i] = metric[g.first];
        }
    }
    return metric;
}

std::vector<double> projected(const Law& law, std::vector<double> z, const std::vector<double>& metric) {
    project(law, z, metric);
    return z;
}

double metric_dot(const std::vector<double>& a, const std::vector<double>& b,
                  const std::vector<double>& metric) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += metric[i] * a[i] * b[i];
    return sum;
}

std::vector<double> difference(const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> out(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) out[i] = a[i] - b[i];
    return out;
}

TEST(Law, ProjectionIsAllowedAndIdempotent) {
    Random random(1);
    for (const Sample& sample : convex_samples()) {
        for (int trial = 0; trial < 50; ++trial) {
            const auto metric = random_metric(sample, random);
            const auto x = projected(sample.law, random.normals(sample.rows), metric);
            EXPECT_TRUE(contains(sample.law, x, tolerance(1e-14))) << sample.name << sample.rows;
            const auto again = projected(sample.law, x, metric);
            for (int i = 0; i < sample.rows; ++i)
                EXPECT_NEAR(again[i], x[i], tolerance(1e-14)) << sample.name;
        }
    }
}

// x = proj(z) iff <z - x, y - x> <= 0 for every allowed y: says that no allowed point is nearer.
TEST(Law, NoAllowedPointIsNearerThanTheProjection) {
    Random random(2);
    for (const Sample& sample : convex_samples()) {
        for (int trial = 0; trial < 50; ++trial) {
            const auto metric = random_metric(sample, random);
            const auto z = random.normals(sample.rows);
            const auto x = projected(sample.law, z, metric);
            const auto y = projected(sample.law, random.normals(sample.rows), metric);
            EXPECT_LE(metric_dot(difference(z, x), difference(y, x), metric), tolerance(1e-12))
                << sample.name << " with " << sample.rows << " rows";
        }
    }
}

TEST(Law, ProjectionDoesNotExpandDistances) {
    Random random(3);
    for (const Sample& sample : convex_samples()) {
        for (int trial = 0; trial < 50; ++trial) {
            const auto metric = random_metric(sample, random);
            const auto a = random.normals(sample.rows);
            const auto b = random.normals(sample.rows);
            const auto before = difference(a, b);
            const auto after = difference(projected(sample.law, a, metric), projected(sample.law, b, metric));
            EXPECT_LE(metric_dot(after, after, metric),
                      metric_dot(before, before, metric) + tolerance(1e-12));
        }
    }
}

// Moreau: what the projection takes away points out of the cone, D (x - z) is in the dual cone and normal to
// x.
TEST(Law, WhatAConeProjectionTakesAwayIsDualAndNormal) {
    Random random(4);
    for (const Sample& sample : convex_samples()) {
        if (!std::holds_alternative<FrictionCone>(sample.law) &&
            !std::holds_alternative<Unilateral>(sample.law)) {
            continue;
        }
        for (int trial = 0; trial < 50; ++trial) {
            const auto metric = random_metric(sample, random);
            const auto z = random.normals(sample.rows);
            const auto x = projected(sample.law, z, metric);
            auto w = difference(x, z);
            for (int i = 0; i < sample.rows; ++i) w[i] *= metric[i];
            EXPECT_TRUE(dual_contains(sample.law, w, tolerance(1e-12))) << sample.name << sample.rows;
            EXPECT_NEAR(metric_dot(w, x, std::vector<double>(sample.rows, 1.0)), 0.0, tolerance(1e-12));
        }
    }
}

TEST(Law, DualConeHasNoNegativeProductWithTheCone) {
    Random random(5);
    const FrictionCone cone{.mu = 0.4, .mu_roll = 0.1, .mu_spin = 0.05};
    for (int trial = 0; trial < 2000; ++trial) {
        auto w = random.normals(6);
        w[0] = std::abs(w[0]);
        const auto x = projected(cone, random.normals(6), std::vector<double>(6, 1.0));
        const double product = metric_dot(w, x, std::vector<double>(6, 1.0));
        if (!dual_contains(cone, w)) continue;
        EXPECT_GE(product, -tolerance(1e-14));
    }
    EXPECT_FALSE(dual_contains(cone, std::vector<double>{0.39, 1.0, 0.0, 0.0, 0.0, 0.0}));
    EXPECT_TRUE(dual_contains(cone, std::vector<double>{0.55, 1.0, 0.0, 0.0, 1.0, 1.0}));
}

TEST(Law, FastConeOfTheSweepsIsTheLawsOwn) {
    Random random(6);
    for (int trial = 0; trial < 2000; ++trial) {
        const FrictionCone cone{.mu = random.uniform(0.0, 2.0)};
        const double normal = random.uniform(0.2, 1.0);
        const double tangent = trial % 2 == 0 ? normal : random.uniform(0.2, 1.0);
        const double lean = cone.mu * (tangent / normal);
        std::vector<double> slow = random.normals(3);
        std::vector<double> fast = slow;
        project(cone, slow, std::vector<double>{normal, tangent, tangent});
        project_cone(cone.mu, lean, fast[0], fast[1], fast[2]);
        for (int i = 0; i < 3; ++i) EXPECT_NEAR(fast[i], slow[i], tolerance(1e-13));

        std::vector<double> flat = random.normals(2);
        std::vector<double> fast_flat = flat;
        project(cone, flat, std::vector<double>{normal, tangent});
        project_flat_cone(cone.mu, lean, fast_flat[0], fast_flat[1]);
        for (int i = 0; i < 2; ++i) EXPECT_NEAR(fast_flat[i], flat[i], tolerance(1e-13));
    }
}

// What the visit x <- proj(x - w / D) with lean 0 leaves where it is solves the exact law in De Saxce's form,
// and the other way round.
TEST(Law, ProjectionThatDoesNotLeanIsTheExactLaw) {
    Random random(7);
    const FrictionCone cone{.mu = 0.6, .model = FrictionModel::exact};
    const double d_n = 2.0;
    const double d_t = 0.7;
    const auto visit = [&](std::vector<double> x, const std::vector<double>& w) {
        for (int i = 0; i < 3; ++i) x[i] -= (i == 0 ? d_n : d_t) * w[i];
        project_cone(cone.mu, 0.0, x[0], x[1], x[2]);
        return x;
    };
    const auto misses = [&](const std::vector<double>& x, std::vector<double> w) {
        add_de_saxce_term(cone, w);
        const std::vector<double> ones(3, 1.0);
        std::vector<double> z = {x[0] - w[0], x[1] - w[1], x[2] - w[2]};
        project(cone, z, ones);
        double sum = 0.0;
        for (int i = 0; i < 3; ++i) sum += std::abs(z[i] - x[i]);
        return sum;
    };
    for (int trial = 0; trial < 500; ++trial) {
        const double n = random.uniform(0.5, 2.0);
        const double angle = random.uniform(0.0, 6.0);
        const std::vector<double> along = {0.0, std::cos(angle), std::sin(angle)};
        const double speed = random.uniform(0.1, 1.0);
        const std::vector<double> sliding = {n, cone.mu * n * along[1], cone.mu * n * along[2]};
        const std::vector<double> slip = {0.0, -speed * along[1], -speed * along[2]};
        const std::vector<double> zero(3, 0.0);
        const std::vector<double> opening = {speed, random.normal(), random.normal()};
        const std::vector<double> sticking = {n, 0.5 * cone.mu * n * along[1], 0.1 * cone.mu * n};
        for (const auto& [x, w] : {std::pair{sliding, slip}, {sticking, zero}, {zero, opening}}) {
            const std::vector<double> after = visit(x, w);
            for (int i = 0; i < 3; ++i) EXPECT_NEAR(after[i], x[i], tolerance(1e-14));
            EXPECT_NEAR(misses(x, w), 0.0, tolerance(1e-14));
        }
        // Convex sliding lifts off: no solution of the exact law, and the visit changes it.
        const std::vector<double> lifting = {cone.mu * speed, slip[1], slip[2]};
        EXPECT_GT(std::abs(visit(sliding, lifting)[0] - sliding[0]), 0.01);
        EXPECT_GT(misses(sliding, lifting), 0.01);
    }
}

TEST(Law, BoxFrictionClampsEachTangentWithTheNormal) {
    std::vector<double> z = {2.0, 5.0, -0.3};
    const std::vector<double> ones(3, 1.0);
    project(BoxFriction{.mu = 0.5}, z, ones);
    EXPECT_EQ(z, (std::vector<double>{2.0, 1.0, -0.3}));
    std::vector<double> pulled = {-1.0, 5.0, 5.0};
    project(BoxFriction{.mu = 0.5}, pulled, ones);
    EXPECT_EQ(pulled, (std::vector<double>{0.0, 0.0, 0.0}));
}

// The corner of the box holds sqrt(2) times what the cone allows: the known defect of box friction.
TEST(Law, BoxCornerLiesOutsideTheCone) {
    const std::vector<double> corner = {1.0, 0.5, 0.5};
    EXPECT_TRUE(contains(BoxFriction{.mu = 0.5}, corner));
    EXPECT_FALSE(contains(FrictionCone{.mu = 0.5}, corner));
}

TEST(Law, DeSaxceTermIsAddedToExactConesOnly) {
    const std::vector<double> w = {1.0, 3.0, 4.0, 0.0, 2.0, -1.0};
    std::vector<double> exact = w;
    add_de_saxce_term(FrictionCone{.mu = 0.5, .mu_roll = 0.1, .mu_spin = 0.01, .model = FrictionModel::exact},
                      exact);
    EXPECT_NEAR(exact[0], 1.0 + 0.5 * 5.0 + 0.1 * 2.0 + 0.01 * 1.0, tolerance(1e-15));
    EXPECT_TRUE(std::equal(w.begin() + 1, w.end(), exact.begin() + 1));
    std::vector<double> convex = w;
    add_de_saxce_term(FrictionCone{.mu = 0.5}, convex);
    add_de_saxce_term(BoxFriction{.mu = 0.5}, convex);
    EXPECT_EQ(convex, w);
}

// Each bound by itself: a membership test that forgets one still passes for projected points.
TEST(Law, EveryBoundKeepsOutWhatIsBeyondIt) {
    struct Case {
        Law law;
        std::vector<std::vector<double>> inside;
        std::vector<std::vector<double>> outside;
    };
    const std::vector<Case> cases = {
        {Unilateral{}, {{0.0}, {5.0}}, {{-0.1}}},
        {Interval{.lower = -1.0, .upper = 2.0}, {{-1.0}, {0.0}, {2.0}}, {{-1.1}, {2.1}}},
        {FrictionCone{.mu = 0.0}, {{1.0, 0.0, 0.0}}, {{-1.0, 0.0, 0.0}, {1.0, 0.1, 0.0}}},
        {FrictionCone{.mu = 0.5}, {{1.0, -0.3, 0.4}}, {{1.0, -0.4, 0.4}, {-1.0, 0.0, 0.0}}},
        {BoxFriction{.mu = 0.5}, {{1.0, -0.5, 0.5}}, {{1.0, 0.6, 0.0}, {1.0, 0.0, -0.6}, {-1.0, 0.0, 0.0}}},
    };
    for (const Case& one : cases) {
        for (const auto& x : one.inside) EXPECT_TRUE(contains(one.law, x)) << x[0];
        for (const auto& x : one.outside) {
            EXPECT_FALSE(contains(one.law, x)) << x[0];
            EXPECT_TRUE(contains(one.law, x, 1.0)) << "the slack is in the impulses' unit";
        }
    }
}

TEST(Law, VelocitiesThatAStrictlyInnerImpulseForbidsAreNotDual) {
    const std::vector<double> opening = {0.5};
    const std::vector<double> closing = {-0.5};
    for (const Law& one_sided : {Law{Unilateral{}}, Law{Interval{.lower = 0.0, .upper = infinity}}}) {
        EXPECT_TRUE(dual_contains(one_sided, opening));
        EXPECT_FALSE(dual_contains(one_sided, closing));
        EXPECT_TRUE(dual_contains(one_sided, closing, 0.5));
    }
    for (const Law& two_sided : {Law{Bilateral{}}, Law{Interval{.lower = 0.0, .upper = 1.0}},
                                 Law{Interval{.lower = -1.0, .upper = infinity}}}) {
        EXPECT_FALSE(dual_contains(two_sided, opening));
        EXPECT_FALSE(dual_contains(two_sided, closing));
        EXPECT_TRUE(dual_contains(two_sided, std::vector{0.0}));
    }
    EXPECT_FALSE(dual_contains(BoxFriction{.mu = 0.5}, std::vector{0.0, 0.0, -0.1}));
}

TEST(Law, RowLayoutsAreThoseOfTheHeader) {
    const FrictionCone cone{.mu = 1.0, .mu_roll = 2.0, .mu_spin = 3.0};
    struct Expected {
        int rows, slide, roll, spin;
    };
    for (const Expected e : {Expected{2, 1, 0, 0}, {3, 2, 0, 0}, {4, 2, 0, 1}, {5, 2, 2, 0}, {6, 2, 2, 1}}) {
        const auto groups = friction_groups(cone, e.rows);
        EXPECT_EQ(groups[0].count, e.slide);
        EXPECT_EQ(groups[1].count, e.roll);
        EXPECT_EQ(groups[2].count, e.spin);
        EXPECT_EQ(1 + e.slide + e.roll + e.spin, e.rows);
        EXPECT_EQ(groups[2].first, e.rows - e.spin);
        EXPECT_TRUE(allows_rows(cone, e.rows));
    }
    EXPECT_FALSE(allows_rows(cone, 1));
    EXPECT_FALSE(allows_rows(cone, 7));
    EXPECT_FALSE(allows_rows(BoxFriction{}, 4));
    EXPECT_FALSE(allows_rows(Bilateral{}, 0));
}

}  // namespace
}  // namespace uptack::test

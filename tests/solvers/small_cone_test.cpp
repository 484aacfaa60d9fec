// Arithmetic of small cones against its defining equations.

#include "small_cone.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/random.h"
#include "support/tolerance.h"

namespace uptack::test {
namespace {

using cone::Vector;

/// A point inside the cone of 1, 2 or 3 dimensions, from close to the boundary to the axis.
Vector inside(Random& random, int dimension) {
    Vector v{};
    for (int i = 1; i < dimension; ++i) v[i] = random.normal();
    v[0] = cone::tail_length(v) + std::exp(3.0 * random.normal());
    return v;
}

Vector anywhere(Random& random, int dimension) {
    Vector v{};
    for (int i = 0; i < dimension; ++i) v[i] = random.normal();
    return v;
}

void expect_near(const Vector& a, const Vector& b, double relative) {
    const double size = std::sqrt(cone::inner(a, a)) + std::sqrt(cone::inner(b, b));
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(a[i], b[i], relative * size);
}

double least_spectral_value(const Vector& v) {
    return v[0] - cone::tail_length(v);
}

TEST(SmallCone, QuotientUndoesTheProduct) {
    Random random(1);
    for (int trial = 0; trial < 300; ++trial) {
        const int dimension = 1 + trial % 3;
        const Vector l = inside(random, dimension);
        const Vector d = anywhere(random, dimension);
        expect_near(cone::quotient(cone::product(l, d), l), d, tolerance(1e-7));
    }
}

TEST(SmallCone, ScalingMakesThePairEqualAndItsInverseUndoesIt) {
    Random random(2);
    for (int trial = 0; trial < 300; ++trial) {
        const int dimension = 1 + trial % 3;
        const Vector k = inside(random, dimension);
        const Vector s = inside(random, dimension);
        const auto scaling = cone::Scaling::of(k, s);
        expect_near(scaling.forward(k), scaling.inverse(s), tolerance(1e-8));
        const Vector v = anywhere(random, dimension);
        expect_near(scaling.inverse(scaling.forward(v)), v, tolerance(1e-8));
        for (int i = dimension; i < 3; ++i) EXPECT_EQ(scaling.forward(k)[i], 0.0) << "padding stays zero";
    }
}

/// From inside the cone in any direction.
struct Ray {
    Vector from;
    Vector along;
    double largest_step;
};

std::vector<Ray> rays() {
    Random random(3);
    std::vector<Ray> result;
    for (int trial = 0; trial < 300; ++trial) {
        const int dimension = 1 + trial % 3;
        const Vector from = inside(random, dimension);
        const Vector along = anywhere(random, dimension);
        result.push_back({from, along, cone::largest_step(from, along)});
    }
    return result;
}

TEST(SmallCone, LargestStepEndsOnTheBoundary) {
    int finite = 0;
    for (const auto& [from, along, step] : rays()) {
        if (!std::isfinite(step)) {
            EXPECT_GE(least_spectral_value(along), -tolerance(1e-12));
            continue;
        }
        ++finite;
        const double size = std::abs(from[0]) + step * std::abs(along[0]);
        EXPECT_NEAR(least_spectral_value(cone::sum(from, step, along)), 0.0, tolerance(1e-8) * size);
        EXPECT_GT(least_spectral_value(cone::sum(from, 0.99 * step, along)), 0.0);
    }
    EXPECT_GT(finite, 100);
}

TEST(SmallCone, LimitedStepIsTheSmallerOfBoth) {
    int limited = 0;
    for (const auto& [from, along, largest] : rays()) {
        for (const double step : {0.1, 1.0, 10.0}) {
            const double expected = std::min(step, largest);
            EXPECT_NEAR(cone::limit_step(step, from, along), expected, tolerance(1e-9) * expected);
            if (largest < step) ++limited;
        }
    }
    EXPECT_GT(limited, 100);
}

TEST(SmallCone, AFunctionOfTheSpectrumSquaresLikeTheProduct) {
    Random random(4);
    for (int trial = 0; trial < 100; ++trial) {
        const Vector v = anywhere(random, 1 + trial % 3);
        expect_near(cone::apply_to_spectrum(v, [](double value) { return value * value; }),
                    cone::product(v, v), tolerance(1e-14));
    }
}

}  // namespace
}  // namespace uptack::test

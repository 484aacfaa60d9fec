#include "quantise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/random.h"

namespace uptack::report {
namespace {

constexpr int steps = 2047;

Quaternion random_turn(test::Random& random) {
    const auto c = [&random] { return random.uniform(-1.0, 1.0); };
    return normalised({c(), c(), c(), c()});
}

Quaternion restored(const SmallestThree& stored) {
    std::array<double, 4> c{};
    double square = 0.0;
    std::size_t slot = 0;
    for (std::size_t k = 0; k < 4; ++k) {
        if (k == stored.largest) continue;
        c[k] = stored.others[slot++] / (std::sqrt(2.0) * steps);
        square += c[k] * c[k];
    }
    c[stored.largest] = std::sqrt(1.0 - square);
    return {c[0], c[1], c[2], c[3]};
}

double angle_between(const Quaternion& a, const Quaternion& b) {
    const Quaternion turn = Quaternion{a.w, -a.x, -a.y, -a.z} * b;
    return 2.0 * std::atan2(length({turn.x, turn.y, turn.z}), std::abs(turn.w));
}

TEST(Quantise, OrientationsAreKnownToTheStatedAngle) {
    test::Random random(1);
    double worst = 0.0;
    for (int k = 0; k < 100'000; ++k) {
        const Quaternion q = random_turn(random);
        worst = std::max(worst, angle_between(q, restored(smallest_three(q, steps))));
    }
    EXPECT_LE(worst, rotation_precision(steps));
    EXPECT_GE(worst, 0.5 * rotation_precision(steps)) << "the stated precision is too modest";
}

TEST(Quantise, EqualOrientationsOfEitherSignAreStoredAlike) {
    const SmallestThree a = smallest_three({0.1, -0.7, 0.5, 0.5}, steps);
    const SmallestThree b = smallest_three({-0.1, 0.7, -0.5, -0.5}, steps);
    EXPECT_EQ(a.largest, 1);
    EXPECT_EQ(b.largest, 1);
    EXPECT_EQ(a.others, b.others);
}

TEST(Quantise, LogScaleIsRightToHalfAStep) {
    const LogScale scale{.lower = 1e-4, .upper = 50.0};
    const double half_step = 0.5 * std::log(scale.upper / scale.lower) / 254.0;
    test::Random random(2);
    for (int k = 0; k < 10'000; ++k) {
        const double value = std::exp(random.uniform(std::log(1e-4), std::log(50.0)));
        EXPECT_LE(std::abs(std::log(scale.value(scale.code(value)) / value)), half_step * (1.0 + 1e-9));
    }
    EXPECT_EQ(scale.code(0.0), 0);
    EXPECT_EQ(scale.code(1e-9), 0);
    EXPECT_EQ(scale.code(-1.0), 0);
    EXPECT_EQ(scale.code(std::nan("")), 0);
    EXPECT_EQ(scale.code(1e9), 255);
}

TEST(Quantise, ScaleOfNothingOrOfOneValueWorks) {
    PositiveRange range;
    range.look(0.0);
    EXPECT_EQ(range.scale(6.0).code(0.0), 0);
    range.look(3.0);
    EXPECT_DOUBLE_EQ(range.scale(6.0).value(range.scale(6.0).code(3.0)), 3.0);
    EXPECT_EQ(range.scale(6.0).code(1.0), 0);
}

TEST(Quantise, WhatFliesAwayStaysAtTheBorder) {
    const Grid grid{.origin = {0.0, 0.0, 0.0}, .quantum_m = 1e-6};
    constexpr std::int32_t border = std::numeric_limits<std::int32_t>::max();
    const std::array<std::int32_t, 3> expected{border, -border, 0};
    EXPECT_EQ(grid.integers({1e30, -infinity, std::nan("")}), expected);
}

TEST(Quantise, OctahedralDirectionsAreRightToADegree) {
    test::Random random(3);
    for (int k = 0; k < 10'000; ++k) {
        const Quaternion q = random_turn(random);
        const Vec3 d = direction({q.x, q.y, q.z});
        const auto [a, b] = octahedral(d);
        double x = a / 255.0 * 2.0 - 1.0;
        double y = b / 255.0 * 2.0 - 1.0;
        const double z = 1.0 - std::abs(x) - std::abs(y);
        if (z < 0.0) {
            const double folded = (1.0 - std::abs(y)) * (x < 0.0 ? -1.0 : 1.0);
            y = (1.0 - std::abs(x)) * (y < 0.0 ? -1.0 : 1.0);
            x = folded;
        }
        EXPECT_LE(length(direction({x, y, z}) - d), 0.0175);
    }
}

}  // namespace
}  // namespace uptack::report

// What holds for every pair of convex shapes, tried on random ones.

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "convex_support.h"
#include "support/tolerance.h"

namespace uptack::test {
namespace {

class EveryPair : public ::testing::TestWithParam<std::pair<int, int>> {};

std::vector<std::pair<int, int>> all_pairs() {
    std::vector<std::pair<int, int>> out;
    for (int a = 0; a < kinds; ++a) {
        for (int b = a; b < kinds; ++b) {
            if (a != 6 || b != 6) out.emplace_back(a, b);  // two triangles of the ground never meet
        }
    }
    return out;
}

INSTANTIATE_TEST_SUITE_P(Convex, EveryPair, ::testing::ValuesIn(all_pairs()), [](const auto& parameter) {
    return kind_name(parameter.param.first) + "_" + kind_name(parameter.param.second);
});

/// Two shapes with a separation between `low` and `high` along some direction.
std::pair<Standing, Standing> random_pair(Random& random, std::pair<int, int> what, double low, double high) {
    Standing a = random_shape(random, what.first);
    Standing b = random_shape(random, what.second);
    const Vec3 n = random_direction(random);
    const double s = separation_w(a, b, n);
    a.pose.position += (random.uniform(low, high) - s) * n;
    return {a, b};
}

bool same_bits(double p, double q) {
    return std::memcmp(&p, &q, sizeof p) == 0;
}

TEST_P(EveryPair, IsTheSameBitByBitFromBothSides) {
    Random random(11);
    for (int round = 0; round < 400; ++round) {
        const auto [a, b] = random_pair(random, GetParam(), -0.4, 0.2);
        const auto there = touch(a, b, 0.3);
        const auto back = touch(b, a, 0.3);
        ASSERT_EQ(there.size(), back.size());
        for (std::size_t k = 0; k < there.size(); ++k) {
            EXPECT_EQ(there[k].feature, back[k].feature);
            EXPECT_TRUE(same_bits(there[k].gap, back[k].gap));
            for (std::size_t i = 0; i < 3; ++i) {
                EXPECT_TRUE(same_bits(there[k].point_w[i], back[k].point_w[i]));
                EXPECT_EQ(there[k].normal_w[i], -back[k].normal_w[i]);
            }
        }
    }
}

TEST_P(EveryPair, LowestGapIsTheSeparationAlongTheNormal) {
    Random random(12);
    for (int round = 0; round < 400; ++round) {
        const auto [a, b] = random_pair(random, GetParam(), -0.4, 0.2);
        const auto points = touch(a, b, 0.3);
        if (points.empty()) continue;
        const Vec3 n = points[0].normal_w;
        EXPECT_NEAR(length(n), 1.0, 1e-14);
        EXPECT_NEAR(lowest_gap(points), separation_w(a, b, n), tolerance(1e-8)) << round;
    }
}

// A point of each shape, d apart, and a plane between them with d to spare: the distance is d.
TEST_P(EveryPair, ApartTheGapIsTheDistance) {
    Random random(13);
    int met = 0;
    for (int round = 0; round < 1000; ++round) {
        const auto [a, b] = random_pair(random, GetParam(), 1e-3, 0.3);
        const auto points = touch(a, b, 1.0);
        if (points.empty()) continue;
        ++met;
        const auto least = std::min_element(points.begin(), points.end(),
                                            [](const auto& p, const auto& q) { return p.gap < q.gap; });
        const Vec3 n = least->normal_w;
        EXPECT_NEAR(least->gap, separation_w(a, b, n), tolerance(1e-10)) << round;
        EXPECT_LT(outside(a, least->point_w + (0.5 * least->gap) * n), tolerance(1e-8)) << round;
        EXPECT_LT(outside(b, least->point_w - (0.5 * least->gap) * n), tolerance(1e-8)) << round;
    }
    EXPECT_GT(met, 500);
}

TEST_P(EveryPair, ApartNothingIsMissedWithinReach) {
    Random random(18);
    for (int round = 0; round < 30; ++round) {
        const auto [a, b] = random_pair(random, GetParam(), 1e-3, 0.3);
        const double distance = best_separation(a, b).separation;
        // The oracle stops a little short.
        EXPECT_FALSE(touch(a, b, distance + 1e-2).empty()) << round;
        EXPECT_TRUE(touch(a, b, distance - 1e-9).empty()) << round;
    }
}

TEST_P(EveryPair, OverlappingTheGapIsTheLeastDepth) {
    Random random(14);
    for (int round = 0; round < 60; ++round) {
        const auto [a, b] = random_pair(random, GetParam(), -0.3, -0.001);
        const Best best = best_separation(a, b);
        const auto points = touch(a, b, 0.5);
        if (best.separation > 0.49) continue;
        ASSERT_FALSE(points.empty()) << round;
        // A direction is taken where none can be better by more than 1e-5 of the depth.
        EXPECT_GE(lowest_gap(points), best.separation - 1e-5 * std::abs(best.separation) - tolerance(1e-8))
            << round;
    }
}

TEST_P(EveryPair, MovesWithACommonMotion) {
    Random random(15);
    for (int round = 0; round < 200; ++round) {
        const auto [a, b] = random_pair(random, GetParam(), -0.2, 0.1);
        const Pose motion{{random.uniform(-3.0, 3.0), random.uniform(-3.0, 3.0), 2.0}, random_turn(random)};
        Standing moved_a = a;
        Standing moved_b = b;
        moved_a.pose = motion * a.pose;
        moved_b.pose = motion * b.pose;
        const auto before = touch(a, b, 0.2);
        const auto after = touch(moved_a, moved_b, 0.2);
        ASSERT_EQ(before.size(), after.size()) << round;
        if (before.empty()) continue;
        EXPECT_NEAR(lowest_gap(before), lowest_gap(after), tolerance(1e-9));
        const Vec3 turned = rotate(motion.orientation, before[0].normal_w);
        EXPECT_LT(length(turned - after[0].normal_w), tolerance(1e-7)) << round;
    }
}

TEST_P(EveryPair, MovingAlongTheNormalOpensTheGapByAsMuch) {
    Random random(16);
    for (int round = 0; round < 200; ++round) {
        auto [a, b] = random_pair(random, GetParam(), -0.1, 0.1);
        const auto before = touch(a, b, 0.2);
        if (before.empty()) continue;
        const double d = 0.05;
        a.pose.position += d * before[0].normal_w;
        const auto after = touch(a, b, 0.3);
        ASSERT_FALSE(after.empty());
        EXPECT_NEAR(lowest_gap(after), lowest_gap(before) + d, tolerance(1e-8)) << round;
    }
}

TEST_P(EveryPair, FeaturesAreUniqueAndPointsLieBetweenTheSurfaces) {
    Random random(17);
    for (int round = 0; round < 200; ++round) {
        const auto [a, b] = random_pair(random, GetParam(), -0.2, 0.1);
        const auto points = touch(a, b, 0.2);
        std::set<std::uint32_t> seen;
        EXPECT_LE(points.size(), 8U);
        for (const PairPoint& p : points) {
            EXPECT_TRUE(seen.insert(p.feature).second);
            EXPECT_LT(p.gap, 0.2);
            // The middle is above b's lowest tangent plane less half the gap, and below a's plus half of it.
            const double half = 0.5 * std::max(0.0, p.gap) + 1e-9;
            EXPECT_LE(dot(p.normal_w, p.point_w - support_w(b, p.normal_w)), half);
            EXPECT_LE(dot(p.normal_w, support_w(a, -p.normal_w) - p.point_w), half);
        }
    }
}

/// A turned shape with sizes from a hundredth to one: needles, plates and flat cones among them.
Standing thin_shape(Random& random, int kind) {
    const auto size = [&] { return std::pow(10.0, random.uniform(-2.0, 0.0)); };
    Standing out = random_shape(random, kind);
    const Pose pose = out.pose;
    if (kind == 1) out = standing(Capsule{size(), size()});
    if (kind == 2) out = standing(Cylinder{size(), size()});
    if (kind == 3) out = standing(Cone{size(), size()});
    if (kind == 4) out = standing(Box{{size(), size(), size()}});
    if (kind == 5) out = standing(random_hull(random, random.whole(5, 16), {size(), size(), size()}));
    out.pose = pose;
    return out;
}

// Moved by d along its normal a pair is no deeper than d less the gap: the old direction still parts it so
// far.
TEST_P(EveryPair, ThinShapesSinkNoDeeperThanTheyMove) {
    Random random(19);
    for (int round = 0; round < 1000; ++round) {
        Standing a = thin_shape(random, GetParam().first);
        const Standing b = thin_shape(random, GetParam().second);
        const Vec3 n = random_direction(random);
        a.pose.position += (random.uniform(1e-5, 1e-2) - separation_w(a, b, n)) * n;
        const auto apart = touch(a, b, 0.05);
        if (apart.empty()) continue;
        const double depth = std::pow(10.0, random.uniform(-9.0, -2.0));
        a.pose.position -= (lowest_gap(apart) + depth) * apart[0].normal_w;
        const auto sunk = touch(a, b, 0.05);
        ASSERT_FALSE(sunk.empty()) << round;
        EXPECT_GE(lowest_gap(sunk), -depth * (1.0 + 1e-5) - tolerance(1e-9)) << round;
    }
}

// Pairs whose best direction no flat, side or net leads to: only the closest points of the shrunk shapes do.
TEST(ThinConeOnHull, SinksNoDeeperThanItMovesWhereTheBestDirectionIsHardToFind) {
    for (const unsigned seed : {27774U, 39077U}) {
        Random random(seed);
        const auto size = [&] { return std::pow(10.0, random.uniform(-2.5, 0.0)); };
        const Quaternion lying = random_turn(random);
        Standing a = standing(Cone{size(), size()}, {}, lying);
        const Vec3 half{size(), size(), size()};
        const Standing b = standing(random_hull(random, 10, half));
        const Vec3 n = random_direction(random);
        a.pose.position += (random.uniform(1e-5, 1e-2) - separation_w(a, b, n)) * n;
        const auto apart = touch(a, b, 0.05);
        ASSERT_FALSE(apart.empty());
        const double depth = std::pow(10.0, random.uniform(-6.0, -2.0));
        a.pose.position -= (lowest_gap(apart) + depth) * apart[0].normal_w;
        EXPECT_GE(lowest_gap(touch(a, b, 0.05)), -depth * (1.0 + 1e-5) - tolerance(1e-9)) << seed;
    }
}

/// Boxes whose faces, or an edge of one and a face of the other, lie on each other but for a tilt.
std::pair<Standing, Standing> nearly_aligned_boxes(Random& random) {
    const auto size = [&] { return std::pow(10.0, random.uniform(-2.0, 0.0)); };
    const Vec3 half_a{size(), size(), size()};
    const Vec3 half_b{size(), size(), size()};
    Standing a = standing(Box{half_a});
    const Standing b = standing(Box{half_b});
    const double lean = random.whole(0, 2) == 0 ? random.uniform(-0.5, 0.5) : 0.0;
    const double tilt = std::pow(10.0, random.uniform(-9.0, -2.0));
    a.pose.orientation = exponential(tilt * random_direction(random)) * turn({0.0, 1.0, 0.0}, lean);
    a.pose.position = {random.uniform(-1.0, 1.0) * (half_a[0] + half_b[0]),
                       random.uniform(-1.0, 1.0) * (half_a[1] + half_b[1]), 0.0};
    const double gap =
        std::pow(10.0, random.uniform(-10.0, -2.5)) * (random.uniform(0.0, 1.0) < 0.5 ? -1.0 : 1.0);
    a.pose.position[2] += gap - separation_w(a, b, {0.0, 0.0, 1.0});
    return {a, b};
}

TEST(NearlyAlignedBoxes, TouchOnlyWhereBothOfThemAre) {
    Random random(20);
    int points = 0;
    for (int round = 0; round < 100000; ++round) {
        const auto [a, b] = nearly_aligned_boxes(random);
        for (const PairPoint& p : touch(a, b, 0.01)) {
            ++points;
            const double most = std::abs(p.gap) + tolerance(1e-9);
            EXPECT_LE(outside(a, p.point_w + (0.5 * p.gap) * p.normal_w), most) << round;
            EXPECT_LE(outside(b, p.point_w - (0.5 * p.gap) * p.normal_w), most) << round;
        }
    }
    EXPECT_GT(points, 100000);
}

// Edges that all but coincide cross anywhere along their length: no contact comes from that.
TEST(NearlyAlignedBoxes, LyingFlushTouchAtTheirCorners) {
    Random random(21);
    const Vec3 half{0.2, 0.1, 0.1};
    for (int round = 0; round < 2000; ++round) {
        Standing a = standing(Box{half});
        const Standing b = standing(Box{half});
        const double off = std::pow(10.0, random.uniform(-8.0, -4.5));
        a.pose.orientation = exponential(off * random_direction(random));
        a.pose.position = {0.13 + off * random.uniform(-1.0, 1.0), off * random.uniform(-1.0, 1.0), 0.2};
        const auto points = touch(a, b, 0.01);
        EXPECT_GE(points.size(), 4U) << round;
        EXPECT_LE(points.size(), 5U) << round;
        int at_corners = 0;
        for (const PairPoint& p : points) {
            const double x = std::min(std::abs(p.point_w[0] + 0.07), std::abs(p.point_w[0] - 0.2));
            const double y = std::abs(std::abs(p.point_w[1]) - 0.1);
            at_corners += std::max(x, y) < 1e-3 ? 1 : 0;
        }
        EXPECT_EQ(at_corners, 4) << round;
    }
}

}  // namespace
}  // namespace uptack::test

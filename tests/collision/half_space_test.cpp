// Shapes above planes: gaps, points and normals in closed form.

#include "half_space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "support/random.h"

namespace uptack::collision {
namespace {

constexpr double pi = std::numbers::pi;

std::vector<PairPoint> points(const Geometry& geometry, const Pose& pose, double reach,
                              const Plane& plane = {}) {
    std::vector<PairPoint> found;
    collide_half_space(prepare(geometry), pose, plane, reach, found);
    return found;
}

double lowest(const std::vector<PairPoint>& found) {
    double gap = infinity;
    for (const PairPoint& p : found) gap = std::min(gap, p.gap);
    return gap;
}

void expect_near(const Vec3& a, const Vec3& b, double tolerance = 1e-14) {
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(a[k], b[k], tolerance);
}

Hull prism(int corners) {
    std::vector<Vec3> at;
    for (int k = 0; k < corners; ++k) {
        const double angle = 2.0 * pi * k / corners;
        for (const double z : {-0.5, 0.5}) at.push_back({std::cos(angle), std::sin(angle), z});
    }
    return make_hull(at);
}

TEST(HalfSpace, BallHasOnePointBelowItsCentre) {
    const auto found = points(Sphere{0.3}, {.position = {1.0, 2.0, 0.35}}, 0.1);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NEAR(found[0].gap, 0.05, 1e-15);
    expect_near(found[0].normal_w, {0.0, 0.0, 1.0});
    expect_near(found[0].point_w, {1.0, 2.0, 0.025});
    EXPECT_TRUE(points(Sphere{0.3}, {.position = {1.0, 2.0, 0.35}}, 0.05 - 1e-12).empty());
}

TEST(HalfSpace, TiltedPlaneMeasuresAlongItsNormal) {
    const Plane plane{.normal = {0.6, 0.0, 0.8}, .point = {1.0, 0.0, 0.0}};
    const auto found = points(Sphere{0.5}, {.position = {1.0, 0.0, 1.0}}, 1.0, plane);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NEAR(found[0].gap, 0.3, 1e-15);  // 0.8 * 1 - 0.5
    expect_near(found[0].normal_w, plane.normal);
    expect_near(found[0].point_w, Vec3{1.0, 0.0, 1.0} - 0.65 * plane.normal);
    const Plane turned =
        half_space_plane({.position = {1.0, 0.0, 0.0}, .orientation = turn({0.0, 1.0, 0.0}, std::asin(0.6))});
    expect_near(turned.normal, plane.normal);
}

TEST(HalfSpace, LevelBoxRestsOnItsFourCorners) {
    const auto found = points(Box{{1.0, 2.0, 0.5}}, {.position = {0.0, 0.0, 0.49}}, 0.05);
    ASSERT_EQ(found.size(), 4U);
    for (const PairPoint& p : found) {
        EXPECT_NEAR(p.gap, -0.01, 1e-15);
        EXPECT_NEAR(std::abs(p.point_w[0]), 1.0, 1e-15);
        EXPECT_NEAR(std::abs(p.point_w[1]), 2.0, 1e-15);
        EXPECT_NEAR(p.point_w[2], -0.005, 1e-15);
    }
    EXPECT_EQ(points(Box{{1.0, 2.0, 0.5}}, {.position = {0.0, 0.0, 0.49}}, 2.0).size(), 8U);
}

TEST(HalfSpace, BoxOnItsEdgeAndOnItsCorner) {
    const Quaternion on_edge = turn({1.0, 0.0, 0.0}, pi / 4.0);
    const auto two = points(Box{}, {.position = {0.0, 0.0, 0.7}, .orientation = on_edge}, 0.1);
    ASSERT_EQ(two.size(), 2U);
    for (const PairPoint& p : two) EXPECT_NEAR(p.gap, 0.7 - std::sqrt(0.5), 1e-15);
    const Quaternion on_corner = turn_between(direction({1.0, 1.0, 1.0}), {0.0, 0.0, -1.0});
    const auto one = points(Box{}, {.position = {0.0, 0.0, 0.9}, .orientation = on_corner}, 0.1);
    ASSERT_EQ(one.size(), 1U);
    EXPECT_NEAR(one[0].gap, 0.9 - std::sqrt(0.75), 1e-15);
    EXPECT_EQ(one[0].feature, 7U);
}

TEST(HalfSpace, CapsuleLiesOnTwoPointsAndStandsOnOne) {
    const Capsule capsule{.radius = 0.2, .half_length = 1.0};
    const Quaternion lying = turn({0.0, 1.0, 0.0}, pi / 2.0);
    const auto two = points(capsule, {.position = {0.0, 0.0, 0.25}, .orientation = lying}, 0.1);
    ASSERT_EQ(two.size(), 2U);
    for (const PairPoint& p : two) {
        EXPECT_NEAR(p.gap, 0.05, 1e-15);
        EXPECT_NEAR(std::abs(p.point_w[0]), 1.0, 1e-15);
    }
    EXPECT_EQ(points(capsule, {.position = {0.0, 0.0, 1.25}}, 0.1).size(), 1U);
}

TEST(HalfSpace, StandingCylinderHasFourPointsOnItsRimThatTurnWithIt) {
    const Cylinder cylinder{.radius = 0.5, .half_length = 1.0};
    for (const double slope : {0.0, 1e-9, 5e-5}) {
        for (const double side : {1.0, -1.0}) {
            const Quaternion spin = turn({0.0, 0.0, 1.0}, 0.3);
            const Quaternion over = side > 0.0 ? Quaternion{} : turn({1.0, 0.0, 0.0}, pi);
            const auto found = points(
                cylinder,
                {.position = {0.0, 0.0, 1.001}, .orientation = turn({1.0, 0.0, 0.0}, slope) * over * spin},
                0.01);
            ASSERT_EQ(found.size(), 4U);
            for (const PairPoint& p : found) {
                EXPECT_NEAR(p.gap, 0.001, 1e-9 + 0.5 * slope);
                EXPECT_NEAR(std::hypot(p.point_w[0], p.point_w[1]), 0.5, 1e-3);
                const double angle = std::atan2(p.point_w[1], p.point_w[0]) - side * 0.3;
                EXPECT_NEAR(std::sin(2.0 * angle), 0.0, 1e-3);
            }
        }
    }
}

TEST(HalfSpace, LyingCylinderHasTwoPointsAtTheEndsOfItsLine) {
    const Cylinder cylinder{.radius = 0.5, .half_length = 1.0};
    for (int k = 0; k < 12; ++k) {  // however far it has rolled
        const Quaternion lying = turn({1.0, 0.0, 0.0}, 0.5 * k) * turn({0.0, 1.0, 0.0}, pi / 2.0);
        const auto found = points(cylinder, {.position = {0.0, 0.0, 0.49}, .orientation = lying}, 0.1);
        ASSERT_EQ(found.size(), 2U);
        EXPECT_NE(found[0].feature, found[1].feature);
        for (const PairPoint& p : found) {
            EXPECT_NEAR(p.gap, -0.01, 1e-12);
            EXPECT_NEAR(p.point_w[1], 0.0, 1e-12);
            EXPECT_NEAR(std::abs(p.point_w[0]), 1.0, 1e-12);
        }
    }
}

TEST(HalfSpace, TiltedCylinderTouchesWithTheLowestPointOfItsRim) {
    const Cylinder cylinder{.radius = 0.5, .half_length = 0.2};
    const double tilt = 0.4;
    const Pose pose{.position = {0.0, 0.0, 1.0},
                    .orientation = turn({0.0, 1.0, 0.0}, tilt) * turn({0.0, 0.0, 1.0}, 1.234)};
    const auto found = points(cylinder, pose, 10.0);
    // The rim's lowest point: h down the axis, r down the slope.
    EXPECT_NEAR(lowest(found), 1.0 - 0.2 * std::cos(tilt) - 0.5 * std::sin(tilt), 1e-15);
    const auto near = points(cylinder, pose, lowest(found) + 1e-6);
    ASSERT_EQ(near.size(), 1U);
    EXPECT_NEAR(near[0].point_w[0], -0.2 * std::sin(tilt) + 0.5 * std::cos(tilt), 1e-14);
    EXPECT_NEAR(near[0].point_w[1], 0.0, 1e-14);
}

TEST(HalfSpace, ConeStandsLiesAndBalances) {
    const Cone cone{.radius = 0.3, .half_length = 0.4};
    EXPECT_EQ(points(cone, {.position = {0.0, 0.0, 0.401}}, 0.01).size(), 4U);
    const Quaternion down = turn({1.0, 0.0, 0.0}, pi);
    const auto apex = points(cone, {.position = {0.0, 0.0, 0.401}, .orientation = down}, 0.01);
    ASSERT_EQ(apex.size(), 1U);
    EXPECT_NEAR(apex[0].gap, 0.001, 1e-15);
    // Lying: its side makes the angle atan(0.3 / 0.8) with the axis; apex and rim are level.
    const double half_angle = std::atan2(0.3, 0.8);
    const Quaternion lying = turn({0.0, 1.0, 0.0}, pi / 2.0 + half_angle);
    const double height = 0.4 * std::sin(half_angle);
    const auto line = points(cone, {.position = {0.0, 0.0, height}, .orientation = lying}, 0.01);
    ASSERT_EQ(line.size(), 2U);
    EXPECT_NEAR(line[0].gap, 0.0, 1e-15);
    EXPECT_NEAR(line[1].gap, 0.0, 1e-15);
}

TEST(HalfSpace, LowestGapIsThatOfTheSupportPoint) {
    test::Random random(4);
    const std::vector<Geometry> shapes{
        Sphere{0.4},         Box{{0.1, 0.5, 2.0}}, Capsule{0.2, 0.7}, Cylinder{0.6, 0.3},
        Cylinder{0.05, 2.0}, Cone{0.4, 0.9},       prism(7),          prism(30)};
    for (const Geometry& geometry : shapes) {
        const Convex shape = prepare(geometry);
        for (int i = 0; i < 200; ++i) {
            const auto vector = [&] { return Vec3{random.normal(), random.normal(), random.normal()}; };
            const Plane plane{.normal = direction(vector()), .point = vector()};
            const Pose pose{.position = vector(),
                            .orientation = normalised(
                                {random.normal(), random.normal(), random.normal(), random.normal()})};
            const Vec3 deepest =
                transform(pose, support(shape, -rotate_back(pose.orientation, plane.normal)));
            const auto found = points(geometry, pose, 1e3, plane);
            EXPECT_NEAR(lowest(found), dot(plane.normal, deepest - plane.point), 1e-13);
            EXPECT_LE(found.size(), 8U);
            for (const PairPoint& p : found) {
                EXPECT_NEAR(dot(plane.normal, p.point_w - plane.point), 0.5 * p.gap, 1e-13);
                EXPECT_EQ(p.normal_w, plane.normal);
            }
        }
    }
}

TEST(HalfSpace, HullOfManyCornersRestsOnEightAllAround) {
    const auto found = points(prism(30), {.position = {5.0, 5.0, 0.5}}, 0.1);
    ASSERT_EQ(found.size(), 8U);
    std::vector<double> angles;
    for (const PairPoint& p : found) {
        EXPECT_NEAR(p.gap, 0.0, 1e-15);
        angles.push_back(std::atan2(p.point_w[1] - 5.0, p.point_w[0] - 5.0));
    }
    std::sort(angles.begin(), angles.end());
    angles.push_back(angles[0] + 2.0 * pi);
    for (std::size_t k = 1; k < angles.size(); ++k) EXPECT_LT(angles[k] - angles[k - 1], 70.0 / 180.0 * pi);
    std::vector<std::uint32_t> features;
    for (const PairPoint& p : found) features.push_back(p.feature);
    std::sort(features.begin(), features.end());
    EXPECT_EQ(std::unique(features.begin(), features.end()), features.end());
}

}  // namespace
}  // namespace uptack::collision

// Pairs whose answer can be worked out by hand.

#include <gtest/gtest.h>

#include "convex_patch.h"
#include "convex_support.h"
#include "support/tolerance.h"

namespace uptack::test {
namespace {

constexpr double right_angle = std::numbers::pi / 2.0;
constexpr Vec3 x_axis{1.0, 0.0, 0.0};
constexpr Vec3 y_axis{0.0, 1.0, 0.0};
constexpr Vec3 z_axis{0.0, 0.0, 1.0};
const Box floor_box{{5.0, 5.0, 1.0}};  // top at z = 1

/// All points have this normal and this gap.
void expect_all(const std::vector<PairPoint>& points, const Vec3& normal, double gap) {
    for (const PairPoint& p : points) {
        EXPECT_LT(length(p.normal_w - normal), tolerance(1e-12));
        EXPECT_NEAR(p.gap, gap, tolerance(1e-12));
    }
}

/// Each of the places has a point, and there are no others.
void expect_places(const std::vector<PairPoint>& points, const std::vector<Vec3>& places) {
    EXPECT_EQ(points.size(), places.size());
    for (const Vec3& place : places) {
        double nearest = infinity;
        for (const PairPoint& p : points) nearest = std::min(nearest, length(p.point_w - place));
        EXPECT_LT(nearest, tolerance(1e-12)) << place[0] << ' ' << place[1] << ' ' << place[2];
    }
}

TEST(SpherePairs, TouchMidwayBetweenTheirSurfaces) {
    // Centres 5 apart (3-4-5), radii 1 and 3: gap 1; surfaces at 1 and 2 along the line.
    const auto points = touch(standing(Sphere{1.0}), standing(Sphere{3.0}, {3.0, 4.0, 0.0}), 2.0);
    ASSERT_EQ(points.size(), 1U);
    expect_all(points, {-0.6, -0.8, 0.0}, 1.0);
    expect_places(points, {{0.9, 1.2, 0.0}});
}

TEST(SpherePairs, WithOneCentreStillHaveANormal) {
    const auto points = touch(standing(Sphere{1.0}), standing(Sphere{2.0}), 0.1);
    ASSERT_EQ(points.size(), 1U);
    EXPECT_DOUBLE_EQ(points[0].gap, -3.0);
    EXPECT_DOUBLE_EQ(length(points[0].normal_w), 1.0);
}

TEST(SpherePairs, BeyondReachGiveNothing) {
    EXPECT_TRUE(touch(standing(Sphere{1.0}), standing(Sphere{1.0}, {2.1, 0.0, 0.0}), 0.1 - 1e-12).empty());
    EXPECT_EQ(touch(standing(Sphere{1.0}), standing(Sphere{1.0}, {2.1, 0.0, 0.0}), 0.1 + 1e-12).size(), 1U);
}

TEST(SphereOnBox, SeesFaceEdgeAndCorner) {
    const Standing box = standing(Box{{1.0, 1.0, 1.0}});
    const auto face = touch(standing(Sphere{0.5}, {0.2, 0.3, 1.6}), box, 1.0);
    expect_all(face, z_axis, 0.1);
    expect_places(face, {{0.2, 0.3, 1.05}});
    // Beyond the edge by (0.3, 0.4), which is 0.5.
    const auto edge = touch(standing(Sphere{0.25}, {1.3, 0.0, 1.4}), box, 1.0);
    expect_all(edge, {0.6, 0.0, 0.8}, 0.25);
    expect_places(edge, {{1.0 + 0.125 * 0.6, 0.0, 1.0 + 0.125 * 0.8}});
    // Beyond the corner by (1, 2, 2), which is 3.
    expect_all(touch(standing(Sphere{1.0}, {2.0, 3.0, 3.0}), box, 5.0), {1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0},
               2.0);
    // Centre inside, nearest to the side x = 1.
    const auto inside = touch(standing(Sphere{0.5}, {0.7, 0.1, 0.2}), box, 1.0);
    expect_all(inside, x_axis, -0.8);
}

// Here the simplex of the closest points became a flat tetrahedron, which rounding put around the origin: the
// pair passed for overlapping by 17 mm.  The rail's nearest edge is 29.9 mm from the capsule's axis.
TEST(CapsuleOnBox, AFlatSimplexIsNoOverlap) {
    const Quaternion slope = turn({0.0, 1.0, 0.0}, 22.0 * std::numbers::pi / 180.0);
    const Standing rail =
        standing(Box{{0.55, 0.01, 0.08}}, Vec3{-0.25, 0.0, 1.35} + rotate(slope, {0.0, 0.26, 0.05}), slope);
    const Standing pill =
        standing(Capsule{.radius = 0.03, .half_length = 0.03},
                 {-0.36450167466753935, 0.2290265194365151, 1.5602311618547027},
                 {0.033772467837113525, -0.6001346884479097, -0.33786735941638574, 0.7242537011149617});
    const auto points = touch(pill, rail, 0.02);
    ASSERT_FALSE(points.empty());
    EXPECT_NEAR(lowest_gap(points), -0.000146, 1e-6);
}

TEST(CapsulePairs, CrossedTouchOnce) {
    const auto points = touch(standing(Capsule{0.2, 1.0}, {0.0, 0.0, 0.5}, turn(x_axis, right_angle)),
                              standing(Capsule{0.25, 1.0}, {}, turn(y_axis, right_angle)), 0.1);
    expect_all(points, z_axis, 0.05);
    expect_places(points, {{0.0, 0.0, 0.275}});
}

TEST(CapsulePairs, SideBySideTouchAtBothEndsOfTheOverlap) {
    const auto points =
        touch(standing(Capsule{0.25, 1.0}, {0.6, 0.0, 0.5}), standing(Capsule{0.25, 1.0}), 0.2);
    expect_all(points, x_axis, 0.1);
    expect_places(points, {{0.3, 0.0, -0.5}, {0.3, 0.0, 1.0}});
}

TEST(CapsulePairs, EndToEndTouchOnce) {
    const auto points =
        touch(standing(Capsule{0.25, 1.0}, {0.0, 0.0, 2.4}), standing(Capsule{0.25, 1.0}), 0.2);
    expect_all(points, z_axis, -0.1);
    expect_places(points, {{0.0, 0.0, 1.2}});
}

TEST(CapsulePairs, WithCrossingAxesPartAcrossBoth) {
    const auto points = touch(standing(Capsule{0.2, 1.0}, {}, turn(x_axis, right_angle)),
                              standing(Capsule{0.25, 1.0}, {}, turn(y_axis, right_angle)), 0.1);
    ASSERT_EQ(points.size(), 1U);
    EXPECT_NEAR(points[0].gap, -0.45, 1e-14);
    EXPECT_NEAR(std::abs(points[0].normal_w[2]), 1.0, 1e-14);
}

TEST(CapsuleOnBox, LyingRestsOnTwoPoints) {
    const auto points = touch(standing(Capsule{0.25, 1.0}, {0.5, 0.0, 1.24}, turn(x_axis, right_angle)),
                              standing(floor_box), 0.1);
    expect_all(points, z_axis, -0.01);
    expect_places(points, {{0.5, -1.0, 0.995}, {0.5, 1.0, 0.995}});
}

TEST(CapsuleOnBox, OverhangingEndsAtTheEdge) {
    const auto points = touch(standing(Capsule{0.25, 1.0}, {0.5, 4.5, 1.25}, turn(x_axis, right_angle)),
                              standing(floor_box), 0.1);
    expect_all(points, z_axis, 0.0);
    expect_places(points, {{0.5, 3.5, 1.0}, {0.5, 5.0, 1.0}});
}

TEST(CapsuleOnBox, StuckThroughItIsPushedOutTheShortWay) {
    // Axis along y through the box at 0.3 below its top: the core has 0.3 to go, then the radius.
    const auto points = touch(standing(Capsule{0.1, 9.0}, {0.0, 0.0, 0.7}, turn(x_axis, right_angle)),
                              standing(floor_box), 0.1);
    ASSERT_EQ(points.size(), 2U);
    expect_all(points, z_axis, -0.4);
}

TEST(BoxOnBox, FlushStackHasFourCornersWithSteadyFeatures) {
    const Standing lower = standing(Box{});
    const auto before = touch(standing(Box{}, {0.0, 0.0, 1.0}), lower, 0.01);
    expect_all(before, z_axis, 0.0);
    expect_places(before, {{0.5, 0.5, 0.5}, {-0.5, 0.5, 0.5}, {-0.5, -0.5, 0.5}, {0.5, -0.5, 0.5}});
    // Rounding must not change what touches what.
    Random random(3);
    for (int round = 0; round < 50; ++round) {
        const Vec3 jolt{1e-10 * random.normal(), 1e-10 * random.normal(), 1e-10 * random.normal()};
        const auto after =
            touch(standing(Box{}, Vec3{0.0, 0.0, 1.0} + jolt, exponential(0.5 * jolt)), lower, 0.01);
        ASSERT_EQ(after.size(), 4U);
        for (const PairPoint& p : before) {
            const auto same = [&](const PairPoint& q) { return q.feature == p.feature; };
            EXPECT_EQ(std::count_if(after.begin(), after.end(), same), 1);
        }
    }
}

TEST(BoxOnBox, CrosswiseOverlapsInARectangle) {
    const auto points =
        touch(standing(Box{{2.0, 0.5, 0.5}}, {0.0, 0.0, 0.9}), standing(Box{{0.25, 2.0, 0.5}}), 0.1);
    expect_all(points, z_axis, -0.1);
    expect_places(points, {{0.25, 0.5, 0.45}, {-0.25, 0.5, 0.45}, {-0.25, -0.5, 0.45}, {0.25, -0.5, 0.45}});
}

TEST(BoxOnBox, TurnedByFortyFiveDegreesHasEightPoints) {
    // The octagon common to a square and itself turned: corners where edges cross, at 0.5 (sqrt 2 - 1) from
    // the middle of each side.
    const double t = 0.5 * (std::numbers::sqrt2 - 1.0);
    const auto points =
        touch(standing(Box{}, {0.0, 0.0, 1.001}, turn(z_axis, right_angle / 2.0)), standing(Box{}), 0.1);
    expect_all(points, z_axis, 0.001);
    const double z = 0.5005;
    expect_places(points, {{0.5, t, z},
                           {0.5, -t, z},
                           {-0.5, t, z},
                           {-0.5, -t, z},
                           {t, 0.5, z},
                           {-t, 0.5, z},
                           {t, -0.5, z},
                           {-t, -0.5, z}});
}

TEST(BoxOnBox, OnItsEdgeRestsOnTwoPoints) {
    const double h = 0.5 * std::numbers::sqrt2;
    const auto points = touch(standing(Box{}, {0.0, 0.0, 1.0 + h}, turn(x_axis, right_angle / 2.0)),
                              standing(floor_box), 0.01);
    expect_all(points, z_axis, 0.0);
    expect_places(points, {{0.5, 0.0, 1.0}, {-0.5, 0.0, 1.0}});
}

TEST(BoxOnBox, CrossedEdgesTouchOnce) {
    // Edge along x below, edge along y above, each box turned by 45 degrees: heights sqrt(1/2) each.
    const double h = std::numbers::sqrt2 / 2.0;
    const Standing above = standing(Box{}, {0.0, 0.0, 2.0 * h - 0.01}, turn(y_axis, right_angle / 2.0));
    const auto points = touch(above, standing(Box{}, {}, turn(x_axis, right_angle / 2.0)), 0.1);
    expect_all(points, z_axis, -0.01);
    expect_places(points, {{0.0, 0.0, h - 0.005}});
}

TEST(BoxOnBox, CornerToCornerIsTheTrueDistance) {
    // Corners 1 apart in each direction: sqrt 3, where no face axis sees more than 1.
    const auto points = touch(standing(Box{}, {2.0, 2.0, 2.0}), standing(Box{}), 3.0);
    const double c = 1.0 / std::numbers::sqrt3;
    expect_all(points, {c, c, c}, std::numbers::sqrt3);
    expect_places(points, {{1.0, 1.0, 1.0}});
    EXPECT_TRUE(touch(standing(Box{}, {2.0, 2.0, 2.0}), standing(Box{}), 1.7).empty());
}

TEST(BoxOnBox, ParallelEdgesApartTouchAtBothEnds) {
    const auto points = touch(standing(Box{}, {1.3, 0.0, 1.4}), standing(Box{}), 1.0);
    expect_all(points, {0.6, 0.0, 0.8}, 0.5);
    expect_places(points, {{0.65, -0.5, 0.7}, {0.65, 0.5, 0.7}});
}

TEST(BoxOnBox, AlmostFlatAndTurnedKeepsItsWholePatch) {
    // The lowest place is where two edges cross; the others must not be forgotten for it.
    const Quaternion q = turn(x_axis, 1e-5) * turn(z_axis, 0.4);
    const auto points = touch(standing(Box{}, {0.1, 0.0, 0.9999}, q), standing(Box{}), 0.01);
    EXPECT_GE(points.size(), 6U);
}

/// A leaning card on a thin plate, both within rounding of touching: the closest points say nothing of the
/// direction, and the card stands 16 mm from the plate's end.
TEST(BoxOnBox, AFootWithinRoundingOfAPlateTouchesAtTheFoot) {
    const Standing plate =
        standing(Box{{0.044, 0.0315, 0.0002}},
                 {-3.2950033174112847e-09, -9.4574332263376449e-11, 0.084016578989516033},
                 {1.0, 6.4615169094499974e-10, -6.6889511926457453e-09, -1.7794958766892384e-12});
    const Standing card = standing(
        Box{{0.0002, 0.0315, 0.044}}, {0.013786953757686881, -7.4406446068136855e-10, 0.12612486914702711},
        {0.98768833863197825, 1.0032836273052283e-09, -0.15643447743513167, 9.6233762793650304e-11});
    const double foot = support_w(card, {0.0, 0.0, -1.0})[0];
    const double end = foot + 0.0004 * std::cos(18.0 * std::numbers::pi / 180.0);  // of the card's thickness
    const auto points = touch(card, plate, 1e-3);
    ASSERT_EQ(points.size(), 4U);
    int low = 0;
    for (const PairPoint& p : points) {
        EXPECT_LT(length(p.normal_w - z_axis), tolerance(1e-7));
        EXPECT_NEAR(std::abs(p.point_w[1]), 0.0315, tolerance(1e-8));
        const bool is_low = p.gap < 1e-8;
        low += is_low ? 1 : 0;
        EXPECT_NEAR(p.point_w[0], is_low ? foot : end, tolerance(1e-8));
    }
    EXPECT_EQ(low, 2);
}

TEST(Patches, ParallelSharpEdgesMeetOnlyWhereTheyLieAboveEachOther) {
    const auto points_with_offset = [](double offset) {
        collision::Patch a;
        a.kind = collision::PatchKind::segment;
        a.corners = {{{-1.0, 0.0, 0.0}, 0, 0}, {{1.0, 0.0, 0.0}, 1, 0}};
        collision::Patch b = a;
        for (collision::PatchCorner& c : b.corners) c.p += Vec3{0.5, offset, 0.1};
        collision::Manifold manifold;
        manifold.normal = z_axis;
        manifold.reach = 1.0;
        manifold.tolerance = 1e-8;
        collision::ClipStore store;
        collision::intersect(a, b, 0.1, store, manifold);
        return manifold.points.size();
    };
    EXPECT_EQ(points_with_offset(0.0), 2U);
    EXPECT_EQ(points_with_offset(1e-9), 2U);
    EXPECT_EQ(points_with_offset(0.01), 0U);
    EXPECT_EQ(points_with_offset(-0.5), 0U);
}

TEST(HullOnHull, ABoxAsHullGivesWhatABoxGives) {
    Random random(4);
    for (int round = 0; round < 300; ++round) {
        const Vec3 h{random.uniform(0.2, 1.0), random.uniform(0.2, 1.0), random.uniform(0.2, 1.0)};
        const Vec3 k{random.uniform(0.2, 1.0), random.uniform(0.2, 1.0), random.uniform(0.2, 1.0)};
        const Quaternion q = random_turn(random);
        const Vec3 p = 1.2 * random_direction(random);
        const auto boxes = touch(standing(Box{h}, p, q), standing(Box{k}), 0.3);
        const auto hulls = touch(standing(box_hull(h), p, q), standing(box_hull(k)), 0.3);
        ASSERT_EQ(boxes.empty(), hulls.empty());
        if (boxes.empty()) continue;
        EXPECT_NEAR(lowest_gap(boxes), lowest_gap(hulls), tolerance(1e-9));
    }
}

TEST(HullOnHull, ManyCornersAreReducedToEightThatSpanThePatch) {
    const auto points =
        touch(standing(prism_hull(24, 1.0, 0.5), {0.0, 0.0, 1.0}), standing(prism_hull(24, 1.0, 0.5)), 0.01);
    ASSERT_EQ(points.size(), 8U);
    expect_all(points, z_axis, 0.0);
    for (int k = 0; k < 24; ++k) {
        const double angle = 2.0 * std::numbers::pi * k / 24;
        double reach = -infinity;
        for (const PairPoint& p : points)
            reach = std::max(reach, p.point_w[0] * std::cos(angle) + p.point_w[1] * std::sin(angle));
        EXPECT_GT(reach, 0.9);
    }
}

TEST(CylinderOnBox, StandingRestsOnItsRim) {
    const auto points = touch(standing(Cylinder{0.5, 1.0}, {1.0, 2.0, 1.99}), standing(floor_box), 0.1);
    EXPECT_GE(points.size(), 4U);
    expect_all(points, z_axis, -0.01);
    Vec3 sum{};
    for (const PairPoint& p : points) {
        EXPECT_NEAR(std::hypot(p.point_w[0] - 1.0, p.point_w[1] - 2.0), 0.5, tolerance(1e-12));
        sum += p.point_w;
    }
    EXPECT_NEAR(sum[0], 1.0 * static_cast<double>(points.size()), tolerance(1e-12));
}

TEST(CylinderOnBox, OverhangingRestsOnEdgeAndRim) {
    // Centre over the edge x = 5: half a disc.
    const auto points = touch(standing(Cylinder{0.5, 1.0}, {5.0, 0.0, 2.0}), standing(floor_box), 0.1);
    double most = -infinity;
    double left = infinity;
    for (const PairPoint& p : points) {
        EXPECT_LE(p.point_w[0], 5.0 + 1e-7);
        left = std::min(left, p.point_w[0]);
        if (std::abs(p.point_w[0] - 5.0) < 1e-9) most = std::max(most, p.point_w[1]);
    }
    EXPECT_NEAR(most, 0.5, tolerance(1e-9));
    EXPECT_NEAR(left, 4.5, tolerance(1e-9));
}

TEST(CylinderOnBox, TiltedTouchesWithTheLowestPointOfItsRim) {
    // Tilt a: the rim's lowest point is h cos a + r sin a below the centre.
    for (const double tilt : {0.01, 0.3, 0.7, 1.2, 1.5}) {
        const double low = 1.0 * std::cos(tilt) + 0.5 * std::sin(tilt);
        const auto points = touch(standing(Cylinder{0.5, 1.0}, {0.0, 0.0, 1.0 + low}, turn(y_axis, tilt)),
                                  standing(floor_box), 1e-4);
        expect_all(points, z_axis, 0.0);
        expect_places(points, {{-std::sin(tilt) + 0.5 * std::cos(tilt), 0.0, 1.0}});
    }
}

TEST(CylinderOnBox, RollsWithoutFacets) {
    for (int k = 0; k < 200; ++k) {
        const Quaternion q = turn(x_axis, right_angle) * turn(z_axis, 0.01 * k);
        const auto points =
            touch(standing(Cylinder{0.5, 1.0}, {0.005 * k, 0.0, 1.5}, q), standing(floor_box), 0.01);
        ASSERT_EQ(points.size(), 2U) << k;
        expect_all(points, z_axis, 0.0);
        expect_places(points, {{0.005 * k, -1.0, 1.0}, {0.005 * k, 1.0, 1.0}});
    }
}

TEST(CylinderOnBox, RollsOverAnEdge) {
    // Axis along the edge x = 5, z = 1, seen from it in direction a: the normal turns with it.
    for (int k = 0; k <= 20; ++k) {
        const double a = right_angle * k / 20.0;
        const Vec3 n{std::sin(a), 0.0, std::cos(a)};
        const auto points =
            touch(standing(Cylinder{0.5, 1.0}, Vec3{5.0, 0.0, 1.0} + 0.51 * n, turn(x_axis, right_angle)),
                  standing(floor_box), 0.1);
        ASSERT_EQ(points.size(), 2U) << k;
        expect_all(points, n, 0.01);
    }
}

TEST(CylinderPairs, StandOnEachOther) {
    const auto equal =
        touch(standing(Cylinder{0.5, 1.0}, {0.0, 0.0, 2.0}), standing(Cylinder{0.5, 1.0}), 0.1);
    EXPECT_GE(equal.size(), 4U);
    expect_all(equal, z_axis, 0.0);
    // Beside the centre by 0.6: a lens with its tips at x = 0.3, y = +-0.4.
    const auto lens = touch(standing(Cylinder{0.5, 1.0}, {0.6, 0.0, 2.0}), standing(Cylinder{0.5, 1.0}), 0.1);
    expect_all(lens, z_axis, 0.0);
    for (const double y : {-0.4, 0.4}) {
        double nearest = infinity;
        for (const PairPoint& p : lens) nearest = std::min(nearest, length(p.point_w - Vec3{0.3, y, 1.0}));
        EXPECT_LT(nearest, tolerance(1e-12));
    }
}

TEST(CylinderPairs, SideBySideTouchAlongALine) {
    for (const double gap : {-0.01, 0.0, 0.01}) {
        const auto points =
            touch(standing(Cylinder{0.5, 1.0}, {0.8 + gap, 0.0, 0.5}), standing(Cylinder{0.3, 1.0}), 0.1);
        expect_all(points, x_axis, gap);
        expect_places(points, {{0.3 + 0.5 * gap, 0.0, -0.5}, {0.3 + 0.5 * gap, 0.0, 1.0}});
    }
}

TEST(CylinderPairs, CrossedTouchOnce) {
    for (const double gap : {-0.01, 0.01}) {
        const auto points =
            touch(standing(Cylinder{0.5, 1.0}, {0.0, 0.0, 0.8 + gap}, turn(x_axis, right_angle)),
                  standing(Cylinder{0.3, 1.0}, {}, turn(y_axis, right_angle)), 0.1);
        expect_all(points, z_axis, gap);
        expect_places(points, {{0.0, 0.0, 0.3 + 0.5 * gap}});
    }
}

TEST(SphereOnCylinder, SeesSideCapAndRim) {
    const Standing cylinder = standing(Cylinder{1.0, 1.0});
    expect_all(touch(standing(Sphere{0.5}, {0.0, 1.6, 0.3}), cylinder, 1.0), y_axis, 0.1);
    expect_all(touch(standing(Sphere{0.5}, {0.1, 0.2, -1.4}), cylinder, 1.0), {0.0, 0.0, -1.0}, -0.1);
    // Beyond the rim by 0.3 sideways and 0.4 up.
    const auto rim = touch(standing(Sphere{0.25}, {1.3, 0.0, 1.4}), cylinder, 1.0);
    expect_all(rim, {0.6, 0.0, 0.8}, 0.25);
}

TEST(SphereOnCone, SeesSideBaseApexAndRim) {
    // Base radius 1.5 at z = -1, apex at z = 1: the side's normal is (4, 3) / 5 in (side, up).
    const Standing cone = standing(Cone{1.5, 1.0});
    const Vec3 side{0.8, 0.0, 0.6};
    expect_all(touch(standing(Sphere{0.5}, Vec3{0.75, 0.0, 0.0} + 0.6 * side), cone, 1.0), side, 0.1);
    expect_all(touch(standing(Sphere{0.5}, {0.2, 0.1, -1.6}), cone, 1.0), {0.0, 0.0, -1.0}, 0.1);
    expect_all(touch(standing(Sphere{0.5}, {0.0, 0.0, 1.7}), cone, 1.0), z_axis, 0.2);
    expect_all(touch(standing(Sphere{0.25}, {1.8, 0.0, -1.4}), cone, 1.0), {0.6, 0.0, -0.8}, 0.25);
}

TEST(ConeOnBox, StandsLiesAndBalancesOnItsApex) {
    const auto base = touch(standing(Cone{1.5, 1.0}, {0.0, 0.0, 2.0}), standing(floor_box), 0.1);
    EXPECT_GE(base.size(), 4U);
    expect_all(base, z_axis, 0.0);
    const auto apex = touch(standing(Cone{1.5, 1.0}, {0.0, 0.0, 2.0}, turn(x_axis, 2.0 * right_angle)),
                            standing(floor_box), 0.1);
    expect_all(apex, z_axis, 0.0);
    expect_places(apex, {{0.0, 0.0, 1.0}});
    // The side's normal (4, 3)/5 turned down; the origin is 0.8 * 0.75 = 0.6 above the side.
    const double turned = right_angle + std::atan2(3.0, 4.0);
    const auto side =
        touch(standing(Cone{1.5, 1.0}, {0.0, 0.0, 1.6}, turn(y_axis, turned)), standing(floor_box), 0.1);
    ASSERT_EQ(side.size(), 2U);
    expect_all(side, z_axis, 0.0);
    EXPECT_NEAR(length(side[0].point_w - side[1].point_w), 2.5, tolerance(1e-12));
}

TEST(ConePairs, WithCrossedSidesTouchOnce) {
    // Each lies with the middle of its side, (0.75, 0, 0) with normal (4, 0, 3) / 5, at the origin: one from
    // above, the other from below and turned.
    const Vec3 middle{0.75, 0.0, 0.0};
    const Vec3 side{0.8, 0.0, 0.6};
    for (const double gap : {-0.01, 0.01}) {
        for (const double yaw : {0.3, 1.0, 2.0}) {
            const Quaternion down = turn_between(side, -z_axis);
            const Quaternion up = turn(z_axis, yaw) * turn_between(side, z_axis);
            const Standing above = standing(Cone{1.5, 1.0}, Vec3{0.0, 0.0, gap} - rotate(down, middle), down);
            const auto points = touch(above, standing(Cone{1.5, 1.0}, -rotate(up, middle), up), 0.1);
            expect_all(points, z_axis, gap);
            expect_places(points, {{0.0, 0.0, 0.5 * gap}});
        }
    }
}

/// A coin grazing the side of a flat cone.  Lowering it by d cannot make it more than d deeper, though from
/// below, through the base, there is a way out of 9 mm that a search may run into.
TEST(CylinderOnCone, SinkingIntoAShallowSideIsNoDeeperThanTheWayDown) {
    const Cylinder coin{0.0055, 0.002};
    const Quaternion lying{-0.5703720957974701, 0.0571836760845247, 0.04722496328186071, 0.8180314800593487};
    const Vec3 start{-0.06744774944205423, -0.0398752338052718, 0.00683534350175325};
    for (const double yaw : {0.0, -0.0136, -0.0124}) {
        const Standing cone = standing(Cone{0.104, 0.007}, {0.0, 0.0, 0.007}, turn(z_axis, yaw));
        const double before = lowest_gap(touch(standing(coin, start, lying), cone, 0.003));
        ASSERT_LT(std::abs(before), 1e-5);
        for (const double way : {2e-6, 2e-5, 2e-4}) {
            int deeper = 0;
            for (int k = 0; k <= 2000; ++k) {
                const double down = way * k / 2000.0;
                const auto points = touch(standing(coin, start - down * z_axis, lying), cone, 0.003);
                if (points.empty() || lowest_gap(points) < before - down - tolerance(1e-10)) ++deeper;
            }
            EXPECT_EQ(deeper, 0) << yaw << ' ' << way;
        }
    }
}

TEST(OnTriangle, BoxSphereAndCylinderRest) {
    const Standing ground = standing(collision::Triangle{{Vec3{-5, -5, 1}, Vec3{5, -5, 1}, Vec3{0, 5, 1}}});
    const auto box = touch(standing(Box{}, {0.0, 0.0, 1.49}), ground, 0.1);
    expect_all(box, z_axis, -0.01);
    expect_places(box, {{0.5, 0.5, 0.995}, {-0.5, 0.5, 0.995}, {-0.5, -0.5, 0.995}, {0.5, -0.5, 0.995}});
    expect_all(touch(standing(Sphere{0.5}, {0.0, 0.0, 1.51}), ground, 0.1), z_axis, 0.01);
    expect_all(touch(standing(Cylinder{0.5, 1.0}, {0.0, 0.0, 1.99}), ground, 0.1), z_axis, -0.01);
    EXPECT_TRUE(touch(standing(Box{}, {0.0, 0.0, 1.5}),
                      standing(collision::Triangle{{Vec3{}, x_axis, 3.0 * x_axis}}), 9.0)
                    .empty());
}

// ---- what must not break ---------------------------------------------------------------------------------

void expect_sound(const std::vector<PairPoint>& points, const std::string& what) {
    for (const PairPoint& p : points) {
        EXPECT_TRUE(std::isfinite(p.gap)) << what;
        EXPECT_NEAR(length(p.normal_w), 1.0, 1e-12) << what;
        for (const double c : p.point_w) EXPECT_TRUE(std::isfinite(c)) << what;
    }
}

TEST(Degenerate, EqualShapesInTheSamePlaceArePushedApart) {
    Random random(5);
    for (int kind = 0; kind < kinds - 1; ++kind) {
        const Standing a = random_shape(random, kind);
        const auto points = touch(a, a, 0.1);
        ASSERT_FALSE(points.empty()) << kind_name(kind);
        EXPECT_LT(lowest_gap(points), 0.0);
        expect_sound(points, kind_name(kind));
    }
}

TEST(Degenerate, SharedCentresAndAxesAreSound) {
    Random random(6);
    for (int a = 0; a < kinds; ++a) {
        for (int b = 0; b < kinds; ++b) {
            if (a == 6 && b == 6) continue;
            Standing p = random_shape(random, a);
            Standing q = random_shape(random, b);
            p.pose.orientation = q.pose.orientation = {};
            q.pose.position = p.pose.position;
            const auto points = touch(p, q, 0.1);
            EXPECT_FALSE(points.empty()) << kind_name(a) << ' ' << kind_name(b);
            expect_sound(points, kind_name(a) + " " + kind_name(b));
        }
    }
}

TEST(Degenerate, NeedlesPlatesAndPointsAreSound) {
    const std::vector<Standing> odd{standing(Box{{1.0, 1e-6, 1e-6}}),    standing(Box{{1.0, 1.0, 1e-6}}),
                                    standing(Box{{0.0, 0.0, 0.0}}),      standing(Capsule{1e-6, 1.0}),
                                    standing(Capsule{0.5, 0.0}),         standing(Cylinder{1e-6, 1.0}),
                                    standing(Cylinder{1.0, 1e-6}),       standing(Cone{1e-6, 1.0}),
                                    standing(Cone{1.0, 1e-6}),           standing(Sphere{0.0}),
                                    standing(box_hull({1.0, 1e-6, 0.5}))};
    Random random(7);
    for (int round = 0; round < 20; ++round) {
        for (const Standing& one : odd) {
            for (int kind = 0; kind < kinds; ++kind) {
                Standing a = one;
                Standing b = random_shape(random, kind);
                a.pose.orientation = random_turn(random);
                a.pose.position = random.uniform(0.0, 1.5) * random_direction(random);
                expect_sound(touch(a, b, 3.0), kind_name(kind));
            }
        }
    }
}

TEST(Degenerate, AMillionMetresOutTheSameIsFound) {
    Random random(8);
    const Vec3 out{1e6, -1e6, 1e6};
    for (int a = 0; a < kinds; ++a) {
        for (int b = a; b < kinds - 1; ++b) {
            Standing p = random_shape(random, a);
            Standing q = random_shape(random, b);
            p.pose.position = {1.0, 0.5, 0.25};
            const auto here = touch(p, q, 0.5);
            p.pose.position = p.pose.position + out;
            q.pose.position = q.pose.position + out;
            const auto there = touch(p, q, 0.5);
            ASSERT_EQ(here.size(), there.size()) << kind_name(a) << ' ' << kind_name(b);
            // 1e6 has a rounding of 1e-10.
            if (here.empty()) continue;
            EXPECT_NEAR(lowest_gap(here), lowest_gap(there), 1e-8);
        }
    }
}

TEST(Degenerate, AReachFarBeyondTheShapesIsNoTrouble) {
    Random random(9);
    for (int a = 0; a < kinds; ++a) {
        for (int b = a; b < kinds - 1; ++b) {
            Standing p = random_shape(random, a);
            const Standing q = random_shape(random, b);
            p.pose.position += 300.0 * random_direction(random);
            const auto points = touch(p, q, 1000.0);
            ASSERT_FALSE(points.empty());
            expect_sound(points, kind_name(a) + " " + kind_name(b));
            EXPECT_NEAR(lowest_gap(points), separation_w(p, q, points[0].normal_w), 1e-9);
        }
    }
}

TEST(Shapes, AabbIsTight) {
    Random random(10);
    for (int round = 0; round < 200; ++round) {
        for (int kind = 0; kind < kinds; ++kind) {
            Standing s = random_shape(random, kind);
            s.pose.position += random_direction(random);
            const collision::Aabb box = collision::aabb(s.shape, s.pose);
            for (std::size_t k = 0; k < 3; ++k) {
                Vec3 d{};
                d[k] = 1.0;
                EXPECT_NEAR(box.high[k], support_w(s, d)[k], tolerance(1e-12)) << kind_name(kind);
                EXPECT_NEAR(box.low[k], support_w(s, -d)[k], tolerance(1e-12)) << kind_name(kind);
            }
        }
    }
}

TEST(Shapes, SupportIsInTheShapeAndNothingIsFartherOut) {
    Random random(11);
    for (int round = 0; round < 200; ++round) {
        for (int kind = 0; kind < kinds; ++kind) {
            const Standing s = random_shape(random, kind);
            const Vec3 d = random_direction(random);
            const Vec3 p = support_w(s, d);
            EXPECT_LT(outside(s, p), 1e-12) << kind_name(kind);
            EXPECT_LE(length(p - s.pose.position), s.shape.bound + 1e-12);
            EXPECT_GE(dot(d, p), dot(d, support_w(s, random_direction(random))) - 1e-12);
        }
    }
}

}  // namespace
}  // namespace uptack::test

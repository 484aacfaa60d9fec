// ODE as a second opinion on depths and normals of overlapping boxes and capsules.

#ifdef UPTACK_HAVE_ODE

#include <gtest/gtest.h>
#include <ode/ode.h>

#include "convex_support.h"

namespace uptack::test {
namespace {

class Ode : public ::testing::Test {
protected:
    static void SetUpTestSuite() { dInitODE2(0); }
    static void TearDownTestSuite() { dCloseODE(); }
};

/// ODE's rounding: it may have been built with floats.
double rounding() {
    return dCheckConfiguration("ODE_double_precision") != 0 ? 1e-9 : 1e-4;
}

dReal real(double value) {
    return static_cast<dReal>(value);
}

dGeomID ode_shape(const Standing& s) {
    dGeomID out = nullptr;
    if (s.shape.kind == collision::ConvexKind::box)
        out = dCreateBox(nullptr, real(2.0 * s.shape.high[0]), real(2.0 * s.shape.high[1]),
                         real(2.0 * s.shape.high[2]));
    if (s.shape.kind == collision::ConvexKind::capsule)
        out = dCreateCapsule(nullptr, real(s.shape.radius), real(2.0 * s.shape.half_length));
    const Quaternion& q = s.pose.orientation;
    const dQuaternion turn{real(q.w), real(q.x), real(q.y), real(q.z)};
    dGeomSetPosition(out, real(s.pose.position[0]), real(s.pose.position[1]), real(s.pose.position[2]));
    dGeomSetQuaternion(out, turn);
    return out;
}

struct Answer {
    bool touching = false;
    double depth = 0.0;
    Vec3 normal{};  ///< from b to a
};

Answer ask_ode(const Standing& a, const Standing& b) {
    const dGeomID shape_a = ode_shape(a);
    const dGeomID shape_b = ode_shape(b);
    std::array<dContactGeom, 16> contacts{};
    const int count = dCollide(shape_a, shape_b, 16, contacts.data(), sizeof(dContactGeom));
    Answer out;
    for (int k = 0; k < count; ++k) {
        const dContactGeom& c = contacts[static_cast<std::size_t>(k)];
        if (out.touching && double(c.depth) <= out.depth) continue;
        out = {true, double(c.depth), {double(c.normal[0]), double(c.normal[1]), double(c.normal[2])}};
    }
    dGeomDestroy(shape_a);
    dGeomDestroy(shape_b);
    return out;
}

std::pair<Standing, Standing> near_pair(Random& random, int kind_a, int kind_b, double low, double high) {
    Standing a = random_shape(random, kind_a);
    const Standing b = random_shape(random, kind_b);
    const Vec3 n = random_direction(random);
    a.pose.position += (random.uniform(low, high) - separation_w(a, b, n)) * n;
    return {a, b};
}

// ODE prefers faces to edges by a factor of 1.05 and reports depths of clipped points: its axis may be that
// much deeper than the shortest way out, never shallower than a separating direction allows.
TEST_F(Ode, AgreesOnBoxes) {
    Random random(31);
    int same = 0;
    int touching = 0;
    for (int round = 0; round < 500; ++round) {
        const auto [a, b] = near_pair(random, 4, 4, -0.3, 0.1);
        const Answer ode = ask_ode(a, b);
        const auto points = touch(a, b, 1e-3);
        const double ours = lowest_gap(points);
        if (std::abs(ours) < 2e-3) continue;
        EXPECT_EQ(ode.touching, ours < 0.0) << round;
        if (!ode.touching) continue;
        ++touching;
        EXPECT_LE(-separation_w(a, b, ode.normal), 1.06 * -ours + rounding()) << round;
        EXPECT_GE(-separation_w(a, b, ode.normal), -ours * (1.0 - 1e-5) - rounding()) << round;
        if (length(ode.normal - points[0].normal_w) < 1e-6 + rounding()) ++same;
    }
    EXPECT_GT(touching, 100);
    EXPECT_GT(same, touching * 8 / 10);
}

TEST_F(Ode, AgreesOnCapsules) {
    Random random(32);
    int touching = 0;
    for (int round = 0; round < 500; ++round) {
        const auto [a, b] = near_pair(random, 1, 1, -0.2, 0.05);
        const Answer ode = ask_ode(a, b);
        const auto points = touch(a, b, 1e-3);
        const double ours = lowest_gap(points);
        if (std::abs(ours) < 2e-3) continue;
        EXPECT_EQ(ode.touching, ours < 0.0) << round;
        if (!ode.touching) continue;
        ++touching;
        EXPECT_NEAR(ode.depth, -ours, 10.0 * rounding()) << round;
        EXPECT_LT(length(ode.normal - points[0].normal_w), 1e-6 + 100.0 * rounding()) << round;
    }
    EXPECT_GT(touching, 100);
}

// Where the capsule's axis is outside the box; inside, ODE does not look for the shortest way out.
TEST_F(Ode, AgreesOnCapsulesAndBoxes) {
    Random random(33);
    int touching = 0;
    for (int round = 0; round < 2000; ++round) {
        const auto [a, b] = near_pair(random, 1, 4, -0.1, 0.05);
        const auto points = touch(a, b, 1e-3);
        const double ours = lowest_gap(points);
        if (std::abs(ours) < 2e-3 || ours < -0.9 * a.shape.radius) continue;
        const Answer ode = ask_ode(a, b);
        EXPECT_EQ(ode.touching, ours < 0.0) << round;
        if (!ode.touching) continue;
        ++touching;
        EXPECT_NEAR(ode.depth, -ours, 10.0 * rounding()) << round;
        EXPECT_LT(length(ode.normal - points[0].normal_w), 1e-6 + 100.0 * rounding()) << round;
    }
    EXPECT_GT(touching, 100);
}

}  // namespace
}  // namespace uptack::test

#endif

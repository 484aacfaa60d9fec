// Kinematics of the joints: derivatives against finite differences, what is held and what is free.

#include "joints/joint_kinds.h"

#include <numbers>

#include "parts/rolling.h"
#include "parts/rotation.h"
#include "parts/translation.h"
#include "small_world.h"
#include "support/tolerance.h"

namespace uptack::test {
namespace {

using assembly::Held;
using assembly::joint_frames;
using assembly::JointAngles;
using assembly::JointFrames;
using assembly::JointStart;
using assembly::Measure;
using assembly::rate;

constexpr std::array every_kind{JointKind::free,        JointKind::fixed,         JointKind::revolute,
                                JointKind::prismatic,   JointKind::cylindrical,   JointKind::screw,
                                JointKind::spherical,   JointKind::universal,     JointKind::planar,
                                JointKind::distance,    JointKind::point_on_line, JointKind::gear,
                                JointKind::rack_pinion, JointKind::pulley};
constexpr std::array every_coordinate{Coordinate::x,     Coordinate::y,       Coordinate::z,
                                      Coordinate::angle, Coordinate::angle_x, Coordinate::angle_y,
                                      Coordinate::swing, Coordinate::distance};

struct Placed {
    Joint joint;
    Pose a;
    Pose b;
};

Joint random_joint(JointKind kind, Random& random) {
    Joint joint;
    joint.kind = kind;
    joint.body_a = 0;
    joint.body_b = 1;
    joint.frame_a = random_pose(random);
    joint.frame_b = random_pose(random);
    joint.length = 1.3;
    joint.lead = 0.7;
    joint.radius_a = 0.4;
    joint.radius_b = 0.9;
    joint.anchor_a_w = random_vector(random, 3.0);
    joint.anchor_b_w = random_vector(random, 3.0);
    joint.ratio = 1.7;
    return joint;
}

/// b where its frame sits in a's as `relative` says.
Placed placed(const Joint& joint, const Pose& relative, Random& random) {
    const Pose a = random_pose(random);
    return {joint, a, a * joint.frame_a * relative * inverse(joint.frame_b)};
}

JointFrames frames_of(const Placed& p) {
    return joint_frames(p.joint, p.a, p.b);
}

/// Central difference of a number read off two bodies that move with the velocities va, vb.
template <class Read>
double difference(const Placed& p, const Vec6& va, const Vec6& vb, const Read& read) {
    const double eps = 1e-5;
    const Placed later{p.joint, moved(p.a, va, eps), moved(p.b, vb, eps)};
    const Placed earlier{p.joint, moved(p.a, va, -eps), moved(p.b, vb, -eps)};
    return (read(frames_of(later)) - read(frames_of(earlier))) / (2.0 * eps);
}

TEST(JointKinds, RatesOfHeldMeasuresAreTheirDerivativesAnywhere) {
    Random random(1);
    for (const JointKind kind : every_kind) {
        for (int trial = 0; trial < 40; ++trial) {
            const Placed p{random_joint(kind, random), random_pose(random), random_pose(random)};
            const JointFrames f = frames_of(p);
            const JointStart start{.rolled = 0.3, .side = trial % 2 == 0 ? 1.0 : -1.0, .turn_b = 1.0};
            const JointAngles angles = unwrapped(p.joint, f, {4.0, -9.0});
            const Held now = held(p.joint, start, f, angles);
            const Vec6 va = random_velocity(random);
            const Vec6 vb = random_velocity(random);
            for (int i = 0; i < now.count; ++i) {
                const double expected = difference(p, va, vb, [&](const JointFrames& g) {
                    return held(p.joint, start, g, angles).row[i].value;
                });
                EXPECT_NEAR(rate(now.row[i].row, va, vb), expected,
                            tolerance(1e-6 * (1 + std::abs(expected))))
                    << joint_kind_name(kind) << " row " << i;
            }
        }
    }
}

TEST(JointKinds, RatesOfCoordinatesAreTheirDerivativesAnywhere) {
    Random random(2);
    for (const JointKind kind : {JointKind::free, JointKind::universal}) {
        for (const Coordinate which : every_coordinate) {
            for (int trial = 0; trial < 40; ++trial) {
                const Placed p{random_joint(kind, random), random_pose(random), random_pose(random)};
                const JointFrames f = frames_of(p);
                const JointAngles angles = unwrapped(p.joint, f, {-7.0, 20.0});
                const auto now = coordinate(p.joint, which, f, angles);
                ASSERT_TRUE(now);
                const Vec6 va = random_velocity(random);
                const Vec6 vb = random_velocity(random);
                const double expected = difference(p, va, vb, [&](const JointFrames& g) {
                    return coordinate(p.joint, which, g, angles)->value;
                });
                EXPECT_NEAR(rate(now->row, va, vb), expected, tolerance(1e-6 * (1 + std::abs(expected))))
                    << coordinate_name(which);
            }
        }
    }
}

TEST(JointKinds, TheWorldAsASideChangesNothingForTheOther) {
    Random random(3);
    for (const JointKind kind : every_kind) {
        Placed p{random_joint(kind, random), {}, random_pose(random)};
        const Held moving = held(p.joint, {}, frames_of(p), {});
        p.joint.body_a = no_body;
        const Held fixed = held(p.joint, {}, frames_of(p), {});
        ASSERT_EQ(moving.count, fixed.count);
        for (int i = 0; i < moving.count; ++i) {
            EXPECT_EQ(moving.row[i].value, fixed.row[i].value);
            EXPECT_EQ(moving.row[i].row.b, fixed.row[i].row.b);
        }
    }
}

/// A pose of b's frame in a's that the joint allows, away from the origin of its coordinates.
Pose allowed(const Joint& joint, Random& random) {
    const double q = random.uniform(-3.0, 3.0);
    const double s = random.uniform(-2.0, 2.0);
    const double t = random.uniform(-2.0, 2.0);
    const Vec3 z{0, 0, 1};
    switch (joint.kind) {
        case JointKind::fixed:
            return {};
        case JointKind::revolute:
            return {{}, turn(z, q)};
        case JointKind::prismatic:
            return {{0, 0, s}, {}};
        case JointKind::cylindrical:
            return {{0, 0, s}, turn(z, q)};
        case JointKind::screw:
            return {{0, 0, joint.lead * q / (2 * std::numbers::pi)}, turn(z, q)};
        case JointKind::spherical:
            return {{}, random_turn(random)};
        case JointKind::universal:
            return {{}, turn({1, 0, 0}, q) * turn({0, 1, 0}, s)};
        case JointKind::planar:
            return {{s, t, 0}, turn(z, q)};
        case JointKind::point_on_line:
            return {{0, 0, s}, random_turn(random)};
        case JointKind::distance:
            return {joint.length * direction(random_vector(random)), random_turn(random)};
        default:
            return random_pose(random);
    }
}

int held_count(JointKind kind) {
    switch (kind) {
        case JointKind::free:
            return 0;
        case JointKind::fixed:
            return 6;
        case JointKind::revolute:
        case JointKind::prismatic:
        case JointKind::screw:
            return 5;
        case JointKind::cylindrical:
        case JointKind::universal:
            return 4;
        case JointKind::spherical:
        case JointKind::planar:
            return 3;
        case JointKind::point_on_line:
            return 2;
        default:
            return 1;
    }
}

TEST(JointKinds, AllowedPosesHaveNoViolationAndRowsAreIndependent) {
    Random random(4);
    for (const JointKind kind : every_kind) {
        for (int trial = 0; trial < 20; ++trial) {
            const Joint joint = random_joint(kind, random);
            const Placed p = placed(joint, allowed(joint, random), random);
            const JointFrames f = frames_of(p);
            const JointStart start = joint_start(joint, f);
            const Held kept = held(joint, start, f, unwrapped(joint, f, {}));
            ASSERT_EQ(kept.count, held_count(kind)) << joint_kind_name(kind);
            if (kind != JointKind::pulley) {
                for (const Measure& m : kept.rows()) {
                    EXPECT_NEAR(m.value, 0.0, tolerance(1e-13)) << joint_kind_name(kind);
                }
            }
            if (kept.count == 0) continue;
            Eigen::MatrixXd j(kept.count, 12);
            for (int i = 0; i < kept.count; ++i) {
                for (int k = 0; k < 6; ++k) j(i, k) = kept.row[i].row.a[k];
                for (int k = 0; k < 6; ++k) j(i, 6 + k) = kept.row[i].row.b[k];
            }
            EXPECT_EQ(Eigen::FullPivLU<Eigen::MatrixXd>(j).setThreshold(1e-9).rank(), kept.count)
                << joint_kind_name(kind);
        }
    }
}

TEST(JointKinds, ForbiddenDisplacementsAreSeen) {
    // Each direction and turn that a kind holds, tried one by one: +d along the axis must show up as +d.
    Random random(5);
    const double d = 1e-4;
    const std::array<std::pair<JointKind, std::array<bool, 6>>, 8> table{{
        {JointKind::fixed, {true, true, true, true, true, true}},
        {JointKind::revolute, {true, true, true, true, true, false}},
        {JointKind::prismatic, {true, true, false, true, true, true}},
        {JointKind::cylindrical, {true, true, false, true, true, false}},
        {JointKind::spherical, {true, true, true, false, false, false}},
        {JointKind::planar, {false, false, true, true, true, false}},
        {JointKind::point_on_line, {true, true, false, false, false, false}},
        {JointKind::universal, {true, true, true, false, false, true}},
    }};
    for (const auto& [kind, holds] : table) {
        for (int k = 0; k < 6; ++k) {
            const Joint joint = random_joint(kind, random);
            Vec6 step{};
            step[k] = d;
            const Placed p = placed(joint, {linear(step), exponential(angular(step))}, random);
            const Held kept = held(joint, {}, frames_of(p), {});
            double square = 0.0;
            for (const Measure& m : kept.rows()) square += m.value * m.value;
            EXPECT_NEAR(std::sqrt(square), holds[k] ? d : 0.0, tolerance(1e-11))
                << joint_kind_name(kind) << k;
        }
    }
}

TEST(JointKinds, CoordinatesAreWhatTheFramesWereTurnedBy) {
    Random random(6);
    const Joint free = random_joint(JointKind::free, random);
    const auto read = [&](const Joint& joint, const Pose& relative, Coordinate which) {
        const JointFrames f = frames_of(placed(joint, relative, random));
        return coordinate(joint, which, f, unwrapped(joint, f, {}))->value;
    };
    const Pose shifted{{0.3, -0.4, 1.2}, {}};
    EXPECT_NEAR(read(free, shifted, Coordinate::x), 0.3, tolerance(1e-14));
    EXPECT_NEAR(read(free, shifted, Coordinate::y), -0.4, tolerance(1e-14));
    EXPECT_NEAR(read(free, shifted, Coordinate::z), 1.2, tolerance(1e-14));
    EXPECT_NEAR(read(free, shifted, Coordinate::distance), 1.3, tolerance(1e-14));
    EXPECT_NEAR(read(free, {{}, turn({0, 0, 1}, 0.7)}, Coordinate::angle), 0.7, tolerance(1e-14));
    // Twist and swing of a turn about z followed by one about a horizontal axis.
    const Quaternion both = turn({0.6, 0.8, 0.0}, 1.1) * turn({0, 0, 1}, -2.5);
    EXPECT_NEAR(read(free, {{}, both}, Coordinate::swing), 1.1, tolerance(1e-13));
    EXPECT_NEAR(read(free, {{}, both}, Coordinate::angle), -2.5, tolerance(1e-13));
    const Joint universal = random_joint(JointKind::universal, random);
    const Quaternion bent = turn({1, 0, 0}, -0.4) * turn({0, 1, 0}, 2.2);
    EXPECT_NEAR(read(universal, {{}, bent}, Coordinate::angle_x), -0.4, tolerance(1e-13));
    EXPECT_NEAR(read(universal, {{}, bent}, Coordinate::angle_y), 2.2, tolerance(1e-13));
}

TEST(JointKinds, UndefinedCoordinatesGiveNothingInsteadOfNaN) {
    Random random(7);
    const Joint joint = random_joint(JointKind::free, random);
    const JointFrames together = frames_of(placed(joint, {}, random));
    EXPECT_FALSE(coordinate(joint, Coordinate::swing, together, {}));
    const auto distance = coordinate(joint, Coordinate::distance, together, {});
    EXPECT_NEAR(length(linear(distance->row.b)), 1.0, tolerance(1e-14));
    const JointFrames opposite = frames_of(placed(joint, {{}, turn({1, 0, 0}, std::numbers::pi)}, random));
    EXPECT_FALSE(coordinate(joint, Coordinate::angle, opposite, {}));
}

TEST(JointKinds, AnglesCountTurns) {
    Random random(8);
    for (const JointKind kind : {JointKind::revolute, JointKind::screw, JointKind::universal}) {
        const Joint joint = random_joint(kind, random);
        const Vec3 axis = kind == JointKind::universal ? Vec3{1, 0, 0} : Vec3{0, 0, 1};
        JointAngles angles{};
        for (int k = 0; k <= 200; ++k) {
            const JointFrames f = frames_of(placed(joint, {{}, turn(axis, -0.1 * k)}, random));
            angles = unwrapped(joint, f, angles);
        }
        EXPECT_NEAR(angles[0], -20.0, tolerance(1e-12));
    }
}

// ---- gears ------------------------------------------------------------------------------------------------

/// Two gears with parallel axes at the distance of their pitch circles, their frames anywhere on the bodies.
Placed geared(double radius_a, double radius_b, double spin_a, double spin_b, Random& random) {
    Joint joint = random_joint(JointKind::gear, random);
    joint.radius_a = radius_a;
    joint.radius_b = radius_b;
    const double line = random.uniform(-3.0, 3.0);
    const double distance = std::abs(radius_a + radius_b);
    const Pose base = random_pose(random);
    const Pose gear_a = base * Pose{{}, turn({0, 0, 1}, spin_a)};
    const Pose gear_b =
        base * Pose{{distance * std::cos(line), distance * std::sin(line), 0}, turn({0, 0, 1}, spin_b)};
    return {joint, gear_a * inverse(joint.frame_a), gear_b * inverse(joint.frame_b)};
}

Vec3 velocity_at(const Pose& body, const Vec6& v, const Vec3& point) {
    return linear(v) + cross(angular(v), point - body.position);
}

TEST(JointKinds, GearsHaveNoSlipAtThePitchPoint) {
    Random random(9);
    for (const double radius_b : {0.9, -1.5}) {
        for (int trial = 0; trial < 20; ++trial) {
            const Placed p = geared(0.4, radius_b, random.uniform(-3, 3), random.uniform(-3, 3), random);
            const JointFrames f = frames_of(p);
            const Held kept = held(p.joint, joint_start(p.joint, f), f, unwrapped(p.joint, f, {}));
            ASSERT_EQ(kept.count, 1);
            EXPECT_NEAR(kept.row[0].value, 0.0, tolerance(1e-14));
            const Vec3 u = (radius_b > 0 ? 1.0 : -1.0) * direction(f.offset);
            const Vec3 pitch = f.origin_a + 0.4 * u;
            const Vec3 tangent = cross(f.axes_a[2], u);
            const Vec6 va = random_velocity(random);
            const Vec6 vb = random_velocity(random);
            const double slip = dot(tangent, velocity_at(p.a, va, pitch) - velocity_at(p.b, vb, pitch));
            EXPECT_NEAR(rate(kept.row[0].row, va, vb), slip, tolerance(1e-12));
        }
    }
}

TEST(JointKinds, GearsThatRollManyTurnsStayInMesh) {
    for (const double radius_b : {0.8, -1.6}) {
        // Fixed centres: r_a turn_a + r_b turn_b = 0.
        Random same(77);
        const Placed first = geared(0.4, radius_b, 0.0, 0.0, same);
        const JointStart start = joint_start(first.joint, frames_of(first));
        JointAngles angles = unwrapped(first.joint, frames_of(first), {});
        for (int k = 1; k <= 300; ++k) {
            Random again(77);
            const Placed p = geared(0.4, radius_b, 0.1 * k, -0.1 * k * 0.4 / radius_b, again);
            const JointFrames f = frames_of(p);
            angles = unwrapped(p.joint, f, angles);
            ASSERT_NEAR(held(p.joint, start, f, angles).row[0].value, 0.0, tolerance(1e-12));
        }
    }
}

TEST(JointKinds, APinionRollsOnEitherSideOfItsRack) {
    Random random(11);
    for (const double side : {1.0, -1.0}) {
        for (int trial = 0; trial < 20; ++trial) {
            Joint joint = random_joint(JointKind::rack_pinion, random);
            const Pose base = random_pose(random);  // the rack's x and the pinion's z
            const Pose rack = base * Pose{{random.uniform(-1, 1), 0, 0}, {}};
            const Pose pinion =
                base * Pose{{0, side * joint.radius_a, 0}, turn({0, 0, 1}, random.uniform(-3, 3))};
            const Placed p{joint, pinion * inverse(joint.frame_a), rack * inverse(joint.frame_b)};
            const JointFrames f = frames_of(p);
            const Held kept = held(joint, joint_start(joint, f), f, unwrapped(joint, f, {}));
            const Vec3 pitch = f.origin_a - side * joint.radius_a * f.axes_b[1];
            const Vec6 va = random_velocity(random);
            const Vec6 vb = random_velocity(random);
            const double slip = dot(f.axes_b[0], velocity_at(p.b, vb, pitch) - velocity_at(p.a, va, pitch));
            EXPECT_NEAR(kept.row[0].value, 0.0, tolerance(1e-14));
            EXPECT_NEAR(rate(kept.row[0].row, va, vb), slip, tolerance(1e-12));
        }
    }
}

TEST(JointKinds, ARopeIsAsLongAsItsTwoParts) {
    Random random(12);
    const Placed p{random_joint(JointKind::pulley, random), random_pose(random), random_pose(random)};
    const JointFrames f = frames_of(p);
    const Held kept = held(p.joint, {}, f, {});
    EXPECT_TRUE(kept.one_sided);
    EXPECT_NEAR(kept.row[0].value,
                p.joint.length - length(f.origin_a - p.joint.anchor_a_w) -
                    1.7 * length(f.origin_b - p.joint.anchor_b_w),
                tolerance(1e-14));
}

}  // namespace
}  // namespace uptack::test

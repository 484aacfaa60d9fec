// Bullet (double precision) as a second opinion on distances and depths.
//
// Margins are set to 0, because Bullet rounds the corners of its shapes by them; a capsule's margin is its
// radius and stays.

#ifdef UPTACK_HAVE_BULLET

#include <BulletCollision/CollisionShapes/btBoxShape.h>
#include <BulletCollision/CollisionShapes/btCapsuleShape.h>
#include <BulletCollision/CollisionShapes/btConvexHullShape.h>
#include <BulletCollision/CollisionShapes/btCylinderShape.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpa2.h>
#include <gtest/gtest.h>

#include "convex_support.h"

namespace uptack::test {
namespace {

/// Bullet's word: a distance, or minus a depth; `known` where it has one.
struct Answer {
    bool known = false;
    double gap = 0.0;
    Vec3 normal{};  ///< from b to a
};

std::unique_ptr<btConvexShape> bullet_shape(const Convex& shape) {
    std::unique_ptr<btConvexShape> out;
    const auto vector = [](const Vec3& v) { return btVector3(v[0], v[1], v[2]); };
    if (shape.kind == collision::ConvexKind::capsule)
        return std::make_unique<btCapsuleShapeZ>(shape.radius, 2.0 * shape.half_length);
    if (shape.kind == collision::ConvexKind::box) out = std::make_unique<btBoxShape>(vector(shape.high));
    if (shape.kind == collision::ConvexKind::cylinder)
        out = std::make_unique<btCylinderShapeZ>(vector(shape.high));
    if (shape.kind == collision::ConvexKind::hull) {
        auto hull = std::make_unique<btConvexHullShape>();
        for (const Vec3& v : shape.polytope->vertices) hull->addPoint(vector(v));
        out = std::move(hull);
    }
    out->setMargin(0.0);
    return out;
}

btTransform bullet_pose(const Pose& pose) {
    const Quaternion& q = pose.orientation;
    return btTransform(btQuaternion(q.x, q.y, q.z, q.w),
                       btVector3(pose.position[0], pose.position[1], pose.position[2]));
}

Answer ask_bullet(const Standing& a, const Standing& b) {
    const auto shape_a = bullet_shape(a.shape);
    const auto shape_b = bullet_shape(b.shape);
    const btTransform pose_a = bullet_pose(a.pose);
    const btTransform pose_b = bullet_pose(b.pose);
    const btVector3 guess = pose_a.getOrigin() - pose_b.getOrigin();
    btGjkEpaSolver2::sResults found;
    Answer out;
    // Distances are of the cores: the capsules' radii are still to be taken off.
    const auto round = [](const Convex& s) {
        return s.kind == collision::ConvexKind::capsule ? s.radius : 0.0;
    };
    const double rounds = round(a.shape) + round(b.shape);
    const bool apart = btGjkEpaSolver2::Distance(shape_a.get(), pose_a, shape_b.get(), pose_b, guess, found);
    if (apart) {
        out.gap = found.distance - rounds;
        found.normal = (found.witnesses[0] - found.witnesses[1]).normalized();  // its own is in a's frame
    } else if (btGjkEpaSolver2::Penetration(shape_a.get(), pose_a, shape_b.get(), pose_b, guess, found)) {
        out.gap = found.distance;
    } else {
        return out;
    }
    out.known = true;
    out.normal = {found.normal.x(), found.normal.y(), found.normal.z()};
    return out;
}

struct Tally {
    int apart = 0;
    int farther = 0;  ///< of them where Bullet's search ended too soon
    int overlapping = 0;
    int deeper = 0;  ///< overlapping pairs where Bullet's way out was longer than ours
};

/// Distances must agree in all but a few, where Bullet gave up early; a depth of Bullet's may be longer (its
/// expansion can end early), never shorter.
Tally compare(int kind_a, int kind_b, double close, std::uint64_t seed) {
    Random random(seed);
    Tally tally;
    for (int round = 0; round < 500; ++round) {
        Standing a = random_shape(random, kind_a);
        const Standing b = random_shape(random, kind_b);
        const Vec3 n = random_direction(random);
        a.pose.position += (random.uniform(-0.3, 0.2) - separation_w(a, b, n)) * n;
        const Answer bullet = ask_bullet(a, b);
        const auto points = touch(a, b, 2.0);
        if (!bullet.known || points.empty()) continue;
        const double ours = lowest_gap(points);
        if (ours > 0.01) {
            ++tally.apart;
            // Two points that are Bullet's distance apart are no proof that none are nearer; a plane between
            // the shapes is, and ours has one.
            EXPECT_LE(ours, bullet.gap + close) << round;
            EXPECT_NEAR(ours, separation_w(a, b, points[0].normal_w), 1e-10) << round;
            if (bullet.gap > ours + close) {
                ++tally.farther;
                continue;
            }
            // An error e in the distance d leaves the direction free by sqrt(2 e / d).
            const double turn = std::sqrt(2.0 * close / ours) + 1e-6;
            EXPECT_LT(length(points[0].normal_w - bullet.normal), 10.0 * turn) << round;
        } else if (ours < -0.01) {
            ++tally.overlapping;
            EXPECT_GE(ours, bullet.gap - close) << round;
            if (bullet.gap < ours - 10.0 * close) ++tally.deeper;
        }
    }
    return tally;
}

TEST(Bullet, AgreesOnBoxes) {
    const Tally tally = compare(4, 4, 1e-8, 21);
    EXPECT_GT(tally.apart, 100);
    EXPECT_LT(tally.farther, tally.apart / 20);
    EXPECT_GT(tally.overlapping, 50);
    EXPECT_LT(tally.deeper, tally.overlapping / 20);
}

TEST(Bullet, AgreesOnHulls) {
    const Tally tally = compare(5, 5, 1e-8, 22);
    EXPECT_GT(tally.apart, 100);
    EXPECT_LT(tally.farther, tally.apart / 20);
    EXPECT_GT(tally.overlapping, 50);
    EXPECT_LT(tally.deeper, tally.overlapping / 20);
}

TEST(Bullet, AgreesOnCapsules) {
    const Tally tally = compare(1, 1, 1e-8, 23);
    EXPECT_GT(tally.apart, 100);
    EXPECT_LT(tally.farther, tally.apart / 20);
}

TEST(Bullet, AgreesOnCapsulesAndBoxes) {
    const Tally tally = compare(1, 4, 1e-8, 24);
    EXPECT_GT(tally.apart, 100);
    EXPECT_LT(tally.farther, tally.apart / 20);
    EXPECT_GT(tally.overlapping, 20);
}

// Bullet's search on curved shapes ends at its own accuracy.
TEST(Bullet, AgreesOnCylindersAndBoxes) {
    const Tally tally = compare(2, 4, 1e-4, 25);
    EXPECT_GT(tally.apart, 100);
    EXPECT_LT(tally.farther, tally.apart / 20);
    EXPECT_GT(tally.overlapping, 20);
}

}  // namespace
}  // namespace uptack::test

#endif

// Shapes, poses and an oracle for the tests of convex pairs.

#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "convex.h"
#include "support/random.h"

namespace uptack::test {

using collision::Convex;
using collision::PairPoint;

/// A shape standing somewhere.
struct Standing {
    Convex shape;
    Pose pose;
};

inline std::vector<PairPoint> touch(const Standing& a, const Standing& b, double reach) {
    std::vector<PairPoint> points;
    collision::collide_convex(a.shape, a.pose, b.shape, b.pose, reach, points);
    return points;
}

inline Standing standing(const Geometry& geometry, const Vec3& position = {}, const Quaternion& q = {}) {
    return {collision::prepare(geometry), {position, q}};
}
inline Standing standing(const collision::Triangle& triangle) {
    const auto [shape, pose] = collision::prepare(triangle);
    return {shape, pose};
}

inline double lowest_gap(const std::vector<PairPoint>& points) {
    double lowest = infinity;
    for (const PairPoint& p : points) lowest = std::min(lowest, p.gap);
    return lowest;
}

inline Vec3 random_direction(Random& random) {
    return direction({random.normal(), random.normal(), random.normal()});
}
inline Quaternion random_turn(Random& random) {
    return normalised({random.normal(), random.normal(), random.normal(), random.normal()});
}

/// The hull of points in general position, by trying every plane through three of them.
inline Hull hull_of(const std::vector<Vec3>& points) {
    auto out = std::make_shared<Polyhedron>();
    out->vertices = points;
    const int n = static_cast<int>(points.size());
    const auto p = [&](int k) { return points[static_cast<std::size_t>(k)]; };
    for (int i = 0; i < n; ++i) {
        for (int j = i + 1; j < n; ++j) {
            for (int k = j + 1; k < n; ++k) {
                const Vec3 normal = cross(p(j) - p(i), p(k) - p(i));
                bool above = false;
                bool below = false;
                for (int l = 0; l < n; ++l) {
                    if (l == i || l == j || l == k) continue;
                    (dot(normal, p(l) - p(i)) > 0.0 ? above : below) = true;
                }
                if (above && below) continue;
                out->faces.push_back(above ? std::vector<int>{i, k, j} : std::vector<int>{i, j, k});
            }
        }
    }
    return {out};
}

/// All points on an ellipsoid, so that each is a corner.
inline Hull random_hull(Random& random, int corners, const Vec3& size) {
    std::vector<Vec3> points;
    for (int k = 0; k < corners; ++k) {
        const Vec3 d = random_direction(random);
        points.push_back({size[0] * d[0], size[1] * d[1], size[2] * d[2]});
    }
    return hull_of(points);
}

/// A box as a polyhedron with faces of four corners.
inline Hull box_hull(const Vec3& h) {
    auto out = std::make_shared<Polyhedron>();
    for (int k = 0; k < 8; ++k)
        out->vertices.push_back(
            {(k & 1) != 0 ? h[0] : -h[0], (k & 2) != 0 ? h[1] : -h[1], (k & 4) != 0 ? h[2] : -h[2]});
    out->faces = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    return {out};
}

/// A prism of n sides about z.
inline Hull prism_hull(int n, double radius, double half_length) {
    auto out = std::make_shared<Polyhedron>();
    std::vector<int> top;
    std::vector<int> bottom;
    for (int k = 0; k < n; ++k) {
        const double angle = 2.0 * std::numbers::pi * k / n;
        out->vertices.push_back({radius * std::cos(angle), radius * std::sin(angle), -half_length});
        out->vertices.push_back({radius * std::cos(angle), radius * std::sin(angle), half_length});
        top.push_back(2 * k + 1);
        bottom.insert(bottom.begin(), 2 * k);
        const int next = (k + 1) % n;
        out->faces.push_back({2 * k, 2 * next, 2 * next + 1, 2 * k + 1});
    }
    out->faces.push_back(top);
    out->faces.push_back(bottom);
    return {out};
}

inline constexpr int kinds = 7;

inline std::string kind_name(int kind) {
    return std::vector<std::string>{"sphere", "capsule", "cylinder", "cone", "box", "hull", "triangle"}.at(
        static_cast<std::size_t>(kind));
}

/// A shape of about unit size, turned at random, at the origin.
inline Standing random_shape(Random& random, int kind) {
    const auto size = [&] { return random.uniform(0.3, 1.0); };
    Standing out;
    if (kind == 0) out = standing(Sphere{size()});
    if (kind == 1) out = standing(Capsule{0.5 * size(), size()});
    if (kind == 2) out = standing(Cylinder{size(), size()});
    if (kind == 3) out = standing(Cone{size(), size()});
    if (kind == 4) out = standing(Box{{size(), size(), size()}});
    if (kind == 5) out = standing(random_hull(random, random.whole(5, 16), {size(), size(), size()}));
    if (kind == 6) {
        const auto corner = [&] { return random.uniform(0.4, 1.0) * random_direction(random); };
        return standing(collision::Triangle{{corner(), corner(), corner()}});
    }
    out.pose.orientation = random_turn(random);
    return out;
}

inline Vec3 support_w(const Standing& s, const Vec3& d) {
    return transform(s.pose, collision::support(s.shape, rotate_back(s.pose.orientation, d)));
}

/// Separation along unit n, from b to a: never more than the distance.
inline double separation_w(const Standing& a, const Standing& b, const Vec3& n) {
    return dot(n, support_w(a, -n) - support_w(b, n));
}

/// How far p is outside the shape, up to a factor; not above 0 inside.
inline double outside(const Standing& s, const Vec3& p_w) {
    const Vec3 p = transform_back(s.pose, p_w);
    const Convex& c = s.shape;
    const double side = std::hypot(p[0], p[1]);
    const double beyond = std::abs(p[2]) - c.half_length;
    switch (c.kind) {
        case collision::ConvexKind::sphere:
            return length(p) - c.radius;
        case collision::ConvexKind::capsule:
            return std::hypot(side, std::max(0.0, beyond)) - c.radius;
        case collision::ConvexKind::cylinder:
            return std::max(side - c.radius, beyond);
        case collision::ConvexKind::cone:
            return std::max(beyond, side - c.radius * 0.5 * (1.0 - p[2] / c.half_length));
        case collision::ConvexKind::box:
            return std::max(
                {std::abs(p[0]) - c.high[0], std::abs(p[1]) - c.high[1], std::abs(p[2]) - c.high[2]});
        case collision::ConvexKind::hull: {
            double most = -infinity;
            for (std::size_t f = 0; f < c.polytope->normals.size(); ++f)
                most = std::max(most, dot(c.polytope->normals[f], p) - c.polytope->offsets[f]);
            return most;
        }
        case collision::ConvexKind::triangle: {
            const Vec3 normal = direction(cross(c.corner[0], c.corner[1]));
            const std::array<Vec3, 3> corner{Vec3{}, c.corner[0], c.corner[1]};
            double most = std::abs(dot(normal, p));
            for (std::size_t k = 0; k < 3; ++k) {
                const Vec3 along = corner[(k + 1) % 3] - corner[k];
                most = std::max(most, dot(direction(cross(along, normal)), p - corner[k]));
            }
            return most;
        }
    }
    return infinity;
}

/// The largest separation of all directions: the distance, or minus the depth.  A net over the sphere, then a
/// random search from the best of it: slow, a little short, and shares nothing with the code it judges but
/// support().
struct Best {
    double separation = -infinity;
    Vec3 normal{};
};

inline Best random_search(const Standing& a, const Standing& b, Best here, Random& random) {
    double step = 0.1;
    for (int k = 0; k < 1500 && step > 1e-8; ++k) {
        const Vec3 n = direction(here.normal + step * random_direction(random));
        const double s = separation_w(a, b, n);
        if (s > here.separation) {
            here = {s, n};
            step *= 1.5;
        } else {
            step *= 0.93;
        }
    }
    return here;
}

inline Best best_separation(const Standing& a, const Standing& b) {
    constexpr int net = 800;
    constexpr std::size_t searches = 6;
    Random random(1);
    std::vector<Best> found;
    for (int k = 0; k < net; ++k) {
        // Points of a golden spiral: spread evenly.
        const double z = 1.0 - (2.0 * k + 1.0) / net;
        const double angle = k * std::numbers::pi * (3.0 - std::sqrt(5.0));
        const double r = std::sqrt(1.0 - z * z);
        const Vec3 n{r * std::cos(angle), r * std::sin(angle), z};
        found.push_back({separation_w(a, b, n), n});
    }
    std::sort(found.begin(), found.end(),
              [](const Best& p, const Best& q) { return p.separation > q.separation; });
    Best best = found.front();
    std::vector<Vec3> starts;
    for (const Best& start : found) {
        const auto near = [&](const Vec3& s) { return dot(s, start.normal) > 0.97; };
        if (std::any_of(starts.begin(), starts.end(), near)) continue;
        starts.push_back(start.normal);
        const Best climbed = random_search(a, b, start, random);
        if (climbed.separation > best.separation) best = climbed;
        if (starts.size() == searches) break;
    }
    return best;
}

}  // namespace uptack::test

#include "half_space.h"

#include <algorithm>

namespace uptack::collision {

namespace {

constexpr std::size_t points_at_most = 8;

/// Below this slope [rad] a rim counts as flat.  The fixed points then miss the lowest one by at most
/// (1 - cos 45 degrees) of radius * slope: 3e-5 of the radius.
constexpr double flat_slope = 1e-4;

/// The shape in its own frame under the plane's normal.
class Finder {
public:
    Finder(const Pose& pose, const Plane& plane, double reach, std::vector<PairPoint>& points)
        : pose_(pose),
          plane_(plane),
          reach_(reach),
          points_(points),
          up_(rotate_back(pose.orientation, plane.normal)),
          height_(dot(plane.normal, pose.position - plane.point)) {}

    /// A point of the shape, grown by `radius` towards the plane.
    void add(const Vec3& point_b, std::uint32_t feature, double radius = 0.0) {
        const double gap = height_ + dot(up_, point_b) - radius;
        if (!(gap < reach_)) return;
        points_.push_back({.point_w = transform(pose_, point_b) - (radius + 0.5 * gap) * plane_.normal,
                           .normal_w = plane_.normal,
                           .gap = gap,
                           .feature = feature});
    }

    /// The circle of `radius` at height z around the axis; `lowest_only`: of a rim that others lie below.
    void add_rim(double z, double radius, std::uint32_t first_feature, bool lowest_only) {
        const double slope = std::hypot(up_[0], up_[1]);
        const bool flat = slope < flat_slope;
        if (flat && lowest_only) return;
        const double c = flat ? 1.0 : -up_[0] / slope;
        const double s = flat ? 0.0 : -up_[1] / slope;
        const std::array<Vec3, 4> quarter{Vec3{c, s, 0.0}, Vec3{-s, c, 0.0}, Vec3{-c, -s, 0.0},
                                          Vec3{s, -c, 0.0}};
        const std::uint32_t feature = first_feature + (flat ? 4 : 0);
        const std::uint32_t count = lowest_only ? 1 : 4;
        for (std::uint32_t k = 0; k < count; ++k) {
            add({radius * quarter[k][0], radius * quarter[k][1], z}, feature + k);
        }
    }

    const Vec3& up() const { return up_; }

private:
    const Pose& pose_;
    const Plane& plane_;
    double reach_;
    std::vector<PairPoint>& points_;
    Vec3 up_;        ///< the plane's normal in the shape's frame
    double height_;  ///< of the shape's origin above the plane [m]
};

void add_box(const Vec3& half_size, Finder& finder) {
    for (std::uint32_t k = 0; k < 8; ++k) {
        finder.add(
            {(k & 1U) != 0 ? half_size[0] : -half_size[0], (k & 2U) != 0 ? half_size[1] : -half_size[1],
             (k & 4U) != 0 ? half_size[2] : -half_size[2]},
            k);
    }
}

/// 1. The lowest (of equals the first).
/// 2. In eight directions the one that is farthest out on the lower side: the support of a direction that
///    looks mostly down.
void choose_of_hull(const Plane& plane, std::size_t begin, std::vector<PairPoint>& points) {
    constexpr double outward = 0.25;
    const auto first = points.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto [n, t1, t2] = contact_frame(plane.normal);
    std::array<std::size_t, points_at_most> chosen{};
    std::size_t count = 0;
    const auto choose = [&](const Vec3& direction) {
        const auto height = [&](const PairPoint& p) {
            return p.gap - outward * dot(direction, p.point_w - plane.point);
        };
        const auto best = std::min_element(first, points.end(), [&](const PairPoint& p, const PairPoint& q) {
            return height(p) < height(q);
        });
        const auto index = static_cast<std::size_t>(best - first);
        const auto end = chosen.begin() + static_cast<std::ptrdiff_t>(count);
        if (count < points_at_most && std::find(chosen.begin(), end, index) == end) chosen[count++] = index;
    };
    choose({});
    constexpr double diagonal = 0.70710678118654752;
    for (const double side : {1.0, -1.0}) {
        choose(side * t1);
        choose(side * t2);
    }
    for (const double side : {1.0, -1.0}) {
        choose(side * diagonal * (t1 + t2));
        choose(side * diagonal * (t1 - t2));
    }
    std::array<PairPoint, points_at_most> kept;
    for (std::size_t k = 0; k < count; ++k) kept[k] = points[begin + chosen[k]];
    std::copy_n(kept.begin(), count, first);
    points.resize(begin + count);
}

}  // namespace

Plane half_space_plane(const Pose& pose) {
    return {.normal = rotate(pose.orientation, {0.0, 0.0, 1.0}), .point = pose.position};
}

void points_above_plane(const Convex& shape, const Pose& pose, const Plane& plane, double reach,
                        std::vector<PairPoint>& points) {
    Finder finder(pose, plane, reach, points);
    const double h = shape.half_length;
    switch (shape.kind) {
        case ConvexKind::sphere:
            finder.add({}, 0, shape.radius);
            break;
        case ConvexKind::capsule:
            finder.add({0.0, 0.0, -h}, 0, shape.radius);
            finder.add({0.0, 0.0, h}, 1, shape.radius);
            break;
        case ConvexKind::cylinder: {
            const bool stands = finder.up()[2] >= 0.0;
            finder.add_rim(-h, shape.radius, 0, !stands);
            finder.add_rim(h, shape.radius, 8, stands);
            break;
        }
        case ConvexKind::cone:
            finder.add_rim(-h, shape.radius, 0, false);
            finder.add({0.0, 0.0, h}, 8);
            break;
        case ConvexKind::box:
            add_box(shape.high, finder);
            break;
        case ConvexKind::hull:
            for (std::size_t k = 0; k < shape.polytope->vertices.size(); ++k) {
                finder.add(shape.polytope->vertices[k], static_cast<std::uint32_t>(k));
            }
            break;
        case ConvexKind::triangle:
            finder.add({}, 0);
            finder.add(shape.corner[0], 1);
            finder.add(shape.corner[1], 2);
            break;
    }
}

void collide_half_space(const Convex& shape, const Pose& pose, const Plane& plane, double reach,
                        std::vector<PairPoint>& points) {
    const std::size_t begin = points.size();
    points_above_plane(shape, pose, plane, reach, points);
    if (points.size() - begin > points_at_most) choose_of_hull(plane, begin, points);
}

}  // namespace uptack::collision

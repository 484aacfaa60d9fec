#include "convex.h"

#include <algorithm>

#include "convex_pair.h"

namespace uptack::collision {
namespace {

int compare(double p, double q) {
    return p < q ? -1 : (q < p ? 1 : 0);
}
int compare(const Vec3& p, const Vec3& q) {
    for (std::size_t k = 0; k < 3; ++k) {
        if (const int c = compare(p[k], q[k]); c != 0) return c;
    }
    return 0;
}

int compare_shapes(const Convex& a, const Convex& b) {
    if (a.kind != b.kind) return a.kind < b.kind ? -1 : 1;
    if (const int c = compare(a.radius, b.radius); c != 0) return c;
    if (const int c = compare(a.half_length, b.half_length); c != 0) return c;
    if (const int c = compare(a.high, b.high); c != 0) return c;
    return compare(a.low, b.low);
}

int compare_poses(const Pose& a, const Pose& b) {
    // Along a direction that nothing lies across by habit: equal shapes above or beside each other keep their
    // order when rounding moves them.
    constexpr Vec3 oblique{0.51, 0.37, 0.78};
    if (const int c = compare(dot(oblique, a.position), dot(oblique, b.position)); c != 0) return c;
    if (const int c = compare(a.position, b.position); c != 0) return c;
    if (const int c = compare(a.orientation.w, b.orientation.w); c != 0) return c;
    return compare(Vec3{a.orientation.x, a.orientation.y, a.orientation.z},
                   Vec3{b.orientation.x, b.orientation.y, b.orientation.z});
}

int compare_corners(const Convex& a, const Convex& b) {
    for (std::size_t k = 0; k < a.corner.size(); ++k) {
        if (const int c = compare(a.corner[k], b.corner[k]); c != 0) return c;
    }
    if (a.polytope == nullptr || a.polytope == b.polytope) return 0;
    const std::vector<Vec3>& p = a.polytope->vertices;
    const std::vector<Vec3>& q = b.polytope->vertices;
    for (std::size_t k = 0; k < std::min(p.size(), q.size()); ++k) {
        if (const int c = compare(p[k], q[k]); c != 0) return c;
    }
    return compare(static_cast<double>(p.size()), static_cast<double>(q.size()));
}

/// Which of the two is worked on first: a matter of shapes and poses, not of who is called a.
bool in_order(const Convex& a, const Pose& pose_a, const Convex& b, const Pose& pose_b) {
    int c = compare_shapes(a, b);
    if (c == 0) c = compare_poses(pose_a, pose_b);
    if (c == 0) c = compare_corners(a, b);
    return c <= 0;
}

/// Spheres are symmetric as they stand: the difference of centres changes its sign exactly.
void touch_spheres(const Convex& a, const Vec3& centre_a, const Convex& b, const Vec3& centre_b, double reach,
                   std::vector<PairPoint>& points) {
    const Vec3 apart = centre_a - centre_b;
    const double square = dot(apart, apart);
    const double sum = a.radius + b.radius;
    const double most = reach + sum;
    if (!(square < most * most)) return;
    const double distance = std::sqrt(square);
    const Vec3 normal = distance > 0.0 ? (1.0 / distance) * apart : Vec3{0.0, 0.0, 1.0};
    PairPoint& out = points.emplace_back();
    out.normal_w = normal;
    out.gap = distance - sum;
    // Halves of the centres' sum and of the radii's difference: the same bits from both sides.
    out.point_w = 0.5 * (centre_a + centre_b) + (0.5 * (b.radius - a.radius)) * normal;
    out.feature = 0;
}

bool degenerate(const Convex& shape) {
    if (shape.kind != ConvexKind::triangle) return false;
    const Vec3 area = cross(shape.corner[0], shape.corner[1]);
    constexpr double flat = 1e-13;  // of the bound's square: no direction is left in the rounding
    return !(length(area) > flat * shape.bound * shape.bound);
}

/// Where a rim's lowest point lies on an edge, it is also the place where rim and edge cross: one of them is
/// enough.
void merge_near(double nothing, std::vector<Manifold::Point>& points) {
    std::size_t kept = 0;
    for (std::size_t k = 0; k < points.size(); ++k) {
        const auto near = [&](const Manifold::Point& p) {
            return length(p.middle - points[k].middle) < nothing;
        };
        if (std::any_of(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(kept), near)) continue;
        points[kept++] = points[k];
    }
    points.resize(kept);
}

/// Points of one pair never share a feature; indices beyond 2^14 might.
void tell_apart(std::vector<Manifold::Point>& points) {
    for (std::size_t k = 1; k < points.size(); ++k) {
        const auto taken = [&](std::uint32_t id) {
            return std::any_of(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(k),
                               [&](const Manifold::Point& p) { return p.feature == id; });
        };
        while (taken(points[k].feature)) ++points[k].feature;
    }
}

}  // namespace

void collide_convex(const Convex& a, const Pose& pose_a, const Convex& b, const Pose& pose_b, double reach,
                    std::vector<PairPoint>& points) {
    if (a.kind == ConvexKind::sphere && b.kind == ConvexKind::sphere)
        return touch_spheres(a, pose_a.position, b, pose_b.position, reach, points);
    const Vec3 apart = pose_a.position - pose_b.position;
    const double bound = a.bound + b.bound + reach;
    if (!(dot(apart, apart) < bound * bound) || degenerate(a) || degenerate(b)) return;

    static thread_local PairWork work;
    const bool ordered = in_order(a, pose_a, b, pose_b);
    const Pose& first = ordered ? pose_a : pose_b;
    place(ordered ? a : b, first, first.position, work.a);
    place(ordered ? b : a, ordered ? pose_b : pose_a, first.position, work.b);
    Manifold& m = work.manifold;
    if (work.a.curved() || work.b.curved()) {
        touch_curved(work, reach);
        merge_near(1e-6 * std::min(a.bound, b.bound), m.points);
    } else if (work.a.normals.empty() && work.b.normals.empty()) {
        touch_round(work, reach);
    } else {
        touch_polytopes(work, reach);
    }
    reduce(m.points);
    tell_apart(m.points);
    const Vec3 normal = ordered ? -m.normal : m.normal;
    for (const Manifold::Point& p : m.points)
        points.push_back({first.position + p.middle, normal, p.gap, p.feature});
}

}  // namespace uptack::collision

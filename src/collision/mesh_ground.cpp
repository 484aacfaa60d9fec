#include "mesh_ground.h"

#include <algorithm>
#include <cmath>

#include "half_space.h"

namespace uptack::collision {

namespace {

/// How far a direction of contact may lean out of what the surface around allows [rad].
constexpr double lean = 1e-4;
/// Points nearer to an edge than this part of its length are on it, when collide_convex() found them there
/// ...
constexpr double on_edge = 1e-6;
/// ... and those of the shape that are over the triangle.  Both sides of an edge may claim a point, none
/// losing it: what is found twice is merged.
constexpr double over_edge = 1e-9;
/// Beyond this the rounding of coordinates shows [-].
constexpr double rounding = 1e-14;
/// Edges bent by less than this are flat [rad].
constexpr double flat_bend = 1e-6;

double largest_coordinate(const Vec3& a) {
    return std::max({std::abs(a[0]), std::abs(a[1]), std::abs(a[2])});
}

const Vec3& corner_after(const GroundTriangle& triangle, std::size_t k) {
    return triangle.corner[k == 2 ? 0 : k + 1];
}

/// Beyond the edge's line in the triangle's plane [m]; negative inside.
double beyond_edge(const GroundTriangle& triangle, std::size_t k, const Vec3& point) {
    const Vec3 along = corner_after(triangle, k) - triangle.corner[k];
    return dot(cross(along, triangle.normal), point - triangle.corner[k]) / length(along);
}

/// The lowest point of the shape above a plane [m].
double lowest_above(const Convex& shape, const Pose& pose, const Vec3& normal, const Vec3& point) {
    const Vec3 down = -rotate_back(pose.orientation, normal);
    return dot(normal, pose.position - point) - dot(down, support(shape, down));
}

/// Whether a shape that reaches below the face reaches less far below a neighbour across a convex edge: then
/// it is that neighbour's business.  A box on a table is deep behind the planes of the table's sides.
bool belongs_to_neighbour(const GroundTriangle& triangle, const Convex& shape, const Pose& pose,
                          double lowest) {
    if (lowest >= 0.0) return false;
    for (std::size_t k = 0; k < 3; ++k) {
        const GroundTriangle::Edge& edge = triangle.edge[k];
        if (edge.kind != EdgeKind::convex) continue;
        const double other = lowest_above(shape, pose, edge.neighbour_normal, triangle.corner[k]);
        if (other > lowest + over_edge * shape.bound) return true;
    }
    return false;
}

/// Whether a point of the shape lies over this face: see mesh_ground.h.
bool is_over(const GroundTriangle& triangle, const Vec3& point) {
    for (std::size_t k = 0; k < 3; ++k) {
        const double size = length(corner_after(triangle, k) - triangle.corner[k]);
        const double tolerance = over_edge * size + rounding * largest_coordinate(point);
        if (beyond_edge(triangle, k, point) <= tolerance) continue;
        const GroundTriangle::Edge& edge = triangle.edge[k];
        const bool behind_neighbour = dot(edge.neighbour_normal, point - triangle.corner[k]) < 0.0;
        if (edge.kind != EdgeKind::concave || !behind_neighbour) return false;
    }
    return true;
}

bool is_sharp(EdgeKind kind) {
    return kind == EdgeKind::convex || kind == EdgeKind::open;
}

/// Whether the surface on both sides of the edge falls away from a plane of contact with this normal.
bool edge_allows(const GroundTriangle& triangle, std::size_t k, const Vec3& normal) {
    const Vec3 along = corner_after(triangle, k) - triangle.corner[k];
    const double slack = lean * length(along);
    if (dot(normal, cross(along, triangle.normal)) < -slack) return false;
    const GroundTriangle::Edge& edge = triangle.edge[k];
    if (edge.kind == EdgeKind::open) return dot(normal, triangle.normal) > -lean;
    return dot(normal, cross(along, edge.neighbour_normal)) <= slack;
}

/// Whether the point is on an edge or a corner that can be touched, with a normal that fits.
bool touches_feature(const GroundTriangle& triangle, const Ground& ground, const PairPoint& found) {
    const Vec3 point = found.point_w - 0.5 * found.gap * found.normal_w;
    std::array<bool, 3> on{};
    for (std::size_t k = 0; k < 3; ++k) {
        const double size = length(corner_after(triangle, k) - triangle.corner[k]);
        const double tolerance = on_edge * size + rounding * largest_coordinate(point);
        on[k] = std::abs(beyond_edge(triangle, k, point)) <= tolerance;
    }
    for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t before = k == 0 ? 2 : k - 1;
        if (!on[k] || !on[before]) continue;
        const EdgeKind one = triangle.edge[k].kind;
        const EdgeKind two = triangle.edge[before].kind;
        if (!is_sharp(one) && !is_sharp(two)) return false;
        const bool open = one == EdgeKind::open || two == EdgeKind::open;
        if (open && dot(found.normal_w, triangle.normal) < -lean) return false;
        return ground.lies_below(triangle.corner_number[k], found.normal_w, lean);
    }
    for (std::size_t k = 0; k < 3; ++k) {
        if (on[k]) return is_sharp(triangle.edge[k].kind) && edge_allows(triangle, k, found.normal_w);
    }
    return false;
}

std::uint64_t mix(std::uint64_t x) {
    x ^= x >> 30U;
    x *= 0xbf58476d1ce4e5b9ULL;
    x ^= x >> 27U;
    x *= 0x94d049bb133111ebULL;
    return x ^ (x >> 31U);
}

/// The same for all triangles of a plane, so that a point that slides over them stays the same contact.
std::uint64_t plane_number(const Vec3& normal) {
    constexpr double steps = 1 << 20;
    std::uint64_t number = 0;
    for (const double c : normal) {
        number = mix(number + static_cast<std::uint64_t>(static_cast<std::int64_t>(std::round(steps * c))));
    }
    return number & 0x7fffffffU;
}

constexpr std::uint64_t feature_key = std::uint64_t{1} << 63U;

/// One triangle and what lies on it.
struct TriangleCase {
    const Convex& shape;
    const Pose& pose;  ///< of the shape
    const Ground& ground;
    std::uint32_t number;  ///< of the triangle
    GroundTriangle triangle;
    double reach;
};

void add_face_points(const TriangleCase& on, GroundScratch& scratch) {
    scratch.points.clear();
    const Plane plane{.normal = on.triangle.normal, .point = on.triangle.corner[0]};
    points_above_plane(on.shape, on.pose, plane, on.reach, scratch.points);
    const std::uint64_t plane_key = plane_number(on.triangle.normal) << 32U;
    for (const PairPoint& point : scratch.points) {
        if (!is_over(on.triangle, point.point_w + 0.5 * point.gap * point.normal_w)) continue;
        scratch.found.push_back({.point = point, .key = plane_key | point.feature});
    }
}

void add_feature_points(const TriangleCase& on, GroundScratch& scratch) {
    scratch.points.clear();
    const auto [plate, plate_pose] = prepare(Triangle{on.triangle.corner});
    collide_convex(on.shape, on.pose, plate, plate_pose, on.reach, scratch.points);
    for (const PairPoint& point : scratch.points) {
        if (!touches_feature(on.triangle, on.ground, point)) continue;
        const std::uint64_t key = feature_key | (std::uint64_t{on.number} << 32U) | point.feature;
        scratch.found.push_back({.point = point, .key = key});
    }
}

void collide_triangle(const TriangleCase& on, GroundScratch& scratch) {
    const GroundTriangle& triangle = on.triangle;
    const double lowest = lowest_above(on.shape, on.pose, triangle.normal, triangle.corner[0]);
    const double highest = -lowest_above(on.shape, on.pose, -triangle.normal, triangle.corner[0]);
    if (!(lowest < on.reach && highest > 0.0)) return;
    if (!belongs_to_neighbour(triangle, on.shape, on.pose, lowest)) add_face_points(on, scratch);
    if (triangle.sharp) add_feature_points(on, scratch);
}

/// 1. Of contacts at the same place with the same normal the first one by key stays: faces before features.
/// 2. Features are hashes of the keys; where two are the same, the next free number is taken.
void merge(double size, GroundScratch& scratch, std::vector<PairPoint>& points) {
    constexpr double same_place = 1e-6;   // of the shape's size
    constexpr double same_normal = 1e-6;  // [rad]
    auto& found = scratch.found;
    std::sort(found.begin(), found.end(), [](const auto& p, const auto& q) {
        return p.key != q.key ? p.key < q.key : p.point.point_w < q.point.point_w;
    });
    const std::size_t begin = points.size();
    for (const GroundScratch::Found& f : found) {
        const auto same = [&](const PairPoint& p) {
            const double tolerance = same_place * size + 10.0 * rounding * largest_coordinate(p.point_w);
            return length(p.point_w - f.point.point_w) <= tolerance &&
                   length(p.normal_w - f.point.normal_w) <= same_normal;
        };
        if (std::any_of(points.begin() + static_cast<std::ptrdiff_t>(begin), points.end(), same)) continue;
        points.push_back(f.point);
        points.back().feature = static_cast<std::uint32_t>(mix(f.key) >> 32U);
    }
    const auto first = points.begin() + static_cast<std::ptrdiff_t>(begin);
    std::sort(first, points.end(), [](const PairPoint& p, const PairPoint& q) {
        return p.feature != q.feature ? p.feature < q.feature : p.point_w < q.point_w;
    });
    for (std::size_t k = begin + 1; k < points.size(); ++k) {
        if (points[k].feature <= points[k - 1].feature) points[k].feature = points[k - 1].feature + 1;
    }
}

}  // namespace

EdgeKind edge_kind(const Vec3& p, const Vec3& q, const Vec3& normal, const Vec3& apex) {
    const double height = dot(normal, apex - p);
    const double distance = length(cross(q - p, apex - p)) / length(q - p);
    if (std::abs(height) <= flat_bend * distance) return EdgeKind::flat;
    return height > 0.0 ? EdgeKind::concave : EdgeKind::convex;
}

Vec3 triangle_normal(const std::array<Vec3, 3>& corner) {
    const Vec3 n = cross(corner[1] - corner[0], corner[2] - corner[0]);
    const double l = length(n);
    if (!(l > 0.0)) return {};
    return {n[0] / l, n[1] / l, n[2] / l};
}

void collide_ground(const Convex& shape, const Pose& pose, const Ground& ground, double reach,
                    GroundScratch& scratch, std::vector<PairPoint>& points) {
    Aabb box = aabb(shape, pose);
    const Vec3 margin{reach, reach, reach};
    box.low -= margin;
    box.high += margin;
    scratch.triangles.clear();
    scratch.found.clear();
    ground.find(box, scratch.triangles);
    for (const std::uint32_t number : scratch.triangles) {
        collide_triangle({shape, pose, ground, number, ground.triangle(number), reach}, scratch);
    }
    merge(shape.bound, scratch, points);
}

}  // namespace uptack::collision

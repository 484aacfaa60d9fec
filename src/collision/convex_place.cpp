#include "convex_place.h"

#include <algorithm>

namespace uptack::collision {
namespace {

std::size_t at(int k) {
    return static_cast<std::size_t>(k);
}

/// Corner k of a box has the sign of bit 0, 1, 2 of k along x, y, z; face 2 i + s looks along axis i, s = 1
/// forwards.
Polytope box_topology() {
    Polytope out;
    out.vertices.resize(8);
    out.loop_begin = {0, 4, 8, 12, 16, 20, 24};
    out.loops = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
    out.normals.resize(6);
    out.offsets.resize(6);
    connect(out);
    return out;
}
Polytope triangle_topology() {
    Polytope out;
    out.vertices.resize(3);
    out.loop_begin = {0, 3, 6};
    out.loops = {0, 1, 2, 0, 2, 1};
    out.normals.resize(2);
    out.offsets.resize(2);
    connect(out);
    return out;
}
Polytope segment_topology() {
    Polytope out;
    out.vertices.resize(2);
    out.loop_begin = {0};
    out.edges = {{.from = 0, .to = 1}};
    return out;
}
Polytope point_topology() {
    Polytope out;
    out.vertices.resize(1);
    out.loop_begin = {0};
    return out;
}

void place_box(const Vec3& half, Placed& out) {
    static const Polytope topology = box_topology();
    out.topology = &topology;
    const Vec3 x = column(out.turn, 0);
    const Vec3 y = column(out.turn, 1);
    const Vec3 z = column(out.turn, 2);
    for (unsigned k = 0; k < 8; ++k) {
        const double sx = (k & 1U) != 0 ? half[0] : -half[0];
        const double sy = (k & 2U) != 0 ? half[1] : -half[1];
        const double sz = (k & 4U) != 0 ? half[2] : -half[2];
        out.vertices.push_back(out.centre + sx * x + sy * y + sz * z);
    }
    for (int k = 0; k < 3; ++k) {
        const Vec3 normal = column(out.turn, k);
        const double middle = dot(normal, out.centre);
        out.normals.push_back(-normal);
        out.offsets.push_back(half[at(k)] - middle);
        out.normals.push_back(normal);
        out.offsets.push_back(half[at(k)] + middle);
    }
}

void place_hull(const Polytope& polytope, Placed& out) {
    out.topology = &polytope;
    for (const Vec3& v : polytope.vertices) out.vertices.push_back(out.centre + out.turn * v);
    for (std::size_t f = 0; f < polytope.normals.size(); ++f) {
        const Vec3 normal = out.turn * polytope.normals[f];
        out.normals.push_back(normal);
        out.offsets.push_back(polytope.offsets[f] + dot(normal, out.centre));
    }
}

void place_triangle(const Convex& shape, Placed& out) {
    static const Polytope topology = triangle_topology();
    out.topology = &topology;
    out.vertices.push_back(out.centre);
    for (const Vec3& corner : shape.corner) out.vertices.push_back(out.centre + out.turn * corner);
    const Vec3 normal = direction(cross(out.turn * shape.corner[0], out.turn * shape.corner[1]));
    const double offset = dot(normal, out.centre);
    out.normals.push_back(normal);
    out.normals.push_back(-normal);
    out.offsets.push_back(offset);
    out.offsets.push_back(-offset);
}

Vec3 rim_support(const Placed& core, double along, const Vec3& d) {
    return core.centre + along * core.axis + core.shape->radius * outward(core, d);
}

/// Farthest of apex and base rim.
Vec3 cone_support(const Placed& core, const Vec3& d) {
    const double h = core.shape->half_length;
    if (apex_leads(core, d)) return core.centre + h * core.axis;
    return rim_support(core, -h, d);
}

}  // namespace

void place(const Convex& shape, const Pose& pose, const Vec3& origin, Placed& out) {
    out.shape = &shape;
    out.turn = matrix(pose.orientation);
    out.centre = pose.position - origin;
    out.axis = column(out.turn, 2);
    out.size = shape.bound;
    out.round = 0.0;
    out.topology = nullptr;
    out.vertices.clear();
    out.normals.clear();
    out.offsets.clear();
    static const Polytope point = point_topology();
    static const Polytope segment = segment_topology();
    switch (shape.kind) {
        case ConvexKind::sphere:
            out.topology = &point;
            out.vertices.push_back(out.centre);
            out.round = shape.radius;
            out.size = 0.0;
            break;
        case ConvexKind::capsule:
            out.topology = &segment;
            out.vertices.push_back(out.centre - shape.half_length * out.axis);
            out.vertices.push_back(out.centre + shape.half_length * out.axis);
            out.round = shape.radius;
            out.size = shape.half_length;
            break;
        case ConvexKind::cylinder:
        case ConvexKind::cone:
            break;
        case ConvexKind::box:
            place_box(shape.high, out);
            break;
        case ConvexKind::hull:
            place_hull(*shape.polytope, out);
            break;
        case ConvexKind::triangle:
            place_triangle(shape, out);
            break;
    }
}

int farthest_vertex(const Placed& core, const Vec3& d) {
    int best = 0;
    double most = -infinity;
    const int count = static_cast<int>(core.vertices.size());
    for (int k = 0; k < count; ++k) {
        const double value = dot(core.vertices[at(k)], d);
        if (value > most) {
            most = value;
            best = k;
        }
    }
    return best;
}

Vec3 core_support(const Placed& core, const Vec3& d) {
    if (!core.curved()) return core.vertices[at(farthest_vertex(core, d))];
    if (core.shape->kind == ConvexKind::cone) return cone_support(core, d);
    const double h = core.shape->half_length;
    return rim_support(core, dot(core.axis, d) < 0.0 ? -h : h, d);
}

double depth_inside(const Placed& core, const Vec3& p) {
    if (core.curved()) {
        const Convex& shape = *core.shape;
        const Vec3 arm = p - core.centre;
        const double up = dot(core.axis, arm);
        const double side = length(lean(core, arm));
        if (shape.kind == ConvexKind::cylinder)
            return std::min(shape.radius - side, shape.half_length - std::abs(up));
        // Distance to the cone's side: its outward normal is (2 h, r) / slant in (side, up).
        const double h = shape.half_length;
        const double slant = std::sqrt(4.0 * h * h + shape.radius * shape.radius);
        const double flank = (shape.radius * (h - up) - 2.0 * h * side) / slant;
        return std::min(up + h, flank);
    }
    if (core.normals.size() < 3) return -infinity;
    double depth = infinity;
    for (std::size_t f = 0; f < core.normals.size(); ++f)
        depth = std::min(depth, core.offsets[f] - dot(core.normals[f], p));
    return depth;
}

int nearest_face(const Placed& core, const Vec3& d) {
    const Polytope& topology = *core.topology;
    // Corners as far as the farthest up to rounding: which of two is farther must not decide.
    const double far = dot(core.vertices[at(farthest_vertex(core, d))], d) - 1e-9 * core.size;
    int best = 0;
    double most = -infinity;
    const int count = static_cast<int>(core.normals.size());
    for (int f = 0; f < count; ++f) {
        const double value = dot(core.normals[at(f)], d);
        if (value <= most) continue;
        const auto begin = topology.loops.begin() + topology.loop_begin[at(f)];
        const auto end = topology.loops.begin() + topology.loop_begin[at(f + 1)];
        if (std::none_of(begin, end, [&](int v) { return dot(core.vertices[at(v)], d) >= far; })) continue;
        most = value;
        best = f;
    }
    return best;
}

bool apex_leads(const Placed& cone, const Vec3& d) {
    return 2.0 * cone.shape->half_length * dot(cone.axis, d) >= cone.shape->radius * length(lean(cone, d));
}

}  // namespace uptack::collision

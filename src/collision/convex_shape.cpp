#include "convex_shape.h"

#include <algorithm>
#include <map>

namespace uptack::collision {
namespace {

/// Newell's normal: right for any planar loop, also where the first corners lie on a line.
Vec3 loop_normal(const std::vector<Vec3>& vertices, const std::vector<int>& loop) {
    Vec3 sum{};
    const Vec3 origin = vertices[static_cast<std::size_t>(loop[0])];
    for (std::size_t k = 1; k + 1 < loop.size(); ++k) {
        const Vec3 p = vertices[static_cast<std::size_t>(loop[k])] - origin;
        const Vec3 q = vertices[static_cast<std::size_t>(loop[k + 1])] - origin;
        sum += cross(p, q);
    }
    return direction(sum);
}

void add_face(Polytope& out, const std::vector<int>& loop) {
    const Vec3 normal = loop_normal(out.vertices, loop);
    double offset = 0.0;
    for (const int v : loop) offset += dot(normal, out.vertices[static_cast<std::size_t>(v)]);
    out.normals.push_back(normal);
    out.offsets.push_back(offset / static_cast<double>(loop.size()));
    out.loops.insert(out.loops.end(), loop.begin(), loop.end());
    out.loop_begin.push_back(static_cast<int>(out.loops.size()));
}

std::shared_ptr<const Polytope> prepare_polytope(const Polyhedron& polyhedron) {
    auto out = std::make_shared<Polytope>();
    out->vertices = polyhedron.vertices;
    out->loop_begin.push_back(0);
    for (const std::vector<int>& loop : polyhedron.faces) {
        if (loop.size() >= 3) add_face(*out, loop);
    }
    connect(*out);
    return out;
}

void bound_by_corners(Convex& out, const std::vector<Vec3>& corners) {
    out.low = out.high = corners.front();
    double square = 0.0;
    for (const Vec3& v : corners) {
        for (std::size_t k = 0; k < 3; ++k) {
            out.low[k] = std::min(out.low[k], v[k]);
            out.high[k] = std::max(out.high[k], v[k]);
        }
        square = std::max(square, dot(v, v));
    }
    out.bound = std::sqrt(square);
}

Convex of(const Sphere& s) {
    Convex out;
    out.kind = ConvexKind::sphere;
    out.radius = s.radius;
    out.high = {s.radius, s.radius, s.radius};
    out.bound = s.radius;
    return out;
}
Convex of(const Box& s) {
    Convex out;
    out.kind = ConvexKind::box;
    out.high = s.half_size;
    out.bound = length(s.half_size);
    return out;
}
Convex of(const Capsule& s) {
    Convex out;
    out.kind = ConvexKind::capsule;
    out.radius = s.radius;
    out.half_length = s.half_length;
    out.high = {s.radius, s.radius, s.half_length + s.radius};
    out.bound = s.half_length + s.radius;
    return out;
}
template <class Turned>
Convex of_turned(const Turned& s, ConvexKind kind) {
    Convex out;
    out.kind = kind;
    out.radius = s.radius;
    out.half_length = s.half_length;
    out.high = {s.radius, s.radius, s.half_length};
    out.bound = std::sqrt(s.radius * s.radius + s.half_length * s.half_length);
    return out;
}
Convex of(const Cylinder& s) {
    return of_turned(s, ConvexKind::cylinder);
}
Convex of(const Cone& s) {
    return of_turned(s, ConvexKind::cone);
}

Vec3 farthest(const std::vector<Vec3>& vertices, const Vec3& direction) {
    std::size_t best = 0;
    double most = -infinity;
    for (std::size_t k = 0; k < vertices.size(); ++k) {
        const double value = dot(vertices[k], direction);
        if (value > most) {
            most = value;
            best = k;
        }
    }
    return vertices[best];
}

/// The rim point of a disc of `radius` about z along d; its lowest angle where d has no side part.
Vec3 rim_point(double radius, double z, const Vec3& d) {
    const double l = std::sqrt(d[0] * d[0] + d[1] * d[1]);
    if (!(l > 0.0)) return {radius, 0.0, z};
    return {radius * d[0] / l, radius * d[1] / l, z};
}

Vec3 cone_support(const Convex& shape, const Vec3& d) {
    const double side = std::sqrt(d[0] * d[0] + d[1] * d[1]);
    if (shape.half_length * d[2] >= -shape.half_length * d[2] + shape.radius * side)
        return {0.0, 0.0, shape.half_length};
    return rim_point(shape.radius, -shape.half_length, d);
}

Vec3 triangle_support(const Convex& shape, const Vec3& d) {
    const double one = dot(shape.corner[0], d);
    const double two = dot(shape.corner[1], d);
    if (one > 0.0 && one >= two) return shape.corner[0];
    return two > 0.0 ? shape.corner[1] : Vec3{};
}

/// Half sizes along the world's axes of a disc of `radius` whose unit normal is `axis`.
Vec3 disc_extent(double radius, const Vec3& axis) {
    const auto across = [&](double p, double q) { return radius * std::sqrt(p * p + q * q); };
    return {across(axis[1], axis[2]), across(axis[2], axis[0]), across(axis[0], axis[1])};
}

Aabb around(const Vec3& centre, const Vec3& extent) {
    return {centre - extent, centre + extent};
}

Vec3 absolute(const Vec3& a) {
    return {std::abs(a[0]), std::abs(a[1]), std::abs(a[2])};
}

Aabb cone_aabb(const Convex& shape, const Pose& pose) {
    const Vec3 axis = rotate(pose.orientation, {0.0, 0.0, 1.0});
    const Vec3 apex = pose.position + shape.half_length * axis;
    Aabb box = around(pose.position - shape.half_length * axis, disc_extent(shape.radius, axis));
    for (std::size_t k = 0; k < 3; ++k) {
        box.low[k] = std::min(box.low[k], apex[k]);
        box.high[k] = std::max(box.high[k], apex[k]);
    }
    return box;
}

Aabb corners_aabb(const Convex& shape, const Pose& pose) {
    const Mat3 turn = matrix(pose.orientation);
    Aabb box{{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}};
    const auto grow = [&](const Vec3& corner) {
        const Vec3 p = turn * corner;
        for (std::size_t k = 0; k < 3; ++k) {
            box.low[k] = std::min(box.low[k], p[k]);
            box.high[k] = std::max(box.high[k], p[k]);
        }
    };
    if (shape.kind == ConvexKind::triangle) {
        grow({});
        grow(shape.corner[0]);
        grow(shape.corner[1]);
    } else {
        for (const Vec3& corner : shape.polytope->vertices) grow(corner);
    }
    return {pose.position + box.low, pose.position + box.high};
}

}  // namespace

void connect(Polytope& out) {
    std::map<std::pair<int, int>, int> known;
    out.loop_edges.assign(out.loops.size(), -1);
    for (std::size_t f = 0; f + 1 < out.loop_begin.size(); ++f) {
        const int begin = out.loop_begin[f];
        const int end = out.loop_begin[f + 1];
        for (int k = begin; k < end; ++k) {
            const int from = out.loops[static_cast<std::size_t>(k)];
            const int to = out.loops[static_cast<std::size_t>(k + 1 < end ? k + 1 : begin)];
            const auto found = known.find({to, from});
            int edge = static_cast<int>(out.edges.size());
            if (found != known.end()) {
                edge = found->second;
                out.edges[static_cast<std::size_t>(edge)].right = static_cast<int>(f);
            } else {
                known[{from, to}] = edge;
                out.edges.push_back({.from = from, .to = to, .left = static_cast<int>(f), .right = -1});
            }
            out.loop_edges[static_cast<std::size_t>(k)] = edge;
        }
    }
}

bool is_convex(const Geometry& geometry) {
    return !std::holds_alternative<HalfSpace>(geometry) && !std::holds_alternative<TriangleMesh>(geometry) &&
           !std::holds_alternative<HeightField>(geometry);
}

Convex prepare(const Geometry& geometry, HullCache& cache) {
    Convex out;
    if (const auto* sphere = std::get_if<Sphere>(&geometry)) out = of(*sphere);
    if (const auto* box = std::get_if<Box>(&geometry)) out = of(*box);
    if (const auto* capsule = std::get_if<Capsule>(&geometry)) out = of(*capsule);
    if (const auto* cylinder = std::get_if<Cylinder>(&geometry)) out = of(*cylinder);
    if (const auto* cone = std::get_if<Cone>(&geometry)) out = of(*cone);
    out.low = -out.high;
    const auto* hull = std::get_if<Hull>(&geometry);
    if (hull == nullptr) return out;
    out.kind = ConvexKind::hull;
    const auto same = [&](const auto& entry) { return entry.first == hull->polyhedron; };
    const auto found = std::find_if(cache.entries.begin(), cache.entries.end(), same);
    if (found != cache.entries.end()) {
        out.polytope = found->second;
    } else {
        out.polytope = prepare_polytope(*hull->polyhedron);
        cache.entries.emplace_back(hull->polyhedron, out.polytope);
    }
    bound_by_corners(out, out.polytope->vertices);
    return out;
}

Convex prepare(const Geometry& geometry) {
    HullCache cache;
    return prepare(geometry, cache);
}

std::pair<Convex, Pose> prepare(const Triangle& triangle) {
    std::pair<Convex, Pose> out;
    Convex& shape = out.first;
    out.second.position = triangle.corner_w[0];
    shape.kind = ConvexKind::triangle;
    shape.corner = {triangle.corner_w[1] - triangle.corner_w[0], triangle.corner_w[2] - triangle.corner_w[0]};
    for (std::size_t k = 0; k < 3; ++k) {
        shape.low[k] = std::min({0.0, shape.corner[0][k], shape.corner[1][k]});
        shape.high[k] = std::max({0.0, shape.corner[0][k], shape.corner[1][k]});
    }
    shape.bound = std::max(length(shape.corner[0]), length(shape.corner[1]));
    return out;
}

Vec3 support(const Convex& shape, const Vec3& d) {
    switch (shape.kind) {
        case ConvexKind::sphere:
            return shape.radius * direction(d);
        case ConvexKind::capsule:
            return shape.radius * direction(d) +
                   Vec3{0.0, 0.0, d[2] < 0.0 ? -shape.half_length : shape.half_length};
        case ConvexKind::cylinder:
            return rim_point(shape.radius, d[2] < 0.0 ? -shape.half_length : shape.half_length, d);
        case ConvexKind::cone:
            return cone_support(shape, d);
        case ConvexKind::box:
            return {d[0] < 0.0 ? shape.low[0] : shape.high[0], d[1] < 0.0 ? shape.low[1] : shape.high[1],
                    d[2] < 0.0 ? shape.low[2] : shape.high[2]};
        case ConvexKind::hull:
            return farthest(shape.polytope->vertices, d);
        case ConvexKind::triangle:
            return triangle_support(shape, d);
    }
    return {};
}

Aabb aabb(const Convex& shape, const Pose& pose) {
    switch (shape.kind) {
        case ConvexKind::sphere:
            return around(pose.position, shape.high);
        case ConvexKind::capsule: {
            const Vec3 axis = rotate(pose.orientation, {0.0, 0.0, shape.half_length});
            return around(pose.position, absolute(axis) + Vec3{shape.radius, shape.radius, shape.radius});
        }
        case ConvexKind::cylinder: {
            const Vec3 axis = rotate(pose.orientation, {0.0, 0.0, 1.0});
            return around(pose.position,
                          shape.half_length * absolute(axis) + disc_extent(shape.radius, axis));
        }
        case ConvexKind::cone:
            return cone_aabb(shape, pose);
        case ConvexKind::box: {
            const Mat3 turn = matrix(pose.orientation);
            Vec3 extent{};
            for (std::size_t k = 0; k < 3; ++k) extent[k] = dot(absolute(turn[k]), shape.high);
            return around(pose.position, extent);
        }
        case ConvexKind::hull:
        case ConvexKind::triangle:
            return corners_aabb(shape, pose);
    }
    return {};
}

}  // namespace uptack::collision

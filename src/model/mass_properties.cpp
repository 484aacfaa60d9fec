// Mass, centre and inertia of solids of one density.
//
//     sphere     m = 4/3 pi r^3 rho        I = 2/5 m r^2
//     box        m = 8 a b c rho           Ixx = m/3 (b^2 + c^2), half sizes a b c
//     cylinder   m = 2 pi r^2 h rho        Izz = 1/2 m r^2,  Ixx = m (r^2/4 + h^2/3), half length h
//     capsule    a cylinder and two half balls, whose centres are 3/8 r from their flat sides
//     cone       m = 2/3 pi r^2 h rho      centre at -h/2,  Izz = 3/10 m r^2,  Ixx = 3/20 m (r^2 + h^2)
//     hull       tetrahedra from a point inside to triangles of the faces: with corners 0 a b c,
//                V = a.(b x c) / 6,  int x = V s / 4,  int x x^T = V/20 (a a^T + b b^T + c c^T + s s^T),  s =
//                a + b + c

#include <cmath>
#include <numbers>

#include "checks.h"

namespace uptack {
namespace model {
namespace {

using std::numbers::pi;

double square(double x) {
    return x * x;
}

Symmetric3 diagonal(double xx, double yy, double zz) {
    return {xx, yy, zz, 0.0, 0.0, 0.0};
}

/// a a^T times `scale`, added to `sum`.
void add_square(Symmetric3& sum, double scale, const Vec3& a) {
    sum[0] += scale * a[0] * a[0];
    sum[1] += scale * a[1] * a[1];
    sum[2] += scale * a[2] * a[2];
    sum[3] += scale * a[0] * a[1];
    sum[4] += scale * a[0] * a[2];
    sum[5] += scale * a[1] * a[2];
}

/// What a mass at distance d adds to the inertia: m (|d|^2 1 - d d^T).
void add_parallel_axis(Symmetric3& inertia, double mass, const Vec3& d) {
    const double all = mass * dot(d, d);
    inertia[0] += all;
    inertia[1] += all;
    inertia[2] += all;
    add_square(inertia, -mass, d);
}

MassProperties of_capsule(const Capsule& capsule, double density) {
    const double r = capsule.radius;
    const double h = capsule.half_length;
    const double tube = density * 2.0 * pi * r * r * h;
    const double ball = density * 4.0 / 3.0 * pi * r * r * r;
    const double along = tube * r * r / 2.0 + ball * 0.4 * r * r;
    const double across = tube * (r * r / 4.0 + h * h / 3.0) + ball * (0.4 * r * r + h * h + 0.75 * h * r);
    return {tube + ball, {}, diagonal(across, across, along)};
}

MassProperties of_cone(const Cone& cone, double density) {
    const double r = cone.radius;
    const double h = cone.half_length;
    const double mass = density * 2.0 / 3.0 * pi * r * r * h;
    const double across = 0.15 * mass * (r * r + h * h);
    return {mass, {0.0, 0.0, -0.5 * h}, diagonal(across, across, 0.3 * mass * r * r)};
}

MassProperties of_polyhedron(const Polyhedron& solid, double density) {
    // From the mean of the corners, which is inside: all tetrahedra are positive and nothing cancels.
    Vec3 inside{};
    for (const Vec3& v : solid.vertices) inside += v;
    inside = (1.0 / static_cast<double>(solid.vertices.size())) * inside;

    double volume = 0.0;
    Vec3 first{};         // int x
    Symmetric3 second{};  // int x x^T
    const auto corner = [&](int i) { return solid.vertices[static_cast<std::size_t>(i)] - inside; };
    for (const std::vector<int>& face : solid.faces) {
        for (std::size_t k = 1; k + 1 < face.size(); ++k) {
            const Vec3 a = corner(face[0]);
            const Vec3 b = corner(face[k]);
            const Vec3 c = corner(face[k + 1]);
            const Vec3 s = a + b + c;
            const double v = dot(a, cross(b, c)) / 6.0;
            volume += v;
            first += (v / 4.0) * s;
            for (const Vec3& x : {a, b, c, s}) add_square(second, v / 20.0, x);
        }
    }
    const Vec3 center = (1.0 / volume) * first;
    add_square(second, -volume, center);
    const double trace = second[0] + second[1] + second[2];
    const Symmetric3 inertia{density * (trace - second[0]), density * (trace - second[1]),
                             density * (trace - second[2]), -density * second[3],
                             -density * second[4],          -density * second[5]};
    return {density * volume, inside + center, inertia};
}

/// In the shape's own frame.
MassProperties of_solid(const Geometry& geometry, double density) {
    if (const auto* sphere = std::get_if<Sphere>(&geometry)) {
        const double mass = density * 4.0 / 3.0 * pi * sphere->radius * square(sphere->radius);
        const double moment = 0.4 * mass * square(sphere->radius);
        return {mass, {}, diagonal(moment, moment, moment)};
    }
    if (const auto* box = std::get_if<Box>(&geometry)) {
        const auto [a, b, c] = box->half_size;
        const double mass = density * 8.0 * a * b * c;
        const double third = mass / 3.0;
        return {
            mass, {}, diagonal(third * (b * b + c * c), third * (a * a + c * c), third * (a * a + b * b))};
    }
    if (const auto* cylinder = std::get_if<Cylinder>(&geometry)) {
        const double r = cylinder->radius;
        const double h = cylinder->half_length;
        const double mass = density * 2.0 * pi * r * r * h;
        const double across = mass * (r * r / 4.0 + h * h / 3.0);
        return {mass, {}, diagonal(across, across, mass * r * r / 2.0)};
    }
    if (const auto* capsule = std::get_if<Capsule>(&geometry)) return of_capsule(*capsule, density);
    if (const auto* cone = std::get_if<Cone>(&geometry)) return of_cone(*cone, density);
    if (const auto* hull = std::get_if<Hull>(&geometry)) return of_polyhedron(*hull->polyhedron, density);
    return {};
}

}  // namespace

bool is_solid(const Geometry& geometry) {
    return !std::holds_alternative<HalfSpace>(geometry) && !std::holds_alternative<TriangleMesh>(geometry) &&
           !std::holds_alternative<HeightField>(geometry);
}

}  // namespace model

MassProperties mass_properties(std::span<const Shape> shapes, std::span<const Material> materials) {
    std::vector<MassProperties> parts;
    MassProperties whole;
    for (const Shape& shape : shapes) {
        if (!model::is_solid(shape.geometry)) continue;
        const double density = materials[static_cast<std::size_t>(shape.material)].density;
        if (density == 0.0) continue;
        MassProperties part = model::of_solid(shape.geometry, density);
        part.center_of_mass = transform(shape.pose, part.center_of_mass);
        part.inertia = rotate(matrix(shape.pose.orientation), part.inertia);
        whole.mass += part.mass;
        whole.center_of_mass += part.mass * part.center_of_mass;
        parts.push_back(part);
    }
    if (parts.empty()) return whole;
    if (parts.size() == 1) return parts[0];
    whole.center_of_mass = (1.0 / whole.mass) * whole.center_of_mass;
    for (const MassProperties& part : parts) {
        for (std::size_t k = 0; k < 6; ++k) whole.inertia[k] += part.inertia[k];
        model::add_parallel_axis(whole.inertia, part.mass, part.center_of_mass - whole.center_of_mass);
    }
    return whole;
}

}  // namespace uptack

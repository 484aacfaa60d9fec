#include "checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "uptack/input_error.h"

namespace uptack::model {
namespace {

// Normalising a unit vector or quaternion again may change its last bits; within this it is left alone, so
// that a model written and read back is the same bit by bit.
constexpr double unit_slack = 1e-15;

// Below this part of the largest moment a moment is no better than zero, and the inertia has no inverse.
constexpr double least_moment = 1e-12;

// Rounded moments of flat bodies may break the triangle inequality by this part of the largest.
constexpr double triangle_slack = 1e-9;

bool is_color(std::string_view color) {
    if (color.empty()) return true;
    return color.size() == 7 && color[0] == '#' &&
           color.find_first_not_of("0123456789abcdefABCDEF", 1) == std::string_view::npos;
}

void check_color(const std::string& color, const std::string& where, Faults& faults) {
    if (!is_color(color)) {
        faults.add(where, fmt::format("color is '{}'; write it as #rrggbb in hexadecimal", color));
    }
}

void check_size(double size, std::string_view what, const std::string& where, Faults& faults) {
    if (!is_positive(size)) faults.add(where, fmt::format("{} is {} m; give a size > 0", what, size));
}

void check_polyhedron(const Hull& hull, const std::string& where, Faults& faults) {
    if (!hull.polyhedron || hull.polyhedron->vertices.size() < 4 || hull.polyhedron->faces.size() < 4) {
        faults.add(where, "the hull has fewer than 4 corners or faces; make it with make_hull()");
        return;
    }
    const auto count = static_cast<int>(hull.polyhedron->vertices.size());
    for (const Vec3& vertex : hull.polyhedron->vertices) {
        if (!is_finite(vertex)) {
            faults.add(where, "a corner of the hull is not finite; make it with make_hull()");
            return;
        }
    }
    for (const std::vector<int>& face : hull.polyhedron->faces) {
        const bool in_range =
            std::all_of(face.begin(), face.end(), [&](int i) { return i >= 0 && i < count; });
        if (face.size() < 3 || !in_range) {
            faults.add(where,
                       "a face of the hull has fewer than 3 corners, or corners that are not there; make "
                       "it with make_hull()");
            return;
        }
    }
}

void check_mesh(const TriangleMesh& mesh, const std::string& where, Faults& faults) {
    if (!mesh.soup || mesh.soup->triangles.empty()) {
        faults.add(where, "the mesh has no triangles; give at least one");
        return;
    }
    const auto count = static_cast<int>(mesh.soup->vertices.size());
    for (std::size_t i = 0; i < mesh.soup->vertices.size(); ++i) {
        if (is_finite(mesh.soup->vertices[i])) continue;
        faults.add(where, fmt::format("vertex {} of the mesh is not finite; give numbers", i));
        return;
    }
    for (std::size_t i = 0; i < mesh.soup->triangles.size(); ++i) {
        const auto& [a, b, c] = mesh.soup->triangles[i];
        if (std::min({a, b, c}) >= 0 && std::max({a, b, c}) < count && a != b && b != c && c != a) continue;
        faults.add(where,
                   fmt::format("triangle {} of the mesh is ({}, {}, {}); give three different vertices "
                               "from 0 to {}",
                               i, a, b, c, count - 1));
        return;
    }
}

void check_grid(const HeightField& field, const std::string& where, Faults& faults) {
    if (!field.grid || field.grid->columns < 2 || field.grid->rows < 2) {
        faults.add(where, "the height field has fewer than 2 columns or rows; give at least 2 of each");
        return;
    }
    const HeightGrid& grid = *field.grid;
    check_size(grid.spacing_x, "spacing_x", where, faults);
    check_size(grid.spacing_y, "spacing_y", where, faults);
    const auto expected = static_cast<std::size_t>(grid.columns) * static_cast<std::size_t>(grid.rows);
    if (grid.heights.size() != expected) {
        faults.add(where, fmt::format("the height field has {} heights; give {} x {} = {}",
                                      grid.heights.size(), grid.columns, grid.rows, expected));
    }
    if (!std::all_of(grid.heights.begin(), grid.heights.end(), [](double z) { return std::isfinite(z); })) {
        faults.add(where, "a height is not finite; give numbers");
    }
}

struct GeometryCheck {
    const std::string& where;
    Faults& faults;

    void operator()(const Sphere& sphere) const { check_size(sphere.radius, "radius", where, faults); }
    void operator()(const HalfSpace&) const {}
    void operator()(const Box& box) const {
        check_size(box.half_size[0], "half_size x", where, faults);
        check_size(box.half_size[1], "half_size y", where, faults);
        check_size(box.half_size[2], "half_size z", where, faults);
    }
    void operator()(const Capsule& capsule) const { check_round(capsule); }
    void operator()(const Cylinder& cylinder) const { check_round(cylinder); }
    void operator()(const Cone& cone) const { check_round(cone); }
    void operator()(const Hull& hull) const { check_polyhedron(hull, where, faults); }
    void operator()(const TriangleMesh& mesh) const { check_mesh(mesh, where, faults); }
    void operator()(const HeightField& field) const { check_grid(field, where, faults); }

private:
    template <class Round>
    void check_round(const Round& shape) const {
        check_size(shape.radius, "radius", where, faults);
        check_size(shape.half_length, "half_length", where, faults);
    }
};

}  // namespace

void Faults::throw_first() const {
    if (!found_.empty()) throw InputError(found_[0].where, found_[0].message);
}

bool is_finite(const Pose& pose) {
    const Quaternion& q = pose.orientation;
    return is_finite(pose.position) && std::isfinite(q.w) && std::isfinite(q.x) && std::isfinite(q.y) &&
           std::isfinite(q.z);
}

Pose unit_pose(const Pose& pose, const std::string& what, const std::string& where, Faults& faults) {
    if (!is_finite(pose)) {
        faults.add(where, fmt::format("{} is not finite; give numbers", what));
        return {};
    }
    const Quaternion& q = pose.orientation;
    const double size = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    if (!(size > 1e-30 && size < 1e30)) {
        faults.add(where, fmt::format("{} has an orientation ({}, {}, {}, {}) without direction; give a "
                                      "quaternion of length 1",
                                      what, q.w, q.x, q.y, q.z));
        return {};
    }
    return std::abs(size - 1.0) <= unit_slack ? pose : Pose{pose.position, normalised(q)};
}

Vec3 unit_axis(const Vec3& axis) {
    return std::abs(dot(axis, axis) - 1.0) <= unit_slack ? axis : direction(axis);
}

void check_material(const Material& material, const std::string& where, Faults& faults) {
    struct Quantity {
        std::string_view name;
        double value;
        std::string_view unit;
    };
    for (const Quantity& q :
         {Quantity{"density", material.density, " kg/m^3"}, Quantity{"friction", material.friction, ""},
          Quantity{"rolling_friction", material.rolling_friction, " m"},
          Quantity{"spinning_friction", material.spinning_friction, " m"},
          Quantity{"compliance", material.compliance, " m/N"},
          Quantity{"adhesion", material.adhesion, " N"}}) {
        if (is_not_negative(q.value)) continue;
        faults.add(where, fmt::format("{} is {}{}; give a finite number >= 0", q.name, q.value, q.unit));
    }
    if (!(material.restitution >= 0.0 && material.restitution <= 1.0)) {
        faults.add(where, fmt::format("restitution is {}; give 0 (no bounce) to 1", material.restitution));
    }
    if (!is_finite(material.surface_velocity_b)) {
        faults.add(where, "surface velocity is not finite; give numbers");
    }
    check_color(material.color, where, faults);
}

void check_shape(const Shape& shape, std::size_t materials, const std::string& where, Faults& faults) {
    std::visit(GeometryCheck{where, faults}, shape.geometry);
    if (!is_finite(shape.pose)) faults.add(where, "pose is not finite; give numbers");
    if (shape.material < 0 || static_cast<std::size_t>(shape.material) >= materials) {
        faults.add(where,
                   fmt::format("material {} is not there; the model has {}", shape.material, materials));
    }
    check_color(shape.color, where, faults);
}

// One rotation at a time until nothing is left off the diagonal (Jacobi); 3 x 3 needs a handful of sweeps.
Vec3 principal_moments(const Symmetric3& inertia) {
    const auto [xx, yy, zz, xy, xz, yz] = inertia;
    Mat3 a{Vec3{xx, xy, xz}, Vec3{xy, yy, yz}, Vec3{xz, yz, zz}};
    constexpr int sweeps = 20;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        for (const auto& [p, q] : {std::pair{0U, 1U}, std::pair{0U, 2U}, std::pair{1U, 2U}}) {
            if (a[p][q] == 0.0) continue;
            const double theta = 0.5 * (a[q][q] - a[p][p]) / a[p][q];
            const double t = std::copysign(1.0, theta) / (std::abs(theta) + std::hypot(theta, 1.0));
            const double c = 1.0 / std::hypot(t, 1.0);
            const double s = t * c;
            const unsigned r = 3 - p - q;
            a[p][p] -= t * a[p][q];
            a[q][q] += t * a[p][q];
            a[p][q] = a[q][p] = 0.0;
            const double arp = a[r][p];
            const double arq = a[r][q];
            a[r][p] = a[p][r] = c * arp - s * arq;
            a[r][q] = a[q][r] = s * arp + c * arq;
        }
    }
    Vec3 moments{a[0][0], a[1][1], a[2][2]};
    std::sort(moments.begin(), moments.end());
    return moments;
}

void check_mass(const MassProperties& mass, const std::string& where, Faults& faults) {
    if (!is_positive(mass.mass)) {
        faults.add(where, fmt::format("mass is {} kg; give a mass > 0, or make the body fixed", mass.mass));
    }
    if (!is_finite(mass.center_of_mass)) faults.add(where, "centre of mass is not finite; give numbers");
    for (const double entry : mass.inertia) {
        if (std::isfinite(entry)) continue;
        faults.add(where, "inertia is not finite; give numbers");
        return;
    }
    const auto [small, middle, large] = principal_moments(mass.inertia);
    const std::string moments = fmt::format("{:.6g}, {:.6g} and {:.6g} kg m^2", small, middle, large);
    if (!(small > least_moment * large)) {
        faults.add(where, fmt::format("inertia is not positive definite, its principal moments are {}; every "
                                      "moment must be > 0, that of a thin rod about itself too",
                                      moments));
    } else if (large > (small + middle) + triangle_slack * large) {
        faults.add(where, fmt::format("no body has this inertia: of the principal moments {} the largest is "
                                      "more than the sum of the others; check the units and the signs of xy, "
                                      "xz and yz",
                                      moments));
    }
}

void check_motion(const Motion& motion, const std::string& where, Faults& faults) {
    if (!is_finite(motion.axis) || !is_positive(length(motion.axis))) {
        faults.add(where, fmt::format("the axis of its motion is ({}, {}, {}) and has no direction; give a "
                                      "vector that is not zero",
                                      motion.axis[0], motion.axis[1], motion.axis[2]));
    }
    if (!is_finite(motion.center)) faults.add(where, "the centre of its motion is not finite; give numbers");
    const Vec3 offset{motion.offset[0](0.0), motion.offset[1](0.0), motion.offset[2](0.0)};
    if (!is_finite(offset) || !std::isfinite(motion.angle(0.0))) {
        faults.add(where, "its motion is not finite at t = 0; check for divisions by zero and logarithms");
    }
}

void check_damping(double linear, double angular, const std::string& where, Faults& faults) {
    if (!is_not_negative(linear) || !is_not_negative(angular)) {
        faults.add(where, fmt::format("damping is {} and {} 1/s; give finite numbers >= 0", linear, angular));
    }
}

void check_force(const Model& model, const AppliedForce& force, const std::string& where, Faults& faults) {
    if (force.body < 0 || static_cast<std::size_t>(force.body) >= model.bodies.size()) {
        faults.add(where,
                   fmt::format("body {} is not there; the model has {}", force.body, model.bodies.size()));
    } else if (const RigidBody& body = model.bodies[static_cast<std::size_t>(force.body)];
               body.kind != BodyKind::dynamic) {
        faults.add(where,
                   fmt::format("acts on body '{}', which no force moves; make the body dynamic", body.name));
    }
    if (!is_finite(force.point_b)) faults.add(where, "its point is not finite; give numbers");
    for (std::size_t k = 0; k < 3; ++k) {
        if (std::isfinite(force.force[k](0.0)) && std::isfinite(force.torque[k](0.0))) continue;
        faults.add(where, "is not finite at t = 0; check for divisions by zero and logarithms");
        return;
    }
}

std::string shape_place(const std::string& body, const Shape& shape, std::size_t index) {
    const std::string name = shape.name.empty() ? "" : fmt::format(" '{}'", shape.name);
    return fmt::format("body '{}', shape {} ({}{})", body, index, geometry_name(shape.geometry), name);
}

}  // namespace uptack::model

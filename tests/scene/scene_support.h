// A scene as text that differs where one bit differs, and short ways to make one.

#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "uptack/input_error.h"
#include "uptack/scene.h"

namespace uptack::test {

inline std::string bits(double value) {
    return fmt::format("{:a} ", value);
}
template <std::size_t n>
std::string bits(const std::array<double, n>& values) {
    std::string text;
    for (const double value : values) text += bits(value);
    return text;
}
inline std::string bits(const Quaternion& q) {
    return bits(Vec3{q.w, q.x, q.y}) + bits(q.z);
}
inline std::string bits(const Pose& pose) {
    return bits(pose.position) + bits(pose.orientation);
}
inline std::string bits(const Expression& formula) {
    return formula.text() + "=" + bits(formula(0.0)) + bits(formula(0.37));
}
inline std::string bits(const std::array<Expression, 3>& formulas) {
    return bits(formulas[0]) + bits(formulas[1]) + bits(formulas[2]);
}
inline std::string bits(const Material& m) {
    return m.name + " " + bits(m.density) + bits(m.friction) + bits(m.restitution) +
           bits(m.rolling_friction) + bits(m.spinning_friction) + bits(m.compliance) + bits(m.adhesion) +
           bits(m.surface_velocity_b) + m.color + "\n";
}
inline std::string bits(const Geometry& geometry) {
    std::string text(geometry_name(geometry));
    text += " ";
    if (const auto* sphere = std::get_if<Sphere>(&geometry)) text += bits(sphere->radius);
    if (const auto* box = std::get_if<Box>(&geometry)) text += bits(box->half_size);
    if (const auto* round = std::get_if<Capsule>(&geometry))
        text += bits(round->radius) + bits(round->half_length);
    if (const auto* round = std::get_if<Cylinder>(&geometry))
        text += bits(round->radius) + bits(round->half_length);
    if (const auto* round = std::get_if<Cone>(&geometry))
        text += bits(round->radius) + bits(round->half_length);
    if (const auto* hull = std::get_if<Hull>(&geometry)) {
        for (const Vec3& vertex : hull->polyhedron->vertices) text += bits(vertex);
    }
    if (const auto* mesh = std::get_if<TriangleMesh>(&geometry)) {
        for (const Vec3& vertex : mesh->soup->vertices) text += bits(vertex);
        for (const auto& corner : mesh->soup->triangles)
            text += fmt::format("{} {} {},", corner[0], corner[1], corner[2]);
    }
    if (const auto* field = std::get_if<HeightField>(&geometry)) {
        text += fmt::format("{} {} ", field->grid->columns, field->grid->rows);
        text += bits(field->grid->spacing_x) + bits(field->grid->spacing_y);
        for (const double height : field->grid->heights) text += bits(height);
    }
    return text;
}
inline std::string bits(const Model& model) {
    std::string text = model.name + bits(model.gravity) + "\n";
    for (const Material& material : model.materials) text += bits(material);
    for (const MaterialPair& pair : model.material_pairs)
        text += fmt::format("{} {} ", pair.a, pair.b) + bits(pair.values);
    for (const RigidBody& b : model.bodies) {
        text += fmt::format("{} {} {} ", b.name, static_cast<int>(b.kind), b.can_sleep) + bits(b.mass.mass) +
                bits(b.mass.center_of_mass) + bits(b.mass.inertia) + bits(b.initial_pose) +
                bits(b.initial_velocity) + bits(b.motion.offset) + bits(b.motion.axis) +
                bits(b.motion.center) + bits(b.motion.angle) + bits(b.linear_damping) +
                bits(b.angular_damping) + "\n";
    }
    for (const Shape& s : model.shapes) {
        text += s.name + bits(s.geometry) + bits(s.pose) +
                fmt::format("{} {} {} {} {}\n", s.material, s.groups, s.mask, s.color, s.body);
    }
    for (const Joint& j : model.joints) {
        text += fmt::format("{} {} {} {} {} ", j.name, static_cast<int>(j.kind), j.body_a, j.body_b,
                            j.bodies_collide) +
                bits(j.frame_a) + bits(j.frame_b) + bits(j.compliance) + bits(j.length) + bits(j.lead) +
                bits(j.radius_a) + bits(j.radius_b) + bits(j.anchor_a_w) + bits(j.anchor_b_w) + bits(j.ratio);
        for (const JointAxis& a : j.axes) {
            text += fmt::format(" {} {} ", coordinate_name(a.coordinate), static_cast<int>(a.motor)) +
                    bits(a.lower) + bits(a.upper) + bits(a.limit_restitution) + bits(a.target) +
                    bits(a.max_force) + bits(a.stiffness) + bits(a.damping) + bits(a.rest) + bits(a.friction);
        }
        text += "\n";
    }
    for (const AppliedForce& f : model.forces) {
        text += fmt::format("{} {} {} ", f.name, f.body, static_cast<int>(f.frame)) + bits(f.point_b) +
                bits(f.force) + bits(f.torque) + "\n";
    }
    for (const auto& [a, b] : model.no_collision) text += fmt::format("{} {}\n", a, b);
    return text;
}
inline std::string bits(const SimulationSettings& s) {
    const StepSettings& h = s.stepping;
    std::string text = bits(h.step_s) +
                       fmt::format("{} {} {} ", static_cast<int>(h.scheme), static_cast<int>(h.stabilisation),
                                   static_cast<int>(h.friction)) +
                       bits(h.joint_recovery) + bits(h.contact_recovery) + bits(h.max_recovery_speed) +
                       bits(h.spook_relaxation) + bits(h.bounce_speed) + bits(h.envelope);
    text += fmt::format("{} {} ", s.substeps, s.solver.name);
    for (const auto& [name, value] : s.solver.options) text += fmt::format("{}={} ", name, value);
    text += bits(s.solver.stop.tolerance.value) + bits(s.solver.stop.budget_s) +
            fmt::format("{} {} {} ", static_cast<int>(s.solver.stop.tolerance.unit),
                        s.solver.stop.max_iterations, s.sleep.enabled);
    return text + bits(s.sleep.linear_speed) + bits(s.sleep.angular_speed) + bits(s.sleep.after_s);
}
/// All but the document.
inline std::string bits(const Scene& scene) {
    std::string text = fmt::format("{}|{}|{}\n", scene.name, scene.title, scene.description) +
                       bits(scene.model) + bits(scene.settings) + bits(scene.duration_s) +
                       bits(scene.frame_s) + bits(scene.camera.eye) + bits(scene.camera.target) +
                       bits(scene.camera.field_of_view_deg) + "\n";
    for (const SceneParameter& p : scene.parameters) {
        text += fmt::format("{} {} {} {} {}\n", p.name, bits(p.value), bits(p.lower.value_or(-infinity)),
                            bits(p.upper.value_or(infinity)), p.description);
    }
    for (const std::string& name : scene.watch) text += name + "\n";
    return text;
}

/// A scene of these top-level entries.
inline Scene scene_of(const std::string& entries, const Overrides& overrides = {}) {
    return parse_scene("{\"uptack\": 1, " + entries + "}", "test", overrides);
}

inline std::string error_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const InputError& error) {
        return error.what();
    }
    return "no error";
}

inline const RigidBody& body(const Scene& scene, const std::string& name) {
    const int index = find_body(scene.model, name);
    if (index < 0) throw std::runtime_error("no body " + name);
    return scene.model.bodies[static_cast<std::size_t>(index)];
}
inline const Joint& joint(const Scene& scene, const std::string& name) {
    const int index = find_joint(scene.model, name);
    if (index < 0) throw std::runtime_error("no joint " + name);
    return scene.model.joints[static_cast<std::size_t>(index)];
}
inline void expect_near(const Vec3& found, const Vec3& wanted, double tolerance = 1e-14) {
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(found[k], wanted[k], tolerance) << "component " << k;
}

/// A folder that is there for the time of a test.
class Folder {
public:
    explicit Folder(const std::string& name)
        : path_(std::filesystem::path(testing::TempDir()) / ("uptack_" + name)) {
        std::filesystem::remove_all(path_);
        std::filesystem::create_directories(path_);
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path write(const std::string& name, const std::string& content) const {
        std::filesystem::create_directories((path_ / name).parent_path());
        std::ofstream(path_ / name, std::ios::binary) << content;
        return path_ / name;
    }

private:
    std::filesystem::path path_;
};

}  // namespace uptack::test

// Small worlds that several physics tests use.

#pragma once

#include <cmath>
#include <numbers>
#include <string>

#include "uptack/simulation.h"

namespace uptack::test {

inline constexpr double g = 9.81;
inline constexpr double pi = std::numbers::pi;

/// A frame at `position` whose z axis is `axis`.
inline Pose frame(const Vec3& position, const Vec3& axis) {
    return {position, turn_between({0.0, 0.0, 1.0}, direction(axis))};
}

inline SimulationSettings settings(double step_s, double tolerance = 1e-8) {
    SimulationSettings s;
    s.stepping.step_s = step_s;
    s.solver.stop.tolerance.value = tolerance;
    return s;
}

/// The half-space below z = 0.
inline int add_ground(Model& model) {
    return add_body(model,
                    {.name = "ground", .kind = BodyKind::fixed, .shapes = {{.geometry = HalfSpace{}}}});
}

/// Every surface of the model.
inline void set_surface(Model& model, double friction, double restitution = 0.0) {
    model.materials[0].friction = friction;
    model.materials[0].restitution = restitution;
}

inline int add_box(Model& model, const std::string& name, const Vec3& half_size, const Vec3& position,
                   const Quaternion& orientation = {}) {
    return add_body(
        model, {.name = name, .pose = {position, orientation}, .shapes = {{.geometry = Box{half_size}}}});
}

inline int add_ball(Model& model, const std::string& name, double radius, const Vec3& position,
                    const Vec3& velocity = {}) {
    return add_body(model, {.name = name,
                            .pose = {.position = position},
                            .velocity = velocity,
                            .shapes = {{.geometry = Sphere{radius}}}});
}

/// A body without shapes: mass and one moment of inertia all around.
inline int add_point(Model& model, const std::string& name, const Vec3& position, double mass,
                     double inertia) {
    return add_body(
        model, {.name = name,
                .pose = {.position = position},
                .mass = MassProperties{.mass = mass, .inertia = {inertia, inertia, inertia, 0.0, 0.0, 0.0}}});
}

/// Gravity turned by `slope` [rad] about -y: the ground becomes a slope that falls along +x.
inline void tilt(Model& model, double slope) {
    model.gravity = {g * std::sin(slope), 0.0, -g * std::cos(slope)};
}

inline StepReport run(Simulation& simulation, double seconds) {
    StepReport report;
    const auto steps = std::llround(seconds / simulation.settings().stepping.step_s);
    for (long long i = 0; i < steps; ++i) report = simulation.step();
    return report;
}

inline double total_energy(const StepReport& report) {
    return report.kinetic_J + report.potential_J;
}

}  // namespace uptack::test

// Small worlds that several physics tests use.

#pragma once

#include <cmath>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

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

/// The numbers 0 to count - 1.
inline std::vector<int> in_order(int count) {
    std::vector<int> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    return order;
}

/// A quaternion by square roots alone, which are the same on every machine.
inline Quaternion tilted(int i) {
    return normalised({1.0, 0.07 * (i % 3), 0.05 * (i % 5), -0.06 * (i % 4)});
}

inline constexpr int collapse_bodies = 31;

/// A heap of boxes and balls that collapses, with a chain hanging into it; bodies are added in `order`.
inline Model collapse(const std::vector<int>& order = in_order(collapse_bodies)) {
    Model model;
    std::vector<int> links(4, -1);
    for (int i : order) {
        const std::string name = "body " + std::to_string(i);
        const Vec3 place{0.13 * (i % 3), 0.11 * ((i / 3) % 3), 0.2 + 0.25 * (i / 9)};
        if (i < 4) {
            links[i] = add_point(model, "link " + std::to_string(i), {0.2 * i - 0.8, 0.0, 1.0}, 1.0, 0.01);
        } else if (i % 2 == 0) {
            add_box(model, name, {0.1, 0.08, 0.06}, place, tilted(i));
        } else {
            add_ball(model, name, 0.09, place);
        }
    }
    add_ground(model);
    for (int i = 0; i < 4; ++i) {
        add_joint(model, {.name = "pin " + std::to_string(i),
                          .kind = JointKind::spherical,
                          .body_a = i == 0 ? no_body : links[i - 1],
                          .body_b = links[i],
                          .frame = {.position = {0.2 * i - 0.9, 0.0, 1.0}}});
    }
    return model;
}

inline double total_energy(const StepReport& report) {
    return report.kinetic_J + report.potential_J;
}

}  // namespace uptack::test

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "checks.h"
#include "names.h"

namespace uptack {
namespace model {
namespace {

std::string place(std::string_view what, const std::string& name, std::size_t index) {
    return name.empty() ? fmt::format("{} {}", what, index) : fmt::format("{} '{}'", what, name);
}

/// In natural order two of one name are neighbours.
template <class Named>
void check_names(std::string_view what, const std::vector<Named>& things, const std::vector<int>& order,
                 Faults& faults) {
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
        const auto first = static_cast<std::size_t>(order[i]);
        const auto second = static_cast<std::size_t>(order[i + 1]);
        if (things[first].name != things[second].name) continue;
        faults.add(place(what, things[first].name, first),
                   fmt::format("numbers {} and {} have this name; results would depend on their order, give "
                               "each its own",
                               first, second));
    }
    for (std::size_t i = 0; i < things.size(); ++i) {
        if (things[i].name.empty()) faults.add(fmt::format("{} {}", what, i), "has no name; give it one");
    }
}

void check_materials(const Model& model, Faults& faults) {
    for (std::size_t i = 0; i < model.materials.size(); ++i) {
        check_material(model.materials[i], place("material", model.materials[i].name, i), faults);
    }
    const auto count = static_cast<int>(model.materials.size());
    const auto& pairs = model.material_pairs;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const std::string where = fmt::format("material pair {}", i);
        const MaterialPair& pair = pairs[i];
        if (std::min(pair.a, pair.b) < 0 || std::max(pair.a, pair.b) >= count) {
            faults.add(where, fmt::format("materials {} and {} are not both there; the model has {}", pair.a,
                                          pair.b, count));
        }
        check_material(pair.values, where, faults);
        const auto same = [&pair](const MaterialPair& other) {
            return std::minmax(other.a, other.b) == std::minmax(pair.a, pair.b);
        };
        if (std::any_of(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(i), same)) {
            faults.add(where, "is there twice; keep one");
        }
    }
}

void check_body(const RigidBody& body, const std::string& where, Faults& faults) {
    if (!is_finite(body.initial_pose)) faults.add(where, "initial pose is not finite; give numbers");
    if (!std::all_of(body.initial_velocity.begin(), body.initial_velocity.end(),
                     [](double v) { return std::isfinite(v); })) {
        faults.add(where, "initial velocity is not finite; give numbers");
    }
    check_damping(body.linear_damping, body.angular_damping, where, faults);
    if (body.kind == BodyKind::dynamic) {
        check_mass(body.mass, where, faults);
    } else if (body.mass.mass != 0.0 || body.mass.center_of_mass != Vec3{}) {
        faults.add(where, "is not dynamic but has a mass; set its mass properties to zero");
    }
    if (body.kind == BodyKind::kinematic) check_motion(body.motion, where, faults);
}

void check_shapes(const Model& model, Faults& faults) {
    const auto count = static_cast<int>(model.bodies.size());
    int last = 0;
    for (std::size_t i = 0; i < model.shapes.size() && !faults.full(); ++i) {
        const Shape& shape = model.shapes[i];
        if (shape.body < 0 || shape.body >= count) {
            faults.add(fmt::format("shape {}", i),
                       fmt::format("body {} is not there; the model has {}", shape.body, count));
            continue;
        }
        const RigidBody& body = model.bodies[static_cast<std::size_t>(shape.body)];
        const std::string where = shape_place(body.name, shape, i);
        if (shape.body < last) faults.add(where, "shapes are not grouped by body; use add_body()");
        last = shape.body;
        check_shape(shape, model.materials.size(), where, faults);
        if (body.kind == BodyKind::dynamic && !is_solid(shape.geometry)) {
            faults.add(where, "is only a surface and cannot be on a dynamic body; make the body fixed");
        }
    }
}

void check_pairs(const Model& model, Faults& faults) {
    const auto count = static_cast<int>(model.bodies.size());
    for (std::size_t i = 0; i < model.no_collision.size() && !faults.full(); ++i) {
        const auto [a, b] = model.no_collision[i];
        if (std::min(a, b) >= 0 && std::max(a, b) < count && a != b) continue;
        faults.add(fmt::format("no_collision {}", i),
                   fmt::format("is ({}, {}); give two different bodies from 0 to {}", a, b, count - 1));
    }
}

}  // namespace
}  // namespace model

std::vector<Fault> validate(const Model& model, std::size_t most) {
    model::Faults faults(most);
    if (!model::is_finite(model.gravity)) faults.add("gravity", "is not finite; give numbers");
    model::check_materials(model, faults);
    model::check_names("body", model.bodies, body_order(model), faults);
    for (std::size_t i = 0; i < model.bodies.size() && !faults.full(); ++i) {
        model::check_body(model.bodies[i], model::place("body", model.bodies[i].name, i), faults);
    }
    model::check_shapes(model, faults);
    model::check_names("joint", model.joints, joint_order(model), faults);
    for (std::size_t i = 0; i < model.joints.size() && !faults.full(); ++i) {
        const Joint& joint = model.joints[i];
        const std::string where = model::place("joint", joint.name, i);
        model::check_joint_bodies(model, joint.body_a, joint.body_b, where, faults);
        model::check_joint(joint, where, faults);
    }
    for (std::size_t i = 0; i < model.forces.size() && !faults.full(); ++i) {
        model::check_force(model, model.forces[i], model::place("force", model.forces[i].name, i), faults);
    }
    model::check_pairs(model, faults);
    return faults.take();
}

}  // namespace uptack

#include <fmt/format.h>

#include "checks.h"

namespace uptack {
namespace model {
namespace {

bool is_zero(const Vec3& a) {
    return a == Vec3{};
}

bool is_zero(const Expression& expression) {
    return expression.is_constant() && expression(0.0) == 0.0;
}

bool is_still(const Motion& motion) {
    return is_zero(motion.offset[0]) && is_zero(motion.offset[1]) && is_zero(motion.offset[2]) &&
           is_zero(motion.angle);
}

/// What fits a dynamic body does not fit one that moves as prescribed, and the other way round.
void check_kind(const BodyDefinition& definition, const std::string& where, Faults& faults) {
    const bool moves_freely = definition.kind == BodyKind::dynamic;
    if (definition.kind != BodyKind::kinematic && !is_still(definition.motion)) {
        faults.add(where, "has a motion but is not kinematic; make it kinematic, or take the motion away");
    }
    if (!moves_freely && !(is_zero(definition.velocity) && is_zero(definition.angular_velocity))) {
        faults.add(where, definition.kind == BodyKind::fixed
                              ? "is fixed but has a velocity; make it dynamic or kinematic"
                              : "is kinematic but has a velocity; say it as a motion, \"0.5 * t\"");
    }
}

void check_shapes(const Model& model, const BodyDefinition& definition, Faults& faults) {
    for (std::size_t i = 0; i < definition.shapes.size(); ++i) {
        const Shape& shape = definition.shapes[i];
        const std::string where = shape_place(definition.name, shape, i);
        check_shape(shape, model.materials.size(), where, faults);
        if (definition.kind == BodyKind::dynamic && !is_solid(shape.geometry)) {
            faults.add(where, fmt::format("a {} is only a surface and cannot be on a dynamic body; make the "
                                          "body fixed or kinematic, or use hulls",
                                          geometry_name(shape.geometry)));
        }
    }
}

MassProperties scaled(const MassProperties& mass, double total) {
    MassProperties result = mass;
    result.mass = total;
    for (double& entry : result.inertia) entry *= total / mass.mass;
    return result;
}

MassProperties mass_of(const Model& model, const BodyDefinition& definition, const std::string& where,
                       Faults& faults) {
    if (definition.mass && definition.total_mass) {
        faults.add(where, "has both mass properties and a total mass; leave one away");
    }
    if (definition.mass) return *definition.mass;
    if (definition.shapes.empty()) {
        faults.add(where,
                   "is dynamic but has neither shapes nor mass; give it a shape or mass properties, or make "
                   "it fixed");
        return {};
    }
    const MassProperties mass = mass_properties(definition.shapes, model.materials);
    if (!is_positive(mass.mass)) {
        faults.add(where,
                   fmt::format("its shapes weigh {} kg together; give their materials a density, or the "
                               "body mass properties",
                               mass.mass));
        return {};
    }
    if (!definition.total_mass) return mass;
    if (!is_positive(*definition.total_mass)) {
        faults.add(where, fmt::format("total mass is {} kg; give one > 0", *definition.total_mass));
        return {};
    }
    return scaled(mass, *definition.total_mass);
}

/// Quaternions to unit length; bad poses are faults.
void straighten(BodyDefinition& definition, const std::string& where, Faults& faults) {
    definition.pose = unit_pose(definition.pose, "pose", where, faults);
    for (std::size_t i = 0; i < definition.shapes.size(); ++i) {
        Shape& shape = definition.shapes[i];
        shape.pose = unit_pose(shape.pose, "pose", shape_place(definition.name, shape, i), faults);
    }
}

}  // namespace
}  // namespace model

int add_body(Model& model, BodyDefinition definition) {
    const auto index = static_cast<int>(model.bodies.size());
    if (definition.name.empty()) definition.name = fmt::format("body {}", index);
    const std::string where = fmt::format("body '{}'", definition.name);
    model::Faults faults(1);
    model::straighten(definition, where, faults);
    model::check_shapes(model, definition, faults);
    if (!model::is_finite(definition.velocity) || !model::is_finite(definition.angular_velocity)) {
        faults.add(where, "velocity is not finite; give numbers");
    }
    model::check_kind(definition, where, faults);
    model::check_damping(definition.linear_damping, definition.angular_damping, where, faults);
    if (definition.kind == BodyKind::kinematic) model::check_motion(definition.motion, where, faults);
    faults.throw_first();

    MassProperties mass;
    if (definition.kind == BodyKind::dynamic) {
        mass = model::mass_of(model, definition, where, faults);
        faults.throw_first();
        model::check_mass(mass, where, faults);
        faults.throw_first();
    }

    RigidBody body{.name = std::move(definition.name),
                   .kind = definition.kind,
                   .mass = mass,
                   .initial_pose = {},
                   .initial_velocity = join(definition.velocity, definition.angular_velocity),
                   .motion = std::move(definition.motion),
                   .linear_damping = definition.linear_damping,
                   .angular_damping = definition.angular_damping};
    body.initial_pose = center_pose(body, definition.pose);
    if (body.kind == BodyKind::kinematic) body.motion.axis = model::unit_axis(body.motion.axis);
    model.bodies.push_back(std::move(body));
    for (Shape& shape : definition.shapes) {
        shape.pose.position -= mass.center_of_mass;
        shape.body = index;
        model.shapes.push_back(std::move(shape));
    }
    return index;
}

Pose origin_pose(const RigidBody& body, const Pose& center_of_mass) {
    return {transform(center_of_mass, -body.mass.center_of_mass), center_of_mass.orientation};
}

Pose center_pose(const RigidBody& body, const Pose& origin) {
    return {transform(origin, body.mass.center_of_mass), origin.orientation};
}

Pose motion_pose(const RigidBody& body, double t) {
    if (body.kind != BodyKind::kinematic) return body.initial_pose;
    const Motion& motion = body.motion;
    const Vec3 offset{motion.offset[0](t), motion.offset[1](t), motion.offset[2](t)};
    const Quaternion turned = turn(motion.axis, motion.angle(t));
    return {offset + motion.center + rotate(turned, body.initial_pose.position - motion.center),
            turned * body.initial_pose.orientation};
}

}  // namespace uptack

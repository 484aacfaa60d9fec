#include <fmt/format.h>

#include "checks.h"

namespace uptack {
namespace model {
namespace {

Pose start_pose(const Model& model, int body) {
    return body == no_body ? Pose{} : motion_pose(model.bodies[static_cast<std::size_t>(body)], 0.0);
}

/// As it is at the start: of the two frames' origins, or of the rope over the two anchors.
double present_length(const JointDefinition& definition, const Vec3& a_w, const Vec3& b_w) {
    if (definition.kind == JointKind::distance) return length(b_w - a_w);
    if (definition.kind != JointKind::pulley) return 0.0;
    return length(a_w - definition.anchor_a_w) + definition.ratio * length(b_w - definition.anchor_b_w);
}

}  // namespace
}  // namespace model

int add_joint(Model& model, JointDefinition definition) {
    const auto index = static_cast<int>(model.joints.size());
    if (definition.name.empty()) definition.name = fmt::format("joint {}", index);
    const std::string where = fmt::format("joint '{}'", definition.name);
    model::Faults faults(1);
    model::check_joint_bodies(model, definition.body_a, definition.body_b, where, faults);
    const Pose frame_a_w = model::unit_pose(definition.frame, "frame", where, faults);
    const Pose frame_b_w =
        model::unit_pose(definition.frame_b.value_or(definition.frame), "frame_b", where, faults);
    faults.throw_first();

    const double present = model::present_length(definition, frame_a_w.position, frame_b_w.position);
    Joint joint{.name = std::move(definition.name),
                .kind = definition.kind,
                .body_a = definition.body_a,
                .body_b = definition.body_b,
                .frame_a = inverse(model::start_pose(model, definition.body_a)) * frame_a_w,
                .frame_b = inverse(model::start_pose(model, definition.body_b)) * frame_b_w,
                .axes = std::move(definition.axes),
                .compliance = definition.compliance,
                .length = definition.length.value_or(present),
                .lead = definition.lead,
                .radius_a = definition.radius_a,
                .radius_b = definition.radius_b,
                .anchor_a_w = definition.anchor_a_w,
                .anchor_b_w = definition.anchor_b_w,
                .ratio = definition.ratio,
                .bodies_collide = definition.bodies_collide};
    model::check_joint(joint, where, faults);
    model::check_joint_start(joint, frame_a_w, frame_b_w, where, faults);
    faults.throw_first();
    model.joints.push_back(std::move(joint));
    return index;
}

int add_force(Model& model, AppliedForce force) {
    const auto index = static_cast<int>(model.forces.size());
    if (force.name.empty()) force.name = fmt::format("force {}", index);
    model::Faults faults(1);
    model::check_force(model, force, fmt::format("force '{}'", force.name), faults);
    faults.throw_first();
    model.forces.push_back(std::move(force));
    return index;
}

}  // namespace uptack

// Impulses back to forces.

#include "inside.h"

namespace uptack {

using assembly::coordinate;
using assembly::joint_frames;
using assembly::JointFrames;

namespace {

/// Force and torque about the centre of mass of body b, summed up joint by joint.
using Wrenches = std::vector<Vec6>;

void add_scaled(Vec6& sum, double s, const Vec6& v) {
    for (int k = 0; k < 6; ++k) sum[k] += s * v[k];
}

/// Force motors have no block; what they gave is known from the state.
void add_force_motors(const Model& model, const State& state, const StepProblem& step, Wrenches& on_b) {
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
        const Joint& joint = model.joints[j];
        const auto moves = [&](int body) { return body != no_body && step.problem_body[body] != no_body; };
        if (!moves(joint.body_a) && !moves(joint.body_b)) continue;
        for (const JointAxis& axis : joint.axes) {
            if (axis.motor != MotorKind::force) continue;
            const auto q =
                coordinate(joint, axis.coordinate, joint_frames(joint, state), state.joint_angle[j]);
            if (q) add_scaled(on_b[j], axis.target(state.time), q->row.b);
        }
    }
}

JointReaction about_joint(const JointFrames& frames, const Vec6& on_b) {
    JointReaction r;
    r.force_w = linear(on_b);
    r.torque_w = angular(on_b) - cross(frames.arm_b, r.force_w);
    for (int k = 0; k < 3; ++k) {
        r.force_j[k] = dot(frames.axes_a[k], r.force_w);
        r.torque_j[k] = dot(frames.axes_a[k], r.torque_w);
    }
    return r;
}

}  // namespace

std::vector<JointReaction> Assembler::joint_reactions(const State& state, const StepProblem& step,
                                                      const Solution& solution) const {
    const Model& model = inside_->model;
    Wrenches on_b(model.joints.size(), Vec6{});
    if (step.problem_body.size() == model.bodies.size() && step.kick_s > 0.0) {
        for (std::size_t k = 0; k < step.origin.size(); ++k) {
            if (step.origin[k].key.kind == ConstraintKind::contact) break;  // contacts come last
            const Block& block = step.problem.blocks[k];
            for (int i = block.first_row; i < block.first_row + block.rows; ++i) {
                add_scaled(on_b[step.origin[k].index], solution.impulse[i] / step.kick_s,
                           step.problem.jacobian[i].b);
            }
        }
        add_force_motors(model, state, step, on_b);
    }
    std::vector<JointReaction> out;
    out.reserve(model.joints.size());
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
        out.push_back(about_joint(joint_frames(model.joints[j], state), on_b[j]));
    }
    return out;
}

std::vector<ContactReaction> Assembler::contact_reactions(const ContactSet& contacts, const StepProblem& step,
                                                          const Solution& solution) const {
    std::vector<ContactReaction> out(contacts.contacts.size());
    for (std::size_t k = step.origin.size(); k-- > 0;) {
        if (step.origin[k].key.kind != ConstraintKind::contact) break;
        const int index = step.origin[k].index;
        const Contact& contact = contacts.contacts[index];
        const Block& block = step.problem.blocks[k];
        Vec6 on_a{};
        for (int i = block.first_row; i < block.first_row + block.rows; ++i) {
            // Sliding rows act at the point: their torque about the centre of mass is not one of rolling.
            const bool turns = i - block.first_row >= 3;
            const Vec6& row = step.problem.jacobian[i].a;
            const Vec6 part = turns ? row : join(linear(row), {});
            add_scaled(on_a, solution.impulse[i] / step.kick_s, part);
        }
        ContactReaction& r = out[index];
        r.normal = solution.impulse[block.first_row] / step.kick_s;
        r.force_w = linear(on_a);
        r.torque_w = angular(on_a);
        const assembly::PairValues& pair = inside_->contacts.values(contact);
        if (adheres(contact, pair)) {
            r.normal -= pair.adhesion;
            r.force_w -= pair.adhesion * contact.normal_w;
        }
    }
    return out;
}

}  // namespace uptack

#include "joint_blocks.h"

#include <algorithm>

namespace uptack::assembly {
namespace {

// Least compliance of a held row, relative to its mobility.  Closed loops and overconstrained mechanisms hold
// some motions twice, and once they have drifted the two demands differ: without any give no impulses fulfil
// them, and impulses grow without bound.  A regular joint yields by this share of the velocity that its load
// would give it in a step: far below a nanometre.
constexpr double least_give = 1e-10;

Vec6 velocity_of(const State& state, int body) {
    return body == no_body ? Vec6{} : state.velocity[body];
}

Vec6 free_velocity_of(const FreeMotion& motion, int body) {
    return body == no_body ? Vec6{} : motion.body[body].free_velocity;
}

std::optional<RowTerms> axis_terms(ConstraintKind kind, const StepFacts& facts, const JointAxis& axis,
                                   const AxisFacts& now) {
    switch (kind) {
        case ConstraintKind::spring:
            return spring_terms(facts, axis, now);
        case ConstraintKind::motor:
            return motor_terms(facts, axis, now);
        case ConstraintKind::friction:
            return dry_friction_terms(facts, axis);
        case ConstraintKind::lower_limit:
            return lower_limit_terms(facts, axis, now);
        case ConstraintKind::upper_limit:
            return upper_limit_terms(facts, axis, now);
        case ConstraintKind::joint:
        case ConstraintKind::contact:
            break;
    }
    return std::nullopt;
}

}  // namespace

JointBlocks::JointBlocks(const Model& model) : model_(model), order_(joint_order(model)) {
    const Pose world;
    for (const Joint& joint : model.joints) {
        const Pose a = joint.body_a == no_body ? world : motion_pose(model.bodies[joint.body_a], 0.0);
        const Pose b = joint.body_b == no_body ? world : motion_pose(model.bodies[joint.body_b], 0.0);
        start_.push_back(joint_start(joint, joint_frames(joint, a, b)));
    }
}

void JointBlocks::add(const StepFacts& facts, const State& state, const FreeMotion& motion,
                      BlockWriter& writer) {
    measure(state, motion, writer);
    held_.clear();
    for (const Moving& moving : moving_) add_held(facts, state, moving, writer);
    for (const AxisRow& made :
         {AxisRow{ConstraintKind::spring, 1.0}, AxisRow{ConstraintKind::motor, 1.0},
          AxisRow{ConstraintKind::friction, 1.0}, AxisRow{ConstraintKind::lower_limit, 1.0},
          AxisRow{ConstraintKind::upper_limit, -1.0}}) {
        add_axis_rows(facts, made, writer);
    }
    apply_force_motors(facts, writer);
}

void JointBlocks::measure(const State& state, const FreeMotion& motion, const BlockWriter& writer) {
    moving_.clear();
    axes_.clear();
    for (std::size_t rank = 0; rank < order_.size(); ++rank) {
        const int index = order_[rank];
        const Joint& joint = model_.joints[index];
        if (!writer.moves(joint.body_a) && !writer.moves(joint.body_b)) continue;
        const JointFrames frames = joint_frames(joint, state);
        moving_.push_back({.joint = index,
                           .rank = static_cast<int>(rank),
                           .first_axis = static_cast<int>(axes_.size()),
                           .frames = frames});
        for (const JointAxis& axis : joint.axes) {
            MovingAxis made{.q = coordinate(joint, axis.coordinate, frames, state.joint_angle[index]),
                            .facts = {}};
            if (made.q) {
                const JacobianRow& row = made.q->row;
                made.facts = {
                    .q = made.q->value,
                    .before = rate(row, velocity_of(state, joint.body_a), velocity_of(state, joint.body_b)),
                    .free = rate(row, free_velocity_of(motion, joint.body_a),
                                 free_velocity_of(motion, joint.body_b)),
                    .mobility = writer.mobility(joint.body_a, joint.body_b, row)};
            }
            axes_.push_back(made);
        }
    }
}

void JointBlocks::add_held(const StepFacts& facts, const State& state, const Moving& moving,
                           BlockWriter& writer) {
    const Joint& joint = model_.joints[moving.joint];
    const Held kept = held(joint, start_[moving.joint], moving.frames, state.joint_angle[moving.joint]);
    if (kept.count == 0) return;
    const Vec6 before_a = velocity_of(state, joint.body_a);
    const Vec6 before_b = velocity_of(state, joint.body_b);
    BlockRows& rows = writer.rows_between(joint.body_a, joint.body_b);
    Law law = Bilateral{};
    for (const Measure& m : kept.rows()) {
        const double before = rate(m.row, before_a, before_b);
        RowTerms terms = held_terms(facts, m.value, before, joint.compliance);
        if (kept.one_sided) {
            terms = *one_sided_terms(facts, {.gap = m.value,
                                             .before = before,
                                             .recovery = facts.settings.joint_recovery,
                                             .compliance = joint.compliance});
        }
        law = terms.law;
        terms.compliance =
            std::max(terms.compliance, least_give * writer.mobility(joint.body_a, joint.body_b, m.row));
        rows.add(m.row, terms.bias, terms.compliance);
        held_.push_back({.value = m.value});
    }
    const BlockKey key{.kind = ConstraintKind::joint, .first = static_cast<std::uint64_t>(moving.rank)};
    writer.add({.key = key, .index = moving.joint, .axis = -1}, law, rows);
}

void JointBlocks::follow_curves(const State& ahead, std::span<const Vec6> velocity, double h,
                                StepProblem& step) {
    const auto velocity_of = [&](int body) { return body == no_body ? Vec6{} : velocity[body]; };
    for (std::size_t k = 0; k < step.origin.size(); ++k) {
        if (step.origin[k].key.kind != ConstraintKind::joint) break;  // they come first
        const int index = step.origin[k].index;
        const Joint& joint = model_.joints[index];
        const Block& block = step.problem.blocks[k];
        if (!std::holds_alternative<Bilateral>(block.law)) continue;
        const Held then = held(joint, start_[index], joint_frames(joint, ahead), ahead.joint_angle[index]);
        if (then.count != block.rows) continue;
        const Vec6 a = velocity_of(joint.body_a);
        const Vec6 b = velocity_of(joint.body_b);
        for (int i = 0; i < block.rows; ++i) {
            HeldRow& row = held_[block.first_row + i];
            const double straight = rate(step.problem.jacobian[block.first_row + i], a, b);
            const double curve = (then.row[i].value - row.value) / h - straight;
            step.problem.bias[block.first_row + i] += curve - row.curve;
            row.curve = curve;
        }
    }
}

void JointBlocks::add_axis_rows(const StepFacts& facts, const AxisRow& made, BlockWriter& writer) const {
    for (const Moving& moving : moving_) {
        const Joint& joint = model_.joints[moving.joint];
        for (std::size_t k = 0; k < joint.axes.size(); ++k) {
            const MovingAxis& axis = axes_[static_cast<std::size_t>(moving.first_axis) + k];
            if (!axis.q) continue;
            const auto terms = axis_terms(made.kind, facts, joint.axes[k], axis.facts);
            if (!terms) continue;
            BlockRows& rows = writer.rows_between(joint.body_a, joint.body_b);
            rows.add(scaled(made.sign, *axis.q).row, terms->bias, terms->compliance);
            const BlockKey key{
                .kind = made.kind, .first = static_cast<std::uint64_t>(moving.rank), .second = k};
            writer.add({.key = key, .index = moving.joint, .axis = static_cast<int>(k)}, terms->law, rows);
        }
    }
}

void JointBlocks::apply_force_motors(const StepFacts& facts, BlockWriter& writer) const {
    for (const Moving& moving : moving_) {
        const Joint& joint = model_.joints[moving.joint];
        for (std::size_t k = 0; k < joint.axes.size(); ++k) {
            const MovingAxis& axis = axes_[static_cast<std::size_t>(moving.first_axis) + k];
            const double impulse = axis.q ? motor_impulse(facts, joint.axes[k]) : 0.0;
            if (impulse != 0.0) writer.apply(joint.body_a, joint.body_b, axis.q->row, impulse);
        }
    }
}

}  // namespace uptack::assembly

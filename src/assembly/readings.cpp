// What joints are like now: angles, coordinates, drift, energy of springs; and names for people.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "inside.h"

namespace uptack {

using assembly::coordinate;
using assembly::joint_frames;

namespace {

Vec6 velocity_of(const State& state, int body) {
    return body == no_body ? Vec6{} : state.velocity[body];
}

double rate_now(const Joint& joint, const State& state, const assembly::Measure& m) {
    return assembly::rate(m.row, velocity_of(state, joint.body_a), velocity_of(state, joint.body_b));
}

std::string_view word_for(ConstraintKind kind) {
    switch (kind) {
        case ConstraintKind::joint:
            return "joint";
        case ConstraintKind::spring:
            return "spring";
        case ConstraintKind::motor:
            return "motor";
        case ConstraintKind::friction:
            return "friction";
        case ConstraintKind::lower_limit:
            return "lower limit";
        case ConstraintKind::upper_limit:
            return "upper limit";
        case ConstraintKind::contact:
            break;
    }
    return "contact";
}

}  // namespace

void Assembler::follow_angles(State& state) const {
    const Model& model = inside_->model;
    state.joint_angle.resize(model.joints.size());
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
        const Joint& joint = model.joints[j];
        state.joint_angle[j] = unwrapped(joint, joint_frames(joint, state), state.joint_angle[j]);
    }
}

std::vector<CoordinateReading> Assembler::readings(const State& state, int joint) const {
    const Joint& j = inside_->model.joints[joint];
    const auto free = assembly::free_coordinates(j.kind);
    std::vector<Coordinate> wanted(free.begin(), free.end());
    for (const JointAxis& axis : j.axes) {
        if (std::find(wanted.begin(), wanted.end(), axis.coordinate) == wanted.end()) {
            wanted.push_back(axis.coordinate);
        }
    }
    const assembly::JointFrames frames = joint_frames(j, state);
    std::vector<CoordinateReading> out;
    for (const Coordinate which : wanted) {
        CoordinateReading reading{.coordinate = which};
        if (const auto q = coordinate(j, which, frames, state.joint_angle[joint])) {
            reading.value = q->value;
            reading.rate = rate_now(j, state, *q);
        } else if (which == Coordinate::swing && dot(frames.axes_a[2], frames.axes_b[2]) < 0.0) {
            reading.value = std::acos(-1.0);  // opposite axes: an angle without a rate
        } else if (which == Coordinate::angle) {
            reading.value = state.joint_angle[joint][0];
        }
        out.push_back(reading);
    }
    return out;
}

double Assembler::drift(const State& state, int joint) const {
    const Joint& j = inside_->model.joints[joint];
    const assembly::Held kept =
        held(j, inside_->joints.start(joint), joint_frames(j, state), state.joint_angle[joint]);
    double worst = 0.0;
    for (const assembly::Measure& m : kept.rows()) {
        worst = std::max(worst, kept.one_sided ? -m.value : std::abs(m.value));
    }
    return worst;
}

double Assembler::spring_energy(const State& state) const {
    const Model& model = inside_->model;
    double energy = 0.0;
    for (const int index : inside_->joints.order()) {  // a sum: its bits depend on the order
        const Joint& joint = model.joints[index];
        for (const JointAxis& axis : joint.axes) {
            if (!(axis.stiffness > 0.0)) continue;
            const auto q =
                coordinate(joint, axis.coordinate, joint_frames(joint, state), state.joint_angle[index]);
            if (!q) continue;
            const double then = q->value - state.velocity_lag_s * rate_now(joint, state, *q);
            energy += 0.5 * axis.stiffness * (then - axis.rest) * (then - axis.rest);
        }
    }
    return energy;
}

std::string Assembler::describe(const StepProblem& step, int block) const {
    const Model& model = inside_->model;
    const BlockOrigin& origin = step.origin[block];
    if (origin.key.kind == ConstraintKind::contact) {
        const auto a = static_cast<std::size_t>(origin.key.first >> 32U);
        const auto b = static_cast<std::size_t>(origin.key.first & 0xffffffffU);
        return fmt::format("contact {} | {}", model.bodies[inside_->body_order[a]].name,
                           model.bodies[inside_->body_order[b]].name);
    }
    const Joint& joint = model.joints[origin.index];
    std::string text = fmt::format("{} {}", word_for(origin.key.kind), joint.name);
    if (origin.axis < 0) return text;
    return fmt::format("{} {}", text, coordinate_name(joint.axes[origin.axis].coordinate));
}

void Assembler::name_blocks(StepProblem& step) const {
    step.problem.body_names.clear();
    for (const int body : step.model_body) {
        step.problem.body_names.push_back(inside_->model.bodies[body].name);
    }
    step.problem.block_names.clear();
    for (std::size_t k = 0; k < step.origin.size(); ++k) {
        step.problem.block_names.push_back(describe(step, static_cast<int>(k)));
    }
}

}  // namespace uptack

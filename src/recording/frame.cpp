#include <algorithm>
#include <cmath>
#include <limits>

#include "uptack/recording.h"

namespace uptack {
namespace {

// Before the first step, and after a checkpoint was restored, nothing has pushed yet; and what pushed in a
// step that was undone was not finite.
bool has_stepped(const Simulation& simulation) {
    return simulation.step_problem().kick_s > 0.0 && simulation.certificate().finite;
}

std::vector<JointReaction> reactions(const Simulation& simulation) {
    std::vector<JointReaction> joints;
    if (has_stepped(simulation)) joints = simulation.joint_reactions();
    joints.resize(simulation.model().joints.size());
    return joints;
}

void add_contacts(const Simulation& simulation, Frame& frame) {
    const std::vector<Contact>& contacts = simulation.contacts().contacts;
    const std::vector<ContactReaction> forces = simulation.contact_reactions();
    frame.contacts.reserve(contacts.size());
    for (std::size_t k = 0; k < contacts.size(); ++k) {
        const Contact& contact = contacts[k];
        frame.contacts.push_back({.body_a = contact.body_a,
                                  .body_b = contact.body_b,
                                  .point_w = contact.point_w,
                                  .normal_w = contact.normal_w,
                                  .gap = contact.gap,
                                  .force_w = k < forces.size() ? forces[k].force_w : Vec3{},
                                  .energy_error_J = 0.0});
    }
}

void add_errors(const StepProblem& step, const Certificate& certificate, Frame& frame) {
    const std::size_t blocks = std::min(step.origin.size(), certificate.block_energy_error_J.size());
    for (std::size_t k = 0; k < blocks; ++k) {
        const BlockOrigin& origin = step.origin[k];
        if (origin.key.kind != ConstraintKind::contact) continue;
        if (std::cmp_greater_equal(origin.index, frame.contacts.size())) continue;
        frame.contacts[static_cast<std::size_t>(origin.index)].energy_error_J +=
            certificate.block_energy_error_J[k];
    }
    if (certificate.worst.empty() || !(certificate.worst.front().energy_error_J > 0.0)) return;
    const int block = certificate.worst.front().block;
    if (block < 0 || std::cmp_greater_equal(block, step.origin.size())) return;
    const BlockOrigin& origin = step.origin[static_cast<std::size_t>(block)];
    const bool is_contact = origin.key.kind == ConstraintKind::contact;
    (is_contact ? frame.worst_block_contact : frame.worst_block_joint) = origin.index;
}

}  // namespace

Frame make_frame(const Simulation& simulation) {
    const State& state = simulation.state();
    Frame frame;
    frame.time = state.time;
    frame.step = state.step;
    frame.pose = state.pose;
    frame.velocity = state.velocity;
    frame.joints = reactions(simulation);
    if (!has_stepped(simulation)) return frame;
    add_contacts(simulation, frame);
    add_errors(simulation.step_problem(), simulation.certificate(), frame);
    return frame;
}

float single_precision(double value) {
    constexpr auto largest = static_cast<double>(std::numeric_limits<float>::max());
    return static_cast<float>(std::isfinite(value) ? std::clamp(value, -largest, largest) : value);
}

}  // namespace uptack

// Taut chains without tiny steps.
//
// A joint pulls with force f at the arm r of a body.  When the body turns by d, the arm turns with it and the
// torque r x f changes by
//
//     (d x r) x f = -K d,      K = (r . f) 1 - sym(r f^T)     [N m/rad]
//
// A light link under a heavy load so swings at sqrt(K / I), for which leapfrog needs h sqrt(K / I) < 2.
// Taking the torque as a mean over neighbouring steps, as Newmark's scheme does, amounts to more inertia
// against CHANGES of the spin,
//
//     I~ = I + beta h kick K+                                                                        (*)
//
// which is of second order, neither damps nor drives, and is stable at any step for beta >= 1/4.  Here beta =
// 1/2: at 1/4 the fastest swings alternate from step to step, on the edge of stability, and a chain of 100
// links 1000:1 whose pull changes while it swings explodes after a second; at 1/2 its energy is kept to 1e-4.
// f is that of the last step, K+ the part of K that pulls back.  Where steps are small enough anyway (h^2 K /
// I < 1) nothing is changed.  [Tournier et al. 2015 and Andrews et al. 2017 take K as an implicit force,
// which damps.]
//
// Departure: translations are left alone (distance joints and pulleys also turn their direction).

#include <algorithm>

#include "inside.h"

namespace uptack {
namespace {

using assembly::held;
using assembly::Held;
using assembly::joint_frames;
using assembly::JointFrames;

constexpr double beta = 0.5;

void add_outer(Symmetric3& sum, double s, const Vec3& n) {
    sum[0] += s * n[0] * n[0];
    sum[1] += s * n[1] * n[1];
    sum[2] += s * n[2] * n[2];
    sum[3] += s * n[0] * n[1];
    sum[4] += s * n[0] * n[2];
    sum[5] += s * n[1] * n[2];
}

/// K+ of one force.  The eigenvalues of K are r.f along r x f, (r.f + |r||f|)/2 along the difference of the
/// two directions, and (r.f - |r||f|)/2 <= 0 along their sum.
void add_pull(const Vec3& arm, const Vec3& force, assembly::Pull& pull) {
    const double size = length(arm) * length(force);
    if (!(size > 0.0) || size == infinity) return;
    Symmetric3& sum = pull.stiffness;
    ++pull.joints;
    pull.arm_w = arm;
    const double along = dot(arm, force);
    const Vec3 r = direction(arm);
    const Vec3 across = cross(arm, force);
    if (length(across) < 1e-9 * size) {
        if (along > 0.0) {
            for (int k = 0; k < 3; ++k) sum[k] += along;
            add_outer(sum, -along, r);
        }
        return;
    }
    add_outer(sum, std::max(along, 0.0), direction(across));
    add_outer(sum, 0.5 * (along + size), direction(r - direction(force)));
}

/// What resists the swing: the body's own inertia, and where a single joint holds it, its mass on the arm
/// too, because it cannot then turn without moving (a pendulum must not be slowed).
double resistance(const MassProperties& mass, const assembly::Pull& pull) {
    // The least diagonal entry; for a strongly rotated tensor this only stiffens a little earlier.
    const double own = std::min({mass.inertia[0], mass.inertia[1], mass.inertia[2]});
    return pull.joints == 1 ? own + mass.mass * dot(pull.arm_w, pull.arm_w) : own;
}

/// (*) for one body; K fades in between h^2 K / I = 1 and 3.
void stiffen_body(const MassProperties& mass, const Vec3& spin, const assembly::Pull& pull, double h_kick,
                  Body& body) {
    const Symmetric3& k = pull.stiffness;
    const double ratio = h_kick * (k[0] + k[1] + k[2]) / resistance(mass, pull);
    const double share = std::clamp(0.5 * (ratio - 1.0), 0.0, 1.0);
    if (share == 0.0) return;
    const Symmetric3 inertia_w = inverse(body.inverse_inertia_w);
    Symmetric3 stiffer = inertia_w;
    for (int i = 0; i < 6; ++i) stiffer[i] += beta * share * h_kick * k[i];
    body.inverse_inertia_w = inverse(stiffer);
    const Vec3 gained = multiply(inertia_w, angular(body.free_velocity) - spin);
    body.free_velocity = join(linear(body.free_velocity), spin + multiply(body.inverse_inertia_w, gained));
}

}  // namespace

void Assembler::stiffen(const State& state, const ImpulseMemory& memory, const StepSettings& settings,
                        FreeMotion& motion) {
    if (memory.kick_s <= 0.0) return;
    const Model& model = inside_->model;
    std::vector<assembly::Pull>& pulls = inside_->pulls;
    pulls.assign(model.bodies.size(), {});
    for (const RememberedBlock& block : memory.blocks) {
        if (block.key.kind != ConstraintKind::joint) break;  // they come first
        const int index = inside_->joints.order()[block.key.first];
        const Joint& joint = model.joints[index];
        const JointFrames frames = joint_frames(joint, state);
        const Held kept = held(joint, inside_->joints.start(index), frames, state.joint_angle[index]);
        if (kept.count != block.rows) continue;
        Vec3 force{};  // on b
        for (int i = 0; i < kept.count; ++i) {
            force += (block.impulse[i] / memory.kick_s) * linear(kept.row[i].row.b);
        }
        if (joint.body_a != no_body) add_pull(frames.arm_a, -force, pulls[joint.body_a]);
        if (joint.body_b != no_body) add_pull(frames.arm_b, force, pulls[joint.body_b]);
    }
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
        if (motion.body[i].inverse_mass == 0.0 || pulls[i].joints == 0) continue;
        stiffen_body(model.bodies[i].mass, angular(state.velocity[i]), pulls[i],
                     settings.step_s * motion.kick_s, motion.body[i]);
    }
}

}  // namespace uptack

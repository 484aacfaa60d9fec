#include "uptack/integrator.h"

#include "linalg/parallel.h"
#include "spin.h"

namespace uptack {
namespace {

using integrator::is_isotropic;
using integrator::solve_spin;
using integrator::spin_momentum;

Vec3 evaluate(const std::array<Expression, 3>& f, double t) {
    return {f[0](t), f[1](t), f[2](t)};
}

void add_applied_force(const AppliedForce& applied, const State& state, std::vector<Vec6>& loads) {
    const Pose& pose = state.pose[applied.body];
    Vec3 force = evaluate(applied.force, state.time);
    Vec3 torque = evaluate(applied.torque, state.time);
    if (applied.frame == ForceFrame::body) {
        force = rotate(pose.orientation, force);
        torque = rotate(pose.orientation, torque);
    }
    const Vec3 arm = rotate(pose.orientation, applied.point_b);
    Vec6& load = loads[applied.body];
    load = join(linear(load) + force, angular(load) + torque + cross(arm, force));
}

/// The velocity that takes a kinematic body where it is prescribed to be at t + h.
Vec6 prescribed_velocity(const RigidBody& body, double t, double h) {
    const Vec3 now = motion_pose(body, t).position;
    const Vec3 next = motion_pose(body, t + h).position;
    const double turned = body.motion.angle(t + h) - body.motion.angle(t);
    return join((1.0 / h) * (next - now), (turned / h) * body.motion.axis);
}

/// The orientation in the middle of the coming step.
Quaternion middle(const Quaternion& orientation, const Vec3& omega_w, double h) {
    return exponential((0.5 * h) * omega_w) * orientation;
}

/// v_free, omega_free and the inverse inertia in the middle of the step.
Body free_body(const RigidBody& body, const State& state, std::size_t index, const Vec6& load,
               const StepSettings& settings, double kick) {
    const Vec3 v = linear(state.velocity[index]);
    const Vec3 omega = angular(state.velocity[index]);
    const Quaternion& orientation = state.pose[index].orientation;
    const Symmetric3& inertia = body.mass.inertia;
    const double h = settings.step_s;
    // Damping is integrated exactly, half of it on either side of the forces.
    const double slow = std::exp(-0.5 * kick * body.linear_damping);
    const double calm = std::exp(-0.5 * kick * body.angular_damping);

    Body free;
    free.inverse_mass = 1.0 / body.mass.mass;
    const Vec3 v_free = slow * (slow * v + (kick * free.inverse_mass) * linear(load));

    const Vec3 momentum_w = calm * (calm * spin_momentum(inertia, orientation, omega, state.velocity_lag_s) +
                                    kick * angular(load));
    if (is_isotropic(inertia)) {
        const double inverse = 1.0 / inertia[0];
        free.inverse_inertia_w = {inverse, inverse, inverse, 0.0, 0.0, 0.0};
        free.free_velocity = join(v_free, inverse * momentum_w);
        return free;
    }
    const Vec3 u =
        solve_spin(inertia, rotate_back(orientation, momentum_w), 0.5 * h, rotate_back(orientation, omega));
    const Vec3 omega_free = rotate(orientation, u);
    free.free_velocity = join(v_free, omega_free);
    free.inverse_inertia_w = rotate(matrix(middle(orientation, omega_free, h)), inverse(inertia));
    return free;
}

/// The spin whose momentum is what the impulses left: I_mid omega, with I_mid as free_motion() had it.
Vec3 corrected_spin(const RigidBody& body, const Quaternion& orientation, const Vec3& omega_free,
                    const Vec3& omega, double h) {
    const Symmetric3& inertia = body.mass.inertia;
    if (is_isotropic(inertia)) return omega;
    const Quaternion mid = middle(orientation, omega_free, h);
    const Vec3 momentum_w = rotate(mid, multiply(inertia, rotate_back(mid, omega)));
    return rotate(orientation, solve_spin(inertia, rotate_back(orientation, momentum_w), 0.5 * h,
                                          rotate_back(orientation, omega)));
}

}  // namespace

State initial_state(const Model& model) {
    State state;
    for (const RigidBody& body : model.bodies) {
        state.pose.push_back(motion_pose(body, 0.0));
        state.velocity.push_back(body.kind == BodyKind::dynamic ? body.initial_velocity : Vec6{});
    }
    state.still_s.assign(model.bodies.size(), 0.0);
    state.frozen_at.assign(model.bodies.size(), infinity);
    state.joint_angle.assign(model.joints.size(), {});
    return state;
}

void free_motion(const Model& model, const State& state, const StepSettings& settings, FreeMotion& motion) {
    const double h = settings.step_s;
    motion.kick_s = settings.scheme == Scheme::leapfrog ? state.velocity_lag_s + 0.5 * h : h;
    motion.load.assign(model.bodies.size(), {});
    for (const AppliedForce& force : model.forces) {
        if (!sleeps(state, static_cast<std::size_t>(force.body))) {
            add_applied_force(force, state, motion.load);
        }
    }

    motion.body.resize(model.bodies.size());
    const auto some_bodies = [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            const RigidBody& body = model.bodies[i];
            motion.body[i] = {};
            if (body.kind == BodyKind::kinematic && !is_frozen(state, i)) {
                motion.body[i].free_velocity = prescribed_velocity(body, state.time, h);
            } else if (body.kind == BodyKind::dynamic && !sleeps(state, i)) {
                Vec6& load = motion.load[i];
                load = join(linear(load) + body.mass.mass * model.gravity, angular(load));
                motion.body[i] = free_body(body, state, i, load, settings, motion.kick_s);
            }
        }
    };
    for_each_chunk(model.bodies.size(), some_bodies, blocks_grain);
}

void advance(const Model& model, const StepSettings& settings, const FreeMotion& motion,
             const std::vector<Vec6>& velocity, State& state) {
    const double h = settings.step_s;
    const auto some_bodies = [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            const RigidBody& body = model.bodies[i];
            Pose& pose = state.pose[i];
            if (body.kind == BodyKind::dynamic && !sleeps(state, i)) {
                const Vec3 v = linear(velocity[i]);
                const Vec3 omega = corrected_spin(
                    body, pose.orientation, angular(motion.body[i].free_velocity), angular(velocity[i]), h);
                state.velocity[i] = join(v, omega);
                pose.position += h * v;
                pose.orientation = normalised(exponential(h * omega) * pose.orientation);
            } else if (body.kind == BodyKind::kinematic && !is_frozen(state, i)) {
                state.velocity[i] = motion.body[i].free_velocity;
                pose = motion_pose(body, state.time + h);
            }
        }
    };
    for_each_chunk(model.bodies.size(), some_bodies, blocks_grain);
    state.time += h;
    state.velocity_lag_s = 0.5 * h;
    ++state.step;
}

Energy energy(const Model& model, const State& state, std::span<const int> order) {
    const auto some_bodies = [&](std::size_t first, std::size_t last) {
        std::array<double, 2> sum{};  // kinetic, potential
        for (std::size_t k = first; k < last; ++k) {
            const std::size_t i = order.empty() ? k : static_cast<std::size_t>(order[k]);
            const RigidBody& body = model.bodies[i];
            if (body.kind != BodyKind::dynamic) continue;
            const Vec3 v = linear(state.velocity[i]);
            const Vec3 omega = angular(state.velocity[i]);
            const Vec3 momentum_w = spin_momentum(body.mass.inertia, state.pose[i].orientation, omega,
                                                  sleeps(state, i) ? 0.0 : state.velocity_lag_s);
            sum[0] += 0.5 * (body.mass.mass * dot(v, v) + dot(omega, momentum_w));
            sum[1] -= body.mass.mass * dot(model.gravity, state.pose[i].position - state.velocity_lag_s * v);
        }
        return sum;
    };
    const auto [kinetic_J, potential_J] = sums_over_chunks<2>(model.bodies.size(), some_bodies, blocks_grain);
    return {.kinetic_J = kinetic_J, .potential_J = potential_J};
}

Vec6 momentum(const Model& model, const State& state) {
    Vec3 p{};
    Vec3 l{};
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
        const RigidBody& body = model.bodies[i];
        if (body.kind != BodyKind::dynamic) continue;
        const Vec3 mv = body.mass.mass * linear(state.velocity[i]);
        p += mv;
        l += cross(state.pose[i].position, mv) + spin_momentum(body.mass.inertia, state.pose[i].orientation,
                                                               angular(state.velocity[i]),
                                                               state.velocity_lag_s);
    }
    return join(p, l);
}

}  // namespace uptack

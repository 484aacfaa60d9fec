#include "culprit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>

namespace uptack::simulation {
namespace {

using Found = std::optional<Culprit>;

constexpr std::array<const char*, 3> axis_names{"x", "y", "z"};

bool all_finite(std::span<const double> values) {
    return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

bool is_finite(const Pose& pose) {
    const Quaternion& q = pose.orientation;
    return all_finite(pose.position) && all_finite(std::array{q.w, q.x, q.y, q.z});
}

bool is_finite(const Contact& contact) {
    return all_finite(contact.point_w) && all_finite(contact.normal_w) && std::isfinite(contact.gap);
}

bool acts(const FailedStep& failed, int body) {
    if (body == no_body) return false;
    const auto index = static_cast<std::size_t>(body);
    return failed.model.bodies[index].kind == BodyKind::dynamic && !sleeps(failed.before, index);
}

/// Those of the two that move freely.
std::vector<int> movers(const FailedStep& failed, int a, int b) {
    std::vector<int> bodies;
    for (const int body : {a, b}) {
        if (acts(failed, body)) bodies.push_back(body);
    }
    return bodies;
}

std::vector<int> bodies_of_block(const FailedStep& failed, std::size_t block) {
    const Block& b = failed.step.problem.blocks[block];
    std::vector<int> bodies;
    for (const int body : {b.body_a, b.body_b}) {
        if (body != no_body) bodies.push_back(failed.step.model_body[body]);
    }
    return bodies;
}

std::string body_name(const FailedStep& failed, int body) {
    return fmt::format("body '{}'", failed.model.bodies[body].name);
}

std::string speed_text(const Vec6& v) {
    return fmt::format("it moved at {:.3g} m/s and {:.3g} rad/s before", length(linear(v)),
                       length(angular(v)));
}

// ---- the stages of a step, in their order ----------------------------------------------------------------

/// Component k of a load, where it is not finite at the step's start.
std::optional<std::string> bad_component(const std::array<Expression, 3>& load, const char* what, double t) {
    for (std::size_t k = 0; k < 3; ++k) {
        const double value = load[k](t);
        if (!std::isfinite(value)) {
            return fmt::format("its {} along {} is {} at t = {:g} s", what, axis_names[k], value, t);
        }
    }
    return std::nullopt;
}

Found bad_force(const FailedStep& failed) {
    const double t = failed.before.time;
    for (const AppliedForce& force : failed.model.forces) {
        if (!acts(failed, force.body)) continue;
        std::optional<std::string> bad = bad_component(force.force, "force", t);
        if (!bad) bad = bad_component(force.torque, "torque", t);
        if (!bad) continue;
        return Culprit{fmt::format("force '{}' on {}: {}", force.name, body_name(failed, force.body), *bad),
                       {force.body}};
    }
    return std::nullopt;
}

Found bad_motion(const FailedStep& failed) {
    const double t = failed.before.time;
    for (std::size_t i = 0; i < failed.model.bodies.size(); ++i) {
        const RigidBody& body = failed.model.bodies[i];
        if (body.kind != BodyKind::kinematic || is_frozen(failed.before, i)) continue;
        const auto index = static_cast<int>(i);
        for (const double when : {t, t + failed.settings.step_s}) {
            std::optional<std::string> bad = bad_component(body.motion.offset, "offset", when);
            const double angle = body.motion.angle(when);
            if (!bad && !std::isfinite(angle)) {
                bad = fmt::format("its angle is {} at t = {:g} s", angle, when);
            }
            if (bad) {
                return Culprit{fmt::format("motion of {}: {}", body_name(failed, index), *bad), {index}};
            }
        }
        if (!all_finite(failed.motion.body[i].free_velocity)) {
            return Culprit{fmt::format("motion of {}: it leaps too far between t = {:g} s and {:g} s",
                                       body_name(failed, index), t, t + failed.settings.step_s),
                           {index}};
        }
    }
    return std::nullopt;
}

/// When a motor's target is asked for: axis_terms.cpp.
double motor_time(const FailedStep& failed, MotorKind kind) {
    const double h = failed.settings.step_s;
    const double t = failed.before.time;
    if (kind == MotorKind::force) return t;
    const bool middle = kind == MotorKind::velocity && failed.settings.scheme == Scheme::leapfrog;
    return t + (middle ? 0.5 * h : h);
}

Found bad_motor(const FailedStep& failed) {
    for (const Joint& joint : failed.model.joints) {
        if (!acts(failed, joint.body_a) && !acts(failed, joint.body_b)) continue;
        for (const JointAxis& axis : joint.axes) {
            if (axis.motor == MotorKind::none) continue;
            const double when = motor_time(failed, axis.motor);
            const double target = axis.target(when);
            if (std::isfinite(target)) continue;
            return Culprit{fmt::format("motor of joint '{}' ({}): its target is {} at t = {:g} s", joint.name,
                                       coordinate_name(axis.coordinate), target, when),
                           movers(failed, joint.body_a, joint.body_b)};
        }
    }
    return std::nullopt;
}

Found bad_free_motion(const FailedStep& failed) {
    for (std::size_t i = 0; i < failed.motion.body.size(); ++i) {
        const Body& body = failed.motion.body[i];
        if (all_finite(body.free_velocity) && all_finite(body.inverse_inertia_w)) continue;
        const auto index = static_cast<int>(i);
        return Culprit{
            fmt::format("{}: its velocity overflows under its load, before any constraint acts; {}",
                        body_name(failed, index), speed_text(failed.before.velocity[i])),
            {index}};
    }
    return std::nullopt;
}

Found bad_contact(const FailedStep& failed) {
    for (const Contact& contact : failed.contacts.contacts) {
        if (is_finite(contact)) continue;
        const Model& model = failed.model;
        return Culprit{fmt::format("contact {} | {}: its place is not finite; {} and {}",
                                   model.bodies[contact.body_a].name, model.bodies[contact.body_b].name,
                                   speed_text(failed.before.velocity[contact.body_a]),
                                   speed_text(failed.before.velocity[contact.body_b])),
                       movers(failed, contact.body_a, contact.body_b)};
    }
    return std::nullopt;
}

Found bad_row(const FailedStep& failed) {
    const Problem& problem = failed.step.problem;
    for (std::size_t k = 0; k < problem.blocks.size(); ++k) {
        const Block& block = problem.blocks[k];
        for (int row = block.first_row; row < block.first_row + block.rows; ++row) {
            const double compliance = problem.compliance.empty() ? 0.0 : problem.compliance[row];
            const JacobianRow& j = problem.jacobian[row];
            if (std::isfinite(problem.bias[row]) && std::isfinite(compliance) && all_finite(j.a) &&
                all_finite(j.b)) {
                continue;
            }
            return Culprit{fmt::format("{}: its row {} is not finite (velocity asked for {}, compliance {})",
                                       failed.assembler.describe(failed.step, static_cast<int>(k)),
                                       row - block.first_row, -problem.bias[row], compliance),
                           bodies_of_block(failed, k)};
        }
    }
    return std::nullopt;
}

/// Force motors and adhesion act on the problem's bodies, after the free motion.
Found bad_problem_body(const FailedStep& failed) {
    const Problem& problem = failed.step.problem;
    for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
        if (all_finite(problem.bodies[i].free_velocity)) continue;
        const int body = failed.step.model_body[i];
        return Culprit{fmt::format("{}: its velocity overflows under motors and adhesion; {}",
                                   body_name(failed, body), speed_text(failed.before.velocity[body])),
                       {body}};
    }
    return std::nullopt;
}

Found bad_impulse(const FailedStep& failed) {
    const Problem& problem = failed.step.problem;
    if (failed.solution.impulse.size() != problem.bias.size()) return std::nullopt;
    for (std::size_t k = 0; k < problem.blocks.size(); ++k) {
        const Block& block = problem.blocks[k];
        for (int row = block.first_row; row < block.first_row + block.rows; ++row) {
            if (std::isfinite(failed.solution.impulse[row])) continue;
            return Culprit{fmt::format("{}: the impulse that solver {} gave it is {}",
                                       failed.assembler.describe(failed.step, static_cast<int>(k)),
                                       failed.solver, failed.solution.impulse[row]),
                           bodies_of_block(failed, k)};
        }
    }
    return std::nullopt;
}

/// Finite, but so fast that energies are not.
Found bad_error(const FailedStep& failed) {
    const std::vector<double>& error = failed.certificate.block_energy_error_J;
    if (failed.certificate.finite || error.size() != failed.step.problem.blocks.size()) return std::nullopt;
    auto worst = std::find_if(error.begin(), error.end(), [](double e) { return !std::isfinite(e); });
    if (worst == error.end()) worst = std::max_element(error.begin(), error.end());
    if (worst == error.end()) return std::nullopt;
    const auto block = static_cast<std::size_t>(worst - error.begin());
    std::vector<int> bodies = bodies_of_block(failed, block);
    std::string speeds;
    for (const int body : bodies) {
        speeds += fmt::format("; {}: {}", body_name(failed, body), speed_text(failed.before.velocity[body]));
    }
    return Culprit{fmt::format("{}: its velocity is too large for its energy to be a number{}",
                               failed.assembler.describe(failed.step, static_cast<int>(block)), speeds),
                   std::move(bodies)};
}

Found bad_body(const FailedStep& failed) {
    for (std::size_t i = 0; i < failed.after.pose.size(); ++i) {
        const bool fine = is_finite(failed.after.pose[i]) && all_finite(failed.after.velocity[i]);
        if (fine) continue;
        const auto index = static_cast<int>(i);
        return Culprit{fmt::format("{}: where it would be is not finite; {}", body_name(failed, index),
                                   speed_text(failed.before.velocity[i])),
                       {index}};
    }
    return std::nullopt;
}

/// Finite, but too fast or too far away.
Found bad_energy(const FailedStep& failed) {
    for (std::size_t i = 0; i < failed.model.bodies.size(); ++i) {
        const RigidBody& body = failed.model.bodies[i];
        if (body.kind != BodyKind::dynamic) continue;
        const Vec6& v = failed.after.velocity[i];
        const Symmetric3& inertia = body.mass.inertia;
        const double heaviest = std::max({body.mass.mass, inertia[0], inertia[1], inertia[2]});
        const double height_energy =
            body.mass.mass * dot(failed.model.gravity, failed.after.pose[i].position);
        if (std::isfinite(heaviest * dot(v, v)) && std::isfinite(height_energy)) continue;
        const auto index = static_cast<int>(i);
        return Culprit{
            fmt::format("{}: it would be too fast or too far away for its energy to be a number; {}",
                        body_name(failed, index), speed_text(failed.before.velocity[i])),
            {index}};
    }
    return std::nullopt;
}

}  // namespace

Culprit find_culprit(const FailedStep& failed) {
    for (const auto stage : {bad_force, bad_motion, bad_motor, bad_free_motion, bad_contact, bad_row,
                             bad_problem_body, bad_impulse, bad_error, bad_body, bad_energy}) {
        if (Found found = stage(failed)) return *std::move(found);
    }
    return {.what = "a sum over all bodies and constraints is too large to be a number", .bodies = {}};
}

bool is_finite(const ContactSet& contacts, const Problem& problem) {
    // Zero times anything finite is zero: one test for each list.
    double sum = 0.0;
    for (const Contact& c : contacts.contacts) {
        sum += 0.0 * (c.gap + c.point_w[0] + c.point_w[1] + c.point_w[2] + c.normal_w[0] + c.normal_w[1] +
                      c.normal_w[2]);
    }
    for (const double b : problem.bias) sum += 0.0 * b;
    for (const double c : problem.compliance) sum += 0.0 * c;
    for (const Body& body : problem.bodies) {
        for (const double v : body.free_velocity) sum += 0.0 * v;
        for (const double i : body.inverse_inertia_w) sum += 0.0 * i;
    }
    return sum == 0.0;
}

bool is_finite(const std::vector<Vec6>& velocities) {
    return std::all_of(velocities.begin(), velocities.end(), [](const Vec6& v) { return all_finite(v); });
}

bool is_finite(const State& state) {
    return std::all_of(state.pose.begin(), state.pose.end(), [](const Pose& p) { return is_finite(p); }) &&
           is_finite(state.velocity);
}

}  // namespace uptack::simulation

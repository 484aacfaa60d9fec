#include "joints/axis_terms.h"

#include <algorithm>

#include "joints/joint_kinds.h"

namespace uptack::assembly {
namespace {

// Angles have no envelope of their own: a lever of 0.1 m moves 5 mm in this [rad].
constexpr double angle_envelope = 0.05;

/// A motor's or brake's row: any impulse up to force * kick.
Law bounded(double force, double kick_s) {
    if (force == infinity) return Bilateral{};
    return Interval{.lower = -force * kick_s, .upper = force * kick_s};
}

std::optional<RowTerms> limit_terms(const StepFacts& step, const JointAxis& axis, const OneSided& way) {
    const double near = is_angle(axis.coordinate) ? angle_envelope : step.settings.envelope;
    const double reach = 2.0 * step.settings.step_s * std::min({way.before, way.free, 0.0});
    if (!(way.gap < near || way.gap + reach < 0.0)) return std::nullopt;
    return one_sided_terms(step, way);
}

}  // namespace

std::optional<RowTerms> spring_terms(const StepFacts& step, const JointAxis& axis, const AxisFacts& now) {
    const double k = axis.stiffness;
    const double d = axis.damping;
    if (!(k > 0.0 || d > 0.0)) return std::nullopt;
    const double h = step.settings.step_s;
    const double kick = step.kick_s;
    const double pull = kick * k * (now.q - axis.rest);
    double gamma = kick * (k * h + d);
    double early = 0.0;  // what q'- adds
    if (step.settings.scheme == Scheme::leapfrog) {
        const double s = kick * d * now.mobility;
        const double theta = s > 2.0 ? 1.0 - 1.0 / s : 0.5;
        gamma = 0.25 * k * h * h + theta * kick * d;
        early = ((1.0 - theta) * kick * d - 0.25 * k * h * h) * now.before;
    }
    if (!(gamma > 0.0)) return std::nullopt;  // so soft that it underflows
    return RowTerms{.law = Bilateral{}, .bias = (pull + early) / gamma, .compliance = 1.0 / gamma};
}

std::optional<RowTerms> motor_terms(const StepFacts& step, const JointAxis& axis, const AxisFacts& now) {
    if (!(axis.max_force > 0.0)) return std::nullopt;
    const double h = step.settings.step_s;
    const Law law = bounded(axis.max_force, step.kick_s);
    if (axis.motor == MotorKind::position) {
        return RowTerms{.law = law, .bias = (now.q - axis.target(step.time + h)) / h};
    }
    if (axis.motor == MotorKind::velocity) {
        const double when = step.time + (step.settings.scheme == Scheme::leapfrog ? 0.5 * h : h);
        return RowTerms{.law = law, .bias = -axis.target(when)};
    }
    return std::nullopt;
}

double motor_impulse(const StepFacts& step, const JointAxis& axis) {
    return axis.motor == MotorKind::force ? axis.target(step.time) * step.kick_s : 0.0;
}

std::optional<RowTerms> dry_friction_terms(const StepFacts& step, const JointAxis& axis) {
    if (!(axis.friction > 0.0)) return std::nullopt;
    return RowTerms{.law = bounded(axis.friction, step.kick_s)};
}

std::optional<RowTerms> lower_limit_terms(const StepFacts& step, const JointAxis& axis,
                                          const AxisFacts& now) {
    if (axis.lower == -infinity) return std::nullopt;
    if (axis.lower == axis.upper) return held_terms(step, now.q - axis.lower, now.before, 0.0);
    return limit_terms(step, axis,
                       {.gap = now.q - axis.lower,
                        .before = now.before,
                        .free = now.free,
                        .recovery = step.settings.joint_recovery,
                        .restitution = axis.limit_restitution});
}

std::optional<RowTerms> upper_limit_terms(const StepFacts& step, const JointAxis& axis,
                                          const AxisFacts& now) {
    if (axis.upper == infinity || axis.lower == axis.upper) return std::nullopt;
    return limit_terms(step, axis,
                       {.gap = axis.upper - now.q,
                        .before = -now.before,
                        .free = -now.free,
                        .recovery = step.settings.joint_recovery,
                        .restitution = axis.limit_restitution});
}

}  // namespace uptack::assembly

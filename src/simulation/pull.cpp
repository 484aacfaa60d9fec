#include "pull.h"

#include <cmath>
#include <utility>

#include "uptack/input_error.h"

namespace uptack::simulation {
namespace {

bool is_finite(const Vec3& v) {
    return std::isfinite(v[0]) && std::isfinite(v[1]) && std::isfinite(v[2]);
}

/// k d, but not more than the hand has.
Vec3 spring_force(const Pull& pull, const Vec3& away) {
    const Vec3 force = pull.stiffness * away;
    const double size = length(force);
    return size > pull.max_force ? (pull.max_force / size) * force : force;
}

/// The inverse of I + stiffening, I being the inverse of `inverse_inertia_w`.
Symmetric3 stiffened(const Symmetric3& inverse_inertia_w, double stiffening) {
    Symmetric3 inertia_w = inverse(inverse_inertia_w);
    for (int k = 0; k < 3; ++k) inertia_w[k] += stiffening;
    return inverse(inertia_w);
}

/// A: how fast the point gets by a unit impulse there.
Symmetric3 inverse_effective_mass(const Body& body, const Vec3& arm_w) {
    Mat3 columns;
    for (int k = 0; k < 3; ++k) {
        Vec3 unit{};
        unit[k] = 1.0;
        const Vec3 spin = multiply(body.inverse_inertia_w, cross(arm_w, unit));
        columns[k] = body.inverse_mass * unit + cross(spin, arm_w);
    }
    return {columns[0][0], columns[1][1], columns[2][2], columns[0][1], columns[0][2], columns[1][2]};
}

}  // namespace

void check(const Pull& pull, const Model& model) {
    const auto demand = [](bool fine, const char* what) {
        if (!fine) throw InputError("pull", what);
    };
    demand(pull.body >= 0 && std::cmp_less(pull.body, model.bodies.size()), "there is no such body");
    demand(is_finite(pull.point_b) && is_finite(pull.target_w), "point and target must be finite");
    demand(pull.stiffness >= 0.0 && pull.stiffness < infinity, "the stiffness must be >= 0");
    demand(pull.damping >= 0.0 && pull.damping < infinity, "the damping must be >= 0");
    demand(pull.max_force >= 0.0, "the largest force must be >= 0");
}

void add_pull(const Pull& pull, const State& state, const StepSettings& settings, FreeMotion& motion) {
    Body& body = motion.body[pull.body];
    if (body.inverse_mass == 0.0) return;
    const Pose& pose = state.pose[pull.body];
    const double h = settings.step_s;
    const double kick = motion.kick_s;
    const Vec3 arm_w = rotate(pose.orientation, pull.point_b);
    const Vec3 free = linear(body.free_velocity) + cross(angular(body.free_velocity), arm_w);
    const Vec3 away = pose.position + arm_w - pull.target_w;
    const double resistance = pull.stiffness * h + pull.damping;
    const Vec3 wanted = -(spring_force(pull, away) + resistance * free);

    const double most = length(wanted) / (1.0 + kick * resistance * body.inverse_mass);
    body.inverse_inertia_w = stiffened(body.inverse_inertia_w, 2.0 * h * kick * most * length(arm_w));
    Symmetric3 system = inverse_effective_mass(body, arm_w);
    for (double& entry : system) entry *= kick * resistance;
    for (int k = 0; k < 3; ++k) system[k] += 1.0;
    const Vec3 impulse = kick * multiply(inverse(system), wanted);

    body.free_velocity =
        join(linear(body.free_velocity) + body.inverse_mass * impulse,
             angular(body.free_velocity) + multiply(body.inverse_inertia_w, cross(arm_w, impulse)));
}

}  // namespace uptack::simulation

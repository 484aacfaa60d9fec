#include "geometry.h"

namespace uptack::generators {

JacobianRow point_row(const Vec3& direction, const Vec3& arm_a, const Vec3& arm_b) {
    const Vec3& d = direction;
    const Vec3 turn_a = cross(arm_a, d);
    const Vec3 turn_b = cross(d, arm_b);  // -(r_b x d)
    return {.a = {d[0], d[1], d[2], turn_a[0], turn_a[1], turn_a[2]},
            .b = {-d[0], -d[1], -d[2], turn_b[0], turn_b[1], turn_b[2]}};
}

double contact_bias(double gap) {
    return (gap > 0.0 ? gap : recovery * gap) / time_step;
}

Body solid_box(double mass, const Vec3& half_extents) {
    const double xx = half_extents[0] * half_extents[0];
    const double yy = half_extents[1] * half_extents[1];
    const double zz = half_extents[2] * half_extents[2];
    Body body;
    body.inverse_mass = 1.0 / mass;
    body.inverse_inertia_w = {
        3.0 / (mass * (yy + zz)), 3.0 / (mass * (xx + zz)), 3.0 / (mass * (xx + yy)), 0.0, 0.0, 0.0};
    return body;
}

Vec6 free_velocity(const Vec3& linear, const Vec3& angular, const Vec3& acceleration) {
    const Vec3 v = linear + time_step * acceleration;
    return {v[0], v[1], v[2], angular[0], angular[1], angular[2]};
}

std::vector<std::string> numbered_names(const std::string& word, int count) {
    std::vector<std::string> names;
    if (count > most_named_bodies) return names;
    names.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) names.push_back(word + " " + std::to_string(i));
    return names;
}

}  // namespace uptack::generators

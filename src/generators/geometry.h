// What the generators share: small vectors, the rows of a point held between two bodies, and their bias.

#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "uptack/problem.h"

namespace uptack::generators {

inline constexpr double time_step = 0.01;  ///< h of every generated problem [s]
inline constexpr double gravity = 9.81;    ///< [m/s^2], along -z
inline constexpr double recovery = 0.3;    ///< share of a position error removed in one step [-]

/// Beyond this many bodies names cost more memory than they help; `body_names` then stays empty.
inline constexpr int most_named_bodies = 2000;

inline Vec3 unit_axis(int axis) {
    Vec3 e{};
    e[static_cast<std::size_t>(axis)] = 1.0;
    return e;
}

/// Velocity of a's point at arm_a relative to b's at arm_b, along `direction`:
///     J_a = [d, r_a x d],   J_b = [-d, -(r_b x d)].
JacobianRow point_row(const Vec3& direction, const Vec3& arm_a, const Vec3& arm_b);

/// b of a contact: an open gap may close within the step, a penetration is removed by `recovery` [m/s].
double contact_bias(double gap);

/// A solid box whose axes are the world's.
Body solid_box(double mass, const Vec3& half_extents);

/// v + h g for the linear part, the angular part as it is.
Vec6 free_velocity(const Vec3& linear, const Vec3& angular, const Vec3& acceleration);

/// "link 0", "link 1", ...; empty when there are more than `most_named_bodies`.
std::vector<std::string> numbered_names(const std::string& word, int count);

}  // namespace uptack::generators

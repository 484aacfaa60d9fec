// Measures of how b's frame is turned, seen from a's.
//
// Relative rotation q = (w, u), its rate with W = R_a^T (w_b - w_a), the relative angular velocity along a's
// axes:   w' = -1/2 W . u      u' = 1/2 (w W + W x u)
//
//     cosine          c = e . f, e on a, f on b     c' = (e x f) . (w_a - w_b)
//     angle_between   atan2(s, c) of two measures   (c s' - s c') / (s^2 + c^2)
//     turned_apart    2 u, with the sign of w       i: (w e_i + u x e_i) . W
//     twist           2 atan2(u_z, w)               W_z + (W_x (w u_y + u_z u_x) + W_y (u_z u_y - w u_x)) /
//     (w^2 + u_z^2) swing           angle of z_a and z_b          n . (w_b - w_a),  n = z_a x z_b / |z_a x
//     z_b|

#pragma once

#include <array>
#include <optional>

#include "parts/frames.h"
#include "parts/measure.h"

namespace uptack::assembly {

Measure cosine(const Vec3& on_a_w, const Vec3& on_b_w);

/// The angle whose sine and cosine (up to one positive factor) the measures are.
Measure angle_between(const Measure& sine, const Measure& cosine);

/// The three held rotations, along a's axes: 2 sin(angle / 2) times the axis of the turn.
std::array<Measure, 3> turned_apart(const JointFrames& f);

/// b's z axis along a's x and y: zero where the z axes are parallel.
std::array<Measure, 2> tilt(const JointFrames& f);

/// The turn about z of the turn that is left when the shortest one taking z_a to z_b is taken off.  Nothing
/// where the z axes are opposite: there it is undefined.
std::optional<Measure> twist(const JointFrames& f);

/// Between the z axes, 0 to pi.  Nothing where they are parallel: there it has no derivative.
std::optional<Measure> swing(const JointFrames& f);

/// Of a universal joint, R_rel = turn(x, angle_x) turn(y, angle_y).
Measure angle_about_x(const JointFrames& f);
Measure angle_about_y(const JointFrames& f);

}  // namespace uptack::assembly

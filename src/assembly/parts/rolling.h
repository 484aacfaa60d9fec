// Measures of wheels that roll on each other without slip: gears, and a pinion on its rack.
//
// Gear.  u points from centre a to the pitch point (to b's centre; away from it inside a ring), t = z x u,
// phi is the angle of the line of centres, theta that of a gear's x axis.  No slip at the pitch point, at
// r_a u from a and -r_b u from b (r_b < 0 inside a ring):
//     (v_a - v_b) . t + r_a w_a + r_b w_b = 0,       and with |r_a + r_b| the centres' distance
//     d/dt [ r_a (theta_a - phi) + r_b (theta_b - phi) ] = 0
// theta - phi is minus the angle of p_b - p_a in the gear's own frame: it needs no common plane.
//
// Rack.  s = x_b . (p_b - p_a) is how far the rack has moved past the pinion, alpha the angle of the rack's x
// axis in the pinion's frame, side = +1 with the pinion on the side of z_a x x_b of the rack:
//     d/dt [ s + side r_a alpha ] = 0

#pragma once

#include <array>
#include <optional>

#include "parts/frames.h"
#include "parts/measure.h"

namespace uptack::assembly {

/// theta - phi of both gears, each in (-pi, pi] about its own z axis; nothing where the centres coincide on
/// one axis.
std::optional<std::array<Measure, 2>> gear_angles(const JointFrames& f);

/// alpha, in (-pi, pi].
Measure pinion_angle(const JointFrames& f);

/// +1 or -1, as above.
double pinion_side(const JointFrames& f);

}  // namespace uptack::assembly

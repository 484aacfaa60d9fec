// Measures of where b's frame is, seen from a's.
//
// With d = p_b - p_a, arms r from the centres of mass to the frames' origins, and e a unit vector that turns
// with one of the bodies:
//
//     along_a   s = e . d, e on a:   s' = e . (v_b + w_b x r_b - v_a - w_a x r_a) + (w_a x e) . d
//                                       = [-e, -(r_a + d) x e] v_a + [e, r_b x e] v_b
//     along_b   s = e . d, e on b:   s' = [-e, -r_a x e] v_a + [e, (r_b - d) x e] v_b
//     apart     s = |d|:             s' = [-u, -r_a x u] v_a + [u, r_b x u] v_b,  u = d / |d|

#pragma once

#include "parts/frames.h"
#include "parts/measure.h"

namespace uptack::assembly {

Measure along_a(const JointFrames& f, const Vec3& axis_w);
Measure along_b(const JointFrames& f, const Vec3& axis_w);

/// Where the origins coincide they are taken to part along a's z axis.
Measure apart(const JointFrames& f);

/// |p_a - anchor| + ratio |p_b - anchor_b|: the part of a rope over two pulleys that is not on them.
Measure rope_length(const Joint& joint, const JointFrames& f);

}  // namespace uptack::assembly

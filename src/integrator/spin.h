// How a free body spins: the discrete Euler equation.
//
// The velocity of a step turns the body by exp(h omega) and belongs to the middle of the turn.  Angular
// momentum L (world) and spin are tied there:
//
//     I(R_mid) omega = L,   R_mid = exp(h/2 omega) R
//
// or, with u = R^T omega and l = R^T L in the body's frame,
//
//     I u = exp(-h/2 u) l                                                                       (*)
//
// because exp(h/2 omega) leaves omega alone.  L changes by torques only, so a free body keeps it to rounding;
// (*) is symmetric in time, so its energy does not drift (second order).

#pragma once

#include "uptack/math.h"

namespace uptack::integrator {

/// All directions alike: (*) is then I u = l.
bool is_isotropic(const Symmetric3& inertia_b);

/// u of (*) by Newton's method from `guess`; `half_step` is h/2 [s].  Where it does not converge (half a turn
/// in half a step) the result is the explicit I^-1 l.
Vec3 solve_spin(const Symmetric3& inertia_b, const Vec3& momentum_b, double half_step, const Vec3& guess);

/// L of a body that spins with omega_w, `lag` [s] after the moment the spin belongs to.
Vec3 spin_momentum(const Symmetric3& inertia_b, const Quaternion& orientation, const Vec3& omega_w,
                   double lag);

}  // namespace uptack::integrator

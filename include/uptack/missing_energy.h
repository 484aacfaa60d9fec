// How far the velocities still are from the solution's, as an estimate.
//
// Written by: solvers.  Read by: apps, tests.
//
// The certificate is a residual: on a long chain it can be small while the velocities are mostly wrong. Where
// a factorisation can be afforded, one Newton step d from x says more: 1/2 d'Ad is the kinetic energy of the
// velocity change that is still to come.  With bilateral rows alone it is exact.  With contacts it is an
// estimate, as good as the guess of which contacts carry load (in our tests within a factor of ten in the
// velocities), and no bound.

#pragma once

#include <span>

#include "uptack/problem.h"

namespace uptack {

/// 1/2 d'Ad [J] of one semismooth Newton step from x on the convex problem that agrees with `problem` at x.
/// Costs one factorisation.  The problem must be valid.
double estimate_missing_energy(const Problem& problem, std::span<const double> impulse);

}  // namespace uptack

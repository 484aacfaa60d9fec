// A hand that pulls a body: a spring and damper to a point in the world, implicit in the step.
//
// With d from the target to the point, v_f the velocity the point would have without the pull, T the time for
// which forces act in this step (FreeMotion::kick_s), and A the point's 3 x 3 inverse effective mass:
//
//     F  = -k (d + h v+) - c v+         the spring at the end of the step
//     v+ = v_f + T A F
//     =>  (I + T (k h + c) A) F = -k d - (k h + c) v_f
//
// The matrix grows with k and c, so that the force can at most carry the point to the target.  At rest v+ = 0
// and F = -k d.  A body that constraints hold does not follow v_f; its F is that of a free body of its mass,
// which differs from -k d by about T (k h + c) / m of the load.
//
// Straight lines do not know that the arm r turns: the torque r x F changes with the angle, as of a spring of
// stiffness |F| |r|.  That too is taken at the end of the step, by the inertia I + 2 h T |F| |r|.  It keeps
// the turn of one step below half a radian; for a hand that is not stronger than the step allows it is next
// to nothing.  |F| is here that on a body which cannot turn, the largest it can be.

#pragma once

#include "uptack/simulation.h"

namespace uptack::simulation {

/// Throws InputError for a body that is not there and numbers that cannot be.
void check(const Pull& pull, const Model& model);

/// Adds the pull's impulse to the free velocity of its body, where that can move.
void add_pull(const Pull& pull, const State& state, const StepSettings& settings, FreeMotion& motion);

}  // namespace uptack::simulation

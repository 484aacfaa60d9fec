// What acts along a free coordinate q of a joint: spring and damper, motor, dry friction, limits.
//
// Spring k and damper d, implicit, so that no stiffness is too large for the step:
//
//     leapfrog   x = -kick [ k (q - rest) + k h^2/(4 kick) (q'+ - q'-) + d (theta q'+ + (1 - theta) q'-) ]
//                With kick = h the spring sees (q(t-h) + 2 q(t) + q(t+h))/4: Newmark's method with beta =
//                1/4, second order, no energy gained or lost.  In the first step kick = h/2 and q'- is at t
//                itself: dividing by kick makes up for the shorter time between q'- and q'+. theta = 1/2 is
//                second order; a damper that would turn its own row's velocity round in one step (s = kick d
//                a > 2, a = J M^-1 J^T) has theta = 1 - 1/s, which stops it instead.
//     euler      x = -kick [ k (q - rest + h q'+) + d q'+ ]
//
// Solved for q'+:  q'+ + x / gamma + b = 0,  a bilateral row with the compliance 1 / gamma.

#pragma once

#include <optional>

#include "row_terms.h"
#include "uptack/model.h"

namespace uptack::assembly {

/// A coordinate at the start of a step.
struct AxisFacts {
    double q = 0.0;
    double before = 0.0;    ///< its rate by the velocities before the step
    double free = 0.0;      ///< its rate if no constraint acted
    double mobility = 0.0;  ///< a = J M^-1 J^T [1/kg or 1/(kg m^2)]
};

// Each gives nothing where the axis has no such thing.

std::optional<RowTerms> spring_terms(const StepFacts& step, const JointAxis& axis, const AxisFacts& now);

/// Position: q(t + h) = target(t + h).  Velocity: that of leapfrog belongs to t + h/2, that of euler to
/// t + h; the target is taken there.  Force motors have no row, see motor_impulse().
std::optional<RowTerms> motor_terms(const StepFacts& step, const JointAxis& axis, const AxisFacts& now);

/// What a force motor gives in this step [N s or N m s]: its force at t.
double motor_impulse(const StepFacts& step, const JointAxis& axis);

std::optional<RowTerms> dry_friction_terms(const StepFacts& step, const JointAxis& axis);

/// Of the row q' (lower) or -q' (upper).  Present where the limit is near or will be reached within two
/// steps.  Limits that coincide hold the coordinate: one bilateral row in place of the lower.
std::optional<RowTerms> lower_limit_terms(const StepFacts& step, const JointAxis& axis, const AxisFacts& now);
std::optional<RowTerms> upper_limit_terms(const StepFacts& step, const JointAxis& axis, const AxisFacts& now);

}  // namespace uptack::assembly

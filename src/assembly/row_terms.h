// From how far a constraint is violated to the bias b and the compliance C of its row, by the stabilisation
// chosen in StepSettings.
//
// A held measure Phi with compliance c [m/N] and the force f = x / kick along it wants Phi+ = -c f at the end
// of the step.  With Phi+ = Phi + h J v+ and the fraction K of the error taken back in this step:
//
//     recovery   J v+ + C x + b = 0     b = (K/h) Phi                C = K c / (h kick)
//     spook      U = 1/(1 + 4 tau/h)    b = (4U/h) Phi - U J v       C = 4 c U / (h kick)
//
// At rest (v = v+ = 0) both give Phi = -c f whatever K and tau are.  kick = h but for leapfrog's first step.

#pragma once

#include <optional>

#include "uptack/law.h"
#include "uptack/stepping.h"

namespace uptack::assembly {

/// The step, as rows need to know it.
struct StepFacts {
    StepSettings settings;
    double time = 0.0;    ///< t of the positions [s]
    double kick_s = 0.0;  ///< the time for which forces act
};

/// A row's law, bias [m/s or rad/s] and compliance.
struct RowTerms {
    Law law;
    double bias = 0.0;
    double compliance = 0.0;
};

/// Of a held measure.  `before`: its rate by the velocities before the step.
RowTerms held_terms(const StepFacts& step, double phi, double before, double compliance);

/// What may not become negative: a gap, the way to a limit, the slack of a rope.
struct OneSided {
    double gap = 0.0;           ///< [m or rad]
    double before = 0.0;        ///< its rate by the velocities before the step
    double free = 0.0;          ///< its rate if no constraint acted
    double recovery = 1.0;      ///< K where the gap is negative
    double restitution = 0.0;   ///< [-]
    double compliance = 0.0;    ///< [m/N]
    double rest_overlap = 0.0;  ///< of a contact: StepSettings::rest_overlap
};

/// Bias and compliance of a row that closes a gap:
///   1. It comes in fast enough and arrives within this step: it bounces now, b = e w-, and an overlap still
///      pushes if that is more.
///   2. It can bounce, is open, and would not close by itself in this step: no row.  Otherwise the impulse
///      that another body's impact sends through it would be taken without rebound, and a row of balls would
///      move as one.
///   3. Else it may close but not cross: b = gap/h, or the recovery of an overlap; b = 0 within rest_gap
///      and rest_overlap.
/// A rigid overlap is not pushed apart faster than max_recovery_speed.  A compliant one is a spring, which
/// its K and that bound would falsify: it has K = 1 and no bound.
std::optional<RowTerms> one_sided_terms(const StepFacts& step, const OneSided& side);

}  // namespace uptack::assembly

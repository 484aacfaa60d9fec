// How a step is made: the numbers that integrator and assembly share.
//
// Written by: scene, users.  Read by: integrator, assembly, simulation.
//
//     leapfrog   v(t + h/2) = v(t - lag) + (lag + h/2) M^-1 f + M^-1 J^T x      q(t + h) = q(t) (+) h v(t +
//     h/2)
//                with lag = h/2 but for the first step, where it is 0: second order in the positions
//     euler      v+ = v + h M^-1 f + M^-1 J^T x                                 q+ = q (+) h v+
//
// Both ask J v + b = 0 (or its law's like) of the velocity that moves the bodies from q to q+.

#pragma once

#include <cstdint>
#include <vector>

#include "uptack/law.h"
#include "uptack/problem.h"

namespace uptack {

enum class Scheme : std::uint8_t { leapfrog, euler };

enum class Stabilisation : std::uint8_t {
    recovery,  ///< b = (K/h) Phi [fixed-point, eq. 1; simplex, eq. 2.5]
    spook,  ///< b = (4U/h) Phi - U J v,  C = 4 eps U / h^2,  U = 1/(1 + 4 tau/h) [gauss-seidel-notes, eq. 21]
};

enum class ContactFriction : std::uint8_t { exact, convex, box };

struct StepSettings {
    double step_s = 1.0 / 240.0;  ///< h [s]
    Scheme scheme = Scheme::leapfrog;
    Stabilisation stabilisation = Stabilisation::recovery;
    double joint_recovery = 0.3;      ///< K of joints [-], 0 to 1; near 1 fast mechanisms become unstable
    double contact_recovery = 0.2;    ///< K of overlaps [-]; an open gap always has 1
    double max_recovery_speed = 1.0;  ///< overlaps are not pushed apart faster than this [m/s]
    double spook_relaxation = 2.0;    ///< tau / h [-]
    ContactFriction friction = ContactFriction::exact;
    double bounce_speed = 0.05;  ///< impacts slower than this do not bounce [m/s]
    double envelope = 0.01;      ///< contacts are seen from this gap on [m]
    /// Gaps and overlaps up to this count as closed [m]: what stands still then stays as it is to the bit,
    /// and the next step starts with its solution.  A simulation takes 10 e g h^2 where that is more, e being
    /// its relative tolerance (from 2e-3 to 1e-2 what 2e-3 has, then 2 e g h^2), but never with 0.
    double rest_gap = 1e-6;
    /// Overlaps up to this, if it is more, are not pushed apart either [m].  In a packing with friction not
    /// all can be at once: the errors of their gaps would keep it moving.  A fifth of g h^2 is a good value
    /// there.
    double rest_overlap = 0.0;
};

/// Every body as the step's problem needs it, before constraints act.  One entry per body of the model;
/// bodies that are not dynamic have no inverse mass, and the velocity that takes them where they are
/// prescribed.
struct FreeMotion {
    std::vector<Body> body;
    std::vector<Vec6> load;  ///< gravity and applied forces [N], torques about the centre of mass [N m]
    double kick_s = 0.0;     ///< the time for which forces act in this step: impulse / kick_s is a force
};

}  // namespace uptack

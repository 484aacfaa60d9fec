// What a solver hands on.
//
// Written by: solvers; the velocities by the certificate too.  Read by: certificate, integrator, recording.

#pragma once

#include <vector>

#include "uptack/math.h"

namespace uptack {

struct Solution {
    std::vector<double> impulse;  ///< x, one per row [N s]
    std::vector<Vec6> velocity;   ///< v+, one per body [m/s, rad/s]; empty in the assembled form
};

}  // namespace uptack

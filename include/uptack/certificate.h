// How wrong a solution is, whoever computed it.
//
// Written by: certificate.  Read by: simulation, recording, apps, tests, benchmarks.
// It sees only the problem and the impulses, so that no solver can grade itself.  The formula is in
// error_metric.h.  It is a residual in joules, not a bound of the distance to the solution: on a long chain
// with a heavy end it can be 1e-2 while the velocities are still mostly wrong (docs/04-certificate.md).

#pragma once

#include <span>
#include <vector>

#include "uptack/problem.h"
#include "uptack/solution.h"

namespace uptack {

struct BlockError {
    int block = -1;
    double energy_error_J = 0.0;
};

struct Certificate {
    double energy_error_J = 0.0;      ///< sum over blocks
    double reference_energy_J = 0.0;  ///< e0, the error of x = 0
    double relative_error = 0.0;      ///< sqrt(e / e0)
    double natural_residual = 0.0;    ///< |x - proj(x - w~)|_2: mixes units, given for comparison with others
    double fischer_burmeister = 0.0;  ///< |phi(x, w~)|_2: mixes units too
    bool finite = true;               ///< false: an impulse, a velocity or an energy is NaN or infinite
    std::vector<double> block_energy_error_J;
    std::vector<BlockError> worst;  ///< the largest, in descending order
};

/// Recomputes w = J (v_free + M^-1 J^T x) + C x + b and measures.  Zero exactly at solutions.
/// The problem must be valid and `impulse` have one entry per row.
Certificate certify(const Problem& problem, std::span<const double> impulse, std::size_t worst_count = 5);

/// The same for who asks in every step: allocates nothing once it has seen the size, and leaves out the two
/// residuals for comparison, which it sets to NaN.  The velocities it found become those of the solution.
class Certifier {
public:
    void certify(const Problem& problem, Solution& solution, Certificate& out, std::size_t worst_count = 5);

private:
    BodyVelocities velocities_;
};

}  // namespace uptack

// In what a user may ask for accuracy, and what one measurement says.
//
// Written by: certificate, solvers (their running estimate).  Read by: everyone who stops or reports.
//
// The energy error of one row or cone k with impulse x_k, corrected velocity w~_k and effective inverse mass
// a_k:
//
//     r_k = x_k - proj_K(x_k - w~_k / a_k)          de_k = 1/2 a_k |r_k|^2      [J]
//
// [energy-error, eq. 5 with sigma_u corrected] is identically this for a scalar row.  a_k is A_ii for a
// scalar row, the mean of A_ii over the normal and sliding rows of a cone; rolling and spinning rows, which
// have other units, take the mean over their own group, and the projection is done in that metric. The
// relative error is sqrt(e / e0), e0 being the error of x = 0.

#pragma once

#include <cmath>
#include <cstdint>

#include "uptack/law.h"
#include "uptack/math.h"
#include "uptack/problem.h"

namespace uptack {

enum class ErrorUnit : std::uint8_t { relative, joules };

struct Tolerance {
    double value = 1e-6;
    ErrorUnit unit = ErrorUnit::relative;
};

/// a_k of each of the block's rows.  Where A_ii is not positive (foreign matrices only) the largest entry of
/// the row stands in, so that the error still has a scale.
std::array<double, max_block_rows> effective_inverse_mass(const Problem& problem, const Block& block);

/// A_ii of the rows that share a unit -> their mean, where the law measures them together.
void share_metric(const Law& law, std::span<double> a);

/// sqrt(e / e0); 0 at an exact solution even when doing nothing is one (e0 = 0).  Infinite where e0 is not a
/// number to compare with: an overflowed e0 must not make every answer a good one.
inline double relative_error(double energy_error_J, double reference_J) {
    if (energy_error_J == 0.0) return 0.0;
    return reference_J > 0.0 && reference_J < infinity ? std::sqrt(energy_error_J / reference_J) : infinity;
}

inline bool meets(Tolerance tolerance, double energy_error_J, double reference_J) {
    return tolerance.unit == ErrorUnit::joules
               ? energy_error_J <= tolerance.value
               : relative_error(energy_error_J, reference_J) <= tolerance.value;
}

}  // namespace uptack

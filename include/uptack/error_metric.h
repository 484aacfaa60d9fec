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

#include <array>
#include <cmath>
#include <cstdint>
#include <span>

#include "uptack/law.h"
#include "uptack/math.h"
#include "uptack/problem.h"

namespace uptack {

enum class ErrorUnit : std::uint8_t { relative, joules };

struct Tolerance {
    double value = 1e-6;
    ErrorUnit unit = ErrorUnit::relative;
};

/// Up to six rows on the stack.
using RowValues = std::array<double, max_block_rows>;

/// r_k = x_k - proj_K(x_k - w~_k / a_k).  Where the projection leaves a row alone, r is w~ / a itself: taken
/// as a difference it would vanish in the round-off of large impulses, and rows that contradict each other
/// could pass for solved.  Box friction is measured with the bounds of the present normal impulse, each row
/// by itself, so that a row's error does not depend on how far its neighbour is still to go.
RowValues natural_map(const Law& law, std::span<const double> x, std::span<const double> w,
                      std::span<const double> a);

/// a_k of each of the block's rows.  Where A_ii is not positive (foreign matrices only) the largest entry of
/// the row stands in, so that the error still has a scale.
RowValues effective_inverse_mass(const Problem& problem, const Block& block);

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

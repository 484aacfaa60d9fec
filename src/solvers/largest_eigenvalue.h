// Upper bound, tight to a few digits, of the largest eigenvalue of D^-1/2 S D^-1/2 for a small symmetric
// positive semidefinite S: a step of one over it never overshoots.

#pragma once

#include <span>

namespace uptack {

/// `a` holds S row by row, `metric` the diagonal of D.  At most six rows.
double largest_scaled_eigenvalue(std::span<const double> a, std::span<const double> metric);

}  // namespace uptack

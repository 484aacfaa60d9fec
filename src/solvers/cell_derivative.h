// A cell's projection together with its derivative, and the derivative of De Saxce's term: what a semismooth
// Newton method needs of the laws.
//
// With the metric d of the cell (one number per row, equal within a friction group) and y = z before
// projection:
//
//     scalar     E = 1 strictly inside the bounds, else 0
//     cone       active groups S = { g : |y_g| > mu_g n },   n = (y_n + sum_S mu_g |y_g|) / (1 + sum_S
//     mu_g^2)
//                dn   = (dy_n + sum_S mu_g <t_g, dy_g>) / (1 + sum_S mu_g^2),     t_g = y_g / |y_g|
//                dz_g = dy_g                                                      g not in S
//                dz_g = mu_g t_g dn + mu_g n / |y_g| (I - t_g t_g^T) dy_g         g in S
//                E = 0 where n <= 0 (the apex)
//                all this in y' = sqrt(d) y with mu_g' = mu_g sqrt(d_g / d_n), where the metric is plain
//     box        the normal as a scalar; a tangent as a scalar with the given bound
//
// E D^-1 is symmetric positive semidefinite, and E is between 0 and 1 in the metric.

#pragma once

#include <array>
#include <span>

#include "packed_problem.h"

namespace uptack {

/// n x n, row by row, n rows of the cell.
using CellBlock = std::array<double, std::size_t{max_block_rows} * max_block_rows>;

/// Projects y in place and fills E.  `box_bound` is the largest tangential impulse of a box cell.
void project_with_derivative(const PackedProblem& packed, const Cell& cell, double box_bound,
                             std::span<double> y, CellBlock& e);

/// w -> w~ in place (De Saxce), and S = dw~/dw, the identity but for the normal row of an exact cone.
void correct_with_derivative(const PackedProblem& packed, const Cell& cell, std::span<double> w,
                             CellBlock& s);

}  // namespace uptack

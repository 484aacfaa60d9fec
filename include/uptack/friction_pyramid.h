// Friction cones as pyramids, problem -> problem, for solvers that know scalar rows only.
//
// Written by: problem.  Read by: solvers (simplex), tests.
//
// A cone { |x_t| <= mu x_n } is replaced by the impulses its k generator rays can add up to:
//
//     x = sum_i beta_i (n + mu t_i),  beta_i >= 0,   t_i = cos(2 pi i / k) t1 + sin(2 pi i / k) t2
//
// so the block becomes k unilateral rows with Jacobians J_n + mu t_i . J_t and the matrix stays symmetric
// positive semidefinite (the classical linearisation with a slack for the sliding speed does not).  It is the
// convex law, inscribed: at most 1 - cos(pi / k) of the friction is missing between the rays.  Two-row cones
// are met exactly by k = 2.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "uptack/problem.h"

namespace uptack {

struct FrictionPyramid {
    Problem problem;         ///< unilateral rows in place of the cones; other blocks as they were
    std::vector<int> first;  ///< for each block of the original, its first block here
    int facets = 0;
};

/// Why this problem cannot be linearised (compliant, rolling or spinning friction rows, or the assembled
/// form), or "".
std::string why_no_pyramid(const Problem& problem);

/// Body form only; cones of two and three rows; facets >= 3.  why_no_pyramid(problem) must be empty.
FrictionPyramid linearise_friction(const Problem& problem, int facets);

/// Impulses of the original problem from those of the pyramid.
void recover_impulses(const Problem& original, const FrictionPyramid& pyramid, std::span<const double> beta,
                      std::span<double> impulse);

}  // namespace uptack

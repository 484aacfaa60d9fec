// One contact with friction by itself, to the last digit and without iterating over it: a loose body on the
// ground, or a file with a single contact.
//
//     w = A x + q, rows (n, t, t), the exact law of Coulomb
//
//     opens    q_n >= 0                                     x = 0
//     sticks   x = -A^-1 q                                  |x_t| <= mu x_n
//     slides   (A + diag(0, s, s)) x = -q, so w_n = 0 and   |x_t| = mu x_n
//              w_t = -s x_t with s > 0
//
// |x_t| - mu x_n is positive where sticking asks for too much (s = 0) and negative for large s, where no
// tangential impulse is left; its root is found by Newton's method inside that bracket.  Where normal and
// tangents couple strongly there may be more than one solution, or none.

#pragma once

#include <vector>

#include "uptack/problem.h"

namespace uptack {

/// One block, a friction cone of three rows with the exact law.
bool is_single_contact(const Problem& problem);

/// Its impulses.  False: none were found.
bool solve_single_contact(const Problem& problem, std::vector<double>& impulse);

}  // namespace uptack

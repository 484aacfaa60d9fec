// Every active set of a tiny problem, one after the other: what is left for matrices that no method here is
// made for (a saddle, a zero diagonal: not monotone), where a solution may exist all the same.
//
//     rows that are on: w = 0     off: x = 0     accepted when x >= 0 and w >= 0 on the unilateral rows
//
// A singular set is solved with zeros where nothing decides, and accepted if that fits.

#pragma once

#include <vector>

#include "uptack/problem.h"

namespace uptack {

/// Assembled, no more than a dozen rows, all of them bilateral or unilateral.
bool can_try_active_sets(const Problem& problem);

/// The impulses of the first that fits, in binary order.  False: none does.
bool try_active_sets(const Problem& problem, std::vector<double>& impulse);

}  // namespace uptack

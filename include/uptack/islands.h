// Which constraints hang together: islands share no movable body, so each can be solved on its own.
//
// Written by: problem.  Read by: solvers, simulation.

#pragma once

#include <vector>

#include "uptack/problem.h"

namespace uptack {

struct Islands {
    int count = 0;
    std::vector<int>
        of_body;  ///< island of each body of the problem; -1: it cannot move, or no constraint touches it
    std::vector<int> of_block;  ///< island of each block
};

/// Numbered by their first block.  Blocks between immovable bodies only are islands of their own.  In the
/// assembled form the whole problem is one island.
void find_islands(const Problem& problem, Islands& islands);

}  // namespace uptack

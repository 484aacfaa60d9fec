// What an island looks like before anything is tried on it: its laws, and how its bodies touch.

#pragma once

#include "uptack/problem.h"

namespace uptack {

struct AutoTraits {
    bool convex = true;
    bool has_cones = false;
    bool has_exact_cones = false;
    bool has_boxes = false;
    bool touches_in_patches = false;  ///< faces on faces: most blocks have the bodies of the one before
    bool is_wall = false;             ///< and many more pairs that touch than bodies: no stack
    double joint_share = 0.0;         ///< of the rows
};

AutoTraits traits_of(const Problem& problem);

/// Bodies without a loop, joint after joint: chains, arms.
bool is_tree(const Problem& problem);

}  // namespace uptack

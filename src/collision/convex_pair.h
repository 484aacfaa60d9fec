// The ways to find the points of a pair, and the storage they share.

#pragma once

#include <vector>

#include "convex_patch.h"

namespace uptack::collision {

/// An edge with the directions from it into the faces beside it.
struct EdgeFrame {
    int edge = -1;
    Vec3 p{};
    Vec3 along{};
    Vec3 into_left{};
    Vec3 into_right{};
};

/// Everything a pair needs while it is worked on; kept from pair to pair, so that nothing is allocated.
struct PairWork {
    Placed a;
    Placed b;
    Patch patch_a;
    Patch patch_b;
    ClipStore store;
    std::vector<EdgeFrame> edges_a;
    std::vector<EdgeFrame> edges_b;
    Manifold manifold;
};

/// Both cores points or segments.
void touch_round(PairWork& work, double reach);
/// Both cores point, segment, box, hull or triangle, and one of the last three.
void touch_polytopes(PairWork& work, double reach);
/// At least one core is that of a cylinder or a cone.
void touch_curved(PairWork& work, double reach);

/// Patches along the manifold's normal -> its points; wide ones where it is the normal of a face or a cap.
/// `lowest`: separation along it.
void touch_wide(PairWork& work, double lowest);
void touch_narrow(PairWork& work, double lowest);
/// Adds the supporting points themselves, where the patches' points all lie higher than the separation says.
void add_lowest(PairWork& work, double lowest);
/// Whether no shift shorter than `depth`, to a hundred-thousandth, parts the cores: somewhere in the patch a
/// ball of that radius around a point of one fits into the other.
bool holds_ball(const PairWork& work, double depth);
/// Whether one of the manifold's points is seen to be in both cores, neither of them rounded.
bool share_a_point(const PairWork& work);

}  // namespace uptack::collision

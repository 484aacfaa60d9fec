// A convex shape above a plane.
//
// The lowest points are exact for every shape: corners of box and hull, the ends of a capsule, the lowest
// points of rims.  A rim gives more than its lowest point, so that a cylinder that falls flat is caught all
// around:
//
//   nearly flat   four points that stay where they are on the shape (the lowest one would wander)
//   tilted        the lowest one and those a quarter, a half and three quarters of a turn from it.  They
//   slide
//                 along the rim as the shape rolls: points that rolled with it would be in its way.

#pragma once

#include <cstdint>
#include <vector>

#include "convex.h"

namespace uptack::collision {

/// A plane; the solid is below.
struct Plane {
    Vec3 normal{0.0, 0.0, 1.0};  ///< unit, out of the solid
    Vec3 point{};                ///< on the plane [m]
};

/// The plane z = 0 of a frame.
Plane half_space_plane(const Pose& pose);

/// Appends the points of the shape that can rest on the plane and whose gap is below `reach`: as many as
/// there are.  Normals are the plane's, gaps are signed distances to it, `point_w` is midway between.
void points_above_plane(const Convex& shape, const Pose& pose, const Plane& plane, double reach,
                        std::vector<PairPoint>& points);

/// The same with at most 8 points: where a hull has more, the lowest, and the outermost of its lower side.
void collide_half_space(const Convex& shape, const Pose& pose, const Plane& plane, double reach,
                        std::vector<PairPoint>& points);

}  // namespace uptack::collision

// Two convex shapes -> the points where they touch or nearly do.
//
// Sphere, Box, Capsule, Cylinder, Cone, Hull, and the triangles of ground meshes.  Half-spaces, meshes and
// height fields are elsewhere.

#pragma once

#include <cstdint>
#include <vector>

#include "convex_shape.h"
#include "uptack/math.h"
#include "uptack/model.h"

namespace uptack::collision {

/// One point of a pair.
struct PairPoint {
    Vec3 point_w{};   ///< midway between the surfaces [m]
    Vec3 normal_w{};  ///< unit, from b to a
    double gap = 0.0;
    std::uint32_t feature = 0;  ///< unique within the pair, the same as long as the same features touch
};

/// Appends the points whose gap is below `reach` to `points`: up to 8, so chosen that they support the pair
/// as the whole patch does.  Swapping a and b gives the same points with opposite normals, bit by bit (unless
/// shapes and poses are the same bits: then nothing tells a from b).
void collide_convex(const Convex& a, const Pose& pose_a, const Convex& b, const Pose& pose_b, double reach,
                    std::vector<PairPoint>& points);

}  // namespace uptack::collision

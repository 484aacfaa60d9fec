// Two convex shapes -> the points where they touch or nearly do.
//
// Sphere, Box, Capsule, Cylinder, Cone, Hull, and the triangles of ground meshes.  Half-spaces, meshes and
// height fields are elsewhere.

#pragma once

#include <cstdint>
#include <vector>

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

/// A triangle of a mesh, in the world, as a convex shape without thickness.
struct Triangle {
    std::array<Vec3, 3> corner_w;
};

/// What a shape is, prepared once: see prepare().
struct Convex;

/// Appends the points whose gap is below `reach` to `points`: up to 8, so chosen that they support the pair as
/// the whole patch does.  Swapping a and b gives the same points with opposite normals, bit by bit.
void collide_convex(const Convex& a, const Pose& pose_a, const Convex& b, const Pose& pose_b, double reach,
                    std::vector<PairPoint>& points);

}  // namespace uptack::collision

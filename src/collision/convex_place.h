// A convex shape standing in the frame of a pair: the world's axes, the first shape's origin.  Near that
// origin coordinates keep their digits however far from the world's origin the pair is.
//
// Everything here speaks of the core: the rounding radius of spheres and capsules is added by the callers.

#pragma once

#include <vector>

#include "convex_shape.h"

namespace uptack::collision {

struct Placed {
    const Convex* shape = nullptr;
    Mat3 turn{};         ///< columns are the shape's axes
    Vec3 centre{};       ///< origin of the shape's frame
    Vec3 axis{};         ///< its z axis
    double size = 0.0;   ///< bound of the core's points from `centre` [m]
    double round = 0.0;  ///< rounding radius around the core [m]
    /// Point, segment, box, hull, triangle; null for the curved cores of cylinder and cone.
    const Polytope* topology = nullptr;
    std::vector<Vec3> vertices;  ///< of the topology, placed
    std::vector<Vec3> normals;
    std::vector<double> offsets;

    bool curved() const { return topology == nullptr; }
};

/// Fills `out`, reusing its storage.
void place(const Convex& shape, const Pose& pose, const Vec3& origin, Placed& out);

/// Index of the corner farthest along d; the first of equals.  Polytopes only.
int farthest_vertex(const Placed& core, const Vec3& d);
/// Point of the core farthest along d.
Vec3 core_support(const Placed& core, const Vec3& d);
/// How far p is inside the core: at most the distance to its surface; negative outside.
double depth_inside(const Placed& core, const Vec3& p);
/// Separation along unit n of a (below) and b (above): never more than their distance.
inline double separation(const Placed& a, const Placed& b, const Vec3& n) {
    return dot(n, core_support(b, -n) - core_support(a, n));
}
/// Of the faces at the corner farthest along d that whose normal is nearest to d.  Polytopes with faces only.
int nearest_face(const Placed& core, const Vec3& d);
/// Whether a cone's point farthest along d is its apex, not its rim.
bool apex_leads(const Placed& cone, const Vec3& d);

/// The part of d across the core's axis, put together from the other two axes: where it is only rounding, it
/// still lies across.
inline Vec3 lean(const Placed& core, const Vec3& d) {
    const Vec3 x = column(core.turn, 0);
    const Vec3 y = column(core.turn, 1);
    return dot(x, d) * x + dot(y, d) * y;
}
/// Its direction; the shape's x axis where it has none.
inline Vec3 outward(const Placed& core, const Vec3& d) {
    return direction(lean(core, d), column(core.turn, 0));
}

/// The part of d across the unit axis.
inline Vec3 across(const Vec3& axis, const Vec3& d) {
    return d - dot(axis, d) * axis;
}

}  // namespace uptack::collision

// A convex shape on ground made of triangles: meshes and height fields.
//
// Triangles are one-sided.  A triangle that is part of a surface must not act as a lone plate would: a box
// that slides over a flat mesh touches only the plane, not the edges inside it.  So contacts are of two
// kinds:
//
//   on faces      points of the shape (as above a plane, see half_space.h) that lie over the triangle; beyond
//   a
//                 concave edge also those that are behind the neighbour as well.  The normal is the
//                 triangle's. None if the shape is wholly behind the plane (it has passed through), or if it
//                 reaches less far behind a neighbour across a convex edge (that one then pushes it out).
//   on features   points that collide_convex() finds on a convex or open edge or on a corner of one, with a
//                 normal that the surface around allows: all neighbours lie below the plane of contact.
//
// Together they are the corners of the patch that shape and surface share.  What two triangles report at the
// same place with the same normal is one contact.

#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "convex.h"

namespace uptack::collision {

enum class EdgeKind : std::uint8_t { flat, convex, concave, open };

struct GroundTriangle {
    struct Edge {
        EdgeKind kind = EdgeKind::open;
        Vec3 neighbour_normal{};  ///< of the triangle beyond, unless open
    };
    std::array<Vec3, 3> corner{};  ///< [m], counter-clockwise seen from outside
    Vec3 normal{};                 ///< unit, out of the solid
    std::array<Edge, 3> edge{};    ///< from corner k to corner k + 1
    std::array<std::uint32_t, 3> corner_number{};
    bool sharp = false;  ///< one of the edges is convex or open
};

/// Triangles that stand still in the ground's frame.
class Ground {
public:
    Ground() = default;
    Ground(const Ground&) = delete;
    Ground& operator=(const Ground&) = delete;
    virtual ~Ground() = default;

    virtual Aabb bounds() const = 0;
    /// Numbers of the triangles whose boxes meet `box`, ascending.
    virtual void find(const Aabb& box, std::vector<std::uint32_t>& numbers) const = 0;
    virtual GroundTriangle triangle(std::uint32_t number) const = 0;
    /// Whether all edges from this corner lie below the plane through it with this normal, but for `slack`
    /// [-].
    virtual bool lies_below(std::uint32_t corner_number, const Vec3& normal, double slack) const = 0;
};

/// The kind of the edge from p to q of a triangle with this normal, if the triangle beyond ends at `apex`.
EdgeKind edge_kind(const Vec3& p, const Vec3& q, const Vec3& normal, const Vec3& apex);
/// Of a triangle, by division, so that a level one gives exactly (0, 0, 1); zero if it has no area.
Vec3 triangle_normal(const std::array<Vec3, 3>& corner);

/// What is reused from call to call.
struct GroundScratch {
    struct Found {
        PairPoint point;
        std::uint64_t key = 0;  ///< triangle or plane, and feature
    };
    std::vector<std::uint32_t> triangles;
    std::vector<PairPoint> points;
    std::vector<Found> found;
};

/// Appends the contacts of the shape, whose pose is in the ground's frame; so are the points and the normals,
/// which point from ground to shape.
void collide_ground(const Convex& shape, const Pose& pose, const Ground& ground, double reach,
                    GroundScratch& scratch, std::vector<PairPoint>& points);

}  // namespace uptack::collision

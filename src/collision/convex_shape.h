// A convex shape prepared for collision: its core, what rounds it, and of a polyhedron how faces, edges and
// corners hang together.
//
// Every shape is a core grown by `radius`: a sphere is a point, a capsule a segment; the other shapes are
// their own core and have radius 0.

#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "uptack/math.h"
#include "uptack/model.h"

namespace uptack::collision {

/// The order is that of the pairs' dispatch: round cores, curved ones, polyhedra.
enum class ConvexKind : std::uint8_t { sphere, capsule, cylinder, cone, box, hull, triangle };

/// Faces, edges and corners of a polyhedron, in the shape's frame.
struct Polytope {
    /// Runs from `from` to `to` with face `left` on its left, seen from outside.
    struct Edge {
        int from = 0;
        int to = 0;
        int left = -1;   ///< face, or -1: a lone segment has none
        int right = -1;  ///< face, or -1
    };
    std::vector<Vec3> vertices;   ///< [m]
    std::vector<Vec3> normals;    ///< of faces, unit, outward
    std::vector<double> offsets;  ///< normal . x on the face [m]
    std::vector<int> loops;       ///< corners of all faces, counter-clockwise seen from outside
    std::vector<int> loop_edges;  ///< edge from each corner of `loops` to the next one of its face
    std::vector<int> loop_begin;  ///< face f has loops[loop_begin[f] .. loop_begin[f + 1])
    std::vector<Edge> edges;
};
/// Fills `edges` and `loop_edges` from the loops.
void connect(Polytope& polytope);

/// A triangle of a mesh, in the world, as a convex shape without thickness.
struct Triangle {
    std::array<Vec3, 3> corner_w;
};

/// What a shape is, prepared once.
struct Convex {
    ConvexKind kind = ConvexKind::sphere;
    double radius = 0.0;       ///< that rounds the core, or of a cylinder or a cone's base [m]
    double half_length = 0.0;  ///< of capsule, cylinder, cone [m]
    Vec3 low{};                ///< of the tight box around the shape in its own frame [m]
    Vec3 high{};
    double bound = 0.0;  ///< no point is farther from the frame's origin [m]
    /// Hulls only; shared by all shapes of the same polyhedron.
    std::shared_ptr<const Polytope> polytope;
    /// Triangles only: corners 1 and 2; corner 0 is the origin of the frame.
    std::array<Vec3, 2> corner{};
};

/// What a collider keeps so that a polyhedron used by many shapes is prepared once.
struct HullCache {
    std::vector<std::pair<std::shared_ptr<const Polyhedron>, std::shared_ptr<const Polytope>>> entries;
};

bool is_convex(const Geometry& geometry);
/// Of a geometry that is_convex().
Convex prepare(const Geometry& geometry, HullCache& cache);
Convex prepare(const Geometry& geometry);
/// Of a mesh's triangle; allocates nothing.  Its pose has corner 0 as position and no rotation.
std::pair<Convex, Pose> prepare(const Triangle& triangle);

/// A point of the shape farthest along `direction` (any length), both in the shape's frame.
Vec3 support(const Convex& shape, const Vec3& direction);

struct Aabb {
    Vec3 low{};
    Vec3 high{};
};
/// The tight box around the shape in the world.
Aabb aabb(const Convex& shape, const Pose& pose);

}  // namespace uptack::collision

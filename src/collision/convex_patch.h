// From the direction of a contact to its points.
//
// A patch is what a core shows to the other one along the normal: a corner, an edge, a face, the cap of a
// cylinder or the line on its side.  intersect() projects two patches along the normal onto each other; the
// corners of what they have in common are the contact's points, each with its own gap.

#pragma once

#include <cstdint>
#include <vector>

#include "convex_place.h"

namespace uptack::collision {

enum class Rank : std::uint8_t { vertex, edge, face };

/// Corner, edge or face of a core, numbered as in its topology; of curved cores:
/// vertex 0, 1: lowest point of rims -z, +z (a cone's apex is 1); 2 + k, 32 + k: points fixed on these rims;
/// edge 0, 1: the rims, 2: line on the side; face 0, 1: caps, 2: side.
struct Element {
    Rank rank = Rank::vertex;
    int index = 0;
};
/// Injective as long as indices stay below 2^14.
std::uint32_t feature(const Element& a, const Element& b);

struct PatchCorner {
    Vec3 p{};
    int vertex = 0;  ///< index of the element, or -1: a point made by clipping
    int edge = 0;    ///< from this corner to the next
};

enum class PatchKind : std::uint8_t { point, segment, polygon, disc };

struct Patch {
    PatchKind kind = PatchKind::point;
    std::vector<PatchCorner> corners;  ///< 1, 2 or more; of a disc: points on its rim
    int face = 0;
    Vec3 normal{};        ///< of polygon and disc: unit, outward
    Vec3 centre{};        ///< of a disc
    double radius = 0.0;  ///< of a disc [m]
    int rim = 0;          ///< of a disc: its edge
    /// Of a segment: distance to the line that its surface bends around [m]; 0: sharp.
    double bend = 0.0;
};

/// What all points of a pair have in common, and the points.
struct Manifold {
    struct Point {
        Vec3 middle{};
        double gap = 0.0;
        std::uint32_t feature = 0;
        double slip = 0.0;  ///< how far the cores' points are from lying straight above each other [m]
    };
    Vec3 normal{};         ///< unit, from a to b
    double reach = 0.0;    ///< gaps below this are kept [m]
    double round_a = 0.0;  ///< rounding radii [m]
    double round_b = 0.0;
    double tolerance = 0.0;    ///< a length that counts as nothing [m]
    double bulge = 0.0;        ///< corners of a common face that stand out less are left out [m]
    double lowest = infinity;  ///< least separation of cores among all points added, kept or not [m]
    std::vector<Point> points;

    void begin(const Placed& a, const Placed& b, double wanted_reach);
    /// Points of the cores, one straight above the other; `opening` is added to the gap.
    void add(const Vec3& on_a, const Vec3& on_b, std::uint32_t feature, double opening = 0.0);
};

void face_patch(const Placed& core, int face, Patch& out);
/// The face, cap or line that looks most nearly along n.
void wide_patch(const Placed& core, const Vec3& n, Patch& out);
/// Only what lies in the supporting plane along n, give or take a small angle.
void narrow_patch(const Placed& core, const Vec3& n, Patch& out);

/// Storage for intersect(), reused.
struct ClipStore {
    std::vector<PatchCorner> polygon;
    std::vector<PatchCorner> next;
    std::vector<std::size_t> kept;  ///< corners of the polygon that become contacts
};
/// Adds the corners of the patches' common part.  `lowest` is the separation of the cores along the normal.
void intersect(const Patch& a, const Patch& b, double lowest, ClipStore& store, Manifold& manifold);

/// At most 8 points: the deepest, then always the one that is farthest from those taken.
void reduce(std::vector<Manifold::Point>& points);

}  // namespace uptack::collision

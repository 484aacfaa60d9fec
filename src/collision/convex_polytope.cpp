// Polytopes: separating axes where they overlap, closest points where they do not.
//
// 1. The face, of either, with the largest separation s; clip the patches along its normal.
// 2. Done if s >= 0 and a point of the patch has that gap (the distance cannot be less than s), or s < 0 and
// a
//    ball of radius -s fits (the depth cannot be less).
// 3. Apart: the closest points of corners and edges.
// 4. Overlapping: pairs of edges that come within -s of each other, because the shortest way out leads
// through
//    points of both.

#include <algorithm>

#include "convex_gjk.h"
#include "convex_pair.h"

namespace uptack::collision {
namespace {

std::size_t at(int k) {
    return static_cast<std::size_t>(k);
}

struct Axis {
    Vec3 normal{};  ///< from a to b
    double separation = -infinity;
};

/// The face of `core` from which `other` is farthest away, as long as none is farther than `enough`.
Axis best_face(const Placed& core, const Placed& other, double enough) {
    Axis best;
    for (std::size_t f = 0; f < core.normals.size(); ++f) {
        const Vec3& n = core.normals[f];
        double nearest = infinity;
        for (const Vec3& v : other.vertices) nearest = std::min(nearest, dot(n, v));
        const double s = nearest - core.offsets[f];
        if (s > best.separation) best = {n, s};
        if (s > enough) break;
    }
    return best;
}

/// Of both; a's where they are equal up to `bias`, lest rounding changes the choice from step to step.
Axis best_face(const PairWork& work, double enough, double bias) {
    const Axis of_a = best_face(work.a, work.b, enough);
    if (of_a.separation > enough) return of_a;
    Axis of_b = best_face(work.b, work.a, enough);
    of_b.normal = -of_b.normal;
    return of_b.separation > of_a.separation + bias ? of_b : of_a;
}

struct Box3 {
    Vec3 low{infinity, infinity, infinity};
    Vec3 high{-infinity, -infinity, -infinity};
    void grow(const Vec3& p) {
        for (std::size_t k = 0; k < 3; ++k) {
            low[k] = std::min(low[k], p[k]);
            high[k] = std::max(high[k], p[k]);
        }
    }
    bool meets(const Box3& other, double margin) const {
        for (std::size_t k = 0; k < 3; ++k) {
            if (low[k] > other.high[k] + margin || other.low[k] > high[k] + margin) return false;
        }
        return true;
    }
};

Box3 around(const std::vector<Vec3>& points) {
    Box3 box;
    for (const Vec3& p : points) box.grow(p);
    return box;
}

EdgeFrame frame(const Placed& core, int e) {
    const Polytope::Edge& edge = core.topology->edges[at(e)];
    EdgeFrame out;
    out.edge = e;
    out.p = core.vertices[at(edge.from)];
    out.along = direction(core.vertices[at(edge.to)] - out.p, {});
    if (edge.left >= 0) out.into_left = cross(core.normals[at(edge.left)], out.along);
    if (edge.right >= 0) out.into_right = cross(out.along, core.normals[at(edge.right)]);
    return out;
}

void near_edges(const Placed& core, const Box3& box, double margin, std::vector<EdgeFrame>& out) {
    out.clear();
    const int count = static_cast<int>(core.topology->edges.size());
    for (int e = 0; e < count; ++e) {
        Box3 edge;
        edge.grow(core.vertices[at(core.topology->edges[at(e)].from)]);
        edge.grow(core.vertices[at(core.topology->edges[at(e)].to)]);
        if (edge.meets(box, margin)) out.push_back(frame(core, e));
    }
}

/// Whether the whole core is below the plane through the edge with normal n, |n| <= 1: the faces beside it
/// say so.
bool supports(const EdgeFrame& edge, const Vec3& n) {
    constexpr double rounding = 1e-10;  // of a sine
    return dot(n, edge.into_left) <= rounding && dot(n, edge.into_right) <= rounding;
}

struct EdgeAxis {
    Axis axis;
    EdgeFrame of_a;
    EdgeFrame of_b;
};

EdgeAxis best_edges(PairWork& work, double depth) {
    const double margin = depth + work.manifold.tolerance;
    near_edges(work.a, around(work.b.vertices), margin, work.edges_a);
    near_edges(work.b, around(work.a.vertices), margin, work.edges_b);
    constexpr double parallel = 1e-6;  // sine below which two edges span no plane
    EdgeAxis best;
    for (const EdgeFrame& fa : work.edges_a) {
        for (const EdgeFrame& fb : work.edges_b) {
            const Vec3 c = cross(fa.along, fb.along);
            for (const double sign : {1.0, -1.0}) {
                const Vec3 outward = sign * c;
                if (!supports(fa, outward) || !supports(fb, -outward)) continue;
                const double sine = length(c);
                if (!(sine > parallel)) continue;
                const Vec3 n = (1.0 / sine) * outward;
                const double s = dot(n, fb.p - fa.p);
                if (s > best.axis.separation) best = {{n, s}, fa, fb};
            }
        }
    }
    return best;
}

/// The points where the lines of two edges pass each other.
void touch_edges(PairWork& work, const EdgeAxis& found) {
    const EdgeFrame& fa = found.of_a;
    const EdgeFrame& fb = found.of_b;
    Manifold& m = work.manifold;
    m.normal = found.axis.normal;
    touch_narrow(work, found.axis.separation);
    if (m.points.size() > 1) return;
    const Vec3 turn = cross(fa.along, fb.along);
    const double square = dot(turn, turn);
    const Vec3 gap = fb.p - fa.p;
    const Vec3 p = fa.p + (dot(cross(gap, fb.along), turn) / square) * fa.along;
    const Vec3 q = fb.p + (dot(cross(gap, fa.along), turn) / square) * fb.along;
    m.points.clear();
    m.add(p, q, feature({Rank::edge, fa.edge}, {Rank::edge, fb.edge}));
}

/// Closest corners and edges; false if the cores meet, or if the plane across the closest points does not
/// keep them that far apart: at distances near rounding the direction of the points is noise.
bool touch_closest(PairWork& work, double total, double face_separation) {
    Manifold& m = work.manifold;
    const Closest closest = closest_points(work.a, work.b, {}, total);
    const double nothing = 1e-11 * (work.a.size + work.b.size);
    if (!closest.apart || closest.distance <= nothing) return false;
    if (closest.distance >= total) {
        m.points.clear();
        return true;
    }
    const Vec3 n = direction(closest.on_b - closest.on_a);
    const double s = separation(work.a, work.b, n);
    constexpr double trusted = 0.999;  // of the distance
    if (s <= face_separation || s < trusted * closest.distance) return false;
    m.normal = n;
    touch_narrow(work, s);
    return true;
}

}  // namespace

void touch_polytopes(PairWork& work, double reach) {
    Manifold& m = work.manifold;
    m.begin(work.a, work.b, reach);
    const double size = work.a.size + work.b.size;
    const double total = reach + work.a.round + work.b.round;
    const double bias = 1e-9 * size;
    const Axis face = best_face(work, total, bias);
    if (face.separation >= total) return;
    m.normal = face.normal;
    touch_wide(work, face.separation);
    if (face.separation >= 0.0 && m.lowest <= face.separation + bias) return;
    if (face.separation < 0.0 && holds_ball(work, -face.separation)) return;
    const bool overlap = face.separation < 0.0 && m.round_a + m.round_b == 0.0 && share_a_point(work);
    if (!overlap && touch_closest(work, total, face.separation)) return;
    const EdgeAxis edges = best_edges(work, std::max(0.0, -face.separation));
    if (edges.axis.separation > face.separation + bias) return touch_edges(work, edges);
    add_lowest(work, face.separation);
}

}  // namespace uptack::collision

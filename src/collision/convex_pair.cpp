#include "convex_pair.h"

#include <algorithm>

namespace uptack::collision {
namespace {

Element supporting(const Placed& core, const Vec3& n) {
    if (!core.curved()) return {Rank::vertex, farthest_vertex(core, n)};
    const bool top = dot(core_support(core, n) - core.centre, core.axis) > 0.0;
    return {Rank::vertex, top ? 1 : 0};
}

/// The point of a segment nearest to p, seen along n.
Vec3 foot(const Patch& segment, const Vec3& n, const Vec3& p) {
    const Vec3& from = segment.corners[0].p;
    const Vec3 along = segment.corners[1].p - from;
    const Vec3 shadow = across(n, along);
    const double square = dot(shadow, shadow);
    const double t = square > 0.0 ? std::clamp(dot(shadow, p - from) / square, 0.0, 1.0) : 0.0;
    return from + t * along;
}

struct LowPair {
    Vec3 p{};
    Vec3 q{};
    Element of_a;
    Element of_b;
};

/// Of pairs as low as the separation that which lies straightest one above the other.
struct Overlay {
    LowPair pair;
    double slip = infinity;
    void offer(const Manifold& m, double lowest, const LowPair& other) {
        if (slip < infinity && dot(m.normal, other.q - other.p) > lowest + m.tolerance) return;
        const double shift = length(across(m.normal, other.q - other.p));
        if (shift >= slip) return;
        slip = shift;
        pair = other;
    }
};

bool has_flats(const Placed& core) {
    return core.curved() || !core.normals.empty();
}

}  // namespace

void touch_wide(PairWork& work, double lowest) {
    Manifold& m = work.manifold;
    m.points.clear();
    m.lowest = infinity;
    wide_patch(work.a, m.normal, work.patch_a);
    wide_patch(work.b, -m.normal, work.patch_b);
    intersect(work.patch_a, work.patch_b, lowest, work.store, m);
}

void touch_narrow(PairWork& work, double lowest) {
    Manifold& m = work.manifold;
    m.points.clear();
    m.lowest = infinity;
    // Faces that all but lie on each other: a tilt too small to see must not reduce a stack to one point.
    if (has_flats(work.a) && has_flats(work.b)) {
        touch_wide(work, lowest);
        constexpr double nearly = 0.98;  // cosine of the tilt
        const bool flat_a =
            work.patch_a.kind >= PatchKind::polygon && dot(work.patch_a.normal, m.normal) > nearly;
        const bool flat_b =
            work.patch_b.kind >= PatchKind::polygon && -dot(work.patch_b.normal, m.normal) > nearly;
        if (flat_a && flat_b && m.lowest <= lowest + m.tolerance) return;
        // Flats keep their points; the edges or corners that are lower than all of them come on top.
        if (!(flat_a && flat_b)) {
            m.points.clear();
            m.lowest = infinity;
        }
    }
    narrow_patch(work.a, m.normal, work.patch_a);
    narrow_patch(work.b, -m.normal, work.patch_b);
    intersect(work.patch_a, work.patch_b, lowest, work.store, m);
    add_lowest(work, lowest);
}

void add_lowest(PairWork& work, double lowest) {
    Manifold& m = work.manifold;
    if (m.lowest <= lowest + m.tolerance) return;
    const Vec3 p = core_support(work.a, m.normal);
    const Vec3 q = core_support(work.b, -m.normal);
    const Element of_a = supporting(work.a, m.normal);
    const Element of_b = supporting(work.b, -m.normal);
    Overlay best;
    best.offer(m, lowest, {p, q, of_a, of_b});
    if (work.patch_b.kind == PatchKind::segment)
        best.offer(m, lowest,
                   {p, foot(work.patch_b, m.normal, p), of_a, {Rank::edge, work.patch_b.corners[0].edge}});
    if (work.patch_a.kind == PatchKind::segment)
        best.offer(m, lowest,
                   {foot(work.patch_a, m.normal, q), q, {Rank::edge, work.patch_a.corners[0].edge}, of_b});
    // Supporting points far from lying above each other are no place where the shapes meet: the direction is
    // then off by rounding, and the points of the patch say more.
    if (best.slip > m.tolerance && !m.points.empty()) return;
    m.add(best.pair.p, best.pair.q, feature(best.pair.of_a, best.pair.of_b));
}

bool holds_ball(const PairWork& work, double depth) {
    const Manifold& m = work.manifold;
    const Manifold::Point* lowest = nullptr;
    Vec3 sum{};
    double count = 0.0;
    for (const Manifold::Point& p : m.points) {
        if (p.slip > m.tolerance) continue;  // not known to be in both
        if (lowest == nullptr || p.gap < lowest->gap) lowest = &p;
        sum += p.middle;
        count += 1.0;
    }
    if (lowest == nullptr) return false;
    // At the lowest point, or two depths inwards from it: there the sides are farther away than the way out.
    const Vec3 inwards = (1.0 / count) * sum - lowest->middle;
    const double l = length(inwards);
    const double part = l > 2.0 * depth ? 2.0 * depth / l : 1.0;
    const Vec3 half = (0.5 * depth) * m.normal;
    const double wanted = depth * (1.0 - 1e-5) - 1e-3 * m.tolerance;
    const auto fits = [&](const Vec3& point) {
        // Middle of the cores' points, not of the surfaces.
        const Vec3 middle = point - (0.5 * (m.round_a - m.round_b)) * m.normal;
        return depth_inside(work.a, middle - half) >= wanted || depth_inside(work.b, middle + half) >= wanted;
    };
    return fits(lowest->middle) || fits(lowest->middle + part * inwards);
}

bool share_a_point(const PairWork& work) {
    for (const Manifold::Point& p : work.manifold.points) {
        if (p.gap < 0.0 && depth_inside(work.a, p.middle) >= 0.0 && depth_inside(work.b, p.middle) >= 0.0)
            return true;
    }
    return false;
}

}  // namespace uptack::collision

// Cylinders and cones against every core.
//
// Separation along unit n is  s(n) = n . (q - p),  p and q the supporting points of a along n, of b along -n.
// Its largest value is the distance, or minus the depth; the n that has it is the contact's normal.  s is
// smooth on the sphere of directions except on the creases
//
//     flats    single directions: normals of faces and caps
//     curves   circles  n . z = k:  across an edge or a cylinder's axis (k = 0), or normal to a cone's side
//
// and its maximum is at a flat, where two curves cross, on one curve, or in the smooth part.  In the smooth
// part the gradient is the part of  q - p  across n and the second derivative  -(H_a + H_b) - s,  with H = (r
// / |n across the axis|) t t^T  for a rim of radius r with tangent t there, and 0 for a corner: Newton's
// method finds normals to rounding.
//
// 1. The best flat; done if its patch shows that it is the maximum (as for polytopes).
// 2. Apart: closest points say where the maximum is; creases nearby and Newton's method give it exactly.
// 3. Overlapping: from each promising direction n climb by  n' = argmax s(n') + t n . n',  which is the
// normal of
//    a and of b moved off by t n, so far that they are apart: s never falls (the proximal point method).

#include <algorithm>

#include "convex_gjk.h"
#include "convex_pair.h"

namespace uptack::collision {
namespace {

std::size_t at(int k) {
    return static_cast<std::size_t>(k);
}

/// The directions with  n . z = k.
struct Curve {
    Vec3 z{};
    double k = 0.0;
};

/// A direction, its separation, and how special it is: 0 flat, 1 crossing of curves, 2 on a curve, 3 smooth,
/// 4 nothing but tried.
struct Candidate {
    Vec3 n{};
    double separation = -infinity;
    int rank = 4;
};

/// The search for the largest  s(n) + n . shift:  b moved off by `shift`.
struct Search {
    const Placed& a;
    const Placed& b;
    double tie;               ///< values this near are equal: the more special direction wins [m]
    Vec3 shift{};             ///< [m]
    double bound = infinity;  ///< no value is larger [m]
    Candidate best;

    void offer(const Vec3& n, int rank) {
        const double value = separation(a, b, n) + dot(n, shift);
        const double edge = rank < best.rank ? tie : (rank > best.rank ? -tie : 0.0);
        if (value > best.separation - edge) best = {n, value, rank};
    }
    /// Nothing better is left to find.
    bool done() const { return best.rank < 4 && best.separation >= bound - tie; }
};

// ---- creases ----------------------------------------------------------------------------------------------

/// Calls visit(outward normal) for each flat of the core.
template <class Visit>
void each_flat(const Placed& core, Visit&& visit) {
    for (const Vec3& normal : core.normals) visit(normal);
    if (!core.curved()) return;
    visit(-core.axis);
    if (core.shape->kind == ConvexKind::cylinder) visit(core.axis);
}

/// Up to four curves of a core.
struct Curves {
    std::array<Curve, 4> curve;
    int count = 0;
    void add(const Curve& c) {
        if (count < 4) curve[at(count++)] = c;
    }
};

Curve side_curve(const Placed& core) {
    const Convex& shape = *core.shape;
    if (shape.kind == ConvexKind::cylinder) return {core.axis, 0.0};
    const double h = 2.0 * shape.half_length;
    return {core.axis, shape.radius / std::sqrt(h * h + shape.radius * shape.radius)};
}

/// Edges at the corner that supports along n, those nearest to lying across n.
void edge_curves(const Placed& core, const Vec3& n, Curves& out) {
    const int v = farthest_vertex(core, n);
    std::array<double, 4> slope{};
    const int count = static_cast<int>(core.topology->edges.size());
    for (int e = 0; e < count; ++e) {
        const Polytope::Edge& edge = core.topology->edges[at(e)];
        if (edge.from != v && edge.to != v) continue;
        const Vec3 z = direction(core.vertices[at(edge.to)] - core.vertices[at(edge.from)], {});
        if (dot(z, z) < 0.5) continue;
        const double steep = std::abs(dot(z, n));
        int place = std::min(out.count, 3);
        if (out.count == 4 && steep >= slope[3]) continue;
        out.count = std::min(out.count + 1, 4);
        for (; place > 0 && slope[at(place - 1)] > steep; --place) {
            slope[at(place)] = slope[at(place - 1)];
            out.curve[at(place)] = out.curve[at(place - 1)];
        }
        slope[at(place)] = steep;
        out.curve[at(place)] = {z, 0.0};
    }
}

/// Curves near n; `sign` -1 for b, whose outward direction is -n.
Curves curves_near(const Placed& core, const Vec3& n, double sign) {
    Curves out;
    if (core.curved()) {
        const Curve side = side_curve(core);
        out.add({side.z, sign * side.k});
    } else if (!core.topology->edges.empty()) {
        edge_curves(core, sign * n, out);
    }
    return out;
}

/// Second derivative of the core's support applied to d, at the outward direction n.
Vec3 bend(const Placed& core, const Vec3& n, const Vec3& d) {
    if (!core.curved()) return {};
    if (core.shape->kind == ConvexKind::cone && apex_leads(core, n)) return {};
    const Vec3 side = lean(core, n);
    const double l = length(side);
    if (!(l > 1e-12)) return {};
    const Vec3 t = cross(core.axis, (1.0 / l) * side);
    return (core.shape->radius / l * dot(t, d)) * t;
}

Vec3 bend(const Search& search, const Vec3& n, const Vec3& d) {
    return bend(search.a, n, d) + bend(search.b, -n, d);
}

Vec3 gradient(const Search& search, const Vec3& n) {
    return core_support(search.b, -n) + search.shift - core_support(search.a, n);
}

// ---- maxima on creases and between them -------------------------------------------------------------------

constexpr int newton_rounds = 16;

/// Newton's steps shrink, or there is no smooth maximum here.
struct Progress {
    double least = infinity;
    int wasted = 0;
    bool stalls(double step) {
        wasted = step < 0.5 * least ? 0 : wasted + 1;
        least = std::min(least, step);
        return wasted > 3;
    }
};

/// Both directions in which two curves cross, if they do.
void offer_crossings(const Curve& p, const Curve& q, Search& search) {
    const Vec3 w = cross(p.z, q.z);
    const double fold = dot(w, w);
    if (fold < 1e-16) return;
    const double c = dot(p.z, q.z);
    const Vec3 base = ((p.k - c * q.k) / fold) * p.z + ((q.k - c * p.k) / fold) * q.z;
    const double rest = (1.0 - dot(base, base)) / fold;
    if (!(rest >= 0.0)) return;
    const double root = std::sqrt(rest);
    search.offer(direction(base + root * w), 1);
    search.offer(direction(base - root * w), 1);
}

/// Newton's method for s along  n(f) = k z + l (cos f u + sin f w),  starting next to n.
void climb_curve(const Curve& curve, const Vec3& n, Search& search) {
    const double l = std::sqrt(std::max(0.0, 1.0 - curve.k * curve.k));
    Vec3 u = direction(across(curve.z, n), contact_frame(curve.z)[1]);
    Vec3 here = curve.k * curve.z + l * u;
    Progress progress;
    for (int round = 0; round < newton_rounds; ++round) {
        const Vec3 first = l * cross(curve.z, u);
        const Vec3 g = gradient(search, here);
        const double slope = dot(g, first);
        const double curvature = -dot(first, bend(search, here, first)) - l * dot(g, u);
        const double full = curvature < 0.0 ? -slope / curvature : (slope > 0.0 ? 0.1 : -0.1);
        const double step = std::clamp(full, -0.3, 0.3);
        u = direction(std::cos(step) * u + std::sin(step) * cross(curve.z, u));
        here = curve.k * curve.z + l * u;
        if (std::abs(step) < 1e-15 || progress.stalls(std::abs(step))) break;
    }
    search.offer(direction(here), 2);
}

/// Newton's method for s on the sphere.
void climb_smooth(const Vec3& start, Search& search) {
    Vec3 n = start;
    Progress progress;
    for (int round = 0; round < newton_rounds; ++round) {
        const auto frame = contact_frame(n);
        const Vec3& u = frame[1];
        const Vec3& w = frame[2];
        const Vec3 g = gradient(search, n);
        const Vec3 hu = bend(search, n, u);
        const Vec3 hw = bend(search, n, w);
        const double s = dot(n, g);
        // Minus the second derivative, lifted where it is not positive definite.
        double uu = dot(u, hu) + s;
        double ww = dot(w, hw) + s;
        const double uw = dot(u, hw);
        const double low = 0.5 * (uu + ww) - std::hypot(0.5 * (uu - ww), uw);
        const double least = 1e-3 * (search.a.size + search.b.size);
        if (low < 1e-9 * least) {
            uu += least - low;
            ww += least - low;
        }
        const double determinant = uu * ww - uw * uw;
        if (!(determinant > 0.0)) return;
        const double gu = dot(g, u);
        const double gw = dot(g, w);
        double su = (ww * gu - uw * gw) / determinant;
        double sw = (uu * gw - uw * gu) / determinant;
        const double l = std::hypot(su, sw);
        if (l > 0.3) {
            su *= 0.3 / l;
            sw *= 0.3 / l;
        }
        n = direction(n + su * u + sw * w, n);
        if (l < 1e-15 || progress.stalls(l)) break;
    }
    search.offer(n, 3);
}

/// The exact maximum next to n: most special directions first, because the bound soon says that it is found.
void polish(const Vec3& n, Search& search) {
    search.offer(n, 4);
    each_flat(search.a, [&](const Vec3& f) {
        if (dot(f, n) > 0.9) search.offer(f, 0);
    });
    each_flat(search.b, [&](const Vec3& f) {
        if (dot(f, n) < -0.9) search.offer(-f, 0);
    });
    if (search.done()) return;
    const Curves of_a = curves_near(search.a, n, 1.0);
    const Curves of_b = curves_near(search.b, n, -1.0);
    for (int i = 0; i < of_a.count; ++i) {
        for (int j = 0; j < of_b.count; ++j) offer_crossings(of_a.curve[at(i)], of_b.curve[at(j)], search);
    }
    for (int i = 0; i < of_a.count && !search.done(); ++i) climb_curve(of_a.curve[at(i)], n, search);
    for (int j = 0; j < of_b.count && !search.done(); ++j) climb_curve(of_b.curve[at(j)], n, search);
    if (!search.done()) climb_smooth(n, search);
}

// ---- overlapping cores ------------------------------------------------------------------------------------

/// Climbs from n until the separation stays, then to the very top.
void climb(const Vec3& start, double size, Search& search) {
    constexpr int most_rounds = 12;
    Vec3 n = start;
    double height = separation(search.a, search.b, n);
    for (int round = 0; round < most_rounds; ++round) {
        // A little beyond touching: a larger distance makes the closest points well defined, a smaller one
        // the steps longer.
        const Vec3 shift = (std::max(0.0, -height) + 0.02 * size) * n;
        const Closest closest = closest_points(search.a, search.b, shift, infinity);
        if (!closest.apart) break;
        Search moved{search.a, search.b, search.tie, shift, closest.distance, {}};
        polish(direction(closest.on_b - closest.on_a, n), moved);
        const double before = height;
        n = moved.best.n;
        height = moved.best.separation - dot(n, shift);
        search.offer(n, moved.best.rank);
        if (height <= before + 1e-9 * size) break;
    }
    polish(n, search);
}

/// The most promising directions, best first.
struct Starts {
    std::array<Candidate, 4> start;
    int count = 0;
    void add(const Candidate& c) {
        if (count == 4 && c.separation <= start[3].separation) return;
        int place = std::min(count, 3);
        count = std::min(count + 1, 4);
        for (; place > 0 && start[at(place - 1)].separation < c.separation; --place)
            start[at(place)] = start[at(place - 1)];
        start[at(place)] = c;
    }
};

void touch(PairWork& work, const Candidate& found) {
    work.manifold.normal = found.n;
    if (found.rank > 0) return touch_narrow(work, found.separation);
    touch_wide(work, found.separation);
    add_lowest(work, found.separation);
}

/// Whether the best so far is proven to be the best of all.
bool proven(PairWork& work, const Search& search) {
    if (search.best.rank == 4 || search.best.separation >= 0.0) return false;
    touch(work, search.best);
    return holds_ball(work, -search.best.separation);
}

/// The normal of a curved core's side where the point p is nearest to it; the caller's core is curved.
Vec3 side_normal_towards(const Placed& core, const Vec3& p) {
    const Curve side = side_curve(core);
    const double l = std::sqrt(std::max(0.0, 1.0 - side.k * side.k));
    return direction(l * outward(core, p - core.centre) + side.k * core.axis);
}

/// Flats, sides, the direction of the centres and a coarse net around the curved core.
Starts promising(const Search& search) {
    Starts starts;
    const auto offer = [&](const Vec3& n) { starts.add({n, separation(search.a, search.b, n), 4}); };
    offer(direction(search.b.centre - search.a.centre));
    each_flat(search.a, [&](const Vec3& f) { offer(f); });
    each_flat(search.b, [&](const Vec3& f) { offer(-f); });
    if (search.a.curved()) offer(side_normal_towards(search.a, search.b.centre));
    if (search.b.curved()) offer(-side_normal_towards(search.b, search.a.centre));
    const Placed& core = search.a.curved() ? search.a : search.b;
    for (int k = 0; k < 27; ++k) {
        const int row = k / 3;
        const int layer = k / 9;
        const Vec3 d{k % 3 - 1.0, row % 3 - 1.0, layer - 1.0};
        if (k != 13) offer(direction(core.turn * d));  // 13 is the centre
    }
    return starts;
}

/// The normal of the cores shrunk until they are apart: next to the best where they overlap by little,
/// however narrow the hill it stands on.
bool shrunk_normal(const Search& search, Vec3& n) {
    for (const double scale : {0.99, 0.9, 0.5}) {
        const Closest closest = closest_points(search.a, search.b, {}, infinity, scale);
        if (!closest.apart) continue;
        n = direction(closest.on_b - closest.on_a);
        return true;
    }
    return false;
}

/// First the quick way from the best start, which ends most pairs; then all of them.
void climb_from_everywhere(PairWork& work, double total, Search& search) {
    const double size = work.a.size + work.b.size;
    const Starts starts = promising(search);
    polish(starts.start[0].n, search);
    if (proven(work, search)) return;
    if (Vec3 n; shrunk_normal(search, n)) {
        const double before = search.best.separation;
        polish(n, search);
        if (search.best.separation > before) {
            climb(n, size, search);
            if (proven(work, search)) return;
        }
    }
    for (int k = 0; k < starts.count; ++k) {
        const Vec3& n = starts.start[at(k)].n;
        // Not again up the hill that the best so far was found on.
        if (k > 0 && search.best.rank < 4 && dot(n, search.best.n) > 0.99) continue;
        climb(n, size, search);
        if (proven(work, search)) return;
    }
    climb(search.best.n, size, search);
    work.manifold.points.clear();
    if (search.best.separation < total) touch(work, search.best);
}

Candidate best_flat(const PairWork& work, double tie) {
    Search search{work.a, work.b, 0.0, {}, infinity, {}};
    each_flat(work.a, [&](const Vec3& f) { search.offer(f, 0); });
    Search other{work.a, work.b, 0.0, {}, infinity, {}};
    each_flat(work.b, [&](const Vec3& f) { other.offer(-f, 0); });
    return other.best.separation > search.best.separation + tie ? other.best : search.best;
}

}  // namespace

void touch_curved(PairWork& work, double reach) {
    Manifold& m = work.manifold;
    m.begin(work.a, work.b, reach);
    const double size = work.a.size + work.b.size;
    const double total = reach + work.a.round + work.b.round;
    const Candidate flat = best_flat(work, 1e-9 * size);
    if (flat.separation >= total) return;
    m.normal = flat.n;
    touch_wide(work, flat.separation);
    if (flat.separation >= 0.0 && m.lowest <= flat.separation + m.tolerance) return;
    if (flat.separation < 0.0 && holds_ball(work, -flat.separation)) return;
    m.points.clear();
    Search search{work.a, work.b, 1e-14 * size, {}, infinity, flat};
    const Closest closest = closest_points(work.a, work.b, {}, total);
    const bool apart = closest.apart && closest.distance > 1e-6 * size;
    if (apart && closest.distance >= total + 1e-6 * size) return;
    if (!apart) return climb_from_everywhere(work, total, search);
    search.bound = closest.distance;
    polish(direction(closest.on_b - closest.on_a), search);
    if (search.best.separation < total) touch(work, search.best);
}

}  // namespace uptack::collision

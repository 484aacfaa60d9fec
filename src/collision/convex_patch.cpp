#include "convex_patch.h"

#include <algorithm>
#include <numeric>

namespace uptack::collision {
namespace {

constexpr int rim_points = 6;  // fixed on the rim of a cap; the lowest point of a tilted rim comes on top

std::size_t at(int k) {
    return static_cast<std::size_t>(k);
}

void set_point(const Vec3& p, int vertex, Patch& out) {
    out.kind = PatchKind::point;
    out.corners.assign(1, {.p = p, .vertex = vertex, .edge = 0});
}

void set_segment(const PatchCorner& from, const PatchCorner& to, Patch& out) {
    out.kind = PatchKind::segment;
    out.corners.assign({from, to});
}

void edge_patch(const Placed& core, int edge, Patch& out) {
    const Polytope::Edge& e = core.topology->edges[at(edge)];
    set_segment({core.vertices[at(e.from)], e.from, edge}, {core.vertices[at(e.to)], e.to, edge}, out);
}

/// Cap at -z (0) or +z (1) as a disc.
void cap_patch(const Placed& core, int cap, const Vec3& n, Patch& out) {
    const Convex& shape = *core.shape;
    const double sign = cap == 0 ? -1.0 : 1.0;
    out.kind = PatchKind::disc;
    out.face = out.rim = cap;
    out.normal = sign * core.axis;
    out.centre = core.centre + shape.half_length * out.normal;
    out.radius = shape.radius;
    out.corners.clear();
    constexpr double half_root = 0.86602540378443864676;  // sin 60 degrees
    constexpr std::array<double, rim_points> cosine{1.0, 0.5, -0.5, -1.0, -0.5, 0.5};
    constexpr std::array<double, rim_points> sine{0.0, half_root, half_root, 0.0, -half_root, -half_root};
    const Vec3 x = shape.radius * column(core.turn, 0);
    const Vec3 y = shape.radius * column(core.turn, 1);
    for (int k = 0; k < rim_points; ++k) {
        const Vec3 p = out.centre + cosine[at(k)] * x + sine[at(k)] * y;
        out.corners.push_back({p, (cap == 0 ? 2 : 32) + k, cap});
    }
    constexpr double flat =
        1e-7;  // below this tilt [rad] the fixed points are as low as the lowest, to 1e-8 r
    const Vec3 side = lean(core, n);
    if (dot(side, side) > flat * flat)
        out.corners.push_back({out.centre + shape.radius * direction(side), cap, cap});
}

/// The line on the side that looks along n: from the lower rim to the upper one, or to the apex.
void side_patch(const Placed& core, const Vec3& n, Patch& out) {
    const Convex& shape = *core.shape;
    const Vec3 rise = shape.half_length * core.axis;
    const Vec3 out_there = shape.radius * outward(core, n);
    const bool cone = shape.kind == ConvexKind::cone;
    const Vec3 bottom = core.centre - rise + out_there;
    const Vec3 top = cone ? core.centre + rise : core.centre + rise + out_there;
    set_segment({bottom, 0, 2}, {top, 1, 2}, out);
    out.face = 2;
    out.bend = cone ? 0.0 : shape.radius;
}

void curved_wide_patch(const Placed& core, const Vec3& n, Patch& out) {
    const Convex& shape = *core.shape;
    const double up = dot(core.axis, n);
    const double side = length(lean(core, n));
    if (shape.kind == ConvexKind::cylinder) {
        if (std::abs(up) > side) return cap_patch(core, up > 0.0 ? 1 : 0, n, out);
        return side_patch(core, n, out);
    }
    // Which normal is nearer: the base's, -z, or the side's, (2 h, r) / slant in (side, up).
    const double h = 2.0 * shape.half_length;
    const double slant = std::sqrt(h * h + shape.radius * shape.radius);
    if (-up * slant > h * side + shape.radius * up) return cap_patch(core, 0, n, out);
    // Towards the apex the line leaves the other body at once: the apex alone.
    if (up * slant > h * side + shape.radius * up)
        return set_point(core.centre + shape.half_length * core.axis, 1, out);
    side_patch(core, n, out);
}

constexpr double narrow_line = 1e-2;  // slope [rad] up to which a line on a round side counts as touching
constexpr double narrow_edge = 1e-3;  // the same of a sharp edge

void curved_narrow_patch(const Placed& core, const Vec3& n, Patch& out) {
    const Convex& shape = *core.shape;
    const double up = dot(core.axis, n);
    const double h = 2.0 * shape.half_length;
    double slope = std::abs(up);
    bool top = up > 0.0;
    if (shape.kind == ConvexKind::cone) {
        const double rise = h * up - shape.radius * length(lean(core, n));
        slope = std::abs(rise) / std::sqrt(h * h + shape.radius * shape.radius);
        top = rise >= 0.0;
    }
    if (slope < narrow_line) return side_patch(core, n, out);
    set_point(core_support(core, n), top ? 1 : 0, out);
}

void polytope_narrow_patch(const Placed& core, const Vec3& n, Patch& out) {
    const int v = farthest_vertex(core, n);
    int best = -1;
    double least = narrow_edge;
    const int count = static_cast<int>(core.topology->edges.size());
    for (int e = 0; e < count; ++e) {
        const Polytope::Edge& edge = core.topology->edges[at(e)];
        if (edge.from != v && edge.to != v) continue;
        const Vec3 d = core.vertices[at(edge.to)] - core.vertices[at(edge.from)];
        const double slope = std::abs(dot(n, direction(d, n)));
        if (slope < least) {
            least = slope;
            best = e;
        }
    }
    if (best < 0) return set_point(core.vertices[at(v)], v, out);
    edge_patch(core, best, out);
}

void segment_patch(const Placed& core, const Vec3& n, double steepest, Patch& out) {
    const int v = farthest_vertex(core, n);
    if (std::abs(dot(core.axis, n)) > steepest) return set_point(core.vertices[at(v)], v, out);
    edge_patch(core, 0, out);
    out.bend = core.round;
}

// ---- intersections ---------------------------------------------------------------------------------------

/// The pair of patches as intersect() sees it: `lower` says on which side of the normal the first one is.
struct Side {
    Manifold* manifold = nullptr;
    bool first_is_a = true;
};

void add(const Side& side, const Vec3& on_first, const Vec3& on_second, const Element& first,
         const Element& second) {
    if (side.first_is_a) {
        side.manifold->add(on_first, on_second, feature(first, second));
    } else {
        side.manifold->add(on_second, on_first, feature(second, first));
    }
}

/// The point of the patch's plane straight above or below q.
Vec3 lift(const Patch& plane, const Vec3& n, const Vec3& q) {
    const Vec3& origin = plane.kind == PatchKind::disc ? plane.centre : plane.corners.front().p;
    const double lean = dot(plane.normal, n);
    if (std::abs(lean) < 1e-6) return q;
    return q - (dot(plane.normal, q - origin) / lean) * n;
}

/// Outward normal, not of unit length, of the side plane over edge k of a polygon.
Vec3 side_normal(const Patch& polygon, const Vec3& n, std::size_t k) {
    const std::vector<PatchCorner>& c = polygon.corners;
    const Vec3 along = c[k + 1 < c.size() ? k + 1 : 0].p - c[k].p;
    const Vec3 up = dot(n, polygon.normal) < 0.0 ? -n : n;
    return direction(cross(along, up), {});
}

bool inside_polygon(const Patch& polygon, const Vec3& n, const Vec3& q, double tolerance) {
    for (std::size_t k = 0; k < polygon.corners.size(); ++k) {
        if (dot(side_normal(polygon, n, k), q - polygon.corners[k].p) > tolerance) return false;
    }
    return true;
}

/// Label of side k of the reference in PatchCorner::edge while clipping; edges of the incident patch are >=
/// 0.
int side_label(std::size_t k) {
    return -1 - static_cast<int>(k);
}
std::size_t label_side(int label) {
    return static_cast<std::size_t>(-1 - label);
}

/// One round of Sutherland and Hodgman.  Corners within the tolerance of the plane stay what they are.
void clip_by_side(const Patch& reference, const Vec3& n, std::size_t k, double tolerance, ClipStore& store) {
    const Vec3 outward = side_normal(reference, n, k);
    const Vec3& foot = reference.corners[k].p;
    store.next.clear();
    const std::vector<PatchCorner>& in = store.polygon;
    for (std::size_t i = 0; i < in.size(); ++i) {
        const PatchCorner& p = in[i];
        const PatchCorner& q = in[i + 1 < in.size() ? i + 1 : 0];
        const double dp = dot(outward, p.p - foot);
        const double dq = dot(outward, q.p - foot);
        const bool p_in = dp <= tolerance;
        const bool q_in = dq <= tolerance;
        if (p_in) store.next.push_back(p);
        if (p_in == q_in) continue;
        const double inner = p_in ? dp : dq;
        if (inner >= -tolerance) {  // the corner kept lies on the plane and is the crossing itself
            if (p_in) store.next.back().edge = side_label(k);
            continue;
        }
        const Vec3 crossing = p.p + (dp / (dp - dq)) * (q.p - p.p);
        store.next.push_back({crossing, -1, p_in ? side_label(k) : p.edge});
    }
    std::swap(store.polygon, store.next);
}

/// What a corner made by clipping is: an edge over an edge, or a corner of the reference over the face.
std::pair<Element, Element> clipped_elements(const Patch& reference, const Patch& incident, int before,
                                             int after) {
    const std::vector<PatchCorner>& c = reference.corners;
    if (before >= 0 || after >= 0) {
        const std::size_t side = label_side(before >= 0 ? after : before);
        const int edge = before >= 0 ? before : after;
        return {{Rank::edge, c[side].edge}, {Rank::edge, edge}};
    }
    const std::size_t j = label_side(before);
    const std::size_t k = label_side(after);
    if ((j + 1) % c.size() == k) return {{Rank::vertex, c[k].vertex}, {Rank::face, incident.face}};
    if ((k + 1) % c.size() == j) return {{Rank::vertex, c[j].vertex}, {Rank::face, incident.face}};
    return {{Rank::edge, c[j].edge}, {Rank::face, incident.face}};
}

/// Distance of p from the line through q and r, seen along n.
double deviation(const Vec3& n, const Vec3& p, const Vec3& q, const Vec3& r) {
    const Vec3 along = across(n, r - q);
    const Vec3 arm = across(n, p - q);
    const double span = length(along);
    return span > 0.0 ? length(cross(along, arm)) / span : length(arm);
}

/// Lists the corners to keep: not those that lie within `bulge` of the line between their neighbours,
/// flattest first.  Edges that all but coincide cross somewhere along their length, and somewhere else in
/// every step; a load that wanders so could not be started warm.  What is lower than its neighbours stays: it
/// may be the lowest, whose gap is the bodies' distance.
void thin_out(const Patch& reference, const Side& side, ClipStore& store) {
    const Manifold& manifold = *side.manifold;
    const Vec3& n = manifold.normal;
    const std::vector<PatchCorner>& out = store.polygon;
    std::vector<std::size_t>& kept = store.kept;
    kept.resize(out.size());
    std::iota(kept.begin(), kept.end(), std::size_t{0});
    const Vec3 up = side.first_is_a ? n : -n;
    const auto height = [&](const Vec3& p) { return dot(up, p - lift(reference, n, p)); };
    while (kept.size() > 3) {
        std::size_t flattest = kept.size();
        double least = manifold.bulge;
        for (std::size_t k = 0; k < kept.size(); ++k) {
            const Vec3& p = out[kept[k]].p;
            const Vec3& before = out[kept[k > 0 ? k - 1 : kept.size() - 1]].p;
            const Vec3& after = out[kept[k + 1 < kept.size() ? k + 1 : 0]].p;
            const double d = deviation(n, p, before, after);
            if (d >= least) continue;
            if (height(p) < std::min(height(before), height(after)) - manifold.tolerance) continue;
            least = d;
            flattest = k;
        }
        if (flattest == kept.size()) return;
        kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(flattest));
    }
}

void polygon_on_polygon(const Patch& reference, const Patch& incident, ClipStore& store, const Side& side) {
    const Vec3& n = side.manifold->normal;
    store.polygon = incident.corners;
    for (std::size_t k = 0; k < reference.corners.size(); ++k)
        clip_by_side(reference, n, k, side.manifold->tolerance, store);
    thin_out(reference, side, store);
    const std::vector<PatchCorner>& out = store.polygon;
    for (const std::size_t i : store.kept) {
        const Vec3 foot = lift(reference, n, out[i].p);
        if (out[i].vertex >= 0) {
            add(side, foot, out[i].p, {Rank::face, reference.face}, {Rank::vertex, out[i].vertex});
            continue;
        }
        const int before = out[i > 0 ? i - 1 : out.size() - 1].edge;
        if (before >= 0 && out[i].edge >= 0) continue;
        const auto [first, second] = clipped_elements(reference, incident, before, out[i].edge);
        add(side, foot, out[i].p, first, second);
    }
}

/// A segment while it is being clipped: parameters of its ends, and what each end has become.
struct Interval {
    double from = 0.0;
    double to = 1.0;
    int from_cut = -1;  ///< side or crossing that cut it, or -1: still the corner
    int to_cut = -1;
};

void add_interval(const Interval& part, const Patch& plane, const Patch& segment, const Side& side) {
    if (part.from > part.to) return;
    const Vec3& n = side.manifold->normal;
    const Vec3& p = segment.corners[0].p;
    const Vec3 along = segment.corners[1].p - p;
    const auto cut_element = [&](int cut) {
        if (plane.kind == PatchKind::disc) return Element{Rank::edge, 2 + 2 * plane.rim + cut};
        return Element{Rank::edge, plane.corners[at(cut)].edge};
    };
    const auto end = [&](double t, int cut, const PatchCorner& corner) {
        const Vec3 q = cut < 0 ? corner.p : p + t * along;
        const Vec3 foot = lift(plane, n, q);
        if (cut < 0) {
            add(side, foot, q, {Rank::face, plane.face}, {Rank::vertex, corner.vertex});
        } else {
            add(side, foot, q, cut_element(cut), {Rank::edge, corner.edge});
        }
    };
    end(part.from, part.from_cut, segment.corners[0]);
    end(part.to, part.to_cut, segment.corners[1]);
}

void segment_on_polygon(const Patch& reference, const Patch& segment, const Side& side) {
    const Vec3& n = side.manifold->normal;
    const double tolerance = side.manifold->tolerance;
    const Vec3& p = segment.corners[0].p;
    const Vec3& q = segment.corners[1].p;
    Interval part;
    for (std::size_t k = 0; k < reference.corners.size(); ++k) {
        const Vec3 outward = side_normal(reference, n, k);
        const double dp = dot(outward, p - reference.corners[k].p);
        const double dq = dot(outward, q - reference.corners[k].p);
        if (dp > tolerance && dq > tolerance) return;
        if (dp <= tolerance && dq <= tolerance) continue;
        const double t = std::clamp(dp / (dp - dq), 0.0, 1.0);
        if (dp > tolerance && t > part.from) {
            part.from = t;
            part.from_cut = static_cast<int>(k);
        } else if (dq > tolerance && t < part.to) {
            part.to = t;
            part.to_cut = static_cast<int>(k);
        }
    }
    add_interval(part, reference, segment, side);
}

/// Where p + t along, seen along n, is in the disc: false if nowhere.  The ends of the interval are not
/// limited to the segment.
bool line_in_disc(const Patch& disc, const Vec3& p, const Vec3& along, double& from, double& to) {
    const Vec3 e = across(disc.normal, along);
    const Vec3 arm = across(disc.normal, p - disc.centre);
    const double square = dot(e, e);
    if (!(square > 0.0)) return false;
    const double middle = -dot(arm, e) / square;
    const Vec3 nearest = arm + middle * e;
    const double rest = disc.radius * disc.radius - dot(nearest, nearest);
    if (!(rest > 0.0)) return false;
    const double half = std::sqrt(rest / square);
    from = middle - half;
    to = middle + half;
    return true;
}

bool inside_disc(const Patch& disc, const Vec3& n, const Vec3& q, double tolerance) {
    const Vec3 arm = lift(disc, n, q) - disc.centre;
    const double most = disc.radius + tolerance;
    return dot(arm, arm) <= most * most;
}

void segment_on_disc(const Patch& disc, const Patch& segment, const Side& side) {
    const Vec3& n = side.manifold->normal;
    const Vec3 p = lift(disc, n, segment.corners[0].p);
    const Vec3 q = lift(disc, n, segment.corners[1].p);
    double from = 0.0;
    double to = 1.0;
    if (!line_in_disc(disc, p, q - p, from, to)) return;
    Interval part;
    const double slack = side.manifold->tolerance / std::max(length(q - p), side.manifold->tolerance);
    if (from > slack) part = {from, part.to, 0, part.to_cut};
    if (to < 1.0 - slack) part = {part.from, to, part.from_cut, 1};
    add_interval(part, disc, segment, side);
}

void disc_on_polygon(const Patch& disc, const Patch& polygon, const Side& side) {
    const Vec3& n = side.manifold->normal;
    const double tolerance = side.manifold->tolerance;
    std::size_t inside = 0;
    for (const PatchCorner& c : disc.corners) {
        if (!inside_polygon(polygon, n, c.p, tolerance)) continue;
        ++inside;
        add(side, c.p, lift(polygon, n, c.p), {Rank::vertex, c.vertex}, {Rank::face, polygon.face});
    }
    const std::size_t count = polygon.corners.size();
    for (std::size_t k = 0; k < count; ++k) {
        const PatchCorner& c = polygon.corners[k];
        const Vec3 p = lift(disc, n, c.p);
        if (inside_disc(disc, n, c.p, -tolerance))
            add(side, p, c.p, {Rank::face, disc.face}, {Rank::vertex, c.vertex});
        const Vec3& far = polygon.corners[k + 1 < count ? k + 1 : 0].p;
        double from = 0.0;
        double to = 0.0;
        if (!line_in_disc(disc, p, lift(disc, n, far) - p, from, to)) continue;
        const auto cut = [&](double t, int which) {
            if (!(t > 0.0 && t < 1.0)) return;
            const Vec3 q = c.p + t * (far - c.p);
            add(side, lift(disc, n, q), q, {Rank::edge, 2 + 2 * disc.rim + which}, {Rank::edge, c.edge});
        };
        cut(from, 0);
        cut(to, 1);
    }
}

/// Rim points of `disc` in the other, all of them or only those not on its rim as well.
void rim_on_disc(const Patch& disc, const Patch& other, double tolerance, const Side& side) {
    const Vec3& n = side.manifold->normal;
    for (const PatchCorner& c : disc.corners) {
        if (!inside_disc(other, n, c.p, tolerance)) continue;
        add(side, c.p, lift(other, n, c.p), {Rank::vertex, c.vertex}, {Rank::face, other.face});
    }
}

void disc_on_disc(const Patch& a, const Patch& b, Manifold& manifold) {
    const Vec3& n = manifold.normal;
    const Side ahead{&manifold, true};
    const Side behind{&manifold, false};
    rim_on_disc(a, b, manifold.tolerance, ahead);
    rim_on_disc(b, a, -manifold.tolerance, behind);
    constexpr double parallel = 1.0 - 5e-7;  // cosine of the tilt up to which circles look like circles
    if (dot(a.normal, n) < parallel || -dot(b.normal, n) < parallel) return;
    // Where the circles cross: at distance x along the line of centres, y to both sides.
    const Vec3 apart = across(n, b.centre - a.centre);
    const double d = length(apart);
    if (d <= manifold.tolerance) return;
    const double x = 0.5 * (d * d + a.radius * a.radius - b.radius * b.radius) / d;
    const double square = a.radius * a.radius - x * x;
    if (!(square > 0.0)) return;
    const Vec3 along = (1.0 / d) * apart;
    const Vec3 beside = std::sqrt(square) * cross(n, along);
    for (int k = 0; k < 2; ++k) {
        const Vec3 p = lift(a, n, a.centre + x * along + (k == 0 ? beside : -beside));
        add(ahead, p, lift(b, n, p), {Rank::edge, 2 + 2 * a.rim + k}, {Rank::edge, b.rim});
    }
}

/// A segment seen along the normal.
struct Shadow {
    Vec3 p{};
    Vec3 along{};
    double square = 0.0;
};

Shadow shadow(const Patch& segment, const Vec3& n) {
    Shadow out;
    out.p = across(n, segment.corners[0].p);
    out.along = across(n, segment.corners[1].p - segment.corners[0].p);
    out.square = dot(out.along, out.along);
    return out;
}

Vec3 on_segment(const Patch& segment, double t) {
    return segment.corners[0].p + t * (segment.corners[1].p - segment.corners[0].p);
}

/// The parallel part: from the overlap's one end to the other.  Round sides that cross at a small angle open
/// towards the ends: a shift by s over the distance d of their axes costs  sqrt(d^2 + s^2) - d.
void along_each_other(const Patch& a, const Patch& b, const Shadow& sa, const Shadow& sb,
                      Manifold& manifold) {
    const auto on_a = [&](const Vec3& p) { return dot(p - sa.p, sa.along) / sa.square; };
    const auto on_b = [&](const Vec3& p) {
        return std::clamp(dot(p - sb.p, sb.along) / sb.square, 0.0, 1.0);
    };
    double b0 = on_a(sb.p);
    double b1 = on_a(sb.p + sb.along);
    const bool reversed = b0 > b1;
    if (reversed) std::swap(b0, b1);
    const double from = std::max(0.0, b0);
    const double to = std::min(1.0, b1);
    if (from > to) return;
    const auto end = [&](double t, bool corner_of_a, int a_corner, int b_corner) {
        const Vec3 p = on_segment(a, t);
        const Vec3 q = on_segment(b, on_b(across(manifold.normal, p)));
        const Vec3 slip = across(manifold.normal, q - p);
        const double bend = a.bend + b.bend;
        // Sharp edges that pass each other by, beyond what their small angle makes, do not meet here.
        const double most = manifold.tolerance + narrow_edge * std::sqrt(sa.square);
        if (!(bend > 0.0) && dot(slip, slip) > most * most) return;
        const double d = dot(manifold.normal, q - p) - manifold.round_a - manifold.round_b + bend;
        const double opening = bend > 0.0 && d > 0.0 ? std::sqrt(d * d + dot(slip, slip)) - d : 0.0;
        const Element of_a = corner_of_a ? Element{Rank::vertex, a.corners[at(a_corner)].vertex}
                                         : Element{Rank::edge, a.corners[0].edge};
        const Element of_b = corner_of_a ? Element{Rank::edge, b.corners[0].edge}
                                         : Element{Rank::vertex, b.corners[at(b_corner)].vertex};
        manifold.add(p, q, feature(of_a, of_b), opening);
    };
    constexpr double same = 1e-7;  // of a's length: ends this near each other are called a's
    end(from, b0 <= same, 0, reversed ? 1 : 0);
    end(to, b1 >= 1.0 - same, 1, reversed ? 0 : 1);
}

void segment_on_segment(const Patch& a, const Patch& b, double lowest, Manifold& manifold) {
    const Shadow sa = shadow(a, manifold.normal);
    const Shadow sb = shadow(b, manifold.normal);
    if (!(sa.square > 0.0 && sb.square > 0.0)) return;
    const Vec3 turn = cross(sa.along, sb.along);
    const double sine = std::sqrt(dot(turn, turn) / (sa.square * sb.square));
    const double parallel = a.bend + b.bend > 0.0 ? 5e-2 : narrow_edge;
    if (sine < parallel) along_each_other(a, b, sa, sb, manifold);
    if (sine < 1e-9) return;
    const double fold = dot(turn, turn);
    const Vec3 gap = sb.p - sa.p;
    const double s = std::clamp(dot(cross(gap, sb.along), turn) / fold, 0.0, 1.0);
    const double t = std::clamp(dot(cross(gap, sa.along), turn) / fold, 0.0, 1.0);
    const Vec3 p = on_segment(a, s);
    const Vec3 q = on_segment(b, t);
    const double height = dot(manifold.normal, q - p);
    const Vec3 slip = across(manifold.normal, q - p);
    // Only where they truly cross, at the lowest place, and no end of the parallel part is as low.
    if (dot(slip, slip) > manifold.tolerance * manifold.tolerance || height > lowest + manifold.tolerance)
        return;
    if (manifold.lowest <= height + 1e-2 * manifold.tolerance) return;
    manifold.add(p, q, feature({Rank::edge, a.corners[0].edge}, {Rank::edge, b.corners[0].edge}));
}

void point_on(const Patch& point, const Patch& other, const Side& side) {
    const Vec3& n = side.manifold->normal;
    const Vec3& p = point.corners[0].p;
    const Element vertex{Rank::vertex, point.corners[0].vertex};
    if (other.kind == PatchKind::point)
        return add(side, p, other.corners[0].p, vertex, {Rank::vertex, other.corners[0].vertex});
    if (other.kind == PatchKind::segment) {
        const Shadow s = shadow(other, n);
        const double t =
            s.square > 0.0 ? std::clamp(dot(across(n, p) - s.p, s.along) / s.square, 0.0, 1.0) : 0.0;
        return add(side, p, on_segment(other, t), vertex, {Rank::edge, other.corners[0].edge});
    }
    const double tolerance = side.manifold->tolerance;
    const bool inside = other.kind == PatchKind::disc ? inside_disc(other, n, p, tolerance)
                                                      : inside_polygon(other, n, p, tolerance);
    if (inside) add(side, p, lift(other, n, p), vertex, {Rank::face, other.face});
}

/// `first` is a polygon or a disc and `second` is no wider kind.
void on_plane(const Patch& first, const Patch& second, ClipStore& store, const Side& side) {
    if (second.kind == PatchKind::segment) {
        if (first.kind == PatchKind::disc) return segment_on_disc(first, second, side);
        return segment_on_polygon(first, second, side);
    }
    if (first.kind == PatchKind::disc) return disc_on_polygon(first, second, side);
    polygon_on_polygon(first, second, store, side);
}

}  // namespace

std::uint32_t feature(const Element& a, const Element& b) {
    constexpr std::uint32_t mask = (1U << 14U) - 1U;
    return static_cast<std::uint32_t>(a.rank) << 30U | static_cast<std::uint32_t>(b.rank) << 28U |
           (static_cast<std::uint32_t>(a.index) & mask) << 14U | (static_cast<std::uint32_t>(b.index) & mask);
}

void Manifold::begin(const Placed& a, const Placed& b, double wanted_reach) {
    reach = wanted_reach;
    round_a = a.round;
    round_b = b.round;
    tolerance = 1e-8 * (a.size + b.size + a.round + b.round);
    bulge = std::max(tolerance, 1e-3 * std::min(a.size, b.size));
    lowest = infinity;
    points.clear();
}

void Manifold::add(const Vec3& on_a, const Vec3& on_b, std::uint32_t id, double opening) {
    const Vec3 apart = on_b - on_a;
    const double height = dot(normal, apart) + opening;
    lowest = std::min(lowest, height);
    const double gap = height - round_a - round_b;
    if (!(gap < reach)) return;
    points.push_back(
        {0.5 * (on_a + on_b + (round_a - round_b) * normal), gap, id, length(across(normal, apart))});
}

void face_patch(const Placed& core, int face, Patch& out) {
    out.kind = PatchKind::polygon;
    out.face = face;
    out.normal = core.normals[at(face)];
    out.corners.clear();
    const Polytope& topology = *core.topology;
    for (int k = topology.loop_begin[at(face)]; k < topology.loop_begin[at(face + 1)]; ++k) {
        const int v = topology.loops[at(k)];
        out.corners.push_back({core.vertices[at(v)], v, topology.loop_edges[at(k)]});
    }
}

void wide_patch(const Placed& core, const Vec3& n, Patch& out) {
    out.bend = 0.0;
    if (core.curved()) return curved_wide_patch(core, n, out);
    if (core.vertices.size() == 1) return set_point(core.vertices[0], 0, out);
    if (core.vertices.size() == 2) return segment_patch(core, n, 0.7, out);
    face_patch(core, nearest_face(core, n), out);
}

void narrow_patch(const Placed& core, const Vec3& n, Patch& out) {
    out.bend = 0.0;
    if (core.curved()) return curved_narrow_patch(core, n, out);
    if (core.vertices.size() == 1) return set_point(core.vertices[0], 0, out);
    if (core.vertices.size() == 2) return segment_patch(core, n, narrow_line, out);
    polytope_narrow_patch(core, n, out);
}

void intersect(const Patch& a, const Patch& b, double lowest, ClipStore& store, Manifold& manifold) {
    const Side ahead{&manifold, true};
    const Side behind{&manifold, false};
    if (a.kind == PatchKind::point) return point_on(a, b, ahead);
    if (b.kind == PatchKind::point) return point_on(b, a, behind);
    if (a.kind == PatchKind::segment && b.kind == PatchKind::segment)
        return segment_on_segment(a, b, lowest, manifold);
    if (a.kind == PatchKind::disc && b.kind == PatchKind::disc) return disc_on_disc(a, b, manifold);
    if (a.kind == PatchKind::polygon && b.kind == PatchKind::polygon) {
        // The face that looks along the normal is the reference; a where both do.
        const bool a_first = dot(a.normal, manifold.normal) >= -dot(b.normal, manifold.normal) - 1e-12;
        return a_first ? on_plane(a, b, store, ahead) : on_plane(b, a, store, behind);
    }
    const bool a_first = a.kind > b.kind;  // disc before polygon before segment
    a_first ? on_plane(a, b, store, ahead) : on_plane(b, a, store, behind);
}

void reduce(std::vector<Manifold::Point>& points) {
    constexpr std::size_t most = 8;
    if (points.size() <= most) return;
    std::size_t deepest = 0;
    for (std::size_t k = 1; k < points.size(); ++k) {
        if (points[k].gap < points[deepest].gap) deepest = k;
    }
    std::swap(points[0], points[deepest]);
    for (std::size_t taken = 1; taken < most; ++taken) {
        std::size_t best = taken;
        double farthest = -1.0;
        for (std::size_t k = taken; k < points.size(); ++k) {
            double nearest = infinity;
            for (std::size_t j = 0; j < taken; ++j) {
                const Vec3 d = points[k].middle - points[j].middle;
                nearest = std::min(nearest, dot(d, d));
            }
            if (nearest > farthest) {
                farthest = nearest;
                best = k;
            }
        }
        std::swap(points[taken], points[best]);
    }
    points.resize(most);
}

}  // namespace uptack::collision

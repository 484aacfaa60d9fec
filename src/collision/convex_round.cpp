// Points and segments grown by radii: spheres and capsules among themselves.

#include <algorithm>

#include "convex_pair.h"

namespace uptack::collision {
namespace {

struct Line {
    Vec3 p{};
    Vec3 along{};  ///< zero for a point
};

Line line(const Placed& core) {
    return {core.vertices.front(), core.vertices.back() - core.vertices.front()};
}

/// Parameters in [0, 1] of the closest points: first that of a for endless lines, then b's for it, then a's
/// for that; clamped each time, which is exact for two segments.
std::pair<double, double> closest(const Line& a, const Line& b) {
    const Vec3 gap = a.p - b.p;
    const double aa = dot(a.along, a.along);
    const double bb = dot(b.along, b.along);
    const double ab = dot(a.along, b.along);
    const double ag = dot(a.along, gap);
    const double bg = dot(b.along, gap);
    const auto within = [](double t) { return std::clamp(t, 0.0, 1.0); };
    if (!(aa > 0.0)) return {0.0, bb > 0.0 ? within(bg / bb) : 0.0};
    if (!(bb > 0.0)) return {within(-ag / aa), 0.0};
    const Vec3 turn = cross(a.along, b.along);  // its square is aa bb - ab^2 without cancellation
    const double fold = dot(turn, turn);
    double s = fold > 1e-24 * aa * bb ? within((ab * bg - ag * bb) / fold) : 0.5;
    const double t = within((ab * s + bg) / bb);
    s = within((ab * t - ag) / aa);
    return {s, t};
}

Vec3 any_across(const Vec3& axis) {
    return contact_frame(axis)[1];
}

/// Where the cores meet: out of the plane of both, which is never longer than a way within it.
Vec3 way_out(const PairWork& work) {
    const Line a = line(work.a);
    const Line b = line(work.b);
    const Vec3 turn = cross(a.along, b.along);
    if (dot(turn, turn) > 1e-20 * dot(a.along, a.along) * dot(b.along, b.along)) return direction(turn);
    if (work.b.size > 0.0) return any_across(work.b.axis);
    return any_across(work.a.axis);
}

}  // namespace

void touch_round(PairWork& work, double reach) {
    Manifold& m = work.manifold;
    m.begin(work.a, work.b, reach);
    const Line a = line(work.a);
    const Line b = line(work.b);
    const auto [s, t] = closest(a, b);
    const Vec3 apart = (b.p + t * b.along) - (a.p + s * a.along);
    const double distance = length(apart);
    if (distance >= reach + m.round_a + m.round_b) return;
    constexpr double nothing = 1e-14;  // of the size: a distance that rounding makes
    m.normal = distance > nothing * (work.a.size + work.b.size) ? direction(apart) : way_out(work);
    touch_narrow(work, separation(work.a, work.b, m.normal));
}

}  // namespace uptack::collision

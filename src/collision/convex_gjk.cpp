#include "convex_gjk.h"

#include <algorithm>
#include <cmath>

namespace uptack::collision {
namespace {

struct Corner {
    Vec3 w{};  ///< on_a - on_b
    Vec3 on_a{};
    Vec3 on_b{};
    double weight = 0.0;
};

struct Simplex {
    std::array<Corner, 4> corner;
    int count = 0;
};

Corner& at(Simplex& s, int k) {
    return s.corner[static_cast<std::size_t>(k)];
}

/// Weights of the point nearest to the origin, corner by corner; zero where a corner is not needed.
struct Nearest {
    std::array<double, 4> weight{};
    double square = infinity;  ///< of the distance
    bool inside = false;       ///< the origin is in the tetrahedron
};

void take_better(Nearest& best, const Nearest& other) {
    if (other.square < best.square) best = other;
}

void measure(const Simplex& s, Nearest& out) {
    Vec3 v{};
    for (std::size_t k = 0; k < 4; ++k) {
        if (out.weight[k] > 0.0) v += out.weight[k] * s.corner[k].w;
    }
    out.square = dot(v, v);
}

Nearest nearest_on_segment(const Simplex& s, std::size_t i, std::size_t j) {
    const Vec3& p = s.corner[i].w;
    const Vec3 e = s.corner[j].w - p;
    const double square = dot(e, e);
    const double t = square > 0.0 ? std::clamp(-dot(p, e) / square, 0.0, 1.0) : 0.0;
    Nearest out;
    out.weight[i] = 1.0 - t;
    out.weight[j] = t;
    measure(s, out);
    return out;
}

/// The foot of the origin in the triangle's plane, if it is inside by the signs of the three areas it cuts
/// off.
void offer_foot(const Simplex& s, const std::array<std::size_t, 3>& c, Nearest& best) {
    const Vec3& p = s.corner[c[0]].w;
    const Vec3& q = s.corner[c[1]].w;
    const Vec3& r = s.corner[c[2]].w;
    const Vec3 normal = cross(q - p, r - p);
    if (!(dot(normal, normal) > 0.0)) return;
    const double wp = dot(cross(q, r), normal);
    const double wq = dot(cross(r, p), normal);
    const double wr = dot(cross(p, q), normal);
    if (!(wp > 0.0 && wq > 0.0 && wr > 0.0)) return;
    Nearest foot;
    const double sum = wp + wq + wr;
    foot.weight[c[0]] = wp / sum;
    foot.weight[c[1]] = wq / sum;
    foot.weight[c[2]] = wr / sum;
    measure(s, foot);
    take_better(best, foot);
}

/// Flat to rounding: its sides' signs say nothing.
bool is_flat(const Simplex& s) {
    double size = 0.0;
    for (const Corner& corner : s.corner) size = std::max(size, length(corner.w));
    const Vec3& p = s.corner[0].w;
    const double volume = dot(cross(s.corner[1].w - p, s.corner[2].w - p), s.corner[3].w - p);
    return std::abs(volume) <= 1e-13 * size * size * size;
}

bool holds_origin(const Simplex& s) {
    if (is_flat(s)) return false;
    constexpr std::array<std::array<std::size_t, 4>, 4> faces{
        {{0, 1, 2, 3}, {1, 2, 3, 0}, {2, 3, 0, 1}, {3, 0, 1, 2}}};
    for (const auto& f : faces) {
        const Vec3& p = s.corner[f[0]].w;
        const Vec3 normal = cross(s.corner[f[1]].w - p, s.corner[f[2]].w - p);
        const double origin = -dot(normal, p);
        const double other = dot(normal, s.corner[f[3]].w - p);
        if (!(origin * other > 0.0)) return false;
    }
    return true;
}

/// Only parts that hold the newest corner: without it the old point would still be the nearest.
Nearest nearest(const Simplex& s) {
    Nearest best;
    if (s.count == 4 && holds_origin(s)) {
        best.inside = true;
        return best;
    }
    const auto newest = static_cast<std::size_t>(s.count - 1);
    for (std::size_t i = 0; i < newest; ++i) {
        take_better(best, nearest_on_segment(s, i, newest));
        for (std::size_t j = i + 1; j < newest; ++j) offer_foot(s, {i, j, newest}, best);
    }
    return best;
}

/// Drops the corners that carry no weight.
void keep(Simplex& s, const Nearest& found) {
    int kept = 0;
    for (int k = 0; k < s.count; ++k) {
        const double weight = found.weight[static_cast<std::size_t>(k)];
        if (!(weight > 0.0)) continue;
        at(s, kept) = at(s, k);
        at(s, kept).weight = weight;
        ++kept;
    }
    s.count = kept;
}

bool has(Simplex& s, const Vec3& w) {
    for (int k = 0; k < s.count; ++k) {
        if (at(s, k).w == w) return true;
    }
    return false;
}

Vec3 blend(Simplex& s, Vec3 Corner::*member) {
    Vec3 sum{};
    for (int k = 0; k < s.count; ++k) sum += at(s, k).weight * (at(s, k).*member);
    return sum;
}

Vec3 shrunk_support(const Placed& core, const Vec3& d, double scale) {
    const Vec3 p = core_support(core, d);
    return scale < 1.0 ? core.centre + scale * (p - core.centre) : p;
}

Corner farthest(const Placed& a, const Placed& b, const Vec3& shift, const Vec3& v, double scale) {
    Corner out;
    out.on_a = shrunk_support(a, -v, scale);
    out.on_b = shrunk_support(b, v, scale) + shift;
    out.w = out.on_a - out.on_b;
    return out;
}

}  // namespace

Closest closest_points(const Placed& a, const Placed& b, const Vec3& shift, double far, double scale) {
    constexpr int most_rounds = 100;    // curved cores halve the error in a round or two
    constexpr double relative = 1e-14;  // of |v|^2: below it w is rounding
    const double size = a.size + b.size + length(b.centre + shift - a.centre);
    const double nothing = 1e-13 * size;  // a distance that rounding makes
    Simplex s;
    Vec3 v = a.centre - (b.centre + shift);
    if (dot(v, v) == 0.0) v = {1.0, 0.0, 0.0};
    at(s, 0) = farthest(a, b, shift, v, scale);
    at(s, 0).weight = 1.0;
    s.count = 1;
    v = at(s, 0).w;
    double square = dot(v, v);
    for (int round = 0; round < most_rounds; ++round) {
        if (square <= nothing * nothing) return {};
        const Corner next = farthest(a, b, shift, v, scale);
        const double along = dot(v, next.w);
        if (along > 0.0 && along * along > far * far * square)
            return {.apart = true, .distance = infinity, .on_a = {}, .on_b = {}};
        if (square - along <= relative * square || has(s, next.w)) break;
        Simplex grown = s;
        at(grown, grown.count++) = next;
        const Nearest found = nearest(grown);
        if (found.inside) return {};
        if (!(found.square < square)) break;
        keep(grown, found);
        s = grown;
        v = blend(s, &Corner::w);
        square = dot(v, v);
        if (s.count == 4) return {};
    }
    Closest out{.apart = true, .distance = std::sqrt(square), .on_a = blend(s, &Corner::on_a), .on_b = {}};
    out.on_b = blend(s, &Corner::on_b);
    return out;
}

}  // namespace uptack::collision

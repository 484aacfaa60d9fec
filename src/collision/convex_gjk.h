// Closest points of two cores: Gilbert, Johnson, Keerthi.
//
// v: the point nearest to the origin of a simplex in  a - b;  w: the point of  a - b  farthest along -v. Each
// round adds w to the simplex, and ends when w is no farther than v already is:  |v| is then the distance.

#pragma once

#include "convex_place.h"

namespace uptack::collision {

struct Closest {
    bool apart = false;     ///< false: the cores meet, or nearly; the rest is then not to be read
    double distance = 0.0;  ///< [m]
    Vec3 on_a{};
    Vec3 on_b{};  ///< on b as it was shifted
};

/// Of a and of b moved by `shift`.  Farther apart than `far`: says so with an infinite distance, no points.
/// `scale` below 1 shrinks both cores around their centres first.
Closest closest_points(const Placed& a, const Placed& b, const Vec3& shift, double far, double scale = 1.0);

}  // namespace uptack::collision

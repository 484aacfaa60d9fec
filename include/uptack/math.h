// The small vector types of the borders.
//
// Written by: nobody.  Read by: everyone.

#pragma once

#include <array>
#include <limits>

namespace uptack {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

using Vec3 = std::array<double, 3>;

/// Linear part first, then angular: a velocity is [m/s, m/s, m/s, rad/s, rad/s, rad/s].
using Vec6 = std::array<double, 6>;

/// Upper triangle of a symmetric 3x3 matrix: xx, yy, zz, xy, xz, yz.
using Symmetric3 = std::array<double, 6>;

inline double dot(const Vec6& a, const Vec6& b) {
    double sum = 0.0;
    for (int k = 0; k < 6; ++k) sum += a[k] * b[k];
    return sum;
}

}  // namespace uptack

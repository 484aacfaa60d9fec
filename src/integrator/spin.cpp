#include "spin.h"

namespace uptack::integrator {
namespace {

/// (I - a [y]x)^-1 r by Cramer's rule.
Vec3 solve_tangent(const Symmetric3& s, const Vec3& y, double a, const Vec3& r) {
    const Mat3 m{Vec3{s[0], s[3] + a * y[2], s[4] - a * y[1]}, Vec3{s[3] - a * y[2], s[1], s[5] + a * y[0]},
                 Vec3{s[4] + a * y[1], s[5] - a * y[0], s[2]}};
    const Vec3 c0 = column(m, 0);
    const Vec3 c1 = column(m, 1);
    const Vec3 c2 = column(m, 2);
    const double scale = 1.0 / dot(c0, cross(c1, c2));
    return scale * Vec3{dot(r, cross(c1, c2)), dot(c0, cross(r, c2)), dot(c0, cross(c1, r))};
}

}  // namespace

bool is_isotropic(const Symmetric3& inertia_b) {
    return inertia_b[0] == inertia_b[1] && inertia_b[1] == inertia_b[2] && inertia_b[3] == 0.0 &&
           inertia_b[4] == 0.0 && inertia_b[5] == 0.0;
}

Vec3 solve_spin(const Symmetric3& inertia_b, const Vec3& momentum_b, double half_step, const Vec3& guess) {
    constexpr int most = 30;            // quadratic: 4 or 5 are usual
    constexpr double rounding = 4e-16;  // relative to |l|
    const double scale = length(momentum_b);
    if (scale == 0.0) return {};
    Vec3 u = guess;
    double last = infinity;
    for (int iteration = 0; iteration < most; ++iteration) {
        const Vec3 y = rotate(exponential(-half_step * u), momentum_b);
        const Vec3 residual = multiply(inertia_b, u) - y;
        const double size = length(residual);
        if (size <= rounding * scale || (size < 1e-13 * scale && size >= last)) return u;
        last = size;
        u -= solve_tangent(inertia_b, y, half_step, residual);
    }
    return last < 1e-9 * scale ? u : multiply(inverse(inertia_b), momentum_b);
}

Vec3 spin_momentum(const Symmetric3& inertia_b, const Quaternion& orientation, const Vec3& omega_w,
                   double lag) {
    if (is_isotropic(inertia_b)) return inertia_b[0] * omega_w;
    const Quaternion then = exponential(-lag * omega_w) * orientation;
    return rotate(then, multiply(inertia_b, rotate_back(then, omega_w)));
}

}  // namespace uptack::integrator

// Arithmetic of the half line and of second-order cones of two or three dimensions, for the interior point.
//
//     v = (v_0, v_1)     v_0 >= |v_1|          v_1 has two entries; those that a cone does not have are zero,
//                                              and everything below leaves them zero
//     a o b = (a'b, a_0 b_1 + b_0 a_1)         Jordan product; e = (1, 0)
//     v_0 +- |v_1|                             spectral values
//
// A half line is a cone without tail; its two spectral values are equal.

#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace uptack::cone {

using Vector = std::array<double, 3>;

inline constexpr double tiny = 1e-300;

inline double inner(const Vector& a, const Vector& b) {
    return a[0] * b[0] + (a[1] * b[1] + a[2] * b[2]);
}

inline double determinant(const Vector& v) {
    return v[0] * v[0] - (v[1] * v[1] + v[2] * v[2]);
}

inline double tail_length(const Vector& v) {
    return std::sqrt(v[1] * v[1] + v[2] * v[2]);
}

/// a + t b
inline Vector sum(const Vector& a, double t, const Vector& b) {
    return {a[0] + t * b[0], a[1] + t * b[1], a[2] + t * b[2]};
}

inline Vector product(const Vector& a, const Vector& b) {
    return {inner(a, b), a[0] * b[1] + b[0] * a[1], a[0] * b[2] + b[0] * a[2]};
}

/// d with l o d = q; l inside the cone.
inline Vector quotient(const Vector& q, const Vector& l) {
    const double head = (l[0] * q[0] - (l[1] * q[1] + l[2] * q[2])) / std::max(tiny, determinant(l));
    const double inverse = 1.0 / l[0];
    return {head, (q[1] - l[1] * head) * inverse, (q[2] - l[2] * head) * inverse};
}

/// f applied to the spectral values of v.
template <class Function>
Vector apply_to_spectrum(const Vector& v, Function&& f) {
    const double tail = tail_length(v);
    const double high = f(v[0] + tail);
    const double low = f(v[0] - tail);
    const double along = tail > 0.0 ? 0.5 * (high - low) / tail : 0.0;
    return {0.5 * (high + low), along * v[1], along * v[2]};
}

/// Largest t with from + t along in the cone: the first positive root of its quadratic.
inline double largest_step(const Vector& from, const Vector& along) {
    constexpr double unbounded = std::numeric_limits<double>::infinity();
    double step = along[0] < 0.0 ? -from[0] / along[0] : unbounded;
    if (along[1] == 0.0 && along[2] == 0.0 && from[1] == 0.0 && from[2] == 0.0) return step;
    const double a = determinant(along);
    const double c = determinant(from);
    const double b = from[0] * along[0] - (from[1] * along[1] + from[2] * along[2]);
    const double discriminant = b * b - a * c;
    if (discriminant < 0.0) return step;
    const double q = -(b + (b >= 0.0 ? std::sqrt(discriminant) : -std::sqrt(discriminant)));
    for (const double root : {q / a, c / q}) {
        if (root > 0.0 && root < step) step = root;
    }
    return step;
}

/// The smaller of `step` and the largest; what ends inside needs no root.
inline double limit_step(double step, const Vector& from, const Vector& along) {
    const Vector end = sum(from, step, along);
    if (end[0] > 0.0 && determinant(end) > 0.0) return step;
    return std::min(step, largest_step(from, along));
}

/// Nesterov and Todd's W of a pair k, s inside the cone: W k = W^-1 s.
///
///     W = eta [ w_0   w_1'                       ]        w on the hyperboloid w_0^2 - |w_1|^2 = 1
///             [ w_1   I + w_1 w_1' / (1 + w_0)   ]
///
/// W^-1 has -w_1 and 1 / eta in the places of w_1 and eta.
struct Scaling {
    Vector w{1.0, 0.0, 0.0};
    double eta = 1.0;

    static Scaling of(const Vector& k, const Vector& s) {
        const double k_size = std::sqrt(std::max(tiny, determinant(k)));
        const double s_size = std::sqrt(std::max(tiny, determinant(s)));
        const double gamma = std::sqrt(0.5 * (1.0 + inner(k, s) / (k_size * s_size)));
        const double to_k = 0.5 / (gamma * k_size);
        const double to_s = 0.5 / (gamma * s_size);
        Scaling out;
        out.w[1] = s[1] * to_s - k[1] * to_k;
        out.w[2] = s[2] * to_s - k[2] * to_k;
        out.w[0] = std::sqrt(1.0 + (out.w[1] * out.w[1] + out.w[2] * out.w[2]));  // exactly on it
        out.eta = std::sqrt(s_size / k_size);
        return out;
    }

    Vector forward(const Vector& v) const { return transform(v, eta, 1.0); }
    Vector inverse(const Vector& v) const { return transform(v, 1.0 / eta, -1.0); }

private:
    Vector transform(const Vector& v, double factor, double sign) const {
        const double dot = sign * (w[1] * v[1] + w[2] * v[2]);
        const double along = sign * (v[0] + dot / (1.0 + w[0]));
        return {factor * (w[0] * v[0] + dot), factor * (v[1] + w[1] * along), factor * (v[2] + w[2] * along)};
    }
};

}  // namespace uptack::cone

// The small vectors, rotations and poses of the borders.
//
// Written by: nobody.  Read by: everyone.
// Plain arrays and free functions; frames are named by suffix (_w world, _b body).

#pragma once

#include <array>
#include <cmath>
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

inline Vec3 operator+(const Vec3& a, const Vec3& b) {
    return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
inline Vec3 operator-(const Vec3& a, const Vec3& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline Vec3 operator-(const Vec3& a) {
    return {-a[0], -a[1], -a[2]};
}
inline Vec3 operator*(double s, const Vec3& a) {
    return {s * a[0], s * a[1], s * a[2]};
}
inline Vec3& operator+=(Vec3& a, const Vec3& b) {
    return a = a + b;
}
inline Vec3& operator-=(Vec3& a, const Vec3& b) {
    return a = a - b;
}
inline double dot(const Vec3& a, const Vec3& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline Vec3 cross(const Vec3& a, const Vec3& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline double length(const Vec3& a) {
    return std::sqrt(dot(a, a));
}
/// a / |a|, or `otherwise` where a has no direction.
inline Vec3 direction(const Vec3& a, const Vec3& otherwise = {0.0, 0.0, 1.0}) {
    const double l = length(a);
    return l > 0.0 && l < infinity ? (1.0 / l) * a : otherwise;
}

inline Vec3 linear(const Vec6& v) {
    return {v[0], v[1], v[2]};
}
inline Vec3 angular(const Vec6& v) {
    return {v[3], v[4], v[5]};
}
inline Vec6 join(const Vec3& linear, const Vec3& angular) {
    return {linear[0], linear[1], linear[2], angular[0], angular[1], angular[2]};
}

/// Rows.
using Mat3 = std::array<Vec3, 3>;

inline Vec3 operator*(const Mat3& m, const Vec3& a) {
    return {dot(m[0], a), dot(m[1], a), dot(m[2], a)};
}
inline Mat3 transpose(const Mat3& m) {
    return {Vec3{m[0][0], m[1][0], m[2][0]}, Vec3{m[0][1], m[1][1], m[2][1]},
            Vec3{m[0][2], m[1][2], m[2][2]}};
}
inline Vec3 column(const Mat3& m, int k) {
    return {m[0][k], m[1][k], m[2][k]};
}
inline Vec3 multiply(const Symmetric3& s, const Vec3& a) {
    return {s[0] * a[0] + s[3] * a[1] + s[4] * a[2], s[3] * a[0] + s[1] * a[1] + s[5] * a[2],
            s[4] * a[0] + s[5] * a[1] + s[2] * a[2]};
}
/// R S R^T.
Symmetric3 rotate(const Mat3& r, const Symmetric3& s);
/// S^-1 by cofactors; the caller knows that S is regular.
Symmetric3 inverse(const Symmetric3& s);

/// Unit quaternion w + (x, y, z); turns body vectors into world vectors.
struct Quaternion {
    double w = 1.0;
    double x = 0.0;
    double y = 0.0;
    double z = 0.0;
    bool operator==(const Quaternion&) const = default;
};

inline Quaternion operator*(const Quaternion& p, const Quaternion& q) {
    return {p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z, p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
            p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x, p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w};
}
inline Quaternion conjugate(const Quaternion& q) {
    return {q.w, -q.x, -q.y, -q.z};
}
inline Quaternion normalised(const Quaternion& q) {
    const double s = 1.0 / std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return {s * q.w, s * q.x, s * q.y, s * q.z};
}
inline Vec3 rotate(const Quaternion& q, const Vec3& a) {
    const Vec3 u{q.x, q.y, q.z};
    const Vec3 t = 2.0 * cross(u, a);
    return a + q.w * t + cross(u, t);
}
inline Vec3 rotate_back(const Quaternion& q, const Vec3& a) {
    return rotate(conjugate(q), a);
}
/// The matrix whose columns are the body's axes in the world.
Mat3 matrix(const Quaternion& q);
/// The inverse of `matrix`; the caller's m is a rotation.
Quaternion quaternion(const Mat3& m);
/// exp(rotation vector): the turn by |r| about r, exact for any size.
Quaternion exponential(const Vec3& rotation);
/// The rotation vector of q, |r| <= pi.
Vec3 logarithm(const Quaternion& q);
/// The turn by `angle` [rad] about the unit `axis`.
Quaternion turn(const Vec3& axis, double angle);
/// The shortest turn that takes unit vector `from` to unit vector `to`.
Quaternion turn_between(const Vec3& from, const Vec3& to);

/// Where a frame is in its parent.
struct Pose {
    Vec3 position{};  ///< [m]
    Quaternion orientation{};
    bool operator==(const Pose&) const = default;
};

inline Vec3 transform(const Pose& p, const Vec3& point) {
    return p.position + rotate(p.orientation, point);
}
inline Vec3 transform_back(const Pose& p, const Vec3& point) {
    return rotate_back(p.orientation, point - p.position);
}
/// Child of a child: first `inner`, then `outer`.
inline Pose operator*(const Pose& outer, const Pose& inner) {
    return {transform(outer, inner.position), outer.orientation * inner.orientation};
}
inline Pose inverse(const Pose& p) {
    return {-rotate_back(p.orientation, p.position), conjugate(p.orientation)};
}

/// n, t1, t2: right-handed and orthonormal for a unit normal; a function of the normal alone.
std::array<Vec3, 3> contact_frame(const Vec3& normal);

}  // namespace uptack

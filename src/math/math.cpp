#include "uptack/math.h"

namespace uptack {

Symmetric3 rotate(const Mat3& r, const Symmetric3& s) {
    // Columns of S R^T, then rows of R against them.
    const Vec3 c0 = multiply(s, r[0]);
    const Vec3 c1 = multiply(s, r[1]);
    const Vec3 c2 = multiply(s, r[2]);
    return {dot(r[0], c0), dot(r[1], c1), dot(r[2], c2), dot(r[0], c1), dot(r[0], c2), dot(r[1], c2)};
}

Symmetric3 inverse(const Symmetric3& s) {
    const double xx = s[1] * s[2] - s[5] * s[5];
    const double yy = s[0] * s[2] - s[4] * s[4];
    const double zz = s[0] * s[1] - s[3] * s[3];
    const double xy = s[4] * s[5] - s[3] * s[2];
    const double xz = s[3] * s[5] - s[1] * s[4];
    const double yz = s[3] * s[4] - s[0] * s[5];
    const double scale = 1.0 / (s[0] * xx + s[3] * xy + s[4] * xz);
    return {scale * xx, scale * yy, scale * zz, scale * xy, scale * xz, scale * yz};
}

Mat3 matrix(const Quaternion& q) {
    const double xx = q.x * q.x;
    const double yy = q.y * q.y;
    const double zz = q.z * q.z;
    const double xy = q.x * q.y;
    const double xz = q.x * q.z;
    const double yz = q.y * q.z;
    const double wx = q.w * q.x;
    const double wy = q.w * q.y;
    const double wz = q.w * q.z;
    return {Vec3{1.0 - 2.0 * (yy + zz), 2.0 * (xy - wz), 2.0 * (xz + wy)},
            Vec3{2.0 * (xy + wz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz - wx)},
            Vec3{2.0 * (xz - wy), 2.0 * (yz + wx), 1.0 - 2.0 * (xx + yy)}};
}

Quaternion quaternion(const Mat3& m) {
    // The largest of the four components is computed first: it is at least 1/2 and safe to divide by.
    const double trace = m[0][0] + m[1][1] + m[2][2];
    Quaternion q;
    if (trace > 0.0) {
        q = {1.0 + trace, m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]};
    } else if (m[0][0] >= m[1][1] && m[0][0] >= m[2][2]) {
        q = {m[2][1] - m[1][2], 1.0 + m[0][0] - m[1][1] - m[2][2], m[0][1] + m[1][0], m[0][2] + m[2][0]};
    } else if (m[1][1] >= m[2][2]) {
        q = {m[0][2] - m[2][0], m[0][1] + m[1][0], 1.0 + m[1][1] - m[0][0] - m[2][2], m[1][2] + m[2][1]};
    } else {
        q = {m[1][0] - m[0][1], m[0][2] + m[2][0], m[1][2] + m[2][1], 1.0 + m[2][2] - m[0][0] - m[1][1]};
    }
    return normalised(q);
}

namespace {

struct CosineAndSinc {
    double cosine;
    double sinc;  ///< sin(x) / x
};

// A step turns bodies by little.  There the series do what the mathematics library does, but with the same
// bits on every machine: the library's results differ by its version and by whether the processor can fuse.
CosineAndSinc cosine_and_sinc(double x) {
    constexpr double small = 0.5;  // the first terms left out are x^16/16! and x^16/17!: below 1e-18 here
    if (!(x < small)) return {.cosine = std::cos(x), .sinc = std::sin(x) / x};
    // 1/(2k)! and 1/(2k+1)!
    constexpr std::array cosine_series{
        1.0,           1.0 / 2.0,       1.0 / 24.0,        1.0 / 720.0,
        1.0 / 40320.0, 1.0 / 3628800.0, 1.0 / 479001600.0, 1.0 / 87178291200.0};
    constexpr std::array sinc_series{1.0,
                                     1.0 / 6.0,
                                     1.0 / 120.0,
                                     1.0 / 5040.0,
                                     1.0 / 362880.0,
                                     1.0 / 39916800.0,
                                     1.0 / 6227020800.0,
                                     1.0 / 1307674368000.0};
    const double s = -x * x;
    double cosine = cosine_series.back();
    double sinc = sinc_series.back();
    for (std::size_t k = cosine_series.size() - 1; k-- > 0;) {
        cosine = cosine_series[k] + s * cosine;
        sinc = sinc_series[k] + s * sinc;
    }
    return {.cosine = cosine, .sinc = sinc};
}

}  // namespace

Quaternion exponential(const Vec3& rotation) {
    const auto [cosine, sinc] = cosine_and_sinc(0.5 * length(rotation));
    const double s = 0.5 * sinc;
    return normalised({cosine, s * rotation[0], s * rotation[1], s * rotation[2]});
}

Vec3 logarithm(const Quaternion& q) {
    const double sign = q.w < 0.0 ? -1.0 : 1.0;
    const Vec3 u{sign * q.x, sign * q.y, sign * q.z};
    const double s = length(u);
    const double w = sign * q.w;
    return (s < 1e-9 ? 2.0 / w : 2.0 * std::atan2(s, w) / s) * u;
}

Quaternion turn(const Vec3& axis, double angle) {
    const double s = std::sin(0.5 * angle);
    return normalised({std::cos(0.5 * angle), s * axis[0], s * axis[1], s * axis[2]});
}

Quaternion turn_between(const Vec3& from, const Vec3& to) {
    const double c = dot(from, to);
    if (c < -1.0 + 1e-12) {
        const Vec3 axis = contact_frame(from)[1];  // half a turn about any perpendicular
        return {0.0, axis[0], axis[1], axis[2]};
    }
    const Vec3 u = cross(from, to);
    return normalised({1.0 + c, u[0], u[1], u[2]});
}

std::array<Vec3, 3> contact_frame(const Vec3& normal) {
    // The axis least along the normal would do best; any that is clearly off it does, and x is simplest to
    // follow.
    const Vec3 helper = std::abs(normal[0]) < 0.7 ? Vec3{1.0, 0.0, 0.0} : Vec3{0.0, 1.0, 0.0};
    const Vec3 across = cross(helper, normal);
    const Vec3 t1 = (1.0 / length(across)) * across;
    return {normal, t1, cross(normal, t1)};
}

}  // namespace uptack

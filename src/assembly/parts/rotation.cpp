#include "parts/rotation.h"

#include <cmath>

namespace uptack::assembly {
namespace {

// Below these sines the direction of a swing or the angle of a twist is round-off.
constexpr double no_direction = 1e-9;

/// A measure that only sees how b turns against a: rate = n . (w_b - w_a).
Measure turning(double value, const Vec3& n_w) {
    return {.value = value, .row = {.a = join({}, -n_w), .b = join({}, n_w)}};
}

Vec3 to_world(const JointFrames& f, const Vec3& along_a) {
    return along_a[0] * f.axes_a[0] + along_a[1] * f.axes_a[1] + along_a[2] * f.axes_a[2];
}

}  // namespace

Measure cosine(const Vec3& on_a_w, const Vec3& on_b_w) {
    return turning(dot(on_a_w, on_b_w), cross(on_b_w, on_a_w));
}

Measure angle_between(const Measure& sine, const Measure& cosine) {
    const double square = sine.value * sine.value + cosine.value * cosine.value;
    const double scale = square > 0.0 ? 1.0 / square : 0.0;
    Measure angle = combined(scale * cosine.value, sine, -scale * sine.value, cosine);
    angle.value = std::atan2(sine.value, cosine.value);
    return angle;
}

std::array<Measure, 3> turned_apart(const JointFrames& f) {
    const double sign = f.relative.w < 0.0 ? -1.0 : 1.0;  // q and -q are the same turn
    const double w = sign * f.relative.w;
    const Vec3 u{sign * f.relative.x, sign * f.relative.y, sign * f.relative.z};
    return {turning(2.0 * u[0], to_world(f, {w, u[2], -u[1]})),
            turning(2.0 * u[1], to_world(f, {-u[2], w, u[0]})),
            turning(2.0 * u[2], to_world(f, {u[1], -u[0], w}))};
}

std::array<Measure, 2> tilt(const JointFrames& f) {
    return {cosine(f.axes_a[0], f.axes_b[2]), cosine(f.axes_a[1], f.axes_b[2])};
}

std::optional<Measure> twist(const JointFrames& f) {
    const auto [w, x, y, z] = f.relative;
    const double square = w * w + z * z;
    if (square < no_direction) return std::nullopt;
    const Vec3 along_a{(w * y + z * x) / square, (z * y - w * x) / square, 1.0};
    return turning(2.0 * std::atan2(z, w), to_world(f, along_a));
}

std::optional<Measure> swing(const JointFrames& f) {
    const Vec3 across = cross(f.axes_a[2], f.axes_b[2]);
    const double sine = length(across);
    if (sine < no_direction) return std::nullopt;
    return turning(std::atan2(sine, dot(f.axes_a[2], f.axes_b[2])), (1.0 / sine) * across);
}

Measure angle_about_x(const JointFrames& f) {
    return angle_between(cosine(f.axes_a[2], f.axes_b[1]), cosine(f.axes_a[1], f.axes_b[1]));
}

Measure angle_about_y(const JointFrames& f) {
    return angle_between(cosine(f.axes_a[0], f.axes_b[2]), cosine(f.axes_a[0], f.axes_b[0]));
}

}  // namespace uptack::assembly

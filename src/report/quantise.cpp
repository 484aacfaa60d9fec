#include "quantise.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace uptack::report {
namespace {

std::int32_t clamped(double value) {
    constexpr double border = std::numeric_limits<std::int32_t>::max();
    if (std::isnan(value)) return 0;
    return static_cast<std::int32_t>(std::lround(std::clamp(value, -border, border)));
}

std::uint8_t octahedral_byte(double c) {
    return static_cast<std::uint8_t>(std::lround((0.5 * c + 0.5) * 255.0));
}

}  // namespace

std::uint8_t LogScale::code(double value) const {
    if (!(value > 0.0)) return 0;
    if (value >= upper) return 255;
    const double k = 1.0 + 254.0 * std::log(value / lower) / std::log(upper / lower);
    return k < 0.5 ? 0 : static_cast<std::uint8_t>(std::lround(std::clamp(k, 1.0, 255.0)));
}

double LogScale::value(std::uint8_t code) const {
    return code == 0 ? 0.0 : lower * std::pow(upper / lower, (code - 1) / 254.0);
}

void PositiveRange::look(double value) {
    if (!(value > 0.0) || !std::isfinite(value)) return;
    least_ = std::min(least_, value);
    most_ = std::max(most_, value);
}

LogScale PositiveRange::scale(double decades) const {
    if (most_ == 0.0) return {};
    return {std::max(least_, most_ * std::pow(10.0, -decades)), most_};
}

std::array<std::int32_t, 3> Grid::integers(const Vec3& point) const {
    std::array<std::int32_t, 3> result{};
    for (std::size_t k = 0; k < 3; ++k) result[k] = clamped((point[k] - origin[k]) / quantum_m);
    return result;
}

SmallestThree smallest_three(const Quaternion& q, int steps) {
    const std::array<double, 4> c{q.w, q.x, q.y, q.z};
    std::size_t largest = 0;
    double square = 0.0;
    for (std::size_t k = 0; k < 4; ++k) {
        if (std::abs(c[k]) > std::abs(c[largest])) largest = k;
        square += c[k] * c[k];
    }
    if (!(square > 0.0) || !std::isfinite(square)) return {};
    const double scale = (c[largest] < 0.0 ? -1.0 : 1.0) * std::sqrt(2.0 / square) * steps;
    SmallestThree result{.largest = static_cast<std::uint8_t>(largest)};
    std::size_t slot = 0;
    for (std::size_t k = 0; k < 4; ++k) {
        if (k == largest) continue;
        result.others[slot++] = static_cast<std::int16_t>(std::lround(c[k] * scale));
    }
    return result;
}

double rotation_precision(int steps) {
    // A component is wrong by d = 1 / (2 sqrt(2) steps) at most.  The largest, computed from the others, is
    // then wrong by (|c1| + |c2| + |c3|) d / c_largest <= 3 d, the quaternion by sqrt(3 + 9) d, the angle by
    // twice that.
    return std::sqrt(6.0) / steps;
}

std::array<std::uint8_t, 2> octahedral(const Vec3& direction) {
    const auto [x, y, z] = direction;
    const double sum = std::abs(x) + std::abs(y) + std::abs(z);
    if (!(sum > 0.0) || !std::isfinite(sum)) return {0, 0};
    const double u = x / sum;
    const double v = y / sum;
    if (z >= 0.0) return {octahedral_byte(u), octahedral_byte(v)};
    const auto sign = [](double c) { return c < 0.0 ? -1.0 : 1.0; };
    return {octahedral_byte((1.0 - std::abs(v)) * sign(u)), octahedral_byte((1.0 - std::abs(u)) * sign(v))};
}

}  // namespace uptack::report

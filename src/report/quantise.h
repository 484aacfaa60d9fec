// Numbers made small: positions as integers of a quantum, unit quaternions as their smallest three
// components, sizes that span decades as one byte, directions as two.

#pragma once

#include <array>
#include <cstdint>

#include "uptack/math.h"

namespace uptack::report {

/// 0 is 0, k > 0 is lower (upper / lower)^((k - 1) / 254).  What rounds to less than lower becomes 0.
struct LogScale {
    double lower = 1.0;
    double upper = 1.0;

    std::uint8_t code(double value) const;
    double value(std::uint8_t code) const;
};

/// The smallest and the largest of the positive values that it was shown.
class PositiveRange {
public:
    void look(double value);
    /// Up to the largest value, over at most so many decades.
    LogScale scale(double decades) const;

private:
    double least_ = infinity;
    double most_ = 0.0;
};

/// Position = origin + quantum * integer, clamped to 32 bits: what flies further away stays at that border.
struct Grid {
    Vec3 origin{};
    double quantum_m = 1e-6;

    std::array<std::int32_t, 3> integers(const Vec3& point) const;
};

struct SmallestThree {
    std::uint8_t largest = 0;  ///< 0 w, 1 x, 2 y, 3 z: the component that is left out, made positive
    std::array<std::int16_t, 3> others{};  ///< component * sqrt(2) * steps, in the order w x y z
};

SmallestThree smallest_three(const Quaternion& q, int steps);

/// With so many steps, the angle between an orientation and what is stored of it is at most this [rad].
double rotation_precision(int steps);

/// Octahedral coordinates of a direction; of the zero vector 0, 0.
std::array<std::uint8_t, 2> octahedral(const Vec3& direction);

}  // namespace uptack::report

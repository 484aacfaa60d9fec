// Random numbers that are the same bits on every machine.
//
// std::mt19937 is portable, the std distributions are not; and libm's pow, exp, sin differ in the last bit.
// Here is only integer arithmetic, + - * / and sqrt, which IEEE 754 rounds in one way.

#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "uptack/math.h"

namespace uptack::generators {

/// splitmix64 [Steele, Lea and Flood 2014]: one word of state, any seed is good, zero included.
class RandomSource {
public:
    explicit RandomSource(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15ULL;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31);
    }

    /// In [0, 1), every multiple of 2^-53.
    double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

    double uniform(double from, double to) { return from + (to - from) * uniform(); }

    /// In 0 .. count - 1.  The modulo favours small values by less than count / 2^64.
    int below(int count) { return static_cast<int>(next() % static_cast<std::uint64_t>(count)); }

private:
    std::uint64_t state_;
};

/// Each component in [-1, 1).
inline Vec3 random_in_cube(RandomSource& random) {
    const double x = random.uniform(-1.0, 1.0);
    const double y = random.uniform(-1.0, 1.0);
    const double z = random.uniform(-1.0, 1.0);
    return {x, y, z};
}

/// lowest * ratio^U: the bits of U choose among ratio^(1/2), ratio^(1/4), ..., so that no pow is needed.
inline double log_uniform(RandomSource& random, double lowest, double ratio) {
    const std::uint64_t bits = random.next();
    double value = lowest;
    double factor = ratio;
    for (int k = 0; k < 32; ++k) {
        factor = std::sqrt(factor);
        if ((bits >> (63 - k)) & 1U) value *= factor;
    }
    return value;
}

template <typename T>
void shuffle(std::vector<T>& items, RandomSource& random) {
    for (std::size_t i = items.size(); i > 1; --i) {
        std::swap(items[i - 1], items[static_cast<std::size_t>(random.below(static_cast<int>(i)))]);
    }
}

}  // namespace uptack::generators

// Random numbers that depend on a seed and names alone: the order of a file's entries does not matter.

#pragma once

#include <cstdint>
#include <string_view>

namespace uptack::scene {

/// FNV-1a over what it is fed, then splitmix64 [Steele, Lea and Flood 2014]: the same bits on every machine.
class NamedRandom {
public:
    void feed(std::string_view text) {
        for (const char c : text) byte(static_cast<unsigned char>(c));
        byte(0);  // so that "ab", "c" and "a", "bc" differ
    }
    void feed(std::int64_t number) {
        for (unsigned k = 0; k < 8; ++k)
            byte(static_cast<unsigned char>(static_cast<std::uint64_t>(number) >> (8 * k)));
    }
    /// In [0, 1).
    double uniform() {
        state_ += 0x9e3779b97f4a7c15ULL;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
        return static_cast<double>((z ^ (z >> 31U)) >> 11U) * 0x1p-53;
    }
    double within(double from, double to) { return from + (to - from) * uniform(); }

private:
    void byte(unsigned char value) { state_ = (state_ ^ value) * 0x100000001b3ULL; }

    std::uint64_t state_ = 0xcbf29ce484222325ULL;
};

}  // namespace uptack::scene

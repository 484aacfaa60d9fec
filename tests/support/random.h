// Random numbers for tests: seeded, so that a failure can be repeated.

#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace uptack::test {

class Random {
public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    double uniform(double low, double high) {
        return std::uniform_real_distribution<double>(low, high)(engine_);
    }
    double normal() { return std::normal_distribution<double>()(engine_); }
    int whole(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }
    std::vector<double> normals(std::size_t count) {
        std::vector<double> out(count);
        for (double& value : out) value = normal();
        return out;
    }

private:
    std::mt19937_64 engine_;
};

}  // namespace uptack::test

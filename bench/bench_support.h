// What the benchmarks share: a clock that takes the best of several tries, and lines for the results table.

#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

namespace uptack::bench {

/// Seconds of one call, the least of `tries` batches: other load only ever adds.
inline double best_seconds(int tries, int calls, const std::function<void()>& work) {
    using Clock = std::chrono::steady_clock;
    double best = 1e300;
    for (int t = 0; t < tries; ++t) {
        const auto start = Clock::now();
        for (int c = 0; c < calls; ++c) work();
        best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count() / calls);
    }
    return best;
}

/// Exponent p of seconds ~ size^p, least squares in the logarithms.
inline double growth_exponent(const std::vector<std::pair<double, double>>& size_and_seconds) {
    double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
    for (const auto& [size, seconds] : size_and_seconds) {
        const double x = std::log(size);
        const double y = std::log(seconds);
        sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    const auto n = static_cast<double>(size_and_seconds.size());
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

}  // namespace uptack::bench

// What the benchmarks share: a clock that takes the best of several tries, and lines for the results table.

#pragma once

#include <algorithm>
#include <chrono>
#include <functional>

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

}  // namespace uptack::bench

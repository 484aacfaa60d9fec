// The pace of a first-order method, from which auto predicts what is left (auto_island.h).

#pragma once

#include <cstdint>
#include <vector>

namespace uptack {

/// How the error of a stage falls from look to look.
class Pace {
public:
    /// The pace is that since the last iteration but a `window`-th of them: 2 is the later half.
    void begin(int window) {
        looks_.clear();
        window_ = window;
    }
    void add(std::int64_t iteration, double energy_J);

    std::int64_t iterations() const { return looks_.empty() ? 0 : looks_.back().iteration; }

    double least_energy() const { return looks_.back().energy_J; }

    /// Error now over error then: at most 1.
    double gain() const;

    /// Of the logarithm of the error, per iteration, since then; or of late, if that is slower.
    double rate() const;

private:
    struct Look {
        std::int64_t iteration = 0;
        double energy_J = 0.0;  // the least so far
    };
    const Look& then(double part) const;
    double rate_since(const Look& then) const;

    std::vector<Look> looks_;
    int window_ = 2;
};

}  // namespace uptack

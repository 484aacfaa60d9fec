#include "auto_pace.h"

#include <algorithm>
#include <cmath>

namespace uptack {
namespace {

constexpr double late_window = 1.4;  // the last third, if that is slower

}  // namespace

void Pace::add(std::int64_t iteration, double energy_J) {
    const double least = looks_.empty() ? energy_J : std::min(energy_J, looks_.back().energy_J);
    looks_.push_back({iteration, least});
}

const Pace::Look& Pace::then(double part) const {
    const auto since = static_cast<std::int64_t>(static_cast<double>(iterations()) / part);
    const auto after = std::upper_bound(looks_.begin(), looks_.end(), since,
                                        [](std::int64_t n, const Look& look) { return n < look.iteration; });
    return after == looks_.begin() ? *after : *(after - 1);
}

double Pace::gain() const {
    const double before = then(window_).energy_J;
    return before > 0.0 ? std::sqrt(looks_.back().energy_J / before) : 1.0;
}

double Pace::rate() const {
    return std::min(rate_since(then(window_)), rate_since(then(late_window)));
}

double Pace::rate_since(const Look& then) const {
    const std::int64_t span = iterations() - then.iteration;
    return span > 0 ? -0.5 * std::log(least_energy() / then.energy_J) / static_cast<double>(span) : 0.0;
}

}  // namespace uptack

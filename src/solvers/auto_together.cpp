#include "auto_together.h"

#include <algorithm>
#include <cmath>

#include "auto_costs.h"

namespace uptack {
namespace {

constexpr std::int64_t first_verdict = 20;  // sweeps
constexpr double evidence = 0.5;            // or so much of what the islands take apart
constexpr double patience = 4.0;            // times the sweeps so far may still be to come
constexpr double island_ns = 10'000.0;      // to copy, pack and judge an island, and sweep it a few times
constexpr int window = 2;                   // the later half says how it goes

}  // namespace

SolveReport AutoTogether::solve(const Problem& problem, int islands, Solution& solution, const StopRule& rule,
                                const Observer& observer) {
    if (!nncg_) nncg_.emplace(NncgOptions{});
    pace_.begin(window);
    left_ = enough_ = false;
    start_J_ = reference_J_ = 0.0;
    least_sweeps_ = islands * island_ns / costs_of(problem, Convex::yes).sweep_ns;
    StopRule watched = rule;
    watched.enough = &enough_;
    return nncg_->solve(problem, solution, watched, [&](const Progress& progress) {
        if (observer) observer(progress);
        watch(progress, rule.tolerance);
        enough_ = left_ || (rule.enough != nullptr && *rule.enough);
    });
}

void AutoTogether::watch(const Progress& progress, Tolerance tolerance) {
    if (progress.iteration == 0) {
        start_J_ = progress.energy_error_J;
        if (start_J_ > 0.0) reference_J_ = start_J_ / (progress.relative_error * progress.relative_error);
        goal_J_ = tolerance.unit == ErrorUnit::joules ? tolerance.value
                                                      : tolerance.value * tolerance.value * reference_J_;
    }
    pace_.add(progress.iteration, progress.energy_error_J);
    left_ = !gets_on();
}

bool AutoTogether::gets_on() const {
    const std::int64_t n = pace_.iterations();
    const auto done = static_cast<double>(n);
    if (n < first_verdict || done < evidence * least_sweeps_ || pace_.least_energy() <= goal_J_) return true;
    const double left = 0.5 * std::log(pace_.least_energy() / goal_J_) / std::max(pace_.rate(), 1e-300);
    return left <= std::max(least_sweeps_, patience * done);
}

}  // namespace uptack

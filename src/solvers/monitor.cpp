#include "monitor.h"

#include <algorithm>
#include <cmath>

#include "linalg/room.h"

namespace uptack {
namespace {

// The error need not fall at every look (only the objective does), so a stall is called late: no gain of 1 %
// while the iterations have grown tenfold, and not before a few thousand.
constexpr double clear_gain = 0.99 * 0.99;  // of the energy: the relative error is its root
constexpr std::int64_t patience_factor = 10;
constexpr std::int64_t patience_floor = 3000;

/// 1, 3, 6, 10, 15, 21, 28, 36 ...
std::int64_t iterations_to_next_look(std::int64_t iteration) {
    if (iteration < 2) return iteration + 1;
    return std::max<std::int64_t>(3, std::llround(1.5 * std::sqrt(static_cast<double>(iteration))));
}

bool all_finite(View x) {
    return std::all_of(x.begin(), x.end(), [](double value) { return std::isfinite(value); });
}

void fill_velocities(const Problem& problem, Solution& solution) {
    if (problem.matrix) {
        solution.velocity.clear();
    } else {
        body_velocities(problem, solution.impulse, solution.velocity);
    }
}

}  // namespace

void Monitor::start_clock() {
    start_ = Clock::now();
}

double Monitor::seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
}

Deadline Monitor::deadline() const {
    constexpr double for_ever_s = 1e9;  // the clock counts nanoseconds in 64 bits
    if (!(rule_.budget_s < for_ever_s)) return {};
    return Deadline(
        start_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(rule_.budget_s)));
}

void Monitor::begin(const PackedProblem& packed, const StopRule& rule, const Observer& observer,
                    Solution& solution, std::vector<double>& x, std::vector<double>& y) {
    rule_ = rule;
    observer_ = &observer;
    solution_ = &solution;
    report_ = {};
    finished_ = false;
    calls_stalls_ = true;
    next_look_ = 1;
    milestone_iteration_ = 0;
    best_J_ = milestone_J_ = infinity;
    reference_J_ = packed.reference_energy();

    const std::size_t rows = packed.rows();
    resize_anew(x, rows);
    resize_anew(y, rows);
    bool warm = solution.impulse.size() == rows && all_finite(solution.impulse);
    double start_J = reference_J_;
    if (warm) {
        copy(solution.impulse, x);
        packed.project(x);
        packed.multiply(x, y);
        start_J = packed.energy_error(x, y);
        warm = start_J < reference_J_;
    }
    if (!warm) {  // zero, moved into the allowed set where an interval does not contain it
        std::fill(x.begin(), x.end(), 0.0);
        packed.project(x);
        packed.multiply(x, y);
        start_J = packed.energy_error(x, y);
    }
    best_J_ = reference_J_;
    // A start that judge() will not remember leaves zero impulses, also where their own energy overflows.
    if (!std::isfinite(start_J) || start_J > best_J_) solution.impulse.assign(rows, 0.0);
    begun_s_ = seconds();
    judge(0, start_J, x);
}

bool Monitor::due(std::int64_t iteration) {
    report_.iterations = iteration;
    if (iteration >= next_look_ || iteration >= rule_.max_iterations) return true;
    return rule_.budget_s < infinity &&
           time_is_up(seconds(), iteration, 2);  // a look costs about an iteration
}

/// Would `more` iterations, at the pace of those so far, end after the budget?
bool Monitor::time_is_up(double now_s, std::int64_t iteration, int more) const {
    const double each_s = iteration > 0 ? (now_s - begun_s_) / static_cast<double>(iteration) : 0.0;
    return now_s + more * each_s >= rule_.budget_s;
}

void Monitor::judge(std::int64_t iteration, double energy_J, View x) {
    report_.iterations = iteration;
    next_look_ = iteration + iterations_to_next_look(iteration);
    const double now = seconds();
    if (!std::isfinite(energy_J)) {
        stop(Status::not_finite, "an iterate was not finite; the best finite one is returned");
        return;
    }
    if (energy_J <= best_J_) remember(energy_J, x);
    if (*observer_) {
        (*observer_)({.iteration = iteration,
                      .seconds = now,
                      .energy_error_J = energy_J,
                      .relative_error = relative_error(energy_J, reference_J_)});
    }
    if (meets_tolerance(best_J_)) {
        stop(Status::converged, "");
    } else if (iteration >= rule_.max_iterations || (rule_.enough != nullptr && *rule_.enough)) {
        stop(Status::iteration_limit, "");
    } else if (iteration > 0 && time_is_up(now, iteration, 1)) {  // nothing at all would let everything fall
        stop(Status::budget_spent, "");
    } else {
        detect_stall(iteration);
    }
}

void Monitor::judge_swept(std::int64_t sweeps, PackedProblem& packed, Swept& now, MutableView y) {
    if (packed.state_is_stale(sweeps) || is_fine()) packed.carry(now.x, now.u);
    packed.respond(now.u, now.x, y);
    judge(sweeps, packed.energy_error(now.x, y), now.x);
}

void Monitor::remember(double energy_J, View x) {
    best_J_ = energy_J;
    solution_->impulse.resize(x.size());
    copy(x, solution_->impulse);
}

void Monitor::detect_stall(std::int64_t iteration) {
    if (best_J_ < clear_gain * milestone_J_) {
        milestone_J_ = best_J_;
        milestone_iteration_ = iteration;
    } else if (calls_stalls_ && iteration > patience_floor + patience_factor * milestone_iteration_) {
        stop(Status::stalled,
             "the error has stopped falling: try another solver, or the problem has no solution");
    }
}

void Monitor::stop(Status status, std::string reason) {
    report_.status = status;
    report_.reason = std::move(reason);
    finished_ = true;
}

SolveReport Monitor::finish(const Problem& problem) {
    if (rule_.wants_velocities) fill_velocities(problem, *solution_);
    report_.energy_error_J = best_J_;
    report_.relative_error = relative_error(best_J_, reference_J_);
    report_.seconds = seconds();
    return report_;
}

SolveReport refuse(const Problem& problem, Solution& solution, std::string reason) {
    solution.impulse.assign(problem.bias.size(), 0.0);
    fill_velocities(problem, solution);
    return {.status = Status::unsuitable,
            .energy_error_J = infinity,
            .relative_error = infinity,
            .reason = std::move(reason)};
}

}  // namespace uptack

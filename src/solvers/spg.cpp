#include "spg.h"

#include <algorithm>

#include "linalg/parallel.h"

namespace uptack {
namespace {

constexpr double shorten_most = 0.1;  // sigma_min, sigma_max of the line search [BMR99]
constexpr double shorten_least = 0.9;
constexpr int max_backtracks = 30;
constexpr std::int64_t refresh_interval = 200;  // iterations between fresh products A x

}  // namespace

SolveReport Spg::solve(const Problem& problem, Solution& solution, const StopRule& rule,
                       const Observer& observer) {
    monitor_.start_clock();
    packed_.pack(problem, PackedProblem::Use::products);
    prepare(rule, observer, solution);

    for (std::int64_t iteration = 1; !monitor_.finished(); ++iteration) {
        if (!find_direction()) {
            if (!stage_.exhausted(iteration, packed_, monitor_, x_, ad_)) break;
            restart_memory();
            continue;
        }
        packed_.multiply_symmetric(d_, ad_);
        const double curvature = dot(d_, ad_);
        if (curvature < -1e-9 * weighted_dot(d_, d_, metric_)) {
            monitor_.stop(Status::unsuitable,
                          "A is not positive semidefinite: spg minimises convex problems only");
            break;
        }
        advance(search(slope_, curvature), curvature, iteration);
        if (stage_.look(iteration, packed_, monitor_, x_, y_, ad_)) restart_memory();
    }
    return monitor_.finish(problem);
}

void Spg::prepare(const StopRule& rule, const Observer& observer, Solution& solution) {
    monitor_.begin(packed_, rule, observer, solution, x_, y_);
    stage_.begin(packed_, x_);
    const std::size_t rows = packed_.rows();
    d_.resize(rows);
    ad_.resize(rows);
    metric_ = packed_.metric();
    if (options_.cone_metric) {
        cone_metric_.resize(rows);
        packed_.cone_metric(cone_metric_);
        metric_ = cone_metric_;
    }
    backtracks_ = 0;
    restart_memory();
}

void Spg::restart_memory() {
    packed_.project(x_);  // box bounds frozen anew may have left x outside, where no direction need descend
    packed_.multiply_symmetric(x_, y_);
    decrease_.assign(options_.memory, 0.0);
    newest_ = 0;
    alpha_ = 1.0;
}

// d = proj(x - alpha P^-1 g) - x and its slope; false: no descent left.
bool Spg::find_direction() {
    packed_.gradient_step(x_, y_, alpha_, metric_, d_);
    add_scaled(-1.0, x_, d_);
    const View p = packed_.frozen_linear_term();
    slope_ = sum_over_chunks(d_.size(), [&](std::size_t first, std::size_t last) {
        double sum = 0.0;
        for (std::size_t i = first; i < last; ++i) sum += d_[i] * (y_[i] + p[i]);
        return sum;
    });
    return slope_ < 0.0;
}

// The step length that passes the non-monotone test of Grippo, Lampariello and Lucidi.
double Spg::search(double slope, double curvature) {
    const double now = decrease_[newest_];
    const double worst = *std::max_element(decrease_.begin(), decrease_.end());
    double lambda = 1.0;
    for (int i = 0; i < max_backtracks; ++i) {
        const double change = lambda * slope + 0.5 * lambda * lambda * curvature;
        if (now + change <= worst + options_.armijo * lambda * slope) break;
        const double minimiser =
            -slope / curvature;  // f is quadratic along d; curvature > 0, else the test passed
        lambda = std::clamp(minimiser, shorten_most * lambda, shorten_least * lambda);
        ++backtracks_;
    }
    newest_ = (newest_ + 1) % decrease_.size();
    decrease_[newest_] = now + lambda * slope + 0.5 * lambda * lambda * curvature;
    return lambda;
}

void Spg::advance(double lambda, double curvature, std::int64_t iteration) {
    add_scaled(lambda, d_, x_);
    add_scaled(lambda, ad_, y_);
    if (iteration % refresh_interval == 0) packed_.multiply_symmetric(x_, y_);
    if (!(curvature > 0.0)) {
        alpha_ = options_.step_max;
    } else if (iteration % 2 == 0) {
        alpha_ = weighted_dot(d_, d_, metric_) / curvature;
    } else {
        alpha_ = curvature / inverse_weighted_dot(ad_, ad_, metric_);
    }
    alpha_ = std::clamp(alpha_, options_.step_min, options_.step_max);
}

std::unique_ptr<Solver> make_spg(const SpgOptions& options) {
    return std::make_unique<Spg>(options);
}

}  // namespace uptack

#include "apgd.h"

#include <cmath>
#include <limits>
#include <utility>

#include "linalg/parallel.h"

namespace uptack {
namespace {

constexpr int power_iterations = 8;
constexpr int max_doublings = 60;
constexpr double relax_lipschitz = 0.97;  // lets L follow the curvature down again

}  // namespace

SolveReport Apgd::solve(const Problem& problem, Solution& solution, const StopRule& rule,
                        const Observer& observer) {
    monitor_.start_clock();
    packed_.pack(problem, PackedProblem::Use::products);
    prepare(rule, observer, solution);

    for (std::int64_t iteration = 1; !monitor_.finished(); ++iteration) {
        if (!step()) {
            monitor_.stop(Status::unsuitable,
                          "A is not positive semidefinite: apgd minimises convex problems only");
            break;
        }
        accelerate();
        // next_ now holds the iterate before this one, which is no longer needed
        if (stage_.look(iteration, packed_, monitor_, x_, ax_, anext_)) restart_momentum();
    }
    return monitor_.finish(problem);
}

void Apgd::prepare(const StopRule& rule, const Observer& observer, Solution& solution) {
    monitor_.begin(packed_, rule, observer, solution, x_, ax_);
    stage_.begin(packed_, x_);
    for (auto* vector : {&y_, &ay_, &next_, &anext_}) vector->resize(packed_.rows());
    metric_ = packed_.metric();
    if (options_.cone_metric) {
        cone_metric_.resize(packed_.rows());
        packed_.cone_metric(cone_metric_);
        metric_ = cone_metric_;
    }
    if (monitor_.finished()) return;
    lipschitz_ = estimate_lipschitz();
    packed_.multiply_symmetric(x_, ax_);
    restart_momentum();
}

// Largest eigenvalue of P^-1/2 A P^-1/2, from below: backtracking mends it.
double Apgd::estimate_lipschitz() {
    std::vector<double>& v = next_;
    for (std::size_t i = 0; i < v.size();
         ++i) {  // an arbitrary vector without symmetries, the same every time
        v[i] = (0.5 + static_cast<double>((i * 2654435761U) % 1024U) / 1024.0) / std::sqrt(metric_[i]);
        if (i % 2 == 1) v[i] = -v[i];
    }
    double eigenvalue = 1.0;
    for (int k = 0; k < power_iterations; ++k) {
        const double size = std::sqrt(weighted_dot(v, v, metric_));
        if (!(size > 0.0)) break;
        packed_.multiply_symmetric(v, anext_);
        eigenvalue = std::sqrt(inverse_weighted_dot(anext_, anext_, metric_)) / size;
        for (std::size_t i = 0; i < v.size(); ++i) v[i] = anext_[i] / metric_[i] / size;
    }
    return eigenvalue > 0.0 && std::isfinite(eigenvalue) ? eigenvalue : 1.0;
}

void Apgd::restart_momentum() {
    copy(x_, y_);
    copy(ax_, ay_);
    theta_ = 1.0;
}

// x_new, with L large enough; false: no L is, A has negative curvature or is not finite.
bool Apgd::step() {
    const double lipschitz = lipschitz_;
    for (int doublings = 0; doublings < max_doublings; ++doublings) {
        packed_.gradient_step(y_, ay_, 1.0 / lipschitz_, metric_, next_);
        packed_.multiply_symmetric(next_, anext_);
        const auto [curvature, size] =  // <e, A e> and <e, P e>
            sums_over_chunks<2>(next_.size(), [&](std::size_t first, std::size_t last) {
                std::array<double, 2> sum{};
                for (std::size_t i = first; i < last; ++i) {
                    const double e = next_[i] - y_[i];
                    sum[0] += e * (anext_[i] - ay_[i]);
                    sum[1] += e * e * metric_[i];
                }
                return sum;
            });
        if (curvature < -1e-9 * size) return step_is_round_off(lipschitz);
        if (curvature <= lipschitz_ * size * (1.0 + 1e-12)) return true;
        if (!std::isfinite(curvature) || !std::isfinite(size)) return true;  // the monitor will see it
        lipschitz_ *= 2.0;
    }
    return step_is_round_off(lipschitz);
}

// Near the solution e = x_new - y is all round-off, and then so is its curvature: A x_new and A y carry about
// eps |A| |x| each, with |A| near the L that the step began with.
bool Apgd::step_is_round_off(double lipschitz) const {
    constexpr double rounding = 100.0 * std::numeric_limits<double>::epsilon();
    double curvature = 0.0;
    double size = 0.0;
    for (std::size_t i = 0; i < next_.size(); ++i) {
        const double e = next_[i] - y_[i];
        curvature += e * (anext_[i] - ay_[i]);
        size += e * e * metric_[i];
    }
    const double points =
        std::sqrt(weighted_dot(next_, next_, metric_)) + std::sqrt(weighted_dot(y_, y_, metric_));
    return std::abs(curvature) <= rounding * lipschitz * std::sqrt(size) * points;
}

// y and A y of the next iteration; x <- x_new.
void Apgd::accelerate() {
    const View p = packed_.frozen_linear_term();
    const double uphill = sum_over_chunks(next_.size(), [&](std::size_t first, std::size_t last) {
        double sum = 0.0;
        for (std::size_t i = first; i < last; ++i) sum += (ay_[i] + p[i]) * (next_[i] - x_[i]);
        return sum;
    });
    double theta_next = 0.5 * (-theta_ * theta_ + theta_ * std::sqrt(theta_ * theta_ + 4.0));
    double beta = theta_ * (1.0 - theta_) / (theta_ * theta_ + theta_next);
    if (uphill > 0.0) {
        beta = 0.0;
        theta_next = 1.0;
    }
    for_each_chunk(next_.size(), [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            y_[i] = next_[i] + beta * (next_[i] - x_[i]);
            ay_[i] = anext_[i] + beta * (anext_[i] - ax_[i]);
        }
    });
    std::swap(x_, next_);
    std::swap(ax_, anext_);
    theta_ = theta_next;
    lipschitz_ *= relax_lipschitz;
}

std::unique_ptr<Solver> make_apgd(const ApgdOptions& options) {
    return std::make_unique<Apgd>(options);
}

}  // namespace uptack

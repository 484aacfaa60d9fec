// Proximal point with semismooth Newton inside: stage 5 of newton.h.

#include <algorithm>
#include <cmath>

#include "linalg/parallel.h"
#include "newton.h"

namespace uptack {
namespace {

constexpr int inner_limit = 60;
constexpr double inner_accuracy = 0.1;  // of the distance the proximal step goes
constexpr double flat = 0.05;           // of the first slope: the line search is content
constexpr int search_limit = 25;
constexpr int idle_rounds = 8;  // rounds at the smallest rho without gain: stalled
constexpr double gain = 0.81;   // of the energy: a tenth of the error
constexpr double astray = 1e4;  // of the energy: the fixed point of freezing runs away

}  // namespace

void Newton::safeguard() {
    double rho = options_.prox_start;
    int idle = 0;
    while (!monitor_.finished()) {
        const double before_J = best_J_;
        packed_.freeze(x_);
        minimise_proximal(rho);
        if (monitor_.finished()) return;
        copy(z_, x_);
        if (!(energy_J_ < astray * best_J_)) return_to_best();
        polish();
        if (monitor_.finished()) return;
        const bool last = rho <= options_.prox_floor;
        idle = best_J_ < gain * before_J ? 0 : idle + (last ? 1 : 0);
        if (idle >= idle_rounds) {
            monitor_.stop(Status::stalled,
                          "no stage lowers the error further: round-off is reached, or there is no solution");
        }
        rho = std::max(options_.prox_floor, options_.prox_shrink * rho);
    }
}

/// From centre x; leaves the minimiser's projection in z.
void Newton::minimise_proximal(double rho) {
    copy(x_, center_);
    set_weights(rho);
    packed_.multiply_symmetric(x_, ax_);
    for (int inner = 0; inner < inner_limit && !monitor_.finished(); ++inner) {
        const double moved = linearise_proximal();
        packed_.multiply_symmetric(residual_, scratch_);
        const double error = std::sqrt(std::max(0.0, dot(residual_, scratch_)));
        if (inner > 0 && !(error > inner_accuracy * std::sqrt(rho * moved))) return;
        if (!factorise()) return;
        system_.solve(packed_, residual_, dx_);
        packed_.multiply_symmetric(dx_, adx_);
        const double alpha = line_search();
        add_scaled(alpha, dx_, x_);
        add_scaled(alpha, adx_, ax_);
        packed_.gradient_step(center_, ax_, 1.0, weight_, z_);
        look(z_);
    }
}

// y = c - (A x + p) / R, z = P(y), -F = z - x, Gamma = E R^-1.  Returns |z - c|^2 in the metric.
double Newton::linearise_proximal() {
    const View p = packed_.frozen_linear_term();
    const View metric = packed_.metric();
    const std::span<const Cell> cells = packed_.cells();
    double moved = 0.0;
    CellBlock e;
    for (std::size_t k = 0; k < cells.size(); ++k) {
        const std::size_t n = cells[k].rows;
        const std::size_t i0 = cells[k].first_row;
        for (std::size_t i = i0; i < i0 + n; ++i) z_[i] = center_[i] - (ax_[i] + p[i]) / weight_[i];
        const double bound = cells[k].kind == CellKind::box ? packed_.frozen_bound(cells[k]) : 0.0;
        project_with_derivative(packed_, cells[k], bound, std::span(z_).subspan(i0, n), e);
        for (std::size_t i = 0; i < n; ++i) {
            const double step = z_[i0 + i] - center_[i0 + i];
            moved += metric[i0 + i] * step * step;
            residual_[i0 + i] = z_[i0 + i] - x_[i0 + i];
            for (std::size_t j = 0; j < n; ++j) gamma_[k][i * n + j] = e[i * n + j] / weight_[i0 + j];
        }
    }
    return moved;
}

/// Slope of the dual objective along the step: <x + alpha dx - z(alpha), A dx>, rising from below zero.
double Newton::slope(double alpha) {
    for (std::size_t i = 0; i < scratch_.size(); ++i) scratch_[i] = ax_[i] + alpha * adx_[i];
    packed_.gradient_step(center_, scratch_, 1.0, weight_, z_);
    return sum_over_chunks(x_.size(), [&](std::size_t first, std::size_t last) {
        double sum = 0.0;
        for (std::size_t i = first; i < last; ++i) sum += (x_[i] + alpha * dx_[i] - z_[i]) * adx_[i];
        return sum;
    });
}

/// The full step if the slope there is not clearly positive, else a zero of the slope by regula falsi.
double Newton::line_search() {
    const double start = slope(0.0);
    const double content = flat * std::abs(start);
    double high = 1.0;
    double slope_high = slope(1.0);
    if (!(slope_high > content)) return 1.0;
    double low = 0.0;
    double slope_low = start;
    double alpha = 1.0;
    for (int k = 0; k < search_limit; ++k) {
        alpha = low - (high - low) * slope_low / (slope_high - slope_low);
        const double margin = 0.05 * (high - low);
        if (!(alpha - low > margin && high - alpha > margin)) alpha = 0.5 * (low + high);
        const double here = slope(alpha);
        if (std::abs(here) <= content) break;
        (here > 0.0 ? high : low) = alpha;
        (here > 0.0 ? slope_high : slope_low) = here;
    }
    return alpha;
}

}  // namespace uptack

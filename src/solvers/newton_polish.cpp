// Semismooth Newton on the law itself: stage 3 of newton.h.

#include <algorithm>
#include <cmath>

#include "newton.h"

namespace uptack {
namespace {

// How rho / relative error follows success.  A raise of 5 wasted factorisations on some of the problems of
// docs/decisions/010, one of 20 on others.
constexpr double good_step = 0.3;  // the error fell to this part: trust more
constexpr double poor_step = 0.7;  // it fell, but only to this part: rho is what holds it back
constexpr double lower_good = 0.3;
constexpr double lower_poor = 0.5;
constexpr double least_ratio = 1e-3;
constexpr double raise = 10.0;
constexpr double any_gain = 0.99;  // of the energy
constexpr int step_limit = 200;
constexpr int refusal_limit = 5;  // in a row
constexpr int slow_limit = 6;     // steps in a row that do not halve the error

constexpr double gmres_reduction = 1e-3;
constexpr double good_factor = 1e-2;  // of the right side: what one application of the factor may leave

}  // namespace

void Newton::polish() {
    packed_.multiply(x_, ax_);
    double current_J = packed_.energy_error(x_, ax_);
    double ratio = 1.0;  // rho / relative error
    int refused = 0;
    int slow = 0;
    for (int k = 0; k < step_limit && !monitor_.finished(); ++k) {
        const double error = relative_error(current_J, reference_J_);
        if (ratio * error > 2.0) return;
        const double rho = std::clamp(ratio * error, options_.polish_floor, 1.0);
        if (!polish_step(rho) || !(energy_J_ < any_gain * current_J)) {
            ratio = raise * std::max(ratio, rho / error);
            if (++refused >= refusal_limit) return;
            continue;
        }
        const double gain = std::sqrt(energy_J_ / current_J);
        std::swap(x_, z_);
        std::swap(ax_, az_);
        current_J = energy_J_;
        refused = 0;
        slow = gain > 0.5 ? slow + 1 : 0;
        if (slow >= slow_limit) return;
        if (gain < good_step) {
            ratio = std::max(least_ratio, lower_good * ratio);
        } else if (gain > poor_step) {
            ratio *= lower_poor;
        }
    }
}

/// z = P(x + dx) and A z, looked at; false: the step was not finite, or the time is up.
bool Newton::polish_step(double rho) {
    set_weights(rho);
    linearise_law(x_);
    if (!factorise_law()) return false;
    solve_newton_system();
    for (std::size_t i = 0; i < x_.size(); ++i) z_[i] = x_[i] + dx_[i];
    packed_.project(z_);
    look(z_);
    return std::isfinite(energy_J_);
}

void Newton::linearise_law(View center) {
    for (std::size_t k = 0; k < packed_.cells().size(); ++k) linearise_cell(k, center);
}

// 1. w~ and S      2. y = c - w~ / R, z = P(y), E      3. -F = z - x      4. E R^-1, and with S and box
// bounds
void Newton::linearise_cell(std::size_t index, View center) {
    const Cell& cell = packed_.cells()[index];
    const std::size_t n = cell.rows;
    const std::size_t i0 = cell.first_row;
    const View q = packed_.linear_term().subspan(i0, n);
    const View weight = View(weight_).subspan(i0, n);
    const std::span<double> y = std::span(z_).subspan(i0, n);
    CellBlock e;
    CellBlock s;
    for (std::size_t i = 0; i < n; ++i) y[i] = ax_[i0 + i] + q[i];
    correct_with_derivative(packed_, cell, y, s);
    for (std::size_t i = 0; i < n; ++i) y[i] = center[i0 + i] - y[i] / weight[i];
    const double bound = cell.kind == CellKind::box ? cell.mu * std::max(0.0, y[0]) : 0.0;
    project_with_derivative(packed_, cell, bound, y, e);
    for (std::size_t i = 0; i < n; ++i) {
        residual_[i0 + i] = y[i] - x_[i0 + i];
        for (std::size_t j = 0; j < n; ++j) gamma_[index][i * n + j] = e[i * n + j] / weight[j];
    }
    if (packed_.is_convex()) return;
    for (std::size_t i = 1; i < n && cell.kind == CellKind::box; ++i) {  // a tangent at its bound follows it
        if (std::abs(y[i]) >= bound) e[i * n] = (y[i] > 0.0 ? cell.mu : -cell.mu) * e[0];
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            double sum = 0.0;
            for (std::size_t l = 0; l < n; ++l) sum += e[i * n + l] / weight[l] * s[l * n + j];
            skew_[index][i * n + j] = sum;
        }
    }
}

/// The matrix below.  False: the time is up.
bool Newton::factorise_law() {
    if (packed_.is_convex()) return factorise();
    return count(system_.factorise_unsymmetric(packed_, skew_, deadline_));
}

// (I + E R^-1 S A) dx = -F, by the factor; then the same for what is left over: E R^-1 is as large as 1 /
// rho, and without this its round-off stays in the step.  If much is left over, the factor is a poor one
// (pivots were lost, or A is not symmetric): GMRES.
void Newton::solve_newton_system() {
    const CellBlocks& jacobian = packed_.is_convex() ? gamma_ : skew_;
    const auto multiply = [&](View in, MutableView out) {
        packed_.multiply(in, scratch_);
        apply(jacobian, packed_.cells(), scratch_, out);
        add_scaled(1.0, in, out);
    };
    const auto precondition = [&](View in, MutableView out) { system_.solve(packed_, in, out); };
    const auto size = [&] { return std::sqrt(weighted_dot(residual_, residual_, packed_.metric())); };
    const auto iterate = [&](MutableView out) {
        gmres_.solve(residual_, packed_.metric(), {.reduction = gmres_reduction, .deadline = deadline_},
                     multiply, precondition, out);
    };
    const auto leave_over = [&] {  // of the residual, after dx
        multiply(dx_, adx_);
        add_scaled(-1.0, adx_, residual_);
    };
    const double before = packed_.is_convex() ? 0.0 : size();
    precondition(residual_, dx_);
    leave_over();
    if (packed_.is_convex() || size() <= good_factor * before) {
        precondition(residual_, adx_);
    } else {
        add_scaled(1.0, adx_, residual_);
        iterate(dx_);
        leave_over();
        iterate(adx_);
    }
    add_scaled(1.0, adx_, dx_);
}

}  // namespace uptack

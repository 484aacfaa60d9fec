// Proximal point on the law itself: stage 4 of newton.h.

#include <algorithm>
#include <cmath>

#include "newton.h"

namespace uptack {
namespace {

// rho: as small as the inner Newton method bears, since that is how far a step goes.  Halving or thirding it,
// six steps or fifteen, made no difference to how many factorisations walls of bricks take.
constexpr double first_rho = 1e-2;
constexpr double least_rho = 1e-6;
constexpr double most_rho = 2.0;  // steps of Jacobi's size: nothing is left to try
constexpr int few_steps = 2;
constexpr int many_steps = 5;
constexpr int step_limit = 6;
constexpr double lower = 0.5;
constexpr double raise = 2.0;
constexpr double raise_refused = 4.0;

constexpr double accuracy = 0.1;  // of the distance that the proximal step goes
constexpr int halvings = 6;
constexpr double sufficient = 1e-3;  // decrease of the residual, per length of the step

// Given up when the error has not fallen for so many factorisations, nor for as many as the way so far took.
// Walls of 5 x 6 bricks and more rest for hundreds of them.  Little comes of it in large ones, and nothing
// where a factorisation is dear: that is a packing.
constexpr std::int64_t patience = 1000;
constexpr std::int64_t large_patience = 100;
constexpr double polish_gain = 0.01;  // of the energy: worth a polish
constexpr double gain = 0.81;         // of the energy: a tenth of the error

double distance(View a, View b, View metric) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += metric[i] * (a[i] - b[i]) * (a[i] - b[i]);
    return std::sqrt(sum);
}

}  // namespace

void Newton::walk() {
    go_to(solution_->impulse);
    double rho = first_rho;
    double polished_J = best_J_;
    double milestone_J = best_J_;
    const std::int64_t began = factorisations_;
    std::int64_t reached = began;
    const bool large = is_dear() || packed_.rows() > std::size_t{long_walk_rows};
    const std::int64_t patient = large ? large_patience : patience;
    while (rho <= most_rho && !monitor_.finished()) {
        copy(x_, center_);
        const int steps = settle(rho);
        if (steps == 0) {
            go_to(center_);
            rho *= raise_refused;
        } else if (steps <= few_steps) {
            rho = std::max(least_rho, lower * rho);
        } else if (steps >= many_steps) {
            rho *= raise;
        }
        if (best_J_ < polish_gain * polished_J) {  // out of the valley, perhaps
            polished_J = best_J_;
            copy(x_, center_);
            return_to_best();
            polish();
            go_to(center_);
        }
        if (best_J_ < gain * milestone_J) {
            milestone_J = best_J_;
            reached = factorisations_;
        }
        if (factorisations_ - reached > std::max(patient, reached - began)) return;
    }
}

void Newton::go_to(View x) {
    copy(x, x_);
    packed_.multiply(x_, ax_);
}

/// x = P(c - w~ / R), roughly; returns the Newton steps that it took, 0 where they did not get there.
int Newton::settle(double rho) {
    set_weights(rho);
    for (int step = 0; step <= step_limit; ++step) {
        linearise_law(center_);
        const double residual = std::sqrt(weighted_dot(residual_, residual_, packed_.metric()));
        look(z_);
        if (monitor_.finished()) return 0;
        if (step > 0 && residual <= accuracy * distance(z_, center_, packed_.metric())) return step;
        if (step == step_limit || !factorise_law()) return 0;
        solve_newton_system();
        packed_.multiply(dx_, adx_);
        const double alpha = step_length(residual);
        if (alpha == 0.0) return 0;
        add_scaled(alpha, dx_, x_);
        add_scaled(alpha, adx_, ax_);
    }
    return 0;
}

/// The longest of a few that lowers the residual; 0: none does.
double Newton::step_length(double residual) {
    double alpha = 1.0;
    for (int k = 0; k < halvings; ++k, alpha *= 0.5) {
        for (std::size_t i = 0; i < scratch_.size(); ++i) scratch_[i] = ax_[i] + alpha * adx_[i];
        packed_.fixed_point_step(center_, scratch_, 1.0, weight_, z_);
        for (std::size_t i = 0; i < scratch_.size(); ++i) scratch_[i] = x_[i] + alpha * dx_[i];
        if (distance(z_, scratch_, packed_.metric()) < (1.0 - sufficient * alpha) * residual) return alpha;
    }
    return 0.0;
}

}  // namespace uptack

#include "newton.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace uptack {
namespace {

constexpr double warm_enough = 1e-3;  // relative error from which the polish usually converges by itself;
constexpr double exact_warm_enough = 1e-2;  // or from which it can walk, where it is not convex

// Interior point: 80 iterations are twice what any problem here needed.  A stall may be called below 1e-2, or
// after 25; before, the error of an interior iterate says little.
constexpr int interior_limit = 80;
constexpr int interior_patience = 2;  // iterations that do not halve the energy
constexpr int interior_settling = 25;
constexpr double interior_near = 1e-2;
constexpr double interior_goal = 1e-7;
constexpr double plain_interior_goal =
    1e-11;                            // without cones it goes on as it began, and polishing takes longer
constexpr double exact_below = 3e-4;  // relative error from which directions are worth refining

constexpr double joint_weight =
    1e-8;  // rho: small enough for two or three steps, large enough for redundancy
constexpr int joint_steps = 60;

}  // namespace

SolveReport Newton::solve(const Problem& problem, Solution& solution, const StopRule& rule,
                          const Observer& observer) {
    monitor_.start_clock();
    analysed_ = knows_start_ = false;
    packed_.pack(problem, PackedProblem::Use::products);
    return solve_packed(problem, solution, rule, observer);
}

SolveReport Newton::solve_analysed(const Problem& problem, Solution& solution, const StopRule& rule,
                                   const Observer& observer) {
    monitor_.start_clock();
    return solve_packed(problem, solution, rule, observer);
}

SolveReport Newton::solve_packed(const Problem& problem, Solution& solution, const StopRule& rule,
                                 const Observer& observer) {
    linear_ = false;
    solution_ = &solution;
    monitor_.begin(packed_, rule, observer, solution, x_, ax_);
    deadline_ = monitor_.deadline();
    if (!monitor_.finished() && prepare()) run();
    return monitor_.finish(problem);
}

/// x <- x - (A + R)^-1 (A x + q), which mostly is enough at once: R is 1e-8 of A, the correction is small.
bool Newton::correct(const Problem& problem, Solution& solution, Tolerance tolerance) {
    constexpr int most_steps = 4;
    if (!linear_ || solution.impulse.size() != packed_.rows()) return false;
    packed_.renew_bias(problem);
    const View q = packed_.linear_term();
    const double reference_J = packed_.reference_energy();
    copy(solution.impulse, x_);
    for (int k = 0; k <= most_steps; ++k) {
        packed_.multiply(x_, az_);
        if (k > 0 && meets(tolerance, packed_.energy_error(x_, az_), reference_J)) {
            copy(x_, solution.impulse);
            body_velocities(problem, solution.impulse, solution.velocity);
            return true;
        }
        for (std::size_t i = 0; i < scratch_.size(); ++i) scratch_[i] = -(az_[i] + q[i]) / weight_[i];
        system_.solve(packed_, scratch_, z_);
        add_scaled(1.0, z_, x_);
    }
    return false;
}

double Newton::factor_operations(const Problem& problem) {
    linear_ = knows_start_ = false;
    packed_.pack(problem, PackedProblem::Use::products);
    analysed_ = system_.prepare(packed_);
    return system_.operations();
}

double Newton::start_error() {
    deadline_ = {};
    x_.resize(packed_.rows());
    resize();
    set_weights(options_.start_weight);
    solve_without_laws();
    start_ = x_;
    knows_start_ = true;
    packed_.project(x_);
    packed_.multiply(x_, az_);
    return relative_error(packed_.energy_error(x_, az_), packed_.reference_energy());
}

void Newton::resize() {
    for (auto* vector : {&center_, &weight_, &z_, &az_, &residual_, &dx_, &adx_, &scratch_}) {
        vector->resize(packed_.rows());
    }
    gamma_.resize(packed_.cells());
    skew_.resize(packed_.cells());
}

/// False: the time is up.
bool Newton::prepare() {
    resize();
    factorisations_ = 0;
    reference_J_ = packed_.reference_energy();
    energy_J_ = best_J_ = packed_.energy_error(x_, ax_);
    if (analysed_ || system_.prepare(packed_, deadline_)) return true;
    monitor_.stop(Status::budget_spent, "the time does not suffice to order the rows for a factorisation");
    return false;
}

void Newton::run() {
    if (packed_.only_bilateral() && packed_.is_convex()) {
        solve_joints();
        return;
    }
    const bool walks = may_walk_ && !packed_.is_convex();
    const bool warm = relative_error(energy_J_, reference_J_) < (walks ? exact_warm_enough : warm_enough);
    if (warm) polish();
    if (warm && walks && !monitor_.finished()) walk();
    if (!monitor_.finished()) interior_stage();
    if (!monitor_.finished()) polish();
    if (!warm && walks && !monitor_.finished()) walk();
    if (!monitor_.finished()) safeguard();
}

/// What x may hide in its last digits: where there is no solution an interior point runs off to impulses so
/// large that x - w / a is x again, and the error reads zero.
double Newton::hidden_energy(View x) const {
    constexpr double last_digit = std::numeric_limits<double>::epsilon();
    return 0.5 * last_digit * last_digit * weighted_dot(x, x, packed_.metric());
}

/// Of gamma.  False: the time is up; what was cut short is not looked at, the best iterate before is the
/// result.
bool Newton::factorise(Numbers numbers) {
    return count(system_.factorise(packed_, gamma_, deadline_, numbers));
}

bool Newton::count(int lost_pivots) {
    if (lost_pivots == NewtonSystem::abandoned) {
        monitor_.stop(Status::budget_spent, "");
        return false;
    }
    ++factorisations_;
    return true;
}

/// Shows x to the monitor.  One that is not finite is only a failed attempt: the clock is still read.
void Newton::look(View x) {
    packed_.multiply(x, az_);
    energy_J_ = packed_.energy_error(x, az_) + hidden_energy(x);
    if (std::isfinite(energy_J_)) {
        monitor_.judge(factorisations_, energy_J_, x);
        best_J_ = std::min(best_J_, energy_J_);
    } else {
        energy_J_ = infinity;
        monitor_.judge(factorisations_, best_J_, solution_->impulse);
    }
}

void Newton::set_weights(double rho) {
    const View metric = packed_.metric();
    for (std::size_t i = 0; i < weight_.size(); ++i) weight_[i] = rho * metric[i];
}

void Newton::return_to_best() {
    copy(solution_->impulse, x_);
}

/// Gamma = R^-1 for every row, factored: the laws forgotten.  False: the time is up.
bool Newton::solve_without_laws(Numbers numbers) {
    const std::span<const Cell> cells = packed_.cells();
    const View q = packed_.linear_term();
    for (std::size_t k = 0; k < cells.size(); ++k) {
        const std::size_t n = cells[k].rows;
        std::fill_n(gamma_[k], n * n, 0.0);
        for (std::size_t i = 0; i < n; ++i) gamma_[k][i * n + i] = 1.0 / weight_[cells[k].first_row + i];
    }
    if (!factorise(numbers)) return false;
    for (std::size_t i = 0; i < q.size(); ++i) residual_[i] = -q[i] / weight_[i];
    system_.solve(packed_, residual_, x_);
    return true;
}

// A x = -q by conjugate gradients with the factor of A + R: iterative refinement that does not mind redundant
// rows.  r = -(A x + q) is recomputed, not updated: the last digits are wanted.
void Newton::solve_joints() {
    set_weights(joint_weight);
    if (!solve_without_laws()) return;
    linear_ = true;
    const View q = packed_.linear_term();
    std::vector<double>& r = residual_;
    double rz = 0.0;
    for (int k = 0; k < joint_steps; ++k) {
        look(x_);
        if (monitor_.finished()) return;
        for (std::size_t i = 0; i < r.size(); ++i) {
            r[i] = -(az_[i] + q[i]);
            scratch_[i] = r[i] / weight_[i];
        }
        system_.solve(packed_, scratch_, z_);  // (A + R)^-1 r
        const double next = dot(r, z_);
        if (!(next > 0.0)) break;
        if (k == 0) {
            copy(z_, dx_);
        } else {
            scale_and_add(next / rz, z_, dx_);
        }
        rz = next;
        packed_.multiply(dx_, adx_);
        const double curvature = dot(dx_, adx_);
        if (!(curvature > 0.0)) break;
        add_scaled(dot(dx_, r) / curvature, dx_, x_);
    }
    monitor_.stop(Status::stalled, "round-off is reached, or the rows contradict each other");
}

/// A factorisation, beside the rest of an iteration.
bool Newton::is_dear() const {
    return system_.operations() > float_operations * static_cast<double>(packed_.cells().size());
}

void Newton::interior_stage() {
    set_weights(options_.start_weight);
    const auto numbers = is_dear() && packed_.is_convex() ? Numbers::floats : Numbers::doubles;
    if (knows_start_) {
        copy(start_, x_);
    } else if (!solve_without_laws(numbers)) {
        return;
    }
    copy(x_, z_);
    packed_.project(z_);
    look(z_);
    packed_.freeze(x_);
    interior_.begin(packed_, x_, numbers);
    const bool has_cones = std::any_of(packed_.cells().begin(), packed_.cells().end(),
                                       [](const Cell& cell) { return cell.kind != CellKind::scalar; });
    const double goal = has_cones ? interior_goal : plain_interior_goal;
    double least_J = energy_J_;
    int slow = 0;
    auto directions = InteriorPoint::Directions::rough;
    for (int k = 0; k < interior_limit && !monitor_.finished(); ++k) {
        if (k > 0) packed_.freeze(interior_.impulse());
        if (!interior_.iterate(packed_, system_, directions, deadline_)) {
            if (deadline_.passed()) monitor_.stop(Status::budget_spent, "");
            break;
        }
        ++factorisations_;
        look(interior_.impulse());
        const double error = relative_error(energy_J_, reference_J_);
        const bool settled = error < interior_near || k >= interior_settling;
        const bool halved = energy_J_ < 0.5 * least_J;
        if (error < exact_below || (settled && !halved)) directions = InteriorPoint::Directions::exact;
        if (halved) {
            slow = 0;
        } else if (settled) {
            ++slow;
        }
        least_J = std::min(least_J, energy_J_);
        if (error < goal || slow >= interior_patience) break;
    }
    return_to_best();
}

std::unique_ptr<Solver> make_newton(const NewtonOptions& options) {
    return std::make_unique<Newton>(options);
}

}  // namespace uptack

#include "cg.h"

namespace uptack {

SolveReport Cg::solve(const Problem& problem, Solution& solution, const StopRule& rule,
                      const Observer& observer) {
    monitor_.start_clock();
    packed_.pack(problem, PackedProblem::Use::products);
    if (!packed_.only_bilateral()) {
        return refuse(problem, solution,
                      "cg takes bilateral rows only; use spg, apgd or psor for contacts and limits");
    }
    if (!packed_.is_convex() || !packed_.has_positive_diagonal()) {
        return refuse(problem, solution, "cg needs a symmetric matrix with a positive diagonal");
    }
    monitor_.begin(packed_, rule, observer, solution, x_, y_);
    r_.resize(packed_.rows());
    p_.resize(packed_.rows());
    const View d = packed_.metric();

    double rz = restart();
    for (std::int64_t iteration = 1; !monitor_.finished(); ++iteration) {
        packed_.multiply(p_, y_);
        const double curvature = dot(p_, y_);
        if (!(curvature > 0.0)) {
            monitor_.stop(Status::stalled,
                          "cg met a direction without curvature: the rows contradict each other");
            break;
        }
        const double alpha = rz / curvature;
        add_scaled(alpha, p_, x_);
        add_scaled(-alpha, y_, r_);
        double rz_next = inverse_weighted_dot(r_, r_, d);
        const bool claims_convergence = monitor_.meets_tolerance(0.5 * rz_next);
        if (claims_convergence) {
            packed_.multiply(x_, y_);
            rz = rz_next = restart();
        }
        if (claims_convergence || monitor_.due(iteration)) monitor_.judge(iteration, 0.5 * rz_next, x_);
        if (claims_convergence) continue;
        const double beta = rz_next / rz;
        for (std::size_t i = 0; i < p_.size(); ++i) p_[i] = r_[i] / d[i] + beta * p_[i];
        rz = rz_next;
    }
    return monitor_.finish(problem);
}

// r and p afresh from y = A x; returns <r, D^-1 r>
double Cg::restart() {
    const View q = packed_.frozen_linear_term();
    const View d = packed_.metric();
    for (std::size_t i = 0; i < r_.size(); ++i) {
        r_[i] = -(y_[i] + q[i]);
        p_[i] = r_[i] / d[i];
    }
    return inverse_weighted_dot(r_, r_, d);
}

std::unique_ptr<Solver> make_cg(const CgOptions& options) {
    return std::make_unique<Cg>(options);
}

}  // namespace uptack

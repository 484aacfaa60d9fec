// Accelerated projected gradient descent: Nesterov's method with restart (Mazhar, Heyn, Negrut, Tasora 2015),
// with the diagonal preconditioner P of [spectral-gradient] as its metric.
//
// Minimises f(x) = 1/2 x'Ax + p'x over the allowed impulses, g = A y + p:
//
//     x_new = proj(y - g / (L P))              L doubled until <e, A e> <= L <e, P e> for e = x_new - y
//     theta_new: theta_new^2 = (1 - theta_new) theta^2,      beta = theta (1 - theta) / (theta^2 + theta_new)
//     <g, x_new - x> > 0: the momentum points uphill, restart with beta = 0, theta_new = 1
//     y = x_new + beta (x_new - x),   A y likewise: one product per iteration
//     L <- 0.97 L
//
// L starts from a few power iterations on P^-1/2 A P^-1/2.
// Departures from the paper: the metric P; the backtracking test in e (the quadratic's other terms cancel,
// and so does round-off); restart by the gradient test of O'Donoghue and Candes; the best iterate by energy
// error.

#pragma once

#include <vector>

#include "frozen_stage.h"
#include "monitor.h"
#include "packed_problem.h"
#include "uptack/solvers.h"

namespace uptack {

class Apgd final : public Solver {
public:
    explicit Apgd(const ApgdOptions& options) : options_(options) {}

    std::string_view name() const override { return "apgd"; }
    SolveReport solve(const Problem& problem, Solution& solution, const StopRule& rule,
                      const Observer& observer) override;

private:
    void prepare(const StopRule& rule, const Observer& observer, Solution& solution);
    double estimate_lipschitz();
    void restart_momentum();
    bool step();
    bool step_is_round_off(double lipschitz) const;
    void accelerate();

    ApgdOptions options_;
    PackedProblem packed_;
    Monitor monitor_;
    FrozenStage stage_;
    std::vector<double> x_, ax_;        // iterate and A x
    std::vector<double> y_, ay_;        // extrapolated point and A y
    std::vector<double> next_, anext_;  // x_new and A x_new
    std::vector<double> cone_metric_;
    View metric_;             // P
    double lipschitz_ = 1.0;  // L, relative to P
    double theta_ = 1.0;
};

}  // namespace uptack

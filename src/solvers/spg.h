// Spectral projected gradient with preconditioning and fallback: P-SPG-FB of [spectral-gradient].
//
// Minimises f(x) = 1/2 x'Ax + p'x over the allowed impulses, g = A x + p, with the diagonal preconditioner P:
//
//     d = proj(x - alpha P^-1 g) - x
//     lambda = 1; shorten it while f(x + lambda d) > max of the last N f + gamma lambda <d, g>    (GLL)
//     x += lambda d,   g += lambda A d
//     alpha = <d, P d> / <d, A d>  (BB1)   or   <d, A d> / <A d, P^-1 A d>  (BB2), in turn
//
// Without inequality rows this is a Krylov-like method: about the speed of cg on well-conditioned joints.
//
// Where the code departs from the paper:
//   - compliance enters as A = J M^-1 J^T + C (the paper's E is -C);
//   - P is A's diagonal averaged over each cone (trace / rows), or, with cone_metric, apart for normal and
//     tangents with the projection done in that metric; either makes d a descent direction, so the
//     unpreconditioned fallback direction is never needed: <d, g> >= 0 can only mean that x is a solution up
//     to round-off;
//   - f is kept relative to f(x0) and changes by lambda <d, g> + 1/2 lambda^2 <d, A d>: one product per
//     iteration and no cancellation, and the GLL test compares real decreases;
//   - s, y, alpha are taken after the line search; <s, y> <= 0 gives alpha_max (redundant contacts);
//   - the fallback iterate is chosen by the energy error, and the start counts: w_0 = 1e29 would drop a warm
//     start.

#pragma once

#include <vector>

#include "frozen_stage.h"
#include "monitor.h"
#include "packed_problem.h"
#include "uptack/solvers.h"

namespace uptack {

class Spg final : public Solver {
public:
    explicit Spg(const SpgOptions& options) : options_(options) {}

    std::string_view name() const override { return "spg"; }
    SolveReport solve(const Problem& problem, Solution& solution, const StopRule& rule,
                      const Observer& observer) override;

    /// How often the line search shortened a step in the last solve.
    std::int64_t backtracks() const { return backtracks_; }

private:
    void prepare(const StopRule& rule, const Observer& observer, Solution& solution);
    void restart_memory();
    bool find_direction();
    double search(double slope, double curvature);
    void advance(double lambda, double curvature, std::int64_t iteration);

    SpgOptions options_;
    PackedProblem packed_;
    Monitor monitor_;
    FrozenStage stage_;
    std::vector<double> x_;
    std::vector<double> y_;   // A x
    std::vector<double> d_;   // direction
    std::vector<double> ad_;  // A d
    std::vector<double> cone_metric_;
    View metric_;                   // P
    std::vector<double> decrease_;  // the last N values of f - f(x0), as a ring
    std::size_t newest_ = 0;
    double alpha_ = 1.0;
    double slope_ = 0.0;  // <d, g>
    std::int64_t backtracks_ = 0;
};

}  // namespace uptack

// Nonlinear nonsmooth conjugate gradient over PSOR sweeps (Silcowitz-Hansen, Niebe, Erleben 2010).
//
// A sweep S is taken for a gradient step: its change d = S(x) - x plays the gradient's part, with
// Fletcher-Reeves:
//
//     d_j = S(x_j) - x_j          beta = <d_j, D d_j> / <d_{j-1}, D d_{j-1}>
//     beta <= 1:   x_{j+1} = S(x_j) + beta p_{j-1},   p_j = d_j + beta p_{j-1}
//     beta >  1:   x_{j+1} = S(x_j),                  p_j = 0                        (restart)
//
// D is the error metric, so that beta has no units.  The state u = G^T x is linear in x and takes the same
// combinations: no extra products.  What is judged is S(x_j), which is always allowed, not x_{j+1}, which may
// not be.

#pragma once

#include <vector>

#include "monitor.h"
#include "packed_problem.h"
#include "uptack/solvers.h"

namespace uptack {

class Nncg final : public Solver {
public:
    explicit Nncg(const NncgOptions& options) : options_(options) {}

    std::string_view name() const override { return "nncg"; }
    SolveReport solve(const Problem& problem, Solution& solution, const StopRule& rule,
                      const Observer& observer) override;

private:
    void restart();
    double square_of_change() const;
    void extrapolate(double beta);

    NncgOptions options_;
    PackedProblem packed_;
    Monitor monitor_;
    Swept now_;              // x_j, then S(x_j), then x_{j+1}
    Swept before_;           // x_j
    Swept direction_;        // p
    std::vector<double> y_;  // A x, at a look
};

}  // namespace uptack

// Projected Jacobi: the simultaneous fixed-point iteration, eq. 3 of [fixed-point].
//
//     x <- proj_K( x - omega B w~ ),     w = A x + q
//
// Where the code departs from the paper: B = diag(A)^-1 makes the simultaneous form diverge as soon as a body
// has several contacts (the spectral radius of diag(A)^-1 A can be their number), so B = D^-1 with a D for
// which A <= D holds as quadratic forms: each body is split into as many copies as it has cells
// (PackedProblem::safe_diagonal). Then omega in (0, 2) converges on every convex problem, if slowly: it is
// here for its parallelism and as the paper's own form, not as a recommendation.

#pragma once

#include <vector>

#include "monitor.h"
#include "packed_problem.h"
#include "uptack/solvers.h"

namespace uptack {

class Jacobi final : public Solver {
public:
    explicit Jacobi(const JacobiOptions& options) : options_(options) {}

    std::string_view name() const override { return "jacobi"; }
    SolveReport solve(const Problem& problem, Solution& solution, const StopRule& rule,
                      const Observer& observer) override;

private:
    JacobiOptions options_;
    PackedProblem packed_;
    Monitor monitor_;
    std::vector<double> x_;  // impulses
    std::vector<double> y_;  // A x
    std::vector<double> d_;  // D
};

}  // namespace uptack

// Conjugate gradient with the diagonal as preconditioner, for problems with bilateral rows only: A x + q = 0.
//
//     r = -(A x + q)      z = D^-1 r      p = z
//     alpha = <r, z> / <p, A p>     x += alpha p     r -= alpha A p
//     beta = <r, z>_new / <r, z>    p = z + beta p
//
// The yardstick of [spectral-gradient].  <r, D^-1 r> / 2 is the energy error, so the running estimate is
// free.  A may be singular (redundant joints) as long as q is in its range.  The residual is recomputed
// before convergence is said.

#pragma once

#include <vector>

#include "monitor.h"
#include "packed_problem.h"
#include "uptack/solvers.h"

namespace uptack {

class Cg final : public Solver {
public:
    explicit Cg(const CgOptions& /*options*/) {}

    std::string_view name() const override { return "cg"; }
    SolveReport solve(const Problem& problem, Solution& solution, const StopRule& rule,
                      const Observer& observer) override;

private:
    double restart();

    PackedProblem packed_;
    Monitor monitor_;
    std::vector<double> x_;
    std::vector<double> y_;  // A x at a restart, A p in between
    std::vector<double> r_;
    std::vector<double> p_;
};

}  // namespace uptack

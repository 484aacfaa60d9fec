// Gauss-Seidel sweeps, and every so often a leap along what the last one changed (Lyusternik's extrapolation,
// with a line search, and further than it says).
//
// After many sweeps S what changes from one to the next is all but one slow mode of the error: x_{j+1} - x_j
// = d becomes rho d, and the solution is d / (1 - rho) away.  Instead of guessing rho, the energy says how
// far:
//
//     f(x) = 1/2 x'Ax + q'x         u = G^T x carried along, so A d and f cost no product
//
//     x_1 .. x_8   = sweeps         d = x_8 - x_7
//     lambda       = min(cap, -(A x_8 + q)'d / d'A d)
//     x            = x_8 + lambda d, which need not be allowed: the next sweep projects it
//     after it:      back to x_8 where f is larger than f(x_8)
//
// cap is 10, 10, 80, 10, 10, 80, ...: two short leaps let the other modes catch up with a long one.  Each
// leap that is taken back doubles the sweeps before the next, up to 64; one that is not makes them 8 again.
//
// Exact friction has no energy; f without De Saxce's term serves as well there in packings, and not in walls.
// With box friction most leaps are taken back.  On b2-friction to 1e-2: 2100 sweeps where nncg takes 4100
// (docs/decisions/025-extrapolated-sweeps.md).

#pragma once

#include <vector>

#include "monitor.h"
#include "packed_problem.h"
#include "uptack/solvers.h"

namespace uptack {

class Leap final : public Solver {
public:
    explicit Leap(const LeapOptions& options) : options_(options) {}

    std::string_view name() const override { return "leap"; }
    SolveReport solve(const Problem& problem, Solution& solution, const StopRule& rule,
                      const Observer& observer) override;

private:
    double rise() const;
    double best_length(double cap) const;
    void leap(double lambda);
    void take_back();

    LeapOptions options_;
    PackedProblem packed_;
    Monitor monitor_;
    Swept now_;
    Swept before_;           // x_7, and after the leap x_8
    std::vector<double> y_;  // A x, at a look
};

}  // namespace uptack

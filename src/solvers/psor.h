// Projected Gauss-Seidel with over-relaxation: algorithm 4.1 of [fixed-point], matrix-free.
//
//     u = G^T x                                                       the velocity the impulses cause
//     for each cell k:   w_k = G_k u + C_k x_k + q_k                  its velocity with all done so far
//                        x_k <- proj_K( x_k - omega / a_k * w_k )
//                        u   <- u + G_k^T (change of x_k)
//
// a_k is A_ii for a scalar row and the largest eigenvalue of A_kk for a cone, but for the normals of round
// bodies less (docs/decisions/026), with proj_K in the metric of these.  omega in (0, 2).  For a convex
// problem every visit lowers f(x) = 1/2 x'Ax + q'x; the energy error need not fall at every sweep, hence the
// best iterate.
//
// Where the code departs from the paper:
//   - eq. 6 and the algorithm miss a parenthesis: e belongs inside, x_i - omega/g_i (E_i v - e_i);
//   - the velocity update is  v += s_i (change of x_i), not s_i^T lambda;
//   - cones: the usual step 3 / trace(A_kk) diverges for omega > 1.14 at box corners, 1 / lambda_max does
//     not;
//   - exact friction adds De Saxce's mu |w_t| to w_n at each visit; that of round bodies takes 0 <= x_n first
//     and then the disc |x_t| <= mu x_n, which needs no such term; box friction clamps each tangent with the
//     normal impulse just found [gauss-seidel-notes, eq. 36];
//   - compliance is in a_k and in w_k (the notes leave it out of d_ii and diverge for it).

#pragma once

#include <vector>

#include "monitor.h"
#include "packed_problem.h"
#include "uptack/solvers.h"

namespace uptack {

class Psor final : public Solver {
public:
    explicit Psor(const PsorOptions& options) : options_(options) {}

    std::string_view name() const override { return "psor"; }
    SolveReport solve(const Problem& problem, Solution& solution, const StopRule& rule,
                      const Observer& observer) override;

private:
    PsorOptions options_;
    PackedProblem packed_;
    Monitor monitor_;
    Swept now_;
    std::vector<double> y_;  // A x, at a look
};

}  // namespace uptack

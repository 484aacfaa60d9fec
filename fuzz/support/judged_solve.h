// A solver's word against the certificate's.
//
// The two compute the same error in another order, so they may differ by round-off.  How much that can be is
// computed from the problem: every number that goes into w_i in absolute value is s_i, and
//
//     noise = 1/2 sum_i a_i (K eps (s_i / a_i + |x_i|))^2      [J]
//
// The root of an energy error, being a norm of the natural map, moves by at most sqrt(noise).

#pragma once

#include <string>
#include <vector>

#include "uptack/certificate.h"
#include "uptack/solvers.h"

namespace uptack::fuzz {

struct Judged {
    SolveReport report;
    Solution solution;
    Certificate certificate;
    double noise_J = 0.0;
};

/// a_k of every row.
std::vector<double> inverse_masses(const Problem& problem);

/// Solves, has it certified, and calls it a finding when the solver
/// - throws, or returns impulses that are not finite or, where it moved from zero, not allowed by their law;
/// - claims another error than the certificate's, or `converged` where the tolerance is not met;
/// - is worse than zero impulses, or, started from its own result, worse than that (but for box friction);
/// - returns velocities that its impulses do not cause.
Judged judged_solve(const Problem& problem, const std::string& solver, const StopRule& rule);

/// Two answers to a problem that has only one: strictly convex laws, compliance on every row.  With
/// D = diag(a) and D^-1 A between m and L, |x - x*|_D <= (1 + L) / m |r|_D [Pang 1987]; a finding when the
/// two are further from each other than their errors allow.
void require_agreement(const Problem& problem, const Judged& one, const Judged& other);

/// Does require_agreement know this problem to have one answer?
bool has_one_answer(const Problem& problem);

}  // namespace uptack::fuzz

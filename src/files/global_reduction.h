// From M v = B x + f, w = B^T v + b to the assembled form w = A x + q.
//
//     A = B^T M^-1 B        q = B^T M^-1 f + b
//
// M falls apart into blocks of degrees of freedom that it does not couple (one per rigid body, one per finite
// element mesh).  Each block is factorised and applied alone, some columns at a time, so that the work and
// the memory follow the entries of A and not rows times degrees of freedom.

#pragma once

#include <string>
#include <vector>

#include "triplets.h"
#include "uptack/problem_file.h"

namespace uptack {

struct GlobalForm {
    SparseMatrix mass;             ///< M; need not be symmetric
    SparseMatrix directions;       ///< B, one row per degree of freedom, one column per constraint row
    std::vector<double> momentum;  ///< f, one per degree of freedom
    std::vector<double> bias;      ///< b, one per constraint row
};

struct AssembledForm {
    SparseMatrix matrix;
    std::vector<double> bias;
};

/// Everything must be finite and the sizes fit.  `where` names the file, for the errors: a singular M, or an
/// A beyond the limits.
AssembledForm eliminate_mass(const GlobalForm& global, const std::string& where, const ReadLimits& limits);

}  // namespace uptack

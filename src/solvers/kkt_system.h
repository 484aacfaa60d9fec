// The linear systems of the direct solvers: some rows hold (w = 0), the others keep their impulse.
//
//     K = [ I   G^T    ]        y = -x:   K [u; y] = [0; -g]   <=>   (A + R) x = g' on the rows that are on
//         [ G  -(C + R) ]
//
// in the mass-normalised coordinates of packed_problem.h; in the assembled form K = -(A + R) alone, symmetric
// part. R > 0 is a small multiple of A's diagonal: with redundant rows (the rule in stacks) A is singular,
// and R makes every choice of rows solvable.  It belongs to a proximal step, so it costs accuracy nowhere
// (simplex.h).

#pragma once

#include <span>
#include <vector>

#include "linalg/switching_ldlt.h"
#include "packed_problem.h"

namespace uptack {

class KktSystem {
public:
    /// Factorisations that this cuts short leave the system unsound().
    void set_deadline(Deadline deadline) { deadline_ = deadline; }
    /// The last factorisation was cut short: solve() means nothing.
    bool unsound() const { return stale_; }

    /// Structure and numbers of K with R = regularisation * metric.
    void build(const PackedProblem& packed, double regularisation);

    /// Changes R; the structure stays.  Takes effect with the next activate().
    void regularise(const PackedProblem& packed, double regularisation);

    /// Makes exactly the rows i with on[i] != 0 hold: by switching where few differ, else by factoring anew.
    /// Returns how many rows changed.
    int activate(std::span<const char> on);
    int switch_row(int row);

    bool is_on(int row) const { return ldlt_.is_on(offset_ + row); }

    /// d with ((A + R) d)_i = -g_i on the rows that are on, d = 0 on the others.
    void solve(View g, MutableView d);

    View regularisation() const { return r_; }
    const SwitchingLdlt& factor() const { return ldlt_; }
    std::int64_t factorisations() const { return factorisations_; }

private:
    void fill_body_matrix(const PackedProblem& packed);
    void fill_assembled_matrix(const PackedProblem& packed);
    void refactor();

    SwitchingLdlt ldlt_;
    SymmetricMatrix matrix_;
    std::vector<std::int64_t> next_;  // where the next entry of a column goes
    std::vector<double> r_;
    std::vector<char> on_;       // bodies are always on
    std::vector<double> floor_;  // pivots below are round-off
    std::vector<double> rhs_;
    int offset_ = 0;  // rows of K before the constraint rows: six per body
    int switches_ = 0;
    Deadline deadline_;
    bool stale_ = true;  // no factorisation of these numbers
    std::int64_t factorisations_ = 0;
};

}  // namespace uptack

// The sparse simplex of [simplex, section 3] for bilateral, unilateral and interval rows, and for friction as
// a pyramid.
//
// The problem is the minimum of f(x) = 1/2 x'Ax + p'x over l <= x <= u with w = Ax + p as its gradient.  Rows
// are either on (w = 0, impulse free) or off (impulse at a bound).  Each exchange of rows updates one LDL^T
// of the KKT matrix along a path of its elimination tree (switching_ldlt.h); A is never formed.
//
//     proximal loop        p_j = p - R x_j, solve the strictly convex problem with A + R, x_{j+1} its
//     solution:
//                          R = 1e-9 diag(A) makes redundant rows harmless, and the loop removes its trace
//                          from the answer
//       block steps        choose:    off where the impulse sits at a bound and w pushes it there, on
//       elsewhere
//                          exchange:  all of them at once
//                          direction: Newton to w = 0 on the rows that are on
//                          update:    as far along the projected path as f falls
//       single pivots      choose:    the off row that violates most, w_k^2 / a_k
//       (safeguard)        direction: of all on rows as x_k moves
//                          ratio test (Calcola_step_max): first on row to reach a bound, off row to reach w =
//                          0, or k itself exchange:  that row
//     verify               energy error of the original problem, from a fresh product
//
// Where the code departs from the paper:
//   - rows that are off are structural, not 1e20 on the diagonal (switching_ldlt.h says why);
//   - a degenerate step s = 0 is legal and s = 1 is the normal end (the paper calls both an error); with A +
//   R positive
//     definite the objective falls strictly between equal active sets, and the smallest index breaks ties, so
//     it ends;
//   - off rows that are violated already are left out of the ratio test, the row being driven in too;
//   - block steps are Bertsekas' projected Newton: the objective falls at every step, where plain block
//   pivoting cycles;
//   - friction cones become pyramids of generator rays (friction_pyramid.h), which keeps A symmetric;
//   - box friction and unsymmetric matrices are frozen at each proximal step (packed_problem.h).
//
// iterations counts exchanged rows, and one for the factorisation of the starting basis.

#pragma once

#include <vector>

#include "kkt_system.h"
#include "monitor.h"
#include "packed_problem.h"
#include "uptack/friction_pyramid.h"
#include "uptack/solvers.h"

namespace uptack {

class Simplex final : public Solver {
public:
    explicit Simplex(const SimplexOptions& options) : options_(options) {}

    std::string_view name() const override { return "simplex"; }
    SolveReport solve(const Problem& problem, Solution& solution, const StopRule& rule,
                      const Observer& observer) override;

private:
    enum class Verdict { solved, stuck, interrupted };

    /// The first event along a direction.
    struct Event {
        double step = infinity;
        int row = -1;
        double value = 0.0;   // what the row's impulse becomes, if it leaves
        bool leaves = false;  // an on row reaches a bound; else an off row reaches w = 0
    };

    void start(const Problem& problem, Solution& solution, const StopRule& rule, const Observer& observer);
    void guess_active_rows();
    void proximal_loop(const Problem& problem);
    Verdict proximal_step(double regularisation);
    double distance_from_centre() const;
    bool pyramid_is_solved() const;
    void centre_here();
    void set_bounds();
    void refresh_gradient();

    Verdict block_steps();
    int choose_block();
    bool activate_rows();
    double search_projected_path();

    Verdict single_pivots();
    Verdict reach_vertex();
    int choose_violated() const;
    Verdict drive_in(int k);
    void direction_of(int k, double sign);
    Event ratio_test(int k, double sign) const;
    Event bound_event() const;
    void exchange(const Event& event);
    void advance(double step);

    bool look_if_due();
    void look();
    bool is_violated(std::size_t i) const;
    void explain_stall(const Problem& problem, double growth);

    SimplexOptions options_;
    PackedProblem packed_;  // the problem as given
    PackedProblem rays_;    // the pyramid's, when there are cones
    FrictionPyramid pyramid_;
    PackedProblem* core_ = nullptr;  // the one that is pivoted
    const Problem* original_ = nullptr;
    KktSystem kkt_;
    double kkt_regularisation_ = 0.0;
    Monitor monitor_;
    std::int64_t pivots_ = 0;
    double core_J_ = infinity;  // energy error of the problem that is pivoted

    std::vector<double> x_, y_;  // of the core: impulses, A x
    std::vector<double> g_;      // gradient of the proximal problem, A x + p + R (x - centre)
    std::vector<double> centre_;
    std::vector<double> lower_, upper_;
    std::vector<double> d_, ad_;  // direction and (A + R) d
    std::vector<double> trial_, d_trial_;
    std::vector<char> on_;
    std::vector<double> state_;
    std::vector<double> slack_;  // |w| below which a row counts as satisfied [m/s]
    std::vector<double> x_original_, y_original_;
};

}  // namespace uptack

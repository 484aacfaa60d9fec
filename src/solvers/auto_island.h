// One island, by whichever methods its own progress asks for: the ladder of the auto solver.
//
// Work is counted in sweeps, one visit of every row; an iteration of nncg, apgd or cg is about one, and
//
//     a factorisation of newton = 40 + operations / (130 rows) sweeps
//
// (measured: docs/decisions/012-auto.md; the operations are those of the analysed structure).
//
//     joints only         newton: one factorisation, and far below the tolerance, which costs nothing more.
//                         Where that is dearer than `costly_sweeps`, cg for as long as it would take, first.
//     small               up to 600 rows, or 6000 of contacts alone with a cheap factor: newton, well below
//                         the tolerance; what follows if it stalls.
//     mechanisms          a tenth of the rows or more are joints and a factorisation is cheap: newton, since
//                         there a small residual of a sweep says little about the velocities.
//     everything else     nncg 20, 40 sweeps, then longer and longer rounds, each twice the last: of apgd
//                         where the problem is convex, of nncg where it is not, and of apgd after
//                         one of nncg that gained less than 10 %.
//
// After each round of n sweeps the errors before and after it predict what is left to the goal,
//
//     first order   n ln(after / goal) / ln(before / after)
//     newton        (8 + 4 log10(1 / goal)) factorisations, at most 20 from below 1e-3; twice that if not
//                   convex; half of it for a hundred rows
//
// and newton is taken when it is predicted to be the shorter way.  It starts from zero unless the error is
// below 1e-3: what its interior point finds must not be dropped because sweeps had a smaller residual.  What
// is not convex it may not solve at all: there it is taken only where a factorisation is cheap, for at most
// 100 of them, and again when the work has doubled.
//
// Stalled: newton does not pay, `patience` sweeps have been spent, and the last round gained less than 3 % or
// too little to reach the goal by four more doublings of the work.  Dense packings with exact friction end
// so: no solver here takes them below some 3e-3.  What is convex will move again, and a time budget was given
// to be used: there it takes ten times the patience and a round that gained less than 3 %.
//
// Without a time budget no clock decides anything: the same problem takes the same way everywhere.  With one,
// newton is entered only if the time of the sweeps so far says that it will fit.

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "apgd.h"
#include "cg.h"
#include "newton.h"
#include "nncg.h"
#include "uptack/solvers.h"

namespace uptack {

enum class Method : std::uint8_t { nncg, apgd, cg, newton };
inline constexpr std::size_t method_count = 4;

/// A set of methods, one bit each.
using Methods = unsigned;
constexpr Methods only(Method method) {
    return 1U << static_cast<unsigned>(method);
}

class AutoIsland {
public:
    explicit AutoIsland(const AutoOptions& options);

    /// Before the islands of a problem, with the tolerance of the whole.  Newton's analyses are kept island
    /// by island, in the order of use.
    void begin_problem(Tolerance whole);

    /// As Solver::solve, but for the velocities, which are left alone.
    SolveReport solve(const Problem& problem, Solution& solution, const StopRule& rule,
                      const Observer& observer);
    /// Solver::correct() of the problem last solved.
    bool correct(const Problem& problem, Solution& solution, Tolerance tolerance);

    /// What the last solve used.
    Methods methods() const { return methods_; }

private:
    void look_at(const Problem& problem);
    void solve_joints();
    bool newton_goes_first();
    void solve_mechanism();
    void climb();

    bool run(Method method, std::int64_t iterations, double tightening = 1.0);
    Solver& solver(Method method);
    Newton& newton();
    bool run_newton();
    bool newton_pays(double first_order_sweeps);
    bool is_hopeless(double gain) const;
    double factorisation_sweeps();
    double newton_sweeps();
    double excess() const;
    bool meets_tolerance() const;
    Method first_order_method(int rounds) const;
    void pass_on(const Progress& progress) const;
    double seconds() const;
    double seconds_left() const { return rule_.budget_s - seconds(); }
    void stop(Status status, const char* reason);

    AutoOptions options_;
    Nncg nncg_{NncgOptions{}};
    Apgd apgd_{ApgdOptions{}};
    Cg cg_{CgOptions{}};
    // One per island that needs one, as far as they go: a structure analysed in the last step is often that
    // of the next.
    std::vector<std::unique_ptr<Newton>> newtons_;
    std::size_t newtons_used_ = 0;

    const Problem* problem_ = nullptr;
    Solution* solution_ = nullptr;
    StopRule rule_;
    const Observer* observer_ = nullptr;
    Observer stage_observer_;
    std::chrono::steady_clock::time_point start_;
    Solution trial_;
    SolveReport report_;
    Methods methods_ = 0;
    Methods refused_ = 0;
    bool convex_ = true;
    double joint_share_ = 0.0;  // of the rows
    double joint_goal_ = 1.0;   // of the tolerance
    bool finished_ = false;
    bool sweeps_stuck_ = false;
    bool judged_ = false;                 // report_ has the error of solution_
    double work_ = 0.0;                   // sweeps spent
    double swept_ = 0.0;                  // of them by first-order methods, and
    double swept_s_ = 0.0;                // their time [s]
    double newton_from_ = 0.0;            // work from which newton is open again
    double factorisation_sweeps_ = -1.0;  // -1: not known yet
};

}  // namespace uptack

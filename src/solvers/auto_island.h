// One island, by whichever methods its own progress asks for: the ladder of the auto solver.
//
// Costs are predicted in nanoseconds (auto_costs.h); a factorisation's from the operations of its analysed
// structure.
//
//     a single contact    with the exact law: solved directly (single_contact.h), and judged as the start of
//                         sweeps.
//     joints only         newton: one factorisation, and far below the tolerance, which costs nothing more.
//                         cg before it for as long as it keeps a pace that would get there sooner, unless it
//                         is a tree, whose factor costs next to nothing.
//     settling            (AutoOptions::settle, which simulations ask for) up to 600 rows, or 6000 of mere
//                         contacts with a cheap factor: newton at once, well below the tolerance for as long
//                         as it took to meet it (a larger one that starts at a tenth of it is left as it is:
//                         it stands).  It also goes first on mechanisms, a tenth of whose rows or more are
//                         joints, with a cheap factor: a small residual of a sweep says little about their
//                         velocities.
//     everything else     sweeps; then what their pace asks for.  They are those of leap from 1500 rows on,
//                         where there are bodies, few joints and no box friction, and not in walls with exact
//                         friction; else those of nncg.  Settling heaps with exact friction go on to a third
//                         of the tolerance, for some times as long as it took to meet it.
//     walls               of up to 6000 rows with exact friction: 200 sweeps of nncg.  What needs more, and
//                         whose interior point would start far away, is led along its valleys by leap, and
//                         by newton where these end (docs/decisions/012 and 024).
//
// A first-order method is watched at its looks.  With errors e(n) after n of its iterations, the pace of the
// later half (apgd rests now and then: of the later three quarters) predicts what is left to the goal,
//
//     first order   ln(e(n) / goal) / (ln(e(n/2) / e(n)) / (n/2)) iterations
//     newton        analysis and so many iterations as it usually takes (auto_costs.h)
//
// where paces are expected to fall a little, and the method is left
//
//     for newton    when that is predicted to be the shorter way, and enough was tried to believe it.  It
//                   starts from zero unless the error is below 1e-4 (1e-5 after leaps, which lower the error
//                   sooner than they find what is open): what its interior point finds must not be dropped
//                   because sweeps had a smaller residual.  What is not convex it may not solve at
//                   all: there it is taken only where a factorisation is cheap, for at most four times the
//                   iterations that it should take, and again when the work has doubled.  With exact cones
//                   for eight times, where it may walk (up to 6000 rows at once, larger ones in a second
//                   attempt), and once from zero in any case.  But first, for one factorisation, it says
//                   where its interior point would start (Newton::start_error).  If that is far away it will
//                   take four times as long, and ten times in small walls: half of that must have been tried,
//                   and it polishes what was found so far.
//     for apgd      where the problem is convex, more is left than has been done, and sweeps gained less than
//                   10 %.  With friction cones apgd's iterations cost twice as much as sweeps and are hardly
//                   fewer: there only where newton has no chance.  What is not convex is left to sweeps until
//                   they stall: they rest longer than apgd's turn, and then fall.
//     for sweeps    when apgd gained less than 10 %.
//     as hopeless   when `patience` sweeps have been spent and the later half gained less than 3 % or too
//                   little to reach the goal by four more doublings of the work.  Dense packings with exact
//                   friction end so: no solver here takes them below some 1e-3.  What is convex will move
//                   again, and a time budget was given to be used: there it takes ten times the patience and
//                   a half that gained less than 3 %.  And if newton took over from sweeps, these then go on
//                   from where they were left, to the end of the budget: what newton found in vain may be a
//                   place from which nothing leads on (a wall of bricks with exact friction: 6e-4 for ever).
//
// A tiny assembled problem that sweeps refuse, or on which all that failed, is tried set by set
// (active_sets.h).
//
// Without a time budget no clock decides anything: the same problem takes the same way everywhere.  With one,
// newton is entered only if the time of the sweeps so far says that it will fit; joints are tried anyway.
// What time it leaves when it gives up, sweeps or cg use.

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "apgd.h"
#include "auto_costs.h"
#include "auto_pace.h"
#include "auto_traits.h"
#include "cg.h"
#include "leap.h"
#include "newton.h"
#include "nncg.h"
#include "uptack/solvers.h"

namespace uptack {

enum class Method : std::uint8_t { nncg, leap, apgd, cg, newton, sets, direct };
inline constexpr std::size_t method_count = 7;

/// A set of methods, one bit each.
using Methods = unsigned;
constexpr Methods only(Method method) {
    return 1U << static_cast<unsigned>(method);
}

/// One method's turn, for explanations.
struct AutoStage {
    Method method = Method::nncg;
    std::int64_t iterations = 0;
    double seconds = 0.0;
    double before_J = 0.0;
    double after_J = 0.0;
    double expected_ns = 0.0;  ///< what the method that was left would still have taken; 0: not left
    double newton_ns = 0.0;    ///< what newton was expected to take then; 0: was not asked
    const char* next = "";     ///< why it ended
};

class AutoIsland {
public:
    explicit AutoIsland(const AutoOptions& options);

    /// Before the islands of a problem, with the tolerance of the whole.  Newton's analyses are kept island
    /// by island, in the order of use.
    void begin_problem(Tolerance whole);

    /// As Solver::solve, but for the velocities, which are left alone.
    SolveReport solve(const Problem& problem, Solution& solution, const StopRule& rule,
                      const Observer& observer);
    /// Solver::can_correct() and correct() of the problem last solved.
    bool can_correct() const;
    bool correct(const Problem& problem, Solution& solution, Tolerance tolerance);

    /// What the last solve used.
    Methods methods() const { return methods_; }

    /// Error of zero impulses.
    double reference_energy() const { return reference_J_; }

    /// What it did, method by method.
    const std::vector<AutoStage>& stages() const { return stages_; }

private:
    enum class Verdict : std::uint8_t { go_on, enough, newton, other, hopeless };

    void look_at(const Problem& problem);
    void solve_joints();
    bool settles_at_once();
    void solve_mechanism();
    void climb();
    void change_method(Method& method);

    enum class From : std::uint8_t { best, own_path };
    bool run(Method method, std::int64_t iterations, double tightening = 1.0, From from = From::best);
    SolveReport call(Method method, const StopRule& rule);
    SolveReport call_sets(const StopRule& rule, const Observer& observer);
    SolveReport call_direct(const StopRule& rule, const Observer& observer);
    void book(Method method, const SolveReport& trial);
    bool ended_early(Method method) const;
    bool newton_starts_anew() const;
    double polish_from() const;
    void take_newton();
    void run_newton(std::int64_t iterations, double tightening = 1.0);
    void leave_path();
    bool resume_path();
    void walk();
    void go_on_or_give_up(const char* reason);
    Solver& first_order(Method method);
    Newton& newton();
    Newton& last_newton() const;

    void watch(const Progress& progress);
    bool goes_on_in_vain(const Progress& progress);
    bool stands(const Progress& start) const;
    Verdict judge_pace();
    bool newton_is_open() const;
    bool newton_pays(double first_order_ns);
    bool other_may_be_faster(double left_ns);
    bool is_hopeless(double gain) const;
    double stage_ns() const;
    Method other_method() const;
    double iteration_ns(Method method) const;
    bool knows_factor() const { return operations_ >= 0.0; }
    double factor_operations();
    void find_start_error();
    bool starts_far() const { return start_error_ > far_start; }
    bool may_have_valleys() const;
    bool has_valleys() const { return may_have_valleys() && start_error_ > start_in_valleys; }
    double newton_ns() const;
    double newton_count() const;
    double newton_advantage(double tried) const;
    double pessimistic(double first_order_ns) const;
    bool factor_is_cheap();
    bool fits(double work_ns) const;
    double sweep_setup_s() const;
    double excess(double energy_J) const;
    bool meets_tolerance() const;
    bool caller_has_enough() const { return rule_.enough != nullptr && *rule_.enough; }
    double seconds() const;
    double seconds_left() const { return rule_.budget_s - seconds(); }
    void stop(Status status, const char* reason);
    void give_up(const char* reason);
    void try_sets();

    AutoOptions options_;
    std::optional<Nncg> nncg_;  // made when they are first needed
    std::optional<Leap> leap_;
    std::optional<Apgd> apgd_;
    std::optional<Cg> cg_;
    // One per island that needs one, as far as they go: a structure analysed in the last step is often that
    // of the next.
    std::vector<std::unique_ptr<Newton>> newtons_;
    std::size_t newtons_used_ = 0;

    const Problem* problem_ = nullptr;
    Solution* solution_ = nullptr;
    StopRule rule_;
    const Observer* observer_ = nullptr;
    std::chrono::steady_clock::time_point start_;
    Solution trial_;
    SolveReport report_;
    AutoCosts costs_;
    Methods methods_ = 0;
    Methods refused_ = 0;
    AutoTraits traits_;
    double joint_goal_ = 1.0;  // of the tolerance
    double standing_goal_ = 1.0;
    bool may_stand_ = false;  // a good start is returned as it is
    bool finished_ = false;
    bool judged_ = false;       // report_ has the error of solution_
    double reference_J_ = 0.0;  // of zero impulses; 0: not known yet
    double goal_J_ = 0.0;
    double work_ns_ = 0.0;         // predicted, of all that was done
    double swept_ns_ = 0.0;        // of it by first-order methods,
    double swept_ = 0.0;           // their iterations
    double swept_s_ = 0.0;         // and the time it really took
    double newton_from_ns_ = 0.0;  // work from which newton is open again
    double operations_ = -1.0;     // of a factorisation; -1: not known yet
    double start_error_ = -1.0;    // of newton; -1: not known yet
    std::vector<double> path_;  // impulses that the sweeps had when newton took over; empty: nothing was left
    double path_J_ = 0.0;       // their error
    bool newton_failed_ = false;
    bool newton_ran_short_ = false;  // of time, and left some
    bool was_stalled_ = false;       // the first-order method before
    bool resumed_ = false;
    bool walked_ = false;
    bool has_swept_ = false;  // in this or an earlier problem

    Method sweeper_ = Method::nncg;  // or leap
    Method method_ = Method::nncg;   // the first-order one being watched
    Pace pace_;
    Verdict verdict_ = Verdict::go_on;
    std::int64_t next_hope_ = 0;   // iteration at which to ask whether there is any
    std::int64_t met_at_ = 0;      // iteration at which the tolerance was seen to be met
    bool leave_ = false;           // the stage: read by its stop rule
    double least_stage_ns_ = 0.0;  // before the method may be changed: doubles with every change
    std::vector<AutoStage> stages_;
};

}  // namespace uptack

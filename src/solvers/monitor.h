// The clock, the tolerance, the best iterate: what every iterative solver shares.
//
// A solver iterates and, when due() says so, shows an iterate with its energy error to judge().  After n
// iterations the next look comes 1.5 sqrt(n) later, 3 at least: a look costs about a sweep and a late look
// wastes half the interval on average, and that choice keeps the sum of both near its least.

#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "linalg/deadline.h"
#include "packed_problem.h"
#include "uptack/solution.h"
#include "uptack/solver.h"

namespace uptack {

class Monitor {
public:
    /// Starts the clock: the first thing in solve().
    void start_clock();

    /// Takes the rule, judges the warm start in solution.impulse against zero, and puts the better one,
    /// projected, into x.  `y` holds A x afterwards: the last product of the packed problem.
    void begin(const PackedProblem& packed, const StopRule& rule, const Observer& observer,
               Solution& solution, std::vector<double>& x, std::vector<double>& y);

    /// For methods that end by themselves and whose error says little on the way.
    void never_call_a_stall() { calls_stalls_ = false; }

    bool finished() const { return finished_; }

    /// When the time budget ends, for work that is long within an iteration.
    Deadline deadline() const;

    /// Is a look due after this iteration?  Always when time or iterations have run out.
    bool due(std::int64_t iteration);

    /// Is the best error so small that the round-off of what is carried along might show in it?
    bool is_fine() const { return best_J_ < 1e-6 * reference_J_; }
    /// That sweeps need now.
    RowsAs rows_wanted() const { return is_fine() ? RowsAs::doubles : RowsAs::floats; }
    bool meets_tolerance(double energy_J) const { return meets(rule_.tolerance, energy_J, reference_J_); }

    /// Looks at x; remembers it if it is the best so far; decides whether to go on.
    void judge(std::int64_t iteration, double energy_J, View x);

    /// The same for what was swept, whose state is carried afresh now and then; y becomes A x.
    void judge_swept(std::int64_t sweeps, PackedProblem& packed, Swept& now, MutableView y);

    /// Ends the solve for a reason of the solver's own.
    void stop(Status status, std::string reason);

    /// Hands out the best impulses with their velocities and the report.
    SolveReport finish(const Problem& problem);

private:
    void remember(double energy_J, View x);
    void detect_stall(std::int64_t iteration);
    double seconds() const;
    bool time_is_up(double now_s, std::int64_t iteration, int more) const;

    using Clock = std::chrono::steady_clock;
    Clock::time_point start_;
    StopRule rule_;
    const Observer* observer_ = nullptr;
    Solution* solution_ = nullptr;
    double begun_s_ = 0.0;  // when the first iteration did
    double reference_J_ = 0.0;
    double best_J_ = infinity;
    double milestone_J_ = infinity;  // the best error when it last fell clearly
    std::int64_t milestone_iteration_ = 0;
    std::int64_t next_look_ = 1;
    SolveReport report_;
    bool finished_ = false;
    bool calls_stalls_ = true;
};

/// The report of a solver that cannot take this problem; the impulses are zero.
SolveReport refuse(const Problem& problem, Solution& solution, std::string reason);

}  // namespace uptack

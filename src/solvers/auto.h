// The solver that chooses: splits the problem into islands (islands.h) and solves each by the methods its
// own progress asks for (auto_island.h).
//
//     e0, e_i     error of zero impulses, of island i's present impulses [J];  n_i: its rows
//     goal        tolerance in joules: tol^2 e0 where it is relative to the whole problem
//
// 1. From zero, where most rows are those of contacts in several islands, all are swept as one
//    (auto_together.h), until the goal is met or their pace says that it will not be soon.  Not where the
//    solution is to settle (auto_island.h).
// 2. The start, a warm one or what the sweeps found, is judged island by island: one that an impact has
//    spoilt does not cost the others theirs.
// 3. Islands with e_i <= goal n_i / n are done, but swept joints: they are solved far below the tolerance.
// 4. The others in order, each to its share of what is left of the goal: (goal - sum of e_done) n_i / n_left,
//    but never less than goal n_i / n.  So the sum meets the goal if every island meets its share, and what
//    an exactly solved island does not use is the next one's.  Time is shared in the same way, and what is
//    left of it at the end goes to those that had too little, for another turn.
//
// A problem of one island (or one and a few loose bodies), or in the assembled form, or with too short a time
// budget for all this, goes to the ladder as it is; else an island is copied out. Solving small islands
// together in one factorisation did not pay (docs/decisions/012-auto.md): the slowest then decides for all.

#pragma once

#include <chrono>
#include <span>
#include <vector>

#include "auto_island.h"
#include "auto_together.h"
#include "problem_part.h"
#include "uptack/islands.h"
#include "uptack/solvers.h"

namespace uptack {

class Auto final : public Solver {
public:
    explicit Auto(const AutoOptions& options) : options_(options), ladder_(options) {}

    std::string_view name() const override { return "auto"; }
    SolveReport solve(const Problem& problem, Solution& solution, const StopRule& rule,
                      const Observer& observer) override;
    bool can_correct() const override;
    bool correct(const Problem& problem, Solution& solution, Tolerance tolerance) override;

private:
    struct Island {
        int first_block = 0;  // in blocks_
        int block_count = 0;
        int rows = 0;
        double zero_J = 0.0;   // error of zero impulses
        double now_J = 0.0;    // of the present ones
        double after_J = 0.0;  // of the islands behind it that are still to be solved
        bool has_joints = false;
        bool done = false;
        bool ran_short = false;  // of time
        Methods methods = 0;     // of all its turns
    };
    struct Tally {  // of the islands that took the same methods
        Methods methods = 0;
        int islands = 0;
        int rows = 0;
    };

    bool is_worth_splitting(double budget_s);
    bool is_heap_with_crumbs() const;
    void solve_islands(Solution& solution);
    void list_islands();
    void judge_start(Solution& solution);
    void measure(std::span<const double> impulse, double Island::*energy);
    double error_of_all() const;
    bool is_worth_sweeping(const Solution& solution) const;
    bool sweep_all(Solution& solution);
    void finish_good_ones();
    void line_up();
    bool reopen_short_ones();
    void solve_one(Island& island, Solution& solution);
    std::span<const int> blocks_of(const Island& island) const;
    Observer observer_of_part() const;
    void note(Methods methods, int rows);
    void explain(int island, int rows, const SolveReport& report);
    void explain_together(const SolveReport& report);
    void note_status(const SolveReport& report);
    void conclude();
    std::string account() const;
    double seconds() const;

    AutoOptions options_;
    AutoIsland ladder_;
    AutoTogether together_;

    const Problem* problem_ = nullptr;
    StopRule rule_;
    const Observer* observer_ = nullptr;
    std::chrono::steady_clock::time_point start_;
    SolveReport report_;
    std::string ladder_reason_;  // of the island that sets the status
    std::vector<Tally> tallies_;

    Islands split_;
    std::vector<Island> islands_;
    std::vector<int> blocks_;  // of island 0, of island 1, ...
    std::vector<Vec6> velocity_;
    std::vector<RowValues> metric_;  ///< a_k of each block's rows
    std::vector<double> zero_;
    double reference_J_ = 0.0;  // e0
    double goal_J_ = 0.0;
    double done_J_ = 0.0;    // error of the islands that are done
    double others_J_ = 0.0;  // error of all islands but the one being solved
    int rows_left_ = 0;
    std::int64_t iterations_done_ = 0;
    std::int64_t swept_together_ = 0;  // how often all were swept as one

    ProblemPart part_;  // the island being solved
};

}  // namespace uptack

// Islands side by side, swept as one for as long as all of them get on: the first stage of the auto solver
// where there are many.
//
// Sweeping the whole costs less than sweeping its islands one after the other (contacts of different islands
// go into the same batch of lanes, and nothing is copied), but the slowest island decides how long.  So the
// whole is left as soon as its pace (auto_pace.h) predicts that several times as much is to come as was done,
// and more than it takes at least to solve so many islands apart; what then is not good enough is for the
// ladder (auto_island.h), island by island.

#pragma once

#include <optional>

#include "auto_pace.h"
#include "nncg.h"
#include "uptack/solvers.h"

namespace uptack {

class AutoTogether {
public:
    /// As Solver::solve, of so many islands.
    SolveReport solve(const Problem& problem, int islands, Solution& solution, const StopRule& rule,
                      const Observer& observer);

    // Of the last solve:
    bool was_left() const { return left_; }
    double start_energy() const { return start_J_; }
    double reference_energy() const { return reference_J_; }

private:
    void watch(const Progress& progress, Tolerance tolerance);
    bool gets_on() const;

    std::optional<Nncg> nncg_;  // made when it is first needed
    Pace pace_;
    double least_sweeps_ = 0.0;  // that it may have, whatever its pace
    double start_J_ = 0.0;
    double reference_J_ = 0.0;  // of zero impulses
    double goal_J_ = 0.0;
    bool left_ = false;    // for its pace
    bool enough_ = false;  // read by the stop rule
};

}  // namespace uptack

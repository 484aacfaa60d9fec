// How the gradient methods look at an iterate, and how they solve what is not one convex problem.
//
// A convex problem is its own and only stage.  Otherwise (exact or box friction, unsymmetric matrix) the
// solver works on the convex problem frozen at some x (packed_problem.h) until that one's error is a small
// part of the error that x had in the original; then it freezes anew.  The error judged is always that of the
// original problem.

#pragma once

#include "monitor.h"
#include "packed_problem.h"

namespace uptack {

class FrozenStage {
public:
    /// Freezes at the start.
    void begin(PackedProblem& packed, View x);

    /// After an iteration: judges x when due, freezes when the stage is solved.  `y` is 1/2 (A + A^T) x as
    /// the solver carries it, and is recomputed before convergence is said; `spare` is scratch. True: a new
    /// stage has begun, momentum and memory of the old one are void.
    bool look(std::int64_t iteration, PackedProblem& packed, Monitor& monitor, View x, MutableView y,
              MutableView spare);

    /// The solver cannot improve the present stage further.  True: a new stage has begun.
    bool exhausted(std::int64_t iteration, PackedProblem& packed, Monitor& monitor, View x,
                   MutableView spare);

private:
    bool renew(std::int64_t iteration, PackedProblem& packed, Monitor& monitor, View x, MutableView spare);

    double goal_J_ = 0.0;  // the frozen problem's error at which the stage ends
    std::int64_t began_ = 0;
};

}  // namespace uptack

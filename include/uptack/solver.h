// The one interface all solvers share.
//
// Written by: nobody; each solver derives from it once, and is final.  Read by: simulation, apps.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "uptack/error_metric.h"
#include "uptack/problem.h"
#include "uptack/solution.h"

namespace uptack {

/// Why a solver stopped.  Stopping early is an outcome, not an error: the solution is the iterate of least
/// energy error among those looked at, and the certificate says how good it is.
enum class Status : std::uint8_t {
    converged,        ///< the tolerance was met
    iteration_limit,  ///< the allowed iterations were spent first
    budget_spent,     ///< the allowed time was spent first
    stalled,          ///< the error stopped falling; more of the same will not help
    not_finite,       ///< an iterate was not finite; the best finite one is returned
    infeasible,       ///< rows contradict each other; SolveReport::reason names them
    ill_conditioned,  ///< round-off forbids more; the best iterate is returned
    unsuitable,       ///< this solver cannot take this problem; see SolveReport::reason
};

std::string_view status_name(Status status);

/// When to stop.  Whatever comes first.
struct StopRule {
    Tolerance tolerance;
    std::int64_t max_iterations = 100'000;
    double budget_s = infinity;  ///< wall clock [s], counted from the call; overrun by one iteration at most
    /// Relative error that the warm start had in the problem it comes from: what is hardly worse here stands.
    double last_error = infinity;
    bool wants_velocities = true;  ///< no: Solution::velocity may be left as it was
    const bool* enough = nullptr;  ///< read after each call of the observer: true ends as an iteration limit
};

/// One look at an iterate.  The errors are the solver's own estimate: the certificate has the last word.
struct Progress {
    std::int64_t iteration = 0;
    double seconds = 0.0;
    double energy_error_J = 0.0;
    double relative_error = 0.0;
};

using Observer = std::function<void(const Progress&)>;

/// One method's turn on one island: how `auto` came to its solution, where it is asked to explain.
struct SolveStage {
    static constexpr int all_together = -1;
    int island = 0;  ///< from 0; all_together: not one of them, but all
    int rows = 0;    ///< of the island
    std::string_view method;
    std::int64_t iterations = 0;
    double seconds = 0.0;
    double before_J = 0.0;     ///< the island's error when it began,
    double after_J = 0.0;      ///< and what the method brought it to
    double reference_J = 0.0;  ///< the island's error with zero impulses
    std::string why_ended{};
};

struct SolveReport {
    Status status = Status::iteration_limit;
    std::int64_t iterations = 0;
    double seconds = 0.0;
    double energy_error_J = 0.0;  ///< of the returned impulses, estimated by the solver
    double relative_error = 0.0;
    std::string reason;                ///< for people, when the status alone does not say it
    std::vector<SolveStage> stages{};  ///< only of `auto` with its option `explain`
};

class Solver {
public:
    Solver() = default;
    Solver(const Solver&) = delete;
    Solver& operator=(const Solver&) = delete;
    virtual ~Solver() = default;

    virtual std::string_view name() const = 0;

    /// Solves a valid `problem`, starting from the impulses in `solution` if their number fits, they are
    /// finite and their error is less than that of zero (judged warm start), else from zero. Allocates
    /// nothing once it has seen a problem of this size.
    virtual SolveReport solve(const Problem& problem, Solution& solution, const StopRule& rule,
                              const Observer& observer = {}) = 0;

    /// Was the last solve() that of one linear system whose factor is still there?
    virtual bool can_correct() const { return false; }

    /// Where it can: the problem of the last solve(), whose solution is given, with other biases; the
    /// solution of that, for a fraction of the work.  False where it does not meet the tolerance: the
    /// solution is as it was.
    virtual bool correct(const Problem& problem, Solution& solution, Tolerance tolerance) {
        static_cast<void>(problem);
        static_cast<void>(solution);
        static_cast<void>(tolerance);
        return false;
    }
};

}  // namespace uptack

#include "substeps.h"

#include <utility>

namespace uptack::simulation {
namespace {

/// Worse is later in this order of what a user must know about a step.
int badness(Status status) {
    switch (status) {
        case Status::converged:
            return 0;
        case Status::iteration_limit:
        case Status::budget_spent:
            return 1;
        case Status::stalled:
        case Status::ill_conditioned:
            return 2;
        case Status::infeasible:
        case Status::unsuitable:
            return 3;
        case Status::not_finite:
            return 4;
    }
    return 4;
}

}  // namespace

void add_substep(StepReport& sum, const StepReport& last) {
    const StepReport earlier = std::exchange(sum, last);
    sum.iterations += earlier.iterations;
    sum.collision_s += earlier.collision_s;
    sum.assembly_s += earlier.assembly_s;
    sum.solve_s += earlier.solve_s;
    sum.total_s += earlier.total_s;
    sum.tolerance_met = sum.tolerance_met && earlier.tolerance_met;
    if (badness(earlier.status) > badness(last.status)) {
        sum.status = earlier.status;
        sum.reason = earlier.reason;
    }
    if (!earlier.froze.empty()) sum.froze = earlier.froze + (last.froze.empty() ? "" : "; ") + last.froze;
    if (earlier.relative_error > last.relative_error) sum.relative_error = earlier.relative_error;
    if (earlier.energy_error_J > last.energy_error_J) sum.energy_error_J = earlier.energy_error_J;
    if (earlier.worst_error_J > last.worst_error_J) {
        sum.worst = earlier.worst;
        sum.worst_error_J = earlier.worst_error_J;
    }
    if (earlier.max_penetration > last.max_penetration) {
        sum.max_penetration = earlier.max_penetration;
        sum.deepest = earlier.deepest;
    }
    if (earlier.max_joint_drift > last.max_joint_drift) {
        sum.max_joint_drift = earlier.max_joint_drift;
        sum.loosest = earlier.loosest;
    }
}

}  // namespace uptack::simulation

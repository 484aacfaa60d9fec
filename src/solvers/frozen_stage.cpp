#include "frozen_stage.h"

namespace uptack {
namespace {

// A stage is solved when its error is a third of what freezing missed: more would polish the wrong problem,
// less would freeze noise.
constexpr double stage_accuracy = 1.0 / 9.0;       // of the energy
constexpr std::int64_t stage_check_interval = 10;  // iterations; a check costs a fraction of a product

}  // namespace

void FrozenStage::begin(PackedProblem& packed, View x) {
    packed.freeze(x);
    goal_J_ = infinity;  // the first look sets it
    began_ = 0;
}

bool FrozenStage::look(std::int64_t iteration, PackedProblem& packed, Monitor& monitor, View x, MutableView y,
                       MutableView spare) {
    if (packed.is_convex()) {
        if (!monitor.due(iteration)) return false;
        double energy = packed.energy_error(x, y);
        if (monitor.meets_tolerance(energy)) {
            packed.multiply(x, y);
            energy = packed.energy_error(x, y);
        }
        monitor.judge(iteration, energy, x);
        return false;
    }
    if (iteration % stage_check_interval == 0 && packed.frozen_energy_error(x, y) <= goal_J_) {
        return renew(iteration, packed, monitor, x, spare);
    }
    if (monitor.due(iteration)) {
        packed.multiply(x, spare);
        monitor.judge(iteration, packed.energy_error(x, spare), x);
    }
    return false;
}

bool FrozenStage::exhausted(std::int64_t iteration, PackedProblem& packed, Monitor& monitor, View x,
                            MutableView spare) {
    if (!packed.is_convex() && iteration > began_ + 1) return renew(iteration, packed, monitor, x, spare);
    packed.multiply(x, spare);
    monitor.judge(iteration, packed.energy_error(x, spare), x);
    if (!monitor.finished())
        monitor.stop(Status::stalled, "no direction of descent is left: round-off is reached");
    return false;
}

bool FrozenStage::renew(std::int64_t iteration, PackedProblem& packed, Monitor& monitor, View x,
                        MutableView spare) {
    packed.multiply(x, spare);
    const double energy = packed.energy_error(x, spare);
    monitor.judge(iteration, energy, x);
    packed.freeze(x);
    goal_J_ = stage_accuracy * energy;
    began_ = iteration;
    return true;
}

}  // namespace uptack

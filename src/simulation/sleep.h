// Putting still islands to sleep and waking what is touched.
//
// A sleeping body (State::still_s infinite) is immovable and has no velocity.  It wakes when a body that
// moves touches it; what is joined or stacked beyond is woken by it in turn as soon as it moves.

#pragma once

#include <vector>

#include "uptack/assembly.h"
#include "uptack/contact.h"
#include "uptack/islands.h"
#include "uptack/model.h"
#include "uptack/simulation.h"
#include "uptack/state.h"

namespace uptack::simulation {

/// Wakes sleeping bodies that a moving one touches or is joined with.  True if there was one: it needs
/// contacts with what it lies on.
bool wake(const Model& model, const ContactSet& contacts, const SleepSettings& settings, State& state);

/// Counts how long bodies have been still; islands that were so long enough fall asleep as a whole.
/// `room` is kept by the caller.
void doze(const StepProblem& step, const Islands& islands, const SleepSettings& settings, double h,
          std::vector<double>& room, State& state);

}  // namespace uptack::simulation

// Whose numbers ceased to be numbers.
//
// A NaN spreads over its island within a step, so that the first one found in the result says little.  What
// went into the step is looked at again in the order in which it was computed, and the first that is not
// finite is the cause.

#pragma once

#include <string>
#include <vector>

#include "uptack/assembly.h"
#include "uptack/certificate.h"
#include "uptack/contact.h"
#include "uptack/model.h"
#include "uptack/simulation.h"
#include "uptack/solution.h"
#include "uptack/state.h"
#include "uptack/stepping.h"

namespace uptack::simulation {

struct Culprit {
    std::string what;         ///< "force 'wind' on body 'ball': its force along x is nan at t = 0.5 s"
    std::vector<int> bodies;  ///< that, frozen, keep it out of the step
};

/// A step that failed, as far as it came.
struct FailedStep {
    const Model& model;
    const StepSettings& settings;
    const State& before;
    const ContactSet& contacts;
    const FreeMotion& motion;
    const Assembler& assembler;
    const StepProblem& step;
    const std::string& solver;
    // Those that were not reached are empty:
    const Solution& solution;
    const Certificate& certificate;
    const State& after;
};

Culprit find_culprit(const FailedStep& failed);

/// Of the step's problem what can spoil a solver: contacts, biases, compliances, free velocities.
bool is_finite(const ContactSet& contacts, const Problem& problem);
bool is_finite(const std::vector<Vec6>& velocities);
/// Poses and velocities.
bool is_finite(const State& state);

}  // namespace uptack::simulation

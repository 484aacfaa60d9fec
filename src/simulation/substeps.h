// Several substeps reported as one step.

#pragma once

#include "uptack/simulation.h"

namespace uptack::simulation {

/// The worst errors, the sums of seconds and iterations, the last energies and counts.
void add_substep(StepReport& sum, const StepReport& last);

}  // namespace uptack::simulation

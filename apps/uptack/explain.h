// --explain: what the auto solver did on each island, and why.

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "common.h"
#include "uptack/solver.h"
#include "uptack/solvers.h"

namespace uptack::app {

/// Asks the solver for its reasons.  Throws UsageError if it is one that chooses nothing.
void ask_to_explain(std::string_view solver, OptionValues& options);

/// Island by island, stage by stage; islands beyond the largest few are counted only.
std::string explanation_text(std::span<const SolveStage> stages);
Json explanation_json(std::span<const SolveStage> stages);

}  // namespace uptack::app

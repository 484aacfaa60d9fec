// What every step was like, as columns; long runs merge neighbours.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "uptack/simulation.h"

namespace uptack::report {

struct StepColumns {
    std::int64_t count = 0;            ///< entries
    std::int64_t merged = 1;           ///< steps in an entry; the last may have fewer
    std::vector<std::string> columns;  ///< the numeric ones, in the order of `bytes`
    std::vector<std::string> strings;  ///< that the text columns point into
    std::string bytes;
};

/// At most `most` entries.
StepColumns step_columns(std::span<const StepReport> reports, std::int64_t most = 20'000);

/// Several steps as one: the largest errors, times and counts with their names, the last time and energies.
StepReport merged_steps(std::span<const StepReport> steps);

}  // namespace uptack::report

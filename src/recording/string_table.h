// The table of texts that steps refer to by index: what the solver said, which pair was worst.

#pragma once

#include <string>
#include <vector>

#include "input_recording.h"

namespace uptack::recording {

/// The first `counts.strings` of them.
std::vector<std::string> read_strings(const InputRecording& file, const Counts& counts);

}  // namespace uptack::recording

// Uptack's own files: every bit of a Problem or Solution, in flat datasets (docs/07-file-formats.md).

#pragma once

#include "hdf5/hdf5_file.h"
#include "uptack/problem_file.h"

namespace uptack {

bool holds_uptack_problem(const hdf5::InputFile& file);
Problem read_uptack_problem(const hdf5::InputFile& file, const ReadLimits& limits);

}  // namespace uptack

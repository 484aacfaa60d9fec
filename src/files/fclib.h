// FCLIB, the frictional contact library's HDF5 files (frictional-contact library report RT-0444).
//
//     local    u = W r + V l + q,  V^T r + R l + s = 0
//     global   M v = H r + G l + f,  G^T v + b = 0,  u = H^T v + w
//
// Both become the assembled form: contact rows first, one exact friction cone per contact, then one bilateral
// block per entry of l.  What real files do beyond the published description is handled in fclib_matrix.cpp.

#pragma once

#include <string_view>

#include "hdf5/hdf5_file.h"
#include "uptack/problem_file.h"

namespace uptack {

/// The group that holds the problem ("fclib_local", "fclib_global", "fclib_global_rolling"), or empty.
std::string_view fclib_kind(const hdf5::InputFile& file);
/// A file with such a group.
Problem read_fclib(const hdf5::InputFile& file, const ReadLimits& limits);

}  // namespace uptack

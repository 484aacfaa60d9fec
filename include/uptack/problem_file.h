// Problems and solutions in files.
//
// Written by: files.  Read by: apps, tests, benchmarks.
//
//     ending              what                                                 read  write
//     .h5                 Uptack's own lossless format (docs/07-file-formats.md)  yes   yes
//     .hdf5, .h5          FCLIB, local and global                              yes   local only
//     .dat                Siconos text: LCP and MLCP with dense matrices       yes   no
//
// The content decides, not the ending.  Everything here throws InputError or LimitError and leaves no half
// written file behind: output is renamed when it is whole and on the disk.

#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "uptack/problem.h"
#include "uptack/solution.h"

namespace uptack {

/// What a reader may be made to allocate.
struct ReadLimits {
    std::int64_t max_rows = 50'000'000;
    std::int64_t max_bodies = 50'000'000;
    std::int64_t max_matrix_entries = 500'000'000;
    std::int64_t max_name_bytes = 256'000'000;  ///< all names together
};

/// Reads and validates: what comes back may be solved.
Problem read_problem(const std::filesystem::path& path, const ReadLimits& limits = {});

/// What read_problem would take the file for: "uptack", "fclib_local", "fclib_global", "fclib_global_rolling"
/// or "siconos_text".
std::string_view file_kind(const std::filesystem::path& path);

void write_problem(const std::filesystem::path& path, const Problem& problem);

/// FCLIB local form.  The body form is assembled first.  Takes friction cones of one dimension (2 or 3 rows)
/// and bilateral rows (as V, R, s); other laws cannot be said in FCLIB and raise InputError.
void write_fclib_local(const std::filesystem::path& path, const Problem& problem);

/// Refuses numbers that are not finite.
Solution read_solution(const std::filesystem::path& path);
void write_solution(const std::filesystem::path& path, const Solution& solution);

}  // namespace uptack

// Linear complementarity problems in Siconos' text form (.dat), dense matrices only.
//
//     LCP    n, matrix, q                                                  0 <= z  _|_  M z + q >= 0
//     MLCP   type 1, type 2, n, m, block starts, block kinds, matrix, q    equality rows: M z + q = 0
//     matrix storage (0), rows, columns, rows, columns, values by rows
//
// What follows q (remarks, a solution, the MLCP's second form A B C D a b) is not read.

#pragma once

#include <filesystem>

#include "uptack/problem_file.h"

namespace uptack {

Problem read_siconos_text(const std::filesystem::path& path, const ReadLimits& limits);

}  // namespace uptack

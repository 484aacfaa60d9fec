// One matrix group of an FCLIB file: a CSparse struct dumped field by field.
//
//     nz >= 0   triplets, nz of them; i = row, p = column (as in CSparse; the FCLIB header says the opposite)
//     nz = -1   compressed columns
//     nz = -2   compressed rows

#pragma once

#include <span>
#include <string>
#include <vector>

#include "hdf5/hdf5_file.h"
#include "triplets.h"
#include "uptack/problem_file.h"

namespace uptack {

struct MatrixSize {
    int rows = 0;
    int columns = 0;
};

struct FclibMatrix {
    Triplets entries;
    std::string repair;  ///< empty, or what had to be guessed
};

/// `size` is what the vectors of the problem demand; a matrix that says otherwise is refused.
FclibMatrix read_fclib_matrix(const hdf5::InputFile& file, const std::string& group, MatrixSize size,
                              const ReadLimits& limits);

/// A dataset of finite numbers.
std::vector<double> read_finite(const hdf5::InputFile& file, const std::string& name, std::int64_t count);

/// Compressed rows.
void write_fclib_matrix(hdf5::OutputFile& file, const std::string& group, const SparseMatrix& matrix,
                        int columns);

}  // namespace uptack

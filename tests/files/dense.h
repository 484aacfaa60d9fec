// Dense matrices, against which the sparse ones are checked.

#pragma once

#include <Eigen/Dense>
#include <vector>

#include "raw_hdf5.h"
#include "uptack/problem.h"

namespace uptack::test {

inline Eigen::MatrixXd dense(const SparseMatrix& matrix, int columns) {
    Eigen::MatrixXd out = Eigen::MatrixXd::Zero(matrix.rows(), columns);
    for (int i = 0; i < matrix.rows(); ++i) {
        for (std::int64_t k = matrix.start[i]; k < matrix.start[i + 1]; ++k) {
            out(i, matrix.column[k]) += matrix.value[k];
        }
    }
    return out;
}

inline Eigen::MatrixXd dense(const Problem& problem) {
    return dense(*problem.matrix, problem.row_count());
}

inline Eigen::VectorXd to_eigen(const std::vector<double>& values) {
    return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

/// CSparse's conventions: triplets have their rows in i and their columns in p.
inline Eigen::MatrixXd dense(const RawMatrix& matrix) {
    Eigen::MatrixXd out = Eigen::MatrixXd::Zero(matrix.m, matrix.n);
    for (int k = 0; k < matrix.nz; ++k) out(matrix.i[k], matrix.p[k]) += matrix.x[k];
    const int lines = matrix.nz == -1 ? matrix.n : matrix.nz == -2 ? matrix.m : 0;
    for (int line = 0; line < lines; ++line) {
        for (int k = matrix.p[line]; k < matrix.p[line + 1]; ++k) {
            (matrix.nz == -1 ? out(matrix.i[k], line) : out(line, matrix.i[k])) += matrix.x[k];
        }
    }
    return out;
}

inline RawMatrix get_matrix(const RawFile& file, const std::string& group) {
    return {.m = file.get_ints(group + "/m")[0],
            .n = file.get_ints(group + "/n")[0],
            .nz = file.get_ints(group + "/nz")[0],
            .p = file.get_ints(group + "/p"),
            .i = file.get_ints(group + "/i"),
            .x = file.get_doubles(group + "/x")};
}

inline double relative_difference(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
    EXPECT_EQ(a.rows(), b.rows());
    EXPECT_EQ(a.cols(), b.cols());
    if (a.size() == 0) return 0.0;
    return (a - b).cwiseAbs().maxCoeff() / std::max(1e-300, b.cwiseAbs().maxCoeff());
}

}  // namespace uptack::test

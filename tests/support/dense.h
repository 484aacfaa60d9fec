// Small problems as dense matrices, for answers that no iterative solver had a hand in.

#pragma once

#include <Eigen/Dense>

#include "uptack/problem.h"

namespace uptack::test {

inline Eigen::MatrixXd dense_matrix(const Problem& problem) {
    const Problem assembled = assemble(problem);
    const SparseMatrix& a = *assembled.matrix;
    Eigen::MatrixXd out = Eigen::MatrixXd::Zero(a.rows(), a.rows());
    for (int i = 0; i < a.rows(); ++i) {
        for (std::int64_t k = a.start[i]; k < a.start[i + 1]; ++k) out(i, a.column[k]) = a.value[k];
    }
    return out;
}

inline Eigen::VectorXd linear_term(const Problem& problem) {
    const Problem assembled = assemble(problem);
    return Eigen::Map<const Eigen::VectorXd>(assembled.bias.data(), assembled.row_count());
}

inline Problem from_dense(const Eigen::MatrixXd& a, const Eigen::VectorXd& q) {
    Problem problem;
    SparseMatrix matrix;
    matrix.start.push_back(0);
    for (int i = 0; i < a.rows(); ++i) {
        for (int j = 0; j < a.cols(); ++j) {
            matrix.column.push_back(j);
            matrix.value.push_back(a(i, j));
        }
        matrix.start.push_back(static_cast<std::int64_t>(matrix.value.size()));
    }
    problem.matrix = std::move(matrix);
    problem.bias.assign(q.data(), q.data() + q.size());
    return problem;
}

}  // namespace uptack::test

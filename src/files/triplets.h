// Sparse matrices on their way from a file into compressed rows.

#pragma once

#include <vector>

#include "uptack/problem.h"

namespace uptack {

/// Entry k is value[k] at (row[k], column[k]).  In any order; entries at the same place add up.
struct Triplets {
    std::vector<int> row;
    std::vector<int> column;
    std::vector<double> value;

    void add(int i, int j, double x) {
        row.push_back(i);
        column.push_back(j);
        value.push_back(x);
    }
};

/// Explicit zeros stay.  Indices must be in range.
SparseMatrix compress(const Triplets& triplets, int rows);

}  // namespace uptack

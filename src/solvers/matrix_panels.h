// The rows of an assembled matrix, cell by cell, laid out for vectors of four.
//
// The two or three rows of a contact mostly have their entries in the same columns, or nearly.  They make a
// panel: the columns of all of them once, and beside each other what is multiplied by the same number,
//
//     three rows   a0 a1 a2 0        a vector per column
//     two rows     a0 a1 b0 b1       a vector per two columns a, b; the last may be zero
//
// Other cells stay with the matrix.

#pragma once

#include <span>
#include <vector>

#include "kernels/packed_view.h"
#include "linalg/aligned_vector.h"
#include "uptack/problem.h"

namespace uptack {

class MatrixPanels {
public:
    MatrixPanels() = default;
    MatrixPanels(MatrixPanels&&) = default;  // no copies: the panels know where their numbers are
    MatrixPanels& operator=(MatrixPanels&&) = default;

    void build(const SparseMatrix& matrix, std::span<const Cell> cells);

    /// One per cell; without rows: it is none.
    std::span<const MatrixPanel> all() const { return panels_; }
    const MatrixPanel& operator[](std::size_t cell) const { return panels_[cell]; }

private:
    void add(const SparseMatrix& matrix, const Cell& cell, MatrixPanel& panel);
    void point();

    std::vector<MatrixPanel> panels_;
    std::vector<int> column_;
    AlignedVector value_;
};

}  // namespace uptack

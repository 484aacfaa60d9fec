#include "matrix_panels.h"

#include <algorithm>
#include <limits>

namespace uptack {
namespace {

/// The entries of `rows` rows of a matrix, merged column by column, `width` numbers each, which are zero
/// before; how many columns there are.
template <int rows, int width>
int merge(const SparseMatrix& matrix, int first_row, int* column, double* value) {
    constexpr int none = std::numeric_limits<int>::max();
    std::int64_t at[rows];
    std::int64_t end[rows];
    for (int i = 0; i < rows; ++i) {
        at[i] = matrix.start[first_row + i];
        end[i] = matrix.start[first_row + i + 1];
    }
    const int* columns = matrix.column.data();
    for (int count = 0;; ++count, value += width) {
        int next = none;
        for (int i = 0; i < rows; ++i) next = at[i] < end[i] ? std::min(next, columns[at[i]]) : next;
        if (next == none) return count;
        column[count] = next;
        for (int i = 0; i < rows; ++i) {
            if (at[i] < end[i] && columns[at[i]] == next) value[i] = matrix.value[at[i]++];
        }
    }
}

/// Do they have the same columns?  Then merging is interleaving.
bool are_alike(const SparseMatrix& matrix, int first_row, int rows) {
    const int* columns = matrix.column.data();
    const std::int64_t first = matrix.start[first_row];
    const std::int64_t count = matrix.start[first_row + 1] - first;
    for (int row = first_row + 1; row < first_row + rows; ++row) {
        const std::int64_t start = matrix.start[row];
        if (matrix.start[row + 1] - start != count) return false;
        if (!std::equal(columns + first, columns + first + count, columns + start)) return false;
    }
    return true;
}

template <int rows, int width>
int interleave(const SparseMatrix& matrix, int first_row, int* column, double* value) {
    const std::int64_t first = matrix.start[first_row];
    const std::int64_t count = matrix.start[first_row + 1] - first;
    std::copy_n(matrix.column.data() + first, count, column);
    const double* from = matrix.value.data() + first;
    for (std::int64_t k = 0; k < count; ++k) {
        for (int i = 0; i < rows; ++i) value[width * k + i] = from[i * count + k];
    }
    return static_cast<int>(count);
}

}  // namespace

void MatrixPanels::build(const SparseMatrix& matrix, std::span<const Cell> cells) {
    panels_.assign(cells.size(), {});
    column_.clear();
    value_.clear();
    column_.reserve(matrix.column.size());
    value_.reserve(2 * matrix.value.size());  // dense blocks of 3 x 3 need 4/3
    for (std::size_t n = 0; n < cells.size(); ++n) {
        if (cells[n].rows == 2 || cells[n].rows == 3) add(matrix, cells[n], panels_[n]);
    }
    point();
}

// 1. Room; for rows that have nothing in common, unless they have everything   2. their entries, merged   3.
// a second one for the last column of two rows, if it has none   4. back with the room that is left
void MatrixPanels::add(const SparseMatrix& matrix, const Cell& cell, MatrixPanel& panel) {
    const int first = cell.first_row;
    const std::int64_t entries = matrix.start[first + cell.rows] - matrix.start[first];
    const int width = cell.rows == 3 ? 4 : 2;
    const bool alike = are_alike(matrix, first, cell.rows);
    const std::int64_t most = (alike ? entries / cell.rows : entries) + 1;
    const auto at_column = static_cast<std::int64_t>(column_.size());
    const auto at_value = static_cast<std::int64_t>(value_.size());
    column_.resize(at_column + most);
    value_.resize(at_value + width * most, 0.0);
    int* column = column_.data() + at_column;
    double* value = value_.data() + at_value;
    const auto lay_out =
        cell.rows == 3 ? (alike ? interleave<3, 4> : merge<3, 4>) : (alike ? interleave<2, 2> : merge<2, 2>);
    int count = lay_out(matrix, first, column, value);
    if (cell.rows == 2 && count % 2 != 0) {
        column[count] = column[count - 1];
        ++count;
    }
    column_.resize(at_column + count);
    value_.resize(at_value + static_cast<std::int64_t>(width) * count);
    panel.columns = count;
    panel.rows = cell.rows;
}

/// Once everything stands where it will stay.
void MatrixPanels::point() {
    const double* value = value_.data();
    const int* column = column_.data();
    for (MatrixPanel& panel : panels_) {
        panel.value = value;
        panel.column = column;
        value += static_cast<std::ptrdiff_t>(panel.rows == 3 ? 4 : 2) * panel.columns;
        column += panel.columns;
    }
}

}  // namespace uptack

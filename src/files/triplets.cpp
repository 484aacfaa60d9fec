#include "triplets.h"

#include <algorithm>
#include <utility>

namespace uptack {
namespace {

// Counting sort by row; the order within a row is that of the triplets.
SparseMatrix sort_by_row(const Triplets& triplets, int rows) {
    SparseMatrix matrix;
    matrix.start.assign(static_cast<std::size_t>(rows) + 1, 0);
    matrix.column.resize(triplets.value.size());
    matrix.value.resize(triplets.value.size());
    for (const int row : triplets.row) ++matrix.start[row + 1];
    for (int row = 0; row < rows; ++row) matrix.start[row + 1] += matrix.start[row];
    std::vector<std::int64_t> next(matrix.start.begin(), matrix.start.end() - 1);
    for (std::size_t k = 0; k < triplets.value.size(); ++k) {
        const std::int64_t place = next[triplets.row[k]]++;
        matrix.column[place] = triplets.column[k];
        matrix.value[place] = triplets.value[k];
    }
    return matrix;
}

}  // namespace

SparseMatrix compress(const Triplets& triplets, int rows) {
    SparseMatrix matrix = sort_by_row(triplets, rows);
    std::vector<std::pair<int, double>> entries;
    std::int64_t end = 0;  // of what has been merged so far
    std::int64_t first = 0;
    for (int row = 0; row < rows; ++row) {
        entries.clear();
        for (std::int64_t k = first; k < matrix.start[row + 1]; ++k) {
            entries.emplace_back(matrix.column[k], matrix.value[k]);
        }
        first = matrix.start[row + 1];
        // Stable, so that sums do not depend on the library's sorting.
        std::stable_sort(entries.begin(), entries.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        for (const auto& [column, value] : entries) {
            if (end > matrix.start[row] && matrix.column[end - 1] == column) {
                matrix.value[end - 1] += value;
            } else {
                matrix.column[end] = column;
                matrix.value[end] = value;
                ++end;
            }
        }
        matrix.start[row + 1] = end;
    }
    matrix.column.resize(static_cast<std::size_t>(end));
    matrix.value.resize(static_cast<std::size_t>(end));
    return matrix;
}

}  // namespace uptack

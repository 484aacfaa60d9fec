// Sparse L D L^T of a symmetric quasi-definite matrix in which single rows can be switched on and off.
//
//     K = [ H  B^T ]      H positive definite, C positive definite (or semidefinite with B of full row rank):
//         [ B  -C  ]      L D L^T exists for every symmetric ordering, without pivoting (Vanderbei 1995)
//
// A switched-off row k stands for the same matrix with row and column k replaced by those of minus the
// identity. [simplex, eq. 3.2] puts 1e20 on the diagonal instead: that has the same effect on the others but
// is absorbed when the row comes back ((g + 1e20) - 1e20 = 0), and with the paper's positive sign the matrix
// is not quasi-definite.  Here inactivity is structural: the row's entries in L are zero and its pivot is -1.
//
// Switching row k changes row k of L, column k of L and, by one rank-one modification, the columns on the
// path from k to the root of the elimination tree (the paper's figure 3); everything else stays.  With
//
//     L = [ L11           ]     on:   l12 = D1^-1 L11^-1 k12          off:  the same numbers are in L already
//         [ l12^T  1      ]           d   = k22 - l12^T D1 l12
//         [ L31  l32  L33 ]           l32 = (k32 - L31 D1 l12) / d
//                                     L33 D3 L33^T  -=  d l32 l32^T         +=  d l32 l32^T
//
// (Davis and Hager 2005).  The structure of L is that of all rows on, so it is found once; zeros are stored
// where rows are off.  Round-off of many modifications adds up: refactor() from time to time, and refine what
// matters.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linalg/deadline.h"

namespace uptack {

/// Lower triangle with diagonal in compressed columns; rows ascend in a column.
struct SymmetricMatrix {
    std::vector<std::int64_t> start;  ///< order + 1 entries
    std::vector<int> row;
    std::vector<double> value;

    int order() const { return static_cast<int>(start.size()) - 1; }
};

class SwitchingLdlt {
public:
    /// Fill-reducing order (AMD) and structure of L, all rows on; kept, without any allocation, while
    /// matrices of the same pattern come.  Takes the numbers.
    void analyze(const SymmetricMatrix& matrix);

    /// K_ii += change.  Takes effect with the next factor().
    void shift_diagonal(int row, double change) { k_diagonal_[to_place_[row]] += change; }

    /// Factors with the rows i for which on[i] != 0.  Pivots smaller than `pivot_floor` in size are moved
    /// away from zero to it, keeping their sign: the result is then the factor of a nearby matrix.  Returns
    /// how many were, or `abandoned` when the deadline passed: there is no factor then.
    static constexpr int abandoned = -1;
    int factor(std::span<const char> on, std::span<const double> pivot_floor, Deadline deadline = {});

    /// Switches one row; false: round-off has made a pivot unusable and the factor must be made anew.
    bool switch_on(int row);
    bool switch_off(int row);

    /// b <- K^-1 b.  Entries of rows that are off come back as minus themselves.
    void solve(std::span<double> b) const;

    /// y = K x with the original matrix, rows that are off left out (their y is 0).
    void multiply(std::span<const double> x, std::span<double> y) const;

    bool is_on(int row) const { return on_[to_place_[row]] != 0; }
    int order() const { return static_cast<int>(to_place_.size()); }
    std::int64_t fill() const {
        return static_cast<std::int64_t>(l_row_.size());
    }                                                  ///< entries of L below the diagonal
    std::int64_t entries() const { return entries_; }  ///< of K below the diagonal

private:
    void order_rows(const SymmetricMatrix& matrix);
    void permute_pattern(const SymmetricMatrix& matrix);
    void take_numbers(const SymmetricMatrix& matrix);
    void find_structure();
    enum class Carry : std::uint8_t { to_the_row, beyond_it };
    double eliminate_row(int k, Carry carry);
    bool add_row(int k);
    bool remove_row(int k);
    bool modify_path(int k, double alpha);

    std::vector<std::int64_t> pattern_start_;  // of the matrix last analysed
    std::vector<int> pattern_row_;
    std::vector<int> to_place_;  // row of K -> place in the elimination order
    std::vector<int> to_row_;

    // K in elimination order, both triangles, diagonal apart
    std::vector<std::int64_t> k_start_;
    std::vector<int> k_index_;
    std::vector<double> k_value_;
    std::vector<std::int64_t>
        k_twin_;  // for each entry of the given matrix its two places here; -1: diagonal
    std::vector<double> k_diagonal_;
    std::int64_t entries_ = 0;

    // L by columns, and for each row where its entries are in the columns
    std::vector<std::int64_t> l_start_;
    std::vector<int> l_row_;
    std::vector<double> l_value_;
    std::vector<double> d_;
    std::vector<int> parent_;  // elimination tree; -1 at roots
    std::vector<std::int64_t> row_start_;
    std::vector<int> row_column_;
    std::vector<std::int64_t> row_position_;

    std::vector<char> on_;
    std::vector<double> floor_;
    mutable std::vector<double> work_;
};

}  // namespace uptack

// The linear system of the second-order solvers, solved where it is smallest.
//
//     (I + Gamma A) d = f          Gamma: one symmetric positive semidefinite block per cell
//
// Body form, A = G G^T + C: the compliance is taken into the cells, Gamma' = (I + Gamma C)^-1 Gamma and
// f' = (I + Gamma C)^-1 f; then with z = G^T d
//
//     (I + G^T Gamma' G) z = G^T f'          d = f' - Gamma' G z
//
// a matrix of one block per body that can move and one per pair of bodies in contact, however many contacts
// they share.  A block is 6 x 6, or smaller where no row ever turns a body (smooth spheres: 3 x 3). Assembled
// form: with Gamma = B B^T per cell
//
//     (I + B^T A_s B) t = B^T A_s f          d = f - B t          A_s = 1/2 (A + A^T)
//
// one block per cell.  Both matrices are I plus something positive semidefinite, so no pivot is below 1 but
// for round-off.  BlockCholesky factors them; the structure is analysed only when it changes.
//
// Where Gamma is not symmetric (exact friction, box friction) the first of them still has its structure, and
// is factored as L U; in the assembled form that is I + Gamma A_s itself.

#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "cell_derivative.h"
#include "linalg/block_cholesky.h"
#include "packed_problem.h"

namespace uptack {

/// f(n as a constant), so that loops over the rows of a cell have known lengths.
template <class F>
void with_rows(int n, F&& f) {
    static_assert(max_block_rows == 6);
    switch (n) {
        case 1:
            return f(std::integral_constant<int, 1>{});
        case 2:
            return f(std::integral_constant<int, 2>{});
        case 3:
            return f(std::integral_constant<int, 3>{});
        case 4:
            return f(std::integral_constant<int, 4>{});
        case 5:
            return f(std::integral_constant<int, 5>{});
        default:
            return f(std::integral_constant<int, 6>{});
    }
}

/// One n x n block per cell, n the cell's rows.
class CellBlocks {
public:
    void resize(std::span<const Cell> cells);
    double* operator[](std::size_t cell) { return values_.data() + start_[cell]; }
    const double* operator[](std::size_t cell) const { return values_.data() + start_[cell]; }

private:
    std::vector<std::int64_t> start_;
    std::vector<double> values_;
};

/// y_k = blocks_k x_k for every cell; x and y may be the same.
void apply(const CellBlocks& blocks, std::span<const Cell> cells, View x, MutableView y);
/// y_k += blocks_k x_k
void add_applied(const CellBlocks& blocks, std::span<const Cell> cells, View x, MutableView y);

class NewtonSystem {
public:
    /// Analyses the structure; cheap when it is that of the last problem.  False: the deadline passed.
    bool prepare(const PackedProblem& packed, Deadline deadline = {});

    /// Multiplications of a factorisation, about; after prepare().
    double operations() const { return factor_.operations(); }

    /// How many pivots were lost to round-off, or `abandoned` when the deadline passed.
    static constexpr int abandoned = BlockCholesky::abandoned;
    using Numbers = BlockCholesky::Numbers;
    int factorise(const PackedProblem& packed, const CellBlocks& gamma, Deadline deadline = {},
                  Numbers numbers = Numbers::doubles);

    /// The same for a Gamma that is not symmetric.  Not quite exact if A is not either, or pivots were lost.
    int factorise_unsymmetric(const PackedProblem& packed, const CellBlocks& gamma, Deadline deadline = {});

    /// d from f, with the factorised matrix; f and d may not overlap.
    void solve(const PackedProblem& packed, View f, MutableView d);

private:
    void prepare_bodies(const PackedProblem& packed);
    void number_bodies();
    void prepare_cells(const PackedProblem& packed);
    void split_matrix(const PackedProblem& packed);
    void soften(const PackedProblem& packed, const CellBlocks& gamma);
    enum class Shape : bool { symmetric, unsymmetric };
    void fill_bodies(const PackedProblem& packed);
    struct PairBlocks {  // G_a^T Gamma' G_a and so on, 6 x 6
        std::array<double, 36> aa{};
        std::array<double, 36> bb{};
        std::array<double, 36> ab{};
        std::array<double, 36> ba{};
        bool empty = true;
    };
    template <int n>
    void add_cell(const PackedProblem& packed, std::size_t index, PairBlocks& sum) const;
    void fill_pair(const Cell& cell, int edge, PairBlocks& sum);
    void pick(int a, int b, double* block) const;
    void fill_cells(const PackedProblem& packed);
    void fill_rows(const PackedProblem& packed);
    void solve_bodies(const PackedProblem& packed, View f, MutableView d);
    void solve_cells(const PackedProblem& packed, View f, MutableView d);

    BlockCholesky factor_;
    CellBlocks gamma_;   // Gamma', or B in the assembled form
    CellBlocks soften_;  // (I + Gamma C)^-1
    bool compliant_ = false;
    Shape shape_ = Shape::symmetric;  // of what is factored
    struct Freedoms {                 // of a body: the columns of G that some row uses
        std::array<std::int8_t, 6> column{};
        int count = 0;
    };
    std::vector<int> node_of_slot_;    // -1: cannot move
    std::vector<Freedoms> freedoms_;   // by node
    std::vector<int> place_in_state_;  // of each unknown of the factor
    std::vector<int> edge_of_cell_;    // body form: -1 where a side cannot move
    std::vector<int> node_sizes_;
    std::vector<BlockCholesky::Edge> edges_;
    std::vector<int> cell_of_row_;         // assembled form
    std::vector<double> diagonal_blocks_;  // assembled form: A_s of each cell, max_entries apart
    std::vector<double> edge_blocks_;      // and of each edge
    std::vector<double> rows_;             // scratch, one per row
    std::vector<double> state_;            // scratch, as long as the factor
    std::vector<double> carried_;          // scratch, packed state
};

}  // namespace uptack

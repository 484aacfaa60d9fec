// The numbers of a sparse Cholesky factor H = L L^T with a known structure (block_structure.h), as doubles or
// as floats.
//
// Left-looking: a supernode subtracts the product of every earlier panel that reaches it (kernels/panel.h),
// then factors its own panel by columns of up to six.
//
// Where H has that structure but is not symmetric, H = L U has two sides of that form: L, and U^T, which is
// stored and computed as L is.  A product of the one's rows and columns becomes one of the one's rows and the
// other's columns, and everything is done twice.  Nothing is exchanged: H must be near a positive definite
// one.
//
//     pivot <= floor     H has no smaller one in exact arithmetic (the caller says what the floor is: the
//                        identity in H = I + G' Gamma G gives 1); round-off has eaten it.  The node's largest
//                        diagonal entry takes its place, which keeps the solution small in that direction and
//                        everything finite.  factorise() returns how often that happened.

#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "block_structure.h"
#include "linalg/aligned_vector.h"
#include "linalg/deadline.h"
#include "linalg/vector_ops.h"

namespace uptack {

/// What factorise() returns when the deadline has passed.
inline constexpr int abandoned_factor = -1;

template <class Real>
class BlockFactor {
public:
    enum class Shape : bool { symmetric, unsymmetric };

    /// H = diagonal * I, to be added to.  The structure must stay as it is until the last solve().
    void begin(const BlockStructure& structure, double diagonal, Shape shape = Shape::symmetric);
    /// H_nn += block, row by row.
    void add_node(int node, const double* block);
    /// H_ab += block, rows of a by columns of b, row by row; H_ba follows.
    void add_edge(int edge, const double* block);
    /// The same without symmetry: H_ab += block, and H_ba += the transpose of its twin.
    void add_edge(int edge, const double* block, const double* twin_transposed);
    /// H -> L; how many pivots had to be replaced, or abandoned_factor.
    int factorise(double pivot_floor, Deadline deadline);
    /// x <- H^-1 x, entries in the order of the nodes.
    void solve(MutableView x);

private:
    using Supernode = BlockStructure::Supernode;
    using Place = BlockStructure::Place;
    using Numbers = std::vector<Real, CacheLineAllocator<Real>>;
    struct Progress {    // of a supernode that has been factored
        int cursor = 0;  // next of the nodes below it to be updated
        int next = -1;   // next in the list of those that reach some supernode
    };
    struct Nodes {
        int first = 0;
        int end = 0;
    };
    struct Columns {
        int first = 0;
        int at = 0;
        int count = 0;
    };

    std::span<Numbers> sides() { return std::span(values_).first(sides_); }
    int other(int side) const { return sides_ - 1 - side; }

    void allocate();
    int row_of(const Supernode& s, int node) const;
    Real largest_of_diagonal(const Supernode& s, int node) const;
    bool update(int index, Deadline deadline);
    void update_from(const Supernode& target, int index);
    void scatter(const Supernode& target, const Supernode& source, Nodes nodes, int skip, Real* values) const;
    void add_block(Real* values, int edge, const double* block);
    void subtract_before(const Supernode& s, Columns columns);
    int factor_panel(const Supernode& s, Real pivot_floor, Deadline deadline);
    int factor_nodes(const Supernode& s, Nodes nodes, Real pivot_floor);
    void link(int index);
    void solve_forwards(const Supernode& s);
    void solve_backwards(const Supernode& s);

    const BlockStructure* structure_ = nullptr;
    std::array<Numbers, 2> values_;  // L and, where H is not symmetric, U^T
    int sides_ = 1;
    Numbers product_;                 // one update before it is scattered
    Numbers scratch_;                 // of the panel kernels
    std::vector<Real> solution_;      // in the order of elimination
    std::vector<Real> gathered_;      // rows below a supernode
    std::vector<Real> diagonal_;      // of H, by position: what replaces a lost pivot
    std::vector<int> row_in_target_;  // by position, for the supernode being factored
    std::vector<int> waiting_;        // heads of the lists of those that reach a supernode
    std::vector<Progress> progress_;  // by supernode
};

extern template class BlockFactor<double>;
extern template class BlockFactor<float>;

}  // namespace uptack

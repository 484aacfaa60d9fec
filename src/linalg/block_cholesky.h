// Sparse Cholesky factorisation H = L L^T of a symmetric positive definite matrix made of small dense blocks,
// with its structure (block_structure.h) analysed once and kept while it stays the same, and its numbers
// (block_factor.h) as doubles or, for half the time and seven digits, as floats.  A matrix of the same
// structure that is not quite symmetric is factored as H = L U, for twice the time.
//
// Written anew: CHOLMOD's supernodal module is GPL.

#pragma once

#include <cstdint>
#include <span>

#include "block_factor.h"
#include "block_structure.h"
#include "linalg/deadline.h"
#include "linalg/vector_ops.h"

namespace uptack {

class BlockCholesky {
    template <class F>
    auto with_numbers(const F& f) {
        return numbers_ == Numbers::doubles ? f(doubles_) : f(floats_);
    }

public:
    using Edge = BlockStructure::Edge;
    enum class Numbers : bool { doubles, floats };

    BlockCholesky() = default;
    BlockCholesky(const BlockCholesky&) = delete;  // the numbers know where their structure is
    BlockCholesky& operator=(const BlockCholesky&) = delete;

    /// Nodes with their sizes, and which pairs are coupled; repeated pairs are welcome, a = b is not.  Does
    /// nothing if the structure is that of the last call.  False: the deadline passed, nothing is analysed.
    bool analyse(std::span<const int> node_sizes, std::span<const Edge> edges, Deadline deadline = {}) {
        return structure_.is_of(node_sizes, edges) || structure_.analyse(node_sizes, edges, deadline);
    }

    /// H = diagonal * I, to be added to.
    void begin(double diagonal, Numbers numbers = Numbers::doubles) {
        numbers_ = numbers;
        with_numbers([&](auto& factor) { factor.begin(structure_, diagonal); });
    }
    /// The same for a matrix that is not symmetric, of doubles.
    void begin_unsymmetric(double diagonal) {
        numbers_ = Numbers::doubles;
        doubles_.begin(structure_, diagonal, BlockFactor<double>::Shape::unsymmetric);
    }
    /// H_nn += block, row by row.
    void add_node(int node, const double* block) {
        with_numbers([&](auto& factor) { factor.add_node(node, block); });
    }
    /// H_ab += block, rows of a by columns of b, row by row; H_ba follows.
    void add_edge(int edge, const double* block) {
        with_numbers([&](auto& factor) { factor.add_edge(edge, block); });
    }
    /// H_ab += block and H_ba += the transpose of twin_transposed, which both are rows of a by columns of b.
    void add_edge(int edge, const double* block, const double* twin_transposed) {
        doubles_.add_edge(edge, block, twin_transposed);
    }

    static constexpr int abandoned = abandoned_factor;
    /// H -> L; how many pivots had to be replaced because they were not above `pivot_floor`, or `abandoned`
    /// when the deadline passed: there is no factor then.
    int factorise(double pivot_floor, Deadline deadline = {}) {
        return with_numbers([&](auto& factor) { return factor.factorise(pivot_floor, deadline); });
    }

    /// x <- H^-1 x, entries in the order of the nodes.
    void solve(MutableView x) {
        with_numbers([&](auto& factor) { factor.solve(x); });
    }

    std::int64_t stored_entries() const { return structure_.stored_entries(); }
    std::size_t size() const { return structure_.size(); }
    double operations() const { return structure_.operations(); }  ///< known after analyse()

private:
    BlockStructure structure_;
    BlockFactor<double> doubles_;
    BlockFactor<float> floats_;
    Numbers numbers_ = Numbers::doubles;
};

}  // namespace uptack

// Sparse Cholesky factorisation H = L L^T of a symmetric positive definite matrix made of small dense blocks:
// one node per rigid body (6 x 6) or per constraint cell (1 x 1 .. 6 x 6), one edge per coupled pair.
//
// The structure is analysed once and kept while it stays the same:
//
//     order        minimum degree on the graph of nodes (AMD); where that fills, nested dissection (METIS)
//                  if it costs fewer operations; then a postorder of the elimination tree
//     columns      the nodes below each node in L: its own neighbours and its children's columns
//     supernodes   runs of nodes with nearly the same column; a few zeros are stored where that makes the
//                  dense blocks larger (the thresholds of CHOLMOD's relaxed amalgamation)
//
// L is stored as one dense panel per supernode, its own rows first.  The numbers are left-looking: a
// supernode subtracts the product of every earlier panel that reaches it (kernels/panel.h), then factors its
// own panel by columns of up to six.
//
//     pivot <= floor     H has no smaller one in exact arithmetic (the caller says what the floor is: the
//                        identity in H = I + G' Gamma G gives 1); round-off has eaten it.  The node's largest
//                        diagonal entry takes its place, which keeps the solution small in that direction and
//                        everything finite.  factorise() returns how often that happened.
//
// Sources: Davis, Direct Methods for Sparse Linear Systems (2006), chapters 4 and 7; Ng and Peyton 1993;
// relaxed amalgamation as described by Chen, Davis, Hager and Rajamanickam (2008).  Written anew: CHOLMOD's
// supernodal module is GPL.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/panel.h"
#include "linalg/aligned_vector.h"
#include "linalg/deadline.h"
#include "linalg/vector_ops.h"

namespace uptack {

class BlockCholesky {
public:
    static constexpr int max_node_size = 6;

    struct Edge {
        int a = 0;
        int b = 0;
        bool operator==(const Edge&) const = default;
    };

    /// Nodes with their sizes, and which pairs are coupled; repeated pairs are welcome, a = b is not.  Does
    /// nothing if the structure is that of the last call.  False: the deadline passed, nothing is analysed.
    bool analyse(std::span<const int> node_sizes, std::span<const Edge> edges, Deadline deadline = {});

    /// H = diagonal * I, to be added to.
    void begin(double diagonal);
    /// H_nn += block, symmetric, row by row.
    void add_node(int node, const double* block);
    /// H_ab += block, rows of a by columns of b, row by row; H_ba follows.
    void add_edge(int edge, const double* block);

    static constexpr int abandoned = -1;
    /// H -> L; how many pivots had to be replaced because they were not above `pivot_floor`, or `abandoned`
    /// when the deadline passed: there is no factor then.
    int factorise(double pivot_floor, Deadline deadline = {});

    /// x <- H^-1 x, entries in the order of the nodes.
    void solve(MutableView x);

    std::int64_t stored_entries() const { return stored_; }  ///< doubles in L, relaxed zeros included
    std::size_t size() const { return size_; }
    double operations() const;  ///< multiplications of a factorisation, about; known after analyse()

private:
    struct Supernode {
        int first = 0, last = 0;         // its nodes, in the order of elimination
        int columns = 0, rows = 0;       // scalars; rows include its own
        int stride = 0;                  // rows, padded
        std::int64_t values = 0;         // where its panel starts
        int below = 0, below_count = 0;  // nodes below it, in below_
        int cursor = 0;                  // while factorising: next of them to be updated
        int next = -1;  // while factorising: next in the list of those that reach some supernode
    };
    struct Place {  // of a block inside the panels
        std::int64_t at = 0;
        int stride = 0;
        bool transposed = false;
    };
    using Lists = std::vector<std::vector<int>>;

    bool find_structure(Deadline deadline);
    std::vector<int> order_nodes(std::size_t nodes, Deadline deadline) const;
    std::vector<int> minimum_degree(std::size_t nodes, bool& fills) const;
    std::vector<int> nested_dissection(std::size_t nodes) const;
    double cost_of(std::span<const int> order) const;
    std::vector<int> elimination_tree(const Lists& neighbours) const;
    Lists neighbours_in_order(std::span<const int> order) const;
    void find_columns(const Lists& neighbours, const std::vector<int>& parent, Lists& columns) const;
    void form_supernodes(const std::vector<int>& parent, const Lists& columns);
    std::vector<int> merge_supernodes(const std::vector<int>& parent, const Lists& columns) const;
    void place_panels(const Lists& columns);
    void allocate();
    void place_blocks();
    std::int64_t entry(int row_node, int column_node) const;

    void update_from(Supernode& target, Supernode& source);
    void scatter(const Supernode& target, const Supernode& source, int first, int last, int skip);
    bool update(std::size_t index, Deadline deadline);
    int factor_panel(const Supernode& s, double pivot_floor, Deadline deadline);
    int factor_nodes(const Supernode& s, int first, int end, double pivot_floor);
    void link(int index);

    bool analysed_ = false;
    std::vector<int> node_sizes_;
    std::vector<Edge> edges_;
    std::size_t size_ = 0;
    std::int64_t stored_ = 0;

    std::vector<int> position_;      // of a node in the order of elimination
    std::vector<int> user_offset_;   // first scalar of a node, in the caller's order
    std::vector<int> offset_;        // first scalar of a node, by position; one more at the end
    std::vector<int> node_at_;       // node of a position
    std::vector<int> supernode_of_;  // by position
    std::vector<Supernode> supernodes_;
    std::vector<int> below_;      // positions of the nodes below each supernode
    std::vector<int> below_row_;  // and the row of the panel where each starts; one more per supernode
    std::vector<Place> node_place_;
    std::vector<Place> edge_place_;

    AlignedVector values_;
    AlignedVector product_;           // one update before it is scattered
    std::vector<double> solution_;    // in the order of elimination
    AlignedVector scratch_;           // of the panel kernels
    std::vector<double> gathered_;    // rows below a supernode
    std::vector<double> diagonal_;    // of H, by position: what replaces a lost pivot
    std::vector<int> row_in_target_;  // by position, for the supernode being factored
    std::vector<int> waiting_;        // heads of the lists of those that reach a supernode
};

}  // namespace uptack

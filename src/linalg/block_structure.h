// The structure of a sparse Cholesky factor H = L L^T whose matrix is made of small dense blocks: one node
// per rigid body (6 x 6) or per constraint cell (1 x 1 .. 6 x 6), one edge per coupled pair.  No numbers.
//
//     order        minimum degree on the graph of nodes (AMD); where that fills, nested dissection (METIS)
//                  if it costs fewer operations; then a postorder of the elimination tree
//     columns      the nodes below each node in L: its own neighbours and its children's columns
//     supernodes   runs of nodes with nearly the same column; a few zeros are stored where that makes the
//                  dense blocks larger (the thresholds of CHOLMOD's relaxed amalgamation)
//     panels       L is one dense panel per supernode, its own rows first, stored by columns; the rows that
//                  pad a column to whole packs (kernels/panel.h) hold zeros
//
// A position is the place of a node in the order of elimination.
//
// Sources: Davis, Direct Methods for Sparse Linear Systems (2006), chapters 4 and 7; Ng and Peyton 1993;
// relaxed amalgamation as described by Chen, Davis, Hager and Rajamanickam (2008).

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linalg/deadline.h"

namespace uptack {

class BlockStructure {
public:
    struct Edge {
        int a = 0;
        int b = 0;
        bool operator==(const Edge&) const = default;
    };
    struct Supernode {
        int first = 0, last = 0;         ///< its nodes, positions
        int columns = 0, rows = 0;       ///< scalars; rows include its own
        int stride = 0;                  ///< rows, padded
        std::int64_t values = 0;         ///< where its panel starts
        int below = 0, below_count = 0;  ///< nodes below it, in below()
    };
    struct Place {  ///< of a block of H inside the panels
        std::int64_t at = 0;
        int stride = 0;
        bool transposed = false;
    };

    /// Repeated pairs are welcome, a = b is not.  False: the deadline passed, nothing is analysed.
    bool analyse(std::span<const int> node_sizes, std::span<const Edge> edges, Deadline deadline);
    /// Was it analysed for these?
    bool is_of(std::span<const int> node_sizes, std::span<const Edge> edges) const;

    std::size_t nodes() const { return node_sizes_.size(); }
    std::size_t size() const { return user_offset_.empty() ? 0 : user_offset_.back(); }  ///< scalars
    std::int64_t stored_entries() const { return stored_; }  ///< numbers in L, relaxed zeros included
    double operations() const;                               ///< multiplications of a factorisation, about

    // In the caller's order of nodes.
    int node_size(int node) const { return node_sizes_[node]; }
    int user_offset(int node) const { return user_offset_[node]; }  ///< first scalar of a node
    const Place& node_place(int node) const { return node_place_[node]; }
    const Place& edge_place(int edge) const { return edge_place_[edge]; }
    const Edge& edge(int index) const { return edges_[index]; }

    // By position.
    int node_at(int position) const { return node_at_[position]; }
    int offset(int position) const { return offset_[position]; }  ///< first scalar; one more at the end
    int width(int position) const { return offset_[position + 1] - offset_[position]; }
    int supernode_of(int position) const { return supernode_of_[position]; }

    std::span<const Supernode> supernodes() const { return supernodes_; }
    /// Entry i of the nodes below the supernodes, and the row of the panel where it starts.
    int below(int i) const { return below_[i]; }
    int below_row(int i) const { return below_row_[i]; }

    /// Where the block of two positions begins in the panels; row_node >= column_node.
    std::int64_t entry(int row_node, int column_node) const;

private:
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
    void place_blocks();

    bool analysed_ = false;
    std::vector<int> node_sizes_;
    std::vector<Edge> edges_;
    std::int64_t stored_ = 0;

    std::vector<int> position_;  // of a node
    std::vector<int> user_offset_;
    std::vector<int> offset_;
    std::vector<int> node_at_;
    std::vector<int> supernode_of_;
    std::vector<Supernode> supernodes_;
    std::vector<int> below_;      // positions of the nodes below each supernode
    std::vector<int> below_row_;  // and the row of the panel where each starts
    std::vector<Place> node_place_;
    std::vector<Place> edge_place_;
};

}  // namespace uptack

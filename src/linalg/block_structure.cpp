#include "block_structure.h"

#include <metis.h>
#include <suitesparse/amd.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "kernels/panel.h"

namespace uptack {
namespace {

constexpr std::size_t worth_dissecting = 500;  // nodes; below, minimum degree is as good and quicker

// What cannot be interrupted, about: METIS, the search for supernodes, and the first touch of the memory of
// L. Only decides when to give up.
constexpr double dissecting_seconds_per_edge = 2e-6;
constexpr double seconds_per_edge = 0.4e-6;
constexpr double seconds_per_entry = 2e-9;

int padded(int rows) {
    return (rows + panel_pack - 1) / panel_pack * panel_pack;
}

/// Children before parents, each subtree in one run.
std::vector<int> postorder(const std::vector<int>& parent) {
    const auto n = static_cast<int>(parent.size());
    std::vector<int> first_child(n, -1);
    std::vector<int> next_sibling(n, -1);
    for (int j = n - 1; j >= 0; --j) {
        if (parent[j] < 0) continue;
        next_sibling[j] = first_child[parent[j]];
        first_child[parent[j]] = j;
    }
    std::vector<int> order;
    std::vector<int> stack;
    order.reserve(n);
    for (int root = 0; root < n; ++root) {
        if (parent[root] >= 0) continue;
        stack.push_back(root);
        while (!stack.empty()) {
            const int j = stack.back();
            if (first_child[j] >= 0) {
                stack.push_back(first_child[j]);
                first_child[j] = next_sibling[first_child[j]];
            } else {
                stack.pop_back();
                order.push_back(j);
            }
        }
    }
    return order;
}

// Chen, Davis, Hager and Rajamanickam's thresholds, in nodes of six: small supernodes may store many zeros,
// large ones few.
bool worth_merging(double nodes, double zeros, double entries) {
    const double share = zeros / entries;
    return (nodes <= 2.0 && share < 0.8) || (nodes <= 8.0 && share < 0.1) || share < 0.05;
}

}  // namespace

bool BlockStructure::analyse(std::span<const int> node_sizes, std::span<const Edge> edges,
                             Deadline deadline) {
    node_sizes_.assign(node_sizes.begin(), node_sizes.end());
    edges_.assign(edges.begin(), edges.end());
    const std::size_t nodes = node_sizes_.size();
    user_offset_.assign(nodes + 1, 0);
    for (std::size_t k = 0; k < nodes; ++k) user_offset_[k + 1] = user_offset_[k] + node_sizes_[k];
    analysed_ = find_structure(deadline);
    return analysed_;
}

bool BlockStructure::is_of(std::span<const int> node_sizes, std::span<const Edge> edges) const {
    return analysed_ &&
           std::equal(node_sizes.begin(), node_sizes.end(), node_sizes_.begin(), node_sizes_.end()) &&
           std::equal(edges.begin(), edges.end(), edges_.begin(), edges_.end());
}

/// False: the deadline has passed.
bool BlockStructure::find_structure(Deadline deadline) {
    const std::size_t nodes = node_sizes_.size();
    const std::vector<int> order = order_nodes(nodes, deadline);
    if (deadline.passes_within(seconds_per_edge * static_cast<double>(edges_.size()))) return false;
    const std::vector<int> post = postorder(elimination_tree(neighbours_in_order(order)));
    node_at_.resize(nodes);
    for (std::size_t k = 0; k < nodes; ++k) node_at_[k] = order[post[k]];
    position_.resize(nodes);
    offset_.assign(nodes + 1, 0);
    for (std::size_t k = 0; k < nodes; ++k) {
        position_[node_at_[k]] = static_cast<int>(k);
        offset_[k + 1] = offset_[k] + node_sizes_[node_at_[k]];
    }
    const Lists neighbours = neighbours_in_order(node_at_);
    const std::vector<int> parent = elimination_tree(neighbours);
    Lists columns;
    find_columns(neighbours, parent, columns);
    if (deadline.passed()) return false;
    form_supernodes(parent, columns);
    place_panels(columns);
    if (deadline.passes_within(seconds_per_entry * static_cast<double>(stored_))) return false;
    place_blocks();
    return true;
}

/// Minimum degree; for large structures that fill, nested dissection too, and whichever costs less, unless
/// the deadline is too near for that.
std::vector<int> BlockStructure::order_nodes(std::size_t nodes, Deadline deadline) const {
    bool fills = false;
    std::vector<int> order = minimum_degree(nodes, fills);
    if (nodes < worth_dissecting || !fills) return order;
    if (deadline.passes_within(dissecting_seconds_per_edge * static_cast<double>(edges_.size())))
        return order;
    std::vector<int> dissected = nested_dissection(nodes);
    if (deadline.passed()) return order;
    return cost_of(dissected) < cost_of(order) ? dissected : order;
}

/// `fills`: L has more blocks than H; chains and trees do not.
std::vector<int> BlockStructure::minimum_degree(std::size_t nodes, bool& fills) const {
    std::vector<int> start(nodes + 1, 0);
    for (const Edge& edge : edges_) ++start[std::min(edge.a, edge.b) + 1];
    std::partial_sum(start.begin(), start.end(), start.begin());
    std::vector<int> row(edges_.size());
    std::vector<int> fill(start.begin(), start.end() - 1);
    for (const Edge& edge : edges_) row[fill[std::min(edge.a, edge.b)]++] = std::max(edge.a, edge.b);
    std::vector<int> order(nodes);
    std::array<double, AMD_INFO> info{};
    const int status =
        amd_order(static_cast<int>(nodes), start.data(), row.data(), order.data(), nullptr, info.data());
    const bool ordered = status == AMD_OK || status == AMD_OK_BUT_JUMBLED;
    if (!ordered) std::iota(order.begin(), order.end(), 0);
    fills = !ordered || 2.0 * info[AMD_LNZ] > info[AMD_NZ_A_PLUS_AT];
    return order;
}

std::vector<int> BlockStructure::nested_dissection(std::size_t nodes) const {
    std::vector<int> identity(nodes);
    std::iota(identity.begin(), identity.end(), 0);
    const Lists earlier = neighbours_in_order(identity);
    std::vector<idx_t> start(nodes + 1, 0);
    for (std::size_t j = 0; j < nodes; ++j) {
        start[j + 1] += static_cast<idx_t>(earlier[j].size());
        for (const int i : earlier[j]) ++start[i + 1];
    }
    std::partial_sum(start.begin(), start.end(), start.begin());
    std::vector<idx_t> neighbour(start.back());
    std::vector<idx_t> fill(start.begin(), start.end() - 1);
    for (std::size_t j = 0; j < nodes; ++j) {
        for (const int i : earlier[j]) {
            neighbour[fill[j]++] = i;
            neighbour[fill[i]++] = static_cast<idx_t>(j);
        }
    }
    auto count = static_cast<idx_t>(nodes);
    std::vector<idx_t> order(nodes);
    std::vector<idx_t> position(nodes);
    std::array<idx_t, METIS_NOPTIONS> options{};
    METIS_SetDefaultOptions(options.data());
    options[METIS_OPTION_SEED] = 1;  // the same order every time
    const int status = METIS_NodeND(&count, start.data(), neighbour.data(), nullptr, options.data(),
                                    order.data(), position.data());
    if (status != METIS_OK) return identity;
    return {order.begin(), order.end()};
}

/// About the operations of the factorisation: the sum of the squared column lengths.
double BlockStructure::cost_of(std::span<const int> order) const {
    const Lists neighbours = neighbours_in_order(order);
    Lists columns;
    find_columns(neighbours, elimination_tree(neighbours), columns);
    double cost = 0.0;
    for (const std::vector<int>& column : columns) {
        const double length = 1.0 + static_cast<double>(column.size());
        cost += length * length;
    }
    return cost;
}

/// For each position the earlier positions it is coupled with; `order` maps position to node.
BlockStructure::Lists BlockStructure::neighbours_in_order(std::span<const int> order) const {
    std::vector<int> position(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) position[order[k]] = static_cast<int>(k);
    Lists earlier(order.size());
    for (const Edge& edge : edges_) {
        const auto [low, high] = std::minmax(position[edge.a], position[edge.b]);
        earlier[high].push_back(low);
    }
    for (std::vector<int>& list : earlier) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    return earlier;
}

std::vector<int> BlockStructure::elimination_tree(const Lists& neighbours) const {
    const auto n = static_cast<int>(neighbours.size());
    std::vector<int> parent(n, -1);
    std::vector<int> ancestor(n, -1);
    for (int j = 0; j < n; ++j) {
        for (int i : neighbours[j]) {
            while (i >= 0 && i != j) {
                const int up = ancestor[i];
                ancestor[i] = j;
                if (up < 0) parent[i] = j;
                i = up;
            }
        }
    }
    return parent;
}

/// For each position the later positions in its column of L, ascending.
void BlockStructure::find_columns(const Lists& neighbours, const std::vector<int>& parent,
                                  Lists& columns) const {
    const auto n = static_cast<int>(parent.size());
    columns.assign(n, {});
    for (int j = 0; j < n; ++j) {
        for (const int i : neighbours[j]) columns[i].push_back(j);
    }
    for (int j = 0; j < n; ++j) {  // children have been here before: columns[j] holds theirs too
        std::vector<int>& column = columns[j];
        std::sort(column.begin(), column.end());
        column.erase(std::unique(column.begin(), column.end()), column.end());
        if (parent[j] >= 0) {
            columns[parent[j]].insert(columns[parent[j]].end(), column.begin() + 1, column.end());
        }
    }
}

/// First positions of the supernodes, after merging.
std::vector<int> BlockStructure::merge_supernodes(const std::vector<int>& parent,
                                                  const Lists& columns) const {
    const auto n = static_cast<int>(parent.size());
    std::vector<int> first;  // fundamental: same column as the next node, one entry longer
    for (int j = 0; j < n; ++j) {
        const bool joins = j > 0 && parent[j - 1] == j && columns[j - 1].size() == columns[j].size() + 1;
        if (!joins) first.push_back(j);
    }
    const auto count = static_cast<int>(first.size());
    std::vector<double> nodes(count), length(count), zeros(count, 0.0);
    std::vector<int> last(count);
    for (int s = 0; s < count; ++s) {
        last[s] = (s + 1 < count ? first[s + 1] : n) - 1;
        nodes[s] = last[s] - first[s] + 1;
        length[s] = static_cast<double>(columns[first[s]].size()) + 1;
    }
    std::vector<char> merged(count, 0);
    for (int s = count - 2; s >= 0; --s) {  // into the supernode that follows, if that is the parent
        if (parent[last[s]] != last[s] + 1) continue;
        const int up = s + 1;
        const double together = nodes[s] + nodes[up];
        const double total = zeros[s] + zeros[up] + nodes[s] * (length[up] + nodes[s] - length[s]);
        const double entries = 0.5 * together * (together + 1) + together * (length[up] - nodes[up]);
        if (!worth_merging(together, total, entries)) continue;
        merged[up] = 1;
        nodes[s] = together;
        zeros[s] = total;
        length[s] = length[up] + (together - nodes[up]);
    }
    std::vector<int> kept;
    for (int s = 0; s < count; ++s) {
        if (merged[s] == 0) kept.push_back(first[s]);
    }
    return kept;
}

void BlockStructure::form_supernodes(const std::vector<int>& parent, const Lists& columns) {
    const std::vector<int> first = merge_supernodes(parent, columns);
    const auto n = static_cast<int>(parent.size());
    supernodes_.assign(first.size(), {});
    supernode_of_.resize(n);
    for (std::size_t s = 0; s < first.size(); ++s) {
        supernodes_[s].first = first[s];
        supernodes_[s].last = (s + 1 < first.size() ? first[s + 1] : n) - 1;
        for (int j = supernodes_[s].first; j <= supernodes_[s].last; ++j) {
            supernode_of_[j] = static_cast<int>(s);
        }
    }
}

void BlockStructure::place_panels(const Lists& columns) {
    below_.clear();
    below_row_.clear();
    stored_ = 0;
    for (Supernode& s : supernodes_) {
        const std::vector<int>& below = columns[s.last];
        s.below = static_cast<int>(below_.size());
        s.below_count = static_cast<int>(below.size());
        s.columns = s.rows = offset_[s.last + 1] - offset_[s.first];
        for (const int node : below) {
            below_.push_back(node);
            below_row_.push_back(s.rows);
            s.rows += offset_[node + 1] - offset_[node];
        }
        s.stride = padded(s.rows);
        s.values = stored_;
        stored_ += static_cast<std::int64_t>(s.stride) * s.columns;
    }
}

/// Where the block of two positions begins in values_; row_node >= column_node.
std::int64_t BlockStructure::entry(int row_node, int column_node) const {
    const Supernode& s = supernodes_[supernode_of_[column_node]];
    int row = 0;
    if (row_node <= s.last) {
        row = offset_[row_node] - offset_[s.first];
    } else {
        const auto begin = below_.begin() + s.below;
        const auto found = std::lower_bound(begin, begin + s.below_count, row_node);
        row = below_row_[found - below_.begin()];
    }
    return s.values + static_cast<std::int64_t>(offset_[column_node] - offset_[s.first]) * s.stride + row;
}

void BlockStructure::place_blocks() {
    node_place_.clear();
    for (const int position : position_) {
        node_place_.push_back({.at = entry(position, position),
                               .stride = supernodes_[supernode_of_[position]].stride,
                               .transposed = false});
    }
    edge_place_.clear();
    for (const Edge& edge : edges_) {
        const int a = position_[edge.a];
        const int b = position_[edge.b];
        const int column = std::min(a, b);
        edge_place_.push_back({.at = entry(std::max(a, b), column),
                               .stride = supernodes_[supernode_of_[column]].stride,
                               .transposed = a < b});
    }
}

// A column of a panel with r rows left costs r^2 / 2 multiplications to update with.
double BlockStructure::operations() const {
    double sum = 0.0;
    for (const Supernode& s : supernodes_) {
        for (int column = 0; column < s.columns; ++column) {
            const double left = s.rows - column;
            sum += 0.5 * left * left;
        }
    }
    return sum;
}

}  // namespace uptack

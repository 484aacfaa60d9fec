#include "block_cholesky.h"

#include <metis.h>
#include <suitesparse/amd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace uptack {
namespace {

constexpr int block_columns = 48;              // of a panel that are updated together
constexpr std::size_t worth_dissecting = 500;  // nodes; below, minimum degree is as good and quicker

// What cannot be interrupted, about: METIS, and the first touch of the memory of L.  Only decides when to
// give up.
constexpr double seconds_per_edge = 2e-6;
constexpr double seconds_per_entry = 2e-9;

int padded(int rows) {
    return (rows + panel_pack - 1) / panel_pack * panel_pack;
}

void copy_lower(int n, ConstPanel from, Panel to) {
    for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t i = j; i < n; ++i) to.first[j * to.stride + i] = from.first[j * from.stride + i];
    }
}

/// y -= x
void subtract(int n, const double* x, double* y) {
    if (n == BlockCholesky::max_node_size) {  // the rule: a loop of known length
        for (int i = 0; i < BlockCholesky::max_node_size; ++i) y[i] -= x[i];
    } else {
        for (int i = 0; i < n; ++i) y[i] -= x[i];
    }
}

/// Dense Cholesky of one node's block, lower triangle, in place; how many pivots were replaced.
int factor_block(int n, Panel block, double largest, double pivot_floor) {
    int replaced = 0;
    const auto at = [&](int i, int j) -> double& {
        return block.first[static_cast<std::int64_t>(j) * block.stride + i];
    };
    for (int j = 0; j < n; ++j) {
        double pivot = at(j, j);
        for (int k = 0; k < j; ++k) pivot -= at(j, k) * at(j, k);
        if (!(pivot > pivot_floor) || !std::isfinite(pivot)) {
            pivot = std::isfinite(largest) ? std::max(largest, pivot_floor) : 1.0;
            if (!(pivot > 0.0)) pivot = 1.0;
            ++replaced;
        }
        at(j, j) = std::sqrt(pivot);
        for (int i = j + 1; i < n; ++i) {
            double value = at(i, j);
            for (int k = 0; k < j; ++k) value -= at(i, k) * at(j, k);
            at(i, j) = value / at(j, j);
        }
    }
    return replaced;
}

/// z <- L^-1 z
void solve_lower(int n, ConstPanel lower, double* z) {
    for (int j = 0; j < n; ++j) {
        const double* column = lower.first + static_cast<std::int64_t>(j) * lower.stride;
        z[j] /= column[j];
        for (int i = j + 1; i < n; ++i) z[i] -= column[i] * z[j];
    }
}

/// z <- L^-T z
void solve_lower_transposed(int n, ConstPanel lower, double* z) {
    for (int j = n - 1; j >= 0; --j) {
        const double* column = lower.first + static_cast<std::int64_t>(j) * lower.stride;
        for (int i = j + 1; i < n; ++i) z[j] -= column[i] * z[i];
        z[j] /= column[j];
    }
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

bool BlockCholesky::analyse(std::span<const int> node_sizes, std::span<const Edge> edges, Deadline deadline) {
    if (analysed_ &&
        std::equal(node_sizes.begin(), node_sizes.end(), node_sizes_.begin(), node_sizes_.end()) &&
        std::equal(edges.begin(), edges.end(), edges_.begin(), edges_.end())) {
        return true;
    }
    node_sizes_.assign(node_sizes.begin(), node_sizes.end());
    edges_.assign(edges.begin(), edges.end());
    const std::size_t nodes = node_sizes_.size();
    user_offset_.assign(nodes + 1, 0);
    for (std::size_t k = 0; k < nodes; ++k) user_offset_[k + 1] = user_offset_[k] + node_sizes_[k];
    size_ = user_offset_.back();
    analysed_ = find_structure(deadline);
    return analysed_;
}

/// False: the deadline has passed.
bool BlockCholesky::find_structure(Deadline deadline) {
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
    allocate();
    place_blocks();
    return true;
}

/// Minimum degree; for large structures that fill, nested dissection too, and whichever costs less.  When the
/// deadline is too near for that the order does not matter: there will be no factor.
std::vector<int> BlockCholesky::order_nodes(std::size_t nodes, Deadline deadline) const {
    bool fills = false;
    std::vector<int> order = minimum_degree(nodes, fills);
    if (nodes < worth_dissecting || !fills) return order;
    if (deadline.passes_within(seconds_per_edge * static_cast<double>(edges_.size()))) return order;
    std::vector<int> dissected = nested_dissection(nodes);
    if (deadline.passed()) return order;
    return cost_of(dissected) < cost_of(order) ? dissected : order;
}

/// `fills`: L has more blocks than H; chains and trees do not.
std::vector<int> BlockCholesky::minimum_degree(std::size_t nodes, bool& fills) const {
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

std::vector<int> BlockCholesky::nested_dissection(std::size_t nodes) const {
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
double BlockCholesky::cost_of(std::span<const int> order) const {
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
BlockCholesky::Lists BlockCholesky::neighbours_in_order(std::span<const int> order) const {
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

std::vector<int> BlockCholesky::elimination_tree(const Lists& neighbours) const {
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
void BlockCholesky::find_columns(const Lists& neighbours, const std::vector<int>& parent,
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
std::vector<int> BlockCholesky::merge_supernodes(const std::vector<int>& parent, const Lists& columns) const {
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

void BlockCholesky::form_supernodes(const std::vector<int>& parent, const Lists& columns) {
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

void BlockCholesky::place_panels(const Lists& columns) {
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

void BlockCholesky::allocate() {
    int longest = 0;
    int widest = 0;
    for (const Supernode& s : supernodes_) {
        longest = std::max(longest, s.stride);
        widest = std::max(widest, s.columns);
    }
    values_.assign(stored_, 0.0);
    product_.assign(static_cast<std::size_t>(longest) * widest, 0.0);
    gathered_.assign(longest, 0.0);
    scratch_.assign(panel_scratch(block_columns, widest), 0.0);
    solution_.assign(size_, 0.0);
    diagonal_.assign(position_.size(), 0.0);
    row_in_target_.assign(position_.size(), 0);
    waiting_.assign(supernodes_.size(), -1);
}

/// Where the block of two positions begins in values_; row_node >= column_node.
std::int64_t BlockCholesky::entry(int row_node, int column_node) const {
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

void BlockCholesky::place_blocks() {
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

void BlockCholesky::begin(double diagonal) {
    std::fill(values_.begin(), values_.end(), 0.0);
    for (const Supernode& s : supernodes_) {
        for (int j = 0; j < s.columns; ++j) {
            values_[s.values + static_cast<std::int64_t>(j) * s.stride + j] = diagonal;
        }
    }
}

void BlockCholesky::add_node(int node, const double* block) {
    const int n = node_sizes_[node];
    const Place& place = node_place_[node];
    double* out = values_.data() + place.at;
    for (int j = 0; j < n; ++j) {
        for (int i = j; i < n; ++i) out[static_cast<std::int64_t>(j) * place.stride + i] += block[i * n + j];
    }
}

void BlockCholesky::add_edge(int edge, const double* block) {
    const Place& place = edge_place_[edge];
    const int rows = node_sizes_[edges_[edge].a];
    const int columns = node_sizes_[edges_[edge].b];
    double* out = values_.data() + place.at;
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < columns; ++j) {
            const std::int64_t at = place.transposed ? static_cast<std::int64_t>(i) * place.stride + j
                                                     : static_cast<std::int64_t>(j) * place.stride + i;
            out[at] += block[i * columns + j];
        }
    }
}

// A column of a panel with r rows left costs r^2 / 2 multiplications to update with.
double BlockCholesky::operations() const {
    double sum = 0.0;
    for (const Supernode& s : supernodes_) {
        for (int column = 0; column < s.columns; ++column) {
            const double left = s.rows - column;
            sum += 0.5 * left * left;
        }
    }
    return sum;
}

int BlockCholesky::factorise(double pivot_floor, Deadline deadline) {
    std::fill(waiting_.begin(), waiting_.end(), -1);
    int replaced = 0;
    for (std::size_t index = 0; index < supernodes_.size(); ++index) {
        Supernode& s = supernodes_[index];
        for (int j = s.first; j <= s.last; ++j) {
            row_in_target_[j] = offset_[j] - offset_[s.first];
            const double* block = values_.data() + entry(j, j);
            diagonal_[j] = 0.0;
            for (int k = 0; k < offset_[j + 1] - offset_[j]; ++k) {
                diagonal_[j] = std::max(diagonal_[j], block[static_cast<std::int64_t>(k) * (s.stride + 1)]);
            }
        }
        for (int b = s.below; b < s.below + s.below_count; ++b) row_in_target_[below_[b]] = below_row_[b];
        if (!update(index, deadline)) return abandoned;
        const int here = factor_panel(s, pivot_floor, deadline);
        if (here == abandoned) return abandoned;
        replaced += here;
        s.cursor = 0;
        link(static_cast<int>(index));
    }
    return replaced;
}

/// Subtracts what the earlier supernodes do to this one; false: the deadline has passed.
bool BlockCholesky::update(std::size_t index, Deadline deadline) {
    for (int d = waiting_[index]; d >= 0;) {
        if (deadline.passed()) return false;
        Supernode& source = supernodes_[d];
        const int next = source.next;
        update_from(supernodes_[index], source);
        link(d);
        d = next;
    }
    return true;
}

/// Puts a supernode into the list of the one that its next row below belongs to.
void BlockCholesky::link(int index) {
    Supernode& s = supernodes_[index];
    if (s.cursor == s.below_count) return;
    const int owner = supernode_of_[below_[s.below + s.cursor]];
    s.next = waiting_[owner];
    waiting_[owner] = index;
}

// 1. source rows that are columns of the target: B; those and all below: A
// 2. product = A B^T, over the columns of the source
// 3. subtract it where the target keeps those rows and columns
void BlockCholesky::update_from(Supernode& target, Supernode& source) {
    int last = source.cursor;
    while (last < source.below_count && below_[source.below + last] <= target.last) ++last;
    const int top = below_row_[source.below + source.cursor];
    const int bottom = last < source.below_count ? below_row_[source.below + last] : source.rows;
    const int begin = top / panel_pack * panel_pack;  // rows go in packs; those above `top` are not used
    const double* panel = values_.data() + source.values;
    const int rows = source.stride - begin;
    for (int column = top; column < bottom; column += block_columns) {  // what lies above a block is not used
        const int first = column / panel_pack * panel_pack;
        panel_kernels().multiply(
            {.rows = source.stride - first,
             .columns = std::min(block_columns, bottom - column),
             .depth = source.columns},
            {panel + first, source.stride}, {panel + column, source.stride},
            {product_.data() + static_cast<std::int64_t>(column - top) * rows + (first - begin), rows},
            scratch_.data());
    }
    scatter(target, source, source.cursor, last, begin);
    source.cursor = last;
}

void BlockCholesky::scatter(const Supernode& target, const Supernode& source, int first, int last, int skip) {
    const int rows = source.stride - skip;
    const int top = below_row_[source.below + first];
    for (int c = first; c < last; ++c) {
        const int node = below_[source.below + c];
        const int column = below_row_[source.below + c] - top;
        const int width = offset_[node + 1] - offset_[node];
        const std::int64_t to =
            target.values + static_cast<std::int64_t>(offset_[node] - offset_[target.first]) * target.stride;
        for (int r = c; r < source.below_count; ++r) {
            const int row_node = below_[source.below + r];
            const int height = offset_[row_node + 1] - offset_[row_node];
            const double* from = product_.data() + static_cast<std::int64_t>(column) * rows +
                                 below_row_[source.below + r] - skip;
            double* out = values_.data() + to + row_in_target_[row_node];
            for (int j = 0; j < width; ++j, from += rows, out += target.stride) subtract(height, from, out);
        }
    }
}

// Left-looking inside the panel, a block of nodes at a time: subtract the columns before it, then factor it.
int BlockCholesky::factor_panel(const Supernode& s, double pivot_floor, Deadline deadline) {
    int replaced = 0;
    double* panel = values_.data() + s.values;
    for (int node = s.first; node <= s.last;) {
        if (deadline.passed()) return abandoned;
        int end = node + 1;
        while (end <= s.last && offset_[end + 1] - offset_[node] <= block_columns) ++end;
        const int at = offset_[node] - offset_[s.first];
        const int begin = at / panel_pack * panel_pack;
        panel_kernels().subtract_product(
            {.rows = s.stride - begin, .columns = offset_[end] - offset_[node], .depth = at},
            {panel + begin, s.stride}, {panel + at, s.stride},
            {panel + static_cast<std::int64_t>(at) * s.stride + begin, s.stride}, scratch_.data());
        replaced += factor_nodes(s, node, end, pivot_floor);
        node = end;
    }
    return replaced;
}

// One node at a time: subtract the columns of the block before it, factor its diagonal block, divide the rows
// below by it.
int BlockCholesky::factor_nodes(const Supernode& s, int first, int end, double pivot_floor) {
    int replaced = 0;
    double* panel = values_.data() + s.values;
    const int start = offset_[first] - offset_[s.first];
    const double* before = panel + static_cast<std::int64_t>(start) * s.stride;
    for (int node = first; node < end; ++node) {
        const int n = offset_[node + 1] - offset_[node];
        const int at = offset_[node] - offset_[s.first];
        const int begin = at / panel_pack * panel_pack;
        double* columns = panel + static_cast<std::int64_t>(at) * s.stride;
        panel_kernels().subtract_product({.rows = s.stride - begin, .columns = n, .depth = at - start},
                                         {before + begin, s.stride}, {before + at, s.stride},
                                         {columns + begin, s.stride}, scratch_.data());
        double* block = columns + at;
        replaced += factor_block(n, {block, s.stride}, diagonal_[node], pivot_floor);
        // The rows right below start anywhere; their pack may reach up into the block, which must stay.
        std::array<double, std::size_t{max_node_size} * max_node_size> lower{};
        copy_lower(n, {block, s.stride}, {lower.data(), n});
        const int next = (at + n) / panel_pack * panel_pack;
        panel_kernels().divide(s.stride - next, n, {lower.data(), n}, {columns + next, s.stride});
        copy_lower(n, {lower.data(), n}, {block, s.stride});
    }
    return replaced;
}

void BlockCholesky::solve(MutableView x) {
    const PanelKernels& kernels = panel_kernels();
    for (std::size_t k = 0; k < node_at_.size(); ++k) {
        const int node = node_at_[k];
        std::copy_n(x.begin() + user_offset_[node], node_sizes_[node], solution_.begin() + offset_[k]);
    }
    for (const Supernode& s : supernodes_) {  // L z = b
        double* z = solution_.data() + offset_[s.first];
        const double* panel = values_.data() + s.values;
        for (int node = s.first; node <= s.last; ++node) {
            const int at = offset_[node] - offset_[s.first];
            const int n = offset_[node + 1] - offset_[node];
            const double* block = panel + static_cast<std::int64_t>(at) * s.stride + at;
            solve_lower(n, {block, s.stride}, z + at);
            kernels.subtract_apply(s.columns - at - n, n, {block + n, s.stride}, z + at, z + at + n);
        }
        const int below = s.rows - s.columns;
        std::fill_n(gathered_.begin(), below, 0.0);
        kernels.subtract_apply(below, s.columns, {panel + s.columns, s.stride}, z, gathered_.data());
        for (int b = s.below; b < s.below + s.below_count; ++b) {
            const int node = below_[b];
            for (int i = 0; i < offset_[node + 1] - offset_[node]; ++i) {
                solution_[offset_[node] + i] += gathered_[below_row_[b] - s.columns + i];
            }
        }
    }
    for (auto s = supernodes_.rbegin(); s != supernodes_.rend(); ++s) {  // L^T x = z
        double* z = solution_.data() + offset_[s->first];
        const double* panel = values_.data() + s->values;
        for (int b = s->below; b < s->below + s->below_count; ++b) {
            const int node = below_[b];
            std::copy_n(solution_.begin() + offset_[node], offset_[node + 1] - offset_[node],
                        gathered_.begin() + (below_row_[b] - s->columns));
        }
        kernels.subtract_apply_transposed(s->rows - s->columns, s->columns, {panel + s->columns, s->stride},
                                          gathered_.data(), z);
        for (int node = s->last; node >= s->first; --node) {
            const int at = offset_[node] - offset_[s->first];
            const int n = offset_[node + 1] - offset_[node];
            const double* block = panel + static_cast<std::int64_t>(at) * s->stride + at;
            kernels.subtract_apply_transposed(s->columns - at - n, n, {block + n, s->stride}, z + at + n,
                                              z + at);
            solve_lower_transposed(n, {block, s->stride}, z + at);
        }
    }
    for (std::size_t k = 0; k < node_at_.size(); ++k) {
        const int node = node_at_[k];
        std::copy_n(solution_.begin() + offset_[k], node_sizes_[node], x.begin() + user_offset_[node]);
    }
}

}  // namespace uptack

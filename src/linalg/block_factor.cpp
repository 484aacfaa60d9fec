#include "block_factor.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/panel.h"

namespace uptack {
namespace {

constexpr int block_columns = 48;  // of a panel that are updated together
constexpr int max_node_size = 6;

template <class Real>
void copy_lower(int n, ConstPanel<Real> from, Panel<Real> to) {
    for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t i = j; i < n; ++i) to.first[j * to.stride + i] = from.first[j * from.stride + i];
    }
}

/// y -= x
template <class Real>
void subtract(int n, const Real* x, Real* y) {
    if (n == max_node_size) {  // the rule: a loop of known length
        for (int i = 0; i < max_node_size; ++i) y[i] -= x[i];
    } else {
        for (int i = 0; i < n; ++i) y[i] -= x[i];
    }
}

/// Dense Cholesky of one node's block, lower triangle, in place; how many pivots were replaced.
template <class Real>
int factor_block(int n, Panel<Real> block, Real largest, Real pivot_floor) {
    int replaced = 0;
    const auto at = [&](int i, int j) -> Real& {
        return block.first[static_cast<std::int64_t>(j) * block.stride + i];
    };
    for (int j = 0; j < n; ++j) {
        Real pivot = at(j, j);
        for (int k = 0; k < j; ++k) pivot -= at(j, k) * at(j, k);
        if (!(pivot > pivot_floor) || !std::isfinite(pivot)) {
            pivot = std::isfinite(largest) ? std::max(largest, pivot_floor) : Real{1};
            if (!(pivot > 0)) pivot = 1;
            ++replaced;
        }
        at(j, j) = std::sqrt(pivot);
        for (int i = j + 1; i < n; ++i) {
            Real value = at(i, j);
            for (int k = 0; k < j; ++k) value -= at(i, k) * at(j, k);
            at(i, j) = value / at(j, j);
        }
    }
    return replaced;
}

/// Dense H = L U of one node's block, without exchanges; L has ones on its diagonal.  Comes as the lower
/// triangles of H and of H^T, goes as L and U^T.  How many pivots were replaced.
template <class Real>
int factor_block(int n, Panel<Real> lower, Panel<Real> upper, Real largest, Real pivot_floor) {
    int replaced = 0;
    const auto l = [&](int i, int j) -> Real& {
        return lower.first[static_cast<std::int64_t>(j) * lower.stride + i];
    };
    const auto u = [&](int i, int j) -> Real& {  // of U^T
        return upper.first[static_cast<std::int64_t>(j) * upper.stride + i];
    };
    for (int j = 0; j < n; ++j) {
        for (int i = j; i < n; ++i) {
            for (int k = 0; k < j; ++k) u(i, j) -= u(i, k) * l(j, k);
        }
        if (!(u(j, j) > pivot_floor) || !std::isfinite(u(j, j))) {
            u(j, j) = std::isfinite(largest) && largest > pivot_floor ? largest : Real{1};
            ++replaced;
        }
        l(j, j) = 1;
        for (int i = j + 1; i < n; ++i) {
            for (int k = 0; k < j; ++k) l(i, j) -= l(i, k) * u(j, k);
            l(i, j) /= u(j, j);
        }
    }
    return replaced;
}

/// z <- L^-1 z
template <class Real>
void solve_lower(int n, ConstPanel<Real> lower, Real* z) {
    for (int j = 0; j < n; ++j) {
        const Real* column = lower.first + static_cast<std::int64_t>(j) * lower.stride;
        z[j] /= column[j];
        for (int i = j + 1; i < n; ++i) z[i] -= column[i] * z[j];
    }
}

/// z <- L^-T z
template <class Real>
void solve_lower_transposed(int n, ConstPanel<Real> lower, Real* z) {
    for (int j = n - 1; j >= 0; --j) {
        const Real* column = lower.first + static_cast<std::int64_t>(j) * lower.stride;
        for (int i = j + 1; i < n; ++i) z[j] -= column[i] * z[i];
        z[j] /= column[j];
    }
}

}  // namespace

template <class Real>
void BlockFactor<Real>::begin(const BlockStructure& structure, double diagonal, Shape shape) {
    structure_ = &structure;
    sides_ = shape == Shape::symmetric ? 1 : 2;
    allocate();
    for (Numbers& values : sides()) {
        std::fill(values.begin(), values.end(), Real{0});
        for (const Supernode& s : structure_->supernodes()) {
            for (int j = 0; j < s.columns; ++j) {
                values[s.values + static_cast<std::int64_t>(j) * s.stride + j] = static_cast<Real>(diagonal);
            }
        }
    }
}

/// Nothing where the structure is that of the last time.
template <class Real>
void BlockFactor<Real>::allocate() {
    int longest = 0;
    int widest = 0;
    for (const Supernode& s : structure_->supernodes()) {
        longest = std::max(longest, s.stride);
        widest = std::max(widest, s.columns);
    }
    for (Numbers& values : sides()) values.resize(structure_->stored_entries());
    product_.resize(static_cast<std::size_t>(longest) * widest);
    gathered_.resize(longest);
    scratch_.resize(panel_scratch(block_columns, widest));
    solution_.resize(structure_->size());
    diagonal_.resize(structure_->nodes());
    row_in_target_.resize(structure_->nodes());
    waiting_.resize(structure_->supernodes().size());
    progress_.resize(structure_->supernodes().size());
}

template <class Real>
int BlockFactor<Real>::row_of(const Supernode& s, int node) const {
    return structure_->offset(node) - structure_->offset(s.first);
}

template <class Real>
void BlockFactor<Real>::add_node(int node, const double* block) {
    const int n = structure_->node_size(node);
    const Place& place = structure_->node_place(node);
    Real* lower = values_[0].data() + place.at;
    for (int j = 0; j < n; ++j, lower += place.stride) {
        for (int i = j; i < n; ++i) lower[i] += static_cast<Real>(block[i * n + j]);
    }
    if (sides_ == 1) return;
    Real* upper = values_[1].data() + place.at;
    for (int j = 0; j < n; ++j, upper += place.stride) {
        for (int i = j; i < n; ++i) upper[i] += static_cast<Real>(block[j * n + i]);
    }
}

template <class Real>
void BlockFactor<Real>::add_edge(int edge, const double* block) {
    add_block(values_[0].data(), edge, block);
}

template <class Real>
void BlockFactor<Real>::add_edge(int edge, const double* block, const double* twin_transposed) {
    const bool swapped = structure_->edge_place(edge).transposed;
    add_block(values_[swapped ? 1 : 0].data(), edge, block);
    add_block(values_[swapped ? 0 : 1].data(), edge, twin_transposed);
}

template <class Real>
void BlockFactor<Real>::add_block(Real* values, int edge, const double* block) {
    const Place& place = structure_->edge_place(edge);
    const int rows = structure_->node_size(structure_->edge(edge).a);
    const int columns = structure_->node_size(structure_->edge(edge).b);
    Real* out = values + place.at;
    if (place.transposed) {
        for (int i = 0; i < rows; ++i, out += place.stride, block += columns) {
            for (int j = 0; j < columns; ++j) out[j] += static_cast<Real>(block[j]);
        }
        return;
    }
    for (int j = 0; j < columns; ++j, out += place.stride, ++block) {
        for (int i = 0; i < rows; ++i) out[i] += static_cast<Real>(block[i * columns]);
    }
}

template <class Real>
int BlockFactor<Real>::factorise(double pivot_floor, Deadline deadline) {
    std::fill(waiting_.begin(), waiting_.end(), -1);
    int replaced = 0;
    const auto count = static_cast<int>(waiting_.size());
    for (int index = 0; index < count; ++index) {
        const Supernode& s = structure_->supernodes()[index];
        for (int j = s.first; j <= s.last; ++j) {
            row_in_target_[j] = row_of(s, j);
            diagonal_[j] = largest_of_diagonal(s, j);
        }
        for (int b = s.below; b < s.below + s.below_count; ++b)
            row_in_target_[structure_->below(b)] = structure_->below_row(b);
        if (!update(index, deadline)) return abandoned_factor;
        const int here = factor_panel(s, static_cast<Real>(pivot_floor), deadline);
        if (here == abandoned_factor) return abandoned_factor;
        replaced += here;
        progress_[index].cursor = 0;
        link(index);
    }
    return replaced;
}

template <class Real>
Real BlockFactor<Real>::largest_of_diagonal(const Supernode& s, int node) const {
    const Real* block = values_[0].data() + structure_->entry(node, node);
    Real largest = 0;
    for (std::int64_t k = 0; k < structure_->width(node); ++k)
        largest = std::max(largest, block[k * (s.stride + 1)]);
    return largest;
}

/// Subtracts what the earlier supernodes do to this one; false: the deadline has passed.
template <class Real>
bool BlockFactor<Real>::update(int index, Deadline deadline) {
    for (int d = waiting_[index]; d >= 0;) {
        if (deadline.passed()) return false;
        const int next = progress_[d].next;
        update_from(structure_->supernodes()[index], d);
        link(d);
        d = next;
    }
    return true;
}

/// Puts a supernode into the list of the one that its next row below belongs to.
template <class Real>
void BlockFactor<Real>::link(int index) {
    const Supernode& s = structure_->supernodes()[index];
    Progress& progress = progress_[index];
    if (progress.cursor == s.below_count) return;
    const int owner = structure_->supernode_of(structure_->below(s.below + progress.cursor));
    progress.next = waiting_[owner];
    waiting_[owner] = index;
}

// 1. source rows that are columns of the target: B; those and all below: A
// 2. product = A B^T, over the columns of the source; where there are two sides, A is of one and B of the
// other
// 3. subtract it where the target keeps those rows and columns
template <class Real>
void BlockFactor<Real>::update_from(const Supernode& target, int index) {
    const Supernode& source = structure_->supernodes()[index];
    const int cursor = progress_[index].cursor;
    int last = cursor;
    while (last < source.below_count && structure_->below(source.below + last) <= target.last) ++last;
    const int top = structure_->below_row(source.below + cursor);
    const int bottom = last < source.below_count ? structure_->below_row(source.below + last) : source.rows;
    const int begin = top / panel_pack * panel_pack;  // rows go in packs; those above `top` are not used
    const int rows = source.stride - begin;
    for (int side = 0; side < sides_; ++side) {
        const Real* panel = values_[side].data() + source.values;
        const Real* across = values_[other(side)].data() + source.values;
        for (int column = top; column < bottom; column += block_columns) {
            const int first = column / panel_pack * panel_pack;  // what lies above a block is not used
            panel_kernels<Real>().multiply(
                {.rows = source.stride - first,
                 .columns = std::min(block_columns, bottom - column),
                 .depth = source.columns},
                {panel + first, source.stride}, {across + column, source.stride},
                {product_.data() + static_cast<std::int64_t>(column - top) * rows + (first - begin), rows},
                scratch_.data());
        }
        scatter(target, source, {cursor, last}, begin, values_[side].data());
    }
    progress_[index].cursor = last;
}

template <class Real>
void BlockFactor<Real>::scatter(const Supernode& target, const Supernode& source, Nodes nodes, int skip,
                                Real* values) const {
    const int rows = source.stride - skip;
    const int top = structure_->below_row(source.below + nodes.first);
    for (int c = nodes.first; c < nodes.end; ++c) {
        const int node = structure_->below(source.below + c);
        const int column = structure_->below_row(source.below + c) - top;
        const int width = structure_->width(node);
        const std::int64_t to =
            target.values + static_cast<std::int64_t>(row_of(target, node)) * target.stride;
        for (int r = c; r < source.below_count; ++r) {
            const int row_node = structure_->below(source.below + r);
            const int height = structure_->width(row_node);
            const Real* from = product_.data() + static_cast<std::int64_t>(column) * rows +
                               structure_->below_row(source.below + r) - skip;
            Real* out = values + to + row_in_target_[row_node];
            for (int j = 0; j < width; ++j, from += rows, out += target.stride) subtract(height, from, out);
        }
    }
}

// Left-looking inside the panel, a block of nodes at a time: subtract the columns before it, then factor it.
template <class Real>
int BlockFactor<Real>::factor_panel(const Supernode& s, Real pivot_floor, Deadline deadline) {
    int replaced = 0;
    for (int node = s.first; node <= s.last;) {
        if (deadline.passed()) return abandoned_factor;
        int end = node + 1;
        while (end <= s.last && structure_->offset(end + 1) - structure_->offset(node) <= block_columns)
            ++end;
        subtract_before(s, {0, row_of(s, node), structure_->offset(end) - structure_->offset(node)});
        replaced += factor_nodes(s, {node, end}, pivot_floor);
        node = end;
    }
    return replaced;
}

// One node at a time: subtract the columns of the block before it, factor its diagonal block, divide the rows
// below by it.
template <class Real>
int BlockFactor<Real>::factor_nodes(const Supernode& s, Nodes nodes, Real pivot_floor) {
    int replaced = 0;
    const int start = row_of(s, nodes.first);
    for (int node = nodes.first; node < nodes.end; ++node) {
        const int n = structure_->width(node);
        const int at = row_of(s, node);
        subtract_before(s, {start, at, n});
        const std::int64_t column = s.values + static_cast<std::int64_t>(at) * s.stride;
        const auto block = [&](int side) {
            return Panel<Real>{values_[side].data() + column + at, s.stride};
        };
        replaced += sides_ == 1 ? factor_block<Real>(n, block(0), diagonal_[node], pivot_floor)
                                : factor_block<Real>(n, block(0), block(1), diagonal_[node], pivot_floor);
        // The rows right below start anywhere; their pack may reach up into the block, which must stay.
        std::array<std::array<Real, std::size_t{max_node_size} * max_node_size>, 2> lower;  // NOLINT: filled
        const int next = (at + n) / panel_pack * panel_pack;
        for (int side = 0; side < sides_; ++side)
            copy_lower<Real>(n, {block(side).first, s.stride}, {lower[side].data(), n});
        for (int side = 0; side < sides_; ++side) {
            panel_kernels<Real>().divide(s.stride - next, n, {lower[other(side)].data(), n},
                                         {values_[side].data() + column + next, s.stride});
            copy_lower<Real>(n, {lower[side].data(), n}, block(side));
        }
    }
    return replaced;
}

/// In `count` columns of a panel from `at` on: minus what its columns from `first` up to them do to it.
template <class Real>
void BlockFactor<Real>::subtract_before(const Supernode& s, Columns columns) {
    const auto [first, at, count] = columns;
    const int begin = at / panel_pack * panel_pack;
    const std::int64_t before = s.values + static_cast<std::int64_t>(first) * s.stride;
    for (int side = 0; side < sides_; ++side) {
        panel_kernels<Real>().subtract_product(
            {.rows = s.stride - begin, .columns = count, .depth = at - first},
            {values_[side].data() + before + begin, s.stride},
            {values_[other(side)].data() + before + at, s.stride},
            {values_[side].data() + s.values + static_cast<std::int64_t>(at) * s.stride + begin, s.stride},
            scratch_.data());
    }
}

template <class Real>
void BlockFactor<Real>::solve(MutableView x) {
    const auto nodes = static_cast<int>(structure_->nodes());
    for (int k = 0; k < nodes; ++k) {
        const double* from = x.data() + structure_->user_offset(structure_->node_at(k));
        std::transform(from, from + structure_->width(k), solution_.begin() + structure_->offset(k),
                       [](double value) { return static_cast<Real>(value); });
    }
    for (const Supernode& s : structure_->supernodes()) solve_forwards(s);
    const std::span<const Supernode> supernodes = structure_->supernodes();
    for (auto s = supernodes.rbegin(); s != supernodes.rend(); ++s) solve_backwards(*s);
    for (int k = 0; k < nodes; ++k) {
        std::copy_n(solution_.begin() + structure_->offset(k), structure_->width(k),
                    x.begin() + structure_->user_offset(structure_->node_at(k)));
    }
}

/// L z = b
template <class Real>
void BlockFactor<Real>::solve_forwards(const Supernode& s) {
    const PanelKernels<Real>& kernels = panel_kernels<Real>();
    Real* z = solution_.data() + structure_->offset(s.first);
    const Real* panel = values_[0].data() + s.values;
    for (int node = s.first; node <= s.last; ++node) {
        const int at = row_of(s, node);
        const int n = structure_->width(node);
        const Real* block = panel + static_cast<std::int64_t>(at) * s.stride + at;
        solve_lower<Real>(n, {block, s.stride}, z + at);
        kernels.subtract_apply(s.columns - at - n, n, {block + n, s.stride}, z + at, z + at + n);
    }
    const int below = s.rows - s.columns;
    std::fill_n(gathered_.begin(), below, Real{0});
    kernels.subtract_apply(below, s.columns, {panel + s.columns, s.stride}, z, gathered_.data());
    for (int b = s.below; b < s.below + s.below_count; ++b) {
        const int node = structure_->below(b);
        const Real* from = gathered_.data() + structure_->below_row(b) - s.columns;
        Real* to = solution_.data() + structure_->offset(node);
        for (int i = 0; i < structure_->width(node); ++i) to[i] += from[i];
    }
}

/// L^T x = z, or U x = z
template <class Real>
void BlockFactor<Real>::solve_backwards(const Supernode& s) {
    const PanelKernels<Real>& kernels = panel_kernels<Real>();
    Real* z = solution_.data() + structure_->offset(s.first);
    const Real* panel = values_[other(0)].data() + s.values;
    for (int b = s.below; b < s.below + s.below_count; ++b) {
        const int node = structure_->below(b);
        std::copy_n(solution_.begin() + structure_->offset(node), structure_->width(node),
                    gathered_.begin() + (structure_->below_row(b) - s.columns));
    }
    kernels.subtract_apply_transposed(s.rows - s.columns, s.columns, {panel + s.columns, s.stride},
                                      gathered_.data(), z);
    for (int node = s.last; node >= s.first; --node) {
        const int at = row_of(s, node);
        const int n = structure_->width(node);
        const Real* block = panel + static_cast<std::int64_t>(at) * s.stride + at;
        kernels.subtract_apply_transposed(s.columns - at - n, n, {block + n, s.stride}, z + at + n, z + at);
        solve_lower_transposed<Real>(n, {block, s.stride}, z + at);
    }
}

template class BlockFactor<double>;
template class BlockFactor<float>;

}  // namespace uptack

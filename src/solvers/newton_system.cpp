#include "newton_system.h"

#include <algorithm>
#include <cmath>

namespace uptack {
namespace {

constexpr std::size_t max_entries = std::size_t{max_block_rows} * max_block_rows;

// In exact arithmetic no pivot of I + (positive semidefinite) is below 1.
constexpr double pivot_floor = 0.5;
// Without symmetry they may be anything; what is lost must only not blow up the rest.
constexpr double unsymmetric_floor = 1e-6;

using SmallBlock = std::array<double, max_entries>;

/// x <- a^-1 x by elimination with row exchanges; a is n x n and destroyed.
template <int n, int columns>
void solve_small(double* a, double* x) {
    for (int k = 0; k < n; ++k) {
        int pivot = k;
        for (int i = k + 1; i < n; ++i) {
            if (std::abs(a[i * n + k]) > std::abs(a[pivot * n + k])) pivot = i;
        }
        if (pivot != k) std::swap_ranges(a + k * n, a + k * n + n, a + pivot * n);
        if (pivot != k) std::swap_ranges(x + k * columns, x + k * columns + columns, x + pivot * columns);
        for (int i = 0; i < n; ++i) {
            if (i == k) continue;
            const double factor = a[i * n + k] / a[k * n + k];
            for (int j = k; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
            for (int j = 0; j < columns; ++j) x[i * columns + j] -= factor * x[k * columns + j];
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < columns; ++j) x[i * columns + j] /= a[i * n + i];
    }
}

/// Lower B with B B^T = gamma; a column is zero where gamma has nothing left.
void square_root(std::size_t n, const double* gamma, double* b) {
    constexpr double nothing = 1e-14;  // of the largest diagonal entry
    double largest = 0.0;
    for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, gamma[i * n + i]);
    std::fill_n(b, n * n, 0.0);
    for (std::size_t j = 0; j < n; ++j) {
        double pivot = gamma[j * n + j];
        for (std::size_t k = 0; k < j; ++k) pivot -= b[j * n + k] * b[j * n + k];
        if (!(pivot > nothing * largest)) continue;
        b[j * n + j] = std::sqrt(pivot);
        for (std::size_t i = j + 1; i < n; ++i) {
            double value = gamma[i * n + j];
            for (std::size_t k = 0; k < j; ++k) value -= b[i * n + k] * b[j * n + k];
            b[i * n + j] = value / b[j * n + j];
        }
    }
}

/// rows x columns -> columns x rows
SmallBlock transposed(int rows, int columns, const double* block) {
    SmallBlock out{};
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < columns; ++j) out[j * rows + i] = block[i * columns + j];
    }
    return out;
}

bool all_zero(const double* values, std::size_t count) {
    return std::all_of(values, values + count, [](double value) { return value == 0.0; });
}

/// out = gamma g for one side; g is n x 6 with rows row_width apart, out n x 6.
template <int n>
void weigh_side(const double* gamma, const double* g, double* out) {
    for (int i = 0; i < n; ++i) {
        std::array<double, 6> sum{};
        for (int j = 0; j < n; ++j) {
            for (int c = 0; c < 6; ++c) sum[c] += gamma[i * n + j] * g[j * row_width + c];
        }
        std::copy_n(sum.begin(), 6, out + std::ptrdiff_t{6} * i);
    }
}

/// a^T m b with a and b lower triangular, rows x rows and columns x columns; m is rows x columns.
SmallBlock sandwich(int rows, const double* a, const double* m, int columns, const double* b) {
    SmallBlock half{};
    SmallBlock out{};
    for (int i = 0; i < rows; ++i) {
        for (int k = i; k < rows; ++k) {
            for (int j = 0; j < columns; ++j) half[i * columns + j] += a[k * rows + i] * m[k * columns + j];
        }
    }
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < columns; ++j) {
            for (int k = j; k < columns; ++k)
                out[i * columns + j] += half[i * columns + k] * b[k * columns + j];
        }
    }
    return out;
}

/// sum += left^T right; both n x 6, rows of left row_width apart.
template <int n>
void add_side_product(const double* left, const double* right, double* sum) {
    for (int i = 0; i < 6; ++i) {
        std::array<double, 6> row;
        std::copy_n(sum + std::ptrdiff_t{6} * i, 6, row.begin());
        for (int k = 0; k < n; ++k) {
            for (int j = 0; j < 6; ++j) row[j] += left[k * row_width + i] * right[6 * k + j];
        }
        std::copy_n(row.begin(), 6, sum + std::ptrdiff_t{6} * i);
    }
}

/// out = (I + gamma C)^-1 gamma and inverse = (I + gamma C)^-1 for one cell, c the diagonal of C.
template <int n>
void soften_cell(const double* c, const double* gamma, double* out, double* inverse) {
    std::array<double, n * n> a{};
    std::array<double, 2 * n * n> both{};  // gamma and the identity side by side
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            a[i * n + j] = (i == j ? 1.0 : 0.0) + gamma[i * n + j] * c[j];
            both[2 * i * n + j] = gamma[i * n + j];
            both[(2 * i + 1) * n + j] = i == j ? 1.0 : 0.0;
        }
    }
    solve_small<n, 2 * n>(a.data(), both.data());
    for (int i = 0; i < n; ++i) {
        std::copy_n(both.begin() + 2 * i * n, n, out + i * n);
        std::copy_n(both.begin() + (2 * i + 1) * n, n, inverse + i * n);
    }
}

/// b x for one cell
template <int n>
std::array<double, n> times(const double* block, const double* x) {
    std::array<double, n> y{};
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) y[i] += block[i * n + j] * x[j];
    }
    return y;
}

}  // namespace

void CellBlocks::resize(std::span<const Cell> cells) {
    start_.resize(cells.size());
    std::int64_t size = 0;
    for (std::size_t k = 0; k < cells.size(); ++k) {
        start_[k] = size;
        size += static_cast<std::int64_t>(cells[k].rows) * cells[k].rows;
    }
    values_.assign(size, 0.0);
}

void apply(const CellBlocks& blocks, std::span<const Cell> cells, View x, MutableView y) {
    for (std::size_t k = 0; k < cells.size(); ++k) {
        with_rows(cells[k].rows, [&](auto n) {
            const auto product = times<n>(blocks[k], x.data() + cells[k].first_row);
            std::copy_n(product.begin(), int{n}, y.begin() + cells[k].first_row);
        });
    }
}

void add_applied(const CellBlocks& blocks, std::span<const Cell> cells, View x, MutableView y) {
    for (std::size_t k = 0; k < cells.size(); ++k) {
        with_rows(cells[k].rows, [&](auto n) {
            const auto product = times<n>(blocks[k], x.data() + cells[k].first_row);
            for (int i = 0; i < n; ++i) y[cells[k].first_row + i] += product[i];
        });
    }
}

bool NewtonSystem::prepare(const PackedProblem& packed, Deadline deadline) {
    gamma_.resize(packed.cells());
    compliant_ = !packed.compliance().empty();
    if (compliant_) soften_.resize(packed.cells());
    if (packed.matrix() != nullptr) {
        prepare_cells(packed);
    } else {
        prepare_bodies(packed);
    }
    if (!factor_.analyse(node_sizes_, edges_, deadline)) return false;
    rows_.resize(packed.rows());
    state_.resize(factor_.size());
    carried_.resize(packed.state_size());
    return true;
}

// A body can move if some row can push it; one with infinite mass has zero rows of G.
void NewtonSystem::prepare_bodies(const PackedProblem& packed) {
    const std::span<const Cell> cells = packed.cells();
    node_of_slot_.assign(packed.state_size() / state_width, -1);
    node_sizes_.clear();
    edges_.clear();
    edge_of_cell_.assign(cells.size(), -1);
    std::vector<int>& used = node_of_slot_;  // first as a set of columns, one bit each, minus one
    for (const Cell& cell : cells) {
        for (int row = cell.first_row; row < cell.first_row + cell.rows; ++row) {
            const double* g = packed.row_of_g(row);
            for (int c = 0; c < 6; ++c) {
                if (g[c] != 0.0) used[cell.slot_a] = ((used[cell.slot_a] + 1) | (1 << c)) - 1;
                if (g[6 + c] != 0.0) used[cell.slot_b] = ((used[cell.slot_b] + 1) | (1 << c)) - 1;
            }
        }
    }
    number_bodies();
    for (std::size_t k = 0; k < cells.size(); ++k) {
        const int a = node_of_slot_[cells[k].slot_a];
        const int b = node_of_slot_[cells[k].slot_b];
        if (a < 0 || b < 0 || a == b) continue;
        if (edges_.empty() || edges_.back() != BlockCholesky::Edge{a, b}) edges_.push_back({a, b});
        edge_of_cell_[k] = static_cast<int>(edges_.size()) - 1;
    }
}

/// Sets of used columns -> nodes with their freedoms.
void NewtonSystem::number_bodies() {
    freedoms_.clear();
    place_in_state_.clear();
    for (int& node : node_of_slot_) {
        if (node < 0) continue;
        Freedoms freedoms;
        for (int c = 0; c < 6; ++c) {
            if (((node + 1) & (1 << c)) != 0) freedoms.column[freedoms.count++] = static_cast<std::int8_t>(c);
        }
        const auto slot = static_cast<int>(&node - node_of_slot_.data());
        for (int i = 0; i < freedoms.count; ++i) {
            place_in_state_.push_back(static_cast<int>(state_width) * slot + freedoms.column[i]);
        }
        node = static_cast<int>(node_sizes_.size());
        node_sizes_.push_back(freedoms.count);
        freedoms_.push_back(freedoms);
    }
}

void NewtonSystem::prepare_cells(const PackedProblem& packed) {
    const std::span<const Cell> cells = packed.cells();
    const SparseMatrix& matrix = *packed.matrix();
    node_sizes_.clear();
    edges_.clear();
    cell_of_row_.resize(packed.rows());
    for (std::size_t k = 0; k < cells.size(); ++k) {
        node_sizes_.push_back(cells[k].rows);
        std::fill_n(cell_of_row_.begin() + cells[k].first_row, cells[k].rows, static_cast<int>(k));
    }
    for (int i = 0; i < matrix.rows(); ++i) {
        for (std::int64_t k = matrix.start[i]; k < matrix.start[i + 1]; ++k) {
            const auto [low, high] = std::minmax(cell_of_row_[i], cell_of_row_[matrix.column[k]]);
            const bool repeated = !edges_.empty() && edges_.back() == BlockCholesky::Edge{low, high};
            if (low != high && matrix.value[k] != 0.0 && !repeated) edges_.push_back({low, high});
        }
    }
    const auto before = [](const BlockCholesky::Edge& x, const BlockCholesky::Edge& y) {
        return x.a != y.a ? x.a < y.a : x.b < y.b;
    };
    std::sort(edges_.begin(), edges_.end(), before);
    edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
    split_matrix(packed);
}

/// A_s by cells and edges.
void NewtonSystem::split_matrix(const PackedProblem& packed) {
    const std::span<const Cell> cells = packed.cells();
    const SparseMatrix& matrix = *packed.matrix();
    const auto before = [](const BlockCholesky::Edge& x, const BlockCholesky::Edge& y) {
        return x.a != y.a ? x.a < y.a : x.b < y.b;
    };
    diagonal_blocks_.assign(cells.size() * max_entries, 0.0);
    edge_blocks_.assign(edges_.size() * max_entries, 0.0);
    for (int i = 0; i < matrix.rows(); ++i) {
        const int a = cell_of_row_[i];
        const int row = i - cells[a].first_row;
        for (std::int64_t k = matrix.start[i]; k < matrix.start[i + 1]; ++k) {
            const int b = cell_of_row_[matrix.column[k]];
            const int column = matrix.column[k] - cells[b].first_row;
            const double half = 0.5 * matrix.value[k];
            if (half == 0.0) continue;
            if (a == b) {
                double* block = diagonal_blocks_.data() + max_entries * a;
                block[row * cells[a].rows + column] += half;
                block[column * cells[a].rows + row] += half;
                continue;
            }
            const BlockCholesky::Edge edge{std::min(a, b), std::max(a, b)};
            const auto found = std::lower_bound(edges_.begin(), edges_.end(), edge, before);
            double* block = edge_blocks_.data() + max_entries * (found - edges_.begin());
            const int wide = cells[edge.b].rows;
            block[a < b ? row * wide + column : column * wide + row] += half;
        }
    }
}

int NewtonSystem::factorise(const PackedProblem& packed, const CellBlocks& gamma, Deadline deadline,
                            Numbers numbers) {
    shape_ = Shape::symmetric;
    factor_.begin(1.0, numbers);
    if (packed.matrix() != nullptr) {
        const std::span<const Cell> cells = packed.cells();
        for (std::size_t k = 0; k < cells.size(); ++k) square_root(cells[k].rows, gamma[k], gamma_[k]);
        fill_cells(packed);
    } else {
        soften(packed, gamma);
        fill_bodies(packed);
    }
    return factor_.factorise(pivot_floor, deadline);
}

int NewtonSystem::factorise_unsymmetric(const PackedProblem& packed, const CellBlocks& gamma,
                                        Deadline deadline) {
    shape_ = Shape::unsymmetric;
    factor_.begin_unsymmetric(1.0);
    if (packed.matrix() != nullptr) {
        gamma_ = gamma;
        fill_rows(packed);
    } else {
        soften(packed, gamma);
        fill_bodies(packed);
    }
    return factor_.factorise(unsymmetric_floor, deadline);
}

/// (I + Gamma C)^-1, and Gamma' which is that times Gamma.
void NewtonSystem::soften(const PackedProblem& packed, const CellBlocks& gamma) {
    if (!compliant_) {
        gamma_ = gamma;
        return;
    }
    const std::span<const Cell> cells = packed.cells();
    for (std::size_t k = 0; k < cells.size(); ++k) {
        with_rows(cells[k].rows, [&](auto n) {
            soften_cell<n>(packed.compliance().data() + cells[k].first_row, gamma[k], gamma_[k], soften_[k]);
        });
    }
}

/// Keeps the rows and columns of a 6 x 6 block that the two bodies have, in place.
void NewtonSystem::pick(int a, int b, double* block) const {
    const Freedoms& rows = freedoms_[a];
    const Freedoms& columns = freedoms_[b];
    if (rows.count == 6 && columns.count == 6) return;
    for (int i = 0; i < rows.count; ++i) {
        for (int j = 0; j < columns.count; ++j) {
            block[i * columns.count + j] = block[6 * rows.column[i] + columns.column[j]];
        }
    }
}

/// G^T Gamma' G; cells between the same two bodies, one after the other, are added up first.
void NewtonSystem::fill_bodies(const PackedProblem& packed) {
    const std::span<const Cell> cells = packed.cells();
    for (std::size_t k = 0; k < cells.size();) {
        const Cell& first = cells[k];
        const int edge = edge_of_cell_[k];
        PairBlocks sum;
        for (; k < cells.size() && cells[k].slot_a == first.slot_a && cells[k].slot_b == first.slot_b; ++k)
            with_rows(cells[k].rows, [&](auto n) { add_cell<n>(packed, k, sum); });
        if (!sum.empty) fill_pair(first, edge, sum);
    }
}

template <int n>
void NewtonSystem::add_cell(const PackedProblem& packed, std::size_t index, PairBlocks& sum) const {
    const Cell& cell = packed.cells()[index];
    const double* gamma = gamma_[index];
    if (all_zero(gamma, std::size_t{n} * n)) return;
    sum.empty = false;
    const double* g_a = packed.row_of_g(cell.first_row);
    const double* g_b = g_a + 6;
    std::array<double, std::size_t{6} * n> weighted_a;
    std::array<double, std::size_t{6} * n> weighted_b;
    weigh_side<n>(gamma, g_a, weighted_a.data());
    weigh_side<n>(gamma, g_b, weighted_b.data());
    if (node_of_slot_[cell.slot_a] >= 0) add_side_product<n>(g_a, weighted_a.data(), sum.aa.data());
    if (node_of_slot_[cell.slot_b] >= 0) add_side_product<n>(g_b, weighted_b.data(), sum.bb.data());
    if (edge_of_cell_[index] < 0) return;
    add_side_product<n>(g_a, weighted_b.data(), sum.ab.data());
    if (shape_ == Shape::unsymmetric) add_side_product<n>(g_b, weighted_a.data(), sum.ba.data());
}

/// Into the factor; G_b^T Gamma' G_a only where it is not the transpose of G_a^T Gamma' G_b.
void NewtonSystem::fill_pair(const Cell& cell, int edge, PairBlocks& sum) {
    const int a = node_of_slot_[cell.slot_a];
    const int b = node_of_slot_[cell.slot_b];
    const auto add_node = [&](int node, double* block) {
        if (node < 0) return;
        pick(node, node, block);
        factor_.add_node(node, block);
    };
    add_node(a, sum.aa.data());
    add_node(b, sum.bb.data());
    if (edge < 0) return;
    pick(a, b, sum.ab.data());
    if (shape_ == Shape::symmetric) {
        factor_.add_edge(edge, sum.ab.data());
        return;
    }
    SmallBlock ba_transposed = transposed(6, 6, sum.ba.data());
    pick(a, b, ba_transposed.data());
    factor_.add_edge(edge, sum.ab.data(), ba_transposed.data());
}

/// B^T A_s B, cell by cell and edge by edge.
void NewtonSystem::fill_cells(const PackedProblem& packed) {
    const std::span<const Cell> cells = packed.cells();
    const auto between = [&](int a, int b, const double* block) {
        return sandwich(cells[a].rows, gamma_[a], block, cells[b].rows, gamma_[b]);
    };
    for (std::size_t k = 0; k < cells.size(); ++k) {
        const auto cell = static_cast<int>(k);
        factor_.add_node(cell, between(cell, cell, diagonal_blocks_.data() + max_entries * k).data());
    }
    for (std::size_t e = 0; e < edges_.size(); ++e) {
        factor_.add_edge(static_cast<int>(e),
                         between(edges_[e].a, edges_[e].b, edge_blocks_.data() + max_entries * e).data());
    }
}

/// I + Gamma A_s, cell by cell and edge by edge.
void NewtonSystem::fill_rows(const PackedProblem& packed) {
    const std::span<const Cell> cells = packed.cells();
    const auto weighed = [&](int cell, int columns, auto&& entry) {
        const int n = cells[cell].rows;
        SmallBlock out{};
        for (int i = 0; i < n; ++i) {
            for (int k = 0; k < n; ++k) {
                for (int j = 0; j < columns; ++j)
                    out[i * columns + j] += gamma_[cell][i * n + k] * entry(k, j);
            }
        }
        return out;
    };
    for (std::size_t k = 0; k < cells.size(); ++k) {
        const int n = cells[k].rows;
        const double* block = diagonal_blocks_.data() + max_entries * k;
        const SmallBlock node =
            weighed(static_cast<int>(k), n, [=](int i, int j) { return block[i * n + j]; });
        factor_.add_node(static_cast<int>(k), node.data());
    }
    for (std::size_t e = 0; e < edges_.size(); ++e) {
        const auto [a, b] = edges_[e];
        const int rows = cells[a].rows;
        const int columns = cells[b].rows;
        const double* block = edge_blocks_.data() + max_entries * e;
        const SmallBlock ab = weighed(a, columns, [=](int i, int j) { return block[i * columns + j]; });
        const SmallBlock ba = weighed(b, rows, [=](int i, int j) { return block[j * columns + i]; });
        factor_.add_edge(static_cast<int>(e), ab.data(), transposed(columns, rows, ba.data()).data());
    }
}

void NewtonSystem::solve(const PackedProblem& packed, View f, MutableView d) {
    if (packed.matrix() != nullptr && shape_ == Shape::unsymmetric) {
        copy(f, d);
        factor_.solve(d);
    } else if (packed.matrix() != nullptr) {
        solve_cells(packed, f, d);
    } else {
        solve_bodies(packed, f, d);
    }
}

void NewtonSystem::solve_bodies(const PackedProblem& packed, View f, MutableView d) {
    if (compliant_) {
        apply(soften_, packed.cells(), f, d);
    } else {
        copy(f, d);
    }
    packed.carry(d, carried_);
    for (std::size_t i = 0; i < state_.size(); ++i) state_[i] = carried_[place_in_state_[i]];
    factor_.solve(state_);
    std::fill(carried_.begin(), carried_.end(), 0.0);
    for (std::size_t i = 0; i < state_.size(); ++i) carried_[place_in_state_[i]] = state_[i];
    const std::span<const Cell> cells = packed.cells();
    for (std::size_t k = 0; k < cells.size(); ++k) {
        const Cell& cell = cells[k];
        const double* ua = carried_.data() + state_width * static_cast<std::size_t>(cell.slot_a);
        const double* ub = carried_.data() + state_width * static_cast<std::size_t>(cell.slot_b);
        with_rows(cell.rows, [&](auto n) {
            std::array<double, n> gz{};
            for (int i = 0; i < n; ++i) {
                const double* g = packed.row_of_g(cell.first_row + i);
                for (int c = 0; c < 6; ++c) gz[i] += g[c] * ua[c] + g[6 + c] * ub[c];
            }
            const auto change = times<n>(gamma_[k], gz.data());
            for (int i = 0; i < n; ++i) d[cell.first_row + i] -= change[i];
        });
    }
}

void NewtonSystem::solve_cells(const PackedProblem& packed, View f, MutableView d) {
    const std::span<const Cell> cells = packed.cells();
    packed.multiply_symmetric(f, rows_);
    for (std::size_t k = 0; k < cells.size(); ++k) {  // cells are in row order, so the factor's order is ours
        const int n = cells[k].rows;
        for (int i = 0; i < n; ++i) {
            double sum = 0.0;
            for (int j = i; j < n; ++j) sum += gamma_[k][j * n + i] * rows_[cells[k].first_row + j];
            state_[cells[k].first_row + i] = sum;
        }
    }
    factor_.solve(state_);
    apply(gamma_, cells, state_, rows_);
    for (std::size_t i = 0; i < d.size(); ++i) d[i] = f[i] - rows_[i];
}

}  // namespace uptack

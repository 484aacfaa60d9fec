#include "packed_problem.h"

#include <algorithm>
#include <cmath>

#include "kernels/cone_projection.h"
#include "linalg/parallel.h"

namespace uptack {
namespace {

/// Up to six rows on the stack.
using Rows = std::array<double, max_block_rows>;

/// Of loops that project: 10 to 20 ns a cell.
constexpr Grain cells_grain{.smallest_chunk = 1024, .parallel_from = 8192};

}  // namespace

PackedView PackedProblem::view() const {
    return {
        .cells = cells_.data(),
        .g = g_.data(),
        .single_g = single_g_.data(),
        .q = q_.data(),
        .c = c_.empty() ? nullptr : c_.data(),
        .batches = batches_.data(),
        .slim_batches = reads_ == RowsAs::floats && !slim_batches_.empty() ? slim_batches_.data() : nullptr,
        .batch_c = c_.empty() ? nullptr : batch_c_.data(),
        .panels = panels_.all().data(),
        .any_takes_term = any_takes_term_,
        .many_batches = batches_.size() >= many_batches};
}

FrictionCone PackedProblem::cone_of(const Cell& cell) const {
    if (cell.kind == CellKind::cone) return cones_[cell.extra];
    return {.mu = cell.mu, .model = cell.exact != 0 ? FrictionModel::exact : FrictionModel::convex};
}

/// on_cells(range) for what is not in batches, as few ranges as possible, and on_pieces(run) for what is.
template <class Cells, class Pieces>
void PackedProblem::for_each_part(const Cells& on_cells, const Pieces& on_pieces) const {
    for (std::size_t r = 0; r < runs_.size();) {
        if (runs_[r].stages > 0) {
            on_pieces(runs_[r++]);
            continue;
        }
        CellRange range{.first = runs_[r].first, .rows_elsewhere = runs_[r].rows_elsewhere};
        for (; r < runs_.size() && runs_[r].stages == 0; ++r) range.count += runs_[r].count;
        on_cells(range);
    }
}

/// one(piece) for the pieces of a planned run, stage by stage.
template <class One>
void PackedProblem::for_each_piece_of(const Run& run, Direction direction, const One& one) const {
    const bool forward = direction == Direction::forward;
    for (int s = 0; s < run.stages; ++s) {
        const BatchPlan::Stage& stage = plan_.stages()[run.first_stage + (forward ? s : run.stages - 1 - s)];
        const auto nth = [&](std::size_t p) { one(plan_.pieces()[stage.first_piece + p]); };
        if (stage.pieces == 1) {
            nth(0);
        } else {
            on_several_threads(stage.pieces, nth, Pieces::stay);
        }
    }
}

CellRange PackedProblem::batches_of(const BatchPlan::Piece& piece, int stride) const {
    return {.first = piece.first_batch, .count = piece.batches, .stride = stride};
}

CellRange PackedProblem::singles_of(const BatchPlan::Piece& piece, int stride) const {
    return {.first = piece.first_single,
            .count = piece.singles,
            .stride = stride,
            .order = plan_.singles().data()};
}

void PackedProblem::carry(View x, MutableView u) const {
    std::fill(u.begin(), u.end(), 0.0);
    if (matrix_) return;
    if (adjacency_start_.empty()) {
        for_each_part([&](CellRange cells) { kernels().scatter(view(), cells, x.data(), u.data()); },
                      [&](const Run& run) {
                          for_each_piece_of(run, Direction::forward, [&](const BatchPlan::Piece& piece) {
                              kernels().scatter_batches(view(), batches_of(piece), x.data(), u.data());
                              kernels().scatter(view(), singles_of(piece), x.data(), u.data());
                          });
                      });
        return;
    }
    const Adjacency adjacency{.start = adjacency_start_.data(), .entry = adjacency_entry_.data()};
    const std::size_t bodies = adjacency_start_.size() - 1;
    constexpr std::size_t bodies_per_piece = 256;
    for_each_piece(bodies, bodies_per_piece, Threads::several,
                   [&](std::size_t, std::size_t first, std::size_t last) {
                       kernels().scatter_to_bodies(
                           view(), adjacency,
                           {.first = static_cast<int>(first), .count = static_cast<int>(last - first)},
                           x.data(), u.data());
                   });
}

/// Of the assembled matrix.
double PackedProblem::row_product(int row, View x) const {
    double sum = 0.0;
    for (std::int64_t k = matrix_->start[row]; k < matrix_->start[row + 1]; ++k) {
        sum += matrix_->value[k] * x[matrix_->column[k]];
    }
    return sum;
}

void PackedProblem::respond(View u, View x, MutableView y) const {
    if (!matrix_) {
        const auto gather_cells = [&](CellRange cells) {
            for_each_chunk(cells.count, [&](std::size_t, std::size_t first, std::size_t last) {
                CellRange some = cells;
                some.first += static_cast<int>(first);
                some.count = static_cast<int>(last - first);
                kernels().gather(view(), some, u.data(), x.data(), y.data());
            });
        };
        for_each_part(gather_cells, [&](const Run& run) {
            for_each_piece_of(run, Direction::forward, [&](const BatchPlan::Piece& piece) {
                kernels().gather_batches(view(), batches_of(piece), u.data(), x.data(), y.data());
                kernels().gather(view(), singles_of(piece), u.data(), x.data(), y.data());
            });
        });
        return;
    }
    for_each_chunk(cells_.size(), [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t n = first; n < last; ++n) {
            double* yn = y.data() + cells_[n].first_row;
            std::fill_n(yn, cells_[n].rows, 0.0);
            const MatrixPanel panel = panels_[n];
            if (panel.rows > 0) {
                kernels().add_panel(panel, x.data(), yn);
            } else {
                for (int i = 0; i < cells_[n].rows; ++i) yn[i] = row_product(cells_[n].first_row + i, x);
            }
        }
    });
}

void PackedProblem::multiply(View x, MutableView y) const {
    carry(x, scratch_u_);
    respond(scratch_u_, x, y);
}

void PackedProblem::multiply_symmetric(View x, MutableView y) const {
    multiply(x, y);
    if (symmetric_) return;
    for (double& value : y) value *= 0.5;
    for (std::size_t i = 0; i < rows(); ++i) {
        for (std::int64_t k = matrix_->start[i]; k < matrix_->start[i + 1]; ++k) {
            y[matrix_->column[k]] += 0.5 * matrix_->value[k] * x[i];
        }
    }
}

/// Null in the assembled form, which has none.
const double* PackedProblem::rows_of(const Run& run, const Cell& cell) const {
    if (matrix_) return nullptr;
    return g_.data() + row_width * static_cast<std::size_t>(cell.first_row - run.rows_elsewhere);
}

void PackedProblem::sweep(double omega, Direction direction, MutableView x, MutableView u) const {
    const bool forward = direction == Direction::forward;
    const int stride = forward ? 1 : -1;
    const auto sweep_piece = [&](const BatchPlan::Piece& piece) {
        if (forward) kernels().sweep_batches(view(), batches_of(piece, stride), omega, x.data(), u.data());
        kernels().sweep_contacts(view(), singles_of(piece, stride), omega, x.data(), u.data());
        if (!forward) kernels().sweep_batches(view(), batches_of(piece, stride), omega, x.data(), u.data());
    };
    const auto count = static_cast<int>(runs_.size());
    for (int r = 0; r < count; ++r) {
        const Run& run = runs_[forward ? r : count - 1 - r];
        const CellRange range{
            .first = run.first, .count = run.count, .stride = stride, .rows_elsewhere = run.rows_elsewhere};
        if (!matrix_ && run.kind == CellKind::scalar) {
            kernels().sweep_scalars(view(), range, omega, x.data(), u.data());
        } else if (run.stages > 0) {
            for_each_piece_of(run, direction, sweep_piece);
        } else if (run.are_panels) {
            kernels().sweep_panels(view(), range, omega, x.data());
        } else if (!matrix_ && run.kind == CellKind::contact) {
            kernels().sweep_contacts(view(), range, omega, x.data(), u.data());
        } else {
            for (int k = 0; k < run.count; ++k) {
                const Cell& cell = cells_[run.first + (forward ? k : run.count - 1 - k)];
                sweep_cell(cell, rows_of(run, cell), omega, x, u);
            }
        }
    }
}

bool PackedProblem::state_is_stale(std::int64_t sweeps) {
    constexpr std::int64_t trusted = 30;
    if (sweeps < fresh_at_ + trusted) return false;
    fresh_at_ = sweeps;
    return true;
}

std::size_t PackedProblem::bytes_per_sweep() const {
    const std::size_t batch = view().slim_batches != nullptr ? sizeof(SlimBatch) : sizeof(ContactBatch);
    std::size_t bytes = (rows() + state_size_ + batch_c_.size()) * sizeof(double) + batches_.size() * batch;
    const auto add_cell = [&](const Cell& cell) {
        bytes += sizeof(Cell) + cell.rows * (row_width + 1 + (c_.empty() ? 0 : 1)) * sizeof(double);
    };
    for (const Run& run : runs_) {
        if (run.stages > 0) continue;
        for (int k = run.first; k < run.first + run.count; ++k) add_cell(cells_[k]);
    }
    for (const int k : plan_.singles()) add_cell(cells_[k]);
    return bytes;
}

void PackedProblem::sweep_cell(const Cell& cell, const double* g, double omega, MutableView x,
                               MutableView u) const {
    if (cell.kind == CellKind::scalar) {
        sweep_scalar(cell, g, omega, x, u);
    } else if (cell.kind == CellKind::box) {
        sweep_box(cell, g, omega, x, u);
    } else {
        sweep_cone(cell, g, omega, x, u);
    }
}

// w = A x + q in one row, for the loops outside the kernels
double PackedProblem::row_velocity(const Cell& cell, int row, const double* g, View u, View x) const {
    if (matrix_) return q_[row] + row_product(row, x);
    double w = q_[row];
    g += row_width * (row - cell.first_row);
    const double* ua = u.data() + state_width * static_cast<std::size_t>(cell.slot_a);
    const double* ub = u.data() + state_width * static_cast<std::size_t>(cell.slot_b);
    for (int k = 0; k < 6; ++k) w += g[k] * ua[k] + g[6 + k] * ub[k];
    return c_.empty() ? w : w + c_[row] * x[row];
}

// u += G_i^T change, g being the cell's rows of G
void PackedProblem::push(const Cell& cell, int row, const double* g, double change, MutableView u) const {
    if (matrix_) return;
    g += row_width * (row - cell.first_row);
    double* ua = u.data() + state_width * static_cast<std::size_t>(cell.slot_a);
    double* ub = u.data() + state_width * static_cast<std::size_t>(cell.slot_b);
    for (int k = 0; k < 6; ++k) {
        ua[k] += g[k] * change;
        ub[k] += g[6 + k] * change;
    }
}

void PackedProblem::sweep_scalar(const Cell& cell, const double* g, double omega, MutableView x,
                                 MutableView u) const {
    const int i = cell.first_row;
    const double after =
        std::clamp(x[i] - omega * cell.step * row_velocity(cell, i, g, u, x), cell.lower, cell.upper);
    push(cell, i, g, after - x[i], u);
    x[i] = after;
}

// [gauss-seidel-notes, eq. 36]: the normal first, then each tangent clamped with the normal just found.
void PackedProblem::sweep_box(const Cell& cell, const double* g, double omega, MutableView x,
                              MutableView u) const {
    for (int i = cell.first_row; i < cell.first_row + cell.rows; ++i) {
        const double bound = cell.mu * x[cell.first_row];
        const double lower = i == cell.first_row ? 0.0 : -bound;
        const double upper = i == cell.first_row ? infinity : bound;
        const double after =
            std::clamp(x[i] - omega / metric_[i] * row_velocity(cell, i, g, u, x), lower, upper);
        push(cell, i, g, after - x[i], u);
        x[i] = after;
    }
}

// w = A x + q in the rows of a cell
void PackedProblem::cell_velocity(const Cell& cell, const double* g, View u, View x, double* w) const {
    const MatrixPanel panel = matrix_ ? panels_[&cell - cells_.data()] : MatrixPanel{};
    if (panel.rows == 0) {
        for (int i = 0; i < cell.rows; ++i) w[i] = row_velocity(cell, cell.first_row + i, g, u, x);
        return;
    }
    std::copy_n(q_.begin() + cell.first_row, cell.rows, w);
    kernels().add_panel(panel, x.data(), w);
}

void PackedProblem::sweep_cone(const Cell& cell, const double* g, double omega, MutableView x,
                               MutableView u) const {
    Rows w{};
    Rows z{};
    const std::size_t n = cell.rows;
    const View metric = View(metric_).subspan(cell.first_row, n);
    cell_velocity(cell, g, u, x, w.data());
    if (takes_term(cell)) correct_velocity(cell, std::span(w).first(n));
    for (std::size_t i = 0; i < n; ++i) {
        const double own = i == 0 ? cell.spread : metric[0] / metric[i];
        z[i] = x[cell.first_row + i] - omega * cell.step * own * w[i];
    }
    if (n == 2) {
        project_flat_cone(cell.mu, lean_of(cell), z[0], z[1]);
    } else if (n == 3) {
        project_cone(cell.mu, lean_of(cell), z[0], z[1], z[2]);
    } else {
        project_cell(cell, 0.0, std::span(z).first(n), metric);
    }
    for (std::size_t i = 0; i < n; ++i) {
        const int row = cell.first_row + static_cast<int>(i);
        push(cell, row, g, z[i] - x[row], u);
        x[row] = z[i];
    }
}

void PackedProblem::correct_velocity(const Cell& cell, std::span<double> w) const {
    if (cell.exact == 0) return;
    if (cell.kind == CellKind::contact) {
        w[0] += cell.mu * std::sqrt(w[1] * w[1] + w[2] * w[2]);
    } else {
        add_de_saxce_term(cones_[cell.extra], w);
    }
}

void PackedProblem::project_cell(const Cell& cell, double box_bound, std::span<double> z, View metric) const {
    switch (cell.kind) {
        case CellKind::scalar:
            z[0] = std::clamp(z[0], cell.lower, cell.upper);
            break;
        case CellKind::contact:
            project_cone(cell.mu, cell.mu * (metric[1] / metric[0]), z[0], z[1], z[2]);
            break;
        case CellKind::cone:
            uptack::project(cones_[cell.extra], z, metric);
            break;
        case CellKind::box:
            z[0] = std::max(0.0, z[0]);
            for (double& t : z.subspan(1)) t = std::clamp(t, -box_bound, box_bound);
            break;
    }
}

/// on_contacts(cells) for as many fours of consecutive contacts as there are among cells first .. last - 1,
/// and on_cell(cell) for the others.
template <class Contacts, class One>
void PackedProblem::by_fours(std::size_t first, std::size_t last, const Contacts& on_contacts,
                             const One& on_cell) const {
    for (std::size_t k = first; k < last;) {
        std::size_t end = k;
        while (end < last && cells_[end].kind == CellKind::contact) ++end;
        const std::size_t fours = (end - k) / 4 * 4;
        if (fours > 0) on_contacts(std::span(cells_).subspan(k, fours));
        end = std::max(end, k + 1);
        for (k += fours; k < end; ++k) on_cell(cells_[k]);
    }
}

ContactLoop PackedProblem::loop_over(std::span<const Cell> contacts, View metric, Terms terms,
                                     const Point& at) const {
    return {.cells = contacts.data(),
            .count = static_cast<int>(contacts.size()),
            .x = at.x.data(),
            .y = at.y.data(),
            .q = at.linear.data(),
            .metric = metric.data(),
            .plain = metric.data() == metric_.data(),
            .exact = terms == Terms::present};
}

void PackedProblem::fixed_point_step(View x, View y, double alpha, View metric, MutableView z) const {
    step(Terms::present, {.x = x, .y = y, .linear = q_}, alpha, metric, z);
}

void PackedProblem::gradient_step(View x, View y, double alpha, View metric, MutableView z) const {
    step(Terms::frozen, {.x = x, .y = y, .linear = frozen_linear_term()}, alpha, metric, z);
}

void PackedProblem::step(Terms terms, const Point& at, double alpha, View metric, MutableView z) const {
    const bool frozen = terms == Terms::frozen;
    const auto one_cell = [&](const Cell& cell) {
        Rows w{};
        const std::size_t n = cell.rows;
        const std::size_t i0 = cell.first_row;
        for (std::size_t i = 0; i < n; ++i) w[i] = at.y[i0 + i] + at.linear[i0 + i];
        if (!frozen) correct_velocity(cell, std::span(w).first(n));
        for (std::size_t i = 0; i < n; ++i) z[i0 + i] = at.x[i0 + i] - alpha * w[i] / metric[i0 + i];
        double bound = 0.0;
        if (cell.kind == CellKind::box)
            bound = frozen ? frozen_bounds_[cell.extra] : cell.mu * std::max(0.0, z[i0]);
        project_cell(cell, bound, z.subspan(i0, n), metric.subspan(i0, n));
    };
    const auto contacts = [&](std::span<const Cell> cells) {
        kernels().step_contacts(loop_over(cells, metric, terms, at), alpha, z.data());
    };
    for_each_chunk(cells_.size(), [&](std::size_t, std::size_t first, std::size_t last) {
        by_fours(first, last, contacts, one_cell);
    });
}

void PackedProblem::project(MutableView x) const {
    const auto one_cell = [&](const Cell& cell) {
        const std::size_t i0 = cell.first_row;
        const double bound = cell.kind == CellKind::box ? cell.mu * std::max(0.0, x[i0]) : 0.0;
        project_cell(cell, bound, x.subspan(i0, cell.rows), View(metric_).subspan(i0, cell.rows));
    };
    const auto contacts = [&](std::span<const Cell> cells) {
        kernels().project_contacts(loop_over(cells, metric_, Terms::present, {}), x.data());
    };
    for_each_chunk(
        cells_.size(),
        [&](std::size_t, std::size_t first, std::size_t last) { by_fours(first, last, contacts, one_cell); },
        cells_grain);
}

void PackedProblem::freeze(View x) {
    if (convex_) return;
    p_.resize(rows());
    multiply(x, p_);
    if (!symmetric_) {
        scratch_y_.resize(rows());
        multiply_symmetric(x, scratch_y_);
    }
    const auto some_cells = [&](std::size_t, std::size_t first, std::size_t last) {
        for (const Cell& cell : std::span(cells_).subspan(first, last - first)) {
            Rows w{};
            const std::size_t n = cell.rows;
            const std::size_t i0 = cell.first_row;
            for (std::size_t i = 0; i < n; ++i) w[i] = p_[i0 + i] + q_[i0 + i];
            const double before = w[0];
            correct_velocity(cell, std::span(w).first(n));
            if (cell.kind == CellKind::box) frozen_bounds_[cell.extra] = cell.mu * std::max(0.0, x[i0]);
            for (std::size_t i = 0; i < n; ++i) {
                const double skew = symmetric_ ? 0.0 : p_[i0 + i] - scratch_y_[i0 + i];
                p_[i0 + i] = q_[i0 + i] + skew;
            }
            p_[i0] += w[0] - before;
        }
    };
    for_each_chunk(cells_.size(), some_cells, cells_grain);
}

/// Of 1/2 a |x - proj(x - w / a)|^2.
double PackedProblem::cell_energy(Terms terms, const Cell& cell, const Point& at) const {
    Rows x{};
    Rows w{};
    Rows z{};
    const std::size_t n = cell.rows;
    const std::size_t i0 = cell.first_row;
    for (std::size_t i = 0; i < n; ++i) {
        if (!at.x.empty()) x[i] = at.x[i0 + i];
        w[i] = at.y.empty() ? at.linear[i0 + i] : at.y[i0 + i] + at.linear[i0 + i];
    }
    if (terms == Terms::present) correct_velocity(cell, std::span(w).first(n));
    double bound = 0.0;
    if (cell.kind == CellKind::box)
        bound = terms == Terms::frozen ? frozen_bounds_[cell.extra] : cell.mu * std::max(0.0, x[0]);
    for (std::size_t i = 0; i < n; ++i) z[i] = x[i] - w[i] / metric_[i0 + i];
    const Rows before = z;
    project_cell(cell, bound, std::span(z).first(n), View(metric_).subspan(i0, n));
    double energy = 0.0;
    for (std::size_t i = 0; i < n; ++i) {  // w / a must not vanish in the round-off of a large x
        const double r = z[i] == before[i] ? w[i] / metric_[i0 + i] : x[i] - z[i];
        energy += 0.5 * metric_[i0 + i] * r * r;
    }
    return energy;
}

double PackedProblem::energy(Terms terms, const Point& at) const {
    const auto some_cells = [&](std::size_t first, std::size_t last) {
        double sum = 0.0;
        const auto contacts = [&](std::span<const Cell> cells) {
            sum += kernels().energy_of_contacts(loop_over(cells, metric_, terms, at));
        };
        by_fours(first, last, contacts, [&](const Cell& cell) { sum += cell_energy(terms, cell, at); });
        return sum;
    };
    return sum_over_chunks(cells_.size(), some_cells, cells_grain);
}

double PackedProblem::energy_error(View x, View y) const {
    return energy(Terms::present, {.x = x, .y = y, .linear = q_});
}

double PackedProblem::frozen_energy_error(View x, View y) const {
    return energy(Terms::frozen, {.x = x, .y = y, .linear = frozen_linear_term()});
}

double PackedProblem::reference_energy() const {
    return energy(Terms::present, {.linear = q_});
}

}  // namespace uptack

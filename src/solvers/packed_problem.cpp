#include "packed_problem.h"

#include <algorithm>
#include <cmath>

#include "kernels/cone_projection.h"
#include "linalg/parallel.h"

namespace uptack {
namespace {

/// Up to six rows on the stack.
using Rows = std::array<double, max_block_rows>;

}  // namespace

PackedView PackedProblem::view() const {
    return {.cells = cells_.data(),
            .g = g_.data(),
            .q = q_.data(),
            .c = c_.empty() ? nullptr : c_.data(),
            .batches = batches_.data(),
            .batch_c = c_.empty() ? nullptr : batch_c_.data(),
            .exact_batches = exact_batches_};
}

FrictionCone PackedProblem::cone_of(const Cell& cell) const {
    if (cell.kind == CellKind::cone) return cones_[cell.extra];
    return {.mu = cell.mu, .model = cell.exact != 0 ? FrictionModel::exact : FrictionModel::convex};
}

void PackedProblem::carry(View x, MutableView u) const {
    std::fill(u.begin(), u.end(), 0.0);
    if (matrix_) return;
    if (adjacency_start_.empty()) {
        kernels().scatter(view(), {.count = static_cast<int>(cells_.size())}, x.data(), u.data());
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

void PackedProblem::respond(View u, View x, MutableView y) const {
    if (!matrix_) {
        for_each_chunk(cells_.size(), [&](std::size_t, std::size_t first, std::size_t last) {
            kernels().gather(view(),
                             {.first = static_cast<int>(first), .count = static_cast<int>(last - first)},
                             u.data(), x.data(), y.data());
        });
        return;
    }
    for_each_chunk(rows(), [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            double sum = 0.0;
            for (std::int64_t k = matrix_->start[i]; k < matrix_->start[i + 1]; ++k) {
                sum += matrix_->value[k] * x[matrix_->column[k]];
            }
            y[i] = sum;
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

void PackedProblem::sweep(double omega, Direction direction, MutableView x, MutableView u) const {
    const bool forward = direction == Direction::forward;
    const auto count = static_cast<int>(runs_.size());
    for (int r = 0; r < count; ++r) {
        const Run& run = runs_[forward ? r : count - 1 - r];
        const CellRange range{.first = run.first, .count = run.count, .stride = forward ? 1 : -1};
        if (!matrix_ && run.kind == CellKind::scalar) {
            kernels().sweep_scalars(view(), range, omega, x.data(), u.data());
        } else if (run.stages > 0) {
            sweep_stages(run, omega, direction, x, u);
        } else if (!matrix_ && run.kind == CellKind::contact) {
            kernels().sweep_contacts(view(), range, omega, x.data(), u.data());
        } else {
            for (int k = 0; k < run.count; ++k) {
                sweep_cell(cells_[run.first + (forward ? k : run.count - 1 - k)], omega, x, u);
            }
        }
    }
}

void PackedProblem::sweep_stages(const Run& run, double omega, Direction direction, MutableView x,
                                 MutableView u) const {
    const bool forward = direction == Direction::forward;
    const int stride = forward ? 1 : -1;
    const auto sweep_piece = [&](int p) {
        const BatchPlan::Piece& piece = plan_.pieces()[p];
        const CellRange batches{.first = piece.first_batch, .count = piece.batches, .stride = stride};
        const CellRange singles{.first = piece.first_single,
                                .count = piece.singles,
                                .stride = stride,
                                .order = plan_.singles().data()};
        if (forward) kernels().sweep_batches(view(), batches, omega, x.data(), u.data());
        kernels().sweep_contacts(view(), singles, omega, x.data(), u.data());
        if (!forward) kernels().sweep_batches(view(), batches, omega, x.data(), u.data());
    };
    for (int s = 0; s < run.stages; ++s) {
        const BatchPlan::Stage& stage = plan_.stages()[run.first_stage + (forward ? s : run.stages - 1 - s)];
        if (stage.pieces == 1) {
            sweep_piece(stage.first_piece);
        } else {
            on_several_threads(
                stage.pieces, [&](std::size_t p) { sweep_piece(stage.first_piece + static_cast<int>(p)); },
                Pieces::stay);
        }
    }
}

std::size_t PackedProblem::bytes_per_sweep() const {
    std::size_t bytes = (rows() + state_size_) * sizeof(double) + batches_.size() * sizeof(ContactBatch) +
                        batch_c_.size() * sizeof(double);
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

void PackedProblem::sweep_cell(const Cell& cell, double omega, MutableView x, MutableView u) const {
    if (cell.kind == CellKind::scalar) {
        sweep_scalar(cell, omega, x, u);
    } else if (cell.kind == CellKind::box) {
        sweep_box(cell, omega, x, u);
    } else {
        sweep_cone(cell, omega, x, u);
    }
}

// w = A x + q in one row, for the loops outside the kernels
double PackedProblem::row_velocity(const Cell& cell, int row, View u, View x) const {
    double w = q_[row];
    if (matrix_) {
        for (std::int64_t k = matrix_->start[row]; k < matrix_->start[row + 1]; ++k) {
            w += matrix_->value[k] * x[matrix_->column[k]];
        }
        return w;
    }
    const double* g = g_.data() + row_width * static_cast<std::size_t>(row);
    const double* ua = u.data() + state_width * static_cast<std::size_t>(cell.slot_a);
    const double* ub = u.data() + state_width * static_cast<std::size_t>(cell.slot_b);
    for (int k = 0; k < 6; ++k) w += g[k] * ua[k] + g[6 + k] * ub[k];
    return c_.empty() ? w : w + c_[row] * x[row];
}

void PackedProblem::push(const Cell& cell, int row, double change, MutableView u) const {
    if (matrix_) return;
    const double* g = g_.data() + row_width * static_cast<std::size_t>(row);
    double* ua = u.data() + state_width * static_cast<std::size_t>(cell.slot_a);
    double* ub = u.data() + state_width * static_cast<std::size_t>(cell.slot_b);
    for (int k = 0; k < 6; ++k) {
        ua[k] += g[k] * change;
        ub[k] += g[6 + k] * change;
    }
}

void PackedProblem::sweep_scalar(const Cell& cell, double omega, MutableView x, MutableView u) const {
    const int i = cell.first_row;
    const double after =
        std::clamp(x[i] - omega * cell.step * row_velocity(cell, i, u, x), cell.lower, cell.upper);
    push(cell, i, after - x[i], u);
    x[i] = after;
}

// [gauss-seidel-notes, eq. 36]: the normal first, then each tangent clamped with the normal just found.
void PackedProblem::sweep_box(const Cell& cell, double omega, MutableView x, MutableView u) const {
    for (int i = cell.first_row; i < cell.first_row + cell.rows; ++i) {
        const double bound = cell.mu * x[cell.first_row];
        const double lower = i == cell.first_row ? 0.0 : -bound;
        const double upper = i == cell.first_row ? infinity : bound;
        const double after =
            std::clamp(x[i] - omega / metric_[i] * row_velocity(cell, i, u, x), lower, upper);
        push(cell, i, after - x[i], u);
        x[i] = after;
    }
}

void PackedProblem::sweep_cone(const Cell& cell, double omega, MutableView x, MutableView u) const {
    Rows w{};
    Rows z{};
    const std::size_t n = cell.rows;
    const View metric = View(metric_).subspan(cell.first_row, n);
    for (std::size_t i = 0; i < n; ++i) w[i] = row_velocity(cell, cell.first_row + static_cast<int>(i), u, x);
    correct_velocity(cell, std::span(w).first(n));
    for (std::size_t i = 0; i < n; ++i) {
        z[i] = x[cell.first_row + i] - omega * cell.step * metric[0] / metric[i] * w[i];
    }
    project_cell(cell, 0.0, std::span(z).first(n), metric);
    for (std::size_t i = 0; i < n; ++i) {
        const int row = cell.first_row + static_cast<int>(i);
        push(cell, row, z[i] - x[row], u);
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
            if (metric[0] == metric[1]) {
                project_cone(cell.mu, z[0], z[1], z[2]);
            } else {  // in y = sqrt(d) x the metric is plain and the cone has another opening
                const double stretch = std::sqrt(metric[1] / metric[0]);
                z[1] *= stretch;
                z[2] *= stretch;
                project_cone(cell.mu * stretch, z[0], z[1], z[2]);
                z[1] /= stretch;
                z[2] /= stretch;
            }
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

void PackedProblem::fixed_point_step(View x, View y, double alpha, View metric, MutableView z) const {
    for_each_chunk(cells_.size(), [&](std::size_t, std::size_t first, std::size_t last) {
        for (const Cell& cell : std::span(cells_).subspan(first, last - first)) {
            Rows w{};
            const std::size_t n = cell.rows;
            const std::size_t i0 = cell.first_row;
            for (std::size_t i = 0; i < n; ++i) w[i] = y[i0 + i] + q_[i0 + i];
            correct_velocity(cell, std::span(w).first(n));
            for (std::size_t i = 0; i < n; ++i) z[i0 + i] = x[i0 + i] - alpha * w[i] / metric[i0 + i];
            const double bound = cell.kind == CellKind::box ? cell.mu * std::max(0.0, z[i0]) : 0.0;
            project_cell(cell, bound, z.subspan(i0, n), metric.subspan(i0, n));
        }
    });
}

void PackedProblem::gradient_step(View x, View y, double alpha, View metric, MutableView z) const {
    const View p = frozen_linear_term();
    for_each_chunk(cells_.size(), [&](std::size_t, std::size_t first, std::size_t last) {
        for (const Cell& cell : std::span(cells_).subspan(first, last - first)) {
            const std::size_t n = cell.rows;
            const std::size_t i0 = cell.first_row;
            for (std::size_t i = i0; i < i0 + n; ++i) z[i] = x[i] - alpha * (y[i] + p[i]) / metric[i];
            const double bound = cell.kind == CellKind::box ? frozen_bounds_[cell.extra] : 0.0;
            project_cell(cell, bound, z.subspan(i0, n), metric.subspan(i0, n));
        }
    });
}

void PackedProblem::project(MutableView x) const {
    for (const Cell& cell : cells_) {
        const std::size_t i0 = cell.first_row;
        const double bound = cell.kind == CellKind::box ? cell.mu * std::max(0.0, x[i0]) : 0.0;
        project_cell(cell, bound, x.subspan(i0, cell.rows), View(metric_).subspan(i0, cell.rows));
    }
}

void PackedProblem::freeze(View x) {
    if (convex_) return;
    multiply(x, p_);
    if (!symmetric_) multiply_symmetric(x, scratch_y_);
    for (const Cell& cell : cells_) {
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
}

/// Sum over cells of 1/2 a |x - proj(x - w / a)|^2.
template <class Velocity, class Bound>
double PackedProblem::measure(Velocity velocity, Bound bound, View x) const {
    return sum_over_chunks(cells_.size(), [&](std::size_t first, std::size_t last) {
        double energy = 0.0;
        for (const Cell& cell : std::span(cells_).subspan(first, last - first)) {
            Rows w{};
            Rows z{};
            const std::size_t n = cell.rows;
            const std::size_t i0 = cell.first_row;
            velocity(cell, std::span(w).first(n));
            for (std::size_t i = 0; i < n; ++i) z[i] = x[i0 + i] - w[i] / metric_[i0 + i];
            const Rows before = z;
            project_cell(cell, bound(cell), std::span(z).first(n), View(metric_).subspan(i0, n));
            for (std::size_t i = 0; i < n; ++i) {  // w / a must not vanish in the round-off of a large x
                const double r = z[i] == before[i] ? w[i] / metric_[i0 + i] : x[i0 + i] - z[i];
                energy += 0.5 * metric_[i0 + i] * r * r;
            }
        }
        return energy;
    });
}

double PackedProblem::energy_error(View x, View y) const {
    return measure(
        [&](const Cell& cell, std::span<double> w) {
            for (std::size_t i = 0; i < w.size(); ++i) w[i] = y[cell.first_row + i] + q_[cell.first_row + i];
            correct_velocity(cell, w);
        },
        [&](const Cell& cell) {
            return cell.kind == CellKind::box ? cell.mu * std::max(0.0, x[cell.first_row]) : 0.0;
        },
        x);
}

double PackedProblem::frozen_energy_error(View x, View y) const {
    const View p = frozen_linear_term();
    return measure(
        [&](const Cell& cell, std::span<double> w) {
            for (std::size_t i = 0; i < w.size(); ++i) w[i] = y[cell.first_row + i] + p[cell.first_row + i];
        },
        [&](const Cell& cell) { return cell.kind == CellKind::box ? frozen_bounds_[cell.extra] : 0.0; }, x);
}

double PackedProblem::reference_energy() const {
    double energy = 0.0;
    for (const Cell& cell : cells_) {
        Rows z{};
        const std::size_t n = cell.rows;
        const std::size_t i0 = cell.first_row;
        for (std::size_t i = 0; i < n; ++i) z[i] = q_[i0 + i];
        correct_velocity(cell, std::span(z).first(n));
        for (std::size_t i = 0; i < n; ++i) z[i] = -z[i] / metric_[i0 + i];
        project_cell(cell, 0.0, std::span(z).first(n), View(metric_).subspan(i0, n));
        for (std::size_t i = 0; i < n; ++i) energy += 0.5 * metric_[i0 + i] * z[i] * z[i];
    }
    return energy;
}

}  // namespace uptack

// Problem -> PackedProblem: factors, rows, cells, steps.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "largest_eigenvalue.h"
#include "linalg/parallel.h"
#include "linalg/room.h"
#include "packed_problem.h"
#include "uptack/error_metric.h"

namespace uptack {
namespace {

// Lower L with L L^T = S.  A zero pivot (a body that cannot turn about some axis) gives a zero column.  Where
// S is singular a pivot may be round-off, and other round-off divided by it would be anything.  So nothing is
// divided by a pivot below `least` (what that leaves out of S is at most 1e-11 of it), and no entry may be
// longer than what S leaves of its row.
Symmetric3 cholesky(const Symmetric3& s) {
    const auto [xx, yy, zz, xy, xz, yz] = s;
    const double least = 1e-11 * std::sqrt(std::max(0.0, xx + yy + zz));
    const auto root = [](double square) { return std::sqrt(std::max(0.0, square)); };
    const auto entry = [=](double value, double pivot, double left_of_row) {
        return pivot > least ? std::clamp(value / pivot, -root(left_of_row), root(left_of_row)) : 0.0;
    };
    const double l00 = root(xx);
    const double l10 = entry(xy, l00, yy);
    const double l20 = entry(xz, l00, zz);
    const double l11 = root(yy - l10 * l10);
    const double l21 = entry(yz - l20 * l10, l11, zz - l20 * l20);
    const double l22 = root(zz - l20 * l20 - l21 * l21);
    return {l00, l10, l11, l20, l21, l22};
}

// Rounding in the reduction of real files reaches 1e-12 of the largest entry, gyroscopic terms begin at 1e-7.
constexpr double symmetric_up_to = 1e-11;

/// `place`: room.
bool equals_transpose(const SparseMatrix& matrix, std::vector<std::int64_t>& place) {
    double largest = 0.0;
    for (const double value : matrix.value) largest = std::max(largest, std::abs(value));
    const double slack = symmetric_up_to * largest;
    // Rows are asked for their entries in column i in the order of i: each keeps its place.  Entries that are
    // passed by have no twin above the diagonal.
    place.assign(matrix.start.begin(), matrix.start.end() - 1);
    const auto lonely = [&](int row, int before) {
        std::int64_t& at = place[row];
        for (; at < matrix.start[row + 1] && matrix.column[at] < before; ++at) {
            if (std::abs(matrix.value[at]) > slack) return true;
        }
        return false;
    };
    for (int i = 0; i < matrix.rows(); ++i) {
        if (lonely(i, i)) return false;
        for (std::int64_t k = place[i]; k < matrix.start[i + 1]; ++k) {
            const int j = matrix.column[k];
            if (j == i) continue;
            if (lonely(j, i)) return false;
            std::int64_t& twin = place[j];
            const bool is_there = twin < matrix.start[j + 1] && matrix.column[twin] == i;
            const double other = is_there ? matrix.value[twin++] : 0.0;
            if (std::abs(matrix.value[k] - other) > slack) return false;
        }
    }
    return true;
}

/// Slots are those of the bodies; the world's, behind them, does not move.
bool is_movable(const Problem& problem, int slot) {
    return slot < static_cast<int>(problem.bodies.size()) &&
           (problem.bodies[slot].inverse_mass != 0.0 ||
            problem.bodies[slot].inverse_inertia_w != Symmetric3{});
}

constexpr int root_of_mass = 6;  // where it is in a body's slot, behind the six of L

/// Filling a cell takes some 100 ns: rows, metric, largest eigenvalue.
constexpr Grain fill_grain{.smallest_chunk = 256, .parallel_from = 2048};

}  // namespace

SlimBatch rounded(const ContactBatch& batch) {
    SlimBatch out;
    const auto round = [](const auto& from, auto& to) {
        const auto* first = reinterpret_cast<const double*>(&from);
        std::transform(first, first + sizeof from / sizeof(double), reinterpret_cast<float*>(&to),
                       [](double number) { return static_cast<float>(number); });
    };
    const auto copy = [](const auto& from, auto& to) { std::memcpy(&to, &from, sizeof to); };
    round(batch.frame, out.frame);
    round(batch.root, out.root);
    round(batch.turn, out.turn);
    round(batch.step, out.step);
    copy(batch.q, out.q);
    copy(batch.mu, out.mu);
    copy(batch.place, out.place);
    copy(batch.row, out.row);
    copy(batch.spread, out.spread);
    return out;
}

// 1. Which cells and runs there are   2. which of them go into batches   3. where rows stand   4. the numbers
void PackedProblem::pack(const Problem& problem, Use use) {
    reset(problem);
    if (!matrix_) factor_inertias(problem);
    list_cells(problem);
    if (matrix_) lay_out_panels();
    if (!matrix_ && use == Use::sweeps) {
        plan_batches(problem);
    } else {
        batches_.clear();
        slim_batches_.clear();
        single_g_.clear();
    }
    place_rows();
    place_bodies();
    fill_rows(problem);
    if (!matrix_ && batches_.empty() && single_g_.empty() && rows() >= parallel_threshold)
        build_adjacency(problem);
    scratch_u_.resize(state_size_, 0.0);
    convex_ = convex_ && symmetric_;
}

void PackedProblem::reset(const Problem& problem) {
    matrix_ = problem.matrix ? &*problem.matrix : nullptr;
    const std::size_t rows = problem.bias.size();
    cells_.clear();
    runs_.clear();
    cones_.clear();
    frozen_bounds_.clear();
    resize_anew(q_, rows);
    c_ = problem.compliance;
    resize_anew(metric_, rows);
    fresh_at_ = 0;
    reads_ = RowsAs::doubles;
    bodies_ = matrix_ ? 0 : problem.bodies.size();
    state_size_ = matrix_ ? 0 : state_width * (bodies_ + 1);
    scratch_u_.resize(state_size_);
    adjacency_start_.clear();
    adjacency_entry_.clear();
    convex_ = only_bilateral_ = positive_diagonal_ = true;
    symmetric_ = !matrix_ || equals_transpose(*matrix_, twins_);
}

// L of the inertia and the root of the inverse mass, needed only while packing: the scratch state lends its
// room.
void PackedProblem::factor_inertias(const Problem& problem) {
    const auto some_bodies = [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t b = first; b < last; ++b) {
            double* roots = scratch_u_.data() + state_width * b;
            const Symmetric3 turning = cholesky(problem.bodies[b].inverse_inertia_w);
            std::copy(turning.begin(), turning.end(), roots);
            roots[root_of_mass] = std::sqrt(problem.bodies[b].inverse_mass);
        }
    };
    for_each_chunk(problem.bodies.size(), some_bodies, blocks_grain);
}

void PackedProblem::list_cells(const Problem& problem) {
    resize_anew(cells_, problem.blocks.size());
    cells_.clear();
    for (const Block& block : problem.blocks) add_cells(problem, block);
}

void PackedProblem::lay_out_panels() {
    panels_.build(*matrix_, cells_);
    for (Run& run : runs_) {
        const auto panels = panels_.all().subspan(run.first, run.count);
        const bool are_cones = run.kind == CellKind::contact || run.kind == CellKind::cone;
        run.are_panels = are_cones && std::all_of(panels.begin(), panels.end(),
                                                  [](const MatrixPanel& panel) { return panel.rows > 0; });
    }
}

// All of them but their steps.
void PackedProblem::add_cells(const Problem& problem, const Block& block) {
    const int world = static_cast<int>(problem.bodies.size());
    Cell cell{};
    cell.slot_a = block.body_a == no_body ? world : block.body_a;
    cell.slot_b = block.body_b == no_body ? world : block.body_b;
    cell.first_row = block.first_row;
    cell.rows = static_cast<std::uint8_t>(block.rows);
    if (const auto* cone = std::get_if<FrictionCone>(&block.law)) {
        only_bilateral_ = false;
        cell.exact = cone->model == FrictionModel::exact && (cone->mu > 0.0 || block.rows > 3) ? 1 : 0;
        if (cell.exact != 0) convex_ = false;
        cell.kind = block.rows == 3 ? CellKind::contact : CellKind::cone;
        cell.mu = cone->mu;
        cell.extra = static_cast<std::int64_t>(cones_.size());
        if (cell.kind == CellKind::cone) cones_.push_back(*cone);
        add_cell(cell);
        return;
    }
    if (const auto* box = std::get_if<BoxFriction>(&block.law)) {
        convex_ = only_bilateral_ = false;
        cell.kind = CellKind::box;
        cell.mu = box->mu;
        cell.extra = static_cast<std::int64_t>(frozen_bounds_.size());
        frozen_bounds_.push_back(0.0);
        add_cell(cell);
        return;
    }
    Interval bounds;
    if (std::holds_alternative<Unilateral>(block.law)) bounds.lower = 0.0;
    if (const auto* interval = std::get_if<Interval>(&block.law)) bounds = *interval;
    if (bounds.lower > -infinity || bounds.upper < infinity) only_bilateral_ = false;
    cell.kind = CellKind::scalar;
    cell.rows = 1;
    cell.lower = bounds.lower;
    cell.upper = bounds.upper;
    for (int i = 0; i < block.rows; ++i) {
        cell.first_row = block.first_row + i;
        add_cell(cell);
    }
}

void PackedProblem::add_cell(const Cell& cell) {
    if (runs_.empty() || runs_.back().kind != cell.kind) {
        runs_.push_back({.kind = cell.kind, .first = static_cast<int>(cells_.size()), .count = 0});
    }
    ++runs_.back().count;
    cells_.push_back(cell);
}

// The linear parts of the rows on two bodies that move must be opposite; in a file they may be anything.
bool PackedProblem::fits_batch(const Problem& problem, const Cell& cell) const {
    const auto world = static_cast<int>(problem.bodies.size());
    if (cell.slot_a == cell.slot_b) return false;
    if (cell.slot_a == world || cell.slot_b == world) return true;
    for (int i = cell.first_row; i < cell.first_row + 3; ++i) {
        const JacobianRow& row = problem.jacobian[i];
        for (int k = 0; k < 3; ++k) {
            if (row.a[k] != -row.b[k]) return false;
        }
    }
    return true;
}

// A few contacts are as quick one by one; a plan of them would have hardly a full batch.
constexpr int fewest_batched = 64;

bool PackedProblem::is_planned(const Run& run) {
    return run.kind == CellKind::contact && run.count >= fewest_batched;
}

// contacts_ <- those of all runs that are planned, one after the other.  False: they are what they were.
bool PackedProblem::note_contacts(const Problem& problem) {
    std::size_t count = 0;
    for (const Run& run : runs_) count += is_planned(run) ? run.count : 0;
    const auto same = [](const Run& a, const Run& b) {
        return a.kind == b.kind && a.first == b.first && a.count == b.count;
    };
    std::atomic<bool> changed =
        planned_bodies_ != problem.bodies.size() ||
        !std::equal(runs_.begin(), runs_.end(), planned_.begin(), planned_.end(), same);
    contacts_.resize(count);
    const auto body_of = [&](int slot) { return is_movable(problem, slot) ? slot : BatchPlan::immovable; };
    std::size_t at = 0;
    for (const Run& run : runs_) {
        if (!is_planned(run)) continue;
        const auto some_cells = [&](std::size_t, std::size_t first, std::size_t last) {
            for (std::size_t k = first; k < last; ++k) {
                const Cell& cell = cells_[run.first + k];
                const BatchPlan::Contact contact{.body = {body_of(cell.slot_a), body_of(cell.slot_b)},
                                                 .alone = !fits_batch(problem, cell)};
                if (contact == contacts_[at + k]) continue;
                contacts_[at + k] = contact;
                changed.store(true, std::memory_order_relaxed);
            }
        };
        for_each_chunk(run.count, some_cells, blocks_grain);
        at += run.count;
    }
    return changed;
}

// While nothing touches anew and nothing parts, the plan stays.
void PackedProblem::plan_batches(const Problem& problem) {
    if (note_contacts(problem)) {
        plan_.clear(problem.bodies.size());
        std::size_t at = 0;
        for (Run& run : runs_) {
            if (!is_planned(run)) continue;
            run.first_stage = static_cast<int>(plan_.stages().size());
            run.stages = plan_.add(std::span(contacts_).subspan(at, run.count), run.first);
            at += run.count;
        }
        planned_ = runs_;
        planned_bodies_ = problem.bodies.size();
    }
    runs_ = planned_;
    constexpr std::size_t large = 100'000;
    if (contacts_.size() >= large) {  // memory comes first: planned anew next time, 2 % of a step
        std::vector<BatchPlan::Contact>().swap(contacts_);
        planned_bodies_ = 0;
    }
    resize_anew(batches_, plan_.lanes().size() / 4);
    // From here on a sweep waits for the memory, on whichever machine.
    constexpr std::size_t many = 50'000;  // batches
    resize_anew(slim_batches_, batches_.size() < many ? 0 : batches_.size());
    resize_anew(single_g_, 3 * row_width * plan_.singles().size());
    state_size_ += state_width * world_slots * plan_.pieces().size();
}

// Bodies stand in the state as a sweep meets them.  As the problem has them, a slab of a large heap would be
// a few from every page of the memory.
void PackedProblem::place_bodies() {
    place_of_.clear();
    if (batches_.size() < many_batches) return;
    constexpr int nowhere = -1;
    place_of_.assign(bodies_ + 1, nowhere);
    int next = 0;
    const auto meet = [&](const Cell& cell) {
        for (const int body : {cell.slot_a, cell.slot_b}) {
            if (place_of_[body] == nowhere) place_of_[body] = next++;
        }
    };
    place_of_[bodies_] = static_cast<int>(bodies_);  // the world
    for (const int k : plan_.lanes()) meet(cells_[k]);
    for (const Cell& cell : cells_) meet(cell);
    for (int& place : place_of_) place = place == nowhere ? next++ : place;
}

int PackedProblem::place_of(int slot) const {
    return static_cast<std::size_t>(slot) < place_of_.size() ? place_of_[slot] : slot;
}

void PackedProblem::place_rows() {
    int elsewhere = 0;
    for (Run& run : runs_) {
        run.rows_elsewhere = elsewhere;
        if (run.stages > 0) elsewhere += 3 * run.count;
    }
    resize_anew(g_, matrix_ ? 0 : (rows() - elsewhere) * row_width);
    resize_anew(batch_c_, c_.empty() ? 0 : 12 * batches_.size());
}

void PackedProblem::fill_rows(const Problem& problem) {
    Found found;
    for (const Run& run : runs_) {
        if (run.stages > 0) continue;
        const auto some_cells = [&](std::size_t, std::size_t first, std::size_t last) {
            for (Cell& cell : std::span(cells_).subspan(run.first + first, last - first)) {
                double* g = matrix_ ? nullptr : const_cast<double*>(rows_of(run, cell));
                fill_cell(problem, cell, g, found);
            }
        };
        for_each_chunk(run.count, some_cells, fill_grain);
    }
    if (!batches_.empty() || !single_g_.empty()) fill_batches(problem, found);
    for (Cell& cell : cells_) {
        if (place_of_.empty()) break;
        cell.slot_a = place_of(cell.slot_a);
        cell.slot_b = place_of(cell.slot_b);
    }
    positive_diagonal_ = !found.not_positive;
}

void PackedProblem::fill_batches(const Problem& problem, Found& found) {
    const std::span<const BatchPlan::Piece> pieces = plan_.pieces();
    const auto world = static_cast<int>(problem.bodies.size());
    const auto one_piece = [&](std::size_t p) {
        const BatchPlan::Piece& piece = pieces[p];
        for (int at = piece.first_batch; at < piece.first_batch + piece.batches; ++at) {
            // Neither neighbouring batches nor pieces share a slot: each would wait for the other's zeros.
            const int zero = world + 1 + world_slots * static_cast<int>(p) + at % world_slots;
            for (int lane = 0; lane < 4; ++lane) fill_lane(problem, {at, lane}, zero, found);
            if (!slim_batches_.empty()) slim_batches_[at] = rounded(batches_[at]);
        }
        for (int at = piece.first_single; at < piece.first_single + piece.singles; ++at) {
            Cell& cell = cells_[plan_.singles()[at]];
            fill_cell(problem, cell, single_g_.data() + static_cast<std::ptrdiff_t>(3 * row_width) * at,
                      found);
            for (int* slot : {&cell.slot_a, &cell.slot_b}) {
                if (!is_movable(problem, *slot)) *slot = world + 1 + world_slots * static_cast<int>(p);
            }
        }
    };
    // By stages, as they are swept: all pieces at once would give one thread the slabs and the other what is
    // between them.
    for (const BatchPlan::Stage& stage : plan_.stages()) {
        const auto nth = [&](std::size_t p) { one_piece(stage.first_piece + p); };
        on_several_threads(stage.pieces, nth, Pieces::stay);
    }
    any_takes_term_ = std::any_of(cells_.begin(), cells_.end(), takes_term);
}

void PackedProblem::fill_lane(const Problem& problem, BatchLane at, int zero_slot, Found& found) {
    const auto [index, lane] = at;
    const auto world = static_cast<int>(problem.bodies.size());
    ContactBatch& batch = batches_[index];
    Cell& cell = cells_[plan_.lanes()[4 * index + lane]];
    std::array<double, 3UL * row_width> rows;
    fill_cell(problem, cell, rows.data(), found);
    const std::array<int, 2> slots = {cell.slot_a, cell.slot_b};
    for (int side = 0; side < 2; ++side) {
        const bool movable = is_movable(problem, slots[side]);
        batch.place[side][lane] = state_width * (movable ? place_of(slots[side]) : zero_slot);
        batch.root[side][lane] = movable ? scratch_u_[state_width * slots[side] + root_of_mass] : 0.0;
    }
    for (int r = 0; r < 3; ++r) {
        const JacobianRow& jacobian = problem.jacobian[cell.first_row + r];
        const double* g = rows.data() + row_width * r;
        for (int k = 0; k < 3; ++k) {
            batch.frame[r][k][lane] = cell.slot_a == world ? -jacobian.b[k] : jacobian.a[k];
            batch.turn[0][r][k][lane] = g[3 + k];
            batch.turn[1][r][k][lane] = g[9 + k];
        }
        batch.q[r][lane] = q_[cell.first_row + r];
        if (!c_.empty()) batch_c_[12 * index + 4 * r + lane] = c_[cell.first_row + r];
    }
    batch.mu[lane] = cell.mu;
    batch.step[lane] = cell.step;
    batch.row[lane] = cell.first_row;
    const double leaning = cell.exact != 0 ? -cell.spread : cell.spread;
    batch.spread[lane] = takes_term(cell) ? 0.0F : static_cast<float>(leaning);
}

// One row of G = J L, and its q.
void PackedProblem::pack_row(const Problem& problem, const Cell& cell, int row, double* g) {
    const JacobianRow& jacobian = problem.jacobian[row];
    const auto world = static_cast<int>(problem.bodies.size());
    const auto side = [&](int slot, const Vec6& j, double* out) {
        if (slot == world) {
            std::fill(out, out + 6, 0.0);
            return;
        }
        const Body& body = problem.bodies[slot];
        const double* l =
            scratch_u_.data() + state_width * static_cast<std::size_t>(slot);  // 00 10 11 20 21 22
        for (int k = 0; k < 3; ++k) out[k] = j[k] * l[root_of_mass];
        out[3] = j[3] * l[0] + j[4] * l[1] + j[5] * l[3];
        out[4] = j[4] * l[2] + j[5] * l[4];
        out[5] = j[5] * l[5];
        q_[row] += dot(j, body.free_velocity);
    };
    side(cell.slot_a, jacobian.a, g);
    side(cell.slot_b, jacobian.b, g + 6);
}

void PackedProblem::renew_bias(const Problem& problem) {
    assert(batches_.empty() && !matrix_ && "packed for products");
    for (const Block& block : problem.blocks) {
        for (int row = block.first_row; row < block.first_row + block.rows; ++row) {
            const JacobianRow& j = problem.jacobian[row];
            double q = problem.bias[row];
            if (block.body_a != no_body) q += dot(j.a, problem.bodies[block.body_a].free_velocity);
            if (block.body_b != no_body) q += dot(j.b, problem.bodies[block.body_b].free_velocity);
            q_[row] = q;
        }
    }
}

// Its rows of G and q, metric and step.
void PackedProblem::fill_cell(const Problem& problem, Cell& cell, double* g, Found& found) {
    for (int i = 0; i < cell.rows; ++i) {
        const int row = cell.first_row + i;
        q_[row] = problem.bias[row];
        if (!matrix_) pack_row(problem, cell, row, g + row_width * i);
    }
    fill_metric(problem, cell, g, found);
}

// The metric and the step, both from the cell's diagonal block.
void PackedProblem::fill_metric(const Problem& problem, Cell& cell, const double* g, Found& found) {
    std::array<double, max_block_rows * max_block_rows> storage;
    const std::size_t n = cell.rows;
    const std::span<double> a = std::span(storage).first(n * n);
    cell_matrix(cell, g, a);
    const std::span<double> metric = std::span(metric_).subspan(cell.first_row, n);
    bool positive = true;
    for (std::size_t i = 0; i < n; ++i) {
        metric[i] = a[i * n + i];
        positive = positive && metric[i] > 0.0;
    }
    if (!positive) {
        found.not_positive.store(true, std::memory_order_relaxed);
        const auto after = std::upper_bound(problem.blocks.begin(), problem.blocks.end(), cell.first_row,
                                            [](int row, const Block& b) { return row < b.first_row; });
        const Block& block = *(after - 1);
        const auto fallback = effective_inverse_mass(problem, block);
        std::copy_n(fallback.begin() + (cell.first_row - block.first_row), n, metric.begin());
    } else if (cell.kind == CellKind::contact || cell.kind == CellKind::cone) {
        share_metric(cone_of(cell), metric);
    }
    cell.step = 1.0 / (metric[0] * largest_scaled_eigenvalue(a, metric));
    cell.spread = 1.0;
    if ((cell.kind == CellKind::contact || cell.kind == CellKind::cone) && n <= 3) set_spread(cell, a);
}

// The normals of round bodies pass through their centres: a_nn does not couple to the tangents, and is a part
// of their entries, 2/7 of them between solid spheres, so that their step is too short for it by far.  All
// the way to its own 1 / a_nn is too far, though (docs/decisions/026-steps-of-sweeps.md).
void PackedProblem::set_spread(Cell& cell, CellMatrix a) {
    const double of_the_way = cell.exact != 0 ? 0.4 : 0.25;  // further where nothing leans
    constexpr double slack = 1e-3;                           // of the tangents' entries
    const std::size_t n = cell.rows;
    const double tangent = a[n + 1];
    bool round = a[0] > 0.0 && a[0] < tangent;
    for (std::size_t i = 0; i < n; ++i) {
        if (i > 0) round = round && std::abs(a[i * n + i] - tangent) <= slack * tangent;
        for (std::size_t j = 0; j < i; ++j) round = round && std::abs(a[i * n + j]) <= slack * tangent;
    }
    const double own = 1.0 / (a[0] * cell.step);
    const double spread = round ? 1.0 + of_the_way * (own - 1.0) : 1.0;
    cell.spread = static_cast<double>(static_cast<float>(spread));  // as batches keep it
}

namespace {

// a += weight * G G^T, g being one side of n rows: loops whose length the compiler knows
template <std::size_t n>
void add_square(const double* g, double weight, std::span<double> a) {
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = 0.0;
            for (int k = 0; k < 6; ++k) sum += g[i * row_width + k] * g[j * row_width + k];
            a[i * n + j] += weight * sum;
            if (i != j) a[j * n + i] += weight * sum;
        }
    }
}

// a += weight * G_s G_s^T for one side s of a cell with these rows
void add_side(const double* rows, std::size_t n, int side, double weight, std::span<double> a) {
    constexpr std::array squares = {add_square<1>, add_square<2>, add_square<3>,
                                    add_square<4>, add_square<5>, add_square<6>};
    squares[n - 1](rows + static_cast<std::ptrdiff_t>(6) * side, weight, a);
}

}  // namespace

void PackedProblem::cell_matrix(const Cell& cell, const double* g, CellMatrix a) const {
    const int n = cell.rows;
    std::fill(a.begin(), a.end(), 0.0);
    if (!matrix_) {
        add_side(g, cell.rows, 0, 1.0, a);
        add_side(g, cell.rows, 1, 1.0, a);
        for (int i = 0; i < n && !c_.empty(); ++i) a[i * n + i] += c_[cell.first_row + i];
        return;
    }
    for (int i = 0; i < n; ++i) {
        const int row = cell.first_row + i;
        const auto columns = matrix_->column.begin();
        const auto end = columns + matrix_->start[row + 1];
        const auto own = std::lower_bound(columns + matrix_->start[row], end, cell.first_row);
        for (auto column = own; column != end && *column < cell.first_row + n; ++column) {
            const int j = *column - cell.first_row;
            const double half = 0.5 * matrix_->value[column - columns];  // of the symmetric part
            a[i * n + j] += half;
            a[j * n + i] += half;
        }
    }
}

void PackedProblem::build_adjacency(const Problem& problem) {
    const auto bodies = static_cast<int>(problem.bodies.size());
    adjacency_start_.assign(bodies + 1, 0);
    const auto for_each_side = [&](auto&& visit) {
        for (std::size_t k = 0; k < cells_.size(); ++k) {
            const auto entry = static_cast<int>(2 * k);
            if (cells_[k].slot_a != bodies) visit(cells_[k].slot_a, entry);
            if (cells_[k].slot_b != bodies) visit(cells_[k].slot_b, entry + 1);
        }
    };
    for_each_side([&](int body, int) { ++adjacency_start_[body + 1]; });
    for (int b = 0; b < bodies; ++b) adjacency_start_[b + 1] += adjacency_start_[b];
    adjacency_entry_.resize(adjacency_start_[bodies]);
    // Filling moves every start to its end; shifting back by one restores them without a second array.
    for_each_side([&](int body, int entry) { adjacency_entry_[adjacency_start_[body]++] = entry; });
    for (int b = bodies; b > 0; --b) adjacency_start_[b] = adjacency_start_[b - 1];
    adjacency_start_[0] = 0;
}

void PackedProblem::cone_metric(MutableView metric) const {
    std::copy(metric_.begin(), metric_.end(), metric.begin());
    std::array<double, max_block_rows * max_block_rows> storage;
    for (const Cell& cell : cells_) {
        if (cell.kind != CellKind::contact && cell.kind != CellKind::cone) continue;
        const int n = cell.rows;
        const std::span<double> a = std::span(storage).first(static_cast<std::size_t>(n) * n);
        cell_matrix(cell, matrix_ ? nullptr : row_of_g(cell.first_row), a);
        const int tangents = n == 2 ? 1 : 2;
        double mean = 0.0;
        for (int i = 1; i <= tangents; ++i) mean += a[i * n + i] / tangents;
        if (!(a[0] > 0.0) || !(mean > 0.0)) continue;
        metric[cell.first_row] = a[0];
        for (int i = 1; i <= tangents; ++i) metric[cell.first_row + i] = mean;
    }
}

// Largest sum of a row of |A| in the metric, over the cell's rows.
double PackedProblem::gershgorin_bound(const Cell& cell) const {
    double bound = 0.0;
    for (int row = cell.first_row; row < cell.first_row + cell.rows; ++row) {
        double sum = 0.0;
        for (std::int64_t k = matrix_->start[row]; k < matrix_->start[row + 1]; ++k) {
            sum += std::abs(matrix_->value[k]) / std::sqrt(metric_[row] * metric_[matrix_->column[k]]);
        }
        bound = std::max(bound, sum);
    }
    return bound;
}

// Body form: A = sum over bodies of G_b G_b^T, and G_b G_b^T <= n_b blockdiag(G_kb G_kb^T) when n_b cells
// touch the body (Cauchy-Schwarz); that is the mass-splitting bound.  Assembled: Gershgorin's rows.
void PackedProblem::safe_diagonal(MutableView diagonal) const {
    std::array<double, max_block_rows * max_block_rows> storage;
    const std::span<double> touching(scratch_u_);  // cells per body; the state is long enough to lend itself
    std::fill(touching.begin(), touching.end(), 0.0);
    for (const Cell& cell : cells_) {
        if (matrix_) break;
        touching[cell.slot_a] += 1.0;
        touching[cell.slot_b] += 1.0;
    }
    for (const Cell& cell : cells_) {
        const std::size_t n = cell.rows;
        const View metric = View(metric_).subspan(cell.first_row, n);
        double bound = 0.0;
        if (matrix_) {
            bound = gershgorin_bound(cell);
        } else {
            const std::span<double> a = std::span(storage).first(n * n);
            std::fill(a.begin(), a.end(), 0.0);
            const double* g = row_of_g(cell.first_row);
            add_side(g, n, 0, touching[cell.slot_a], a);
            add_side(g, n, 1, touching[cell.slot_b], a);
            for (std::size_t i = 0; i < n && !c_.empty(); ++i) a[i * n + i] += c_[cell.first_row + i];
            bound = largest_scaled_eigenvalue(a, metric);
        }
        for (std::size_t i = 0; i < n; ++i) diagonal[cell.first_row + i] = bound * metric[i];
    }
}

}  // namespace uptack

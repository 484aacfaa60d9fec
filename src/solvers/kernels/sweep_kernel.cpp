// The hot loops, compiled once per instruction set (cmake/kernels.cmake).
//
// Vectors are the compiler's own (vector_size): element-wise operations in a fixed order, so that SSE2, AVX2
// and plain scalar code give the same bits.  A row of G is read as 4 + 2 numbers per body.

#include "kernels/cone_projection.h"
#include "kernels/kernel_names.h"
#include "kernels/packed_view.h"

namespace uptack {
namespace {

// The attributes before the "=": behind it clang would take the alignment for a vector's own, and loads would
// fault.
using Two [[gnu::vector_size(16), gnu::aligned(8), gnu::may_alias]] = double;

UPTACK_INLINE const Two& two(const double* p) {
    return *reinterpret_cast<const Two*>(p);
}
UPTACK_INLINE Two& two(double* p) {
    return *reinterpret_cast<Two*>(p);
}

#ifdef __AVX__
using Four [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]] = double;

UPTACK_INLINE Four load_four(const double* p) {
    return *reinterpret_cast<const Four*>(p);
}
UPTACK_INLINE void store_four(double* p, Four value) {
    *reinterpret_cast<Four*>(p) = value;
}
UPTACK_INLINE Two add_halves(Four value) {
    return __builtin_shufflevector(value, value, 0, 1) + __builtin_shufflevector(value, value, 2, 3);
}
#else
/// Two halves by hand: left to itself the compiler sends 32-byte vectors through the stack here.
struct Four {
    Two low, high;
};
UPTACK_INLINE Four operator+(Four a, Four b) {
    return {a.low + b.low, a.high + b.high};
}
UPTACK_INLINE Four operator*(Four a, Four b) {
    return {a.low * b.low, a.high * b.high};
}
UPTACK_INLINE Four operator*(Four a, double b) {
    return {a.low * b, a.high * b};
}
UPTACK_INLINE Four load_four(const double* p) {
    return {two(p), two(p + 2)};
}
UPTACK_INLINE void store_four(double* p, Four value) {
    two(p) = value.low;
    two(p + 2) = value.high;
}
UPTACK_INLINE Two add_halves(Four value) {
    return value.low + value.high;
}
#endif

// G_i u
UPTACK_INLINE double row_velocity(const double* g, const double* ua, const double* ub) {
    const Four wide = load_four(g) * load_four(ua) + load_four(g + 6) * load_four(ub);
    const Two narrow = two(g + 4) * two(ua + 4) + two(g + 10) * two(ub + 4);
    const Two sum = add_halves(wide) + narrow;
    return sum[0] + sum[1];
}

// u += G_i^T d for one side of one row
UPTACK_INLINE void push(const double* g, double d, double* u) {
    store_four(u, load_four(u) + load_four(g) * d);
    two(u + 4) += two(g + 4) * d;
}

// u += G_k^T x for one side of a cell.  The rows are summed before u is touched, in the same order
// everywhere, so that adding cell by cell or body by body gives the same bits.
UPTACK_INLINE void push_cell(const double* g, const double* x, int rows, double* u) {
    Four wide = load_four(g) * x[0];
    Two narrow = two(g + 4) * x[0];
    for (int r = 1; r < rows; ++r) {
        wide = wide + load_four(g + r * row_width) * x[r];
        narrow += two(g + r * row_width + 4) * x[r];
    }
    store_four(u, load_four(u) + wide);
    two(u + 4) += narrow;
}

UPTACK_INLINE double clamp(double value, double lower, double upper) {
    const double above = value < lower ? lower : value;
    return above > upper ? upper : above;
}

struct Visit {
    const Cell& cell;
    const double* g;  // of its rows
};

UPTACK_INLINE Visit nth(const PackedView& view, CellRange range, int k) {
    const std::int64_t at = range.first + (range.stride > 0 ? k : range.count - 1 - k);
    if (range.order != nullptr) return {view.cells[range.order[at]], view.single_g + 3 * row_width * at};
    const Cell& cell = view.cells[at];
    return {cell, view.g + row_width * static_cast<std::int64_t>(cell.first_row - range.rows_elsewhere)};
}

// The bodies of a cell some visits ahead: they are scattered and the prefetcher cannot guess them.
UPTACK_INLINE void prefetch_bodies(const PackedView& view, CellRange range, int k, const double* u) {
    constexpr int ahead = 4;
    if (k + ahead >= range.count) return;
    const Cell& next = nth(view, range, k + ahead).cell;
    __builtin_prefetch(u + state_width * next.slot_a);
    __builtin_prefetch(u + state_width * next.slot_b);
}

// x_i <- clamp(x_i - omega / a_ii * w_i, l_i, u_i);  u <- u + G_i^T (change)
void sweep_scalars(const PackedView& view, CellRange range, double omega, double* x, double* u) {
    for (int k = 0; k < range.count; ++k) {
        prefetch_bodies(view, range, k, u);
        const auto [cell, g] = nth(view, range, k);
        const int i = cell.first_row;
        double* ua = u + state_width * cell.slot_a;
        double* ub = u + state_width * cell.slot_b;
        const double before = x[i];
        double w = row_velocity(g, ua, ub) + view.q[i];
        if (view.c != nullptr) w += view.c[i] * before;
        const double after = clamp(before - omega * cell.step * w, cell.lower, cell.upper);
        const double change = after - before;
        x[i] = after;
        push(g, change, ua);
        push(g + 6, change, ub);
    }
}

// x_k <- proj_K(x_k - omega step_k w_k), each row with its step;  u <- u + G_k^T (change)
void sweep_contacts(const PackedView& view, CellRange range, double omega, double* x, double* u) {
    for (int k = 0; k < range.count; ++k) {
        prefetch_bodies(view, range, k, u);
        const auto [cell, g] = nth(view, range, k);
        const int i = cell.first_row;
        double* ua = u + state_width * cell.slot_a;
        double* ub = u + state_width * cell.slot_b;
        double* xk = x + i;
        double w[3];
        for (int r = 0; r < 3; ++r) w[r] = row_velocity(g + r * row_width, ua, ub) + view.q[i + r];
        if (view.c != nullptr) {
            for (int r = 0; r < 3; ++r) w[r] += view.c[i + r] * xk[r];
        }
        if (takes_term(cell)) w[0] += cell.mu * __builtin_sqrt(w[1] * w[1] + w[2] * w[2]);
        const double step = omega * cell.step;
        double z[3] = {xk[0] - step * cell.spread * w[0], xk[1] - step * w[1], xk[2] - step * w[2]};
        project_cone(cell.mu, lean_of(cell), z[0], z[1], z[2]);
        const double change[3] = {z[0] - xk[0], z[1] - xk[1], z[2] - xk[2]};
        for (int r = 0; r < 3; ++r) xk[r] = z[r];
        push_cell(g, change, 3, ua);
        push_cell(g + 6, change, 3, ub);
    }
}

void scatter(const PackedView& view, CellRange range, const double* x, double* u) {
    for (int k = 0; k < range.count; ++k) {
        prefetch_bodies(view, range, k, u);
        const auto [cell, g] = nth(view, range, k);
        push_cell(g, x + cell.first_row, cell.rows, u + state_width * cell.slot_a);
        push_cell(g + 6, x + cell.first_row, cell.rows, u + state_width * cell.slot_b);
    }
}

void scatter_to_bodies(const PackedView& view, Adjacency adjacency, CellRange bodies, const double* x,
                       double* u) {
    for (int b = bodies.first; b < bodies.first + bodies.count; ++b) {
        double* ub = u + state_width * b;
        for (int e = adjacency.start[b]; e < adjacency.start[b + 1]; ++e) {
            const Cell& cell = view.cells[adjacency.entry[e] >> 1];
            const int side = adjacency.entry[e] & 1;
            const double* g = view.g + row_width * static_cast<std::int64_t>(cell.first_row) + 6 * side;
            push_cell(g, x + cell.first_row, cell.rows, ub);
        }
    }
}

// y = G u + C x
void gather(const PackedView& view, CellRange range, const double* u, const double* x, double* y) {
    for (int k = 0; k < range.count; ++k) {
        prefetch_bodies(view, range, k, u);
        const auto [cell, g] = nth(view, range, k);
        const double* ua = u + state_width * cell.slot_a;
        const double* ub = u + state_width * cell.slot_b;
        for (int r = 0; r < cell.rows; ++r) {
            const int i = cell.first_row + r;
            y[i] = row_velocity(g + row_width * r, ua, ub);
            if (view.c != nullptr) y[i] += view.c[i] * x[i];
        }
    }
}

}  // namespace

// batch_kernel.cpp
void UPTACK_SWEEP_BATCHES(const PackedView&, CellRange, double omega, double* x, double* u);
void UPTACK_SCATTER_BATCHES(const PackedView&, CellRange, const double* x, double* u);
void UPTACK_GATHER_BATCHES(const PackedView&, CellRange, const double* u, const double* x, double* y);

// cell_kernel.cpp
double UPTACK_ENERGY_OF_CONTACTS(const ContactLoop&);
void UPTACK_STEP_CONTACTS(const ContactLoop&, double alpha, double* z);
void UPTACK_PROJECT_CONTACTS(const ContactLoop&, double* x);

// matrix_kernel.cpp
void UPTACK_ADD_PANEL(const MatrixPanel&, const double* x, double* w);
void UPTACK_SWEEP_PANELS(const PackedView&, CellRange, double omega, double* x);

// change_kernel.cpp
double UPTACK_SQUARE_OF_CHANGE(const double* x, const double* before, const double* metric, int count);
void UPTACK_EXTRAPOLATE(double beta, double* x, double* before, double* direction, int count);

extern const Kernels UPTACK_KERNELS;
const Kernels UPTACK_KERNELS = {
    .sweep_scalars = sweep_scalars,
    .sweep_contacts = sweep_contacts,
    .sweep_batches = UPTACK_SWEEP_BATCHES,
    .scatter = scatter,
    .scatter_to_bodies = scatter_to_bodies,
    .scatter_batches = UPTACK_SCATTER_BATCHES,
    .gather = gather,
    .gather_batches = UPTACK_GATHER_BATCHES,
    .energy_of_contacts = UPTACK_ENERGY_OF_CONTACTS,
    .step_contacts = UPTACK_STEP_CONTACTS,
    .project_contacts = UPTACK_PROJECT_CONTACTS,
    .add_panel = UPTACK_ADD_PANEL,
    .sweep_panels = UPTACK_SWEEP_PANELS,
    .square_of_change = UPTACK_SQUARE_OF_CHANGE,
    .extrapolate = UPTACK_EXTRAPOLATE,
};

}  // namespace uptack

// What the hot loops see: plain arrays, made by PackedProblem.
//
// No standard headers with inline code here: this file is compiled for several instruction sets, and an
// inline function compiled for one must not be linked into another.

#pragma once

#include <cstdint>

namespace uptack {

enum class CellKind : std::uint8_t {
    scalar,   ///< one row, x in [lower, upper]
    contact,  ///< three rows under a friction cone: the common case, worth its own loop
    cone,     ///< any other friction cone
    box,      ///< box friction
};

/// Rows that are projected together.
struct Cell {
    int slot_a;  ///< place of the body in the state u; the world has a slot of its own, which stays zero
    int slot_b;
    int first_row;
    CellKind kind;
    std::uint8_t rows;
    std::uint8_t exact;  ///< 1: add De Saxce's term
    union {
        double lower;  ///< scalar
        double mu;     ///< contact, cone, box
    };
    union {
        double upper;        ///< scalar
        std::int64_t extra;  ///< cone: its law; box: its frozen bound; index into PackedProblem's side tables
    };
    double step;    ///< 1 / largest eigenvalue of the cell's diagonal block, in the cell's metric
    double spread;  ///< cone of two or three rows: the step of its normal, over `step`
};

/// How a cone of two or three rows is projected in a sweep (cone_projection.h): with the exact law the
/// normals of round bodies do not give way to their tangents; others do, and take De Saxce's term
/// (docs/decisions/026-steps-of-sweeps.md).
[[gnu::always_inline]] inline double lean_of(const Cell& cell) {
    return cell.exact != 0 && cell.spread > 1.0 ? 0.0 : cell.mu * cell.spread;
}
[[gnu::always_inline]] inline bool takes_term(const Cell& cell) {
    return cell.exact != 0 && !(cell.spread > 1.0);
}

inline constexpr int state_width = 8;  ///< doubles per body in the state: six, padded to a cache line
inline constexpr int world_slots = 4;  ///< per piece of a batch plan, behind the bodies; they stay zero
inline constexpr int row_width = 12;   ///< doubles per row of G: six per body

/// Four contacts that move different bodies, one per vector lane.  The linear parts of a contact's rows are
/// opposite on its two bodies, so they are stored once: G_a = root_a [frame, turn_a], G_b = [-root_b frame,
/// turn_b] with root = sqrt(inverse mass).
///
/// The rows are doubles.  Where there are so many that a sweep waits for the memory, they are kept as floats
/// as well, 0.6 of the bytes, for sweeps whose error is still far above a float's.  The arithmetic is the
/// same.
template <class Real>
struct alignas(8 * sizeof(Real)) BatchOf {
    Real frame[3][3][4];    ///< [row][axis][lane]: linear part of J on body a
    Real root[2][4];        ///< [side][lane]
    Real turn[2][3][3][4];  ///< [side][row][axis][lane]: angular part of G
    Real step[4];
    double q[3][4];
    double mu[4];
    int place[2][4];  ///< [side][lane]: where the body begins in the state, or a slot that stays zero
    int row[4];       ///< first row
    float spread[4];  ///< that of the cell; negative where nothing leans, 0 where it takes De Saxce's term
};
using ContactBatch = BatchOf<double>;
using SlimBatch = BatchOf<float>;

/// Two or three rows of an assembled matrix: matrix_panels.h.
struct MatrixPanel {
    const double* value = nullptr;  ///< aligned to 32 bytes
    const int* column = nullptr;
    int columns = 0;
    int rows = 0;  ///< 2 or 3; 0: it is no panel
};

/// G = J M^-1/2, so that A = G G^T + C and the state is u = G^T x.
struct PackedView {
    const Cell* cells = nullptr;
    const double* g = nullptr;         ///< row_width per row; rows that are in batches have no place in it
    const double* single_g = nullptr;  ///< three rows per contact of a plan that is not in a batch
    const double* q = nullptr;         ///< J v_free + b
    const double* c = nullptr;         ///< compliance, or null for none
    const ContactBatch* batches = nullptr;
    const SlimBatch* slim_batches = nullptr;  ///< the same in floats; null: none, or not to be used
    const double* batch_c = nullptr;          ///< [batch][row][lane], aligned to 32 bytes, or null
    const MatrixPanel* panels = nullptr;      ///< per cell, in the assembled form
    bool any_takes_term = false;              ///< De Saxce's, of the contacts in batches
    bool many_batches = false;                ///< more than caches hold
};

/// Cells (or batches) first .. first + count - 1, visited upwards (stride 1) or downwards (stride -1).
struct CellRange {
    int first = 0;
    int count = 0;
    int stride = 1;
    int rows_elsewhere = 0;      ///< rows before these that are not in g
    const int* order = nullptr;  ///< not null: order[first] .. are the cells, single_g has their rows
};

/// Where a body's cells are: entries start[b] .. start[b + 1] - 1, each 2 * cell + side.
struct Adjacency {
    const int* start = nullptr;
    const int* entry = nullptr;
};

/// Contacts in the order of their rows; their number is a multiple of four.
struct ContactLoop {
    const Cell* cells = nullptr;
    int count = 0;
    const double* x = nullptr;  ///< null: zero
    const double* y = nullptr;  ///< A x; null: zero
    const double* q = nullptr;
    const double* metric = nullptr;
    bool plain = true;   ///< the three rows of a contact have the same metric
    bool exact = false;  ///< De Saxce's term where the cells ask for it
};

struct Kernels {
    void (*sweep_scalars)(const PackedView&, CellRange, double omega, double* x, double* u);
    void (*sweep_contacts)(const PackedView&, CellRange, double omega, double* x, double* u);
    void (*sweep_batches)(const PackedView&, CellRange, double omega, double* x, double* u);
    void (*scatter)(const PackedView&, CellRange, const double* x, double* u);
    void (*scatter_to_bodies)(const PackedView&, Adjacency, CellRange bodies, const double* x, double* u);
    void (*scatter_batches)(const PackedView&, CellRange, const double* x, double* u);
    void (*gather)(const PackedView&, CellRange, const double* u, const double* x, double* y);
    void (*gather_batches)(const PackedView&, CellRange, const double* u, const double* x, double* y);
    /// Sum of 1/2 a |x - proj(x - w / a)|^2, a the metric.
    double (*energy_of_contacts)(const ContactLoop&);
    /// z = proj(x - alpha w / metric)
    void (*step_contacts)(const ContactLoop&, double alpha, double* z);
    void (*project_contacts)(const ContactLoop&, double* x);
    /// w += panel x
    void (*add_panel)(const MatrixPanel&, const double* x, double* w);
    /// Contacts of an assembled matrix that are panels, one panel per cell of the range.
    void (*sweep_panels)(const PackedView&, CellRange, double omega, double* x);
    /// sum_i (x_i - before_i)^2 metric_i
    double (*square_of_change)(const double* x, const double* before, const double* metric, int count);
    /// direction = x - before + beta direction;  x += beta (old) direction;  before = x
    void (*extrapolate)(double beta, double* x, double* before, double* direction, int count);
};

/// The fastest set this machine runs; UPTACK_SIMD=portable in the environment asks for the plain one.
const Kernels& kernels();

/// "avx2" or "portable".
const char* kernel_target();

}  // namespace uptack

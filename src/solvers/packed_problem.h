// A problem laid out for the iterative solvers: flat arrays, built once per solve, storage reused.
//
// Body form, in mass-normalised coordinates: with M^-1 = L L^T per body,
//
//     G = J L        u = G^T x        A x = G u + C x        w = A x + q,   q = J v_free + b
//
// so a row is read once for both J v and M^-1 J^T, and every body block of the mass matrix is the identity.
// The state u (the velocity the impulses cause, normalised) is what the sweeps carry along.
// Assembled form: A is a compressed-row matrix, there is no state, and A x is a plain product.
//
// A cell is what is projected together: each row of a bilateral, unilateral or interval block is one cell, a
// friction cone or box is one cell.  Cells keep the problem's order; inside a long run of contacts the sweep
// takes the order of batch_plan.h.
//
// Three things are not the minimum of one convex quadratic: exact friction (De Saxce's term), box friction
// (bounds that follow the normal impulse) and a matrix that is not symmetric.  The sweeps take them as they
// come.  For the gradient methods, freeze(x) makes the convex problem with linear term p and fixed box bounds
// that agrees with the original at x; solving and freezing again is a fixed-point iteration whose limit
// solves the original.

#pragma once

#include <atomic>
#include <cassert>
#include <cstdint>
#include <span>
#include <vector>

#include "batch_plan.h"
#include "kernels/packed_view.h"
#include "linalg/aligned_vector.h"
#include "linalg/vector_ops.h"
#include "matrix_panels.h"
#include "uptack/problem.h"

namespace uptack {

enum class Direction : std::int8_t { forward = 1, backward = -1 };
enum class RowsAs : std::int8_t { floats, doubles };

/// The same contacts with their rows as floats.
SlimBatch rounded(const ContactBatch& batch);

/// Impulses and the state u = G^T x that follows them: what sweeps change.
struct Swept {
    std::vector<double> x;
    AlignedVector u;
};

class PackedProblem {
public:
    /// Who does not sweep says so.  For sweeps the rows of long runs of contacts are kept in batches and
    /// nowhere else; for products alone all rows are in one array, where row_of_g() and the diagonals below
    /// find them.
    enum class Use : std::int8_t { sweeps, products };

    void pack(const Problem& problem, Use use = Use::sweeps);

    /// The packed problem with other biases: q anew.  Packed for products, body form.
    void renew_bias(const Problem& problem);

    std::size_t rows() const { return q_.size(); }
    std::size_t state_size() const { return state_size_; }
    std::size_t bodies() const { return bodies_; }  ///< 0 in the assembled form
    bool is_convex() const { return convex_; }      ///< one convex quadratic: nothing to freeze
    bool only_bilateral() const { return only_bilateral_; }
    bool has_positive_diagonal() const { return positive_diagonal_; }

    /// The parts, for the solvers that factorise: cells, rows of G (row_width each, where none are in
    /// batches), q, C (may be empty) and A of the assembled form (else null).
    std::span<const Cell> cells() const { return cells_; }
    const double* row_of_g(int row) const {
        assert(batches_.empty() && "packed for sweeps");
        return g_.data() + row_width * static_cast<std::size_t>(row);
    }
    View linear_term() const { return q_; }
    View compliance() const { return c_; }
    const SparseMatrix* matrix() const { return matrix_; }
    bool is_symmetric() const { return symmetric_; }
    /// The law of a cell of kind contact or cone.
    FrictionCone cone_of(const Cell& cell) const;
    /// Largest tangential impulse of a cell of kind box, as last frozen [N s].
    double frozen_bound(const Cell& cell) const { return frozen_bounds_[cell.extra]; }

    /// a_k of error_metric.h, one per row.
    View metric() const { return metric_; }
    /// The same, but normal and tangents of a cone each with their own mean of A_ii.  Packed for products.
    void cone_metric(MutableView metric) const;
    /// D with A <= D as quadratic forms, a multiple of metric() inside each cell.  Packed for products.
    void safe_diagonal(MutableView diagonal) const;

    /// u = G^T x
    void carry(View x, MutableView u) const;
    /// y = A x, given u = G^T x
    void respond(View u, View x, MutableView y) const;
    /// y = A x
    void multiply(View x, MutableView y) const;
    /// G^T x of the last product.
    View state_of_product() const { return scratch_u_; }
    /// y = 1/2 (A + A^T) x: the same unless a foreign matrix is not symmetric
    void multiply_symmetric(View x, MutableView y) const;

    /// Sweeps and respond() may read rows rounded to floats, where there are any: for errors far above a
    /// float's.  In doubles after pack().
    void read(RowsAs rows) { reads_ = rows; }

    /// One projected Gauss-Seidel pass over all cells, in place; u follows x.
    void sweep(double omega, Direction direction, MutableView x, MutableView u) const;
    /// At a look after so many sweeps: is it time to carry x afresh, lest the round-off of many small updates
    /// piles up?
    bool state_is_stale(std::int64_t sweeps);
    /// In which order long runs of contacts are swept.
    const BatchPlan& plan() const { return plan_; }
    /// What a sweep has to read at least, for the benchmark.
    std::size_t bytes_per_sweep() const;
    /// z = proj(x - alpha w~ / metric) with w~ of the present x and the box bounds of the new normal; y = A
    /// x.
    void fixed_point_step(View x, View y, double alpha, View metric, MutableView z) const;
    /// z = proj(x - alpha (y + p) / metric) with the frozen bounds; y = 1/2 (A + A^T) x.
    void gradient_step(View x, View y, double alpha, View metric, MutableView z) const;
    /// Nearest allowed impulses, in place.
    void project(MutableView x) const;

    /// Makes the convex problem that agrees with the original at x.
    void freeze(View x);
    /// p: q itself where nothing had to be frozen.
    View frozen_linear_term() const { return convex_ ? View(q_) : View(p_); }

    /// Energy error [J] (error_metric.h) of x, with y = A x.
    double energy_error(View x, View y) const;
    /// The same of x in the frozen problem, with y = 1/2 (A + A^T) x.
    double frozen_energy_error(View x, View y) const;
    /// The energy error of x = 0.
    double reference_energy() const;

private:
    /// Consecutive cells that one loop takes.
    struct Run {
        CellKind kind = CellKind::scalar;
        int first = 0;
        int count = 0;
        int rows_elsewhere = 0;  // before it, that are not in g_
        int first_stage = 0;     // of the batches' stages; none: cell by cell
        int stages = 0;
        bool are_panels = false;  // contacts of the assembled form, all of them
    };
    struct BatchLane {
        int batch = 0;
        int lane = 0;
    };
    /// What is found while cells are filled, on any thread.
    struct Found {
        std::atomic<bool> not_positive{false};
    };
    using CellMatrix = std::span<double>;  // rows x rows, row by row
    /// With De Saxce's term and the bounds of the present normal, or those of freeze().
    enum class Terms : std::uint8_t { present, frozen };
    /// x, y = A x and the linear term; x and y empty: zero.
    struct Point {
        View x{};
        View y{};
        View linear{};
    };

    void reset(const Problem& problem);
    void factor_inertias(const Problem& problem);
    void list_cells(const Problem& problem);
    void add_cells(const Problem& problem, const Block& block);
    void add_cell(const Cell& cell);
    void lay_out_panels();
    void plan_batches(const Problem& problem);
    static bool is_planned(const Run& run);
    bool note_contacts(const Problem& problem);
    void place_rows();
    void place_bodies();
    int place_of(int slot) const;
    void fill_rows(const Problem& problem);
    void fill_batches(const Problem& problem, Found& found);
    void fill_cell(const Problem& problem, Cell& cell, double* g, Found& found);
    void fill_metric(const Problem& problem, Cell& cell, const double* g, Found& found);
    static void set_spread(Cell& cell, CellMatrix a);
    void fill_lane(const Problem& problem, BatchLane at, int zero_slot, Found& found);
    void pack_row(const Problem& problem, const Cell& cell, int row, double* g);
    void build_adjacency(const Problem& problem);
    void cell_matrix(const Cell& cell, const double* g, CellMatrix a) const;

    double gershgorin_bound(const Cell& cell) const;

    PackedView view() const;
    bool fits_batch(const Problem& problem, const Cell& cell) const;
    template <class Cells, class Pieces>
    void for_each_part(const Cells& on_cells, const Pieces& on_pieces) const;
    template <class One>
    void for_each_piece_of(const Run& run, Direction direction, const One& one) const;
    CellRange batches_of(const BatchPlan::Piece& piece, int stride = 1) const;
    CellRange singles_of(const BatchPlan::Piece& piece, int stride = 1) const;
    const double* rows_of(const Run& run, const Cell& cell) const;
    double row_product(int row, View x) const;
    double row_velocity(const Cell& cell, int row, const double* g, View u, View x) const;
    void push(const Cell& cell, int row, const double* g, double change, MutableView u) const;
    void sweep_cell(const Cell& cell, const double* g, double omega, MutableView x, MutableView u) const;
    void cell_velocity(const Cell& cell, const double* g, View u, View x, double* w) const;
    void sweep_cone(const Cell& cell, const double* g, double omega, MutableView x, MutableView u) const;
    void sweep_box(const Cell& cell, const double* g, double omega, MutableView x, MutableView u) const;
    void sweep_scalar(const Cell& cell, const double* g, double omega, MutableView x, MutableView u) const;
    void correct_velocity(const Cell& cell, std::span<double> w) const;
    void project_cell(const Cell& cell, double box_bound, std::span<double> z, View metric) const;
    template <class Contacts, class One>
    void by_fours(std::size_t first, std::size_t last, const Contacts& on_contacts, const One& on_cell) const;
    ContactLoop loop_over(std::span<const Cell> contacts, View metric, Terms terms, const Point& at) const;
    void step(Terms terms, const Point& at, double alpha, View metric, MutableView z) const;
    double cell_energy(Terms terms, const Cell& cell, const Point& at) const;
    double energy(Terms terms, const Point& at) const;

    static constexpr std::size_t many_batches = 8192;  // ten megabytes: more than caches hold

    std::vector<Cell> cells_;
    std::vector<Run> runs_;
    std::vector<ContactBatch> batches_;
    std::vector<SlimBatch> slim_batches_;  // the same in floats, of large problems
    RowsAs reads_ = RowsAs::doubles;
    MatrixPanels panels_;              // of the assembled form
    std::vector<std::int64_t> twins_;  // scratch of the check whether the matrix is symmetric
    AlignedVector batch_c_;            // read by whole vectors; empty: no compliance
    BatchPlan plan_;
    std::vector<BatchPlan::Contact> contacts_;  // of the runs that are planned: what the plan is of
    std::vector<Run> planned_;                  // runs_ of that plan
    std::size_t planned_bodies_ = 0;
    bool any_takes_term_ = false;
    std::vector<int> place_of_;     // per body: its slot in the state; empty: its number
    std::vector<double> g_;         // rows that are not in batches
    std::vector<double> single_g_;  // rows of plan_.singles()
    std::vector<double> q_;
    std::vector<double> c_;  // empty: no compliance
    std::vector<double> metric_;
    std::vector<FrictionCone> cones_;    // laws of the cells of kind cone
    std::vector<double> frozen_bounds_;  // of the cells of kind box [N s]
    std::vector<double> p_;              // frozen linear term
    std::vector<int> adjacency_start_;   // only for problems worth several threads
    std::vector<int> adjacency_entry_;
    const SparseMatrix* matrix_ = nullptr;  // the problem's own, used during the solve
    mutable AlignedVector scratch_u_;
    mutable std::vector<double> scratch_y_;  // only for problems that are frozen
    std::int64_t fresh_at_ = 0;              // sweeps
    std::size_t state_size_ = 0;
    std::size_t bodies_ = 0;
    bool convex_ = true;
    bool symmetric_ = true;
    bool only_bilateral_ = true;
    bool positive_diagonal_ = true;
};

}  // namespace uptack

// Second order, every law, to 1e-10: interior point, then semismooth Newton on the law itself, with a
// proximal Newton method as the safeguard.  An iteration is a factorisation.
//
//     x, w~      impulses and their corrected velocities, w = A x + q, w~ = w (+ De Saxce's term)
//     D, R       metric a_k of error_metric.h; R = rho D
//     P, E       projection of law.h in that metric and its derivative (cell_derivative.h)
//     S          dw~ / dw: the identity but for the normal row of an exact cone
//
// 0. Only bilateral rows: factor A + rho D once and solve A x = -q by conjugate gradients with it.
// 1. A warm start below 1e-3 goes straight to 3; one below 1e-2, where it is not convex, to 3 and 4.
// 2. interior_point.h, from x = -(A + rho D)^-1 q, on the convex problem frozen at each iterate anew (exact
//    friction: its term is a constant within an iteration).  Until 1e-7, or until it no longer halves the
//    error: redundant frictional contacts stop it near 1e-6.
// 3. Polish: F(x) = x - P(x - w~ / R) = 0, one Newton step per centre x,
//
//        (I + E R^-1 S A) dx = -F          x <- P(x + dx) if that lowers the energy error
//
//    rho follows the relative error (Levenberg and Marquardt): down after a good step, up after a refused
//    one, never below polish_floor.  The matrix is symmetric in the metric where S = 1, and is factored as
//    it is, symmetric or not (newton_system.h); where that leaves much over, pivots having been lost or A
//    being unsymmetric, by GMRES preconditioned with it.  In this increment form round-off in w is damped by
//    (A + R)^-1; the form x = P(c - w / R) alone would multiply it by 1 / rho.
// 4. If that stalls and the law is not convex: proximal point on the law itself, x_k -> x_k+1 with
//
//        x = P(c - w~(x) / R),     c = x_k
//
//    by a few Newton steps with the matrix of 3, and a line search on the residual.  The error may rise on
//    the way: walls of bricks with exact friction have long valleys in which it hardly falls while impulses
//    move from contact to contact; sweeps creep along them, and 3 refuses every step.  rho is as small as
//    the Newton steps bear.  Ends when the error has stayed where it is for too long.
// 5. If that stalls too: proximal point on the convex problem frozen at x, c = x,
//
//        min 1/2 x'Ax + p'x + 1/2 |x - c|_R^2 over the allowed set
//
//    by semismooth Newton, dx = -(I + E R^-1 A)^-1 (x - P(c - (A x + p) / R)), with a line search on the
//    slope of the dual objective, which is convex and once differentiable; then 3 again, rho smaller.
//    Stalled when a few such rounds gain nothing.
//
// Sources: 2: see there.  3: Qi and Sun 1993; Alart and Curnier 1991 (F); De Saxce and Feng 1998.  4:
// Rockafellar 1976.  5: Li, Sun and Toh 2018 (SSN-PALM).
//
// Departures: the interior point is not started from a multiple of the identity (interior_point.h); F is
// scaled by the metric of the energy error, so that rho has no unit; the step of 3 is one step of 5 with the
// derivative of the law added, not Newton's on the unregularised F, whose matrix is singular with redundant
// contacts.
//
// What it does not do: exact Coulomb friction in dense packings (B2, shaker) has no convex problem behind it
// and is far from one; there 3 ends in a local minimum of the error near 4e-3 (docs/decisions/010).
//
// The clock is read inside a factorisation and between its uses: what the budget cuts short is thrown away
// and the best iterate so far is the result.  Only METIS, once per structure, is not interrupted.

#pragma once

#include <vector>

#include "interior_point.h"
#include "linalg/gmres.h"
#include "monitor.h"
#include "newton_system.h"
#include "packed_problem.h"
#include "uptack/solvers.h"

namespace uptack {

class Newton final : public Solver {
public:
    explicit Newton(const NewtonOptions& options) : options_(options) {}

    std::string_view name() const override { return "newton"; }
    SolveReport solve(const Problem& problem, Solution& solution, const StopRule& rule,
                      const Observer& observer) override;
    bool can_correct() const override { return linear_; }
    bool correct(const Problem& problem, Solution& solution, Tolerance tolerance) override;

    /// Multiplications of one factorisation for this problem, about.  The analysis made for it is kept: a
    /// solve of the same structure does not repeat it.
    double factor_operations(const Problem& problem);

    /// As solve, right after factor_operations of the same problem: nothing is packed or analysed again.
    SolveReport solve_analysed(const Problem& problem, Solution& solution, const StopRule& rule,
                               const Observer& observer);

    /// Relative error of the impulses that obey no law, projected: where the interior point will start.
    /// Right after factor_operations of the same problem; a factorisation, which solve_analysed then saves.
    double start_error();

    /// Whether it may walk (4) from now on: not worth it for who has other ways to go.
    void may_walk(bool may) { may_walk_ = may; }

    /// Of one factorisation of the last problem.
    double operations() const { return system_.operations(); }

    /// Operations per block from which the factor is most of an iteration, and is one of floats while that is
    /// good enough (convex problems only): heaps (b2-friction 80,000, shaker-friction 150,000), not walls
    /// (8000) or stacks.
    static constexpr double float_operations = 3e4;

    /// Up to here it walks patiently: an iteration takes a millisecond or two.
    static constexpr int long_walk_rows = 6000;

private:
    SolveReport solve_packed(const Problem& problem, Solution& solution, const StopRule& rule,
                             const Observer& observer);
    bool prepare();
    void resize();
    void run();
    using Numbers = NewtonSystem::Numbers;
    bool factorise(Numbers numbers = Numbers::doubles);
    bool count(int lost_pivots);
    void look(View x);
    double hidden_energy(View x) const;
    void set_weights(double rho);
    bool is_dear() const;
    void return_to_best();

    void solve_joints();
    bool solve_without_laws(Numbers numbers = Numbers::doubles);
    void interior_stage();

    // newton_polish.cpp
    void polish();
    bool polish_step(double rho);
    void linearise_law(View center);
    void linearise_cell(std::size_t index, View center);
    bool factorise_law();
    void solve_newton_system();

    // newton_walk.cpp
    void walk();
    void go_to(View x);
    int settle(double rho);
    double step_length(double residual);

    // newton_proximal.cpp
    void safeguard();
    void minimise_proximal(double rho);
    double linearise_proximal();
    double slope(double alpha);
    double line_search();

    NewtonOptions options_;
    PackedProblem packed_;
    Monitor monitor_;
    NewtonSystem system_;
    InteriorPoint interior_;
    Gmres gmres_;
    bool analysed_ = false;     // by factor_operations, for the solve that follows
    bool knows_start_ = false;  // start_ is of this problem
    bool may_walk_ = true;
    bool linear_ = false;                 // the factor is that of A + R for the problem last solved
    const Solution* solution_ = nullptr;  // the monitor keeps the best impulses in it
    Deadline deadline_;
    std::int64_t factorisations_ = 0;
    double reference_J_ = 0.0;
    double energy_J_ = 0.0;  // of the iterate last looked at
    double best_J_ = 0.0;

    std::vector<double> x_, ax_;    // iterate and A x
    std::vector<double> start_;     // impulses that obey no law
    std::vector<double> center_;    // c
    std::vector<double> weight_;    // R
    std::vector<double> z_, az_;    // projected point and A z
    std::vector<double> residual_;  // F, or -F
    std::vector<double> dx_, adx_;
    std::vector<double> scratch_;
    CellBlocks gamma_;  // E R^-1
    CellBlocks skew_;   // E R^-1 S
};

}  // namespace uptack

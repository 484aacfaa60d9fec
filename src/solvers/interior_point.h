// A primal-dual interior-point method with Nesterov-Todd scaling and Mehrotra's corrector, for the convex
// problem  min 1/2 x'Ax + p'x  over the allowed impulses: the stage of the newton solver that finds the
// neighbourhood of the solution from anywhere.
//
// Every law is a list of items, each a half line or a second-order cone that must hold k = h + T x:
//
//     bound            k = x - lower,  k = upper - x
//     cone, group g    k = (mu_g x_n, x_g)                one item per group: rolling cones are intersections
//     box friction     k = mu x_n +- x_t                  the multiplier acts on x_t alone, so the bound
//                                                         follows the normal but does not pull on it
//     mu = 0, lower = upper: the rows are fixed and leave the problem
//
//     A x + p - sum T^T s = 0,     k o s = 0,     k, s in the cone         o: Jordan product
//
// One iteration, W the scaling with W k = W^-1 s = lambda:
//
//     (A + Q) dx = -(A x + p - sum T^T s) + sum T^T W d,       Q = sum T^T W^2 T  (one block per cell)
//     dk = T dx,    ds = W d - W^2 dk
//     predictor  d = -lambda, largest step alpha_a;  sigma = (1 - alpha_a)^3
//     corrector  d = lambda \ (sigma mu e - lambda o lambda - (W dk_a) o (W^-1 ds_a));  step 0.99 alpha
//
// k is always computed from x, so x stays strictly allowed.  The matrix A + Q + delta D (delta = 1e-7) is
// factored in body space (newton_system.h); (A + Q) dx = r is solved by a few conjugate gradient steps with
// it, since dx = Gamma (r - G z) cancels when Q is tiny; by GMRES where box friction makes Q unsymmetric.
//
// The start is what makes it quick: from any x, with w = A x + p, each item takes the point of the central
// path next to it, k - s = y and k o s = mu e with y = sqrt(a) T x - T^-T w / sqrt(a), mu the mean of |y|^2.
// With x = -(A + rho D)^-1 p, laws forgotten, B2 with friction is at 4e-5 after 20 iterations; started from a
// multiple of e it needs 34, and B3 is still above 1 after 13, with steps of a hundredth.
//
// Sources: Nesterov and Todd 1997; Mehrotra 1992; Vandenberghe, The CVXOPT linear and quadratic cone program
// solvers (2010), whose lambda, W and sigma these are.  The smoothed pair of the start is that of Chen,
// Harker, Kanzow and Smale.  The method stops near 1e-6 with redundant frictional contacts; newton.h goes on
// from there.

#pragma once

#include <array>
#include <vector>

#include "linalg/gmres.h"
#include "newton_system.h"
#include "packed_problem.h"

namespace uptack {

class InteriorPoint {
public:
    /// Starts next to x, on the central path, for the problem as last frozen.
    void begin(const PackedProblem& packed, View x);

    enum class Directions : bool { rough, exact };
    /// One iteration with one factorisation.  False: no step is left.  Far from the solution rough directions
    /// take as many iterations and save most of the triangular solves.
    bool iterate(const PackedProblem& packed, NewtonSystem& system, Directions directions);

    /// Strictly inside the allowed set.
    View impulse() const { return x_; }

private:
    static constexpr int max_dimension = 3;
    using Small = std::array<double, max_dimension>;
    enum class Scaling : bool { forward, inverse };

    struct Item {
        int cell = 0;
        int dimension = 1;  // 1: half line
        int head_row = 0;   // k_0 = offset + head x[head_row] + lean x[lean_row]
        double head = 1.0;  // mu_g of a cone, +1 or -1 of a bound
        double offset = 0.0;
        double lean = 0.0;  // mu of box friction
        int lean_row = 0;
        int tail_row = 0;  // k_1 .. = x[tail_row] ..
        Small k{}, s{};
        Small lambda{};  // W k = W^-1 s
        Small w{};       // W = eta [ w_0  w_1' ; w_1  I + w_1 w_1' / (1 + w_0) ]
        double eta = 1.0;
        Small pushed{};  // W d
        Small dk{}, ds{};
    };

    void collect_items(const PackedProblem& packed);
    void add_bounds(int cell, int row, double lower, double upper);
    void add_box(const Cell& cell, int index);
    void add_cone(const PackedProblem& packed, const Cell& cell, int index);
    Small target(const PackedProblem& packed, const Item& item) const;
    void centre(const PackedProblem& packed);
    void follow_items();
    double head_between(const Item& lower, const Item& upper) const;

    void find_residual(const PackedProblem& packed);
    void find_scaling();
    void add_weight(const Item& item, const Cell& cell);
    void weigh(const PackedProblem& packed);
    void find_direction(const PackedProblem& packed, NewtonSystem& system);
    void push_predictor();
    void push_corrector(double sigma_mu);
    void multiply(const PackedProblem& packed, View d, MutableView out) const;
    void precondition(const PackedProblem& packed, NewtonSystem& system, View r, MutableView z);
    void conjugate_gradients(const PackedProblem& packed, NewtonSystem& system);
    double largest_step() const;

    static void scale(const Item& item, const Small& in, Small& out, Scaling direction);
    static void gather(const Item& item, View x, Small& k);
    static double largest_step(int dimension, const Small& from, const Small& along);

    std::vector<Item> items_;
    std::vector<char> fixed_;  // by row
    bool leaning_ = false;     // some item has a lean
    double mu_ = 0.0;
    CellBlocks weights_;  // Q
    CellBlocks gamma_;    // (Q + delta D)^-1
    Gmres gmres_;
    int refinements_ = 0;  // of a direction, in this iteration
    std::vector<double> x_;
    std::vector<double> residual_;        // A x + p - sum T^T s
    std::vector<double> rhs_, dx_;        // of the direction
    std::vector<double> r_, z_, d_, ad_;  // of the conjugate gradients
};

}  // namespace uptack

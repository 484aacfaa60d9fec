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
//     centrality d = lambda \ (v clipped - v), v the product after a step longer by 0.5, its spectral values
//                clipped to [0.1, 10] sigma mu; added while it lengthens the step, at most twice
//
// The last line costs a solve and saves a third of the factorisations of a packing.  It is left out where
// the problem is frozen anew at every iterate, and in the last digits: there it cost more than it gained.
//
// k is always computed from x, so x stays strictly allowed.  The matrix A + Q + delta D (delta = 1e-7) is
// factored in body space (newton_system.h); (A + Q) dx = r is solved by a few conjugate gradient steps with
// it, since dx = Gamma (r - G z) cancels when Q is tiny.  Box friction makes Q unsymmetric, and GMRES takes
// these steps.
//
// Far from the solution the factor may be one of floats, for half the time: each direction then takes one
// conjugate gradient step more, which also tells how much the factor missed.  It is one of doubles from the
// iteration on in which that is too much (docs/decisions/022).
//
// The start is what makes it quick: from any x, with w = A x + p, each item takes the point of the central
// path next to it, k - s = y and k o s = mu e with y = sqrt(a) T x - T^-T w / sqrt(a), mu a multiple of the
// mean of |y|^2, and x = -(A + rho D)^-1 p, laws forgotten.  From a multiple of e B3 took steps of a
// hundredth (docs/decisions/010; 022 for the multiple and the correctors).
//
// Sources: Nesterov and Todd 1997; Mehrotra 1992; Vandenberghe, The CVXOPT linear and quadratic cone program
// solvers (2010), whose lambda, W and sigma these are; Gondzio 1996 (centrality).  The smoothed pair of the
// start is that of Chen, Harker, Kanzow and Smale.  The method stops near 1e-6 with redundant frictional
// contacts; newton.h goes on from there.

#pragma once

#include <array>
#include <vector>

#include "linalg/gmres.h"
#include "newton_system.h"
#include "packed_problem.h"
#include "small_cone.h"

namespace uptack {

class InteriorPoint {
public:
    using Numbers = NewtonSystem::Numbers;

    /// Starts next to x, on the central path, for the problem as last frozen.  `numbers`: of the factors, for
    /// as long as floats do.
    void begin(const PackedProblem& packed, View x, Numbers numbers);

    enum class Directions : bool { rough, exact };
    /// One iteration with one factorisation.  False: no step is left, or the deadline has passed; x is as it
    /// was.  Far from the solution rough directions take as many iterations and save most of the triangular
    /// solves.
    bool iterate(const PackedProblem& packed, NewtonSystem& system, Directions directions, Deadline deadline);

    /// Strictly inside the allowed set.
    View impulse() const { return x_; }

private:
    using Small = cone::Vector;

    /// A step of k and s.
    struct Move {
        Small k{}, s{};
    };

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
        cone::Scaling scaling;
        Small lambda{};  // W k = W^-1 s
        Small pushed{};  // W d
        Move move;       // the direction
        Move more;       // what a centrality corrector would add to it
    };

    void collect_items(const PackedProblem& packed);
    void add_bounds(int cell, int row, double lower, double upper);
    void add_box(const Cell& cell, int index);
    void add_cone(const PackedProblem& packed, const Cell& cell, int index);
    Small target(const PackedProblem& packed, const Item& item) const;
    void centre(const PackedProblem& packed);
    void follow_items();
    double head_between(const Item& lower, const Item& upper) const;

    bool aim(const PackedProblem& packed, NewtonSystem& system, Directions directions, Deadline deadline);
    void find_residual(const PackedProblem& packed);
    void find_scaling();
    void add_weight(const Item& item, const Cell& cell);
    void weigh(const PackedProblem& packed);
    void push_predictor();
    void push_corrector(double sigma_mu);
    void push_to_centre(double step, double target);
    void correct_centrality(const PackedProblem& packed, NewtonSystem& system, double target,
                            Deadline deadline);
    void find_direction(const PackedProblem& packed, NewtonSystem& system);
    void find_correction(const PackedProblem& packed, NewtonSystem& system);
    void solve_for(const PackedProblem& packed, NewtonSystem& system, std::vector<double>& dx,
                   Move Item::*move);
    void multiply(const PackedProblem& packed, View d, MutableView out) const;
    void precondition(const PackedProblem& packed, NewtonSystem& system, View r, MutableView z);
    void conjugate_gradients(const PackedProblem& packed, NewtonSystem& system, MutableView dx);
    double step_length() const;
    double step_length_with(double weight, double needed) const;

    static void gather(const Item& item, View x, Small& k);
    static void scatter(const Item& item, const Small& s, double sign, MutableView rows);

    std::vector<Item> items_;
    std::vector<char> fixed_;  // by row
    bool leaning_ = false;     // some item has a lean
    double mu_ = 0.0;
    double sigma_mu_ = 0.0;               // what the step aims at
    Numbers numbers_ = Numbers::doubles;  // of the factor
    double missing_ = 0.0;                // of the direction, before it is refined
    CellBlocks weights_;                  // Q
    CellBlocks gamma_;                    // (Q + delta D)^-1
    Gmres gmres_;
    int refinements_ = 0;  // of a direction, in this iteration
    std::vector<double> x_;
    std::vector<double> residual_;        // A x + p - sum T^T s
    std::vector<double> rhs_, dx_;        // of the direction
    std::vector<double> more_dx_;         // of a correction to it
    std::vector<double> r_, z_, d_, ad_;  // of the conjugate gradients
};

}  // namespace uptack

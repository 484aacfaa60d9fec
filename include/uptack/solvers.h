// All solvers, their options, and how to get one by name.
//
// Written by: solvers.  Read by: simulation, apps, tests, benchmarks.
// A solver's algorithm, symbols and departures from its paper are in src/solvers/NAME.h.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "uptack/solver.h"

namespace uptack {

/// Islands, each by the methods its own progress asks for (leap, nncg, apgd, cg, newton).  For simulations,
/// and for whoever does not want to choose.
struct AutoOptions {
    int patience = 700;    ///< sweeps before an island may be called stalled
    bool settle = false;   ///< small islands far below the tolerance: what rests then rests to the bit
    bool explain = false;  ///< the report says what was solved how, and why, even when all went well
};

/// Projected Gauss-Seidel with over-relaxation [fixed-point, algorithm 4.1].
struct PsorOptions {
    double omega = 1.3;      ///< relaxation in (0, 2); 1 is Gauss-Seidel.  No value is best everywhere
    bool symmetric = false;  ///< every second sweep runs backwards.  Rarely pays
};

/// Damped projected Jacobi [fixed-point, eq. 3].
struct JacobiOptions {
    double omega = 1.0;  ///< in (0, 2), relative to the safe diagonal
};

/// Preconditioned spectral projected gradient with fallback [spectral-gradient].
struct SpgOptions {
    int memory = 10;           ///< N_GLL, the paper's "about 10 works well"
    double armijo = 1e-4;      ///< gamma of the sufficient decrease, [BMR99]'s value
    double step_min = 1e-9;    ///< safeguards of the spectral step, the paper's values;
    double step_max = 1e9;     ///< dimensionless because the preconditioner carries the units
    bool cone_metric = false;  ///< precondition normal and tangents apart and project in that metric
};

/// Accelerated projected gradient with restart (Nesterov; Mazhar et al. 2015).
struct ApgdOptions {
    bool cone_metric = false;  ///< as in SpgOptions; fewer but dearer iterations on spheres with friction
};

/// Nonlinear nonsmooth conjugate gradient over PSOR sweeps (Silcowitz-Hansen et al. 2010).
struct NncgOptions {
    double omega = 1.0;  ///< relaxation of the sweeps
};

/// Gauss-Seidel sweeps with leaps along what they change (Lyusternik's extrapolation with a line search).
struct LeapOptions {
    double omega = 1.3;  ///< relaxation of the sweeps
};

/// Jacobi-preconditioned conjugate gradient, for problems with bilateral rows only.
struct CgOptions {};

/// The sparse simplex on an incrementally updated LDL^T [simplex].
struct SimplexOptions {
    double regularisation = 1e-9;  ///< smallest R of the proximal steps, relative to A's diagonal
    int sweeps = 200;              ///< Gauss-Seidel sweeps that guess the active rows of a cold start
    int facets = 8;                ///< rays of the friction pyramid
    bool block_steps = true;  ///< exchange many rows at once while the objective falls; else one at a time
};

/// Interior point, then semismooth Newton on the law; an iteration is a factorisation; every law, to 1e-10.
/// The weights rho are relative to a_k of error_metric.h, so they have no unit.
struct NewtonOptions {
    double start_weight = 0.03;  ///< of the start -(A + rho D)^-1 q; 0.03 to 1 do, 1e-3 fails more often
    double polish_floor = 1e-7;  ///< smallest rho of a Newton step; below, round-off picks wrong active sets
    double prox_start = 1e-3;    ///< first rho of the safeguard: by then the active set is nearly right
    double prox_floor = 1e-6;    ///< last: below, the impulses lose digits to 1 / rho
    double prox_shrink = 0.1;    ///< ratio of successive rho
};

std::unique_ptr<Solver> make_auto(const AutoOptions& options = {});
std::unique_ptr<Solver> make_psor(const PsorOptions& options = {});
std::unique_ptr<Solver> make_jacobi(const JacobiOptions& options = {});
std::unique_ptr<Solver> make_spg(const SpgOptions& options = {});
std::unique_ptr<Solver> make_apgd(const ApgdOptions& options = {});
std::unique_ptr<Solver> make_nncg(const NncgOptions& options = {});
std::unique_ptr<Solver> make_leap(const LeapOptions& options = {});
std::unique_ptr<Solver> make_cg(const CgOptions& options = {});
std::unique_ptr<Solver> make_newton(const NewtonOptions& options = {});
std::unique_ptr<Solver> make_simplex(const SimplexOptions& options = {});

/// "omega" and its default, range and meaning, for help texts.
struct OptionInfo {
    std::string name;
    std::string default_value;
    std::string help;
};

struct SolverInfo {
    std::string name;
    std::string summary;
    std::vector<OptionInfo> options;
};

/// Every registered solver, in the order in which they are listed to people.
std::vector<SolverInfo> list_solvers();

using OptionValues = std::vector<std::pair<std::string, std::string>>;

/// Throws InputError for an unknown solver or option (the message lists the known ones) or a bad value.
std::unique_ptr<Solver> make_solver(std::string_view name, const OptionValues& options = {});

}  // namespace uptack

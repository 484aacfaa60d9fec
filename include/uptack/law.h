// The laws: which impulses a constraint may give, and what its velocity must then be.
//
// Written by: assembly, files, generators.  Read by: solvers, certificate.
// A law is a small value.  It knows nothing of bodies, Jacobians or other constraints.
//
//     law              impulses allowed                velocity then
//     Bilateral        any                             w = 0
//     Unilateral       0 <= x                          0 <= w,  x w = 0
//     Interval         lower <= x <= upper             w = 0 inside, w >= 0 at lower, w <= 0 at upper
//     FrictionCone     K = { |x_g| <= mu_g x_n }       w~ in K*,  <x, w~> = 0
//     BoxFriction      x_n >= 0, |x_ti| <= mu x_n      each row an interval with the current bounds
//
// Bilateral, Unilateral and Interval act on each of their rows separately.  The other two act on all rows
// of their block together, normal first:
//
//     rows             2      3         4            5               6
//     FrictionCone   (n,t)  (n,t,t)  (n,t,t,s)  (n,t,t,r,r)  (n,t,t,r,r,s)
//     BoxFriction    (n,t)  (n,t,t)
//
// t slides [N s], r rolls and s spins [N m s]; each group g has its own coefficient, the rolling and
// spinning ones being lengths [m].  The five-row form is FCLIB's.

#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <variant>

#include "uptack/math.h"

namespace uptack {

enum class FrictionModel : std::uint8_t {
    convex,  ///< w~ = w: the cone complementarity problem of Anitescu and Tasora.  Sliding contacts open.
    exact,   ///< w~ = w + (sum_g mu_g |w_g|) n: Coulomb's law in De Saxce's form.  No lift-off.
};

struct Bilateral {};

struct Unilateral {};

struct Interval {
    double lower = -infinity;  ///< [N s]
    double upper = infinity;   ///< [N s]
};

struct FrictionCone {
    double mu = 0.0;       ///< sliding [-]
    double mu_roll = 0.0;  ///< rolling [m], used by 5 and 6 rows
    double mu_spin = 0.0;  ///< spinning [m], used by 4 and 6 rows
    FrictionModel model = FrictionModel::convex;
};

/// Each tangent is clamped on its own [gauss-seidel-notes, eq. 36]: up to sqrt(2) too strong on the diagonal
/// and dependent on the tangents' directions.  Offered because real-time engines use it.
struct BoxFriction {
    double mu = 0.0;  ///< [-]
};

using Law = std::variant<Bilateral, Unilateral, Interval, FrictionCone, BoxFriction>;

inline constexpr int max_block_rows = 6;

/// Rows of one friction group inside its block, and the coefficient that ties them to the normal.
struct FrictionGroup {
    int first = 0;
    int count = 0;
    double mu = 0.0;
};

/// The groups of a cone with `rows` rows: sliding, then rolling, then spinning.  Unused ones have count 0.
std::array<FrictionGroup, 3> friction_groups(const FrictionCone& cone, int rows);

/// May this law have this many rows?
bool allows_rows(const Law& law, int rows);

/// Nearest allowed impulse in the metric  sum_i d_i (z_i - x_i)^2, in place.  `metric` holds d > 0, one per
/// row, equal within each friction group.  BoxFriction projects the normal first and then clamps the tangents
/// with it, which is not a nearest point: its set is not tied to z alone.
void project(const Law& law, std::span<double> z, std::span<const double> metric);

/// Is x allowed, up to `slack` in the impulses' unit?
bool contains(const Law& law, std::span<const double> x, double slack = 0.0);

/// Is w in the dual cone { w : <w, x> >= 0 for all allowed x }?  An Interval with a finite bound and
/// BoxFriction are not cones: for them this asks w = 0, what a strictly inner impulse demands.
bool dual_contains(const Law& law, std::span<const double> w, double slack = 0.0);

/// w -> w~ in place: adds De Saxce's term to the normal row of an exact cone; other laws leave w alone.
void add_de_saxce_term(const Law& law, std::span<double> w);

}  // namespace uptack

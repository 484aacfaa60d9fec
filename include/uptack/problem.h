// The constraint problem of one time step.
//
// Written by: assembly, files, generators.  Read by: solvers, certificate.
// It knows velocity blocks and rows, never joints or shapes.
//
//     v+ = v_free + M^-1 J^T x          x: impulses [N s],  v_free = v + h M^-1 f
//     w  = J v+ + C x + b               each block's (x, w) obeys its law (law.h)
//
// or, when somebody else has already eliminated the bodies, with a sparse matrix A in their place:
//
//     w  = A x + b
//
// A is meant to be symmetric positive semidefinite; real files are not always (gyroscopic terms), so it is
// kept as given and the solvers that need symmetry say what they did.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "uptack/law.h"
#include "uptack/math.h"

namespace uptack {

inline constexpr int no_body = -1;  ///< the immovable world

/// A rigid body, as far as a step's problem knows it.
struct Body {
    double inverse_mass = 0.0;       ///< [1/kg]; 0 with zero inverse inertia: moves as prescribed
    Symmetric3 inverse_inertia_w{};  ///< in the world frame [1/(kg m^2)]
    Vec6 free_velocity{};            ///< velocity if no constraint acted [m/s, rad/s]
};

/// One row of J, split by body.  A side without a body is ignored.
struct JacobianRow {
    Vec6 a{};
    Vec6 b{};
};

/// Rows first_row .. first_row + rows - 1, between at most two bodies, under one law.
struct Block {
    int body_a = no_body;
    int body_b = no_body;
    int first_row = 0;
    int rows = 0;
    Law law;
};

/// Compressed rows.  Columns ascend within a row.
struct SparseMatrix {
    std::vector<std::int64_t> start;  ///< rows + 1 entries
    std::vector<int> column;
    std::vector<double> value;

    int rows() const { return start.empty() ? 0 : static_cast<int>(start.size()) - 1; }
};

struct Problem {
    std::string name;

    std::vector<Body> bodies;            ///< empty in the assembled form
    std::vector<JacobianRow> jacobian;   ///< one per row; empty in the assembled form
    std::optional<SparseMatrix> matrix;  ///< A, compliance included; only in the assembled form [1/kg]

    std::vector<Block> blocks;  ///< in row order, without gaps
    std::vector<double> bias;   ///< b, one per row [m/s]
    std::vector<double>
        compliance;  ///< C >= 0, one per row [1/kg]; empty means zero, as in the assembled form

    std::vector<std::string> body_names;   ///< empty, or one per body
    std::vector<std::string> block_names;  ///< empty, or one per block

    int row_count() const { return static_cast<int>(bias.size()); }
};

/// Appends a block under its rows' Jacobians (body form); returns its index.  `bias` has one entry per row.
int add_block(Problem& problem, const Law& law, int body_a, int body_b, std::span<const JacobianRow> rows,
              std::span<const double> bias);

/// What is wrong with a problem, where, and what to do about it.
struct Fault {
    std::string where;    ///< "block 7", "row 12", "body 3"
    std::string message;  ///< "mu is -0.1; friction coefficients must be >= 0"
};

/// Every fault up to `most`; empty means that solvers and certificate may be called.
std::vector<Fault> validate(const Problem& problem, std::size_t most = 20);

/// "contact lid-on-jar (friction cone, mu 0.3) between 'jar' and 'lid'": for people.
std::string describe_block(const Problem& problem, int block);

/// "friction cone", "unilateral", ...
std::string law_name(const Law& law);

/// M^-1 p for one body.
inline Vec6 apply_inverse_mass(const Body& body, const Vec6& p) {
    const Symmetric3& s = body.inverse_inertia_w;
    return {body.inverse_mass * p[0],
            body.inverse_mass * p[1],
            body.inverse_mass * p[2],
            s[0] * p[3] + s[3] * p[4] + s[4] * p[5],
            s[3] * p[3] + s[1] * p[4] + s[5] * p[5],
            s[4] * p[3] + s[5] * p[4] + s[2] * p[5]};
}

/// A_ii of a row of `block`, compliance included.
double diagonal_entry(const Problem& problem, const Block& block, int row);

/// v+ = v_free + M^-1 J^T x for every body; empty in the assembled form.
std::vector<Vec6> body_velocities(const Problem& problem, std::span<const double> impulse);
/// The same into existing storage, for callers that must not allocate.
void body_velocities(const Problem& problem, std::span<const double> impulse, std::vector<Vec6>& velocity);

/// The same to the bit, with kept room: large problems are taken body by body on several threads.
class BodyVelocities {
public:
    void operator()(const Problem& problem, std::span<const double> impulse, std::vector<Vec6>& velocity);

private:
    void list_blocks(const Problem& problem);

    std::vector<int> start_;  // of each body in entry_
    std::vector<int> entry_;  // 2 * block + side, in the problem's order
};

/// The same problem with the bodies eliminated: A = J M^-1 J^T + C and b = J v_free + b.
Problem assemble(const Problem& problem);

}  // namespace uptack

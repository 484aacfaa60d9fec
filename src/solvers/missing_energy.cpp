#include "uptack/missing_energy.h"

#include <Eigen/LU>
#include <algorithm>
#include <vector>

#include "cell_derivative.h"
#include "newton_system.h"
#include "packed_problem.h"
#include "uptack/error_metric.h"

namespace uptack {
namespace {

// Weight of the regularisation.  Joints: far below any effective mass ratio that matters.  Contacts: a part
// of the relative error, since a wrong guess of the active ones makes rows contradict each other, and their
// quarrel must not pass for missing energy; the guess gets better as the error falls.
constexpr double joint_rho = 1e-9;
constexpr double contact_rho_per_error = 1e-2;

using SmallMatrix =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, max_block_rows, max_block_rows>;
using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, max_block_rows, 1>;

/// Where the step is taken from.
struct Linearisation {
    const PackedProblem& packed;
    View x;
    View w;
    double contact_rho;
};

// Newton on F(x) = x - P(x - D^-1 w), whose derivative is I - E + E D^-1 A, E that of the projection:
//
//     (B + E D^-1 A) d = -F,   B = I - (1 - rho) E      <=>      (I + Gamma A) d = f,
//     Gamma = B^-1 E D^-1,   f = -B^-1 F
//
// For a scalar row: E = 1 asks w + A d = 0 of it, E = 0 puts its impulse at the bound.
void linearise_cell(const Linearisation& at, const Cell& cell, double* gamma, std::span<double> f) {
    const int n = cell.rows;
    const View d = at.packed.metric().subspan(cell.first_row, cell.rows);
    const View x = at.x.subspan(cell.first_row, cell.rows);
    CellBlock derivative;
    for (int i = 0; i < n; ++i) f[i] = x[i] - at.w[cell.first_row + i] / d[i];
    const double bound = cell.kind == CellKind::box ? at.packed.frozen_bound(cell) : 0.0;
    project_with_derivative(at.packed, cell, bound, f, derivative);
    const SmallMatrix e = Eigen::Map<const SmallMatrix>(derivative.data(), n, n);
    SmallMatrix scaled = e;
    SmallVector minus_f(n);
    for (int i = 0; i < n; ++i) {
        minus_f[i] = f[i] - x[i];
        scaled.col(i) /= d[i];
    }
    const bool joint = cell.kind == CellKind::scalar && cell.lower == -infinity && cell.upper == infinity;
    const SmallMatrix b = SmallMatrix::Identity(n, n) - (1.0 - (joint ? joint_rho : at.contact_rho)) * e;
    const Eigen::PartialPivLU<SmallMatrix> lu(b);
    Eigen::Map<SmallMatrix>(gamma, n, n) = lu.solve(scaled);
    Eigen::Map<SmallVector>(f.data(), n) = lu.solve(minus_f);
}

}  // namespace

double estimate_missing_energy(const Problem& problem, std::span<const double> impulse) {
    PackedProblem packed;
    packed.pack(problem, PackedProblem::Use::products);
    packed.freeze(impulse);
    std::vector<double> w(packed.rows());
    std::vector<double> f(packed.rows());
    std::vector<double> d(packed.rows());
    packed.multiply(impulse, w);
    const double error = relative_error(packed.energy_error(impulse, w), packed.reference_energy());
    packed.multiply_symmetric(impulse, w);
    add_scaled(1.0, packed.frozen_linear_term(), w);
    const Linearisation at{.packed = packed,
                           .x = impulse,
                           .w = w,
                           .contact_rho = std::clamp(contact_rho_per_error * error, joint_rho, 1.0)};
    CellBlocks gamma;
    gamma.resize(packed.cells());
    for (std::size_t k = 0; k < packed.cells().size(); ++k) {
        const Cell& cell = packed.cells()[k];
        linearise_cell(at, cell, gamma[k], std::span(f).subspan(cell.first_row, cell.rows));
    }
    NewtonSystem system;
    system.prepare(packed);
    system.factorise(packed, gamma);
    system.solve(packed, f, d);
    packed.multiply_symmetric(d, w);
    return 0.5 * dot(View(d), View(w));
}

}  // namespace uptack

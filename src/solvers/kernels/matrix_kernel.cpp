// The rows of a cell of an assembled matrix times impulses; compiled once per instruction set
// (cmake/kernels.cmake).

#include "kernels/cone_projection.h"
#include "kernels/kernel_names.h"
#include "kernels/lanes.h"
#include "kernels/packed_view.h"

namespace uptack {
namespace {

// Four sums side by side: one would wait for each addition.
constexpr int sums = 4;

UPTACK_INLINE Four product_of_three_rows(const MatrixPanel& panel, const double* x) {
    Four sum[sums] = {all(0.0), all(0.0), all(0.0), all(0.0)};
    const double* value = panel.value;
    int k = 0;
    for (; k + sums <= panel.columns; k += sums, value += 4 * sums) {
        for (int s = 0; s < sums; ++s)
            sum[s] = fused(load(value + 4 * s), all(x[panel.column[k + s]]), sum[s]);
    }
    for (; k < panel.columns; ++k, value += 4) sum[0] = fused(load(value), all(x[panel.column[k]]), sum[0]);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

UPTACK_INLINE Four product_of_two_rows(const MatrixPanel& panel, const double* x) {
    Four sum[sums] = {all(0.0), all(0.0), all(0.0), all(0.0)};
    const double* value = panel.value;
    const auto term = [&](const double* a, int k) {
        return load(a) * two_of_each(x[panel.column[k]], x[panel.column[k + 1]]);
    };
    int k = 0;
    for (; k + 2 * sums <= panel.columns; k += 2 * sums, value += 4 * sums) {
        for (int s = 0; s < sums; ++s) sum[s] = sum[s] + term(value + 4 * s, k + 2 * s);
    }
    for (; k < panel.columns; k += 2, value += 4) sum[0] = sum[0] + term(value, k);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

UPTACK_INLINE void sweep_contact(const Cell& cell, const MatrixPanel& panel, const double* q, double step,
                                 double* x) {
    alignas(32) double w[4];
    store_any(w, product_of_three_rows(panel, x));
    for (int i = 0; i < 3; ++i) w[i] += q[i];
    if (takes_term(cell)) w[0] += cell.mu * __builtin_sqrt(w[1] * w[1] + w[2] * w[2]);
    double* xk = x + cell.first_row;
    xk[0] -= step * cell.spread * w[0];
    for (int i = 1; i < 3; ++i) xk[i] -= step * w[i];
    project_cone(cell.mu, lean_of(cell), xk[0], xk[1], xk[2]);
}

// In the plane.
UPTACK_INLINE void sweep_flat_contact(const Cell& cell, const MatrixPanel& panel, const double* q,
                                      double step, double* x) {
    alignas(32) double sum[4];
    store_any(sum, product_of_two_rows(panel, x));
    double w[2] = {q[0] + (sum[0] + sum[2]), q[1] + (sum[1] + sum[3])};
    if (takes_term(cell)) w[0] += cell.mu * __builtin_fabs(w[1]);
    double* xk = x + cell.first_row;
    xk[0] -= step * cell.spread * w[0];
    xk[1] -= step * w[1];
    project_flat_cone(cell.mu, lean_of(cell), xk[0], xk[1]);
}

}  // namespace

void UPTACK_ADD_PANEL(const MatrixPanel& panel, const double* x, double* w);
void UPTACK_ADD_PANEL(const MatrixPanel& panel, const double* x, double* w) {
    alignas(32) double sum[4];
    if (panel.rows == 3) {
        store_any(sum, product_of_three_rows(panel, x));
        for (int i = 0; i < 3; ++i) w[i] += sum[i];
    } else {
        store_any(sum, product_of_two_rows(panel, x));
        for (int i = 0; i < 2; ++i) w[i] += sum[i] + sum[2 + i];
    }
}

// x_k <- proj_K(x_k - omega step_k w_k), each row with its step
void UPTACK_SWEEP_PANELS(const PackedView& view, CellRange range, double omega, double* x);
void UPTACK_SWEEP_PANELS(const PackedView& view, CellRange range, double omega, double* x) {
    for (int k = 0; k < range.count; ++k) {
        const int at = range.first + (range.stride > 0 ? k : range.count - 1 - k);
        const Cell& cell = view.cells[at];
        const MatrixPanel& panel = view.panels[at];
        if (panel.rows == 3) {
            sweep_contact(cell, panel, view.q + cell.first_row, omega * cell.step, x);
        } else {
            sweep_flat_contact(cell, panel, view.q + cell.first_row, omega * cell.step, x);
        }
    }
}

}  // namespace uptack

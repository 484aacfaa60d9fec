// The dense loops under the sparse Cholesky factorisation, compiled once per instruction set.
//
// A panel is a dense matrix of doubles or of floats stored by columns, `stride` numbers apart.  Row counts
// are multiples of panel_pack; the rows that pad them hold zeros.  Element-wise operations in a fixed order:
// every target gives the same bits.
//
// No standard headers with inline code here: an inline function compiled for one target must not be linked
// into another.

#pragma once

namespace uptack {

inline constexpr int panel_pack = 8;  ///< rows that go together

template <class Real>
struct ConstPanel {
    const Real* first = nullptr;
    int stride = 0;
};

template <class Real>
struct Panel {
    Real* first = nullptr;
    int stride = 0;
};

/// C is rows x columns, A rows x depth, B columns x depth.
struct ProductSize {
    int rows = 0;
    int columns = 0;
    int depth = 0;
};

constexpr long panel_scratch(long columns, long depth) {
    return (columns + 32) * depth;
}

template <class Real>
struct PanelKernels {
    /// C = A B^T; scratch has room for panel_scratch(columns, depth) numbers
    void (*multiply)(ProductSize, ConstPanel<Real> a, ConstPanel<Real> b, Panel<Real> c, Real* scratch);
    /// C -= A B^T
    void (*subtract_product)(ProductSize, ConstPanel<Real> a, ConstPanel<Real> b, Panel<Real> c,
                             Real* scratch);
    /// X <- X L^-T, X being rows x columns and L lower triangular, columns x columns
    void (*divide)(int rows, int columns, ConstPanel<Real> lower, Panel<Real> x);
    /// y -= A x, A being rows x columns (no padding needed)
    void (*subtract_apply)(int rows, int columns, ConstPanel<Real> a, const Real* x, Real* y);
    /// x -= A^T y
    void (*subtract_apply_transposed)(int rows, int columns, ConstPanel<Real> a, const Real* y, Real* x);
};

/// The fastest set this machine runs; UPTACK_SIMD=portable in the environment asks for the plain one.
template <class Real>
const PanelKernels<Real>& panel_kernels();

}  // namespace uptack

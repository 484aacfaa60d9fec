// The dense loops under the sparse Cholesky factorisation, compiled once per instruction set.
//
// A panel is a dense matrix stored by columns, `stride` doubles apart.  Row counts are multiples of
// panel_pack; the rows that pad them hold zeros.  Element-wise operations in a fixed order: every target
// gives the same bits.
//
// No standard headers with inline code here: an inline function compiled for one target must not be linked
// into another.

#pragma once

namespace uptack {

inline constexpr int panel_pack = 8;  ///< rows that go together

struct ConstPanel {
    const double* first = nullptr;
    int stride = 0;
};

struct Panel {
    double* first = nullptr;
    int stride = 0;
};

/// C is rows x columns, A rows x depth, B columns x depth.
struct ProductSize {
    int rows = 0;
    int columns = 0;
    int depth = 0;
};

constexpr long panel_scratch(long columns, long depth) {
    return (columns + 16) * depth;
}

struct PanelKernels {
    /// C = A B^T; scratch has room for panel_scratch(columns, depth) doubles
    void (*multiply)(ProductSize, ConstPanel a, ConstPanel b, Panel c, double* scratch);
    /// C -= A B^T
    void (*subtract_product)(ProductSize, ConstPanel a, ConstPanel b, Panel c, double* scratch);
    /// X <- X L^-T, X being rows x columns and L lower triangular, columns x columns
    void (*divide)(int rows, int columns, ConstPanel lower, Panel x);
    /// y -= A x, A being rows x columns (no padding needed)
    void (*subtract_apply)(int rows, int columns, ConstPanel a, const double* x, double* y);
    /// x -= A^T y
    void (*subtract_apply_transposed)(int rows, int columns, ConstPanel a, const double* y, double* x);
};

/// The fastest set this machine runs; UPTACK_SIMD=portable in the environment asks for the plain one.
const PanelKernels& panel_kernels();

}  // namespace uptack

// The loops of panel.h, compiled once per instruction set (cmake/kernels.cmake).
//
// A tile of C, two vectors by up to 6 columns, stays in registers while the depth is summed: 12 accumulators,
// 2 of A and 1 of B fill the 16 registers of AVX2.  Vectors of eight where there is AVX-512, else of four;
// each number is the same sum in the same order either way.

#include "kernels/panel.h"

#define UPTACK_JOIN2(a, b) a##b
#define UPTACK_JOIN(a, b) UPTACK_JOIN2(a, b)
#define UPTACK_PANEL_KERNELS UPTACK_JOIN(panel_kernels_, UPTACK_KERNEL_TARGET)

namespace uptack {
namespace {

#define UPTACK_INLINE [[gnu::always_inline]] inline

using Two = double __attribute__((vector_size(16), aligned(8), may_alias));

#ifdef __AVX__
using Four = double __attribute__((vector_size(32), aligned(8), may_alias));

UPTACK_INLINE Four load(const double* p) {
    return *reinterpret_cast<const Four*>(p);
}
UPTACK_INLINE void store(double* p, Four value) {
    *reinterpret_cast<Four*>(p) = value;
}
UPTACK_INLINE Four spread(double value) {
    return Four{value, value, value, value};
}
#else
/// Two halves by hand: left to itself the compiler sends 32-byte vectors through the stack here.
struct Four {
    Two low, high;
};
UPTACK_INLINE Four operator+(Four a, Four b) {
    return {a.low + b.low, a.high + b.high};
}
UPTACK_INLINE Four operator-(Four a, Four b) {
    return {a.low - b.low, a.high - b.high};
}
UPTACK_INLINE Four operator*(Four a, Four b) {
    return {a.low * b.low, a.high * b.high};
}
UPTACK_INLINE Four load(const double* p) {
    return {*reinterpret_cast<const Two*>(p), *reinterpret_cast<const Two*>(p + 2)};
}
UPTACK_INLINE void store(double* p, Four value) {
    *reinterpret_cast<Two*>(p) = value.low;
    *reinterpret_cast<Two*>(p + 2) = value.high;
}
UPTACK_INLINE Four spread(double value) {
    return {Two{value, value}, Two{value, value}};
}
#endif

#ifdef __AVX512F__
using Wide = double __attribute__((vector_size(64), aligned(8), may_alias));
constexpr int wide = 8;

UPTACK_INLINE Wide load_wide(const double* p) {
    return *reinterpret_cast<const Wide*>(p);
}
UPTACK_INLINE void store(double* p, Wide value) {
    *reinterpret_cast<Wide*>(p) = value;
}
UPTACK_INLINE Wide spread_wide(double value) {
    return Wide{value, value, value, value, value, value, value, value};
}
#else
using Wide = Four;
constexpr int wide = 4;

UPTACK_INLINE Wide load_wide(const double* p) {
    return load(p);
}
UPTACK_INLINE Wide spread_wide(double value) {
    return spread(value);
}
#endif

enum class Store { set, subtract };

/// Vectors of a tile: their type decides the functions.
struct WideOps {
    using Vector = Wide;
    static constexpr int width = wide;
    UPTACK_INLINE static Wide get(const double* p) { return load_wide(p); }
    UPTACK_INLINE static Wide all(double value) { return spread_wide(value); }
};
struct FourOps {
    using Vector = Four;
    static constexpr int width = 4;
    UPTACK_INLINE static Four get(const double* p) { return load(p); }
    UPTACK_INLINE static Four all(double value) { return spread(value); }
};

/// Packs vectors of rows, Columns columns.
template <class Ops, int Packs, int Columns, Store how>
UPTACK_INLINE void tile(int depth, ConstPanel a, ConstPanel b, Panel c) {
    constexpr int width = Ops::width;
    typename Ops::Vector sum[Packs][Columns];
    for (int i = 0; i < Packs; ++i) {
        for (int j = 0; j < Columns; ++j) sum[i][j] = Ops::all(0.0);
    }
    const double* pa = a.first;
    const double* pb = b.first;
    for (int k = 0; k < depth; ++k, pa += a.stride, pb += b.stride) {
        typename Ops::Vector left[Packs];
        for (int i = 0; i < Packs; ++i) left[i] = Ops::get(pa + width * i);
        for (int j = 0; j < Columns; ++j) {
            const typename Ops::Vector right = Ops::all(pb[j]);
            for (int i = 0; i < Packs; ++i) sum[i][j] = sum[i][j] + left[i] * right;
        }
    }
    for (int j = 0; j < Columns; ++j) {
        double* out = c.first + static_cast<long>(j) * c.stride;
        for (int i = 0; i < Packs; ++i) {
            double* at = out + width * i;
            store(at, how == Store::set ? sum[i][j] : Ops::get(at) - sum[i][j]);
        }
    }
}

template <int Columns, Store how>
void tile_column(int rows, int depth, ConstPanel a, ConstPanel b, Panel c) {
    int i = 0;
    for (; i + 2 * wide <= rows; i += 2 * wide) {
        tile<WideOps, 2, Columns, how>(depth, {a.first + i, a.stride}, b, {c.first + i, c.stride});
    }
    for (; i + wide <= rows; i += wide) {
        tile<WideOps, 1, Columns, how>(depth, {a.first + i, a.stride}, b, {c.first + i, c.stride});
    }
    for (; i < rows; i += 4) {
        tile<FourOps, 1, Columns, how>(depth, {a.first + i, a.stride}, b, {c.first + i, c.stride});
    }
}

template <Store how>
void product(ProductSize size, ConstPanel a, ConstPanel b, Panel c) {
    for (int j = 0; j < size.columns; j += 6) {
        const ConstPanel bj{b.first + j, b.stride};
        const Panel cj{c.first + static_cast<long>(j) * c.stride, c.stride};
        switch (size.columns - j) {
            case 1:
                tile_column<1, how>(size.rows, size.depth, a, bj, cj);
                break;
            case 2:
                tile_column<2, how>(size.rows, size.depth, a, bj, cj);
                break;
            case 3:
                tile_column<3, how>(size.rows, size.depth, a, bj, cj);
                break;
            case 4:
                tile_column<4, how>(size.rows, size.depth, a, bj, cj);
                break;
            case 5:
                tile_column<5, how>(size.rows, size.depth, a, bj, cj);
                break;
            default:
                tile_column<6, how>(size.rows, size.depth, a, bj, cj);
        }
    }
}

void divide(int rows, int columns, ConstPanel lower, Panel x) {
    for (int i = 0; i < rows; i += 4) {
        for (int j = 0; j < columns; ++j) {
            double* out = x.first + static_cast<long>(j) * x.stride + i;
            Four value = load(out);
            for (int k = 0; k < j; ++k) {
                value = value - load(x.first + static_cast<long>(k) * x.stride + i) *
                                    spread(lower.first[static_cast<long>(k) * lower.stride + j]);
            }
            const double inverse = 1.0 / lower.first[static_cast<long>(j) * lower.stride + j];
            store(out, value * spread(inverse));
        }
    }
}

void subtract_apply(int rows, int columns, ConstPanel a, const double* x, double* y) {
    for (int j = 0; j < columns; ++j) {
        const double* column = a.first + static_cast<long>(j) * a.stride;
        for (int i = 0; i < rows; ++i) y[i] -= column[i] * x[j];
    }
}

// Four sums side by side per column, so that the order does not depend on the target.
void subtract_apply_transposed(int rows, int columns, ConstPanel a, const double* y, double* x) {
    for (int j = 0; j < columns; ++j) {
        const double* column = a.first + static_cast<long>(j) * a.stride;
        double sum[4] = {};
        int i = 0;
        for (; i + 4 <= rows; i += 4) {
            for (int k = 0; k < 4; ++k) sum[k] += column[i + k] * y[i + k];
        }
        for (; i < rows; ++i) sum[0] += column[i] * y[i];
        x[j] -= (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
}

}  // namespace

extern const PanelKernels UPTACK_PANEL_KERNELS;
const PanelKernels UPTACK_PANEL_KERNELS{.multiply = product<Store::set>,
                                        .subtract_product = product<Store::subtract>,
                                        .divide = divide,
                                        .subtract_apply = subtract_apply,
                                        .subtract_apply_transposed = subtract_apply_transposed};

}  // namespace uptack

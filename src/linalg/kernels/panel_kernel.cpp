// The loops of panel.h, compiled once per instruction set (cmake/kernels.cmake).
//
// A tile of C, two vectors by up to 6 columns, stays in registers while the depth is summed: 12 accumulators,
// 2 of A and 1 of B fill the 16 registers of AVX2.  Vectors of eight where there is AVX-512, else of four;
// each number is the same sum in the same order either way.

#include "kernels/panel.h"

#ifdef __FMA__
#include <immintrin.h>
#endif

#define UPTACK_JOIN2(a, b) a##b
#define UPTACK_JOIN(a, b) UPTACK_JOIN2(a, b)
#define UPTACK_PANEL_KERNELS UPTACK_JOIN(panel_kernels_, UPTACK_KERNEL_TARGET)

namespace uptack {
namespace {

#define UPTACK_INLINE [[gnu::always_inline]] inline

// The attributes before the "=": behind it clang would take the alignment for a vector's own, and loads would
// fault.
using Two [[gnu::vector_size(16), gnu::aligned(8), gnu::may_alias]] = double;

#ifdef __AVX__
using Four [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]] = double;

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
using Wide [[gnu::vector_size(64), gnu::aligned(8), gnu::may_alias]] = double;
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

// c + a b, rounded once, on every target: a factorisation is the same wherever it is made.
#ifdef __FMA__
UPTACK_INLINE Four fused(Four a, Four b, Four c) {
    return _mm256_fmadd_pd(a, b, c);
}
#else
UPTACK_INLINE Two fused(Two a, Two b, Two c) {
    return Two{__builtin_fma(a[0], b[0], c[0]), __builtin_fma(a[1], b[1], c[1])};
}
#ifdef __AVX__
UPTACK_INLINE Four fused(Four a, Four b, Four c) {
    for (int i = 0; i < 4; ++i) c[i] = __builtin_fma(a[i], b[i], c[i]);
    return c;
}
#else
UPTACK_INLINE Four fused(Four a, Four b, Four c) {
    return {fused(a.low, b.low, c.low), fused(a.high, b.high, c.high)};
}
#endif
#endif
#ifdef __AVX512F__
UPTACK_INLINE Wide fused(Wide a, Wide b, Wide c) {
    return _mm512_fmadd_pd(a, b, c);
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
            for (int i = 0; i < Packs; ++i) sum[i][j] = fused(left[i], right, sum[i][j]);
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

/// `columns` at most 6.
template <Store how>
void product_of_few(ProductSize size, ConstPanel a, ConstPanel b, Panel c) {
    switch (size.columns) {
        case 1:
            tile_column<1, how>(size.rows, size.depth, a, b, c);
            break;
        case 2:
            tile_column<2, how>(size.rows, size.depth, a, b, c);
            break;
        case 3:
            tile_column<3, how>(size.rows, size.depth, a, b, c);
            break;
        case 4:
            tile_column<4, how>(size.rows, size.depth, a, b, c);
            break;
        case 5:
            tile_column<5, how>(size.rows, size.depth, a, b, c);
            break;
        default:
            tile_column<6, how>(size.rows, size.depth, a, b, c);
    }
}

/// `rows` (a multiple of 4) of `depth` columns, one column right after the other.
void pack(int rows, int depth, ConstPanel from, double* to) {
    const double* column = from.first;
    for (int k = 0; k < depth; ++k, column += from.stride, to += rows) {
        for (int i = 0; i < rows; i += 4) store(to + i, load(column + i));
    }
}

/// The same for rows that are not a multiple of 4.
void pack_few(int rows, int depth, ConstPanel from, double* to) {
    const double* column = from.first;
    for (int k = 0; k < depth; ++k, column += from.stride, to += rows) {
        for (int i = 0; i < rows; ++i) to[i] = column[i];
    }
}

int least(int a, int b) {
    return a < b ? a : b;
}

// Far apart in memory, the columns of a large panel are slow to come by: B is packed once, A a strip of rows
// at a time, each used for all columns.
template <Store how>
void product(ProductSize size, ConstPanel a, ConstPanel b, Panel c, double* scratch) {
    constexpr int few = 6;
    constexpr int strip = 2 * wide;
    const auto part = [&](int i, int rows, ConstPanel rows_of_a, int j, ConstPanel columns_of_b) {
        product_of_few<how>({rows, least(few, size.columns - j), size.depth}, rows_of_a, columns_of_b,
                            {c.first + static_cast<long>(j) * c.stride + i, c.stride});
    };
    if (size.columns <= 4 * few) {  // packing pays only when it is used often
        for (int j = 0; j < size.columns; j += few) part(0, size.rows, a, j, {b.first + j, b.stride});
        return;
    }
    double* packed_b = scratch + static_cast<long>(strip) * size.depth;
    for (int j = 0; j < size.columns; j += few) {
        pack_few(least(few, size.columns - j), size.depth, {b.first + j, b.stride},
                 packed_b + static_cast<long>(j) * size.depth);
    }
    for (int i = 0; i < size.rows; i += strip) {
        const int rows = least(strip, size.rows - i);
        pack(rows, size.depth, {a.first + i, a.stride}, scratch);
        for (int j = 0; j < size.columns; j += few) {
            part(i, rows, {scratch, rows}, j,
                 {packed_b + static_cast<long>(j) * size.depth, least(few, size.columns - j)});
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

/// y -= A x for `Columns` columns at once: y is read and written once.
template <int Columns>
void subtract_apply_few(int rows, ConstPanel a, const double* x, double* y) {
    const double* column[Columns];
    Four minus[Columns];
    for (int j = 0; j < Columns; ++j) {
        column[j] = a.first + static_cast<long>(j) * a.stride;
        minus[j] = spread(-x[j]);
    }
    int i = 0;
    for (; i + 4 <= rows; i += 4) {
        Four value = load(y + i);
        for (int j = 0; j < Columns; ++j) value = fused(load(column[j] + i), minus[j], value);
        store(y + i, value);
    }
    for (; i < rows; ++i) {
        for (int j = 0; j < Columns; ++j) y[i] = __builtin_fma(column[j][i], -x[j], y[i]);
    }
}

void subtract_apply(int rows, int columns, ConstPanel a, const double* x, double* y) {
    int j = 0;
    for (; j + 6 <= columns; j += 6) {
        subtract_apply_few<6>(rows, {a.first + static_cast<long>(j) * a.stride, a.stride}, x + j, y);
    }
    for (; j < columns; ++j) {
        subtract_apply_few<1>(rows, {a.first + static_cast<long>(j) * a.stride, a.stride}, x + j, y);
    }
}

/// x -= A^T y for `Columns` columns at once.  Four sums side by side per column, so that the order does not
/// depend on the target.
template <int Columns>
void subtract_apply_transposed_few(int rows, ConstPanel a, const double* y, double* x) {
    const double* column[Columns];
    Four sums[Columns];
    for (int j = 0; j < Columns; ++j) {
        column[j] = a.first + static_cast<long>(j) * a.stride;
        sums[j] = spread(0.0);
    }
    int i = 0;
    for (; i + 4 <= rows; i += 4) {
        const Four value = load(y + i);
        for (int j = 0; j < Columns; ++j) sums[j] = fused(load(column[j] + i), value, sums[j]);
    }
    for (int j = 0; j < Columns; ++j) {
        double sum[4];
        store(sum, sums[j]);
        for (int rest = i; rest < rows; ++rest) sum[0] = __builtin_fma(column[j][rest], y[rest], sum[0]);
        x[j] -= (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
}

void subtract_apply_transposed(int rows, int columns, ConstPanel a, const double* y, double* x) {
    int j = 0;
    for (; j + 6 <= columns; j += 6) {
        subtract_apply_transposed_few<6>(rows, {a.first + static_cast<long>(j) * a.stride, a.stride}, y,
                                         x + j);
    }
    for (; j < columns; ++j) {
        subtract_apply_transposed_few<1>(rows, {a.first + static_cast<long>(j) * a.stride, a.stride}, y,
                                         x + j);
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

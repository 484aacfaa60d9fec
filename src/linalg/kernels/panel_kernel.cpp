// The loops of panel.h, compiled once per instruction set (cmake/kernels.cmake).
//
// A tile of C, two vectors by up to 6 columns, stays in registers while the depth is summed: 12 accumulators,
// 2 of A and 1 of B fill the 16 registers of AVX2.  Vectors of 64 bytes where there is AVX-512, else of 32;
// each number is the same sum in the same order either way.

#include "kernels/panel.h"

#ifdef __FMA__
#include <immintrin.h>
#endif

#define UPTACK_JOIN2(a, b) a##b
#define UPTACK_JOIN(a, b) UPTACK_JOIN2(a, b)
#define UPTACK_DOUBLE_PANELS UPTACK_JOIN(double_panels_, UPTACK_KERNEL_TARGET)
#define UPTACK_FLOAT_PANELS UPTACK_JOIN(float_panels_, UPTACK_KERNEL_TARGET)

namespace uptack {
namespace {

#define UPTACK_INLINE [[gnu::always_inline]] inline

UPTACK_INLINE double fused(double a, double b, double c) {
    return __builtin_fma(a, b, c);
}
UPTACK_INLINE float fused(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
}

// The attributes before the "=": behind it clang would take the alignment for a vector's own, and loads would
// fault.
template <class Real, int bytes>
struct VectorOf {
    using Type [[gnu::vector_size(bytes), gnu::aligned(sizeof(Real)), gnu::may_alias]] = Real;
};

#ifdef __AVX__
/// Numbers that one register holds.
template <class Real, int bytes>
struct Register {
    using Vector = typename VectorOf<Real, bytes>::Type;
    static constexpr int width = bytes / sizeof(Real);
    Vector v;

    UPTACK_INLINE static Register get(const Real* p) { return {*reinterpret_cast<const Vector*>(p)}; }
    UPTACK_INLINE static Register all(Real value) { return {value - Vector{}}; }
    UPTACK_INLINE void put(Real* p) const { *reinterpret_cast<Vector*>(p) = v; }
    UPTACK_INLINE friend Register operator-(Register a, Register b) { return {a.v - b.v}; }
    UPTACK_INLINE friend Register operator*(Register a, Register b) { return {a.v * b.v}; }
};
/// 32 bytes of numbers.
template <class Real>
using Pack = Register<Real, 32>;
#else
/// Two halves by hand: left to itself the compiler sends 32-byte vectors through the stack here.
template <class Real>
struct Pack {
    using Vector = typename VectorOf<Real, 16>::Type;
    static constexpr int width = 32 / sizeof(Real);
    Vector low, high;

    UPTACK_INLINE static Pack get(const Real* p) {
        return {*reinterpret_cast<const Vector*>(p), *reinterpret_cast<const Vector*>(p + width / 2)};
    }
    UPTACK_INLINE static Pack all(Real value) { return {value - Vector{}, value - Vector{}}; }
    UPTACK_INLINE void put(Real* p) const {
        *reinterpret_cast<Vector*>(p) = low;
        *reinterpret_cast<Vector*>(p + width / 2) = high;
    }
    UPTACK_INLINE friend Pack operator-(Pack a, Pack b) { return {a.low - b.low, a.high - b.high}; }
    UPTACK_INLINE friend Pack operator*(Pack a, Pack b) { return {a.low * b.low, a.high * b.high}; }
};
#endif

// c + a b, rounded once, on every target: a factorisation is the same wherever it is made.
#ifdef __FMA__
UPTACK_INLINE Pack<double> fused(Pack<double> a, Pack<double> b, Pack<double> c) {
    return {_mm256_fmadd_pd(a.v, b.v, c.v)};
}
UPTACK_INLINE Pack<float> fused(Pack<float> a, Pack<float> b, Pack<float> c) {
    return {_mm256_fmadd_ps(a.v, b.v, c.v)};
}
#else
template <class Real>
UPTACK_INLINE Pack<Real> fused(Pack<Real> a, Pack<Real> b, Pack<Real> c) {
    constexpr int width = Pack<Real>::width;
    Real x[width], y[width], z[width];
    a.put(x);
    b.put(y);
    c.put(z);
    for (int i = 0; i < width; ++i) z[i] = fused(x[i], y[i], z[i]);
    return Pack<Real>::get(z);
}
#endif

#ifdef __AVX512F__
template <class Real>
using WidePack = Register<Real, 64>;
UPTACK_INLINE WidePack<double> fused(WidePack<double> a, WidePack<double> b, WidePack<double> c) {
    return {_mm512_fmadd_pd(a.v, b.v, c.v)};
}
UPTACK_INLINE WidePack<float> fused(WidePack<float> a, WidePack<float> b, WidePack<float> c) {
    return {_mm512_fmadd_ps(a.v, b.v, c.v)};
}
#else
template <class Real>
using WidePack = Pack<Real>;
#endif

enum class Store { set, subtract };

/// Packs vectors of rows, Columns columns.
template <class Vector, int Packs, int Columns, Store how, class Real>
UPTACK_INLINE void tile(int depth, ConstPanel<Real> a, ConstPanel<Real> b, Panel<Real> c) {
    constexpr int width = Vector::width;
    Vector sum[Packs][Columns];
    for (int i = 0; i < Packs; ++i) {
        for (int j = 0; j < Columns; ++j) sum[i][j] = Vector::all(0);
    }
    const Real* pa = a.first;
    const Real* pb = b.first;
    for (int k = 0; k < depth; ++k, pa += a.stride, pb += b.stride) {
        Vector left[Packs];
        for (int i = 0; i < Packs; ++i) left[i] = Vector::get(pa + width * i);
        for (int j = 0; j < Columns; ++j) {
            const Vector right = Vector::all(pb[j]);
            for (int i = 0; i < Packs; ++i) sum[i][j] = fused(left[i], right, sum[i][j]);
        }
    }
    for (int j = 0; j < Columns; ++j) {
        Real* out = c.first + static_cast<long>(j) * c.stride;
        for (int i = 0; i < Packs; ++i) {
            Real* at = out + width * i;
            (how == Store::set ? sum[i][j] : Vector::get(at) - sum[i][j]).put(at);
        }
    }
}

template <int Columns, Store how, class Real>
void tile_column(int rows, int depth, ConstPanel<Real> a, ConstPanel<Real> b, Panel<Real> c) {
    using Wide = WidePack<Real>;
    using Narrow = Pack<Real>;
    int i = 0;
    for (; i + 2 * Wide::width <= rows; i += 2 * Wide::width)
        tile<Wide, 2, Columns, how, Real>(depth, {a.first + i, a.stride}, b, {c.first + i, c.stride});
    for (; i + Wide::width <= rows; i += Wide::width)
        tile<Wide, 1, Columns, how, Real>(depth, {a.first + i, a.stride}, b, {c.first + i, c.stride});
    for (; i < rows; i += Narrow::width)
        tile<Narrow, 1, Columns, how, Real>(depth, {a.first + i, a.stride}, b, {c.first + i, c.stride});
}

/// `columns` at most 6.
template <Store how, class Real>
void product_of_few(ProductSize size, ConstPanel<Real> a, ConstPanel<Real> b, Panel<Real> c) {
    switch (size.columns) {
        case 1:
            tile_column<1, how, Real>(size.rows, size.depth, a, b, c);
            break;
        case 2:
            tile_column<2, how, Real>(size.rows, size.depth, a, b, c);
            break;
        case 3:
            tile_column<3, how, Real>(size.rows, size.depth, a, b, c);
            break;
        case 4:
            tile_column<4, how, Real>(size.rows, size.depth, a, b, c);
            break;
        case 5:
            tile_column<5, how, Real>(size.rows, size.depth, a, b, c);
            break;
        default:
            tile_column<6, how, Real>(size.rows, size.depth, a, b, c);
    }
}

/// `rows` (a multiple of panel_pack) of `depth` columns, one column right after the other.
template <class Real>
void pack(int rows, int depth, ConstPanel<Real> from, Real* to) {
    const Real* column = from.first;
    for (int k = 0; k < depth; ++k, column += from.stride, to += rows) {
        for (int i = 0; i < rows; i += Pack<Real>::width) Pack<Real>::get(column + i).put(to + i);
    }
}

/// The same for any number of rows.
template <class Real>
void pack_few(int rows, int depth, ConstPanel<Real> from, Real* to) {
    const Real* column = from.first;
    for (int k = 0; k < depth; ++k, column += from.stride, to += rows) {
        for (int i = 0; i < rows; ++i) to[i] = column[i];
    }
}

int least(int a, int b) {
    return a < b ? a : b;
}

// Far apart in memory, the columns of a large panel are slow to come by: B is packed once, A a strip of rows
// at a time, each used for all columns.
template <Store how, class Real>
void product(ProductSize size, ConstPanel<Real> a, ConstPanel<Real> b, Panel<Real> c, Real* scratch) {
    constexpr int few = 6;
    constexpr int strip = 2 * WidePack<Real>::width;
    const auto part = [&](int i, int rows, ConstPanel<Real> rows_of_a, int j, ConstPanel<Real> columns_of_b) {
        product_of_few<how, Real>({rows, least(few, size.columns - j), size.depth}, rows_of_a, columns_of_b,
                                  {c.first + static_cast<long>(j) * c.stride + i, c.stride});
    };
    if (size.columns <= 4 * few) {  // packing pays only when it is used often
        for (int j = 0; j < size.columns; j += few) part(0, size.rows, a, j, {b.first + j, b.stride});
        return;
    }
    Real* packed_b = scratch + static_cast<long>(strip) * size.depth;
    for (int j = 0; j < size.columns; j += few) {
        pack_few<Real>(least(few, size.columns - j), size.depth, {b.first + j, b.stride},
                       packed_b + static_cast<long>(j) * size.depth);
    }
    for (int i = 0; i < size.rows; i += strip) {
        const int rows = least(strip, size.rows - i);
        pack<Real>(rows, size.depth, {a.first + i, a.stride}, scratch);
        for (int j = 0; j < size.columns; j += few) {
            part(i, rows, {scratch, rows}, j,
                 {packed_b + static_cast<long>(j) * size.depth, least(few, size.columns - j)});
        }
    }
}

template <class Real>
void divide(int rows, int columns, ConstPanel<Real> lower, Panel<Real> x) {
    using Vector = Pack<Real>;
    for (int i = 0; i < rows; i += Vector::width) {
        for (int j = 0; j < columns; ++j) {
            Real* out = x.first + static_cast<long>(j) * x.stride + i;
            Vector value = Vector::get(out);
            for (int k = 0; k < j; ++k) {
                value = value - Vector::get(x.first + static_cast<long>(k) * x.stride + i) *
                                    Vector::all(lower.first[static_cast<long>(k) * lower.stride + j]);
            }
            const Real inverse = Real{1} / lower.first[static_cast<long>(j) * lower.stride + j];
            (value * Vector::all(inverse)).put(out);
        }
    }
}

/// y -= A x for `Columns` columns at once: y is read and written once.
template <int Columns, class Real>
void subtract_apply_few(int rows, ConstPanel<Real> a, const Real* x, Real* y) {
    using Vector = Pack<Real>;
    const Real* column[Columns];
    Vector minus[Columns];
    for (int j = 0; j < Columns; ++j) {
        column[j] = a.first + static_cast<long>(j) * a.stride;
        minus[j] = Vector::all(-x[j]);
    }
    int i = 0;
    for (; i + Vector::width <= rows; i += Vector::width) {
        Vector value = Vector::get(y + i);
        for (int j = 0; j < Columns; ++j) value = fused(Vector::get(column[j] + i), minus[j], value);
        value.put(y + i);
    }
    for (; i < rows; ++i) {
        for (int j = 0; j < Columns; ++j) y[i] = fused(column[j][i], -x[j], y[i]);
    }
}

template <class Real>
void subtract_apply(int rows, int columns, ConstPanel<Real> a, const Real* x, Real* y) {
    int j = 0;
    for (; j + 6 <= columns; j += 6) {
        subtract_apply_few<6, Real>(rows, {a.first + static_cast<long>(j) * a.stride, a.stride}, x + j, y);
    }
    for (; j < columns; ++j) {
        subtract_apply_few<1, Real>(rows, {a.first + static_cast<long>(j) * a.stride, a.stride}, x + j, y);
    }
}

/// Of four or eight numbers, in pairs.
template <class Real>
Real sum_of(const Real* s) {
    const Real first = (s[0] + s[1]) + (s[2] + s[3]);
    return Pack<Real>::width == 4 ? first : first + ((s[4] + s[5]) + (s[6] + s[7]));
}

/// x -= A^T y for `Columns` columns at once.  A pack of sums side by side per column, so that the order does
/// not depend on the target.
template <int Columns, class Real>
void subtract_apply_transposed_few(int rows, ConstPanel<Real> a, const Real* y, Real* x) {
    using Vector = Pack<Real>;
    const Real* column[Columns];
    Vector sums[Columns];
    for (int j = 0; j < Columns; ++j) {
        column[j] = a.first + static_cast<long>(j) * a.stride;
        sums[j] = Vector::all(0);
    }
    int i = 0;
    for (; i + Vector::width <= rows; i += Vector::width) {
        const Vector value = Vector::get(y + i);
        for (int j = 0; j < Columns; ++j) sums[j] = fused(Vector::get(column[j] + i), value, sums[j]);
    }
    for (int j = 0; j < Columns; ++j) {
        Real sum[8] = {};
        sums[j].put(sum);
        for (int rest = i; rest < rows; ++rest) sum[0] = fused(column[j][rest], y[rest], sum[0]);
        x[j] -= sum_of(sum);
    }
}

template <class Real>
void subtract_apply_transposed(int rows, int columns, ConstPanel<Real> a, const Real* y, Real* x) {
    int j = 0;
    for (; j + 6 <= columns; j += 6) {
        subtract_apply_transposed_few<6, Real>(rows, {a.first + static_cast<long>(j) * a.stride, a.stride}, y,
                                               x + j);
    }
    for (; j < columns; ++j) {
        subtract_apply_transposed_few<1, Real>(rows, {a.first + static_cast<long>(j) * a.stride, a.stride}, y,
                                               x + j);
    }
}

template <class Real>
constexpr PanelKernels<Real> all_kernels() {
    return {.multiply = product<Store::set, Real>,
            .subtract_product = product<Store::subtract, Real>,
            .divide = divide<Real>,
            .subtract_apply = subtract_apply<Real>,
            .subtract_apply_transposed = subtract_apply_transposed<Real>};
}

}  // namespace

extern const PanelKernels<double> UPTACK_DOUBLE_PANELS;
extern const PanelKernels<float> UPTACK_FLOAT_PANELS;
const PanelKernels<double> UPTACK_DOUBLE_PANELS = all_kernels<double>();
const PanelKernels<float> UPTACK_FLOAT_PANELS = all_kernels<float>();

}  // namespace uptack

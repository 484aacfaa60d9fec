// Four numbers at once, one per contact, and what is done with a contact's three rows.
//
// Every target does the same operations on each lane in the same order, so that the bits are the same.  The
// names are local to the file that includes this: it is compiled for several instruction sets.

#pragma once

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "kernels/kernel_names.h"

namespace uptack {
namespace {

#ifdef __AVX2__
struct Four {
    __m256d v;
};
UPTACK_INLINE Four operator+(Four a, Four b) {
    return {_mm256_add_pd(a.v, b.v)};
}
UPTACK_INLINE Four operator-(Four a, Four b) {
    return {_mm256_sub_pd(a.v, b.v)};
}
UPTACK_INLINE Four operator*(Four a, Four b) {
    return {_mm256_mul_pd(a.v, b.v)};
}
UPTACK_INLINE Four operator/(Four a, Four b) {
    return {_mm256_div_pd(a.v, b.v)};
}
UPTACK_INLINE Four root(Four a) {
    return {_mm256_sqrt_pd(a.v)};
}
/// a b + c, rounded once
UPTACK_INLINE Four fused(Four a, Four b, Four c) {
    return {_mm256_fmadd_pd(a.v, b.v, c.v)};
}
UPTACK_INLINE Four all(double a) {
    return {_mm256_set1_pd(a)};
}
/// a a b b
UPTACK_INLINE Four two_of_each(double a, double b) {
    return {_mm256_set_m128d(_mm_set1_pd(b), _mm_set1_pd(a))};
}
UPTACK_INLINE Four load(const double* p) {
    return {_mm256_load_pd(p)};
}
UPTACK_INLINE Four load(const float* p) {
    return {_mm256_cvtps_pd(_mm_load_ps(p))};
}
UPTACK_INLINE Four load_any(const double* p) {  // of any alignment
    return {_mm256_loadu_pd(p)};
}
UPTACK_INLINE void store_any(double* p, Four a) {
    _mm256_storeu_pd(p, a.v);
}
UPTACK_INLINE Four load(const int* p) {
    return {_mm256_cvtepi32_pd(_mm_load_si128(reinterpret_cast<const __m128i*>(p)))};
}
/// (0 + 2) + (1 + 3)
UPTACK_INLINE double sum(Four a) {
    const __m128d halves = _mm_add_pd(_mm256_castpd256_pd128(a.v), _mm256_extractf128_pd(a.v, 1));
    return _mm_cvtsd_f64(halves) + _mm_cvtsd_f64(_mm_unpackhi_pd(halves, halves));
}
/// a where x <= y, else b
UPTACK_INLINE Four where_at_most(Four x, Four y, Four a, Four b) {
    return {_mm256_blendv_pd(b.v, a.v, _mm256_cmp_pd(x.v, y.v, _CMP_LE_OQ))};
}
/// Two consecutive numbers from each of four places, as lanes.
UPTACK_INLINE void load_pairs(const double* const* p, int offset, Four& first, Four& second) {
    const __m256d even = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(p[0] + offset)),
                                              _mm_loadu_pd(p[2] + offset), 1);
    const __m256d odd = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(p[1] + offset)),
                                             _mm_loadu_pd(p[3] + offset), 1);
    first = {_mm256_unpacklo_pd(even, odd)};
    second = {_mm256_unpackhi_pd(even, odd)};
}
UPTACK_INLINE void store_pairs(double* const* p, int offset, Four first, Four second) {
    const __m256d even = _mm256_unpacklo_pd(first.v, second.v);
    const __m256d odd = _mm256_unpackhi_pd(first.v, second.v);
    _mm_storeu_pd(p[0] + offset, _mm256_castpd256_pd128(even));
    _mm_storeu_pd(p[1] + offset, _mm256_castpd256_pd128(odd));
    _mm_storeu_pd(p[2] + offset, _mm256_extractf128_pd(even, 1));
    _mm_storeu_pd(p[3] + offset, _mm256_extractf128_pd(odd, 1));
}
#else
struct Four {
    double v[4];
};
#define UPTACK_LANES(expression)                         \
    Four out;                                            \
    for (int i = 0; i < 4; ++i) out.v[i] = (expression); \
    return out
UPTACK_INLINE Four operator+(Four a, Four b) {
    UPTACK_LANES(a.v[i] + b.v[i]);
}
UPTACK_INLINE Four operator-(Four a, Four b) {
    UPTACK_LANES(a.v[i] - b.v[i]);
}
UPTACK_INLINE Four operator*(Four a, Four b) {
    UPTACK_LANES(a.v[i] * b.v[i]);
}
UPTACK_INLINE Four operator/(Four a, Four b) {
    UPTACK_LANES(a.v[i] / b.v[i]);
}
UPTACK_INLINE Four root(Four a) {
    UPTACK_LANES(__builtin_sqrt(a.v[i]));
}
UPTACK_INLINE Four fused(Four a, Four b, Four c) {
    UPTACK_LANES(__builtin_fma(a.v[i], b.v[i], c.v[i]));
}
UPTACK_INLINE Four all(double a) {
    UPTACK_LANES(a);
}
UPTACK_INLINE Four two_of_each(double a, double b) {
    UPTACK_LANES(i < 2 ? a : b);
}
UPTACK_INLINE Four load(const double* p) {
    UPTACK_LANES(p[i]);
}
UPTACK_INLINE Four load(const float* p) {
    UPTACK_LANES(static_cast<double>(p[i]));
}
UPTACK_INLINE Four load_any(const double* p) {
    return load(p);
}
UPTACK_INLINE void store_any(double* p, Four a) {
    for (int i = 0; i < 4; ++i) p[i] = a.v[i];
}
UPTACK_INLINE Four load(const int* p) {
    UPTACK_LANES(static_cast<double>(p[i]));
}
UPTACK_INLINE double sum(Four a) {
    return (a.v[0] + a.v[2]) + (a.v[1] + a.v[3]);
}
UPTACK_INLINE Four where_at_most(Four x, Four y, Four a, Four b) {
    UPTACK_LANES(x.v[i] <= y.v[i] ? a.v[i] : b.v[i]);
}
UPTACK_INLINE void load_pairs(const double* const* p, int offset, Four& first, Four& second) {
    for (int i = 0; i < 4; ++i) {
        first.v[i] = p[i][offset];
        second.v[i] = p[i][offset + 1];
    }
}
UPTACK_INLINE void store_pairs(double* const* p, int offset, Four first, Four second) {
    for (int i = 0; i < 4; ++i) {
        p[i][offset] = first.v[i];
        p[i][offset + 1] = second.v[i];
    }
}
#endif

// Nearest point of { hypot(t1, t2) <= mu n }: cone_projection.h without branches.
UPTACK_INLINE void project_cones(Four mu, Four lean, Four* z) {
    const Four zero = all(0.0);
    const Four s = root(z[1] * z[1] + z[2] * z[2]);
    const Four along = z[0] + lean * s;
    const Four n = along / (all(1.0) + lean * mu);
    const Four shrink = mu / s * n;  // where it is not a number, the point was inside or polar
    const Four limit = mu * z[0];
    const Four outside[3] = {n, z[1] * shrink, z[2] * shrink};
    for (int r = 0; r < 3; ++r)
        z[r] = where_at_most(along, zero, zero, where_at_most(s, limit, z[r], outside[r]));
}

UPTACK_INLINE void read_rows(const double* const* at, Four* rows) {
    Four unused;
    load_pairs(at, 0, rows[0], rows[1]);
    load_pairs(at, 1, unused, rows[2]);
}

UPTACK_INLINE void write_rows(double* const* at, const Four* rows) {
    store_pairs(at, 0, rows[0], rows[1]);
    store_pairs(at, 1, rows[1], rows[2]);
}

}  // namespace
}  // namespace uptack

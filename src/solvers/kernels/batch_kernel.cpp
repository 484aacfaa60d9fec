// Sweeps and products over batches of four contacts, compiled once per instruction set (cmake/kernels.cmake).
//
// One vector lane is one contact; no two lanes of a batch move the same body.  The bodies' slots are read in
// halves of two numbers and turned into lanes by unpacking, which is cheaper than gather instructions.  Every
// target does the same operations on each lane in the same order, so that the bits are the same.

#include "kernels/kernel_names.h"
#include "kernels/packed_view.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

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
UPTACK_INLINE Four load(const double* p) {
    return {_mm256_load_pd(p)};
}
UPTACK_INLINE Four load(const int* p) {
    return {_mm256_cvtepi32_pd(_mm_load_si128(reinterpret_cast<const __m128i*>(p)))};
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
UPTACK_INLINE Four load(const double* p) {
    UPTACK_LANES(p[i]);
}
UPTACK_INLINE Four load(const int* p) {
    UPTACK_LANES(static_cast<double>(p[i]));
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

struct Side {
    double* slot[4];
    Four u[6];
};

UPTACK_INLINE void read(Side& side, const int* slots, double* u) {
    for (int lane = 0; lane < 4; ++lane) side.slot[lane] = u + slots[lane];
    for (int k = 0; k < 6; k += 2) load_pairs(side.slot, k, side.u[k], side.u[k + 1]);
}

UPTACK_INLINE void write(const Side& side) {
    for (int k = 0; k < 6; k += 2) store_pairs(side.slot, k, side.u[k], side.u[k + 1]);
}

// Nearest point of { hypot(t1, t2) <= mu n }: cone_projection.h without branches.
UPTACK_INLINE void project_cones(Four mu, Four* z) {
    const Four zero = all(0.0);
    const Four s = root(z[1] * z[1] + z[2] * z[2]);
    const Four along = z[0] + mu * s;
    const Four n = along / (all(1.0) + mu * mu);
    const Four shrink = mu / s * n;  // where it is not a number, the point was inside or polar
    const Four limit = mu * z[0];
    const Four outside[3] = {n, z[1] * shrink, z[2] * shrink};
    for (int r = 0; r < 3; ++r)
        z[r] = where_at_most(along, zero, zero, where_at_most(s, limit, z[r], outside[r]));
}

// w_r of the three rows, from `start` on: b + J v or just J v
UPTACK_INLINE void add_velocities(const ContactBatch& batch, const Side& a, const Side& b, Four* w) {
    const Four root_a = load(batch.root[0]);
    const Four root_b = load(batch.root[1]);
    Four apart[3];
    for (int k = 0; k < 3; ++k) apart[k] = root_a * a.u[k] - root_b * b.u[k];
    for (int r = 0; r < 3; ++r) {
        Four wb = load(batch.turn[1][r][0]) * b.u[3];
        for (int k = 0; k < 3; ++k) w[r] = fused(load(batch.frame[r][k]), apart[k], w[r]);
        for (int k = 1; k < 3; ++k) wb = fused(load(batch.turn[1][r][k]), b.u[3 + k], wb);
        for (int k = 0; k < 3; ++k) wb = fused(load(batch.turn[0][r][k]), a.u[3 + k], wb);
        w[r] = w[r] + wb;
    }
}

// u += G^T change on both sides
UPTACK_INLINE void push(const ContactBatch& batch, const Four* change, Side& a, Side& b) {
    const Four root_a = load(batch.root[0]);
    const Four root_b = load(batch.root[1]);
    for (int k = 0; k < 3; ++k) {
        Four along = load(batch.frame[0][k]) * change[0];
        for (int r = 1; r < 3; ++r) along = fused(load(batch.frame[r][k]), change[r], along);
        a.u[k] = fused(root_a, along, a.u[k]);
        b.u[k] = b.u[k] - root_b * along;
    }
    for (int k = 0; k < 3; ++k) {
        for (int r = 0; r < 3; ++r) {
            a.u[3 + k] = fused(load(batch.turn[0][r][k]), change[r], a.u[3 + k]);
            b.u[3 + k] = fused(load(batch.turn[1][r][k]), change[r], b.u[3 + k]);
        }
    }
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

template <bool exact, bool compliant>
UPTACK_INLINE void sweep_batch(const ContactBatch& batch, const double* c, Four omega, double* x, double* u) {
    Side a, b;
    read(a, batch.place[0], u);
    read(b, batch.place[1], u);
    double* at[4];
    Four xk[3];
    for (int lane = 0; lane < 4; ++lane) at[lane] = x + batch.row[lane];
    read_rows(at, xk);

    Four w[3];
    for (int r = 0; r < 3; ++r) w[r] = load(batch.q[r]);
    add_velocities(batch, a, b, w);
    for (int r = 0; compliant && r < 3; ++r) w[r] = fused(load(c + 4 * r), xk[r], w[r]);
    const Four mu = load(batch.mu);
    if (exact) w[0] = fused(mu * load(batch.exact), root(w[1] * w[1] + w[2] * w[2]), w[0]);
    const Four step = omega * load(batch.step);
    Four z[3];
    for (int r = 0; r < 3; ++r) z[r] = xk[r] - step * w[r];
    project_cones(mu, z);

    Four change[3];
    for (int r = 0; r < 3; ++r) change[r] = z[r] - xk[r];
    write_rows(at, z);
    push(batch, change, a, b);
    write(a);
    write(b);
}

constexpr int ahead = 4;

// The bodies of a batch some visits ahead: they are scattered, and another thread may have had them.
UPTACK_INLINE void prefetch_bodies(const ContactBatch& batch, const double* u) {
    for (int lane = 0; lane < 4; ++lane) {
        __builtin_prefetch(u + batch.place[0][lane]);
        __builtin_prefetch(u + batch.place[1][lane]);
    }
}

template <bool exact, bool compliant>
void sweep_all(const PackedView& view, CellRange range, double omega, double* x, double* u) {
    for (int k = 0; k < range.count; ++k) {
        const int at = range.first + (range.stride > 0 ? k : range.count - 1 - k);
        const double* c = compliant ? view.batch_c + 12 * static_cast<std::int64_t>(at) : nullptr;
        if (k + ahead < range.count) prefetch_bodies(view.batches[at + ahead * range.stride], u);
        sweep_batch<exact, compliant>(view.batches[at], c, all(omega), x, u);
    }
}

// y = G u + C x
UPTACK_INLINE void gather_batch(const ContactBatch& batch, const double* c, const double* u, const double* x,
                                double* y) {
    Side a, b;
    read(a, batch.place[0], const_cast<double*>(u));  // Side can write as well
    read(b, batch.place[1], const_cast<double*>(u));
    Four w[3] = {all(0.0), all(0.0), all(0.0)};
    add_velocities(batch, a, b, w);
    if (c != nullptr) {
        const double* from[4];
        Four xk[3];
        for (int lane = 0; lane < 4; ++lane) from[lane] = x + batch.row[lane];
        read_rows(from, xk);
        for (int r = 0; r < 3; ++r) w[r] = fused(load(c + 4 * r), xk[r], w[r]);
    }
    double* at[4];
    for (int lane = 0; lane < 4; ++lane) at[lane] = y + batch.row[lane];
    write_rows(at, w);
}

// u += G^T x
UPTACK_INLINE void scatter_batch(const ContactBatch& batch, const double* x, double* u) {
    Side a, b;
    read(a, batch.place[0], u);
    read(b, batch.place[1], u);
    const double* from[4];
    Four xk[3];
    for (int lane = 0; lane < 4; ++lane) from[lane] = x + batch.row[lane];
    read_rows(from, xk);
    push(batch, xk, a, b);
    write(a);
    write(b);
}

}  // namespace

void UPTACK_SWEEP_BATCHES(const PackedView& view, CellRange range, double omega, double* x, double* u);
void UPTACK_SWEEP_BATCHES(const PackedView& view, CellRange range, double omega, double* x, double* u) {
    const bool compliant = view.batch_c != nullptr;
    if (view.exact_batches) {
        (compliant ? sweep_all<true, true> : sweep_all<true, false>)(view, range, omega, x, u);
    } else {
        (compliant ? sweep_all<false, true> : sweep_all<false, false>)(view, range, omega, x, u);
    }
}

void UPTACK_SCATTER_BATCHES(const PackedView& view, CellRange range, const double* x, double* u);
void UPTACK_SCATTER_BATCHES(const PackedView& view, CellRange range, const double* x, double* u) {
    for (int at = range.first; at < range.first + range.count; ++at) {
        if (at + ahead < range.first + range.count) prefetch_bodies(view.batches[at + ahead], u);
        scatter_batch(view.batches[at], x, u);
    }
}

void UPTACK_GATHER_BATCHES(const PackedView& view, CellRange range, const double* u, const double* x,
                           double* y);
void UPTACK_GATHER_BATCHES(const PackedView& view, CellRange range, const double* u, const double* x,
                           double* y) {
    for (int at = range.first; at < range.first + range.count; ++at) {
        if (at + ahead < range.first + range.count) prefetch_bodies(view.batches[at + ahead], u);
        const double* c =
            view.batch_c != nullptr ? view.batch_c + 12 * static_cast<std::int64_t>(at) : nullptr;
        gather_batch(view.batches[at], c, u, x, y);
    }
}

}  // namespace uptack

// Sweeps and products over batches of four contacts, compiled once per instruction set (cmake/kernels.cmake).
//
// One vector lane is one contact; no two lanes of a batch move the same body.  The bodies' slots are read in
// halves of two numbers and turned into lanes by unpacking, which is cheaper than gather instructions.  Every
// target does the same operations on each lane in the same order, so that the bits are the same.

#include "kernels/kernel_names.h"
#include "kernels/lanes.h"
#include "kernels/packed_view.h"

namespace uptack {
namespace {

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

// w_r of the three rows, from `start` on: b + J v or just J v
template <class Batch>
UPTACK_INLINE void add_velocities(const Batch& batch, const Side& a, const Side& b, Four* w) {
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
template <class Batch>
UPTACK_INLINE void push(const Batch& batch, const Four* change, Side& a, Side& b) {
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

template <bool with_term, bool compliant, class Batch>
UPTACK_INLINE void sweep_batch(const Batch& batch, const double* c, Four omega, double* x, double* u) {
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
    const Four zero = all(0.0);
    const Four mu = load(batch.mu);
    Four leaning = load(batch.spread);  // negative where nothing leans, 0 for one that takes the term
    Four spread = where_at_most(leaning, zero, zero - leaning, leaning);
    leaning = where_at_most(leaning, zero, zero, leaning);
    if (with_term) {
        const Four takes_term = where_at_most(spread, zero, all(1.0), zero);
        w[0] = fused(mu * takes_term, root(w[1] * w[1] + w[2] * w[2]), w[0]);
        spread = spread + takes_term;
        leaning = leaning + takes_term;
    }
    const Four step = omega * load(batch.step);
    Four z[3];
    z[0] = xk[0] - step * spread * w[0];
    for (int r = 1; r < 3; ++r) z[r] = xk[r] - step * w[r];
    project_cones(mu, mu * leaning, z);

    Four change[3];
    for (int r = 0; r < 3; ++r) change[r] = z[r] - xk[r];
    write_rows(at, z);
    push(batch, change, a, b);
    write(a);
    write(b);
}

UPTACK_INLINE int nth(CellRange range, int k) {
    return range.first + (range.stride > 0 ? k : range.count - 1 - k);
}

// The bodies of a batch some visits ahead: they are scattered, and another thread may have had them.
template <class Batch>
UPTACK_INLINE void prefetch_bodies(const Batch* batches, CellRange range, int k, const double* u) {
    if (k >= range.count) return;
    const Batch& batch = batches[nth(range, k)];
    for (int lane = 0; lane < 4; ++lane) {
        __builtin_prefetch(u + batch.place[0][lane]);
        __builtin_prefetch(u + batch.place[1][lane]);
    }
}

template <class Batch>
UPTACK_INLINE void prefetch_impulses(const Batch* batches, CellRange range, int k, const double* x) {
    if (k >= range.count) return;
    for (const int row : batches[nth(range, k)].row) __builtin_prefetch(x + row);
}

// Some processors do not follow so wide a stream by themselves.  It is asked into the second cache: the first
// one can wait for few lines at a time.
template <class Batch>
UPTACK_INLINE void prefetch_batch(const Batch* batches, CellRange range, int k) {
    if (k >= range.count) return;
    const auto* bytes = reinterpret_cast<const char*>(batches + nth(range, k));
    constexpr int line = 64, for_reading = 0, into_second_cache = 2;
    for (int at = 0; at < static_cast<int>(sizeof(Batch)); at += line)
        __builtin_prefetch(bytes + at, for_reading, into_second_cache);
}

constexpr int bodies_ahead = 4;
constexpr int far_bodies_ahead = 8;
constexpr int far_batches_ahead = 16;

// visit(batch, its compliances or null) for each of the range.  Where the batches are more than caches hold,
// they are asked for twice as early as what they say is needed.
template <class Batch, class Visit>
UPTACK_INLINE void for_each(const Batch* batches, const PackedView& view, CellRange range, const double* x,
                            const double* u, const Visit& visit) {
    const auto visit_nth = [&](int k) {
        const std::int64_t at = nth(range, k);
        visit(batches[at], view.batch_c != nullptr ? view.batch_c + 12 * at : nullptr);
    };
    if (!view.many_batches) {
        for (int k = 0; k < range.count; ++k) {
            prefetch_bodies(batches, range, k + bodies_ahead, u);
            visit_nth(k);
        }
        return;
    }
    for (int k = 0; k < range.count; ++k) {
        prefetch_batch(batches, range, k + far_batches_ahead);
        prefetch_bodies(batches, range, k + far_bodies_ahead, u);
        prefetch_impulses(batches, range, k + far_bodies_ahead, x);
        visit_nth(k);
    }
}

template <bool with_term, bool compliant, class Batch>
void sweep_all(const Batch* batches, const PackedView& view, CellRange range, double omega, double* x,
               double* u) {
    for_each(batches, view, range, x, u, [=](const Batch& batch, const double* c) {
        sweep_batch<with_term, compliant>(batch, c, all(omega), x, u);
    });
}

template <class Batch>
void sweep_any(const Batch* batches, const PackedView& view, CellRange range, double omega, double* x,
               double* u) {
    const bool compliant = view.batch_c != nullptr;
    if (view.any_takes_term) {
        (compliant ? sweep_all<true, true, Batch> : sweep_all<true, false, Batch>)(batches, view, range,
                                                                                   omega, x, u);
    } else {
        (compliant ? sweep_all<false, true, Batch> : sweep_all<false, false, Batch>)(batches, view, range,
                                                                                     omega, x, u);
    }
}

// y = G u + C x
template <class Batch>
UPTACK_INLINE void gather_batch(const Batch& batch, const double* c, const double* u, const double* x,
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

template <class Batch>
void gather_all(const Batch* batches, const PackedView& view, CellRange range, const double* u,
                const double* x, double* y) {
    for_each(batches, view, range, x, u,
             [=](const Batch& batch, const double* c) { gather_batch(batch, c, u, x, y); });
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
    if (view.slim_batches != nullptr) {
        sweep_any(view.slim_batches, view, range, omega, x, u);
    } else {
        sweep_any(view.batches, view, range, omega, x, u);
    }
}

void UPTACK_SCATTER_BATCHES(const PackedView& view, CellRange range, const double* x, double* u);
void UPTACK_SCATTER_BATCHES(const PackedView& view, CellRange range, const double* x, double* u) {
    for_each(view.batches, view, range, x, u,
             [=](const ContactBatch& batch, const double*) { scatter_batch(batch, x, u); });
}

void UPTACK_GATHER_BATCHES(const PackedView& view, CellRange range, const double* u, const double* x,
                           double* y);
void UPTACK_GATHER_BATCHES(const PackedView& view, CellRange range, const double* u, const double* x,
                           double* y) {
    if (view.slim_batches != nullptr) {
        gather_all(view.slim_batches, view, range, u, x, y);
    } else {
        gather_all(view.batches, view, range, u, x, y);
    }
}

}  // namespace uptack

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

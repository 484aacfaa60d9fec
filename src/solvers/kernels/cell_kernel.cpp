// Projected steps and errors of contacts in the order of their rows, four at a time; compiled once per
// instruction set (cmake/kernels.cmake).

#include "kernels/kernel_names.h"
#include "kernels/lanes.h"
#include "kernels/packed_view.h"

namespace uptack {
namespace {

UPTACK_INLINE void read_cells(const Cell* cells, const double* from, Four* rows) {
    const double* at[4];
    for (int lane = 0; lane < 4; ++lane) at[lane] = from + cells[lane].first_row;
    read_rows(at, rows);
}

UPTACK_INLINE void write_cells(const Cell* cells, const Four* rows, double* to) {
    double* at[4];
    for (int lane = 0; lane < 4; ++lane) at[lane] = to + cells[lane].first_row;
    write_rows(at, rows);
}

UPTACK_INLINE Four frictions(const Cell* cells) {
    alignas(32) const double mu[4] = {cells[0].mu, cells[1].mu, cells[2].mu, cells[3].mu};
    return load(mu);
}

UPTACK_INLINE void read_or_zero(const Cell* cells, const double* from, Four* rows) {
    for (int r = 0; r < 3; ++r) rows[r] = all(0.0);
    if (from != nullptr) read_cells(cells, from, rows);
}

UPTACK_INLINE void project_in_metric(bool plain, Four mu, const Four* metric, Four* z) {
    project_cones(mu, plain ? mu : mu * (metric[1] / metric[0]), z);
}

// w = y + q, with De Saxce's term where it is asked for
UPTACK_INLINE void velocities(const ContactLoop& loop, const Cell* cells, Four mu, Four* w) {
    Four q[3];
    read_or_zero(cells, loop.y, w);
    read_cells(cells, loop.q, q);
    for (int r = 0; r < 3; ++r) w[r] = w[r] + q[r];
    if (!loop.exact) return;
    alignas(16) const int exact[4] = {cells[0].exact, cells[1].exact, cells[2].exact, cells[3].exact};
    w[0] = w[0] + mu * load(exact) * root(w[1] * w[1] + w[2] * w[2]);
}

}  // namespace

double UPTACK_ENERGY_OF_CONTACTS(const ContactLoop& loop);
double UPTACK_ENERGY_OF_CONTACTS(const ContactLoop& loop) {
    Four energy = all(0.0);
    for (const Cell* cells = loop.cells; cells != loop.cells + loop.count; cells += 4) {
        const Four mu = frictions(cells);
        Four x[3], w[3], metric[3], wa[3], before[3], z[3];
        read_or_zero(cells, loop.x, x);
        velocities(loop, cells, mu, w);
        read_cells(cells, loop.metric, metric);
        for (int r = 0; r < 3; ++r) wa[r] = w[r] / metric[r];
        for (int r = 0; r < 3; ++r) before[r] = z[r] = x[r] - wa[r];
        project_in_metric(loop.plain, mu, metric, z);
        for (int r = 0; r < 3; ++r) {  // w / a must not vanish in the round-off of a large x
            const Four moved = x[r] - z[r];
            const Four gap =
                where_at_most(z[r], before[r], where_at_most(before[r], z[r], wa[r], moved), moved);
            energy = energy + all(0.5) * metric[r] * gap * gap;
        }
    }
    return sum(energy);
}

void UPTACK_STEP_CONTACTS(const ContactLoop& loop, double alpha, double* z);
void UPTACK_STEP_CONTACTS(const ContactLoop& loop, double alpha, double* z) {
    for (const Cell* cells = loop.cells; cells != loop.cells + loop.count; cells += 4) {
        const Four mu = frictions(cells);
        Four x[3], w[3], metric[3];
        read_or_zero(cells, loop.x, x);
        velocities(loop, cells, mu, w);
        read_cells(cells, loop.metric, metric);
        for (int r = 0; r < 3; ++r) x[r] = x[r] - all(alpha) * w[r] / metric[r];
        project_in_metric(loop.plain, mu, metric, x);
        write_cells(cells, x, z);
    }
}

void UPTACK_PROJECT_CONTACTS(const ContactLoop& loop, double* x);
void UPTACK_PROJECT_CONTACTS(const ContactLoop& loop, double* x) {
    for (const Cell* cells = loop.cells; cells != loop.cells + loop.count; cells += 4) {
        Four z[3], metric[3];
        read_cells(cells, x, z);
        read_cells(cells, loop.metric, metric);
        project_in_metric(loop.plain, frictions(cells), metric, z);
        write_cells(cells, z, x);
    }
}

}  // namespace uptack

#include "uptack/certificate.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>

#include "fischer_burmeister.h"
#include "linalg/parallel.h"
#include "uptack/error_metric.h"

namespace uptack {
namespace {

using Rows = RowValues;

/// What the rows of a block do: each row of J is read once.
struct BlockRows {
    Rows velocity{};  // b + J v + C x, or b + A x in the assembled form
    Rows free{};      // the same for x = 0
    Rows metric{};    // a of error_metric.h
};

/// One side of the rows: `rows` of them, from `j` on.
template <Vec6 JacobianRow::*side>
void add_body(const Body& body, const Vec6& velocity, const JacobianRow* j, int rows, BlockRows& out) {
    for (int i = 0; i < rows; ++i) {
        const Vec6& row = j[i].*side;
        out.velocity[i] += dot(row, velocity);
        out.free[i] += dot(row, body.free_velocity);
        out.metric[i] += dot(row, apply_inverse_mass(body, row));
    }
}

void add_matrix_rows(const SparseMatrix& a, const Block& block, std::span<const double> impulse,
                     BlockRows& out) {
    for (int i = 0; i < block.rows; ++i) {
        const int row = block.first_row + i;
        for (std::int64_t k = a.start[row]; k < a.start[row + 1]; ++k)
            out.velocity[i] += a.value[k] * impulse[a.column[k]];
    }
}

/// `velocity` is that of the bodies as the certificate recomputed it, never a solver's.
BlockRows rows_of(const Problem& problem, const Block& block, std::span<const Vec6> velocity,
                  std::span<const double> impulse) {
    BlockRows out;
    for (int i = 0; i < block.rows; ++i) out.velocity[i] = out.free[i] = problem.bias[block.first_row + i];
    if (problem.matrix) {
        add_matrix_rows(*problem.matrix, block, impulse, out);
        out.metric = effective_inverse_mass(problem, block);
        return out;
    }
    const JacobianRow* j = problem.jacobian.data() + block.first_row;
    const int a = block.body_a;
    const int b = block.body_b;
    if (a != no_body) add_body<&JacobianRow::a>(problem.bodies[a], velocity[a], j, block.rows, out);
    if (b != no_body) add_body<&JacobianRow::b>(problem.bodies[b], velocity[b], j, block.rows, out);
    for (int i = 0; i < block.rows && !problem.compliance.empty(); ++i) {
        const int row = block.first_row + i;
        out.velocity[i] += problem.compliance[row] * impulse[row];
        out.metric[i] += problem.compliance[row];
    }
    share_metric(block.law, std::span(out.metric).first(block.rows));
    return out;
}

enum class Residuals : std::uint8_t { energy, all };

struct Measured {
    bool finite = true;           // impulses and velocities: a projection can turn a NaN into a number
    double energy = 0.0;          // 1/2 sum a r^2 [J]
    double reference = 0.0;       // the same of x = 0 [J]
    double natural_square = 0.0;  // |x - proj(x - w~)|^2
    double fischer_square = 0.0;  // |phi(x, w~)|^2
};

double energy_of(const Law& law, std::span<const double> x, std::span<const double> w,
                 std::span<const double> a) {
    const Rows r = natural_map(law, x, w, a);
    double energy = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) energy += 0.5 * a[i] * r[i] * r[i];
    return energy;
}

constexpr Rows ones = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
constexpr Rows nothing{};

Measured measure(const Problem& problem, const Block& block, std::span<const Vec6> velocity,
                 std::span<const double> impulse, Residuals wanted) {
    const auto n = static_cast<std::size_t>(block.rows);
    const std::span<const double> x = impulse.subspan(block.first_row, n);
    BlockRows rows = rows_of(problem, block, velocity, impulse);
    const std::span<const double> a = std::span(rows.metric).first(n);
    const std::span<double> w = std::span(rows.velocity).first(n);
    const std::span<double> free = std::span(rows.free).first(n);
    Measured out;
    for (std::size_t i = 0; i < n; ++i) {
        out.finite = out.finite && std::isfinite(w[i]) && std::isfinite(x[i]);
    }
    add_de_saxce_term(block.law, free);
    out.reference = energy_of(block.law, std::span(nothing).first(n), free, a);
    add_de_saxce_term(block.law, w);
    out.energy = energy_of(block.law, x, w, a);
    if (wanted == Residuals::energy) return out;
    const Rows plain = natural_map(block.law, x, w, std::span(ones).first(n));
    for (std::size_t i = 0; i < n; ++i) out.natural_square += plain[i] * plain[i];
    out.fischer_square = fischer_burmeister_square(block.law, x, w).value_or(out.natural_square);
    return out;
}

bool worse(const BlockError& a, const BlockError& b) {
    return a.energy_error_J != b.energy_error_J ? a.energy_error_J > b.energy_error_J : a.block < b.block;
}

/// The `count` largest, in a heap whose top is the least of them: large problems have too many blocks to
/// sort.
void find_largest(std::span<const double> errors, std::size_t count, std::vector<BlockError>& heap) {
    heap.clear();
    for (std::size_t k = 0; k < errors.size() && count > 0; ++k) {
        const BlockError one{static_cast<int>(k), errors[k]};
        if (!(one.energy_error_J > 0.0) || (heap.size() == count && !worse(one, heap.front()))) continue;
        if (heap.size() == count) {
            std::pop_heap(heap.begin(), heap.end(), worse);
            heap.pop_back();
        }
        heap.push_back(one);
        std::push_heap(heap.begin(), heap.end(), worse);
    }
    std::sort_heap(heap.begin(), heap.end(), worse);
}

/// `velocity` is that of the bodies, with these impulses.
void measure_all(const Problem& problem, std::span<const double> impulse, std::span<const Vec6> velocity,
                 std::size_t worst_count, Residuals wanted, Certificate& out) {
    out.block_energy_error_J.resize(problem.blocks.size());
    const auto some_blocks = [&](std::size_t first, std::size_t last) {
        std::array<double, 5> sum{};  // energy, reference, natural, Fischer-Burmeister, blocks not finite
        for (std::size_t k = first; k < last; ++k) {
            const Measured one = measure(problem, problem.blocks[k], velocity, impulse, wanted);
            out.block_energy_error_J[k] = one.energy;
            sum[0] += one.energy;
            sum[1] += one.reference;
            sum[2] += one.natural_square;
            sum[3] += one.fischer_square;
            sum[4] += one.finite ? 0.0 : 1.0;
        }
        return sum;
    };
    const auto [energy, reference, natural, fischer, not_finite] =
        sums_over_chunks<5>(problem.blocks.size(), some_blocks, blocks_grain);
    out.energy_error_J = energy;
    out.reference_energy_J = reference;
    const bool all = wanted == Residuals::all;
    out.natural_residual = all ? std::sqrt(natural) : std::numeric_limits<double>::quiet_NaN();
    out.fischer_burmeister = all ? std::sqrt(fischer) : std::numeric_limits<double>::quiet_NaN();
    out.finite = not_finite == 0.0 && std::isfinite(energy) && std::isfinite(reference);
    out.relative_error = relative_error(energy, reference);
    find_largest(out.block_energy_error_J, worst_count, out.worst);
}

}  // namespace

void Certifier::certify(const Problem& problem, Solution& solution, Certificate& out,
                        std::size_t worst_count) {
    assert(solution.impulse.size() == problem.bias.size());
    velocities_(problem, solution.impulse, solution.velocity);
    measure_all(problem, solution.impulse, solution.velocity, worst_count, Residuals::energy, out);
}

Certificate certify(const Problem& problem, std::span<const double> impulse, std::size_t worst_count) {
    assert(impulse.size() == problem.bias.size());
    Certificate out;
    measure_all(problem, impulse, body_velocities(problem, impulse), worst_count, Residuals::all, out);
    return out;
}

}  // namespace uptack

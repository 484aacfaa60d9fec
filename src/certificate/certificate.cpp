#include "uptack/certificate.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "fischer_burmeister.h"
#include "linalg/parallel.h"
#include "uptack/error_metric.h"

namespace uptack {
namespace {

using Rows = RowValues;

/// The velocities of a block's rows: b + J v + C x, or b + A x in the assembled form.  From the bodies'
/// velocities recomputed by the certificate, never from a solver.
void row_velocities(const Problem& problem, const Block& block, std::span<const Vec6> velocity,
                    std::span<const double> impulse, Rows& w) {
    for (int i = 0; i < block.rows; ++i) {
        const int row = block.first_row + i;
        w[i] = problem.bias[row];
        if (problem.matrix) {
            const SparseMatrix& a = *problem.matrix;
            for (std::int64_t k = a.start[row]; k < a.start[row + 1]; ++k)
                w[i] += a.value[k] * impulse[a.column[k]];
            continue;
        }
        const JacobianRow& j = problem.jacobian[row];
        if (block.body_a != no_body) w[i] += dot(j.a, velocity[block.body_a]);
        if (block.body_b != no_body) w[i] += dot(j.b, velocity[block.body_b]);
        if (!problem.compliance.empty()) w[i] += problem.compliance[row] * impulse[row];
    }
}

/// The same for x = 0.
void free_row_velocities(const Problem& problem, const Block& block, Rows& w) {
    for (int i = 0; i < block.rows; ++i) {
        const int row = block.first_row + i;
        w[i] = problem.bias[row];
        if (problem.matrix) continue;
        const JacobianRow& j = problem.jacobian[row];
        if (block.body_a != no_body) w[i] += dot(j.a, problem.bodies[block.body_a].free_velocity);
        if (block.body_b != no_body) w[i] += dot(j.b, problem.bodies[block.body_b].free_velocity);
    }
}

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
                 std::span<const double> impulse) {
    const auto n = static_cast<std::size_t>(block.rows);
    const std::span<const double> x = impulse.subspan(block.first_row, n);
    const Rows metric = effective_inverse_mass(problem, block);
    const std::span<const double> a = std::span(metric).first(n);
    Rows rows;
    const std::span<double> w = std::span(rows).first(n);
    Measured out;

    free_row_velocities(problem, block, rows);
    add_de_saxce_term(block.law, w);
    out.reference = energy_of(block.law, std::span(nothing).first(n), w, a);

    row_velocities(problem, block, velocity, impulse, rows);
    for (std::size_t i = 0; i < n; ++i) {
        out.finite = out.finite && std::isfinite(w[i]) && std::isfinite(x[i]);
    }
    add_de_saxce_term(block.law, w);
    out.energy = energy_of(block.law, x, w, a);
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
                 std::size_t worst_count, Certificate& out) {
    out.block_energy_error_J.resize(problem.blocks.size());
    const auto some_blocks = [&](std::size_t first, std::size_t last) {
        std::array<double, 5> sum{};  // energy, reference, natural, Fischer-Burmeister, blocks not finite
        for (std::size_t k = first; k < last; ++k) {
            const Measured one = measure(problem, problem.blocks[k], velocity, impulse);
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
    out.natural_residual = std::sqrt(natural);
    out.fischer_burmeister = std::sqrt(fischer);
    out.finite = not_finite == 0.0 && std::isfinite(energy) && std::isfinite(reference);
    out.relative_error = relative_error(energy, reference);
    find_largest(out.block_energy_error_J, worst_count, out.worst);
}

}  // namespace

void Certifier::certify(const Problem& problem, std::span<const double> impulse, Certificate& out,
                        std::size_t worst_count) {
    assert(impulse.size() == problem.bias.size());
    velocities_(problem, impulse, velocity_);
    measure_all(problem, impulse, velocity_, worst_count, out);
}

Certificate certify(const Problem& problem, std::span<const double> impulse, std::size_t worst_count) {
    assert(impulse.size() == problem.bias.size());
    Certificate out;
    measure_all(problem, impulse, body_velocities(problem, impulse), worst_count, out);
    return out;
}

}  // namespace uptack

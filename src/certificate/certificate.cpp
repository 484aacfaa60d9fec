#include "uptack/certificate.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "fischer_burmeister.h"
#include "uptack/error_metric.h"

namespace uptack {
namespace {

using Rows = RowValues;

/// The velocity the impulses really cause, row by row: recomputed, never taken from a solver.
class RowVelocities {
public:
    RowVelocities(const Problem& problem, std::span<const double> impulse)
        : problem_(problem), impulse_(impulse), velocity_(body_velocities(problem, impulse)) {}

    double operator()(const Block& block, int row) const {
        double w = problem_.bias[row];
        if (problem_.matrix) {
            const SparseMatrix& a = *problem_.matrix;
            for (std::int64_t k = a.start[row]; k < a.start[row + 1]; ++k)
                w += a.value[k] * impulse_[a.column[k]];
            return w;
        }
        const JacobianRow& j = problem_.jacobian[row];
        if (block.body_a != no_body) w += dot(j.a, velocity_[block.body_a]);
        if (block.body_b != no_body) w += dot(j.b, velocity_[block.body_b]);
        if (!problem_.compliance.empty()) w += problem_.compliance[row] * impulse_[row];
        return w;
    }

private:
    const Problem& problem_;
    std::span<const double> impulse_;
    std::vector<Vec6> velocity_;
};

struct Measured {
    bool finite = true;           // impulses and velocities: a projection can turn a NaN into a number
    double energy = 0.0;          // 1/2 sum a r^2 [J]
    double natural_square = 0.0;  // |x - proj(x - w~)|^2
    double fischer_square = 0.0;  // |phi(x, w~)|^2
};

Measured measure(const Law& law, std::span<const double> x, std::span<const double> w,
                 std::span<const double> a) {
    Measured out;
    Rows ones;
    ones.fill(1.0);
    const Rows r = natural_map(law, x, w, a);
    const Rows plain = natural_map(law, x, w, std::span(ones).first(x.size()));
    for (std::size_t i = 0; i < x.size(); ++i) {
        out.energy += 0.5 * a[i] * r[i] * r[i];
        out.natural_square += plain[i] * plain[i];
    }
    out.fischer_square = fischer_burmeister_square(law, x, w).value_or(out.natural_square);
    return out;
}

Measured measure_block(const Problem& problem, const Block& block, std::span<const double> impulse,
                       const RowVelocities& velocity) {
    const Rows a = effective_inverse_mass(problem, block);
    Rows w{};
    for (int i = 0; i < block.rows; ++i) w[i] = velocity(block, block.first_row + i);
    bool finite = true;
    for (int i = 0; i < block.rows; ++i) {
        finite = finite && std::isfinite(w[i]) && std::isfinite(impulse[block.first_row + i]);
    }
    add_de_saxce_term(block.law, std::span(w).first(block.rows));
    Measured out = measure(block.law, impulse.subspan(block.first_row, block.rows),
                           std::span(w).first(block.rows), std::span(a).first(block.rows));
    out.finite = finite;
    return out;
}

bool worse(const BlockError& a, const BlockError& b) {
    return a.energy_error_J != b.energy_error_J ? a.energy_error_J > b.energy_error_J : a.block < b.block;
}

/// The `count` largest, in a heap whose top is the least of them: large problems have too many blocks to
/// sort.
std::vector<BlockError> largest(std::span<const double> errors, std::size_t count) {
    std::vector<BlockError> heap;
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
    return heap;
}

double energy_of_doing_nothing(const Problem& problem) {
    const std::vector<double> zero(problem.bias.size(), 0.0);
    const RowVelocities velocity(problem, zero);
    double e0 = 0.0;
    for (const Block& block : problem.blocks) e0 += measure_block(problem, block, zero, velocity).energy;
    return e0;
}

}  // namespace

Certificate certify(const Problem& problem, std::span<const double> impulse, std::size_t worst_count) {
    assert(impulse.size() == problem.bias.size());
    Certificate out;
    out.block_energy_error_J.reserve(problem.blocks.size());
    const RowVelocities velocity(problem, impulse);
    double natural = 0.0;
    double fischer = 0.0;
    for (const Block& block : problem.blocks) {
        const Measured measured = measure_block(problem, block, impulse, velocity);
        out.finite = out.finite && measured.finite;
        out.block_energy_error_J.push_back(measured.energy);
        out.energy_error_J += measured.energy;
        natural += measured.natural_square;
        fischer += measured.fischer_square;
    }
    out.natural_residual = std::sqrt(natural);
    out.fischer_burmeister = std::sqrt(fischer);
    out.reference_energy_J = energy_of_doing_nothing(problem);
    out.finite = out.finite && std::isfinite(out.energy_error_J) && std::isfinite(out.reference_energy_J);
    out.relative_error = relative_error(out.energy_error_J, out.reference_energy_J);
    out.worst = largest(out.block_energy_error_J, worst_count);
    return out;
}

}  // namespace uptack

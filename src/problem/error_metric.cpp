#include "uptack/error_metric.h"

#include <algorithm>
#include <cmath>

namespace uptack {
namespace {

double largest_entry(const SparseMatrix& matrix, int row) {
    double largest = 0.0;
    for (std::int64_t k = matrix.start[row]; k < matrix.start[row + 1]; ++k) {
        largest = std::max(largest, std::abs(matrix.value[k]));
    }
    return largest > 0.0 ? largest : 1.0;
}

void average(std::span<double> values) {
    double sum = 0.0;
    for (const double value : values) sum += value;
    for (double& value : values) value = sum / static_cast<double>(values.size());
}

}  // namespace

void share_metric(const Law& law, std::span<double> a) {
    const auto* cone = std::get_if<FrictionCone>(&law);
    if (cone == nullptr) return;
    const auto [sliding, rolling, spinning] = friction_groups(*cone, static_cast<int>(a.size()));
    average(a.first(1 + sliding.count));
    if (rolling.count > 0) average(a.subspan(rolling.first, rolling.count));
}

std::array<double, max_block_rows> effective_inverse_mass(const Problem& problem, const Block& block) {
    std::array<double, max_block_rows> a{};
    for (int i = 0; i < block.rows; ++i) {
        const int row = block.first_row + i;
        a[i] = diagonal_entry(problem, block, row);
        if (!(a[i] > 0.0) && problem.matrix) a[i] = largest_entry(*problem.matrix, row);
    }
    share_metric(block.law, std::span(a).first(block.rows));
    return a;
}

}  // namespace uptack

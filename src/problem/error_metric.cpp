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
    std::fill(values.begin(), values.end(), sum / static_cast<double>(values.size()));
}

void project_for_error(const Law& law, double x_n, std::span<double> z, std::span<const double> metric) {
    if (const auto* box = std::get_if<BoxFriction>(&law)) {
        const double bound = box->mu * std::max(0.0, x_n);
        z[0] = std::max(0.0, z[0]);
        for (double& t : z.subspan(1)) t = std::clamp(t, -bound, bound);
        return;
    }
    project(law, z, metric);
}

}  // namespace

RowValues natural_map(const Law& law, std::span<const double> x, std::span<const double> w,
                      std::span<const double> a) {
    RowValues step{};
    RowValues z{};
    const std::size_t n = x.size();
    for (std::size_t i = 0; i < n; ++i) {
        step[i] = w[i] / a[i];
        z[i] = x[i] - step[i];
    }
    RowValues r = z;
    project_for_error(law, x[0], std::span(r).first(n), a);
    for (std::size_t i = 0; i < n; ++i) r[i] = r[i] == z[i] ? step[i] : x[i] - r[i];
    return r;
}

void share_metric(const Law& law, std::span<double> a) {
    const auto* cone = std::get_if<FrictionCone>(&law);
    if (cone == nullptr) return;
    if (a.size() <= 3) return average(a);
    const auto [sliding, rolling, spinning] = friction_groups(*cone, static_cast<int>(a.size()));
    average(a.first(1 + sliding.count));
    if (rolling.count > 0) average(a.subspan(rolling.first, rolling.count));
}

RowValues effective_inverse_mass(const Problem& problem, const Block& block) {
    RowValues a{};
    for (int i = 0; i < block.rows; ++i) {
        const int row = block.first_row + i;
        a[i] = diagonal_entry(problem, block, row);
        if (!(a[i] > 0.0) && problem.matrix) a[i] = largest_entry(*problem.matrix, row);
    }
    share_metric(block.law, std::span(a).first(block.rows));
    return a;
}

}  // namespace uptack

#include "cell_derivative.h"

#include <algorithm>
#include <cmath>

namespace uptack {
namespace {

struct ActiveGroup {
    FrictionGroup group;
    double mu = 0.0;    // in the plain metric
    double size = 0.0;  // |y_g|, plain
    bool active = false;
};

double length(std::span<const double> t) {
    double sum = 0.0;
    for (const double value : t) sum += value * value;
    return std::sqrt(sum);
}

/// Nearest normal; marks the groups that the cone cuts.  law.cpp explains the order.
double nearest_normal(double y_n, std::span<ActiveGroup> groups, double& denominator) {
    double numerator = y_n;
    denominator = 1.0;
    for (std::size_t round = 0; round < groups.size(); ++round) {
        ActiveGroup* next = nullptr;
        for (ActiveGroup& g : groups) {
            if (g.active || g.mu == 0.0) continue;
            if (next == nullptr || g.size * next->mu > next->size * g.mu) next = &g;
        }
        if (next == nullptr || next->size * denominator <= next->mu * numerator) break;
        numerator += next->mu * next->size;
        denominator += next->mu * next->mu;
        next->active = true;
    }
    for (ActiveGroup& g : groups) g.active = g.active || (g.mu == 0.0 && g.size > 0.0);
    return std::max(0.0, numerator / denominator);
}

/// dn/dy
std::array<double, max_block_rows> normal_gradient(std::span<const double> y,
                                                   std::span<const ActiveGroup> groups, double denominator) {
    std::array<double, max_block_rows> dn{};
    dn[0] = 1.0 / denominator;
    for (const ActiveGroup& g : groups) {
        if (!g.active || g.mu == 0.0) continue;
        for (int i = g.group.first; i < g.group.first + g.group.count; ++i) {
            dn[i] = g.mu * y[i] / g.size / denominator;
        }
    }
    return dn;
}

/// E of a cone in the plain metric; y is not yet projected, e is zero.
void cone_matrix(std::span<const double> y, std::span<const ActiveGroup> groups, double normal,
                 std::span<const double> dn, CellBlock& e) {
    const std::size_t n = y.size();
    std::copy_n(dn.begin(), n, e.begin());
    for (const ActiveGroup& g : groups) {
        const int first = g.group.first;
        const int last = first + g.group.count;
        if (!g.active) {  // mu = 0 and y = 0: the group cannot move either
            for (int i = first; i < last; ++i) e[i * n + i] = g.mu == 0.0 ? 0.0 : 1.0;
            continue;
        }
        const double bend = g.mu * normal / g.size;
        for (int i = first; i < last; ++i) {
            const double along = y[i] / g.size;
            for (std::size_t j = 0; j < n; ++j) e[i * n + j] = g.mu * along * dn[j];
            for (int j = first; j < last; ++j) e[i * n + j] -= bend * along * y[j] / g.size;
            e[i * n + i] += bend;
        }
    }
}

void project_cone_cell(const FrictionCone& cone, std::span<const double> metric, std::span<double> y,
                       CellBlock& e) {
    const std::size_t n = y.size();
    std::array<double, max_block_rows> scale{};
    for (std::size_t i = 0; i < n; ++i) scale[i] = std::sqrt(metric[i] / metric[0]);
    for (std::size_t i = 0; i < n; ++i) y[i] *= scale[i];
    std::array<ActiveGroup, 3> storage;
    std::size_t count = 0;
    for (const FrictionGroup& group : friction_groups(cone, static_cast<int>(n))) {
        if (group.count == 0) continue;
        storage[count++] = {.group = group,
                            .mu = group.mu * scale[group.first],
                            .size = length(y.subspan(group.first, group.count))};
    }
    const std::span<ActiveGroup> groups = std::span(storage).first(count);
    double denominator = 1.0;
    const double normal = nearest_normal(y[0], groups, denominator);
    std::fill_n(e.begin(), n * n, 0.0);
    if (!(normal > 0.0)) {
        std::fill(y.begin(), y.end(), 0.0);
        return;
    }
    cone_matrix(y, groups, normal, normal_gradient(y, groups, denominator), e);
    y[0] = normal;
    for (const ActiveGroup& g : groups) {
        if (!g.active) continue;
        for (double& t : y.subspan(g.group.first, g.group.count)) t *= g.mu * normal / g.size;
    }
    for (std::size_t i = 0; i < n; ++i) {
        y[i] /= scale[i];
        for (std::size_t j = 0; j < n; ++j) e[i * n + j] *= scale[j] / scale[i];
    }
}

double clamp_with_derivative(double lower, double upper, double& y) {
    const bool inside = y > lower && y < upper;
    y = std::clamp(y, lower, upper);
    return inside ? 1.0 : 0.0;
}

}  // namespace

void project_with_derivative(const PackedProblem& packed, const Cell& cell, double box_bound,
                             std::span<double> y, CellBlock& e) {
    const std::size_t n = y.size();
    if (cell.kind == CellKind::scalar) {
        e[0] = clamp_with_derivative(cell.lower, cell.upper, y[0]);
    } else if (cell.kind == CellKind::box) {
        std::fill_n(e.begin(), n * n, 0.0);
        e[0] = clamp_with_derivative(0.0, infinity, y[0]);
        for (std::size_t i = 1; i < n; ++i) {
            e[i * n + i] = clamp_with_derivative(-box_bound, box_bound, y[i]);
        }
    } else {
        project_cone_cell(packed.cone_of(cell), packed.metric().subspan(cell.first_row, n), y, e);
    }
}

void correct_with_derivative(const PackedProblem& packed, const Cell& cell, std::span<double> w,
                             CellBlock& s) {
    const std::size_t n = w.size();
    std::fill_n(s.begin(), n * n, 0.0);
    for (std::size_t i = 0; i < n; ++i) s[i * n + i] = 1.0;
    if (cell.exact == 0) return;
    const FrictionCone cone = packed.cone_of(cell);
    for (const FrictionGroup& g : friction_groups(cone, static_cast<int>(n))) {
        const double size = length(w.subspan(g.first, g.count));
        w[0] += g.mu * size;
        for (int i = g.first; i < g.first + g.count && size > 0.0; ++i) s[i] = g.mu * w[i] / size;
    }
}

}  // namespace uptack

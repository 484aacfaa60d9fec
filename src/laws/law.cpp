#include "uptack/law.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace uptack {
namespace {

double length(std::span<const double> t) {
    double sum = 0.0;
    for (const double value : t) sum += value * value;
    return std::sqrt(sum);
}

void clamp_tangents(double bound, std::span<double> tangents) {
    for (double& t : tangents) t = std::clamp(t, -bound, bound);
}

/// A group seen in coordinates y = sqrt(d) x, where the metric is the plain one and mu is scaled to match.
struct ScaledGroup {
    FrictionGroup group;
    double mu = 0.0;
    double size = 0.0;  // |y_g|
};

/// Nearest normal n >= 0: the zero of the increasing function
///     n - y_n - sum over g with |y_g| > mu_g n of  mu_g (|y_g| - mu_g n).
/// Groups become active in the order of falling |y_g| / mu_g; adding them in that order finds it directly.
double nearest_normal(double y_n, std::span<const ScaledGroup> groups) {
    double numerator = y_n;
    double denominator = 1.0;
    std::array<bool, 3> added{};
    for (std::size_t round = 0; round < groups.size(); ++round) {
        std::size_t next = groups.size();
        for (std::size_t g = 0; g < groups.size(); ++g) {
            if (added[g] || groups[g].mu == 0.0) continue;  // mu = 0 does not pull on the normal
            if (next == groups.size() || groups[g].size * groups[next].mu > groups[next].size * groups[g].mu)
                next = g;
        }
        if (next == groups.size() || groups[next].size * denominator <= groups[next].mu * numerator) break;
        numerator += groups[next].mu * groups[next].size;
        denominator += groups[next].mu * groups[next].mu;
        added[next] = true;
    }
    return std::max(0.0, numerator / denominator);
}

/// Sliding alone: the common case.
void project_sliding(double mu, std::span<double> z, std::span<const double> metric) {
    const double stretch = metric[1] == metric[0] ? 1.0 : std::sqrt(metric[1] / metric[0]);
    const double size = stretch * length(z.subspan(1));
    const double opening = mu * stretch;
    const double along = z[0] + opening * size;
    if (along <= 0.0) {  // in the polar cone; first, for size = 0 <= mu n = -0 without friction
        std::fill(z.begin(), z.end(), 0.0);
        return;
    }
    if (size <= opening * z[0]) return;
    z[0] = along / (1.0 + opening * opening);
    const double shrink = opening * z[0] / size;
    for (double& t : z.subspan(1)) t *= shrink;
}

void project_onto(const FrictionCone& cone, std::span<double> z, std::span<const double> metric) {
    if (z.size() <= 3) return project_sliding(cone.mu, z, metric);
    std::array<ScaledGroup, 3> scaled;
    std::size_t count = 0;
    const double normal_scale = std::sqrt(metric[0]);
    for (const FrictionGroup& group : friction_groups(cone, static_cast<int>(z.size()))) {
        if (group.count == 0) continue;
        const double scale = std::sqrt(metric[group.first]);
        scaled[count++] = {.group = group,
                           .mu = group.mu * scale / normal_scale,
                           .size = scale * length(z.subspan(group.first, group.count))};
    }
    const double n = nearest_normal(z[0] * normal_scale, std::span(scaled).first(count));
    z[0] = n / normal_scale;
    for (const ScaledGroup& g : std::span(scaled).first(count)) {
        const double bound = g.mu * n;
        if (g.size <= bound) continue;
        for (double& t : z.subspan(g.group.first, g.group.count)) t *= bound / g.size;
    }
}

void project_onto(const BoxFriction& box, std::span<double> z, std::span<const double>) {
    z[0] = std::max(0.0, z[0]);
    clamp_tangents(box.mu * z[0], z.subspan(1));
}

void project_onto(const Bilateral&, std::span<double>, std::span<const double>) {}

void project_onto(const Unilateral&, std::span<double> z, std::span<const double>) {
    for (double& value : z) value = std::max(0.0, value);
}

void project_onto(const Interval& interval, std::span<double> z, std::span<const double>) {
    for (double& value : z) value = std::clamp(value, interval.lower, interval.upper);
}

bool is_inside(const Bilateral&, std::span<const double>, double) {
    return true;
}

bool is_inside(const Unilateral&, std::span<const double> x, double slack) {
    return std::all_of(x.begin(), x.end(), [=](double value) { return value >= -slack; });
}

bool is_inside(const Interval& interval, std::span<const double> x, double slack) {
    return std::all_of(x.begin(), x.end(), [&](double value) {
        return value >= interval.lower - slack && value <= interval.upper + slack;
    });
}

bool is_inside(const FrictionCone& cone, std::span<const double> x, double slack) {
    if (x[0] < -slack) return false;
    for (const FrictionGroup& g : friction_groups(cone, static_cast<int>(x.size()))) {
        if (length(x.subspan(g.first, g.count)) > g.mu * x[0] + slack) return false;
    }
    return true;
}

bool is_inside(const BoxFriction& box, std::span<const double> x, double slack) {
    if (x[0] < -slack) return false;
    return std::all_of(x.begin() + 1, x.end(),
                       [&](double t) { return std::abs(t) <= box.mu * std::max(0.0, x[0]) + slack; });
}

bool vanishes(std::span<const double> w, double slack) {
    return std::all_of(w.begin(), w.end(), [=](double value) { return std::abs(value) <= slack; });
}

bool is_dual(const Bilateral&, std::span<const double> w, double slack) {
    return vanishes(w, slack);
}

bool is_dual(const Unilateral& law, std::span<const double> w, double slack) {
    return is_inside(law, w, slack);
}

bool is_dual(const Interval& interval, std::span<const double> w, double slack) {
    if (interval.lower == 0.0 && interval.upper == infinity) return is_dual(Unilateral{}, w, slack);
    return vanishes(w, slack);
}

bool is_dual(const FrictionCone& cone, std::span<const double> w, double slack) {
    double needed = 0.0;
    for (const FrictionGroup& g : friction_groups(cone, static_cast<int>(w.size()))) {
        needed += g.mu * length(w.subspan(g.first, g.count));
    }
    return w[0] >= needed - slack;
}

bool is_dual(const BoxFriction&, std::span<const double> w, double slack) {
    return vanishes(w, slack);
}

}  // namespace

std::array<FrictionGroup, 3> friction_groups(const FrictionCone& cone, int rows) {
    const FrictionGroup sliding{.first = 1, .count = rows == 2 ? 1 : 2, .mu = cone.mu};
    const FrictionGroup rolling{.first = 3, .count = rows >= 5 ? 2 : 0, .mu = cone.mu_roll};
    const bool spins = rows == 4 || rows == 6;
    const FrictionGroup spinning{
        .first = spins ? rows - 1 : rows, .count = spins ? 1 : 0, .mu = cone.mu_spin};
    if (rolling.count == 0) return {sliding, {.first = rows}, spinning};
    return {sliding, rolling, spinning};
}

bool allows_rows(const Law& law, int rows) {
    if (std::holds_alternative<FrictionCone>(law)) return rows >= 2 && rows <= 6;
    if (std::holds_alternative<BoxFriction>(law)) return rows == 2 || rows == 3;
    return rows >= 1 && rows <= max_block_rows;
}

void project(const Law& law, std::span<double> z, std::span<const double> metric) {
    assert(metric.size() == z.size());
    std::visit([&](const auto& some) { project_onto(some, z, metric); }, law);
}

bool contains(const Law& law, std::span<const double> x, double slack) {
    return std::visit([&](const auto& some) { return is_inside(some, x, slack); }, law);
}

bool dual_contains(const Law& law, std::span<const double> w, double slack) {
    return std::visit([&](const auto& some) { return is_dual(some, w, slack); }, law);
}

void add_de_saxce_term(const Law& law, std::span<double> w) {
    const auto* cone = std::get_if<FrictionCone>(&law);
    if (cone == nullptr || cone->model == FrictionModel::convex) return;
    if (w.size() <= 3) {
        w[0] += cone->mu * length(w.subspan(1));
        return;
    }
    for (const FrictionGroup& g : friction_groups(*cone, static_cast<int>(w.size()))) {
        w[0] += g.mu * length(w.subspan(g.first, g.count));
    }
}

}  // namespace uptack

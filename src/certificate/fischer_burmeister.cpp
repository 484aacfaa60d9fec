#include "fischer_burmeister.h"

#include <algorithm>
#include <cmath>

namespace uptack {
namespace {

double phi(double a, double b) {
    return a + b - std::hypot(a, b);
}

double square(double value) {
    return value * value;
}

double interval_phi(double lower, double upper, double x, double w) {
    const double from_above = upper == infinity ? w : -phi(upper - x, -w);
    return lower == -infinity ? from_above : phi(x - lower, from_above);
}

/// x and y given as (first, rest); |x + y - (x o x + y o y)^(1/2)|^2 by the spectral decomposition of
/// z = x o x + y o y = (z0, zbar), whose eigenvalues are z0 -+ |zbar|.
double second_order_cone_phi_square(std::span<const double> x, std::span<const double> y) {
    const std::size_t n = x.size();
    double z0 = 0.0;
    std::array<double, 3> zbar{};
    double zbar_square = 0.0;
    for (std::size_t i = 0; i < n; ++i) z0 += square(x[i]) + square(y[i]);
    for (std::size_t i = 1; i < n; ++i) {
        zbar[i] = 2.0 * (x[0] * x[i] + y[0] * y[i]);
        zbar_square += square(zbar[i]);
    }
    const double zbar_size = std::sqrt(zbar_square);
    const double root_minus = std::sqrt(std::max(0.0, z0 - zbar_size));
    const double root_plus = std::sqrt(z0 + zbar_size);
    double sum = square(x[0] + y[0] - 0.5 * (root_plus + root_minus));
    for (std::size_t i = 1; i < n; ++i) {
        const double direction = zbar_size > 0.0 ? zbar[i] / zbar_size : 0.0;
        sum += square(x[i] + y[i] - 0.5 * (root_plus - root_minus) * direction);
    }
    return sum;
}

std::optional<double> of(const FrictionCone& cone, std::span<const double> x, std::span<const double> w) {
    if (x.size() > 3) return std::nullopt;
    if (cone.mu == 0.0) {  // no friction: a unilateral normal, and no impulse sideways
        double sum = square(phi(x[0], w[0]));
        for (const double t : x.subspan(1)) sum += square(t);
        return sum;
    }
    std::array<double, 3> a{cone.mu * x[0], x[1], x.size() > 2 ? x[2] : 0.0};
    std::array<double, 3> b{w[0], cone.mu * w[1], w.size() > 2 ? cone.mu * w[2] : 0.0};
    return second_order_cone_phi_square(std::span(a).first(x.size()), std::span(b).first(x.size()));
}

std::optional<double> of(const BoxFriction& box, std::span<const double> x, std::span<const double> w) {
    const double bound = box.mu * std::max(0.0, x[0]);
    double sum = square(phi(x[0], w[0]));
    for (std::size_t i = 1; i < x.size(); ++i) sum += square(interval_phi(-bound, bound, x[i], w[i]));
    return sum;
}

std::optional<double> of(const Interval& interval, std::span<const double> x, std::span<const double> w) {
    double sum = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i)
        sum += square(interval_phi(interval.lower, interval.upper, x[i], w[i]));
    return sum;
}

std::optional<double> of(const Unilateral&, std::span<const double> x, std::span<const double> w) {
    return of(Interval{.lower = 0.0, .upper = infinity}, x, w);
}

std::optional<double> of(const Bilateral&, std::span<const double> x, std::span<const double> w) {
    return of(Interval{}, x, w);
}

}  // namespace

std::optional<double> fischer_burmeister_square(const Law& law, std::span<const double> x,
                                                std::span<const double> w) {
    return std::visit([&](const auto& some) { return of(some, x, w); }, law);
}

}  // namespace uptack

#include "largest_eigenvalue.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace uptack {
namespace {

/// Newton's method on the characteristic polynomial of a 3x3 matrix, from an upper bound.  All roots are
/// real, so it falls monotonically onto the largest and may be stopped anywhere; near a double root (spheres
/// have one) value and slope both vanish, and the value must still be more than round-off for their ratio to
/// mean anything.
double largest_of_three(const Eigen::Matrix3d& s) {
    double lambda = s.cwiseAbs().rowwise().sum().maxCoeff();  // Gershgorin
    const double c2 = s.trace();
    const double c1 = s(0, 0) * s(1, 1) + s(0, 0) * s(2, 2) + s(1, 1) * s(2, 2) - s(0, 1) * s(0, 1) -
                      s(0, 2) * s(0, 2) - s(1, 2) * s(1, 2);
    const double c0 = s.determinant();
    for (int i = 0; i < 12; ++i) {
        const double value = ((lambda - c2) * lambda + c1) * lambda - c0;
        const double slope = (3.0 * lambda - 2.0 * c2) * lambda + c1;
        if (!(value > 1e-12 * lambda * lambda * lambda) || !(slope > 0.0)) break;
        const double next = lambda - value / slope;
        if (!(next < lambda * (1.0 - 1e-6))) break;
        lambda = next;
    }
    return lambda;
}

/// sqrt(a b); the rows of a contact have the same metric
double between(double a, double b) {
    return a == b ? a : std::sqrt(a * b);
}

}  // namespace

double largest_scaled_eigenvalue(std::span<const double> a, std::span<const double> metric) {
    const auto n = static_cast<int>(metric.size());
    if (n == 1) return std::max(a[0] / metric[0], 1e-12);
    if (n <= 3) {
        Eigen::Matrix3d s = Eigen::Matrix3d::Zero();
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) s(i, j) = a[i * n + j] / between(metric[i], metric[j]);
        }
        return std::max(largest_of_three(s), 1e-12);
    }
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6> s(n, n);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) s(i, j) = a[i * n + j] / between(metric[i], metric[j]);
    }
    Eigen::SelfAdjointEigenSolver<decltype(s)> eigen(s, Eigen::EigenvaluesOnly);
    return std::max(eigen.eigenvalues()[n - 1] * (1.0 + 1e-12), 1e-12);
}

}  // namespace uptack

// GMRES against Eigen's dense solve.

#include "linalg/gmres.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "support/random.h"
#include "support/tolerance.h"

namespace uptack::test {
namespace {

TEST(Gmres, SolvesAnUnsymmetricSystem) {
    Random random(1);
    Gmres gmres;
    for (const int n : {1, 2, 10, 30}) {
        Eigen::MatrixXd m = 3.0 * std::sqrt(n) * Eigen::MatrixXd::Identity(n, n);
        for (double& value : m.reshaped()) value += random.normal();
        const std::vector<double> b = random.normals(n);
        std::vector<double> x(n);
        std::vector<double> weights(n);
        for (double& weight : weights) weight = random.uniform(0.1, 10.0);
        const auto multiply = [&](View in, MutableView out) {
            Eigen::Map<Eigen::VectorXd>(out.data(), n) = m * Eigen::Map<const Eigen::VectorXd>(in.data(), n);
        };
        const auto identity = [](View in, MutableView out) { copy(in, out); };
        EXPECT_LE(gmres.solve(b, weights, {.reduction = 1e-12}, multiply, identity, x), 1e-12);
        const Eigen::VectorXd expected =
            m.partialPivLu().solve(Eigen::Map<const Eigen::VectorXd>(b.data(), n));
        EXPECT_LE((Eigen::Map<Eigen::VectorXd>(x.data(), n) - expected).norm(),
                  tolerance(1e-10) * expected.norm());
    }
}

TEST(Gmres, ZeroRightHandSideGivesZero) {
    Gmres gmres;
    const std::vector<double> b(3, 0.0);
    const std::vector<double> weights(3, 1.0);
    std::vector<double> x(3, 7.0);
    const auto identity = [](View in, MutableView out) { copy(in, out); };
    EXPECT_EQ(gmres.solve(b, weights, {.reduction = 1e-6}, identity, identity, x), 0.0);
    EXPECT_EQ(x, b);
}

}  // namespace
}  // namespace uptack::test

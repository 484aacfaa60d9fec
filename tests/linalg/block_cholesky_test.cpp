// The sparse block Cholesky factorisation against Eigen's dense one.

#include "block_cholesky.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>

#include "support/random.h"
#include "support/tolerance.h"

namespace uptack::test {
namespace {

struct BlockSystem {
    std::vector<int> sizes;
    std::vector<BlockCholesky::Edge> edges;
    Eigen::MatrixXd dense;  // in the order of the nodes
    std::vector<int> offset;
};

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// I + sum over edges of B B^T, B random over the two nodes of the edge; repeated edges occur.
BlockSystem random_system(std::uint64_t seed, int nodes, int edges, bool same_size) {
    Random random(seed);
    BlockSystem out;
    out.offset = {0};
    for (int k = 0; k < nodes; ++k) {
        out.sizes.push_back(same_size ? 6 : random.whole(1, 6));
        out.offset.push_back(out.offset.back() + out.sizes.back());
    }
    for (int e = 0; e < edges && nodes > 1; ++e) {
        const int a = random.whole(0, nodes - 1);
        const int b = (a + random.whole(1, std::min(nodes - 1, 5))) % nodes;
        if (a != b) out.edges.push_back({a, b});
    }
    return out;
}

/// Of the matrix between B and B^T.
enum class Shape : bool { symmetric, unsymmetric };

/// The identity, with a skew part where it is not to be symmetric: positive definite all the same.
Eigen::Matrix3d random_middle(Random& random, Shape shape) {
    Eigen::Matrix3d middle = Eigen::Matrix3d::Identity();
    for (int i = 0; i < 3 && shape == Shape::unsymmetric; ++i) {
        middle(i, (i + 1) % 3) = random.normal();
        middle((i + 1) % 3, i) = -middle(i, (i + 1) % 3);
    }
    return middle;
}

void add_edges(const BlockSystem& system, std::uint64_t seed, double scale, Shape shape,
               BlockCholesky& factor, Eigen::MatrixXd& dense) {
    Random random(seed);
    const int n = system.offset.back();
    dense = Eigen::MatrixXd::Identity(n, n);
    for (std::size_t e = 0; e < system.edges.size(); ++e) {
        const auto [a, b] = system.edges[e];
        const int na = system.sizes[a];
        const int nb = system.sizes[b];
        RowMajor half(na + nb, 3);
        for (double& value : half.reshaped()) value = scale * random.normal();
        const RowMajor whole = half * random_middle(random, shape) * half.transpose();
        const RowMajor aa = whole.topLeftCorner(na, na);
        const RowMajor bb = whole.bottomRightCorner(nb, nb);
        const RowMajor ab = whole.topRightCorner(na, nb);
        const RowMajor ba_transposed = whole.bottomLeftCorner(nb, na).transpose();
        factor.add_node(a, aa.data());
        factor.add_node(b, bb.data());
        if (shape == Shape::symmetric) {
            factor.add_edge(static_cast<int>(e), ab.data());
        } else {
            factor.add_edge(static_cast<int>(e), ab.data(), ba_transposed.data());
        }
        dense.block(system.offset[a], system.offset[a], na, na) += aa;
        dense.block(system.offset[b], system.offset[b], nb, nb) += bb;
        dense.block(system.offset[a], system.offset[b], na, nb) += ab;
        dense.block(system.offset[b], system.offset[a], nb, na) += ba_transposed.transpose();
    }
}

void fill(const BlockSystem& system, std::uint64_t seed, double scale, BlockCholesky& factor,
          Eigen::MatrixXd& dense, BlockCholesky::Numbers numbers = BlockCholesky::Numbers::doubles) {
    factor.analyse(system.sizes, system.edges);
    factor.begin(1.0, numbers);
    add_edges(system, seed, scale, Shape::symmetric, factor, dense);
}

void fill_unsymmetric(const BlockSystem& system, std::uint64_t seed, BlockCholesky& factor,
                      Eigen::MatrixXd& dense) {
    factor.analyse(system.sizes, system.edges);
    factor.begin_unsymmetric(1.0);
    add_edges(system, seed, 3.0, Shape::unsymmetric, factor, dense);
}

/// b and what the factor makes of it.
struct Solved {
    Eigen::VectorXd b;
    Eigen::VectorXd found;

    double residual(const Eigen::MatrixXd& dense) const { return (dense * found - b).norm() / b.norm(); }
};

Solved solve_random(BlockCholesky& factor, const BlockSystem& system, std::uint64_t seed) {
    std::vector<double> x = Random(seed).normals(system.offset.back());
    const auto vector = [&] { return Eigen::Map<Eigen::VectorXd>(x.data(), system.offset.back()); };
    Solved out;
    out.b = vector();
    factor.solve(x);
    out.found = vector();
    return out;
}

TEST(BlockCholesky, SolvesLikeADenseFactorisation) {
    BlockCholesky factor;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const int nodes = 1 + static_cast<int>(seed);
        const BlockSystem system = random_system(seed, nodes, 3 * nodes, seed % 2 == 0);
        Eigen::MatrixXd dense;
        fill(system, seed, 3.0, factor, dense);
        EXPECT_EQ(factor.factorise(0.5), 0);
        const auto [b, found] = solve_random(factor, system, seed);
        const Eigen::VectorXd expected = dense.llt().solve(b);
        EXPECT_LE((found - expected).norm(), tolerance(1e-11) * expected.norm()) << "seed " << seed;
    }
}

TEST(BlockCholesky, UnsymmetricMatricesAreSolvedLikeDenseOnes) {
    BlockCholesky factor;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const int nodes = 1 + static_cast<int>(seed);
        const BlockSystem system = random_system(seed, nodes, 3 * nodes, seed % 2 == 0);
        Eigen::MatrixXd dense;
        fill_unsymmetric(system, seed, factor, dense);
        EXPECT_EQ(factor.factorise(1e-6), 0);
        const auto [b, found] = solve_random(factor, system, seed);
        const Eigen::VectorXd expected = dense.partialPivLu().solve(b);
        EXPECT_LE((found - expected).norm(), tolerance(1e-10) * expected.norm()) << "seed " << seed;
    }
    // and a symmetric one afterwards
    const BlockSystem system = random_system(2, 30, 90, true);
    Eigen::MatrixXd dense;
    fill(system, 2, 3.0, factor, dense);
    EXPECT_EQ(factor.factorise(0.5), 0);
    EXPECT_LE(solve_random(factor, system, 2).residual(dense), tolerance(1e-8));
}

TEST(BlockCholesky, FloatsGiveSixDigitsAndDoublesFollowThem) {
    BlockCholesky factor;
    const BlockSystem system = random_system(7, 80, 300, false);
    const auto error = [&](BlockCholesky::Numbers numbers) {
        Eigen::MatrixXd dense;
        fill(system, 7, 1.0, factor, dense, numbers);
        EXPECT_EQ(factor.factorise(0.5), 0);
        return solve_random(factor, system, 7).residual(dense);
    };
    const double floats = error(BlockCholesky::Numbers::floats);
    EXPECT_LE(floats, tolerance(1e-5));
    EXPECT_GE(floats, 1e-9) << "these were doubles";
    EXPECT_LE(error(BlockCholesky::Numbers::doubles), tolerance(1e-12));
}

TEST(BlockCholesky, RefillsTheSameStructureWithOtherNumbers) {
    BlockCholesky factor;
    const BlockSystem system = random_system(3, 40, 150, true);
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        Eigen::MatrixXd dense;
        fill(system, seed, std::pow(10.0, static_cast<double>(seed)), factor, dense);
        factor.factorise(0.5);
        EXPECT_LE(solve_random(factor, system, seed).residual(dense), tolerance(1e-8));
    }
}

TEST(BlockCholesky, ATreeHasNoFill) {
    std::vector<int> sizes(100, 6);
    std::vector<BlockCholesky::Edge> edges;
    for (int k = 1; k < 100; ++k) edges.push_back({k, (k - 1) / 2});
    BlockCholesky factor;
    factor.analyse(sizes, edges);
    // a panel of one node: 6 columns of 12 rows; merged ones may store a few zeros
    EXPECT_LE(factor.stored_entries(), 2 * 100 * 6 * 12);
}

TEST(BlockCholesky, LostPivotsAreReplacedAndCounted) {
    const std::vector<int> sizes = {6, 6};
    const std::vector<BlockCholesky::Edge> edges = {{0, 1}};
    BlockCholesky factor;
    factor.analyse(sizes, edges);
    for (const double bad :
         {-5.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        factor.begin(1.0);
        RowMajor block = RowMajor::Zero(6, 6);
        block(3, 3) = bad;
        factor.add_node(1, block.data());
        EXPECT_GE(factor.factorise(0.5), 1);
        std::vector<double> x(12, 1.0);
        factor.solve(x);
        for (const double value : x) EXPECT_TRUE(std::isfinite(value)) << bad;
    }
}

TEST(BlockCholesky, StopsAtTheDeadlineAndWorksAgainWithoutOne) {
    const Deadline over(Deadline::Clock::now());
    const BlockSystem system = random_system(5, 60, 200, true);
    BlockCholesky factor;
    EXPECT_FALSE(factor.analyse(system.sizes, system.edges, over));
    Eigen::MatrixXd dense;
    fill(system, 5, 1.0, factor, dense);
    EXPECT_TRUE(factor.analyse(system.sizes, system.edges, over)) << "it is known already";
    EXPECT_EQ(factor.factorise(0.5, over), BlockCholesky::abandoned);
    fill(system, 5, 1.0, factor, dense);
    EXPECT_EQ(factor.factorise(0.5), 0);
    std::vector<double> x = Random(5).normals(system.offset.back());
    const Eigen::VectorXd b = Eigen::Map<Eigen::VectorXd>(x.data(), dense.rows());
    factor.solve(x);
    EXPECT_LE((dense * Eigen::Map<Eigen::VectorXd>(x.data(), dense.rows()) - b).norm(),
              tolerance(1e-10) * b.norm());
}

TEST(BlockCholesky, TakesAnEmptyMatrix) {
    BlockCholesky factor;
    factor.analyse({}, {});
    factor.begin(1.0);
    EXPECT_EQ(factor.factorise(0.5), 0);
    std::vector<double> none;
    factor.solve(none);
}

}  // namespace
}  // namespace uptack::test

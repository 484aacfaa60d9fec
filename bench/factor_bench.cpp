// The body-space matrix I + G' Gamma G of the papers' problems: our block Cholesky beside Eigen's simplicial
// one, both with their own minimum-degree order, analysis apart.  One thread.

#include <fmt/format.h>

#include <Eigen/SparseCholesky>
#include <map>

#include "bench_support.h"
#include "linalg/block_cholesky.h"
#include "packed_problem.h"
#include "uptack/generators.h"

namespace uptack::bench {
namespace {

using Triplets = std::vector<Eigen::Triplet<double>>;

struct Blocks {
    std::vector<int> sizes;
    std::vector<BlockCholesky::Edge> edges;
    std::vector<std::array<double, 36>> node_block;
    std::vector<std::array<double, 36>> edge_block;
    Eigen::SparseMatrix<double> lower;
};

/// Every contact sticks with Gamma = 1e4 / a: what a proximal Newton step with rho = 1e-4 sees.
Blocks body_matrix(const PackedProblem& packed) {
    Blocks out;
    std::map<int, int> node;
    const auto node_of = [&](int slot) {
        const auto [at, fresh] = node.try_emplace(slot, static_cast<int>(out.sizes.size()));
        if (fresh) {
            out.sizes.push_back(6);
            out.node_block.push_back({});
        }
        return at->second;
    };
    const auto moves = [](const double* g) {
        return std::any_of(g, g + 6, [](double v) { return v != 0.0; });
    };
    for (const Cell& cell : packed.cells()) {
        const double* first = packed.row_of_g(cell.first_row);
        const int a = moves(first) ? node_of(cell.slot_a) : -1;
        const int b = moves(first + 6) ? node_of(cell.slot_b) : -1;
        std::array<double, 36> aa{}, bb{}, ab{};
        for (int row = cell.first_row; row < cell.first_row + cell.rows; ++row) {
            const double* g = packed.row_of_g(row);
            const double gamma = 1e4 / packed.metric()[row];
            for (int i = 0; i < 6; ++i) {
                for (int j = 0; j < 6; ++j) {
                    aa[6 * i + j] += gamma * g[i] * g[j];
                    bb[6 * i + j] += gamma * g[6 + i] * g[6 + j];
                    ab[6 * i + j] += gamma * g[i] * g[6 + j];
                }
            }
        }
        for (int k = 0; k < 36; ++k) {
            if (a >= 0) out.node_block[a][k] += aa[k];
            if (b >= 0) out.node_block[b][k] += bb[k];
        }
        if (a < 0 || b < 0) continue;
        out.edges.push_back({a, b});
        out.edge_block.push_back(ab);
    }
    Triplets triplets;
    const auto n = static_cast<int>(out.sizes.size());
    for (int k = 0; k < n; ++k) {
        for (int i = 0; i < 6; ++i) {
            for (int j = 0; j <= i; ++j) {
                triplets.emplace_back(6 * k + i, 6 * k + j,
                                      out.node_block[k][6 * i + j] + (i == j ? 1.0 : 0.0));
            }
        }
    }
    for (std::size_t e = 0; e < out.edges.size(); ++e) {
        const auto [a, b] = out.edges[e];
        for (int i = 0; i < 6; ++i) {
            for (int j = 0; j < 6; ++j) {
                const double value = out.edge_block[e][6 * i + j];
                triplets.emplace_back(a > b ? 6 * a + i : 6 * b + j, a > b ? 6 * b + j : 6 * a + i, value);
            }
        }
    }
    out.lower.resize(6 * n, 6 * n);
    out.lower.setFromTriplets(triplets.begin(), triplets.end());
    return out;
}

void report(const std::string& name, const Problem& problem) {
    PackedProblem packed;
    packed.pack(problem);
    const Blocks blocks = body_matrix(packed);
    const double analyse = best_seconds(3, 1, [&] {
        BlockCholesky fresh;
        fresh.analyse(blocks.sizes, blocks.edges);
    });
    BlockCholesky ours;
    ours.analyse(blocks.sizes, blocks.edges);
    int lost = 0;
    const double factor = best_seconds(5, 1, [&] {
        ours.begin(1.0);
        for (std::size_t k = 0; k < blocks.sizes.size(); ++k) {
            ours.add_node(static_cast<int>(k), blocks.node_block[k].data());
        }
        for (std::size_t e = 0; e < blocks.edges.size(); ++e) {
            ours.add_edge(static_cast<int>(e), blocks.edge_block[e].data());
        }
        lost = ours.factorise(0.5);
    });
    std::vector<double> x(ours.size());
    const double solve = best_seconds(5, 3, [&] {
        std::fill(x.begin(), x.end(), 1.0);
        ours.solve(x);
    });
    Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> theirs;
    theirs.analyzePattern(blocks.lower);
    const double simplicial = best_seconds(2, 1, [&] { theirs.factorize(blocks.lower); });
    const Eigen::VectorXd reference = theirs.solve(Eigen::VectorXd::Ones(blocks.lower.rows()));
    const double difference =
        (Eigen::Map<Eigen::VectorXd>(x.data(), reference.size()) - reference).norm() / reference.norm();
    fmt::print("{:<18}{:>7}{:>9}{:>10.2f}{:>9.1f}{:>9.1f}{:>9.2f}{:>11.1f}{:>8.1f}{:>12.1e}{:>6}\n", name,
               blocks.sizes.size(), blocks.edges.size(), 1e-6 * static_cast<double>(ours.stored_entries()),
               1e3 * analyse, 1e3 * factor, 1e3 * solve, 1e3 * simplicial, simplicial / factor, difference,
               lost);
}

}  // namespace
}  // namespace uptack::bench

int main() {
    using namespace uptack;
    fmt::print("{:<18}{:>7}{:>9}{:>10}{:>9}{:>9}{:>9}{:>11}{:>8}{:>12}{:>6}\n", "problem", "bodies", "pairs",
               "M doubles", "analyse", "factor", "solve", "simplicial", "ratio", "difference", "lost");
    for (const std::string name : {"chain", "b1", "b3", "b2-friction", "shaker-friction"}) {
        bench::report(name, generate(name));
    }
}

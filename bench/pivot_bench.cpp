// What a pivot of the simplex costs: switching one row of the LDL^T against factoring anew, and how both
// grow.
//
// "pivot" is one switch and one solve.  The chain has a ground contact under every link.

#include <fmt/format.h>

#include <vector>

#include "bench_support.h"
#include "kkt_system.h"
#include "uptack/generators.h"

namespace uptack::bench {
namespace {

struct Cost {
    double factor = 0.0;
    double switch_row = 0.0;
    double solve = 0.0;
    double fill = 0.0;  // entries of L per entry of K
};

/// Switchable rows are those from `first` on; the others stay on.
Cost measure(const Problem& problem, int first) {
    PackedProblem packed;
    packed.pack(problem);
    KktSystem kkt;
    kkt.build(packed, 1e-9);
    std::vector<char> on(packed.rows(), 1);
    kkt.activate(on);
    Cost cost;
    cost.fill = static_cast<double>(kkt.factor().fill()) / static_cast<double>(kkt.factor().entries());
    cost.factor = best_seconds(5, 1, [&] {
        kkt.regularise(packed, 1e-9);  // the numbers are new: activate() factors
        kkt.activate(on);
    });
    const int rows = problem.row_count() - first;
    int next = 0;
    cost.switch_row = 0.5 * best_seconds(5, 40, [&] {  // off and on again
                          next = (next + 37) % rows;
                          kkt.switch_row(first + next);
                          kkt.switch_row(first + next);
                      });
    std::vector<double> g(packed.rows(), 1.0);
    std::vector<double> d(packed.rows());
    cost.solve = best_seconds(5, 5, [&] { kkt.solve(g, d); });
    return cost;
}

/// A chain whose every link may touch the ground.
Problem chain_with_contacts(int links) {
    Problem problem = generate_chain({.links = links});
    problem.block_names.clear();
    for (int i = 0; i < links; ++i) {
        const JacobianRow up{.a = {0, 0, 1, 0, 0, 0}};
        add_block(problem, Unilateral{}, i, no_body, std::span(&up, 1), std::array{1e-3});
    }
    return problem;
}

void print(const std::string& name, const Problem& problem, const Cost& cost) {
    fmt::print("{:<16}{:>9}{:>8.1f}{:>13.3f}{:>13.4f}{:>13.4f}{:>16.0f}\n", name, problem.row_count(),
               cost.fill, cost.factor * 1e3, cost.switch_row * 1e3, cost.solve * 1e3,
               cost.factor / cost.switch_row);
}

}  // namespace
}  // namespace uptack::bench

int main() {
    using namespace uptack;
    fmt::print("{:<16}{:>9}{:>8}{:>13}{:>13}{:>13}{:>16}\n", "problem", "rows", "fill", "factor ms",
               "switch ms", "solve ms", "factor/switch");
    for (const std::string name : {"b1", "b2", "shaker"}) {
        const Problem problem = generate(name);
        bench::print(name, problem, bench::measure(problem, 0));
    }
    std::vector<std::pair<double, double>> factor, pivot;
    for (const int links : {100, 1'000, 10'000, 100'000}) {
        const Problem problem = bench::chain_with_contacts(links);
        const bench::Cost cost = bench::measure(problem, 3 * links);
        bench::print(fmt::format("chain {}", links), problem, cost);
        factor.emplace_back(links, cost.factor);
        pivot.emplace_back(links, cost.switch_row + cost.solve);
    }
    fmt::print("chain: factorisation grows as n^{:.2f}, a pivot as n^{:.2f}\n",
               bench::growth_exponent(factor), bench::growth_exponent(pivot));
}

// Time per iteration from a thousand to a million rows, and the exponent of its growth.

#include <fmt/format.h>

#include <map>
#include <vector>

#include "bench_support.h"
#include "uptack/generators.h"
#include "uptack/solvers.h"

namespace uptack::bench {
namespace {

/// Seconds of one iteration: the difference of two runs, so that packing does not count.
double iteration_seconds(const std::string& solver, const Problem& problem) {
    auto engine = make_solver(solver);
    const auto run = [&](std::int64_t iterations) {
        Solution solution;
        return best_seconds(3, 1, [&] {
            solution.impulse.clear();
            engine->solve(problem, solution, {.tolerance = {1e-15}, .max_iterations = iterations});
        });
    };
    constexpr std::int64_t few = 10;
    constexpr std::int64_t many = 40;
    return (run(many) - run(few)) / (many - few);
}

}  // namespace
}  // namespace uptack::bench

int main() {
    using namespace uptack;
    const std::vector<std::string> solvers = {"psor", "nncg", "leap", "apgd", "spg", "jacobi"};
    std::map<std::string, std::vector<std::pair<double, double>>> points;
    fmt::print("nanoseconds per row and iteration, smooth spheres\n{:>10}", "rows");
    for (const std::string& solver : solvers) fmt::print("{:>9}", solver);
    fmt::print("\n");
    for (const int spheres : {270, 1'000, 3'000, 9'000, 27'000, 90'000, 270'000}) {
        const Problem problem = generate_sphere_packing({.spheres = spheres, .contacts = 0});
        fmt::print("{:>10}", problem.row_count());
        for (const std::string& solver : solvers) {
            const double seconds = bench::iteration_seconds(solver, problem);
            points[solver].emplace_back(problem.row_count(), seconds);
            fmt::print("{:>9.1f}", seconds / problem.row_count() * 1e9);
        }
        fmt::print("\n");
    }
    fmt::print("{:>10}", "exponent");
    for (const std::string& solver : solvers) fmt::print("{:>9.2f}", bench::growth_exponent(points[solver]));
    fmt::print("\n");
}

// What one psor sweep costs, beside what the memory alone would cost.
//
// The bound: a sweep must at least read every packed byte once; the same number of bytes is summed up from an
// array of that size in the same cache level.  Smooth and frictional shaker, one thread, double precision.

#include <fmt/format.h>

#include <numeric>
#include <vector>

#include "bench_support.h"
#include "packed_problem.h"
#include "uptack/generators.h"

namespace uptack::bench {
namespace {

double read_seconds(std::size_t bytes) {
    std::vector<double> data(bytes / sizeof(double), 1.0);
    volatile double sink = 0.0;
    return best_seconds(9, 20, [&] {
        double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
        for (std::size_t i = 0; i + 4 <= data.size(); i += 4) {
            s0 += data[i];
            s1 += data[i + 1];
            s2 += data[i + 2];
            s3 += data[i + 3];
        }
        sink = s0 + s1 + s2 + s3;
    });
}

/// FNV-1a over the bits: a speed-up that changes results is seen.
std::uint64_t hash(const std::vector<double>& values) {
    std::uint64_t h = 1469598103934665603ULL;
    const auto* bytes = reinterpret_cast<const unsigned char*>(values.data());
    for (std::size_t i = 0; i < values.size() * sizeof(double); ++i) h = (h ^ bytes[i]) * 1099511628211ULL;
    return h;
}

void report(const std::string& name, const Problem& problem) {
    PackedProblem packed;
    packed.pack(problem);
    std::vector<double> x(packed.rows(), 0.0);
    std::vector<double> u(packed.state_size(), 0.0);
    for (int sweep = 0; sweep < 20; ++sweep) packed.sweep(1.0, Direction::forward, x, u);
    const std::uint64_t bits = hash(x);
    const double seconds = best_seconds(15, 20, [&] { packed.sweep(1.0, Direction::forward, x, u); });
    const auto cells = static_cast<double>(problem.blocks.size());
    const std::size_t bytes = packed.rows() * (row_width + 2) * sizeof(double) +
                              problem.blocks.size() * sizeof(Cell) + u.size() * sizeof(double);
    const double bound = read_seconds(bytes);
    fmt::print("{:<18}{:>9}{:>14.1f}{:>18.1f}{:>10.2f}{:>20x}\n", name, problem.blocks.size(),
               seconds / cells * 1e9, bound / cells * 1e9, seconds / bound, bits);
}

}  // namespace
}  // namespace uptack::bench

int main() {
    using namespace uptack;
    fmt::print("one psor sweep, {} kernels, one thread\n", kernel_target());
    fmt::print("{:<18}{:>9}{:>14}{:>18}{:>10}{:>20}\n", "problem", "blocks", "ns/block", "read bound ns",
               "ratio", "hash of 20 sweeps");
    bench::report("shaker", generate("shaker"));
    bench::report("shaker-friction", generate("shaker-friction"));
    bench::report("spheres 1e5", generate_sphere_packing({.spheres = 27'000, .contacts = 0}));
    bench::report("spheres 1e5 mu", generate_sphere_packing({.spheres = 27'000, .contacts = 0, .mu = 0.3}));
}

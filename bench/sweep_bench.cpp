// What one psor sweep costs, on one thread and on two, beside what the memory alone would cost.
//
//     sweep_bench [problem ...]
//
// The bounds: a sweep must at least read every packed byte once.  Arrays of as many bytes are summed up
// ("read"), and go through a = b + s c, a third of the bytes each ("triad", the usual measure of bandwidth),
// on one thread.  Everything is the least of many tries; the tries of sweep and bounds take turns, so that
// other load on the machine meets them alike.

#include <fmt/format.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "bench_support.h"
#include "packed_problem.h"
#include "uptack/generators.h"

namespace uptack::bench {
namespace {

constexpr int tries = 4;
constexpr int calls = 5;
constexpr int most_turns = 60;
constexpr double enough_s = 4.0;  // per problem

/// Sums up, with accumulators enough that the additions do not wait for each other.
double sum(const std::vector<double>& data) {
    constexpr std::size_t lanes = 32;
    double s[lanes] = {};
    for (std::size_t i = 0; i + lanes <= data.size(); i += lanes) {
        for (std::size_t k = 0; k < lanes; ++k) s[k] += data[i + k];
    }
    double total = 0.0;
    for (const double value : s) total += value;
    return total;
}

void triad(std::vector<double>& a, const std::vector<double>& b, const std::vector<double>& c) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = b[i] + 0.5 * c[i];
}

/// FNV-1a over the bits: a speed-up that changes results is seen.
std::uint64_t hash(const std::vector<double>& values) {
    std::uint64_t h = 1469598103934665603ULL;
    const auto* bytes = reinterpret_cast<const unsigned char*>(values.data());
    for (std::size_t i = 0; i < values.size() * sizeof(double); ++i) h = (h ^ bytes[i]) * 1099511628211ULL;
    return h;
}

double sweep_seconds(const PackedProblem& packed, int threads, std::vector<double>& x, AlignedVector& u) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    return best_seconds(tries, calls, [&] { packed.sweep(1.0, Direction::forward, x, u); });
}

void report(const std::string& name, const Problem& problem, RowsAs rows) {
    PackedProblem packed;
    packed.pack(problem);
    packed.read(rows);
    std::vector<double> x(packed.rows(), 0.0);
    AlignedVector u(packed.state_size(), 0.0);
    for (int sweep = 0; sweep < 20; ++sweep) packed.sweep(1.0, Direction::forward, x, u);
    const std::uint64_t bits = hash(x);

    const std::size_t bytes = packed.bytes_per_sweep();
    const std::vector<double> data(bytes / sizeof(double), 1.0);
    std::vector<double> a(bytes / sizeof(double) / 3, 1.0);
    const std::vector<double> b = a;
    const std::vector<double> c = a;
    volatile double sink = 0.0;
    double one = std::numeric_limits<double>::infinity();
    double two = one, read = one, both = one;
    const auto start = std::chrono::steady_clock::now();
    const auto spent = [&] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    for (int turn = 0; turn < most_turns && (turn == 0 || spent() < enough_s); ++turn) {
        one = std::min(one, sweep_seconds(packed, 1, x, u));
        two = std::min(two, sweep_seconds(packed, 2, x, u));
        read = std::min(read, best_seconds(tries, calls, [&] { sink = sum(data); }));
        both = std::min(both, best_seconds(tries, calls, [&] {
                            triad(a, b, c);
                            sink = a.front();
                        }));
    }
    const double ns = 1e9 / static_cast<double>(problem.blocks.size());
    fmt::print("{:<16}{:>8}{:>8.0f}{:>9.1f}{:>9.1f}{:>7.2f}{:>9.1f}{:>7.1f}{:>9.2f}{:>19x}\n", name,
               problem.blocks.size(), static_cast<double>(bytes) * ns * 1e-9, one * ns, two * ns, one / two,
               read * ns, both * ns, one / both, bits);
}

}  // namespace
}  // namespace uptack::bench

int main(int count, char** words) {
    using namespace uptack;
    const std::vector<std::string> wanted(words + 1, words + count);
    fmt::print("one psor sweep, {} kernels; ns per block (a row, or a contact with friction)\n",
               kernel_target());
    fmt::print("{:<16}{:>8}{:>8}{:>9}{:>9}{:>7}{:>9}{:>7}{:>9}{:>19}\n", "problem", "blocks", "bytes",
               "1 thread", "2", "gain", "read", "triad", "1/triad", "hash of 20 sweeps");
    const auto report = [&](const std::string& name, const auto& make, RowsAs rows = RowsAs::doubles) {
        if (wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end())
            bench::report(name, make(), rows);
    };
    for (const char* name : {"shaker", "b2-friction", "wall", "shaker-friction"})
        report(name, [&] { return generate(name); });
    const auto spheres = [](int number, double mu) {
        return [=] { return generate_sphere_packing({.spheres = number, .contacts = 0, .mu = mu}); };
    };
    report("spheres-1e5", spheres(27'000, 0.0));
    report("spheres-1e5-mu", spheres(27'000, 0.3));
    report("spheres-1e6-mu", spheres(270'000, 0.3));
    report("  as floats", spheres(270'000, 0.3), RowsAs::floats);
}

// What one psor sweep costs, on one thread and on two, beside what the memory alone would cost.
//
//     sweep_bench [problem ...]
//
// The bounds: a sweep must at least read every packed byte once.  Arrays of as many bytes are summed up
// ("read"), and go through a = b + s c, a third of the bytes each ("triad", the usual measure of bandwidth),
// on one thread.  Of a problem that is not much larger than the caches these find a part in them; so "memory"
// is the same triad over arrays of four times the largest cache, as the STREAM benchmark asks for, at the
// sweep's number of bytes.  Everything is the least of many tries; the tries of sweep and bounds take turns,
// so that other load on the machine meets them alike.

#include <fmt/format.h>
#include <tbb/global_control.h>
#include <unistd.h>

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

/// a = b + s c over a number of bytes in all.
class Triad {
public:
    explicit Triad(std::size_t bytes) : a_(bytes / sizeof(double) / 3, 1.0), b_(a_), c_(a_) {}

    double seconds(int of_tries, int of_calls) {
        return best_seconds(of_tries, of_calls, [&] {
            for (std::size_t i = 0; i < a_.size(); ++i) a_[i] = b_[i] + 0.5 * c_[i];
            sink_ = a_.front();
        });
    }

private:
    std::vector<double> a_, b_, c_;
    volatile double sink_ = 0.0;
};

std::size_t bytes_beyond_caches() {
    constexpr long least = 64L << 20U;  // where the system does not say
    return 4 * static_cast<std::size_t>(std::max(least, sysconf(_SC_LEVEL3_CACHE_SIZE)));
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
    Triad triad(bytes);
    const std::size_t far_bytes = bytes_beyond_caches();
    Triad far_triad(far_bytes);
    volatile double sink = 0.0;
    double one = std::numeric_limits<double>::infinity();
    double two = one, read = one, both = one, far = one;
    const auto start = std::chrono::steady_clock::now();
    const auto spent = [&] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    for (int turn = 0; turn < most_turns && (turn == 0 || spent() < enough_s); ++turn) {
        one = std::min(one, sweep_seconds(packed, 1, x, u));
        two = std::min(two, sweep_seconds(packed, 2, x, u));
        read = std::min(read, best_seconds(tries, calls, [&] { sink = sum(data); }));
        both = std::min(both, triad.seconds(tries, calls));
        far = std::min(far, far_triad.seconds(1, 1));
    }
    const double memory = far * static_cast<double>(bytes) / static_cast<double>(far_bytes);
    const double ns = 1e9 / static_cast<double>(problem.blocks.size());
    fmt::print(
        "{:<16}{:>8}{:>7.0f}{:>9.1f}{:>6.1f}{:>6.2f}{:>7.1f}{:>7.1f}{:>8.1f}{:>9.2f}{:>10.2f}{:>18x}\n", name,
        problem.blocks.size(), static_cast<double>(bytes) * ns * 1e-9, one * ns, two * ns, one / two,
        read * ns, both * ns, memory * ns, one / both, one / memory, bits);
}

}  // namespace
}  // namespace uptack::bench

int main(int count, char** words) {
    using namespace uptack;
    const std::vector<std::string> wanted(words + 1, words + count);
    fmt::print("one psor sweep, {} kernels; ns per block (a row, or a contact with friction)\n",
               kernel_target());
    fmt::print("{:<16}{:>8}{:>7}{:>9}{:>6}{:>6}{:>7}{:>7}{:>8}{:>9}{:>10}{:>18}\n", "problem", "blocks",
               "bytes", "1 thread", "2", "gain", "read", "triad", "memory", "1/triad", "1/memory",
               "hash, 20 sweeps");
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

// Uptack alone: spheres that fall together, a thousand to a hundred thousand.  Time per step and contact,
// memory, and the exponents of their growth with the number of contacts; then one thread beside two.
//
//     engine_scaling_bench [spheres ...]     a million: engine_scaling_bench 10000 1000000
//     engine_scaling_bench --threads [spheres]
//
// Every size runs in a process of its own, because the peak of the memory (VmHWM) never falls.

#include <fmt/format.h>
#include <sys/wait.h>
#include <tbb/global_control.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "bench_support.h"
#include "uptack/simulation.h"

namespace uptack::bench {
namespace {

constexpr double radius = 0.05;     // [m]
constexpr double spacing = 0.1005;  // so close that they touch within the first steps
constexpr int warm_up_steps = 10;
constexpr int measured_steps = 10;
constexpr int many = 500'000;  // spheres: from here on half as many steps, ten in all
// The same work per contact at every size.  To a given error a larger heap needs more sweeps, because
// pressure has a longer way: that is the method's growth, not the engine's.
constexpr int sweeps = 50;

/// One size's outcome, small enough to be written to a pipe at once.
struct Sample {
    int bodies = 0;
    int contacts = 0;
    double step_s = 0.0;
    double collision_s = 0.0;
    double assembly_s = 0.0;
    double solve_s = 0.0;
    double bytes = 0.0;
    double relative_error = 0.0;
};

/// Columns on a floor, each layer a little aside, so that every sphere rests on several.
Model heap(int spheres) {
    Model model;
    add_body(model, {.name = "floor", .kind = BodyKind::fixed, .shapes = {{.geometry = HalfSpace{}}}});
    const int side = static_cast<int>(std::ceil(std::cbrt(spheres)));
    for (int i = 0; i < spheres; ++i) {
        const int layer = i / (side * side);
        const Vec3 cell = {i % side + 0.3 * (layer % 2), i / side % side + 0.3 * (layer % 2), 0.0};
        Vec3 position = spacing * cell;
        position[2] = radius + 0.93 * spacing * layer;
        BodyDefinition ball;
        ball.pose.position = position;
        ball.shapes = {{.geometry = Sphere{radius}}};
        add_body(model, ball);
    }
    return model;
}

/// VmHWM or VmRSS of this process [bytes].
double memory_bytes(const char* key) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.compare(0, std::strlen(key), key) == 0)
            return 1024.0 * std::atof(line.c_str() + std::strlen(key) + 1);
    }
    return 0.0;
}

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values.empty() ? 0.0 : values[values.size() / 2];
}

SimulationSettings settings_of_heap() {
    SimulationSettings settings;
    settings.stepping.step_s = 0.01;
    settings.stepping.friction = ContactFriction::convex;
    settings.solver.name = "psor";
    settings.solver.stop = {.tolerance = {.value = 0.0, .unit = ErrorUnit::relative},
                            .max_iterations = sweeps};
    return settings;
}

Sample measure(int spheres) {
    const double before = memory_bytes("VmRSS");
    Simulation simulation(heap(spheres), settings_of_heap());
    const int share = spheres >= many ? 2 : 1;
    for (int i = 0; i < warm_up_steps / share; ++i) simulation.step();
    Sample sample{.bodies = spheres};
    std::vector<double> total, collision, assembly, solve;
    for (int i = 0; i < measured_steps / share; ++i) {
        const double before_s = cpu_seconds();
        const StepReport report = simulation.step();
        total.push_back(cpu_seconds() - before_s);
        // The report's times are by the wall clock; their shares hold on a busy machine too.
        const double scale = report.total_s > 0.0 ? total.back() / report.total_s : 0.0;
        collision.push_back(scale * report.collision_s);
        assembly.push_back(scale * report.assembly_s);
        solve.push_back(scale * report.solve_s);
        sample.contacts = report.contacts;
        sample.relative_error = std::max(sample.relative_error, report.relative_error);
    }
    sample.step_s = median(total);
    sample.collision_s = median(collision);
    sample.assembly_s = median(assembly);
    sample.solve_s = median(solve);
    sample.bytes = memory_bytes("VmHWM") - before;
    return sample;
}

/// measure() in a child process; no contacts where it did not come back.
Sample measure_apart(int spheres) {
    Sample sample;
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) return sample;
    const pid_t child = fork();
    if (child == 0) {
        const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
        const Sample result = measure(spheres);
        const bool written = write(ends[1], &result, sizeof result) == static_cast<ssize_t>(sizeof result);
        _exit(written ? 0 : 1);
    }
    close(ends[1]);
    if (read(ends[0], &sample, sizeof sample) != static_cast<ssize_t>(sizeof sample)) sample = {};
    close(ends[0]);
    waitpid(child, nullptr, 0);
    return sample;
}

/// The same steps of the same heap on one thread and on two, in turns, by the wall clock; the least of each,
/// because other load only ever adds.
void compare_threads(int spheres) {
    struct Part {
        const char* name;
        double StepReport::*seconds;
        std::array<double, 2> least{infinity, infinity};
    };
    std::array<Part, 4> parts = {
        Part{"step", &StepReport::total_s}, Part{"collide", &StepReport::collision_s},
        Part{"assemble", &StepReport::assembly_s}, Part{"solve", &StepReport::solve_s}};
    Simulation simulation(heap(spheres), settings_of_heap());
    for (int i = 0; i < warm_up_steps; ++i) simulation.step();
    const Checkpoint start = simulation.checkpoint();
    for (int turn = 0; turn < 15; ++turn) {
        for (int threads = 1; threads <= 2; ++threads) {
            const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
            simulation.restore(start);
            simulation.step();  // its data come to their threads
            const StepReport report = simulation.step();
            for (Part& part : parts) {
                part.least[threads - 1] = std::min(part.least[threads - 1], report.*part.seconds);
            }
        }
    }
    fmt::print("\n{} spheres, the second step from the same state, wall clock, least of 15 [ms]\n", spheres);
    fmt::print("{:>9} {:>9} {:>9} {:>7}\n", "", "1 thread", "2", "gain");
    for (const Part& part : parts) {
        fmt::print("{:>9} {:>9.2f} {:>9.2f} {:>7.2f}\n", part.name, 1e3 * part.least[0], 1e3 * part.least[1],
                   part.least[0] / part.least[1]);
    }
}

}  // namespace
}  // namespace uptack::bench

int main(int argc, char** argv) {
    using namespace uptack::bench;
    if (argc > 1 && std::strcmp(argv[1], "--threads") == 0) {
        compare_threads(argc > 2 ? std::atoi(argv[2]) : 10'000);
        return 0;
    }
    std::vector<int> sizes = {1'000, 3'000, 10'000, 30'000, 100'000};
    if (argc > 1) {
        sizes.clear();
        for (int i = 1; i < argc; ++i) sizes.push_back(std::atoi(argv[i]));
    }
    fmt::print(
        "spheres falling together, h = 1/100 s, {} sweeps of psor a step, one thread, CPU time, median of {} "
        "steps [ms]\n",
        sweeps, measured_steps);
    fmt::print("{:>8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>11} {:>11} {:>6} {:>9}\n", "bodies", "contacts",
               "step", "collide", "assemble", "solve", "us/contact", "bytes/body", "GB", "error");
    std::vector<std::pair<double, double>> seconds, bytes;
    for (const int size : sizes) {
        const Sample s = measure_apart(size);
        if (s.contacts == 0) {
            fmt::print("{:>8} did not finish\n", size);
            continue;
        }
        fmt::print("{:>8} {:>9} {:>9.2f} {:>9.2f} {:>9.2f} {:>9.2f} {:>11.2f} {:>11.0f} {:>6.2f} {:>9.1e}\n",
                   s.bodies, s.contacts, 1e3 * s.step_s, 1e3 * s.collision_s, 1e3 * s.assembly_s,
                   1e3 * s.solve_s, 1e6 * s.step_s / s.contacts, s.bytes / s.bodies, 1e-9 * s.bytes,
                   s.relative_error);
        std::fflush(stdout);
        seconds.emplace_back(s.contacts, s.step_s);
        bytes.emplace_back(s.contacts, s.bytes);
    }
    if (seconds.size() > 1) {
        fmt::print("time grows as contacts^{:.2f}, memory as contacts^{:.2f}\n", growth_exponent(seconds),
                   growth_exponent(bytes));
    }
}

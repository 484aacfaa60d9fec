// What collision costs per sphere, from a thousand to a million of them, and what it keeps in memory.
//
// Scenes: a pile (jittered lattice, neighbours touch), the same with the names shuffled, sizes from 1 to 100
// with equal volume in every octave, clusters far apart, sparse.  The broad phase stands beside sorting along
// one axis (sweep and prune), which has no grid to fill but tests all that share a slice.

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>
#include <numeric>
#include <random>
#include <string>

#include "bench_support.h"
#include "collision/broad_phase.h"
#include "uptack/collision.h"

namespace {
std::atomic<std::int64_t> live_bytes{0};
}

[[gnu::noinline]] void* operator new(std::size_t size) {
    void* memory = std::malloc(size);
    if (memory == nullptr) throw std::bad_alloc();
    live_bytes += static_cast<std::int64_t>(malloc_usable_size(memory));
    return memory;
}
// std::stable_sort asks for its buffer in this way.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    void* memory = std::malloc(size);
    if (memory != nullptr) live_bytes += static_cast<std::int64_t>(malloc_usable_size(memory));
    return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    if (memory != nullptr) live_bytes -= static_cast<std::int64_t>(malloc_usable_size(memory));
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
    operator delete(memory);
}

namespace uptack::bench {
namespace {

struct Ball {
    Vec3 at{};
    double radius = 0.5;
};

double uniform(std::mt19937_64& engine) {
    return std::uniform_real_distribution<double>(0.0, 1.0)(engine);
}
Vec3 somewhere(std::mt19937_64& engine, double side) {
    return {side * uniform(engine), side * uniform(engine), side * uniform(engine)};
}

std::vector<Ball> balls(const std::string& kind, int count) {
    std::mt19937_64 engine(1);
    std::vector<Ball> out(static_cast<std::size_t>(count));
    const int side = static_cast<int>(std::lround(std::cbrt(count)));
    for (int i = 0; i < count; ++i) {
        Ball& ball = out[static_cast<std::size_t>(i)];
        if (kind == "pile" || kind == "shuffled") {
            const Vec3 cell{1.0 * (i % side), 1.0 * (i / side % side), 1.0 * (i / side / side)};
            ball.at = cell + somewhere(engine, 0.03);
        } else if (kind == "mixed") {
            // Number density ~ radius^-4: equal volume in each octave; together half of the space.
            ball.radius = 0.005 / std::cbrt(1e-6 + (1.0 - 1e-6) * uniform(engine));
            ball.at = somewhere(engine, std::cbrt(count * 1.44e-5));
        } else if (kind == "clusters") {
            std::mt19937_64 of_cluster(static_cast<std::uint64_t>(i / 1000));
            ball.at = somewhere(of_cluster, 1e4) + somewhere(engine, 10.0);
        } else {
            ball.at = somewhere(engine, 20.0 * side);
        }
    }
    if (kind == "shuffled") std::shuffle(out.begin(), out.end(), engine);
    return out;
}

Model model_of(const std::vector<Ball>& all) {
    Model model;
    model.bodies.reserve(all.size() + 1);
    model.shapes.reserve(all.size() + 1);
    BodyDefinition floor;
    floor.name = "floor";
    floor.kind = BodyKind::fixed;
    floor.pose.position = {0.0, 0.0, -0.5};
    floor.shapes.emplace_back().geometry = HalfSpace{};
    add_body(model, floor);
    for (std::size_t i = 0; i < all.size(); ++i) {
        BodyDefinition body;
        body.name = "ball " + std::to_string(i);
        body.pose.position = all[i].at;
        body.shapes.emplace_back().geometry = Sphere{all[i].radius};
        add_body(model, std::move(body));
    }
    return model;
}

State start_of(const Model& model) {
    State state;
    for (const RigidBody& body : model.bodies) {
        state.pose.push_back(body.initial_pose);
        state.velocity.push_back({0.1, 0.0, -0.1, 0.0, 0.0, 0.0});
        state.still_s.push_back(0.0);
    }
    state.velocity[0] = {};
    return state;
}

/// FNV-1a over the bits of the gaps: a speed-up that changes results is seen.
std::uint64_t hash(const ContactSet& set) {
    std::uint64_t h = 1469598103934665603ULL;
    for (const Contact& c : set.contacts) h = (h ^ std::bit_cast<std::uint64_t>(c.gap)) * 1099511628211ULL;
    return h;
}

std::vector<collision::SweptBox> boxes_of(const std::vector<Ball>& all) {
    std::vector<collision::SweptBox> boxes;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const double grown = all[i].radius + 0.005 * all[i].radius;
        const Vec3 r{grown, grown, grown};
        boxes.push_back(collision::enclosing_box(all[i].at - r, all[i].at + r, static_cast<std::uint32_t>(i),
                                                 collision::box_wanted));
    }
    return boxes;
}

/// Sweep and prune along the axis of the largest spread; returns the number of pairs.
std::size_t sweep(const std::vector<collision::SweptBox>& boxes, std::vector<std::uint32_t>& order) {
    std::array<float, 3> low{boxes[0].low};
    std::array<float, 3> high{boxes[0].low};
    for (const auto& box : boxes) {
        for (int k = 0; k < 3; ++k) {
            low[k] = std::min(low[k], box.low[k]);
            high[k] = std::max(high[k], box.low[k]);
        }
    }
    int axis = 0;
    for (int k = 1; k < 3; ++k) {
        if (high[k] - low[k] > high[axis] - low[axis]) axis = k;
    }
    order.resize(boxes.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return boxes[a].low[axis] < boxes[b].low[axis]; });
    std::size_t pairs = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const auto& a = boxes[order[i]];
        for (std::size_t j = i + 1; j < order.size() && boxes[order[j]].low[axis] <= a.high[axis]; ++j) {
            pairs += collision::makes_pair(a, boxes[order[j]]) ? 1 : 0;
        }
    }
    return pairs;
}

void report(const std::string& kind, int largest) {
    std::vector<std::pair<double, double>> grid_times;
    std::vector<std::pair<double, double>> sweep_times;
    std::vector<std::pair<double, double>> total_times;
    for (int count = 1000; count <= largest; count *= 10) {
        const std::vector<Ball> all = balls(kind, count);
        const int calls = std::max(1, 20000 / count);
        const int tries = count > 300000 ? 4 : 8;
        const auto boxes = boxes_of(all);
        collision::BroadPhase broad;
        const double grid_s = best_seconds(tries, calls, [&] { broad.find_pairs(boxes); });
        std::vector<std::uint32_t> order;
        double sweep_s = 0.0;
        if (count <= 100000) {
            std::size_t pairs = 0;
            sweep_s = best_seconds(3, 1, [&] { pairs = sweep(boxes, order); });
            if (pairs != broad.partners().size()) fmt::print("sweep and grid disagree\n");
            sweep_times.emplace_back(count, sweep_s);
        }

        const Model model = model_of(all);
        const State state = start_of(model);
        ContactSet contacts;
        const std::int64_t before = live_bytes;
        Collider collider(model);
        const Reach reach{.envelope = kind == "mixed" ? 1e-4 : 0.01, .lookahead_s = 0.001};
        const double total_s = best_seconds(tries, calls, [&] { collider.collide(state, reach, contacts); });
        const std::int64_t kept =
            live_bytes - before - static_cast<std::int64_t>(contacts.contacts.capacity() * sizeof(Contact));
        const double n = count;
        grid_times.emplace_back(n, grid_s);
        total_times.emplace_back(n, total_s);
        fmt::print("{:<10}{:>9}{:>12.0f}{:>12}{:>12.0f}{:>12.2f}{:>12.2f}{:>12.0f}{:>20x}\n", kind, count,
                   grid_s / n * 1e9, sweep_s > 0.0 ? fmt::format("{:.0f}", sweep_s / n * 1e9) : "-",
                   total_s / n * 1e9, static_cast<double>(collider.counts().candidate_pairs) / n,
                   static_cast<double>(contacts.contacts.size()) / n, static_cast<double>(kept) / n,
                   hash(contacts));
    }
    fmt::print("{:<10}time ~ n^p: p = {:.2f} grid, {:.2f} sweep, {:.2f} collide\n\n", kind,
               growth_exponent(grid_times), growth_exponent(sweep_times), growth_exponent(total_times));
}

}  // namespace
}  // namespace uptack::bench

/// The largest number of spheres may be given; a million else.
int main(int count, char** arguments) {
    const int largest = count > 1 ? std::atoi(arguments[1]) : 1000000;
    fmt::print("{:<10}{:>9}{:>12}{:>12}{:>12}{:>12}{:>12}{:>12}{:>20}\n", "scene", "spheres", "grid ns",
               "sweep ns", "collide ns", "pairs", "contacts", "bytes", "hash");
    fmt::print("(ns, pairs, contacts and bytes per sphere; contacts themselves are not in the bytes)\n");
    for (const char* kind : {"pile", "shuffled", "mixed", "clusters", "sparse"})
        uptack::bench::report(kind, largest);
}

// The same bits whoever was added first, on any number of threads, after a restart, and as they were
// yesterday: for every solver.
//
// golden.txt has a hash of the last state of each world with each solver.  Its worlds use nothing of the
// mathematics library but square roots, which every machine rounds alike.  It is to change only when somebody
// wants other results; then
//     UPTACK_WRITE_GOLDEN=1 build/bin/simulation_test --gtest_filter='Golden.*'
// writes it anew.  ctest runs it for each instruction set (UPTACK_SIMD).

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "worlds.h"

namespace uptack::test {
namespace {

constexpr double h = 1.0 / 120.0;

/// What moves at the ends of a chain of heavy and light links.
Model chain() {
    Model model;
    int last = no_body;
    for (int i = 0; i < 8; ++i) {
        const int link = add_point(model, "link " + std::to_string(i), {0.2 * i + 0.1, 0.0, 1.0},
                                   i % 2 == 0 ? 1.0 : 20.0, 0.01);
        add_joint(model, {.name = "pin " + std::to_string(i),
                          .kind = JointKind::spherical,
                          .body_a = last,
                          .body_b = link,
                          .frame = {.position = {0.2 * i, 0.0, 1.0}}});
        last = link;
    }
    return model;
}

/// Boxes and balls that slide off each other.
Model slippery() {
    Model model;
    set_surface(model, 0.0);
    add_ground(model);
    for (int i = 0; i < 4; ++i) {
        add_box(model, "box " + std::to_string(i), {0.2, 0.2, 0.1}, {0.02 * i, 0.01 * i, 0.1 + 0.2 * i});
        add_ball(model, "ball " + std::to_string(i), 0.1, {0.6 + 0.01 * i, 0.015 * i, 0.1 + 0.2 * i});
    }
    return model;
}

/// A heap that is shoved by a kinematic slab, with capsules, bounces, rolling friction and a sleeping corner.
Model shoved() {
    Model model;
    model.materials[0].restitution = 0.3;
    model.materials[0].rolling_friction = 0.01;
    add_ground(model);
    BodyDefinition slab{.name = "slab", .kind = BodyKind::kinematic, .pose = {.position = {-1.0, 0.0, 0.3}}};
    slab.shapes = {{.geometry = Box{{0.1, 1.0, 0.3}}}};
    slab.motion.offset[0] = "0.8 * t * t";
    add_body(model, slab);
    for (int i = 0; i < 9; ++i) {
        const Vec3 place{0.3 * (i % 3) - 0.6, 0.3 * (i / 3) - 0.3, 0.11};
        add_body(model, {.name = "capsule " + std::to_string(i),
                         .pose = {place, tilted(i)},
                         .shapes = {{.geometry = Capsule{0.08, 0.06}}}});
        add_ball(model, "ball " + std::to_string(i), 0.1, place + Vec3{0.01, 0.02, 0.25});
    }
    return model;
}

SimulationSettings sleepy() {
    SimulationSettings s = settings(h, 1e-4);
    s.solver.stop.max_iterations = 200;
    s.sleep = {.enabled = true, .linear_speed = 0.05, .angular_speed = 0.2, .after_s = 0.1};
    return s;
}

SimulationSettings awake(const std::string& solver) {
    SimulationSettings s = settings(h, 1e-5);
    s.solver.name = solver;
    s.solver.stop.max_iterations = 200;
    return s;
}

/// Sleep knows nothing of solvers: one of them shows it.
std::vector<SimulationSettings> settings_of(const std::string& solver) {
    if (solver != "auto") return {awake(solver)};
    return {awake(solver), sleepy()};
}

std::vector<std::string> solver_names() {
    std::vector<std::string> names;
    for (const SolverInfo& info : list_solvers()) names.emplace_back(info.name);
    if (std::find(names.begin(), names.end(), "auto") == names.end()) names.emplace_back("auto");
    return names;
}

/// False where this solver does not take such problems.
bool make_steps(Simulation& simulation, int steps) {
    for (int i = 0; i < steps; ++i) {
        if (simulation.step().status == Status::unsuitable) return false;
    }
    return true;
}

/// Every solver has one of these that it can take.
std::map<std::string, Model> worlds() {
    return {{"collapse", collapse()}, {"chain", chain()}, {"slippery", slippery()}, {"shoved", shoved()}};
}

class EverySolver : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(SameBits, EverySolver, testing::ValuesIn(solver_names()),
                         [](const auto& made) { return made.param; });

TEST_P(EverySolver, TakesOneOfTheWorlds) {
    int taken = 0;
    for (const auto& [name, model] : worlds()) {
        Simulation simulation(model, awake(GetParam()));
        if (make_steps(simulation, 30)) ++taken;
    }
    EXPECT_GE(taken, 1);
}

/// Bodies, joints and forces in another order; names stay.
Model shuffled(const Model& model, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<int> order = in_order(static_cast<int>(model.bodies.size()));
    std::shuffle(order.begin(), order.end(), random);
    std::vector<int> place(order.size());
    Model mixed;
    mixed.materials = model.materials;
    for (std::size_t k = 0; k < order.size(); ++k) {
        place[static_cast<std::size_t>(order[k])] = static_cast<int>(k);
        mixed.bodies.push_back(model.bodies[static_cast<std::size_t>(order[k])]);
        for (Shape shape : model.shapes) {
            if (shape.body != order[k]) continue;
            shape.body = static_cast<int>(k);
            mixed.shapes.push_back(std::move(shape));
        }
    }
    mixed.joints = model.joints;
    std::shuffle(mixed.joints.begin(), mixed.joints.end(), random);
    for (Joint& joint : mixed.joints) {
        if (joint.body_a != no_body) joint.body_a = place[static_cast<std::size_t>(joint.body_a)];
        if (joint.body_b != no_body) joint.body_b = place[static_cast<std::size_t>(joint.body_b)];
    }
    mixed.forces = model.forces;
    std::shuffle(mixed.forces.begin(), mixed.forces.end(), random);
    for (AppliedForce& force : mixed.forces) force.body = place[static_cast<std::size_t>(force.body)];
    return mixed;
}

Model with_winds(Model model) {
    const auto dynamic = std::find_if(model.bodies.begin(), model.bodies.end(),
                                      [](const RigidBody& b) { return b.kind == BodyKind::dynamic; });
    const auto first = static_cast<int>(dynamic - model.bodies.begin());
    for (int i = 0; i < 5; ++i) {
        add_force(model, {.name = "wind " + std::to_string(i),
                          .body = i < 4 ? first : first + 1,
                          .point_b = {0.01 * i, 0.0, 0.02},
                          .force = {0.1 * i + 0.03, "0.7 * t", 1.0 / (i + 3.0)},
                          .torque = {0.0, 0.01 * i, 0.0}});
    }
    return model;
}

void expect_same_by_name(const Simulation& first, const Simulation& second) {
    for (std::size_t i = 0; i < first.model().bodies.size(); ++i) {
        const std::string& name = first.model().bodies[i].name;
        const int j = find_body(second.model(), name);
        ASSERT_GE(j, 0);
        EXPECT_EQ(first.state().pose[i], second.state().pose[j]) << name;
        EXPECT_EQ(first.state().velocity[i], second.state().velocity[j]) << name;
        EXPECT_EQ(first.state().still_s[i], second.state().still_s[j]) << name;
    }
    for (std::size_t i = 0; i < first.model().joints.size(); ++i) {
        const int j = find_joint(second.model(), first.model().joints[i].name);
        EXPECT_EQ(first.state().joint_angle[i], second.state().joint_angle[j]);
    }
    // Keys of the memory are ranks of names: it is the same as a whole.
    EXPECT_EQ(first.checkpoint().memory, second.checkpoint().memory);
}

TEST_P(EverySolver, InsertionOrderDoesNotChangeABit) {
    for (const auto& [name, plain] : worlds()) {
        const Model model = with_winds(plain);
        for (const SimulationSettings& s : settings_of(GetParam())) {
            Simulation first(model, s);
            Simulation second(shuffled(model, 5), s);
            for (int i = 0; i < 40; ++i) {
                const StepReport a = first.step();
                const StepReport b = second.step();
                ASSERT_EQ(a.status, b.status);
                if (a.status == Status::unsuitable) break;
                ASSERT_EQ(a.iterations, b.iterations) << name << " step " << i;
                ASSERT_EQ(a.energy_error_J, b.energy_error_J);
                ASSERT_EQ(total_energy(a), total_energy(b));
                ASSERT_EQ(a.worst, b.worst);
                ASSERT_EQ(a.deepest, b.deepest);
                ASSERT_EQ(a.loosest, b.loosest);
            }
            SCOPED_TRACE(name);
            expect_same_by_name(first, second);
        }
    }
}

TEST_P(EverySolver, ResumingGivesTheSameBits) {
    for (const auto& [name, model] : worlds()) {
        for (const SimulationSettings& s : settings_of(GetParam())) {
            Simulation whole(model, s);
            Simulation resumed(model, s);
            make_steps(resumed, 7);  // what it has seen before must not matter
            for (int part = 0; part < 3; ++part) {
                make_steps(whole, 15);
                resumed.restore(whole.checkpoint());
                make_steps(whole, 10);
                make_steps(resumed, 10);
                ASSERT_EQ(whole.checkpoint(), resumed.checkpoint())
                    << name << " part " << part << (s.sleep.enabled ? " with sleep" : "");
            }
        }
    }
}

TEST_P(EverySolver, ThreadsDoNotChangeABit) {
    for (const auto& [name, model] : worlds()) {
        const auto end = [&](std::size_t threads) {
            const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
            Simulation simulation(model, awake(GetParam()));
            make_steps(simulation, 40);
            return simulation.checkpoint();
        };
        const Checkpoint one = end(1);
        EXPECT_EQ(one, end(2)) << name;
        EXPECT_EQ(one, end(5)) << name;
    }
}

TEST(SameBits, AWokenBodyIsTheSameAfterARestart) {
    Model model;
    add_ground(model);
    for (int i = 0; i < 3; ++i) {
        add_box(model, "box " + std::to_string(i), {0.2, 0.2, 0.1}, {0.0, 0.0, 0.1 + 0.2 * i});
    }
    add_ball(model, "shot", 0.05, {0.0, 0.0, 2.5});
    Simulation whole(model, sleepy());
    for (int step = 0; step < 150; ++step) {
        Simulation resumed(model, sleepy());
        resumed.restore(whole.checkpoint());
        whole.step();
        resumed.step();
        ASSERT_EQ(whole.checkpoint(), resumed.checkpoint()) << step;
    }
}

// ---- golden hashes ----------------------------------------------------------------------------------------

/// FNV-1a over the bits of poses and velocities.
std::uint64_t hash_of(const State& state) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    const auto add = [&hash](double x) {
        auto bits = std::bit_cast<std::uint64_t>(x);
        for (int k = 0; k < 8; ++k, bits >>= 8U) hash = (hash ^ (bits & 0xffU)) * 0x100000001b3U;
    };
    for (std::size_t i = 0; i < state.pose.size(); ++i) {
        const auto& [at, q] = state.pose[i];
        for (const double x : {at[0], at[1], at[2], q.w, q.x, q.y, q.z}) add(x);
        for (const double v : state.velocity[i]) add(v);
    }
    return hash;
}

std::string golden_path() {
    return UPTACK_SOURCE "/tests/simulation/golden.txt";
}

std::string golden_text() {
    std::ostringstream text;
    for (const auto& [name, model] : worlds()) {
        for (const std::string& solver : solver_names()) {
            Simulation simulation(model, awake(solver));
            text << name << ' ' << solver << ' ';
            if (make_steps(simulation, 60)) {
                text << std::hex << hash_of(simulation.state()) << std::dec << '\n';
            } else {
                text << "unsuitable\n";
            }
        }
    }
    return text.str();
}

TEST(Golden, StatesAreThoseOfYesterday) {
    const std::string now = golden_text();
    if (std::getenv("UPTACK_WRITE_GOLDEN") != nullptr) std::ofstream(golden_path()) << now;
    std::ifstream file(golden_path());
    const std::string kept{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(now, kept) << "see the head of same_bits_test.cpp";
}

}  // namespace
}  // namespace uptack::test

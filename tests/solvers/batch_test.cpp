// Contacts in batches: the plan keeps its promises, and sweeping by it is sweeping one by one in its order.

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "kernel_sets.h"
#include "kernels/cone_projection.h"
#include "packed_problem.h"
#include "support/random.h"
#include "support/tolerance.h"
#include "uptack/generators.h"

namespace uptack::test {
namespace {

using Contact = BatchPlan::Contact;

/// The contacts of a piece in the order of a forward sweep.
std::vector<int> order_of(const BatchPlan& plan, const BatchPlan::Piece& piece) {
    const auto lanes = plan.lanes().subspan(4UL * piece.first_batch, 4UL * piece.batches);
    const auto singles = plan.singles().subspan(piece.first_single, piece.singles);
    std::vector<int> order(lanes.begin(), lanes.end());
    order.insert(order.end(), singles.begin(), singles.end());
    return order;
}

std::vector<int> order_of(const BatchPlan& plan) {
    std::vector<int> order;
    for (const BatchPlan::Stage& stage : plan.stages()) {
        for (const BatchPlan::Piece& piece : plan.pieces().subspan(stage.first_piece, stage.pieces)) {
            const std::vector<int> more = order_of(plan, piece);
            order.insert(order.end(), more.begin(), more.end());
        }
    }
    return order;
}

void check(const BatchPlan& plan, const std::vector<Contact>& contacts) {
    std::vector<int> order = order_of(plan);
    std::sort(order.begin(), order.end());
    ASSERT_EQ(order.size(), contacts.size());
    for (std::size_t k = 0; k < order.size(); ++k) ASSERT_EQ(order[k], static_cast<int>(k));
    for (std::size_t first = 0; first < plan.lanes().size(); first += 4) {
        std::set<int> moved;
        for (const int k : plan.lanes().subspan(first, 4)) {
            EXPECT_FALSE(contacts[k].alone);
            for (const int body : contacts[k].body)
                EXPECT_TRUE(body == BatchPlan::immovable || moved.insert(body).second)
                    << first << " " << body;
        }
    }
    for (const BatchPlan::Stage& stage : plan.stages()) {
        std::vector<int> owner(100'000, -1);
        for (int p = stage.first_piece; p < stage.first_piece + stage.pieces; ++p) {
            for (const int k : order_of(plan, plan.pieces()[p])) {
                for (const int body : contacts[k].body) {
                    if (body == BatchPlan::immovable) continue;
                    EXPECT_TRUE(owner[body] == -1 || owner[body] == p) << "body " << body;
                    owner[body] = p;
                }
            }
        }
    }
}

/// Bodies on a grid n x n x length, each touching its neighbours and, below, the ground.
std::vector<Contact> grid(int n, int length) {
    std::vector<Contact> contacts;
    const auto body = [=](int i, int j, int k) { return (k * n + j) * n + i; };
    const auto add = [&](int a, int b) { contacts.push_back({.body = {a, b}}); };
    for (int k = 0; k < length; ++k) {
        for (int j = 0; j < n; ++j) {
            for (int i = 0; i < n; ++i) {
                if (i > 0) add(body(i - 1, j, k), body(i, j, k));
                if (j > 0) add(body(i, j - 1, k), body(i, j, k));
                if (k > 0) add(body(i, j, k - 1), body(i, j, k));
                if (j == 0) add(BatchPlan::immovable, body(i, j, k));
            }
        }
    }
    return contacts;
}

TEST(BatchPlan, NoBatchAndNoStageSharesABody) {
    BatchPlan plan;
    for (const int length : {8, 100, 400}) {
        const std::vector<Contact> contacts = grid(6, length);
        plan.clear(36UL * length);
        EXPECT_EQ(plan.add(contacts), length < 100 ? 1 : 2);
        check(plan, contacts);
        EXPECT_LT(plan.singles().size(), 60 + contacts.size() / 20);
    }
    EXPECT_GT(plan.pieces().size(), 20U);
}

// Bodies in any order, a body that touches all others, pairs that touch several times, contacts of no body.
TEST(BatchPlan, KeepsItsPromisesOnAnyGraph) {
    Random random(3);
    BatchPlan plan;
    for (int trial = 0; trial < 20; ++trial) {
        const int bodies = random.whole(2, 2000);
        std::vector<Contact> contacts;
        const int count = random.whole(1, 9000);
        for (int k = 0; k < count; ++k) {
            const int a = random.whole(-1, bodies - 1);
            const int near = std::min(bodies - 1, a + random.whole(1, 5));
            const int b = trial % 3 == 0 && k % 7 == 0 ? 0 : near;
            contacts.push_back({.body = {a, b == a ? BatchPlan::immovable : b}, .alone = k % 11 == 0});
        }
        plan.clear(bodies);
        plan.add(contacts);
        check(plan, contacts);
    }
}

/// The same contacts in another order.
Problem reordered(const Problem& problem, const std::vector<int>& order) {
    Problem out;
    out.bodies = problem.bodies;
    for (const int k : order) {
        const Block& block = problem.blocks[k];
        const std::span<const JacobianRow> rows(problem.jacobian);
        const std::span<const double> bias(problem.bias);
        add_block(out, block.law, block.body_a, block.body_b, rows.subspan(block.first_row, block.rows),
                  bias.subspan(block.first_row, block.rows));
    }
    for (const int k : order) {
        const Block& block = problem.blocks[k];
        for (int i = block.first_row; i < block.first_row + block.rows && !problem.compliance.empty(); ++i)
            out.compliance.push_back(problem.compliance[i]);
    }
    return out;
}

// The general loop over the matrix takes contact after contact: it knows nothing of batches.
TEST(Batches, SweepAsTheMatrixIsSweptInTheirOrder) {
    for (const bool soft : {false, true}) {
        Problem problem = generate("shaker-friction");
        if (soft) {  // not every body that a contact names can move; compliance keeps A_ii > 0 on it
            problem.bodies[3].inverse_mass = 0.0;
            problem.bodies[3].inverse_inertia_w = {};
        }
        for (int i = 0; i < problem.row_count() && soft; ++i)
            problem.compliance.push_back(1e-4 * (1 + i % 7));
        PackedProblem packed;
        packed.pack(problem);
        ASSERT_EQ(packed.plan().stages().size(), 2U);
        const std::vector<int> order = order_of(packed.plan());
        const Problem matrix = assemble(reordered(problem, order));
        PackedProblem one_by_one;
        one_by_one.pack(matrix);
        std::vector<double> x(packed.rows(), 0.0), u(packed.state_size(), 0.0), z(packed.rows(), 0.0), none;
        for (const Direction direction : {Direction::forward, Direction::backward, Direction::forward}) {
            packed.sweep(1.1, direction, x, u);
            one_by_one.sweep(1.1, direction, z, none);
        }
        double largest = 0.0;
        double apart = 0.0;
        for (std::size_t k = 0; k < order.size(); ++k) {
            for (int i = 0; i < 3; ++i) {
                largest = std::max(largest, std::abs(z[3 * k + i]));
                apart = std::max(apart, std::abs(x[problem.blocks[order[k]].first_row + i] - z[3 * k + i]));
            }
        }
        EXPECT_GT(largest, 0.0);
        EXPECT_LE(apart, tolerance(1e-12) * largest);
    }
}

TEST(Batches, GiveTheSameBitsOnAnyNumberOfThreads) {
    PackedProblem packed;
    packed.pack(generate("shaker-friction"));
    const auto sweeps_on = [&](int threads) {
        const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
        std::vector<double> x(packed.rows(), 0.0), u(packed.state_size(), 0.0);
        for (int sweep = 0; sweep < 30; ++sweep) packed.sweep(1.3, Direction::forward, x, u);
        return x;
    };
    const std::vector<double> alone = sweeps_on(1);
    for (int trial = 0; trial < 5; ++trial) EXPECT_TRUE(alone == sweeps_on(2));
}

TEST(Batches, LeaveOutRowsThatAreNotOpposite) {
    Problem problem = generate("b2-friction");
    problem.jacobian[problem.blocks[7].first_row].a[1] += 0.5;  // only a file can say so
    PackedProblem packed;
    packed.pack(problem);
    const auto singles = packed.plan().singles();
    const bool moves_two = problem.blocks[7].body_a != no_body && problem.blocks[7].body_b != no_body;
    ASSERT_TRUE(moves_two);
    EXPECT_NE(std::find(singles.begin(), singles.end(), 7), singles.end());
    std::vector<double> x(packed.rows(), 0.0), u(packed.state_size(), 0.0), fresh(packed.state_size());
    for (int sweep = 0; sweep < 20; ++sweep) packed.sweep(1.0, Direction::forward, x, u);
    packed.carry(x, fresh);
    for (std::size_t i = 0; i < u.size(); ++i) EXPECT_NEAR(u[i], fresh[i], tolerance(1e-12));
}

// In large problems bodies stand in the state as sweeps meet them: for batches, for contacts that are swept
// alone and for other laws.
TEST(Batches, OfLargeProblemsKnowWhereTheirBodiesAre) {
    Problem problem = generate_sphere_packing({.spheres = 12'000, .contacts = 0, .mu = 0.3});
    problem.jacobian[problem.blocks[7].first_row].a[1] += 0.5;  // does not fit into a batch
    const JacobianRow joint = {.a = {1, 2, 3, 4, 5, 6}, .b = {-1, 0, 2, 0, -3, 1}};
    add_block(problem, Bilateral{}, 11, 7000, std::span(&joint, 1), std::array{0.5});
    PackedProblem swept, plain;
    swept.pack(problem);
    plain.pack(problem, PackedProblem::Use::products);
    ASSERT_GE(swept.plan().lanes().size(), 32'768U);
    ASSERT_GT(swept.plan().singles().size(), 0U);

    std::vector<double> x(swept.rows(), 0.0), u(swept.state_size(), 0.0), fresh(swept.state_size());
    for (int sweep = 0; sweep < 5; ++sweep) swept.sweep(1.0, Direction::forward, x, u);
    swept.carry(x, fresh);
    for (std::size_t i = 0; i < u.size(); ++i) ASSERT_NEAR(u[i], fresh[i], tolerance(1e-11)) << i;
    std::vector<double> y(x.size()), expected(x.size());
    swept.multiply(x, y);
    plain.multiply(x, expected);
    EXPECT_NE(x.back(), 0.0);
    for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], expected[i], tolerance(1e-10)) << i;
}

// Large problems only: floats are read while the error is far above theirs, doubles below.
TEST(Batches, OfLargeProblemsMayBeReadAsFloats) {
    const Problem problem = generate_sphere_packing({.spheres = 57'000, .contacts = 0, .mu = 0.3});
    PackedProblem packed;
    packed.pack(problem);
    const std::size_t bytes = packed.bytes_per_sweep();
    const auto swept = [&](RowsAs rows) {
        packed.read(rows);
        std::vector<double> x(packed.rows(), 0.0), u(packed.state_size(), 0.0);
        for (int sweep = 0; sweep < 10; ++sweep) packed.sweep(1.0, Direction::forward, x, u);
        return x;
    };
    const std::vector<double> exact = swept(RowsAs::doubles);
    const std::vector<double> rough = swept(RowsAs::floats);
    EXPECT_LT(10 * packed.bytes_per_sweep(), 7 * bytes);
    double largest = 0.0, apart = 0.0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
        largest = std::max(largest, exact[i]);
        apart = std::max(apart, std::abs(exact[i] - rough[i]));
    }
    EXPECT_GT(apart, 0.0) << "floats were not read";
    EXPECT_LE(apart, tolerance(1e-5) * largest);
}

#ifdef __x86_64__
TEST(Batches, GiveTheSameBitsOnEveryInstructionSet) {
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        GTEST_SKIP() << "this machine has no AVX2 to compare with";
    Random random(7);
    constexpr int count = 50;
    constexpr int bodies = 40;
    std::vector<ContactBatch> batches(count);
    int row = 0;
    for (ContactBatch& batch : batches) {
        const int first = random.whole(0, bodies - 1);
        for (int lane = 0; lane < 4; ++lane) {
            const auto fill = [&](auto& number) { number[lane] = random.normal(); };
            for (auto& axes : batch.frame) std::for_each(axes, axes + 3, fill);
            for (auto& side : batch.turn)
                for (auto& axes : side) std::for_each(axes, axes + 3, fill);
            std::for_each(batch.q, batch.q + 3, fill);
            batch.mu[lane] = lane == 3 ? 0.0 : 0.4;
            batch.step[lane] = 0.05;
            batch.spread[lane] = 1.6F * static_cast<float>(row / 3 % 3 - 1);
            batch.row[lane] = row;
            row += 3;
            for (int side = 0; side < 2; ++side) {
                batch.root[side][lane] = random.uniform(0.5, 2.0);
                batch.place[side][lane] = state_width * ((first + 2 * lane + side) % bodies);
            }
        }
    }
    std::vector<SlimBatch> slim(count);
    std::transform(batches.begin(), batches.end(), slim.begin(), rounded);
    const AlignedVector c(12UL * count, 0.01);
    for (int kind = 0; kind < 16; ++kind) {
        const PackedView view{.batches = batches.data(),
                              .slim_batches = kind < 8 ? nullptr : slim.data(),
                              .batch_c = kind % 2 == 0 ? nullptr : c.data(),
                              .any_takes_term = kind / 2 % 2 == 1,
                              .many_batches = kind / 4 % 2 == 1};
        const auto run = [&](const Kernels& kernels) {
            std::vector<double> x(row, 0.0), y(row, 0.0);
            std::vector<double> u(state_width * bodies, 0.0);
            for (const int stride : {1, -1, 1, 1, -1})
                kernels.sweep_batches(view, {.count = count, .stride = stride}, 1.2, x.data(), u.data());
            kernels.gather_batches(view, {.count = count}, u.data(), x.data(), y.data());
            x.insert(x.end(), u.begin(), u.end());
            x.insert(x.end(), y.begin(), y.end());
            return x;
        };
        const auto portable = run(kernels_portable);
        EXPECT_TRUE(portable == run(kernels_avx2)) << kind;
        EXPECT_TRUE(std::all_of(portable.begin(), portable.end(), [](double v) { return std::isfinite(v); }));
    }
}
#endif

// s = 0 and mu n = -0: the point looks as if it were inside.
TEST(ConeProjection, PullsBackWithoutFriction) {
    double n = -1.0, t1 = 0.0, t2 = 0.0;
    project_cone(0.0, 0.0, n, t1, t2);
    EXPECT_EQ(n, 0.0);
}

}  // namespace
}  // namespace uptack::test

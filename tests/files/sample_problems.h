// Small problems with every law and awkward numbers, and their bitwise comparison.

#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "uptack/problem.h"

namespace uptack::test {

/// Numbers without a short decimal form; the same on every machine.
class Numbers {
public:
    double next() {
        state_ = state_ * 6364136223846793005U + 1442695040888963407U;
        return static_cast<double>(state_ >> 11U) / 9007199254740992.0 - 0.5;
    }

private:
    std::uint64_t state_ = 7;
};

inline void add_random_block(Problem& problem, Numbers& numbers, const Law& law, int rows) {
    std::vector<JacobianRow> jacobian(static_cast<std::size_t>(rows));
    std::vector<double> bias;
    for (JacobianRow& row : jacobian) {
        for (double& value : row.a) value = numbers.next();
        for (double& value : row.b) value = numbers.next();
        bias.push_back(numbers.next());
    }
    const int k = static_cast<int>(problem.blocks.size());
    const int bodies = static_cast<int>(problem.bodies.size());
    add_block(problem, law, k % bodies, k % 3 == 0 ? no_body : (k + 1) % bodies, jacobian, bias);
}

inline std::vector<Body> random_bodies(Numbers& numbers, int count) {
    std::vector<Body> bodies(static_cast<std::size_t>(count));
    for (Body& body : bodies) {
        body.inverse_mass = 1.0 + numbers.next();
        body.inverse_inertia_w = {2.0 + numbers.next(), 2.0 + numbers.next(), 2.0 + numbers.next(),
                                  0.1 * numbers.next(), 0.1 * numbers.next(), 0.1 * numbers.next()};
        for (double& value : body.free_velocity) value = numbers.next();
    }
    return bodies;
}

inline Problem every_law() {
    Numbers numbers;
    Problem problem;
    problem.name = "every law, with \xC3\xA9 in its name";
    problem.bodies = random_bodies(numbers, 5);
    add_random_block(problem, numbers, Bilateral{}, 6);
    add_random_block(problem, numbers, Unilateral{}, 1);
    add_random_block(problem, numbers, Interval{}, 2);
    add_random_block(problem, numbers, Interval{.lower = -0.1, .upper = infinity}, 1);
    add_random_block(problem, numbers, Interval{.lower = -infinity, .upper = 1.0 / 3.0}, 1);
    const FrictionCone cone{.mu = 0.3, .mu_roll = 1e-3, .mu_spin = 7e-4, .model = FrictionModel::exact};
    for (int rows = 2; rows <= 6; ++rows) add_random_block(problem, numbers, cone, rows);
    add_random_block(problem, numbers, FrictionCone{.mu = 0.0}, 3);
    add_random_block(problem, numbers, BoxFriction{.mu = 0.7}, 3);
    problem.bias[3] = -0.0;
    problem.bias[4] = 4.9e-324;
    return problem;
}

/// Cones of one dimension between joints.
inline Problem contacts_and_joints(int cone_rows) {
    Numbers numbers;
    Problem problem;
    problem.name = "contacts and joints";
    problem.bodies = random_bodies(numbers, 4);
    const FrictionModel exact = FrictionModel::exact;
    add_random_block(problem, numbers, Bilateral{}, 2);
    add_random_block(problem, numbers, FrictionCone{.mu = 0.25, .model = exact}, cone_rows);
    add_random_block(problem, numbers, Bilateral{}, 1);
    add_random_block(problem, numbers, FrictionCone{.mu = 0.0, .model = exact}, cone_rows);
    add_random_block(problem, numbers, FrictionCone{.mu = 0.75, .model = exact}, cone_rows);
    return problem;
}

inline void expect_same_bits(std::span<const double> a, std::span<const double> b, const char* what) {
    ASSERT_EQ(a.size(), b.size()) << what;
    for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_EQ(std::bit_cast<std::uint64_t>(a[i]), std::bit_cast<std::uint64_t>(b[i])) << what << " " << i;
    }
}

inline std::vector<double> law_numbers(const Law& law) {
    if (const auto* interval = std::get_if<Interval>(&law)) return {interval->lower, interval->upper};
    if (const auto* box = std::get_if<BoxFriction>(&law)) return {box->mu};
    if (const auto* cone = std::get_if<FrictionCone>(&law)) {
        return {cone->mu, cone->mu_roll, cone->mu_spin, cone->model == FrictionModel::exact ? 1.0 : 0.0};
    }
    return {};
}

inline void expect_same_blocks(const Problem& a, const Problem& b) {
    ASSERT_EQ(a.blocks.size(), b.blocks.size());
    for (std::size_t k = 0; k < a.blocks.size(); ++k) {
        EXPECT_EQ(a.blocks[k].body_a, b.blocks[k].body_a);
        EXPECT_EQ(a.blocks[k].body_b, b.blocks[k].body_b);
        EXPECT_EQ(a.blocks[k].first_row, b.blocks[k].first_row);
        EXPECT_EQ(a.blocks[k].rows, b.blocks[k].rows);
        ASSERT_EQ(a.blocks[k].law.index(), b.blocks[k].law.index());
        expect_same_bits(law_numbers(a.blocks[k].law), law_numbers(b.blocks[k].law), "law");
    }
}

inline void expect_same_matrix(const SparseMatrix& a, const SparseMatrix& b) {
    EXPECT_EQ(a.start, b.start);
    EXPECT_EQ(a.column, b.column);
    expect_same_bits(a.value, b.value, "matrix");
}

inline void expect_same_problem(const Problem& a, const Problem& b) {
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.body_names, b.body_names);
    EXPECT_EQ(a.block_names, b.block_names);
    ASSERT_EQ(a.bodies.size(), b.bodies.size());
    for (std::size_t i = 0; i < a.bodies.size(); ++i) {
        EXPECT_EQ(a.bodies[i].inverse_mass, b.bodies[i].inverse_mass);
        expect_same_bits(a.bodies[i].inverse_inertia_w, b.bodies[i].inverse_inertia_w, "inertia");
        expect_same_bits(a.bodies[i].free_velocity, b.bodies[i].free_velocity, "free velocity");
    }
    ASSERT_EQ(a.jacobian.size(), b.jacobian.size());
    for (std::size_t i = 0; i < a.jacobian.size(); ++i) {
        expect_same_bits(a.jacobian[i].a, b.jacobian[i].a, "jacobian a");
        expect_same_bits(a.jacobian[i].b, b.jacobian[i].b, "jacobian b");
    }
    expect_same_blocks(a, b);
    expect_same_bits(a.bias, b.bias, "bias");
    expect_same_bits(a.compliance, b.compliance, "compliance");
    ASSERT_EQ(a.matrix.has_value(), b.matrix.has_value());
    if (a.matrix) expect_same_matrix(*a.matrix, *b.matrix);
}

}  // namespace uptack::test

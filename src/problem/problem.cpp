#include "uptack/problem.h"

#include <fmt/format.h>

#include <cassert>

#include "linalg/parallel.h"

namespace uptack {
namespace {

std::string body_label(const Problem& problem, int body) {
    if (body == no_body) return "the world";
    if (problem.body_names.empty()) return fmt::format("body {}", body);
    return "'" + problem.body_names[body] + "'";
}

std::string law_detail(const Law& law) {
    if (const auto* cone = std::get_if<FrictionCone>(&law)) {
        std::string text = fmt::format(", mu {:g}", cone->mu);
        if (cone->mu_roll > 0.0) text += fmt::format(", rolling {:g} m", cone->mu_roll);
        if (cone->mu_spin > 0.0) text += fmt::format(", spinning {:g} m", cone->mu_spin);
        return text;
    }
    if (const auto* box = std::get_if<BoxFriction>(&law)) return fmt::format(", mu {:g}", box->mu);
    if (const auto* interval = std::get_if<Interval>(&law)) {
        return fmt::format(", {:g} to {:g} N s", interval->lower, interval->upper);
    }
    return {};
}

/// p += J^T x of one side of a block.
void add_momentum(const Problem& problem, const Block& block, Vec6 JacobianRow::*side,
                  std::span<const double> impulse, Vec6& p) {
    for (int i = block.first_row; i < block.first_row + block.rows; ++i) {
        const Vec6& row = problem.jacobian[i].*side;
        for (int k = 0; k < 6; ++k) p[k] += row[k] * impulse[i];
    }
}

/// p -> v_free + M^-1 p
void turn_into_velocity(const Body& body, Vec6& p) {
    p = apply_inverse_mass(body, p);
    for (int k = 0; k < 6; ++k) p[k] += body.free_velocity[k];
}

}  // namespace

int add_block(Problem& problem, const Law& law, int body_a, int body_b, std::span<const JacobianRow> rows,
              std::span<const double> bias) {
    assert(rows.size() == bias.size());
    const int first_row = problem.row_count();
    problem.jacobian.insert(problem.jacobian.end(), rows.begin(), rows.end());
    problem.bias.insert(problem.bias.end(), bias.begin(), bias.end());
    if (!problem.compliance.empty()) problem.compliance.resize(problem.bias.size(), 0.0);
    problem.blocks.push_back({.body_a = body_a,
                              .body_b = body_b,
                              .first_row = first_row,
                              .rows = static_cast<int>(rows.size()),
                              .law = law});
    return static_cast<int>(problem.blocks.size()) - 1;
}

std::string law_name(const Law& law) {
    struct Namer {
        std::string operator()(const Bilateral&) const { return "bilateral"; }
        std::string operator()(const Unilateral&) const { return "unilateral"; }
        std::string operator()(const Interval&) const { return "interval"; }
        std::string operator()(const FrictionCone& cone) const {
            return cone.model == FrictionModel::exact ? "exact friction cone" : "convex friction cone";
        }
        std::string operator()(const BoxFriction&) const { return "box friction"; }
    };
    return std::visit(Namer{}, law);
}

std::string describe_block(const Problem& problem, int block) {
    const Block& b = problem.blocks[block];
    std::string text =
        problem.block_names.empty() ? fmt::format("block {}", block) : problem.block_names[block];
    text += fmt::format(" ({}{})", law_name(b.law), law_detail(b.law));
    if (!problem.matrix) {
        text +=
            fmt::format(" between {} and {}", body_label(problem, b.body_a), body_label(problem, b.body_b));
    }
    return text;
}

double diagonal_entry(const Problem& problem, const Block& block, int row) {
    if (problem.matrix) {
        const SparseMatrix& matrix = *problem.matrix;
        for (std::int64_t k = matrix.start[row]; k < matrix.start[row + 1]; ++k) {
            if (matrix.column[k] == row) return matrix.value[k];
        }
        return 0.0;
    }
    const JacobianRow& j = problem.jacobian[row];
    double a = problem.compliance.empty() ? 0.0 : problem.compliance[row];
    if (block.body_a != no_body) a += dot(j.a, apply_inverse_mass(problem.bodies[block.body_a], j.a));
    if (block.body_b != no_body) a += dot(j.b, apply_inverse_mass(problem.bodies[block.body_b], j.b));
    return a;
}

std::vector<Vec6> body_velocities(const Problem& problem, std::span<const double> impulse) {
    std::vector<Vec6> velocity;
    body_velocities(problem, impulse, velocity);
    return velocity;
}

void body_velocities(const Problem& problem, std::span<const double> impulse, std::vector<Vec6>& velocity) {
    std::vector<Vec6>& p = velocity;  // momentum first, velocity at the end
    p.assign(problem.bodies.size(), Vec6{});
    for (const Block& block : problem.blocks) {
        if (problem.matrix) break;
        if (block.body_a != no_body) add_momentum(problem, block, &JacobianRow::a, impulse, p[block.body_a]);
        if (block.body_b != no_body) add_momentum(problem, block, &JacobianRow::b, impulse, p[block.body_b]);
    }
    for (std::size_t i = 0; i < p.size(); ++i) turn_into_velocity(problem.bodies[i], p[i]);
}

void BodyVelocities::operator()(const Problem& problem, std::span<const double> impulse,
                                std::vector<Vec6>& velocity) {
    if (problem.matrix || problem.blocks.size() < blocks_grain.parallel_from) {
        body_velocities(problem, impulse, velocity);
        return;
    }
    list_blocks(problem);
    velocity.resize(problem.bodies.size());
    const auto some_bodies = [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t b = first; b < last; ++b) {
            Vec6 p{};
            for (int e = start_[b]; e < start_[b + 1]; ++e) {
                const Block& block = problem.blocks[entry_[e] / 2];
                add_momentum(problem, block, entry_[e] % 2 == 0 ? &JacobianRow::a : &JacobianRow::b, impulse,
                             p);
            }
            turn_into_velocity(problem.bodies[b], p);
            velocity[b] = p;
        }
    };
    for_each_chunk(problem.bodies.size(), some_bodies, {.smallest_chunk = 256, .parallel_from = 0});
}

void BodyVelocities::list_blocks(const Problem& problem) {
    const std::size_t bodies = problem.bodies.size();
    start_.assign(bodies + 1, 0);
    for (const Block& block : problem.blocks) {
        if (block.body_a != no_body) ++start_[block.body_a];
        if (block.body_b != no_body) ++start_[block.body_b];
    }
    // From counts to ends; filling backwards turns the ends into starts.
    int sum = 0;
    for (int& end : start_) end = sum += end;
    entry_.resize(sum);
    for (std::size_t k = problem.blocks.size(); k-- > 0;) {
        const Block& block = problem.blocks[k];
        if (block.body_b != no_body) entry_[--start_[block.body_b]] = static_cast<int>(2 * k + 1);
        if (block.body_a != no_body) entry_[--start_[block.body_a]] = static_cast<int>(2 * k);
    }
}

}  // namespace uptack

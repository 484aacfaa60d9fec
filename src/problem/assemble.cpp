#include <algorithm>
#include <utility>

#include "uptack/problem.h"

namespace uptack {
namespace {

struct Side {
    int body = no_body;
    const Vec6* jacobian = nullptr;
};

std::array<Side, 2> sides(const Problem& problem, const Block& block, int row) {
    return {Side{block.body_a, &problem.jacobian[row].a}, Side{block.body_b, &problem.jacobian[row].b}};
}

bool moves(const Body& body) {
    return body.inverse_mass > 0.0 || body.inverse_inertia_w != Symmetric3{};
}

/// The blocks that touch each body, in order.  A body that moves as prescribed couples nobody.
std::vector<std::vector<int>> blocks_of_bodies(const Problem& problem) {
    std::vector<std::vector<int>> touching(problem.bodies.size());
    for (std::size_t k = 0; k < problem.blocks.size(); ++k) {
        for (const int body : {problem.blocks[k].body_a, problem.blocks[k].body_b}) {
            if (body != no_body && moves(problem.bodies[body])) touching[body].push_back(static_cast<int>(k));
        }
    }
    return touching;
}

std::vector<int> neighbours(const Block& block, int self, const std::vector<std::vector<int>>& touching) {
    std::vector<int> found = {self};
    for (const int body : {block.body_a, block.body_b}) {
        if (body != no_body) found.insert(found.end(), touching[body].begin(), touching[body].end());
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

double coupling(const Problem& problem, const Block& block_i, int i, const Block& block_j, int j) {
    double a = 0.0;
    for (const Side& p : sides(problem, block_i, i)) {
        for (const Side& q : sides(problem, block_j, j)) {
            if (p.body == no_body || p.body != q.body) continue;
            a += dot(*p.jacobian, apply_inverse_mass(problem.bodies[p.body], *q.jacobian));
        }
    }
    return a;
}

/// Row i of A, appended.
void append_row(const Problem& problem, const Block& block, int i, const std::vector<int>& near,
                SparseMatrix& a) {
    for (const int k : near) {
        const Block& other = problem.blocks[k];
        for (int j = other.first_row; j < other.first_row + other.rows; ++j) {
            const double c = i == j && !problem.compliance.empty() ? problem.compliance[i] : 0.0;
            a.column.push_back(j);
            a.value.push_back(coupling(problem, block, i, other, j) + c);
        }
    }
    a.start.push_back(static_cast<std::int64_t>(a.value.size()));
}

}  // namespace

Problem assemble(const Problem& problem) {
    if (problem.matrix) return problem;
    Problem out;
    out.name = problem.name;
    out.block_names = problem.block_names;
    out.bias = problem.bias;
    SparseMatrix a;
    a.start.push_back(0);
    const auto touching = blocks_of_bodies(problem);
    for (const Block& block : problem.blocks) {
        const auto self = static_cast<int>(&block - problem.blocks.data());
        const std::vector<int> near = neighbours(block, self, touching);
        for (int i = block.first_row; i < block.first_row + block.rows; ++i) {
            append_row(problem, block, i, near, a);
            for (const Side& side : sides(problem, block, i)) {
                if (side.body == no_body) continue;
                out.bias[i] += dot(*side.jacobian, problem.bodies[side.body].free_velocity);
            }
        }
        out.blocks.push_back({.first_row = block.first_row, .rows = block.rows, .law = block.law});
    }
    out.matrix = std::move(a);
    return out;
}

}  // namespace uptack

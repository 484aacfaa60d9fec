#include "uptack/islands.h"

#include <algorithm>

namespace uptack {
namespace {

// While the islands are being found, of_body is a forest: a body's entry is its parent, a root's its own
// index.  A root whose island has a number holds label(number), below -1, and so does everything that has
// been compressed onto it.
constexpr int label(int island) {
    return -2 - island;
}
constexpr int island_of(int entry) {
    return entry <= -2 ? -2 - entry : -1;
}

bool can_move(const Body& body) {
    if (body.inverse_mass > 0.0) return true;
    for (const double entry : body.inverse_inertia_w) {
        if (entry != 0.0) return true;
    }
    return false;
}

/// The root of a body, halving the way there.
int root_of(std::vector<int>& forest, int body) {
    while (forest[body] >= 0 && forest[body] != body) {
        const int above = forest[forest[body]];
        if (above >= 0) forest[body] = above;
        body = forest[body];
    }
    return body;
}

/// The body of a block that ties it to others, or no_body.
int movable_body(const Problem& problem, const Block& block) {
    for (const int body : {block.body_a, block.body_b}) {
        if (body != no_body && can_move(problem.bodies[body])) return body;
    }
    return no_body;
}

void join_bodies(const Problem& problem, std::vector<int>& forest) {
    for (const Block& block : problem.blocks) {
        if (block.body_a == no_body || block.body_b == no_body) continue;
        if (!can_move(problem.bodies[block.body_a]) || !can_move(problem.bodies[block.body_b])) continue;
        const int a = root_of(forest, block.body_a);
        const int b = root_of(forest, block.body_b);
        forest[std::max(a, b)] = std::min(a, b);
    }
}

}  // namespace

// 1. Join the bodies of every block    2. number the roots by the first block that reaches them
// 3. labels -> numbers
void find_islands(const Problem& problem, Islands& islands) {
    islands.count = 0;
    islands.of_block.resize(problem.blocks.size());
    islands.of_body.resize(problem.bodies.size());
    if (problem.matrix) {
        std::fill(islands.of_block.begin(), islands.of_block.end(), 0);
        islands.count = problem.blocks.empty() ? 0 : 1;
        return;
    }
    std::vector<int>& forest = islands.of_body;
    for (std::size_t b = 0; b < forest.size(); ++b) forest[b] = static_cast<int>(b);
    join_bodies(problem, forest);
    for (std::size_t k = 0; k < problem.blocks.size(); ++k) {
        const int body = movable_body(problem, problem.blocks[k]);
        if (body == no_body) {
            islands.of_block[k] = islands.count++;
            continue;
        }
        int& root = forest[root_of(forest, body)];
        if (root >= 0) root = label(islands.count++);
        islands.of_block[k] = island_of(root);
    }
    for (std::size_t b = 0; b < forest.size(); ++b) {
        forest[b] =
            forest[root_of(forest, static_cast<int>(b))];  // a label, or an untouched body's own index
    }
    for (int& entry : forest) entry = island_of(entry);
}

}  // namespace uptack

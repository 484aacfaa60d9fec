#include "problem_part.h"

#include <algorithm>
#include <utility>

namespace uptack {

void ProblemPart::copy_out(const Problem& whole, std::span<const int> blocks,
                           std::span<const double> impulse) {
    problem_.bodies.clear();
    problem_.jacobian.clear();
    problem_.blocks.clear();
    problem_.bias.clear();
    problem_.compliance.clear();
    solution_.impulse.clear();
    local_.resize(whole.bodies.size(), -1);
    for (const int k : blocks) {
        Block block = whole.blocks[k];
        const int first = std::exchange(block.first_row, static_cast<int>(problem_.bias.size()));
        block.body_a = local_body(whole, block.body_a);
        block.body_b = local_body(whole, block.body_b);
        problem_.blocks.push_back(block);
        const auto append = [&](const auto& from, auto& to) {
            to.insert(to.end(), from.begin() + first, from.begin() + first + block.rows);
        };
        append(whole.jacobian, problem_.jacobian);
        append(whole.bias, problem_.bias);
        append(impulse, solution_.impulse);
        if (!whole.compliance.empty()) append(whole.compliance, problem_.compliance);
    }
    for (const int body : used_) local_[body] = -1;
    used_.clear();
}

int ProblemPart::local_body(const Problem& whole, int body) {
    if (body == no_body) return no_body;
    if (local_[body] < 0) {
        local_[body] = static_cast<int>(problem_.bodies.size());
        problem_.bodies.push_back(whole.bodies[body]);
        used_.push_back(body);
    }
    return local_[body];
}

void ProblemPart::copy_back(const Problem& whole, std::span<const int> blocks,
                            std::span<double> impulse) const {
    auto from = solution_.impulse.begin();
    for (const int k : blocks) {
        const Block& block = whole.blocks[k];
        std::copy_n(from, block.rows, impulse.begin() + block.first_row);
        from += block.rows;
    }
}

}  // namespace uptack

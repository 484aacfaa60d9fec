#include "auto_traits.h"

#include <cstddef>

namespace uptack {
namespace {

constexpr double pairs_of_wall = 1.5;  // per body

/// Counts how often the bodies change from block to block: about as many as pairs of bodies that touch.
class PairCount {
public:
    void add(const Block& block) {
        if (last_ == nullptr || last_->body_a != block.body_a || last_->body_b != block.body_b) ++count_;
        last_ = &block;
    }
    std::size_t count() const { return count_; }

private:
    const Block* last_ = nullptr;
    std::size_t count_ = 0;
};

}  // namespace

AutoTraits traits_of(const Problem& problem) {
    AutoTraits traits;
    PairCount pairs;
    int joint_rows = 0;
    for (const Block& block : problem.blocks) {
        pairs.add(block);
        if (std::holds_alternative<Bilateral>(block.law)) joint_rows += block.rows;
        if (std::holds_alternative<BoxFriction>(block.law)) traits.has_boxes = true;
        const auto* cone = std::get_if<FrictionCone>(&block.law);
        if (cone == nullptr) continue;
        traits.has_cones = true;
        if (cone->model == FrictionModel::exact) traits.has_exact_cones = true;
    }
    traits.convex = !traits.has_exact_cones && !traits.has_boxes;
    if (!problem.blocks.empty()) traits.joint_share = static_cast<double>(joint_rows) / problem.row_count();
    traits.touches_in_patches = !problem.matrix && 2 * pairs.count() < problem.blocks.size();
    traits.is_wall =
        traits.touches_in_patches &&
        static_cast<double>(pairs.count()) > pairs_of_wall * static_cast<double>(problem.bodies.size());
    return traits;
}

bool is_tree(const Problem& problem) {
    if (problem.matrix) return false;
    PairCount joints;
    for (const Block& block : problem.blocks) {
        if (block.body_a != no_body && block.body_b != no_body) joints.add(block);
    }
    return joints.count() < problem.bodies.size();
}

}  // namespace uptack

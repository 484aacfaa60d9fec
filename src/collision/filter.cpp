#include "filter.h"

#include <algorithm>

namespace uptack::collision {

namespace {

std::uint64_t pair_key(std::uint32_t a, std::uint32_t b) {
    return (std::uint64_t{std::min(a, b)} << 32U) | std::max(a, b);
}

}  // namespace

BodyFilter::BodyFilter(const Model& model, const std::vector<std::uint32_t>& rank_of_body)
    : any_(rank_of_body.size(), false) {
    const auto keep_apart = [&](int a, int b) {
        if (a == no_body || b == no_body) return;
        apart_.push_back(pair_key(rank_of_body[a], rank_of_body[b]));
        any_[rank_of_body[a]] = true;
        any_[rank_of_body[b]] = true;
    };
    for (const auto& [a, b] : model.no_collision) keep_apart(a, b);
    for (const Joint& joint : model.joints) {
        if (!joint.bodies_collide) keep_apart(joint.body_a, joint.body_b);
    }
    std::sort(apart_.begin(), apart_.end());
    apart_.erase(std::unique(apart_.begin(), apart_.end()), apart_.end());
}

bool BodyFilter::listed(std::uint32_t rank_a, std::uint32_t rank_b) const {
    return any_[rank_a] && any_[rank_b] &&
           std::binary_search(apart_.begin(), apart_.end(), pair_key(rank_a, rank_b));
}

}  // namespace uptack::collision

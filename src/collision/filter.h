// Which shapes and bodies may touch at all.

#pragma once

#include <cstdint>
#include <vector>

#include "uptack/model.h"

namespace uptack::collision {

/// Bodies are told by their place in body_order().
class BodyFilter {
public:
    BodyFilter() = default;
    /// Model::no_collision, and the bodies of joints that do not let them collide.
    BodyFilter(const Model& model, const std::vector<std::uint32_t>& rank_of_body);

    bool may_touch(std::uint32_t rank_a, std::uint32_t rank_b) const {
        return apart_.empty() || !listed(rank_a, rank_b);
    }

private:
    bool listed(std::uint32_t rank_a, std::uint32_t rank_b) const;

    std::vector<std::uint64_t> apart_;  ///< pairs of ranks, the smaller one in the high half; sorted
    std::vector<bool> any_;             ///< whether a body is in one of them
};

struct GroupMask {
    std::uint32_t groups = 1;
    std::uint32_t mask = every_group;
};

inline bool may_touch(const GroupMask& a, const GroupMask& b) {
    return (a.groups & b.mask) != 0 && (b.groups & a.mask) != 0;
}

}  // namespace uptack::collision

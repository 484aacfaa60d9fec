// Boxes for the tests of what finds their pairs.

#pragma once

#include "broad_phase.h"

namespace uptack::collision {

inline SweptBox cube(const Vec3& center, double half, std::uint32_t body, std::uint32_t flags = box_wanted) {
    const Vec3 h{half, half, half};
    return enclosing_box(center - h, center + h, body, flags);
}

}  // namespace uptack::collision

// Where bodies touch or are about to.
//
// Written by: collision.  Read by: assembly, recording.  It knows geometry only: no friction, no velocities.

#pragma once

#include <cstdint>
#include <vector>

#include "uptack/math.h"

namespace uptack {

/// One point.  Its key (body_a, body_b, shape_a, shape_b, feature) is unique in a set and stays the same from
/// step to step as long as the same features touch.
struct Contact {
    int body_a = -1;  ///< index into Model::bodies; a comes before b in body_order()
    int body_b = -1;
    int shape_a = -1;  ///< index into Model::shapes
    int shape_b = -1;
    std::uint32_t feature = 0;
    Vec3 point_w{};    ///< midway between the surfaces [m]
    Vec3 normal_w{};   ///< unit, from b to a
    double gap = 0.0;  ///< signed distance of the surfaces along the normal [m]; negative: they overlap
};

struct ContactSet {
    std::vector<Contact> contacts;  ///< sorted by rank of body a, of body b, then shapes and feature
};

}  // namespace uptack

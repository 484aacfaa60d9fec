// Where the two frames of a joint are in the world.

#pragma once

#include <array>

#include "uptack/model.h"
#include "uptack/state.h"

namespace uptack::assembly {

struct JointFrames {
    Vec3 origin_a{};  ///< of a's frame, in the world [m]
    Vec3 origin_b{};
    Vec3 arm_a{};  ///< from a's centre of mass to its frame's origin, along the world's axes; 0 for the world
    Vec3 arm_b{};
    Vec3 offset{};                 ///< origin_b - origin_a
    std::array<Vec3, 3> axes_a{};  ///< x, y, z of a's frame in the world
    std::array<Vec3, 3> axes_b{};
    Quaternion relative;  ///< turns components along b's axes into components along a's
};

/// For the poses of two bodies; a body that is the world stands at the origin.
JointFrames joint_frames(const Joint& joint, const Pose& body_a, const Pose& body_b);
JointFrames joint_frames(const Joint& joint, const State& state);

}  // namespace uptack::assembly

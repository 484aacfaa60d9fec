#include "parts/frames.h"

namespace uptack::assembly {
namespace {

std::array<Vec3, 3> axes_of(const Quaternion& q) {
    const Mat3 columns = transpose(matrix(q));
    return {columns[0], columns[1], columns[2]};
}

}  // namespace

JointFrames joint_frames(const Joint& joint, const Pose& body_a, const Pose& body_b) {
    JointFrames f;
    const Quaternion turn_a = body_a.orientation * joint.frame_a.orientation;
    const Quaternion turn_b = body_b.orientation * joint.frame_b.orientation;
    f.origin_a = transform(body_a, joint.frame_a.position);
    f.origin_b = transform(body_b, joint.frame_b.position);
    // The world has no centre of mass: its arms are 0, so that torques on it are about the frame's origin.
    if (joint.body_a != no_body) f.arm_a = rotate(body_a.orientation, joint.frame_a.position);
    if (joint.body_b != no_body) f.arm_b = rotate(body_b.orientation, joint.frame_b.position);
    f.offset = f.origin_b - f.origin_a;
    f.axes_a = axes_of(turn_a);
    f.axes_b = axes_of(turn_b);
    f.relative = conjugate(turn_a) * turn_b;
    return f;
}

JointFrames joint_frames(const Joint& joint, const State& state) {
    const Pose world;
    return joint_frames(joint, joint.body_a == no_body ? world : state.pose[joint.body_a],
                        joint.body_b == no_body ? world : state.pose[joint.body_b]);
}

}  // namespace uptack::assembly

#include "parts/translation.h"

namespace uptack::assembly {

Measure along_a(const JointFrames& f, const Vec3& axis_w) {
    return {.value = dot(axis_w, f.offset),
            .row = {.a = join(-axis_w, -cross(f.arm_a + f.offset, axis_w)),
                    .b = join(axis_w, cross(f.arm_b, axis_w))}};
}

Measure along_b(const JointFrames& f, const Vec3& axis_w) {
    return {.value = dot(axis_w, f.offset),
            .row = {.a = join(-axis_w, -cross(f.arm_a, axis_w)),
                    .b = join(axis_w, cross(f.arm_b - f.offset, axis_w))}};
}

Measure apart(const JointFrames& f) {
    const Vec3 u = direction(f.offset, f.axes_a[2]);
    return {.value = length(f.offset),
            .row = {.a = join(-u, -cross(f.arm_a, u)), .b = join(u, cross(f.arm_b, u))}};
}

Measure rope_length(const Joint& joint, const JointFrames& f) {
    const Vec3 from_a = f.origin_a - joint.anchor_a_w;
    const Vec3 from_b = f.origin_b - joint.anchor_b_w;
    const Vec3 u = direction(from_a);
    const Vec3 v = joint.ratio * direction(from_b);
    return {.value = length(from_a) + joint.ratio * length(from_b),
            .row = {.a = join(u, cross(f.arm_a, u)), .b = join(v, cross(f.arm_b, v))}};
}

}  // namespace uptack::assembly

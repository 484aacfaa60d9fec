#include "parts/rolling.h"

#include "parts/rotation.h"
#include "parts/translation.h"

namespace uptack::assembly {

std::optional<std::array<Measure, 2>> gear_angles(const JointFrames& f) {
    const Measure a_x = along_a(f, f.axes_a[0]);
    const Measure a_y = along_a(f, f.axes_a[1]);
    const Measure b_x = along_b(f, f.axes_b[0]);
    const Measure b_y = along_b(f, f.axes_b[1]);
    const bool apart_in_a = a_x.value != 0.0 || a_y.value != 0.0;
    const bool apart_in_b = b_x.value != 0.0 || b_y.value != 0.0;
    if (!apart_in_a || !apart_in_b) return std::nullopt;
    return std::array{scaled(-1.0, angle_between(a_y, a_x)), scaled(-1.0, angle_between(b_y, b_x))};
}

Measure pinion_angle(const JointFrames& f) {
    return angle_between(cosine(f.axes_a[1], f.axes_b[0]), cosine(f.axes_a[0], f.axes_b[0]));
}

double pinion_side(const JointFrames& f) {
    return dot(f.offset, cross(f.axes_a[2], f.axes_b[0])) > 0.0 ? -1.0 : 1.0;
}

}  // namespace uptack::assembly

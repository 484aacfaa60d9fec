#include "joints/joint_kinds.h"

#include <cmath>
#include <numbers>

#include "parts/rolling.h"
#include "parts/rotation.h"
#include "parts/translation.h"

namespace uptack::assembly {
namespace {

constexpr double full_turn = 2.0 * std::numbers::pi;

/// `angle` plus whole turns, nearest to `last`.
double nearest_branch(double angle, double last) {
    return angle + full_turn * std::round((last - angle) / full_turn);
}

Measure on_branch(Measure angle, double last) {
    angle.value = nearest_branch(angle.value, last);
    return angle;
}

void hold_origin(const JointFrames& f, Held& out, std::initializer_list<int> axes) {
    for (const int k : axes) out.add(along_a(f, f.axes_a[k]));
}

void hold_tilt(const JointFrames& f, Held& out) {
    for (const Measure& m : tilt(f)) out.add(m);
}

void hold_rotation(const JointFrames& f, Held& out) {
    for (const Measure& m : turned_apart(f)) out.add(m);
}

void hold_lead(const Joint& joint, const JointFrames& f, const JointAngles& angles, Held& out) {
    const std::optional<Measure> angle = coordinate(joint, Coordinate::angle, f, angles);
    if (!angle) return;
    out.add(combined(1.0, along_a(f, f.axes_a[2]), -joint.lead / full_turn, *angle));
}

// The amount that gear and rack keep, on the branches nearest to `angles`.
std::optional<Measure> rolled(const Joint& joint, const JointStart& start, const JointFrames& f,
                              const JointAngles& angles) {
    if (joint.kind == JointKind::rack_pinion) {
        return combined(1.0, along_b(f, f.axes_b[0]), start.side * joint.radius_a,
                        on_branch(pinion_angle(f), angles[0]));
    }
    const auto both = gear_angles(f);
    if (!both) return std::nullopt;
    return combined(joint.radius_a, on_branch((*both)[0], angles[0]), start.turn_b * joint.radius_b,
                    on_branch((*both)[1], angles[1]));
}

void hold_rolled(const Joint& joint, const JointStart& start, const JointFrames& f, const JointAngles& angles,
                 Held& out) {
    if (const auto now = rolled(joint, start, f, angles)) out.add(scaled(1.0, *now, -start.rolled));
}

constexpr std::array every_coordinate{Coordinate::x,     Coordinate::y,     Coordinate::z,
                                      Coordinate::swing, Coordinate::angle, Coordinate::distance};
constexpr std::array only_angle{Coordinate::angle};
constexpr std::array only_z{Coordinate::z};
constexpr std::array z_and_angle{Coordinate::z, Coordinate::angle};
constexpr std::array swing_and_angle{Coordinate::swing, Coordinate::angle};
constexpr std::array two_angles{Coordinate::angle_x, Coordinate::angle_y};
constexpr std::array in_plane{Coordinate::x, Coordinate::y, Coordinate::angle};
constexpr std::array on_line{Coordinate::z, Coordinate::swing, Coordinate::angle};

}  // namespace

JointStart joint_start(const Joint& joint, const JointFrames& f) {
    JointStart start;
    start.side = pinion_side(f);
    start.turn_b = dot(f.axes_a[2], f.axes_b[2]) < 0.0 ? -1.0 : 1.0;
    if (joint.kind == JointKind::gear || joint.kind == JointKind::rack_pinion) {
        const auto now = rolled(joint, start, f, unwrapped(joint, f, {}));
        if (now) start.rolled = now->value;
    }
    return start;
}

JointAngles unwrapped(const Joint& joint, const JointFrames& f, const JointAngles& last) {
    JointAngles angles = last;
    switch (joint.kind) {
        case JointKind::gear:
            if (const auto both = gear_angles(f)) {
                angles = {nearest_branch((*both)[0].value, last[0]),
                          nearest_branch((*both)[1].value, last[1])};
            }
            break;
        case JointKind::rack_pinion:
            angles[0] = nearest_branch(pinion_angle(f).value, last[0]);
            break;
        case JointKind::universal:
            angles = {nearest_branch(angle_about_x(f).value, last[0]),
                      nearest_branch(angle_about_y(f).value, last[1])};
            break;
        default:
            if (const auto angle = twist(f)) angles[0] = nearest_branch(angle->value, last[0]);
            break;
    }
    return angles;
}

Held held(const Joint& joint, const JointStart& start, const JointFrames& f, const JointAngles& angles) {
    Held out;
    switch (joint.kind) {
        case JointKind::free:
            break;
        case JointKind::fixed:
            hold_origin(f, out, {0, 1, 2});
            hold_rotation(f, out);
            break;
        case JointKind::revolute:
            hold_origin(f, out, {0, 1, 2});
            hold_tilt(f, out);
            break;
        case JointKind::prismatic:
            hold_origin(f, out, {0, 1});
            hold_rotation(f, out);
            break;
        case JointKind::cylindrical:
            hold_origin(f, out, {0, 1});
            hold_tilt(f, out);
            break;
        case JointKind::screw:
            hold_origin(f, out, {0, 1});
            hold_tilt(f, out);
            hold_lead(joint, f, angles, out);
            break;
        case JointKind::spherical:
            hold_origin(f, out, {0, 1, 2});
            break;
        case JointKind::universal:
            hold_origin(f, out, {0, 1, 2});
            out.add(cosine(f.axes_a[0], f.axes_b[1]));
            break;
        case JointKind::planar:
            hold_origin(f, out, {2});
            hold_tilt(f, out);
            break;
        case JointKind::point_on_line:
            hold_origin(f, out, {0, 1});
            break;
        case JointKind::distance:
            out.add(scaled(1.0, apart(f), -joint.length));
            break;
        case JointKind::gear:
        case JointKind::rack_pinion:
            hold_rolled(joint, start, f, angles, out);
            break;
        case JointKind::pulley:
            out.add(scaled(-1.0, rope_length(joint, f), joint.length));
            out.one_sided = true;
            break;
    }
    return out;
}

std::optional<Measure> coordinate(const Joint& joint, Coordinate which, const JointFrames& f,
                                  const JointAngles& angles) {
    const bool counts_both = joint.kind == JointKind::universal;  // slots 0 and 1 are angle_x and angle_y
    const bool counts_twist =
        !counts_both && joint.kind != JointKind::gear && joint.kind != JointKind::rack_pinion;
    switch (which) {
        case Coordinate::x:
            return along_a(f, f.axes_a[0]);
        case Coordinate::y:
            return along_a(f, f.axes_a[1]);
        case Coordinate::z:
            return along_a(f, f.axes_a[2]);
        case Coordinate::angle:
            if (auto angle = twist(f)) return on_branch(*angle, counts_twist ? angles[0] : 0.0);
            return std::nullopt;
        case Coordinate::angle_x:
            return on_branch(angle_about_x(f), counts_both ? angles[0] : 0.0);
        case Coordinate::angle_y:
            return on_branch(angle_about_y(f), counts_both ? angles[1] : 0.0);
        case Coordinate::swing:
            return swing(f);
        case Coordinate::distance:
            return apart(f);
    }
    return std::nullopt;
}

std::span<const Coordinate> free_coordinates(JointKind kind) {
    switch (kind) {
        case JointKind::free:
            return every_coordinate;
        case JointKind::revolute:
        case JointKind::screw:
            return only_angle;
        case JointKind::prismatic:
            return only_z;
        case JointKind::cylindrical:
            return z_and_angle;
        case JointKind::spherical:
            return swing_and_angle;
        case JointKind::universal:
            return two_angles;
        case JointKind::planar:
            return in_plane;
        case JointKind::point_on_line:
            return on_line;
        case JointKind::fixed:
        case JointKind::distance:
        case JointKind::gear:
        case JointKind::rack_pinion:
        case JointKind::pulley:
            return {};
    }
    return {};
}

}  // namespace uptack::assembly

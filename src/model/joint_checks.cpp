// Which coordinates a joint leaves free, and what its numbers must be.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "checks.h"

namespace uptack::model {
namespace {

// Gears' axes may be this far from parallel [rad]: poses come from files with few digits.
constexpr double parallel_slack = 1e-6;

std::span<const Coordinate> free_coordinates(JointKind kind) {
    using enum Coordinate;
    static constexpr std::array all{x, y, z, angle, swing, distance};
    static constexpr std::array z_and_rotation{z, angle, swing};
    static constexpr std::array both_angles{angle_x, angle_y};
    static constexpr std::array in_plane{x, y, angle};
    const std::span line(z_and_rotation);
    switch (kind) {
        case JointKind::free:
            return all;
        case JointKind::revolute:
        case JointKind::screw:
            return line.subspan(1, 1);
        case JointKind::prismatic:
            return line.first(1);
        case JointKind::cylindrical:
            return line.first(2);
        case JointKind::spherical:
            return line.subspan(1, 2);
        case JointKind::universal:
            return both_angles;
        case JointKind::planar:
            return in_plane;
        case JointKind::point_on_line:
            return line;
        default:
            return {};
    }
}

std::string free_coordinate_names(JointKind kind) {
    std::string names;
    for (const Coordinate coordinate : free_coordinates(kind)) {
        names += (names.empty() ? "" : ", ") + std::string(coordinate_name(coordinate));
    }
    return names;
}

void check_not_negative(double value, std::string_view what, const std::string& where, Faults& faults) {
    if (!is_not_negative(value)) {
        faults.add(where, fmt::format("{} is {}; give a finite number >= 0", what, value));
    }
}

void check_limits(const JointAxis& axis, const std::string& where, Faults& faults) {
    if (!(axis.lower <= axis.upper) || axis.lower == infinity || axis.upper == -infinity) {
        faults.add(where, fmt::format("limits are {} to {}; give lower <= upper", axis.lower, axis.upper));
    }
    const bool has_sign = axis.coordinate != Coordinate::swing && axis.coordinate != Coordinate::distance;
    if (!has_sign && axis.upper < 0.0) {
        faults.add(where, fmt::format("upper limit is {}; a {} is never negative, give an upper limit >= 0",
                                      axis.upper, coordinate_name(axis.coordinate)));
    }
    if (!(axis.limit_restitution >= 0.0 && axis.limit_restitution <= 1.0)) {
        faults.add(where,
                   fmt::format("limit restitution is {}; give 0 (no bounce) to 1", axis.limit_restitution));
    }
}

void check_axis(const JointAxis& axis, const std::string& where, Faults& faults) {
    check_limits(axis, where, faults);
    const double start = axis.target(0.0);
    if (axis.motor == MotorKind::none && !(axis.target.is_constant() && start == 0.0)) {
        faults.add(where, "has a target but no motor; give a position, velocity or force motor");
    }
    if (!std::isfinite(start)) {
        faults.add(where, "the motor's target is not finite at t = 0; check for divisions by zero");
    }
    if (!(axis.max_force >= 0.0)) {
        faults.add(where, fmt::format("max_force is {}; give a number >= 0", axis.max_force));
    }
    check_not_negative(axis.stiffness, "stiffness", where, faults);
    check_not_negative(axis.damping, "damping", where, faults);
    check_not_negative(axis.friction, "friction", where, faults);
    if (!std::isfinite(axis.rest)) faults.add(where, fmt::format("rest is {}; give a number", axis.rest));
}

void check_axes(const Joint& joint, const std::string& where, Faults& faults) {
    const auto free = free_coordinates(joint.kind);
    for (std::size_t i = 0; i < joint.axes.size(); ++i) {
        const JointAxis& axis = joint.axes[i];
        const std::string_view name = coordinate_name(axis.coordinate);
        if (std::find(free.begin(), free.end(), axis.coordinate) == free.end()) {
            const std::string choice = free.empty() ? "it has no axes; use a second joint of kind free"
                                                    : "choose from " + free_coordinate_names(joint.kind);
            faults.add(where, fmt::format("coordinate {} is not free in a {} joint; {}", name,
                                          joint_kind_name(joint.kind), choice));
        }
        for (std::size_t j = 0; j < i; ++j) {
            if (joint.axes[j].coordinate != axis.coordinate) continue;
            faults.add(where, fmt::format("has two axes for coordinate {}; put them into one", name));
        }
        check_axis(axis, fmt::format("{}, axis {}", where, name), faults);
    }
}

void check_lengths(const Joint& joint, const std::string& where, Faults& faults) {
    const bool has_length = joint.kind == JointKind::distance || joint.kind == JointKind::pulley;
    if (has_length && !is_positive(joint.length)) {
        faults.add(where,
                   fmt::format("length is {} m; give a length > 0, or two frames apart from each other",
                               joint.length));
    }
    if (joint.kind == JointKind::pulley) {
        if (!is_positive(joint.ratio))
            faults.add(where, fmt::format("ratio is {}; give one > 0", joint.ratio));
        if (!is_finite(joint.anchor_a_w) || !is_finite(joint.anchor_b_w)) {
            faults.add(where, "an anchor is not finite; give numbers");
        }
    }
    if (joint.kind == JointKind::screw && (!std::isfinite(joint.lead) || joint.lead == 0.0)) {
        faults.add(where, fmt::format("lead is {} m; give the advance in one turn, not zero", joint.lead));
    }
    const bool has_wheel = joint.kind == JointKind::gear || joint.kind == JointKind::rack_pinion;
    if (has_wheel && !is_positive(joint.radius_a)) {
        faults.add(where, fmt::format("radius_a is {} m; give a radius > 0", joint.radius_a));
    }
    if (joint.kind == JointKind::gear && (!std::isfinite(joint.radius_b) || joint.radius_b == 0.0)) {
        faults.add(where, fmt::format("radius_b is {} m; give a radius, negative for inner teeth, not zero",
                                      joint.radius_b));
    }
}

bool can_move(const Model& model, int body) {
    return body != no_body && model.bodies[static_cast<std::size_t>(body)].kind != BodyKind::fixed;
}

}  // namespace

bool check_joint_bodies(const Model& model, int body_a, int body_b, const std::string& where,
                        Faults& faults) {
    const auto count = static_cast<int>(model.bodies.size());
    for (const int body : {body_a, body_b}) {
        if (body >= no_body && body < count) continue;
        faults.add(where, fmt::format("body {} is not there; the model has {}, and {} is the world", body,
                                      count, no_body));
        return false;
    }
    if (body_a == body_b) {
        faults.add(where, body_a == no_body
                              ? std::string("joins the world to itself; give a body")
                              : fmt::format("joins body '{}' to itself; give two different bodies",
                                            model.bodies[static_cast<std::size_t>(body_a)].name));
        return false;
    }
    if (!can_move(model, body_a) && !can_move(model, body_b)) {
        faults.add(where, "neither of its bodies can move; make one dynamic");
        return false;
    }
    return true;
}

void check_joint(const Joint& joint, const std::string& where, Faults& faults) {
    if (!is_finite(joint.frame_a) || !is_finite(joint.frame_b)) {
        faults.add(where, "a frame is not finite; give numbers");
    }
    check_not_negative(joint.compliance, "compliance", where, faults);
    check_lengths(joint, where, faults);
    check_axes(joint, where, faults);
}

void check_joint_start(const Joint& joint, const Pose& frame_a_w, const Pose& frame_b_w,
                       const std::string& where, Faults& faults) {
    if (joint.kind == JointKind::distance && frame_a_w.position == frame_b_w.position) {
        faults.add(where, "both ends are at one point and have no direction; give frame_b another position");
    }
    if (joint.kind == JointKind::pulley &&
        (frame_a_w.position == joint.anchor_a_w || frame_b_w.position == joint.anchor_b_w)) {
        faults.add(where, "an end is at its anchor and the rope has no direction there; move one of them");
    }
    if (joint.kind == JointKind::gear) {
        const Vec3 z_a = rotate(frame_a_w.orientation, {0.0, 0.0, 1.0});
        const Vec3 z_b = rotate(frame_b_w.orientation, {0.0, 0.0, 1.0});
        if (length(cross(z_a, z_b)) > parallel_slack) {
            faults.add(where, "the gears' axes, z of both frames, are not parallel; turn one of the frames");
        }
    }
}

}  // namespace uptack::model

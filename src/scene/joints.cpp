// Joints, springs, ropes and forces.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "builder.h"

namespace uptack::scene {
namespace {

constexpr std::array<std::string_view, 7> axis_keys{
    "limits", "limit_restitution", "motor", "stiffness", "damping", "rest", "friction"};

/// What the shorthand means, for kinds with one coordinate that one would mean.
std::optional<Coordinate> only_coordinate(JointKind kind) {
    switch (kind) {
        case JointKind::revolute:
        case JointKind::screw:
            return Coordinate::angle;
        case JointKind::prismatic:
        case JointKind::point_on_line:
            return Coordinate::z;
        default:
            return std::nullopt;
    }
}

/// The bodies' frames of these are apart from each other.
bool has_two_ends(JointKind kind) {
    return kind == JointKind::distance || kind == JointKind::gear || kind == JointKind::rack_pinion ||
           kind == JointKind::pulley;
}

std::optional<Coordinate> coordinate_named(std::string_view name) {
    using enum Coordinate;
    for (const Coordinate coordinate : {x, y, z, angle, angle_x, angle_y, swing, distance}) {
        if (coordinate_name(coordinate) == name) return coordinate;
    }
    return std::nullopt;
}

/// z along `axis`, x as near to `x_axis` as that allows.
std::optional<Quaternion> frame_of_axes(const Vec3& axis, const Vec3& x_axis) {
    constexpr double parallel = 1e-9;  // below this the perpendicular part is round-off
    const Vec3 z = direction(axis);
    const Vec3 x = direction(x_axis) - dot(direction(x_axis), z) * z;
    if (length(x) < parallel) return std::nullopt;
    const Vec3 unit = direction(x);
    return quaternion(transpose({unit, cross(z, unit), z}));
}

}  // namespace

Pose Builder::read_frame(const Object& object, const Pose& base, const Pose& otherwise) {
    Pose frame = otherwise;
    if (const Json* position = object.find("position"))
        frame.position = transform(base, reader_.vec3(*position));
    const Json* turned = object.find("rotation");
    const Json* axis = object.find("axis");
    const Json* x_axis = object.find("x_axis");
    if (turned != nullptr) {
        if (axis != nullptr || x_axis != nullptr)
            reader_.fail(*turned, "stands beside an axis; leave one out");
        frame.orientation = base.orientation * reader_.rotation(*turned);
        return frame;
    }
    if (axis == nullptr && x_axis == nullptr) return frame;
    const Vec3 z = axis == nullptr ? Vec3{0.0, 0.0, 1.0} : reader_.vec3(*axis);
    if (axis != nullptr && length(z) == 0.0)
        reader_.fail(*axis, "a direction of length 0; write [0, 0, 1] for the z axis");
    Quaternion local = turn_between({0.0, 0.0, 1.0}, direction(z));
    if (x_axis != nullptr) {
        const std::optional<Quaternion> both = frame_of_axes(z, reader_.vec3(*x_axis));
        if (!both)
            reader_.fail(*x_axis, "is parallel to the z axis or has no length; give another direction");
        local = *both;
    }
    frame.orientation = base.orientation * local;
    return frame;
}

void Builder::read_joint(const Json& json) {
    const Object object(reader_, json, kinds::joint);
    reader_.repeat(object, [&] { read_one_joint(object); });
}

void Builder::read_one_joint(const Object& object) {
    JointDefinition joint;
    joint.name = name_of(object);
    object.need("kind");
    joint.kind = static_cast<JointKind>(object.choice("kind", 0));
    joint.body_a = body_named(object.find("a"), no_body);
    joint.body_b = body_named(object.need("b"));
    const Pose base = base_of(object);
    const Vec3 end_b = origin_of(joint.body_b == no_body ? joint.body_a : joint.body_b).position;
    const Vec3 start = has_two_ends(joint.kind) ? origin_of(joint.body_a).position : end_b;
    joint.frame = read_frame(object, base, {start, base.orientation});
    const Pose other = has_two_ends(joint.kind) ? Pose{end_b, joint.frame.orientation} : joint.frame;
    if (const Json* frame_b = object.find("frame_b")) {
        joint.frame_b = read_frame(Object(reader_, *frame_b, kinds::joint_frame), base, other);
    } else if (has_two_ends(joint.kind)) {
        joint.frame_b = other;
    }
    read_axes(object, joint);
    joint.compliance = object.number("compliance", 0.0);
    if (const Json* length = object.find("length")) joint.length = reader_.number(*length);
    joint.lead = object.number("lead", 0.0);
    joint.radius_a = object.number("radius_a", 0.0);
    joint.radius_b = object.number("radius_b", 0.0);
    joint.anchor_a_w = transform(part_.placement, object.vec3("anchor_a", {}));
    joint.anchor_b_w = transform(part_.placement, object.vec3("anchor_b", {}));
    joint.ratio = object.number("ratio", 1.0);
    joint.bodies_collide = object.flag("bodies_collide", false);
    add(object, std::move(joint));
}

void Builder::read_axes(const Object& object, JointDefinition& joint) {
    const auto short_key = std::find_if(axis_keys.begin(), axis_keys.end(),
                                        [&](std::string_view key) { return object.has(key); });
    if (short_key != axis_keys.end()) {
        const std::optional<Coordinate> coordinate = only_coordinate(joint.kind);
        if (!coordinate) {
            reader_.fail(
                object.need(*short_key),
                fmt::format("a {} joint has no single coordinate; name it, as in \"axes\": {{\"angle\": "
                            "{{\"{}\": ...}}}}",
                            joint_kind_name(joint.kind), *short_key));
        }
        joint.axes.push_back(read_axis(object, *coordinate));
    }
    const Json* axes = object.find("axes");
    if (axes == nullptr) return;
    if (!axes->is_object())
        reader_.fail(*axes, "an object is wanted, as in {\"angle\": {\"limits\": [-1, 1]}}");
    for (const auto& [name, value] : axes->get_ref<const Json::object_t&>()) {
        const std::optional<Coordinate> coordinate = coordinate_named(name);
        if (!coordinate) {
            reader_.fail(
                value,
                fmt::format("\"{}\" is no coordinate; there are x, y, z, angle, angle_x, angle_y, swing "
                            "and distance",
                            name));
        }
        joint.axes.push_back(read_axis(Object(reader_, value, kinds::joint_axis), *coordinate));
    }
}

JointAxis Builder::read_axis(const Object& object, Coordinate coordinate) {
    JointAxis axis{.coordinate = coordinate};
    if (const Json* limits = object.find("limits")) {
        if (!limits->is_array() || limits->size() != 2) {
            reader_.fail(*limits, "[lower, upper] is wanted, with null for no limit");
        }
        if (!(*limits)[0].is_null()) axis.lower = reader_.number((*limits)[0]);
        if (!(*limits)[1].is_null()) axis.upper = reader_.number((*limits)[1]);
    }
    axis.limit_restitution = object.number("limit_restitution", 0.0);
    axis.stiffness = object.number("stiffness", 0.0);
    axis.damping = object.number("damping", 0.0);
    axis.rest = object.number("rest", 0.0);
    axis.friction = object.number("friction", 0.0);
    if (const Json* motor = object.find("motor")) read_motor(*motor, axis);
    return axis;
}

void Builder::read_motor(const Json& json, JointAxis& axis) {
    static constexpr std::array<std::string_view, 3> ways{"position", "velocity", "force"};
    const Object object(reader_, json, kinds::motor);
    const std::string_view way = object.only_one(ways);
    axis.motor = way == "position"   ? MotorKind::position
                 : way == "velocity" ? MotorKind::velocity
                                     : MotorKind::force;
    axis.target = reader_.time(object.need(way));
    const Json* most = object.find("max_force");
    if (most == nullptr) return;
    if (axis.motor == MotorKind::force)
        reader_.fail(*most, "a force motor pushes as it is told; leave max_force out");
    axis.max_force = reader_.number(*most);
}

JointDefinition Builder::read_link(const Object& object) {
    JointDefinition joint;
    joint.name = name_of(object);
    joint.kind = JointKind::free;
    joint.body_a = body_named(object.find("a"), no_body);
    joint.body_b = body_named(object.need("b"));
    const auto end = [&](std::string_view key, int body) {
        const Json* point = object.find(key);
        const Pose origin = origin_of(body);
        return point == nullptr ? origin.position : transform(part_.placement, reader_.vec3(*point));
    };
    joint.frame = {end("from", joint.body_a), part_.placement.orientation};
    joint.frame_b = Pose{end("to", joint.body_b), part_.placement.orientation};
    joint.bodies_collide = object.flag("bodies_collide", true);
    return joint;
}

void Builder::read_spring(const Json& json) {
    const Object object(reader_, json, kinds::spring);
    reader_.repeat(object, [&] {
        JointDefinition joint = read_link(object);
        JointAxis axis{.coordinate = Coordinate::distance};
        axis.stiffness = object.number("stiffness", 0.0);
        axis.damping = object.number("damping", 0.0);
        axis.rest = object.number("rest", length(joint.frame_b->position - joint.frame.position));
        joint.axes.push_back(std::move(axis));
        add(object, std::move(joint));
    });
}

void Builder::read_rope(const Json& json) {
    const Object object(reader_, json, kinds::rope);
    reader_.repeat(object, [&] {
        JointDefinition joint = read_link(object);
        JointAxis axis{.coordinate = Coordinate::distance};
        axis.upper = object.number("length", length(joint.frame_b->position - joint.frame.position));
        joint.axes.push_back(std::move(axis));
        add(object, std::move(joint));
    });
}

int Builder::add(const Object& object, JointDefinition joint) {
    if (model_.joints.size() >= limits_.joints) {
        reader_.exceed(object.json(),
                       fmt::format("more joints than the limit of {}; repeat fewer, or make several scenes",
                                   limits_.joints));
    }
    if (!joint.name.empty() && joints_.count(joint.name) != 0) {
        reader_.fail(object.json(),
                     fmt::format("there is a joint \"{}\" already; give it another name", joint.name));
    }
    int index = -1;
    reader_.at(object.json(), [&] { index = add_joint(model_, std::move(joint)); });
    joints_[model_.joints.back().name] = index;
    return index;
}

void Builder::read_force(const Json& json) {
    const Object object(reader_, json, kinds::force);
    reader_.repeat(object, [&] { read_one_force(object); });
}

void Builder::read_one_force(const Object& object) {
    if (model_.forces.size() >= limits_.forces) {
        reader_.exceed(
            object.json(),
            fmt::format("more forces than the limit of {}; add up those on one body", limits_.forces));
    }
    AppliedForce force;
    force.name = name_of(object);
    force.body = body_named(object.need("body"));
    if (force.body == no_body) reader_.fail(object.need("body"), "nothing moves the world; name a body");
    if (!force.name.empty() && !forces_.emplace(force.name, 0).second) {
        reader_.fail(object.json(),
                     fmt::format("there is a force \"{}\" already; give it another name", force.name));
    }
    const Vec3 center = model_.bodies[static_cast<std::size_t>(force.body)].mass.center_of_mass;
    force.point_b = object.vec3("point", center) - center;
    force.frame = static_cast<ForceFrame>(object.choice("frame", static_cast<int>(ForceFrame::world)));
    if (const Json* components = object.find("force")) force.force = reader_.time_vec3(*components);
    if (const Json* components = object.find("torque")) force.torque = reader_.time_vec3(*components);
    if (force.frame == ForceFrame::world) {
        force.force = to_world(force.force);
        force.torque = to_world(force.torque);
    }
    reader_.at(object.json(), [&] { add_force(model_, std::move(force)); });
}

}  // namespace uptack::scene

// Bodies, one or many of a pattern.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "builder.h"
#include "random.h"

namespace uptack::scene {
namespace {

bool is_surface(const Shape& shape) {
    return std::holds_alternative<HalfSpace>(shape.geometry) ||
           std::holds_alternative<TriangleMesh>(shape.geometry) ||
           std::holds_alternative<HeightField>(shape.geometry);
}

BodyKind natural_kind(const Object& object, const BodyDefinition& body) {
    if (object.has("motion")) return BodyKind::kinematic;
    const bool hollow = std::any_of(body.shapes.begin(), body.shapes.end(), is_surface);
    return hollow ? BodyKind::fixed : BodyKind::dynamic;
}

Vec3 random_vector(NamedRandom& random, const Vec3& size) {
    Vec3 offset{};
    for (std::size_t k = 0; k < 3; ++k) offset[k] = random.within(-size[k], size[k]);
    return offset;
}

}  // namespace

void Builder::read_ground(const Json& json) {
    const Json plain = Json::object();
    if (json.is_boolean() && !json.get<bool>()) return;
    const Object object(reader_, json.is_boolean() ? plain : json, kinds::ground);
    Shape shape{.geometry = HalfSpace{}, .material = find_material("default")};
    if (const Json* material = object.find("material")) shape.material = material_named(*material);
    if (const Json* color = object.find("color")) shape.color = reader_.color(*color);
    read_collision(object, shape);
    BodyDefinition body{.name = part_.prefix + "ground", .kind = BodyKind::fixed};
    body.pose = part_.placement * Pose{{0.0, 0.0, object.number("height", 0.0)}, {}};
    body.shapes.push_back(std::move(shape));
    add(json, std::move(body));
}

void Builder::read_body(const Json& json) {
    const Object object(reader_, json, kinds::body);
    reader_.repeat(object, [&] { read_one_body(object); });
}

void Builder::read_one_body(const Object& object) {
    BodyDefinition body;
    body.name = name_of(object);
    read_shapes(object, body.shapes);
    body.kind = static_cast<BodyKind>(object.choice("kind", static_cast<int>(natural_kind(object, body))));
    body.pose = base_of(object) * object.pose();
    body.velocity = to_world(object.vec3("velocity", {}));
    body.angular_velocity = to_world(object.vec3("angular_velocity", {}));
    body.linear_damping = object.number("linear_damping", 0.0);
    body.angular_damping = object.number("angular_damping", 0.0);
    read_mass(object, body);
    if (const Json* motion = object.find("motion")) read_motion(*motion, body);
    if (const Json* jitter = object.find("jitter")) add_jitter(*jitter, body);
    const int index = add(object.json(), std::move(body));
    model_.bodies[static_cast<std::size_t>(index)].can_sleep = object.flag("can_sleep", true);
}

void Builder::read_mass(const Object& object, BodyDefinition& body) {
    const Json* mass = object.find("mass");
    const Json* inertia = object.find("inertia");
    if (inertia == nullptr) {
        if (const Json* center = object.find("center_of_mass")) {
            reader_.fail(*center, "wants mass and inertia beside it");
        }
        if (mass != nullptr) body.total_mass = reader_.number(*mass);
        return;
    }
    if (mass == nullptr) reader_.fail(*inertia, "wants mass beside it");
    std::vector<double> entries = reader_.numbers(*inertia, 3, 6);
    if (entries.size() != 3 && entries.size() != 6) {
        reader_.fail(*inertia, "[xx, yy, zz] or [xx, yy, zz, xy, xz, yz] is wanted");
    }
    entries.resize(6, 0.0);
    MassProperties properties{.mass = reader_.number(*mass),
                              .center_of_mass = object.vec3("center_of_mass", {})};
    std::copy(entries.begin(), entries.end(), properties.inertia.begin());
    body.mass = properties;
}

void Builder::read_motion(const Json& json, BodyDefinition& body) {
    const Object object(reader_, json, kinds::motion);
    if (const Json* offset = object.find("offset")) body.motion.offset = to_world(reader_.time_vec3(*offset));
    if (const Json* angle = object.find("angle")) body.motion.angle = reader_.time(*angle);
    body.motion.axis = to_world(object.vec3("axis", {0.0, 0.0, 1.0}));
    const Json* center = object.find("center");
    body.motion.center =
        center == nullptr ? body.pose.position : transform(part_.placement, reader_.vec3(*center));
}

void Builder::add_jitter(const Json& json, BodyDefinition& body) {
    const Object object(reader_, json, kinds::jitter);
    if (body.name.empty()) reader_.fail(json, "wants the body to have a name, on which the offsets depend");
    NamedRandom random;
    random.feed(body.name);
    random.feed(static_cast<std::int64_t>(object.number_within("seed", 0.0, -1e15, 1e15)));
    const auto size = [&](std::string_view key) {
        const Json* value = object.find(key);
        return value == nullptr ? Vec3{} : reader_.size3(*value);
    };
    // All are drawn whatever is asked for, so that adding a rotation does not change the positions.
    const Vec3 offset = random_vector(random, size("position"));
    const double angle = object.number("rotation", 0.0);
    const Vec3 turned = random_vector(random, {angle, angle, angle});
    const Vec3 velocity = random_vector(random, size("velocity"));
    body.pose.position += to_world(offset);
    if (angle != 0.0)
        body.pose.orientation = normalised(exponential(to_world(turned)) * body.pose.orientation);
    body.velocity += to_world(velocity);
}

int Builder::add(const Json& json, BodyDefinition body) {
    if (model_.bodies.size() >= limits_.bodies) {
        reader_.exceed(json,
                       fmt::format("more bodies than the limit of {}; repeat fewer, or make several scenes",
                                   limits_.bodies));
    }
    if (!body.name.empty() && bodies_.count(body.name) != 0) {
        reader_.fail(json, fmt::format("there is a body \"{}\" already; give it another name", body.name));
    }
    if (body.name == "world")
        reader_.fail(json, "\"world\" is what does not move; give the body another name");
    int index = -1;
    reader_.at(json, [&] { index = add_body(model_, std::move(body)); });
    bodies_[model_.bodies.back().name] = index;
    return index;
}

void Builder::read_no_collision(const Json& json) {
    const Object object(reader_, json, kinds::body_pair);
    reader_.repeat(object, [&] {
        const Json& names = object.need("between");
        if (!names.is_array() || names.size() != 2) reader_.fail(names, "two names of bodies are wanted");
        const int a = body_named(names[0]);
        const int b = body_named(names[1]);
        if (a == no_body || b == no_body) reader_.fail(names, "the world has no shapes; name two bodies");
        if (a == b) reader_.fail(names, "twice the same body; name two");
        model_.no_collision.emplace_back(a, b);
    });
}

// ---- shared -----------------------------------------------------------------------------------------------

std::string Builder::name_of(const Object& object) {
    const Json* pattern = object.find("name");
    if (pattern == nullptr) return {};
    std::string name = reader_.filled_text(*pattern);
    const bool numbered = pattern->get_ref<const std::string&>().find('{') != std::string::npos;
    if (!numbered) {
        for (const int index : reader_.indices()) name += fmt::format(" {}", index);
    }
    if (name.empty()) reader_.fail(*pattern, "the name is empty; leave it out for one that is made up");
    name = part_.prefix + name;
    if (name.size() > max_name_bytes) {
        reader_.exceed(*pattern, fmt::format("a name of {} bytes; the limit is {}, shorten it", name.size(),
                                             max_name_bytes));
    }
    return name;
}

int Builder::body_named(const Json& value) {
    const std::string name = reader_.filled_text(value);
    if (name == "world") return no_body;
    const auto found = bodies_.find(part_.prefix + name);
    if (found == bodies_.end()) {
        reader_.fail(value, fmt::format("no body is called \"{}\"{}", part_.prefix + name,
                                        near_name(bodies_, part_.prefix + name)));
    }
    return found->second;
}

int Builder::body_named(const Json* value, int fallback) {
    return value == nullptr ? fallback : body_named(*value);
}

Pose Builder::origin_of(int body) const {
    if (body == no_body) return part_.placement;
    const RigidBody& found = model_.bodies[static_cast<std::size_t>(body)];
    return origin_pose(found, motion_pose(found, 0.0));
}

Pose Builder::base_of(const Object& object) {
    const Json* other = object.find("relative_to");
    return other == nullptr ? part_.placement : origin_of(body_named(*other));
}

std::array<Expression, 3> Builder::to_world(const std::array<Expression, 3>& vector) const {
    if (part_.placement.orientation == Quaternion{}) return vector;
    const Mat3 turned = matrix(part_.placement.orientation);
    std::array<Expression, 3> world;
    for (std::size_t k = 0; k < 3; ++k) {
        world[k] = Expression(fmt::format("({})*({})+({})*({})+({})*({})", turned[k][0], vector[0].text(),
                                          turned[k][1], vector[1].text(), turned[k][2], vector[2].text()));
    }
    return world;
}

}  // namespace uptack::scene

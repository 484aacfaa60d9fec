// Materials, pairs of them, and collision groups.

#include <fmt/format.h>

#include "builder.h"

namespace uptack::scene {

void Builder::read_surface(const Object& object, Material& material) {
    material.friction = object.number("friction", material.friction);
    material.restitution = object.number("restitution", material.restitution);
    material.rolling_friction = object.number("rolling_friction", material.rolling_friction);
    material.spinning_friction = object.number("spinning_friction", material.spinning_friction);
    material.compliance = object.number("compliance", material.compliance);
    material.adhesion = object.number("adhesion", material.adhesion);
}

void Builder::read_materials(const Json& json) {
    if (!json.is_object()) reader_.fail(json, "an object is wanted, as in {\"steel\": {\"density\": 7800}}");
    for (const auto& [name, value] : json.get_ref<const Json::object_t&>()) {
        const Object object(reader_, value, kinds::material);
        const bool is_default = part_.prefix.empty() && name == "default";
        const std::string full = part_.prefix + name;
        if (is_default ? default_is_set_ : materials_.count(full) != 0) {
            reader_.fail(value,
                         fmt::format("there is a material \"{}\" already; give the include a name", full));
        }
        Material material{.name = full};
        read_surface(object, material);
        material.density = object.number("density", material.density);
        material.surface_velocity_b = object.vec3("surface_velocity", {});
        if (const Json* color = object.find("color")) material.color = reader_.color(*color);
        reader_.at(value, [&] {
            // Through add_material() even for the default, whose place is kept: it checks the numbers.
            materials_[full] = add_material(model_, std::move(material));
            if (!is_default) return;
            model_.materials[0] = std::move(model_.materials.back());
            model_.materials.pop_back();
            materials_[full] = 0;
            default_is_set_ = true;
        });
    }
}

int Builder::find_material(const std::string& name) const {
    for (std::string prefix = part_.prefix;;) {
        const auto found = materials_.find(prefix + name);
        if (found != materials_.end()) return found->second;
        if (prefix.empty()) return -1;
        prefix.pop_back();
        const std::size_t slash = prefix.rfind('/');
        prefix.resize(slash == std::string::npos ? 0 : slash + 1);
    }
}

int Builder::material_named(const Json& value) {
    const std::string name = reader_.filled_text(value);
    const int found = find_material(name);
    if (found < 0) {
        reader_.fail(value, fmt::format("no material is called \"{}\"{}", name, near_name(materials_, name)));
    }
    return found;
}

void Builder::read_material_pairs(const Json& json) {
    const Object object(reader_, json, kinds::material_pair);
    const Json& names = object.need("between");
    if (!names.is_array() || names.size() != 2) reader_.fail(names, "two names of materials are wanted");
    MaterialPair pair{.a = material_named(names[0]), .b = material_named(names[1])};
    pair.values = combine(model_, pair.a, pair.b);
    read_surface(object, pair.values);
    // The numbers have to be what a material's have to be, so a material that is taken away again checks
    // them.
    reader_.at(json, [&] {
        Material probe = pair.values;
        probe.name = "pair " + model_.materials[static_cast<std::size_t>(pair.a)].name + ", " +
                     model_.materials[static_cast<std::size_t>(pair.b)].name;
        add_material(model_, std::move(probe));
        model_.materials.pop_back();
    });
    model_.material_pairs.push_back(std::move(pair));
}

void Builder::read_groups(const Json& json) {
    constexpr std::size_t most = 32;
    for (const std::string& name : reader_.texts(json)) {
        if (groups_.count(name) != 0) continue;  // parts share groups by name
        if (groups_.size() >= most)
            reader_.exceed(json,
                           "more groups than the limit of 31 beside \"default\"; let shapes share some");
        groups_.emplace(name, 1U << groups_.size());
    }
}

std::uint32_t Builder::group_bits(const Json& value) {
    std::uint32_t bits = 0;
    for (const std::string& name : reader_.texts(value)) {
        const auto found = groups_.find(name);
        if (found == groups_.end()) {
            const std::string near = near_name(groups_, name);
            reader_.fail(value, fmt::format("no group is called \"{}\"{}{}", name, near,
                                            near.empty() ? "; name it in \"groups\"" : ""));
        }
        bits |= found->second;
    }
    return bits;
}

void Builder::read_collision(const Object& object, Shape& shape) {
    if (const Json* group = object.find("group")) shape.groups = group_bits(*group);
    if (const Json* with = object.find("collides_with")) shape.mask = group_bits(*with);
    if (const Json* without = object.find("ignores")) shape.mask &= ~group_bits(*without);
}

}  // namespace uptack::scene

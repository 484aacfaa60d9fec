// Every key of a scene file, once: the reader refuses what is not here, and the JSON Schema and the tables of
// docs/02-scene-format.md are made from it.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace uptack::scene {

struct Key {
    std::string_view name;
    /// One or more ways to write it, parted by '|': number, text, vec3, ... (schema.cpp has the list),
    /// choice:a,b,c  object:KIND  list:KIND  map:KIND.
    std::string_view type;
    std::string_view unit;
    std::string_view fallback;  ///< "required", a value, or words for what happens without it
    std::string_view help;
};

/// One kind of JSON object.
struct ObjectKind {
    std::string_view name;
    std::string_view help;
    std::span<const Key> keys;
};

namespace kinds {
extern const ObjectKind scene;
extern const ObjectKind parameter;
extern const ObjectKind settings;
extern const ObjectKind solver;
extern const ObjectKind sleep;
extern const ObjectKind camera;
extern const ObjectKind ground;
extern const ObjectKind material;
extern const ObjectKind material_pair;
extern const ObjectKind body;
extern const ObjectKind shape;
extern const ObjectKind round_shape;
extern const ObjectKind points;
extern const ObjectKind mesh;
extern const ObjectKind height_field;
extern const ObjectKind rotation;
extern const ObjectKind motion;
extern const ObjectKind jitter;
extern const ObjectKind random;
extern const ObjectKind joint;
extern const ObjectKind joint_frame;
extern const ObjectKind joint_axis;
extern const ObjectKind motor;
extern const ObjectKind spring;
extern const ObjectKind rope;
extern const ObjectKind force;
extern const ObjectKind body_pair;
extern const ObjectKind include;
}  // namespace kinds

std::span<const ObjectKind* const> all_kinds();

/// "; did you mean \"friction\"?" for "fricton", or nothing where none is near.
std::string suggestion(std::string_view word, const std::vector<std::string>& known);
/// The suggestion, then all: "; did you mean \"friction\"? Known here are density, friction".
std::string known_names(std::string_view word, const std::vector<std::string>& known);

}  // namespace uptack::scene

#include "schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

#include "json_text.h"
#include "keys.h"

namespace uptack::scene {
namespace {

/// A way to write a value: its name in keys.cpp, the words for people, the schema.
struct Type {
    std::string_view name;
    std::string_view words;
    std::string_view schema;
};

constexpr std::array types{
    Type{"number", "number", R"({"$ref": "#/$defs/number"})"},
    Type{"text", "text", R"({"type": "string"})"},
    Type{"bool", "true or false", R"({"type": "boolean"})"},
    Type{"true", "true", R"({"type": "boolean"})"},
    Type{"version", "1", R"({"const": 1})"},
    Type{"color", "text", R"({"type": "string", "pattern": "^#[0-9a-fA-F]{6}$"})"},
    Type{"names", "text or list of texts",
         R"({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]})"},
    Type{"pair", "list of two texts",
         R"({"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2})"},
    Type{"vec2", "list of 2 numbers", R"({"$ref": "#/$defs/vec2"})"},
    Type{"vec3", "[x, y, z]", R"({"$ref": "#/$defs/vec3"})"},
    Type{"vec4", "list of 4 numbers", R"({"$ref": "#/$defs/vec4"})"},
    Type{"size3", "number or [x, y, z]",
         R"({"anyOf": [{"$ref": "#/$defs/number"}, {"$ref": "#/$defs/vec3"}]})"},
    Type{"inertia", "list of 3 or 6 numbers",
         R"({"type": "array", "items": {"$ref": "#/$defs/number"}, "minItems": 3, "maxItems": 6})"},
    Type{"numbers", "list of numbers", R"({"type": "array", "items": {"$ref": "#/$defs/number"}})"},
    Type{"points", "list of [x, y, z]", R"({"type": "array", "items": {"$ref": "#/$defs/vec3"}})"},
    Type{"triangles", "list of three numbers each",
         R"({"type": "array", "items": {"$ref": "#/$defs/vec3"}})"},
    Type{
        "limits", "[number or null, number or null]",
        R"({"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/number"}, {"type": "null"}]}, "minItems": 2, "maxItems": 2})"},
    Type{"time", "number or expression in t", R"({"$ref": "#/$defs/number"})"},
    Type{"time_vec3", "[x, y, z] in t", R"({"$ref": "#/$defs/vec3"})"},
    Type{"tolerance", "number, or text with J", R"({"$ref": "#/$defs/number"})"},
    Type{"rotation", "[x, y, z] or [rotation](#rotation)",
         R"({"anyOf": [{"$ref": "#/$defs/vec3"}, {"$ref": "#/$defs/rotation"}]})"},
    Type{"options", "names with values",
         R"({"type": "object", "additionalProperties": {"type": ["number", "string", "boolean"]}})"},
    Type{
        "repeat", "names with counts or ranges",
        R"({"type": "object", "additionalProperties": {"anyOf": [{"$ref": "#/$defs/number"}, {"$ref": "#/$defs/vec2"}]}})"},
    Type{
        "let", "names with numbers or [random](#random)",
        R"({"type": "object", "additionalProperties": {"anyOf": [{"$ref": "#/$defs/number"}, {"$ref": "#/$defs/random"}]}})"},
    Type{
        "parameters", "names with numbers or [parameter](#parameter)",
        R"({"type": "object", "additionalProperties": {"anyOf": [{"$ref": "#/$defs/number"}, {"$ref": "#/$defs/parameter"}]}})"},
    Type{
        "axes", "coordinates with [joint_axis](#joint_axis)",
        R"({"type": "object", "propertyNames": {"enum": ["x", "y", "z", "angle", "angle_x", "angle_y", "swing", "distance"]}, "additionalProperties": {"$ref": "#/$defs/joint_axis"}})"},
    Type{
        "includes", "text, [include](#include), or a list of them",
        R"({"anyOf": [{"type": "string"}, {"$ref": "#/$defs/include"}, {"type": "array", "items": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/include"}]}}]})"},
};

const Type& type_named(std::string_view name) {
    const auto found =
        std::find_if(types.begin(), types.end(), [&](const Type& type) { return type.name == name; });
    if (found == types.end()) throw std::logic_error(fmt::format("keys.cpp has an unknown type {}", name));
    return *found;
}

std::vector<std::string_view> split(std::string_view text, char mark) {
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t end = text.find(mark);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

Json reference(std::string_view kind) {
    if (kind == "number") return {{"$ref", "#/$defs/number"}};
    // The whole file is the root of the schema.
    return {{"$ref", kind == "scene" ? std::string("#") : fmt::format("#/$defs/{}", kind)}};
}

Json type_schema(std::string_view type) {
    if (const std::size_t colon = type.find(':'); colon != std::string_view::npos) {
        const std::string_view how = type.substr(0, colon);
        const std::string_view kind = type.substr(colon + 1);
        if (how == "choice") return {{"enum", split(kind, ',')}};
        if (how == "list") return {{"type", "array"}, {"items", reference(kind)}};
        if (how == "map") return {{"type", "object"}, {"additionalProperties", reference(kind)}};
        return reference(kind);
    }
    return Json::parse(type_named(type).schema);
}

std::string description(const Key& key) {
    std::string text(key.help);
    if (!key.unit.empty()) text += fmt::format("{}[{}]", text.empty() ? "" : " ", key.unit);
    if (!key.fallback.empty()) text += fmt::format("{}({})", text.empty() ? "" : " ", key.fallback);
    return text;
}

Json key_schema(const Key& key) {
    const std::vector<std::string_view> ways = split(key.type, '|');
    Json schema;
    if (ways.size() == 1) {
        schema = type_schema(ways[0]);
    } else {
        for (const std::string_view way : ways) schema["anyOf"].push_back(type_schema(way));
    }
    if (const std::string text = description(key); !text.empty()) schema["description"] = text;
    return schema;
}

Json kind_schema(const ObjectKind& kind) {
    Json schema{{"type", "object"}, {"description", kind.help}, {"additionalProperties", false}};
    for (const Key& key : kind.keys) {
        schema["properties"][std::string(key.name)] = key_schema(key);
        if (key.fallback == "required") schema["required"].push_back(key.name);
        // "one of these" keys exclude each other, and one must be there.
        if (key.fallback.starts_with("one of")) schema["oneOf"].push_back({{"required", {key.name}}});
    }
    return schema;
}

Json list_of(int count) {
    return {{"type", "array"}, {"items", reference("number")}, {"minItems", count}, {"maxItems", count}};
}

std::string type_words(const Key& key) {
    std::string text;
    for (const std::string_view way : split(key.type, '|')) {
        if (!text.empty()) text += ", or ";
        const std::size_t colon = way.find(':');
        if (colon == std::string_view::npos) {
            text += type_named(way).words;
            continue;
        }
        const std::string_view how = way.substr(0, colon);
        const std::string_view kind = way.substr(colon + 1);
        if (how == "choice") {
            std::string choices;
            for (const std::string_view choice : split(kind, ',')) {
                choices += fmt::format("{}`{}`", choices.empty() ? "" : ", ", choice);
            }
            text += choices;
        } else {
            const std::string link =
                kind == "number" ? std::string("number") : fmt::format("[{}](#{})", kind, kind);
            text += how == "list" ? "list of " + link : how == "map" ? "names with " + link : link;
        }
    }
    return text;
}

}  // namespace

std::string schema_text() {
    Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                {"title", "Uptack scene, version 1"}};
    schema.update(kind_schema(kinds::scene));
    Json definitions{
        {"number", {{"type", {"number", "string"}}, {"description", "a number, or an expression as text"}}},
        {"vec2", list_of(2)},
        {"vec3", list_of(3)},
        {"vec4", list_of(4)}};
    for (const ObjectKind* kind : all_kinds()) {
        if (kind != &kinds::scene) definitions[std::string(kind->name)] = kind_schema(*kind);
    }
    schema["$defs"] = std::move(definitions);
    return schema.dump(2) + "\n";
}

std::string reference_text() {
    std::string text;
    for (const ObjectKind* kind : all_kinds()) {
        text +=
            fmt::format("### {}\n\n{}\n\n| Key | Type | Unit | Default | Meaning |\n|---|---|---|---|---|\n",
                        kind->name, kind->help);
        for (const Key& key : kind->keys) {
            text += fmt::format("| `{}` | {} | {} | {} | {} |\n", key.name, type_words(key), key.unit,
                                key.fallback, key.help);
        }
        text += "\n";
    }
    text.pop_back();
    return text;
}

}  // namespace uptack::scene

#include "uptack/scene.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

#include "builder.h"
#include "inline_files.h"
#include "json_text.h"
#include "reader.h"
#include "uptack/input_error.h"

namespace uptack {
namespace {

using scene::Json;

/// A number stays a number, so that a document reads like one that somebody wrote.
Json override_value(const std::string& text) {
    double value = 0.0;
    const char* last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, value);
    if (error == std::errc{} && end == last && std::isfinite(value)) return value;
    return text;
}

void apply_overrides(Json& document, const Overrides& overrides) {
    for (const auto& [name, text] : overrides) {
        const std::string where = fmt::format("--set {}", name);
        Json* parameters =
            document.is_object() && document.contains("parameters") ? &document["parameters"] : nullptr;
        if (parameters == nullptr || !parameters->is_object() || !parameters->contains(name)) {
            std::vector<std::string> known;
            if (parameters != nullptr && parameters->is_object()) {
                for (const auto& [key, value] : parameters->get_ref<const Json::object_t&>())
                    known.push_back(key);
            }
            throw InputError(where, known.empty() ? std::string("the scene has no parameters")
                                                  : "unknown parameter" + scene::known_names(name, known));
        }
        Json& parameter = (*parameters)[name];
        if (parameter.is_object()) {
            parameter["value"] = override_value(text);
        } else {
            parameter = override_value(text);
        }
    }
}

Scene build(const Json& document, std::vector<scene::Origin> origins, const std::string& name,
            const SceneLimits& limits) {
    Scene result;
    result.name = name;
    scene::Reader reader(document, std::move(origins), limits);
    scene::Scope scope;
    reader.enter({.scope = &scope, .prefix = {}, .local_from = scope.size(), .indices = {}});
    const scene::Object object(reader, document, scene::kinds::scene);
    result.title = object.text("title", name);
    result.description = object.text("description");
    result.model.name = name;

    scene::Builder builder(reader, result.model, limits);
    builder.read_parameters(document, {}, result.parameters);
    if (const Json* settings = object.find("settings")) scene::read_settings(reader, *settings, result);
    if (const Json* camera = object.find("camera")) scene::read_camera(reader, *camera, result.camera);
    result.model.gravity = object.vec3("gravity", result.model.gravity);
    builder.read_document(document);
    result.watch = builder.watched();
    const std::vector<Fault> faults = validate(result.model, 1);
    if (!faults.empty()) reader.fail(document, faults[0].where + ": " + faults[0].message);
    return result;
}

Scene parse(const std::string& text, const std::string& file, const std::string& name,
            const Overrides& overrides, const std::filesystem::path& folder, const SceneLimits& limits) {
    Json document = scene::parse_json(text, file);
    std::vector<scene::Origin> origins = scene::inline_files(document, file, folder);
    apply_overrides(document, overrides);
    Scene result = build(document, std::move(origins), name, limits);
    result.document = document.dump(1, ' ', false, Json::error_handler_t::replace);
    if (result.document.size() > scene::max_document_bytes) {
        throw LimitError(
            file, fmt::format("with its files put in it has {} MB; the limit is {}, use simpler meshes",
                              result.document.size() >> 20U, scene::max_document_bytes >> 20U));
    }
    return result;
}

}  // namespace

Scene read_scene(const std::filesystem::path& path, const Overrides& overrides) {
    const std::filesystem::path folder =
        path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    const std::string text = scene::read_whole(path, path.string());
    return parse(text, path.string(), path.stem().string(), overrides, folder, {});
}

Scene parse_scene(const std::string& text, const std::string& name, const Overrides& overrides,
                  const std::filesystem::path& folder, const SceneLimits& limits) {
    return parse(text, name, name, overrides, folder, limits);
}

}  // namespace uptack

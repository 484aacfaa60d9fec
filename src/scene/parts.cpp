// Documents, their parameters, and the parts they are made of.

#include <fmt/format.h>

#include <algorithm>

#include "builder.h"
#include "uptack/input_error.h"

namespace uptack::scene {
namespace {

double parameter_value(Reader& reader, const Object& object, const std::optional<double>& given,
                       SceneParameter& parameter) {
    if (const Json* least = object.find("min")) parameter.lower = reader.number(*least);
    if (const Json* most = object.find("max")) parameter.upper = reader.number(*most);
    const Json& written = object.need("value");
    const double value = given ? *given : reader.number(written);
    if (value < parameter.lower.value_or(-infinity)) {
        reader.fail(written, fmt::format("{} is less than min, {}", number_text(value),
                                         number_text(*parameter.lower)));
    }
    if (value > parameter.upper.value_or(infinity)) {
        reader.fail(written, fmt::format("{} is more than max, {}", number_text(value),
                                         number_text(*parameter.upper)));
    }
    parameter.description = object.text("description");
    return value;
}

}  // namespace

void Builder::read_parameters(const Json& document, const std::vector<std::pair<std::string, double>>& given,
                              std::vector<SceneParameter>& parameters) {
    const Object object(reader_, document, kinds::scene);
    const Json* entries = object.find("parameters");
    if (entries == nullptr) return;
    if (!entries->is_object()) reader_.fail(*entries, "an object is wanted, as in {\"rows\": 10}");
    for (const auto& [name, value] : entries->get_ref<const Json::object_t&>()) {
        const std::string fault = name_fault(name);
        if (!fault.empty()) reader_.fail(value, fault);
        if (reader_.scope().has(name))
            reader_.fail(value, fmt::format("the name {} is taken; choose another", name));
        std::optional<double> replaced;
        for (const auto& [key, number] : given) {
            if (key == name) replaced = number;
        }
        SceneParameter parameter;
        parameter.name = name;
        if (value.is_object()) {
            parameter.value =
                parameter_value(reader_, Object(reader_, value, kinds::parameter), replaced, parameter);
        } else {
            parameter.value = replaced ? *replaced : reader_.number(value);
        }
        reader_.scope().push(name, parameter.value);
        parameters.push_back(std::move(parameter));
    }
    reader_.end_parameters();
}

void Builder::read_document(const Json& document) {
    const Object object(reader_, document, kinds::scene);
    const Json& version = object.need("uptack");
    if (!version.is_number_integer() || version.get<std::int64_t>() != 1) {
        reader_.fail(version, "this Uptack reads version 1 of scene files; write \"uptack\": 1");
    }
    if (const Json* groups = object.find("groups")) read_groups(*groups);
    if (const Json* materials = object.find("materials")) read_materials(*materials);
    if (const Json* meshes = object.find("meshes")) read_meshes(*meshes);
    if (const Json* ground = object.find("ground")) read_ground(*ground);
    if (const Json* parts = object.find("include")) {
        if (parts->is_array()) {
            for (const Json& part : *parts) read_include(part);
        } else {
            read_include(*parts);
        }
    }
    for_each(object.find("material_pairs"), &Builder::read_material_pairs);
    for_each(object.find("bodies"), &Builder::read_body);
    for_each(object.find("joints"), &Builder::read_joint);
    for_each(object.find("springs"), &Builder::read_spring);
    for_each(object.find("ropes"), &Builder::read_rope);
    for_each(object.find("forces"), &Builder::read_force);
    for_each(object.find("no_collision"), &Builder::read_no_collision);
    if (const Json* watch = object.find("watch")) read_watch(*watch);
}

void Builder::for_each(const Json* entries, void (Builder::*read)(const Json&)) {
    if (entries == nullptr) return;
    for (const Json& entry : reader_.list(*entries)) (this->*read)(entry);
}

void Builder::read_include(const Json& json) {
    const Object object(reader_, json, kinds::include);
    reader_.repeat(object, [&] { read_part(object); });
}

std::vector<std::pair<std::string, double>> Builder::read_set(const Object& object, const Json& document) {
    std::vector<std::pair<std::string, double>> given;
    const Json* set = object.find("set");
    if (set == nullptr) return given;
    if (!set->is_object()) reader_.fail(*set, "an object is wanted, as in {\"width\": 0.2}");
    std::vector<std::string> known;
    if (document.is_object() && document.contains("parameters") && document["parameters"].is_object()) {
        for (const auto& [name, value] : document["parameters"].get_ref<const Json::object_t&>())
            known.push_back(name);
    }
    for (const auto& [name, value] : set->get_ref<const Json::object_t&>()) {
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            reader_.fail(value,
                         fmt::format("the part has no parameter \"{}\"{}", name, known_names(name, known)));
        }
        given.emplace_back(name, reader_.number(value));
    }
    return given;
}

void Builder::read_part(const Object& object) {
    const Json& document = object.need("scene");
    const auto given = read_set(object, document);
    Part inner = part_;
    if (object.has("name")) inner.prefix = name_of(object) + "/";
    if (object.has("position") || object.has("rotation")) inner.placement = part_.placement * object.pose();

    // The part has names, loops and makings of its own.
    const Part outer = std::exchange(part_, inner);
    const auto made = std::exchange(made_, {});
    Scope scope;
    Place enclosing =
        reader_.enter({.scope = &scope, .prefix = inner.prefix, .local_from = scope.size(), .indices = {}});
    std::vector<SceneParameter> unused;
    read_parameters(document, given, unused);
    read_document(document);
    reader_.enter(std::move(enclosing));
    made_ = made;
    part_ = outer;
}

void Builder::read_watch(const Json& json) {
    if (json.is_string()) {
        watch_.emplace_back(part_.prefix + reader_.filled_text(json), &json);
        return;
    }
    for (const Json& entry : reader_.list(json)) {
        watch_.emplace_back(part_.prefix + reader_.filled_text(entry), &entry);
    }
}

std::vector<std::string> Builder::watched() const {
    std::vector<std::string> names;
    for (const auto& [name, json] : watch_) {
        if (joints_.find(name) == joints_.end()) {
            reader_.fail(*json, fmt::format("no joint is called \"{}\"{}", name, near_name(joints_, name)));
        }
        names.push_back(name);
    }
    return names;
}

}  // namespace uptack::scene

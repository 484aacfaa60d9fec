#include "reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "random.h"
#include "uptack/input_error.h"

namespace uptack::scene {
namespace {

constexpr std::size_t max_loops = 8;

std::string escaped(const std::string& key) {
    std::string text;
    for (const char c : key) {
        if (c == '~') {
            text += "~0";
        } else if (c == '/') {
            text += "~1";
        } else {
            text += c;
        }
    }
    return text;
}

/// Appends to `pointer` the way from `at` to `value`; false if it is not below.
bool find_way(const Json& at, const Json& value, std::string& pointer) {
    if (&at == &value) return true;
    const std::size_t size = pointer.size();
    if (at.is_array()) {
        for (std::size_t k = 0; k < at.size(); ++k) {
            pointer += fmt::format("/{}", k);
            if (find_way(at[k], value, pointer)) return true;
            pointer.resize(size);
        }
    } else if (at.is_object()) {
        for (const auto& [key, member] : at.get_ref<const Json::object_t&>()) {
            pointer += '/';
            pointer += escaped(key);
            if (find_way(member, value, pointer)) return true;
            pointer.resize(size);
        }
    }
    return false;
}

std::string_view type_words(const Json& value) {
    if (value.is_null()) return "null";
    if (value.is_boolean()) return "true or false";
    if (value.is_number()) return "a number";
    if (value.is_string()) return "a text";
    return value.is_array() ? "a list" : "an object {...}";
}

}  // namespace

// ---- where ------------------------------------------------------------------------------------------------

std::string Reader::where(const Json& value) const {
    std::string pointer;
    find_way(root_, value, pointer);
    const Origin* nearest = &origins_.front();
    for (const Origin& origin : origins_) {
        const bool inside = pointer.starts_with(origin.pointer) && (pointer.size() == origin.pointer.size() ||
                                                                    pointer[origin.pointer.size()] == '/');
        if (inside && origin.pointer.size() >= nearest->pointer.size()) nearest = &origin;
    }
    const std::string below = pointer.substr(nearest->pointer.size());
    return fmt::format("{}: {}", nearest->file, below.empty() ? "/" : below);
}

void Reader::fail(const Json& value, const std::string& message) const {
    throw InputError(where(value),
                     message + (place_.scope == nullptr ? "" : place_.scope->describe(place_.local_from)));
}

void Reader::exceed(const Json& value, const std::string& message) const {
    throw LimitError(where(value), message);
}

void Reader::at(const Json& value, const std::function<void()>& action) const {
    try {
        action();
    } catch (const LimitError& error) {
        exceed(value, error.what());
    } catch (const InputError& error) {
        fail(value, error.what());
    }
}

// ---- single values ----------------------------------------------------------------------------------------

double Reader::number(const Json& value) {
    if (value.is_number()) return value.get<double>();
    if (!value.is_string()) {
        fail(value, fmt::format("{} where a number is wanted; write 1.5 or an expression such as \"2*pi\"",
                                type_words(value)));
    }
    const auto& text = value.get_ref<const std::string&>();
    const Expression* formula = place_.scope->find(text);
    const double result =
        place_.scope->evaluate(formula != nullptr ? *formula : place_.scope->compile(text, where(value)));
    if (!std::isfinite(result)) {
        fail(value, fmt::format("\"{}\" is {}; check divisions and roots", text,
                                std::isnan(result) ? "not a number" : "infinite"));
    }
    return result;
}

int Reader::whole(const Json& value, int least, int most) {
    const double result = number(value);
    if (result != std::floor(result)) {
        fail(value, fmt::format("{} is not a whole number; round(), floor() and ceil() make one", result));
    }
    if (result < least) fail(value, fmt::format("{} is less than {}", number_text(result), least));
    if (result > most)
        exceed(value, fmt::format("{} is more than the limit of {}; take less", number_text(result), most));
    return static_cast<int>(result);
}

bool Reader::flag(const Json& value) const {
    if (!value.is_boolean()) fail(value, fmt::format("{} where true or false is wanted", type_words(value)));
    return value.get<bool>();
}

std::string Reader::text(const Json& value) const {
    if (!value.is_string()) fail(value, fmt::format("{} where a text \"...\" is wanted", type_words(value)));
    return value.get<std::string>();
}

std::string Reader::filled_text(const Json& value) {
    const std::string pattern = text(value);
    std::string filled;
    for (std::size_t at = 0; at < pattern.size();) {
        if (pattern[at] != '{') {
            filled += pattern[at++];
            continue;
        }
        const std::size_t end = pattern.find('}', at);
        if (end == std::string::npos) fail(value, "a { without its }; {...} holds an expression");
        const std::string formula = pattern.substr(at + 1, end - at - 1);
        const Expression* compiled = place_.scope->find(formula);
        const double result = place_.scope->evaluate(
            compiled != nullptr ? *compiled : place_.scope->compile(formula, where(value)));
        if (!std::isfinite(result)) fail(value, fmt::format("{{{}}} is not finite", formula));
        filled += number_text(result + 0.0);  // -0 would be another name
        at = end + 1;
    }
    return filled;
}

std::vector<std::string> Reader::texts(const Json& value) {
    if (value.is_string()) return {filled_text(value)};
    std::vector<std::string> found;
    for (const Json& entry : list(value)) found.push_back(filled_text(entry));
    return found;
}

std::string Reader::color(const Json& value) const {
    const std::string color = text(value);
    const bool right = color.size() == 7 && color[0] == '#' &&
                       color.find_first_not_of("0123456789abcdefABCDEF", 1) == std::string::npos;
    if (!right) fail(value, fmt::format("\"{}\" is no color; write \"#rrggbb\", as in \"#d04020\"", color));
    return color;
}

const Json& Reader::list(const Json& value) const {
    if (!value.is_array()) fail(value, fmt::format("{} where a list [...] is wanted", type_words(value)));
    return value;
}

std::vector<double> Reader::numbers(const Json& value, std::size_t least, std::size_t most) {
    if (list(value).size() < least || value.size() > most) {
        fail(value, least == most
                        ? fmt::format("{} entries; {} are wanted", value.size(), least)
                        : fmt::format("{} entries; {} to {} are wanted", value.size(), least, most));
    }
    std::vector<double> found;
    found.reserve(value.size());
    for (const Json& entry : value) found.push_back(number(entry));
    return found;
}

Vec3 Reader::vec3(const Json& value) {
    if (!value.is_array() || value.size() != 3) {
        fail(value, "three numbers [x, y, z] are wanted");
    }
    return {number(value[0]), number(value[1]), number(value[2])};
}

Vec3 Reader::size3(const Json& value) {
    if (value.is_array()) return vec3(value);
    const double size = number(value);
    return {size, size, size};
}

Quaternion Reader::rotation(const Json& value) {
    if (value.is_array()) {
        const Vec3 angle = vec3(value);
        return normalised(turn({0.0, 0.0, 1.0}, angle[2]) * turn({0.0, 1.0, 0.0}, angle[1]) *
                          turn({1.0, 0.0, 0.0}, angle[0]));
    }
    static constexpr std::array<std::string_view, 3> ways{"axis", "along", "quaternion"};
    const Object object(*this, value, kinds::rotation);
    const std::string_view way = object.only_one(ways);
    if ((way == "axis") != object.has("angle")) fail(value, "axis and angle go together");
    if (way == "quaternion") {
        const std::vector<double> q = numbers(object.need(way), 4, 4);
        if (q[0] == 0.0 && q[1] == 0.0 && q[2] == 0.0 && q[3] == 0.0) fail(value, "the quaternion is zero");
        return normalised({q[0], q[1], q[2], q[3]});
    }
    const Vec3 axis = vec3(object.need(way));
    if (length(axis) == 0.0)
        fail(object.need(way), "a direction of length 0; write [0, 0, 1] for the z axis");
    if (way == "axis") return turn(direction(axis), object.number("angle", 0.0));
    return turn_between({0.0, 0.0, 1.0}, direction(axis));
}

Expression Reader::time(const Json& value) {
    if (!value.is_string()) return {number(value)};
    return place_.scope->time_function(value.get_ref<const std::string&>(), where(value));
}

std::array<Expression, 3> Reader::time_vec3(const Json& value) {
    if (!value.is_array() || value.size() != 3) {
        fail(value, "three numbers or expressions in t are wanted, as in [0, 0, \"0.1*sin(2*pi*t)\"]");
    }
    return {time(value[0]), time(value[1]), time(value[2])};
}

// ---- patterns ---------------------------------------------------------------------------------------------

void Reader::repeat(const Object& object, const std::function<void()>& action) {
    std::vector<Loop> loops;
    if (const Json* ranges = object.find("repeat")) {
        if (!ranges->is_object()) fail(*ranges, "an object is wanted, as in {\"i\": 10}");
        if (ranges->size() > max_loops)
            exceed(*ranges, fmt::format("{} loops in one another; the limit is {}, use fewer with more turns",
                                        ranges->size(), max_loops));
        for (const auto& [name, range] : ranges->get_ref<const Json::object_t&>())
            loops.push_back({name, &range});
    }
    if (loops.empty()) count_repetition(object);
    run_loops(object, loops, action);
}

void Reader::count_repetition(const Object& object) {
    if (++repetitions_ <= max_repetitions_) return;
    exceed(object.json(),
           fmt::format("more repetitions than the limit of {} for the whole scene; repeat fewer",
                       max_repetitions_));
}

void Reader::run_loops(const Object& object, std::span<const Loop> loops,
                       const std::function<void()>& action) {
    const std::size_t size = place_.scope->size();
    if (loops.empty()) {
        if (const Json* definitions = object.find("let")) define(*definitions);
        if (object.number("if", 1.0) != 0.0) action();
        place_.scope->shrink(size);
        return;
    }
    const Json& range = *loops.front().range;
    check_new_name(range, loops.front().name);
    const bool from_to = range.is_array() && range.size() == 2;
    constexpr int most = 1'000'000'000;
    const int first = from_to ? whole(range[0], -most, most) : 0;
    const int last = from_to ? whole(range[1], -most, most) : whole(range, 0, most) - 1;
    for (int index = first; index <= last; ++index) {
        count_repetition(object);  // of outer loops too: an inner one may have no turns
        place_.scope->push(loops.front().name, index);
        place_.indices.push_back(index);
        run_loops(object, loops.subspan(1), action);
        place_.indices.pop_back();
        place_.scope->shrink(size);
    }
}

void Reader::check_new_name(const Json& value, const std::string& name) const {
    const std::string fault = name_fault(name);
    if (!fault.empty()) fail(value, fault);
    if (place_.scope->has(name)) fail(value, fmt::format("the name {} is taken; choose another", name));
}

void Reader::define(const Json& definitions) {
    if (!definitions.is_object()) fail(definitions, "an object is wanted, as in {\"x\": \"0.2*i\"}");
    for (const auto& [name, value] : definitions.get_ref<const Json::object_t&>()) {
        check_new_name(value, name);
        place_.scope->push(name, value.is_object() ? random(value, name) : number(value));
    }
}

double Reader::random(const Json& value, const std::string& name) {
    const Object object(*this, value, kinds::random);
    const std::vector<double> range = numbers(object.need("random"), 2, 2);
    NamedRandom source;
    source.feed(place_.prefix);
    source.feed(name);
    source.feed(static_cast<std::int64_t>(object.number_within("seed", 0.0, -1e15, 1e15)));
    for (const int index : place_.indices) source.feed(index);
    return source.within(range[0], range[1]);
}

// ---- objects ----------------------------------------------------------------------------------------------

Object::Object(Reader& reader, const Json& json, const ObjectKind& kind)
    : reader_(reader), json_(json), kind_(kind) {
    if (!json.is_object()) {
        reader.fail(json, fmt::format("{} where an object {{...}} is wanted", type_words(json)));
    }
    for (const auto& [key, value] : json.get_ref<const Json::object_t&>()) {
        const auto same = [&key = key](const Key& known) { return known.name == key; };
        if (std::any_of(kind.keys.begin(), kind.keys.end(), same)) continue;
        std::vector<std::string> known;
        for (const Key& one : kind.keys) known.emplace_back(one.name);
        reader.fail(value, fmt::format("unknown key \"{}\"{}", key, known_names(key, known)));
    }
}

const Json* Object::find(std::string_view key) const {
    for (const auto& [name, value] : json_.get_ref<const Json::object_t&>()) {
        if (name == key) return &value;
    }
    return nullptr;
}

const Json& Object::need(std::string_view key) const {
    const Json* found = find(key);
    if (found == nullptr) reader_.fail(json_, fmt::format("\"{}\" is missing", key));
    return *found;
}

double Object::number(std::string_view key, double fallback) const {
    const Json* found = find(key);
    return found == nullptr ? fallback : reader_.number(*found);
}

double Object::number_within(std::string_view key, double fallback, double least, double most) const {
    const double value = number(key, fallback);
    if (!(value >= least && value <= most)) {
        const Json* found = find(key);
        const std::string range = most == infinity ? fmt::format("at least {:g}", least)
                                                   : fmt::format("from {:g} to {:g}", least, most);
        reader_.fail(found == nullptr ? json_ : *found, fmt::format("{:g} is not {}", value, range));
    }
    return value;
}

Vec3 Object::vec3(std::string_view key, const Vec3& fallback) const {
    const Json* found = find(key);
    return found == nullptr ? fallback : reader_.vec3(*found);
}

bool Object::flag(std::string_view key, bool fallback) const {
    const Json* found = find(key);
    return found == nullptr ? fallback : reader_.flag(*found);
}

std::string Object::text(std::string_view key, const std::string& fallback) const {
    const Json* found = find(key);
    return found == nullptr ? fallback : reader_.text(*found);
}

std::string Object::filled_text(std::string_view key, const std::string& fallback) const {
    const Json* found = find(key);
    return found == nullptr ? fallback : reader_.filled_text(*found);
}

int Object::choice(std::string_view key, int fallback) const {
    const Json* found = find(key);
    if (found == nullptr) return fallback;
    const auto entry = std::find_if(kind_.keys.begin(), kind_.keys.end(),
                                    [key](const Key& known) { return known.name == key; });
    std::string_view rest = entry->type.substr(std::string_view("choice:").size());
    std::vector<std::string> known;
    while (!rest.empty()) {
        const std::size_t comma = std::min(rest.find(','), rest.size());
        known.emplace_back(rest.substr(0, comma));
        rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    const std::string chosen = reader_.filled_text(*found);
    const auto at = std::find(known.begin(), known.end(), chosen);
    if (at == known.end()) {
        reader_.fail(*found, fmt::format("\"{}\" is unknown{}", chosen, known_names(chosen, known)));
    }
    return static_cast<int>(at - known.begin());
}

Pose Object::pose() const {
    const Json* turned = find("rotation");
    return {vec3("position", {}), turned == nullptr ? Quaternion{} : reader_.rotation(*turned)};
}

std::string_view Object::only_one(std::span<const std::string_view> keys) const {
    std::string_view found;
    std::string all;
    int count = 0;
    for (const std::string_view key : keys) {
        all += fmt::format("{}\"{}\"", all.empty() ? "" : ", ", key);
        if (!has(key)) continue;
        found = key;
        ++count;
    }
    if (count != 1) reader_.fail(json_, fmt::format("exactly one of {} is wanted, not {}", all, count));
    return found;
}

}  // namespace uptack::scene

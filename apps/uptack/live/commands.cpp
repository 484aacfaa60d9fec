#include "commands.h"

#include <fmt/core.h>

#include <cmath>

#include "common.h"

namespace uptack::app::live {
namespace {

// More steps at once would leave the page without an answer for long.
constexpr int most_steps = 1000;
constexpr double slowest = 1e-3;
constexpr double fastest = 1e3;

void demand(bool fine, const std::string& what) {
    if (!fine) throw UsageError(what);
}

const Json& field(const Json& object, const char* key) {
    const auto found = object.find(key);
    demand(found != object.end(), fmt::format("'{}' is missing", key));
    return *found;
}

double finite_number(const Json& value, const char* key) {
    demand(value.is_number(), fmt::format("'{}' must be a number", key));
    const double x = value.get<double>();
    demand(std::isfinite(x), fmt::format("'{}' must be finite", key));
    return x;
}

double positive_number(const Json& value, const char* key) {
    const double x = finite_number(value, key);
    demand(x > 0.0, fmt::format("'{}' must be positive", key));
    return x;
}

int integer_within(const Json& value, const char* key, int lower, int upper) {
    demand(value.is_number_integer() && value >= lower && value <= upper,
           fmt::format("'{}' must be a whole number from {} to {}", key, lower, upper));
    return value.get<int>();
}

std::string short_text(const Json& value, const char* key) {
    demand(value.is_string() && value.get_ref<const std::string&>().size() <= 200,
           fmt::format("'{}' must be a short text", key));
    return value.get<std::string>();
}

Vec3 vector(const Json& value, const char* key) {
    demand(value.is_array() && value.size() == 3, fmt::format("'{}' must be three numbers", key));
    return {finite_number(value[0], key), finite_number(value[1], key), finite_number(value[2], key)};
}

SetParameters parameters(const Json& object) {
    const Json& values = field(object, "values");
    demand(values.is_object() && values.size() <= 100, "'values' must be an object of numbers");
    SetParameters set;
    for (const auto& [name, value] : values.items()) set.values[name] = finite_number(value, name.c_str());
    return set;
}

SetTolerance tolerance(const Json& object) {
    const std::string unit = object.contains("unit") ? short_text(object["unit"], "unit") : "relative";
    demand(unit == "relative" || unit == "J", "'unit' must be relative or J");
    return {{.value = positive_number(field(object, "value"), "value"),
             .unit = unit == "J" ? ErrorUnit::joules : ErrorUnit::relative}};
}

SetBudget budget(const Json& object) {
    const Json& ms = field(object, "ms");
    return {ms.is_null() ? infinity : 1e-3 * positive_number(ms, "ms")};
}

SetSpeed speed(const Json& object) {
    const double factor = positive_number(field(object, "factor"), "factor");
    demand(factor >= slowest && factor <= fastest,
           fmt::format("'factor' must be from {} to {}", slowest, fastest));
    return {factor};
}

}  // namespace

Command command_from_json(const std::string& text) {
    const Json object = Json::parse(text, nullptr, false);
    demand(object.is_object(), "a command is a JSON object");
    const std::string what = short_text(field(object, "do"), "do");
    if (what == "play") return Play{};
    if (what == "pause") return Pause{};
    if (what == "reset") return Reset{};
    if (what == "release") return Release{};
    if (what == "step") {
        return Steps{object.contains("count") ? integer_within(object["count"], "count", 1, most_steps) : 1};
    }
    if (what == "parameters") return parameters(object);
    if (what == "solver") return SetSolver{short_text(field(object, "name"), "name")};
    if (what == "tolerance") return tolerance(object);
    if (what == "budget") return budget(object);
    if (what == "speed") return speed(object);
    if (what == "pull") {
        return PullTo{.body = integer_within(field(object, "body"), "body", 0, 1 << 30),
                      .point_b = vector(field(object, "point"), "point"),
                      .target_w = vector(field(object, "target"), "target")};
    }
    throw UsageError(fmt::format("'{}' is no command", what));
}

}  // namespace uptack::app::live

#include "names.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "uptack/model.h"

namespace uptack {
namespace model {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// The run of digits at the start, and takes it off; leading zeros are not part of the number.
std::string_view take_number(std::string_view& text) {
    std::size_t end = 0;
    while (end < text.size() && is_digit(text[end])) ++end;
    std::string_view number = text.substr(0, end);
    text.remove_prefix(end);
    number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
    return number;
}

}  // namespace

std::strong_ordering compare_natural(std::string_view a, std::string_view b) {
    std::string_view rest_a = a;
    std::string_view rest_b = b;
    while (!rest_a.empty() && !rest_b.empty()) {
        if (is_digit(rest_a[0]) && is_digit(rest_b[0])) {
            const std::string_view number_a = take_number(rest_a);
            const std::string_view number_b = take_number(rest_b);
            if (const auto c = number_a.size() <=> number_b.size(); std::is_neq(c)) return c;
            if (const auto c = number_a <=> number_b; std::is_neq(c)) return c;
        } else {
            // As bytes: char may be signed, and then names beyond ASCII would sort by machine.
            const auto byte_a = static_cast<unsigned char>(rest_a[0]);
            const auto byte_b = static_cast<unsigned char>(rest_b[0]);
            if (const auto c = byte_a <=> byte_b; std::is_neq(c)) return c;
            rest_a.remove_prefix(1);
            rest_b.remove_prefix(1);
        }
    }
    if (const auto c = rest_a.size() <=> rest_b.size(); std::is_neq(c)) return c;
    return a <=> b;
}

namespace {

template <class Named>
std::vector<int> natural_order(const std::vector<Named>& things) {
    std::vector<int> order(things.size());
    std::iota(order.begin(), order.end(), 0);
    // Stable: the order of two of one name (a fault that validate() reports) is at least repeatable.
    std::stable_sort(order.begin(), order.end(), [&](int i, int j) {
        return std::is_lt(compare_natural(things[static_cast<std::size_t>(i)].name,
                                          things[static_cast<std::size_t>(j)].name));
    });
    return order;
}

template <class Named>
int find(const std::vector<Named>& things, std::string_view name) {
    const auto found =
        std::find_if(things.begin(), things.end(), [name](const Named& thing) { return thing.name == name; });
    return found == things.end() ? -1 : static_cast<int>(found - things.begin());
}

constexpr std::array<std::string_view, 14> joint_kinds{
    "free",      "fixed",  "revolute",      "prismatic", "cylindrical", "screw",       "spherical",
    "universal", "planar", "point_on_line", "distance",  "gear",        "rack_pinion", "pulley"};
constexpr std::array<std::string_view, 8> coordinates{"x",       "y",       "z",     "angle",
                                                      "angle_x", "angle_y", "swing", "distance"};
constexpr std::array<std::string_view, 9> geometries{
    "sphere", "half_space", "box", "capsule", "cylinder", "cone", "hull", "mesh", "height_field"};
static_assert(geometries.size() == std::variant_size_v<Geometry>);

template <std::size_t Count>
std::string_view name_at(const std::array<std::string_view, Count>& names, std::size_t index) {
    return index < Count ? names[index] : std::string_view("unknown");
}

}  // namespace
}  // namespace model

std::vector<int> body_order(const Model& model) {
    return model::natural_order(model.bodies);
}
std::vector<int> joint_order(const Model& model) {
    return model::natural_order(model.joints);
}

int find_body(const Model& model, std::string_view name) {
    return model::find(model.bodies, name);
}
int find_joint(const Model& model, std::string_view name) {
    return model::find(model.joints, name);
}

std::string_view joint_kind_name(JointKind kind) {
    return model::name_at(model::joint_kinds, static_cast<std::size_t>(kind));
}
std::string_view coordinate_name(Coordinate coordinate) {
    return model::name_at(model::coordinates, static_cast<std::size_t>(coordinate));
}
std::string_view geometry_name(const Geometry& geometry) {
    return model::name_at(model::geometries, geometry.index());
}

}  // namespace uptack

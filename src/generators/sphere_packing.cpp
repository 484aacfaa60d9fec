// B2 and the shaker: from a settled bed to the problem of its next step.
//
// The spheres are bodies 0 .. n-1; the box, floor and walls together, is body n: kinematic, at rest or
// shaken.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <tuple>

#include "geometry.h"
#include "size_checks.h"
#include "sphere_bed.h"
#include "uptack/generators.h"
#include "uptack/input_error.h"

namespace uptack {

using namespace generators;

namespace {

constexpr double mass = 1.0;                              // [kg]
constexpr double near_margin = 0.1 * sphere_radius;       // which pairs count when no number is given [m]
constexpr double widest_margin = 0.6 * sphere_radius;     // how far to look when a number is given [m]
constexpr Vec6 shaking = {0.6, 0.0, 0.3, 0.0, 0.0, 0.0};  // [m/s, rad/s]

// Total orders, so that the result does not depend on the library's sort.
bool is_closer(const SphereContact& a, const SphereContact& b) {
    return std::tie(a.gap, a.sphere, a.other, a.normal) < std::tie(b.gap, b.sphere, b.other, b.normal);
}

bool is_earlier(const SphereContact& a, const SphereContact& b) {
    const int largest_a = std::max(a.sphere, a.other);
    const int largest_b = std::max(b.sphere, b.other);
    return std::tie(largest_a, a.other, a.sphere, a.normal) <
           std::tie(largest_b, b.other, b.sphere, b.normal);
}

std::vector<SphereContact> choose_contacts(const SphereBed& bed, int wanted) {
    std::vector<SphereContact> contacts = find_contacts(bed, wanted > 0 ? widest_margin : near_margin);
    if (wanted > 0) {
        const auto available = static_cast<int>(contacts.size());
        if (available < wanted) {
            throw InputError("contacts",
                             fmt::format("is {}, but only {} pairs are within 0.6 radius; give at most "
                                         "that, or 0 for all within 0.1 radius",
                                         wanted, available));
        }
        std::nth_element(contacts.begin(), contacts.begin() + (wanted - 1), contacts.end(), is_closer);
        contacts.resize(static_cast<std::size_t>(wanted));
    }
    std::sort(contacts.begin(), contacts.end(), is_earlier);
    return contacts;
}

void add_bodies(Problem& problem, const SphereBed& bed, const SpherePackingOptions& options) {
    Body sphere;
    sphere.inverse_mass = 1.0 / mass;
    const double inverse_inertia = 2.5 / (mass * sphere_radius * sphere_radius);
    sphere.inverse_inertia_w = {inverse_inertia, inverse_inertia, inverse_inertia, 0.0, 0.0, 0.0};
    problem.bodies.reserve(bed.velocity.size() + 1);
    for (const Vec3& velocity : bed.velocity) {
        sphere.free_velocity = free_velocity(velocity, {}, {0.0, 0.0, -gravity});
        problem.bodies.push_back(sphere);
    }
    Body box;
    if (options.shaken) box.free_velocity = shaking;
    problem.bodies.push_back(box);
    problem.body_names = numbered_names("sphere", options.spheres);
    if (!problem.body_names.empty()) problem.body_names.emplace_back("box");
}

// Both arms end in the middle of the gap, so that a common rotation of the two bodies opens nothing.
JacobianRow contact_row(const SphereBed& bed, const SphereContact& contact, const Vec3& direction) {
    const double lever = sphere_radius + 0.5 * contact.gap;
    const Vec3 turn = lever * cross(direction, contact.normal);  // r x d, and exactly zero along the normal
    const Vec3 origin = {0.5 * bed.length_x, 0.5 * bed.length_y, 0.0};  // of the box: the middle of its floor
    const Vec3 arm_of_box = bed.position[contact.sphere] - lever * contact.normal - origin;
    JacobianRow row = point_row(direction, {}, arm_of_box);
    std::copy(turn.begin(), turn.end(), row.a.begin() + 3);
    if (contact.other != the_box) std::copy(turn.begin(), turn.end(), row.b.begin() + 3);
    return row;
}

void add_contact(Problem& problem, const SphereBed& bed, const SphereContact& contact, const Law& law) {
    const std::array<Vec3, 3> frame = contact_frame(contact.normal);
    const std::size_t count = std::holds_alternative<FrictionCone>(law) ? 3 : 1;
    std::array<JacobianRow, 3> rows;
    for (std::size_t k = 0; k < count; ++k) rows[k] = contact_row(bed, contact, frame[k]);
    const std::array<double, 3> bias = {contact_bias(contact.gap), 0.0, 0.0};
    const int box = static_cast<int>(bed.position.size());
    add_block(problem, law, contact.sphere, contact.other == the_box ? box : contact.other,
              std::span(rows).first(count), std::span(bias).first(count));
}

}  // namespace

Problem generate_sphere_packing(const SpherePackingOptions& options) {
    require_count("spheres", options.spheres, 1, most_bodies);
    require_count("contacts", options.contacts, 0, 10 * most_bodies);
    require_friction("mu", options.mu);

    const SphereBed bed = make_bed(options.spheres, options.seed);
    const std::vector<SphereContact> contacts = choose_contacts(bed, options.contacts);
    const Law law =
        options.mu > 0.0 ? Law{FrictionCone{.mu = options.mu, .model = options.model}} : Law{Unilateral{}};

    Problem problem;
    problem.name = fmt::format("{}{}", options.shaken ? "shaker" : "b2", options.mu > 0.0 ? "-friction" : "");
    add_bodies(problem, bed, options);
    const std::size_t rows = contacts.size() * (options.mu > 0.0 ? 3 : 1);
    problem.blocks.reserve(contacts.size());
    problem.jacobian.reserve(rows);
    problem.bias.reserve(rows);
    for (const SphereContact& contact : contacts) add_contact(problem, bed, contact, law);
    return problem;
}

}  // namespace uptack

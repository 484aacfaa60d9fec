// B3: plates of alternating mass with the heaviest on top, a slight slip and uneven gaps.

#include <array>

#include "geometry.h"
#include "random.h"
#include "size_checks.h"
#include "uptack/generators.h"

namespace uptack {

using namespace generators;

namespace {

constexpr Vec3 half_extents = {0.5, 0.5, 0.05};  // of a plate [m]
constexpr int corners = 4;

double plate_mass(const PlateStackOptions& options, int plate) {
    if (plate == options.plates - 1) return 3.0 * options.mass_ratio;
    return plate % 2 == 1 ? options.mass_ratio : 1.0;
}

void add_plates(Problem& problem, const PlateStackOptions& options, RandomSource& random) {
    for (int i = 0; i < options.plates; ++i) {
        const double slip_x = 0.2 * random.uniform();
        const double slip_y = 0.1 * random.uniform();
        Body plate = solid_box(plate_mass(options, i), half_extents);
        plate.free_velocity = free_velocity({slip_x, slip_y, 0.0}, {}, {0.0, 0.0, -gravity});
        problem.bodies.push_back(plate);
    }
}

// One corner of plate `upper` on the plate below it, or on the ground.
void add_corner(Problem& problem, const PlateStackOptions& options, int upper, int corner,
                RandomSource& random) {
    const double inset = 0.03 * random.uniform();
    const double gap = 1e-4 * (random.uniform() - 0.7);  // most of them slightly penetrating
    const double x = (corner % 2 == 1 ? 1.0 : -1.0) * (half_extents[0] - inset);
    const double y = (corner / 2 == 1 ? 1.0 : -1.0) * half_extents[1];

    const std::array<Vec3, 3> frame = contact_frame({0.0, 0.0, 1.0});
    std::array<JacobianRow, 3> rows;
    for (std::size_t k = 0; k < rows.size(); ++k) {
        rows[k] = point_row(frame[k], {x, y, -half_extents[2]}, {x, y, half_extents[2]});
        if (upper == 0) rows[k].b = {};
    }
    const std::array<double, 3> bias = {contact_bias(gap), 0.0, 0.0};
    add_block(problem, FrictionCone{.mu = options.mu, .model = options.model}, upper,
              upper == 0 ? no_body : upper - 1, rows, bias);
}

}  // namespace

Problem generate_plate_stack(const PlateStackOptions& options) {
    require_count("plates", options.plates, 1, most_bodies / corners);
    require_mass_ratio("mass_ratio", options.mass_ratio);
    require_friction("mu", options.mu);

    Problem problem;
    problem.name = "b3";
    problem.body_names = numbered_names("plate", options.plates);
    RandomSource random(options.seed);
    add_plates(problem, options, random);
    for (int plate = 0; plate < options.plates; ++plate) {
        for (int corner = 0; corner < corners; ++corner) add_corner(problem, options, plate, corner, random);
    }
    return problem;
}

}  // namespace uptack

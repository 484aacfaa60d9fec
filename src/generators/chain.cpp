// A horizontal chain, held at one end, heavy at the other: the hardest thing for local sweeps, since the
// end's weight has to travel through every link.

#include <array>

#include "geometry.h"
#include "size_checks.h"
#include "uptack/generators.h"

namespace uptack {

using namespace generators;

namespace {

constexpr Vec3 half_extents = {0.5, 0.1, 0.1};       // of a link [m]
constexpr Vec3 acceleration = {0.3, 0.0, -gravity};  // the 0.3 breaks the symmetry of a straight chain

}  // namespace

Problem generate_chain(const ChainOptions& options) {
    require_count("links", options.links, 1, most_bodies);
    require_mass_ratio("mass_ratio", options.mass_ratio);

    Problem problem;
    problem.name = "chain";
    problem.body_names = numbered_names("link", options.links);
    problem.block_names = numbered_names("joint", options.links);
    for (int i = 0; i < options.links; ++i) {
        Body link = solid_box(i == options.links - 1 ? options.mass_ratio : 1.0, half_extents);
        link.free_velocity = free_velocity({}, {}, acceleration);
        problem.bodies.push_back(link);
    }

    const Vec3 near_end = {-half_extents[0], 0.0, 0.0};
    const Vec3 far_end = {half_extents[0], 0.0, 0.0};
    const std::array<double, 3> bias{};
    for (int i = 0; i < options.links; ++i) {
        std::array<JacobianRow, 3> rows;
        for (int k = 0; k < 3; ++k) {
            rows[static_cast<std::size_t>(k)] = point_row(unit_axis(k), near_end, far_end);
            if (i == 0) rows[static_cast<std::size_t>(k)].b = {};
        }
        add_block(problem, Bilateral{}, i, i == 0 ? no_body : i - 1, rows, bias);
    }
    return problem;
}

}  // namespace uptack

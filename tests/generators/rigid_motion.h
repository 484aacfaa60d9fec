// Bodies that move together as one do not move relative to each other: what every row must see as zero.

#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "geometry.h"
#include "random.h"
#include "uptack/problem.h"

namespace uptack::test {

inline double row_velocity(const Vec6& row, const Vec3& linear, const Vec3& angular) {
    return row[0] * linear[0] + row[1] * linear[1] + row[2] * linear[2] + row[3] * angular[0] +
           row[4] * angular[1] + row[5] * angular[2];
}

/// Largest |J v| over all blocks between two bodies, each in a few common motions about random points.
inline double worst_velocity_in_common_motion(const Problem& problem, const std::vector<Vec3>& position) {
    using namespace generators;
    RandomSource random(99);
    double worst = 0.0;
    for (const Block& block : problem.blocks) {
        if (block.body_a == no_body || block.body_b == no_body) continue;
        for (int trial = 0; trial < 3; ++trial) {
            const Vec3 centre = random_in_cube(random);
            const Vec3 linear = random_in_cube(random);
            const Vec3 angular = random_in_cube(random);
            const Vec3 at_a = linear + cross(angular, position[block.body_a] - centre);
            const Vec3 at_b = linear + cross(angular, position[block.body_b] - centre);
            for (int i = block.first_row; i < block.first_row + block.rows; ++i) {
                const JacobianRow& row = problem.jacobian[i];
                const double w = row_velocity(row.a, at_a, angular) + row_velocity(row.b, at_b, angular);
                worst = std::max(worst, std::abs(w));
            }
        }
    }
    return worst;
}

inline Vec3 direction_of(const JacobianRow& row) {
    return {row.a[0], row.a[1], row.a[2]};
}

/// How far the rows' directions of all blocks are from orthonormal.
inline double worst_frame_error(const Problem& problem) {
    double worst = 0.0;
    for (const Block& block : problem.blocks) {
        for (int i = block.first_row; i < block.first_row + block.rows; ++i) {
            for (int j = block.first_row; j <= i; ++j) {
                const double wanted = i == j ? 1.0 : 0.0;
                const double product =
                    dot(direction_of(problem.jacobian[i]), direction_of(problem.jacobian[j]));
                worst = std::max(worst, std::abs(product - wanted));
            }
        }
    }
    return worst;
}

}  // namespace uptack::test

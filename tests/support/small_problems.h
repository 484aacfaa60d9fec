// Problems whose solution is known by hand.

#pragma once

#include <cmath>

#include "uptack/problem.h"

namespace uptack::test {

inline constexpr double mass = 2.0;        // [kg]
inline constexpr double gravity = 9.81;    // [m/s^2]
inline constexpr double time_step = 0.01;  // [s]

inline Body ball(double m = mass) {
    return {.inverse_mass = 1 / m,
            .inverse_inertia_w = {1, 1, 1, 0, 0, 0},
            .free_velocity = {0, 0, -gravity * time_step, 0, 0, 0}};
}

/// A ball at rest on the ground: the impulse carries its weight, m g h.
inline Problem resting_ball() {
    Problem problem;
    problem.bodies = {ball()};
    const JacobianRow up{.a = {0, 0, 1, 0, 0, 0}};
    add_block(problem, Unilateral{}, 0, no_body, std::span(&up, 1), std::array{0.0});
    return problem;
}

/// Two balls, one on top of the other: the lower contact carries twice the weight.
inline Problem two_stacked_balls() {
    Problem problem = resting_ball();
    problem.bodies.push_back(ball());
    const JacobianRow up{.a = {0, 0, 1, 0, 0, 0}, .b = {0, 0, -1, 0, 0, 0}};
    add_block(problem, Unilateral{}, 1, 0, std::span(&up, 1), std::array{0.0});
    return problem;
}

/// A point mass on the ground, pushed sideways at `speed`, with the three contact rows of a block (no lever
/// arms).
inline Problem sliding_block(const Law& law, double speed) {
    Problem problem;
    problem.bodies = {ball()};
    problem.bodies[0].free_velocity[0] = speed * 0.6;
    problem.bodies[0].free_velocity[1] = speed * 0.8;
    const std::array<JacobianRow, 3> rows = {JacobianRow{.a = {0, 0, 1, 0, 0, 0}},
                                             JacobianRow{.a = {1, 0, 0, 0, 0, 0}},
                                             JacobianRow{.a = {0, 1, 0, 0, 0, 0}}};
    add_block(problem, law, 0, no_body, rows, std::array{0.0, 0.0, 0.0});
    return problem;
}

}  // namespace uptack::test

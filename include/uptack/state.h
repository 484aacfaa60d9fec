// What changes from step to step.
//
// Written by: integrator.  Read by: collision, assembly, recording, users.
//
// In the leapfrog scheme positions are known at `time` and velocities half a step before it: v moved the
// bodies from the last positions to these.  `velocity_lag_s` says by how much; it is 0 at the start.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "uptack/math.h"

namespace uptack {

struct State {
    double time = 0.0;  ///< [s]
    std::int64_t step = 0;
    double velocity_lag_s = 0.0;  ///< velocities belong to time - velocity_lag_s
    std::vector<Pose> pose;       ///< of the centres of mass, one per body of the model
    std::vector<Vec6> velocity;   ///< of the centres of mass [m/s, rad/s], world
    /// Turns are remembered: the last angles of each joint's coordinates, unwrapped [rad].  See assembly.h.
    std::vector<std::array<double, 2>> joint_angle;
    std::vector<double> still_s;  ///< how long a body has been still [s]; infinite: it sleeps
    /// Since when a body is frozen because its numbers were not finite [s]; infinite: it is not.  A frozen
    /// body sleeps, and nothing wakes it.
    std::vector<double> frozen_at;

    bool operator==(const State&) const = default;
};

/// A state without sleep times has nobody asleep.
inline bool sleeps(const State& state, std::size_t body) {
    return body < state.still_s.size() && state.still_s[body] == infinity;
}

/// Likewise.
inline bool is_frozen(const State& state, std::size_t body) {
    return body < state.frozen_at.size() && state.frozen_at[body] != infinity;
}

}  // namespace uptack

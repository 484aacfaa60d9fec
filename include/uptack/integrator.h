// From forces to free velocities, and from velocities to the next positions.
//
// Written by: integrator.  Read by: simulation, tests.  It knows neither contacts nor joints.

#pragma once

#include <span>
#include <vector>

#include "uptack/model.h"
#include "uptack/state.h"
#include "uptack/stepping.h"

namespace uptack {

/// Where and how everything starts.
State initial_state(const Model& model);

/// Gravity, applied forces, damping and the gyroscopic torque; prescribed velocities of kinematic bodies.
/// Sleeping bodies (State::still_s infinite) and frozen ones are given no inverse mass and no velocity.
void free_motion(const Model& model, const State& state, const StepSettings& settings, FreeMotion& motion);

/// q(t + h) from q(t) and `velocity`, one per body of the model: what the constraints made of `motion`. Spins
/// are corrected to what keeps the angular momentum that the impulses left, exactly.
void advance(const Model& model, const StepSettings& settings, const FreeMotion& motion,
             const std::vector<Vec6>& velocity, State& state);

struct Energy {
    double kinetic_J = 0.0;
    double potential_J = 0.0;  ///< gravity's; zero at the world's origin
};

/// Both at the time of the velocities, time - velocity_lag_s.  Summed up in `order`, which the last bits hang
/// on: body_order() makes them independent of who was added first; without, as the bodies were added.
Energy energy(const Model& model, const State& state, std::span<const int> order = {});

/// Linear and angular momentum (about the world's origin) of the dynamic bodies, at the time of the
/// velocities.
Vec6 momentum(const Model& model, const State& state);

}  // namespace uptack

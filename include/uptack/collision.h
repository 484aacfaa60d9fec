// From poses to contacts.
//
// Written by: collision.  Read by: simulation, tests, benchmarks.
// collide() is a function of model, state and reach alone: neither threads, nor the order of insertion, nor
// earlier calls change a bit of its result (what is kept between calls is storage and reusable structure).

#pragma once

#include <memory>

#include "uptack/contact.h"
#include "uptack/model.h"
#include "uptack/state.h"

namespace uptack {

/// How far ahead contacts are wanted.
struct Reach {
    double envelope = 0.01;    ///< gaps below this always count [m]
    double lookahead_s = 0.0;  ///< and those that the bodies' present velocities would close in this time [s]
};

class Collider {
public:
    explicit Collider(const Model& model);
    ~Collider();
    Collider(Collider&&) noexcept;
    Collider& operator=(Collider&&) noexcept;

    /// All points whose gap is below  envelope + lookahead * closing speed at the point, of pairs that may
    /// touch: at least one of the bodies is dynamic; groups, masks, Model::no_collision and joined bodies
    /// (Joint::bodies_collide) are respected.  Shapes of one body never touch each other.
    /// Beyond the envelope a pair is looked at if the boxes around its shapes, swept by their motion, meet:
    /// shapes that pass each other by have no contacts.  At least one of the bodies moves: a sleeping body
    /// (State::still_s infinite) has none with fixed or sleeping ones or with kinematic ones at rest.
    void collide(const State& state, const Reach& reach, ContactSet& contacts);

    struct Counts {
        std::int64_t candidate_pairs = 0;  ///< what the broad phase let through
        std::int64_t touching_pairs = 0;   ///< those with at least one contact
    };
    Counts counts() const;

private:
    struct Inside;
    std::unique_ptr<Inside> inside_;
};

}  // namespace uptack

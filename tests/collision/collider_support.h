// Small models and states for the tests of the collider.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "uptack/collision.h"
#include "uptack/model.h"
#include "uptack/state.h"

namespace uptack::test {

inline State start_of(const Model& model) {
    State state;
    for (const RigidBody& body : model.bodies) {
        state.pose.push_back(body.initial_pose);
        state.velocity.push_back(body.initial_velocity);
        state.still_s.push_back(0.0);
    }
    return state;
}

inline Shape shape(Geometry geometry, const Pose& pose = {}) {
    Shape s;
    s.geometry = std::move(geometry);
    s.pose = pose;
    return s;
}

inline int add(Model& model, const std::string& name, Geometry geometry, const Pose& pose = {},
               BodyKind kind = BodyKind::dynamic) {
    BodyDefinition body;
    body.name = name;
    body.kind = kind;
    body.pose = pose;
    body.shapes.push_back(shape(std::move(geometry)));
    return add_body(model, std::move(body));
}

inline std::vector<Contact> contacts_of(const Model& model, const State& state, const Reach& reach = {}) {
    Collider collider(model);
    ContactSet set;
    collider.collide(state, reach, set);
    return set.contacts;
}

inline std::vector<Contact> contacts_of(const Model& model, const Reach& reach = {}) {
    return contacts_of(model, start_of(model), reach);
}

}  // namespace uptack::test

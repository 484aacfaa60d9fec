#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "uptack/input_error.h"
#include "uptack/model.h"

namespace uptack::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Model sound_model() {
    Model model;
    add_material(model, {.name = "rubber", .friction = 0.9});
    add_body(model, {.name = "ball", .shapes = {Shape{.geometry = Sphere{0.1}, .material = 1}}});
    add_body(model, {.name = "box", .shapes = {Shape{.geometry = Box{}}, Shape{.geometry = Sphere{}}}});
    add_body(model, {.name = "floor", .kind = BodyKind::fixed, .shapes = {Shape{.geometry = HalfSpace{}}}});
    add_body(model, {.name = "drum", .kind = BodyKind::kinematic, .motion = {.angle = "t"}});
    add_joint(model, {.name = "hinge", .body_a = 0, .body_b = 1});
    add_force(model, {.name = "wind", .body = 0, .force = {"sin(t)", 0.0, 0.0}});
    model.no_collision.emplace_back(0, 2);
    model.material_pairs.push_back({0, 1, Material{}});
    return model;
}

std::string first_fault(const std::function<void(Model&)>& spoil) {
    Model model = sound_model();
    spoil(model);
    const auto faults = validate(model);
    return faults.empty() ? "" : faults[0].where + ": " + faults[0].message;
}

TEST(ValidateModel, WhatWasAddedIsSound) {
    EXPECT_EQ(first_fault([](Model&) {}), "");
    EXPECT_TRUE(validate(Model{}).empty());
}

struct Spoiled {
    std::string says;
    std::function<void(Model&)> how;
};

TEST(ValidateModel, EveryFaultIsNamedWithItsPlace) {
    const std::vector<Spoiled> cases{
        {"gravity: is not finite", [](Model& m) { m.gravity[2] = nan; }},
        {"material 'rubber': friction is -0.1", [](Model& m) { m.materials[1].friction = -0.1; }},
        {"material pair 0: materials 0 and 2 are not both there",
         [](Model& m) { m.material_pairs[0].b = 2; }},
        {"material pair 0: restitution is 2", [](Model& m) { m.material_pairs[0].values.restitution = 2.0; }},
        {"material pair 1: is there twice",
         [](Model& m) {
             m.material_pairs.push_back({1, 0, Material{}});
         }},
        {"body 'ball': numbers 0 and 2 have this name", [](Model& m) { m.bodies[2].name = "ball"; }},
        {"body 1: has no name", [](Model& m) { m.bodies[1].name = ""; }},
        {"body 'ball': mass is -1 kg", [](Model& m) { m.bodies[0].mass.mass = -1.0; }},
        {"body 'ball': inertia is not positive definite",
         [](Model& m) { m.bodies[0].mass.inertia[1] = 0.0; }},
        {"body 'floor': is not dynamic but has a mass", [](Model& m) { m.bodies[2].mass.mass = 1.0; }},
        {"body 'box': initial pose is not finite",
         [](Model& m) { m.bodies[1].initial_pose.orientation.y = nan; }},
        {"body 'box': initial velocity is not finite",
         [](Model& m) { m.bodies[1].initial_velocity[5] = infinity; }},
        {"body 'box': damping is -1", [](Model& m) { m.bodies[1].linear_damping = -1.0; }},
        {"body 'drum': the axis of its motion", [](Model& m) { m.bodies[3].motion.axis = {}; }},
        {"body 'ball', shape 0 (sphere): radius is -1",
         [](Model& m) { m.shapes[0].geometry = Sphere{-1.0}; }},
        {"body 'ball', shape 0 (half_space): is only a surface",
         [](Model& m) { m.shapes[0].geometry = HalfSpace{}; }},
        {"body 'ball', shape 0 (sphere): material 9 is not there",
         [](Model& m) { m.shapes[0].material = 9; }},
        {"shape 3: body 7 is not there", [](Model& m) { m.shapes[3].body = 7; }},
        {"body 'ball', shape 2 (sphere): shapes are not grouped", [](Model& m) { m.shapes[2].body = 0; }},
        {"joint 'hinge': numbers 0 and 1 have this name", [](Model& m) { m.joints.push_back(m.joints[0]); }},
        {"joint 'hinge': body 4 is not there", [](Model& m) { m.joints[0].body_b = 4; }},
        {"joint 'hinge': a frame is not finite", [](Model& m) { m.joints[0].frame_b.position[0] = nan; }},
        {"joint 'hinge': coordinate x is not free",
         [](Model& m) { m.joints[0].axes = {{.coordinate = Coordinate::x}}; }},
        {"force 'wind': body 8 is not there", [](Model& m) { m.forces[0].body = 8; }},
        {"no_collision 0: is (0, 0)", [](Model& m) { m.no_collision[0].second = 0; }},
        {"no_collision 0: is (0, 4); give two different bodies from 0 to 3",
         [](Model& m) { m.no_collision[0].second = 4; }},
    };
    for (const Spoiled& spoiled : cases) {
        const std::string fault = first_fault(spoiled.how);
        EXPECT_TRUE(fault.starts_with(spoiled.says)) << spoiled.says << "\n  got " << fault;
    }
}

TEST(ValidateModel, StopsAfterAsManyFaultsAsAsked) {
    Model model = sound_model();
    for (int i = 0; i < 30; ++i) model.forces.push_back({.body = 99});
    EXPECT_EQ(validate(model).size(), 20U);
    EXPECT_EQ(validate(model, 3).size(), 3U);
    EXPECT_EQ(validate(model, 100).size(), 30U);
}

TEST(Materials, ValuesOutOfRangeAreRefused) {
    const auto message = [](const Material& material) -> std::string {
        Model model;
        try {
            add_material(model, material);
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(message({.name = "ice", .friction = -0.1}),
              "material 'ice': friction is -0.1; give a finite number >= 0");
    EXPECT_EQ(message({.name = "ice", .density = nan}),
              "material 'ice': density is nan kg/m^3; give a finite number >= 0");
    EXPECT_EQ(message({.name = "ice", .restitution = 1.1}),
              "material 'ice': restitution is 1.1; give 0 (no bounce) to 1");
    EXPECT_EQ(message({.name = "ice", .restitution = -0.1}),
              "material 'ice': restitution is -0.1; give 0 (no bounce) to 1");
    EXPECT_NE(message({.rolling_friction = -1.0}).find("rolling_friction is -1 m;"), std::string::npos);
    EXPECT_NE(message({.spinning_friction = nan}).find("spinning_friction is nan m;"), std::string::npos);
    EXPECT_NE(message({.compliance = infinity}).find("compliance is inf m/N;"), std::string::npos);
    EXPECT_NE(message({.adhesion = -5.0}).find("adhesion is -5 N;"), std::string::npos);
    EXPECT_NE(message({.surface_velocity_b = {0, nan, 0}}).find("surface velocity is not finite"),
              std::string::npos);
    EXPECT_NE(message({.color = "#12345"}).find("#rrggbb"), std::string::npos);
    EXPECT_NE(message({.color = "#12345g"}).find("#rrggbb"), std::string::npos);
    EXPECT_EQ(message({.color = "#12aBcd"}), "");
}

TEST(Materials, APairIsMadeFromBothAlike) {
    Model model;
    const int a = add_material(model, {.name = "a",
                                       .friction = 0.2,
                                       .restitution = 0.3,
                                       .rolling_friction = 0.01,
                                       .spinning_friction = 0.02,
                                       .compliance = 1e-6,
                                       .adhesion = 5.0});
    const int b = add_material(model, {.name = "b",
                                       .friction = 0.8,
                                       .restitution = 0.1,
                                       .rolling_friction = 0.03,
                                       .spinning_friction = 0.05,
                                       .compliance = 2e-6,
                                       .adhesion = 3.0});
    for (const Material& both : {combine(model, a, b), combine(model, b, a)}) {
        EXPECT_DOUBLE_EQ(both.friction, 0.4);
        EXPECT_EQ(both.restitution, 0.3);
        EXPECT_DOUBLE_EQ(both.rolling_friction, 0.04);
        EXPECT_DOUBLE_EQ(both.spinning_friction, 0.07);
        EXPECT_DOUBLE_EQ(both.compliance, 3e-6);
        EXPECT_EQ(both.adhesion, 3.0);
    }
    EXPECT_EQ(combine(model, a, a).friction, 0.2);
}

TEST(Materials, AnEntryOfItsOwnHoldsForThePairBothWaysAndForNoOther) {
    Model model;
    const int a = add_material(model, {.name = "a", .friction = 0.2});
    const int b = add_material(model, {.name = "b", .friction = 0.8});
    model.material_pairs.push_back({b, a, {.friction = 0.05, .restitution = 0.9}});
    for (const Material& both : {combine(model, a, b), combine(model, b, a)}) {
        EXPECT_EQ(both.friction, 0.05);
        EXPECT_EQ(both.restitution, 0.9);
    }
    EXPECT_EQ(combine(model, a, a).friction, 0.2);
    EXPECT_EQ(combine(model, b, b).friction, 0.8);
    EXPECT_EQ(combine(model, b, b).restitution, 0.0);
}

}  // namespace
}  // namespace uptack::test

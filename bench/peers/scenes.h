// The scenes that every engine is given: bodies, planes and ball joints as plain data.
//
// Written by: scenes.cpp.  Read by: the adapters (bullet, ode, mujoco, uptack) and measure.cpp.
// An adapter may add nothing of its own but its solver's settings, so that all of them step the same thing.

#pragma once

#include <string>
#include <variant>
#include <vector>

#include "uptack/math.h"
#include "uptack/model.h"

namespace uptack::peers {

/// Everything on the far side of normal . x = offset is solid.
struct Plane {
    Vec3 normal{0.0, 0.0, 1.0};  ///< unit, out of the solid
    double offset = 0.0;         ///< [m]
};

/// A sphere or a box, homogeneous unless mass and inertia say otherwise; starts with the world's axes.
struct SolidBody {
    std::variant<Sphere, Box> shape{};
    double mass = 0.0;  ///< [kg]
    Vec3 inertia{};     ///< principal, along the body's axes [kg m^2]
    Vec3 position{};    ///< [m]
    Vec3 velocity{};    ///< [m/s]
    Vec3 spin{};        ///< [rad/s]
};

/// Holds a point of body a (or of the world) and a point of body b together.
struct BallJoint {
    int a = no_body;
    int b = no_body;
    Vec3 anchor{};  ///< where both points are at the start, world [m]
};

struct Phase {
    std::string name{};
    double seconds = 1.0;
    bool measured = true;
};

struct Scene {
    std::string name{};
    std::string title{};
    Vec3 gravity{0.0, 0.0, -9.81};  ///< [m/s^2]
    double friction = 0.5;          ///< mu of every pair [-]
    double step_s = 1.0 / 60.0;     ///< [s]
    double rest_overlap = 0.0;      ///< overlaps that need not be pushed apart; only we ask [m]
    double envelope = 0.01;         ///< Uptack sees contacts from this gap on [m]
    bool touching = true;           ///< false: bodies pass through each other and the planes
    /// What energy errors are measured against [J]; 0: the exact motion does not keep its energy.
    double energy_scale_J = 0.0;
    std::vector<Plane> planes{};
    std::vector<SolidBody> bodies{};
    std::vector<BallJoint> joints{};
    std::vector<Phase> phases{};
};

SolidBody solid_sphere(double radius, double density, const Vec3& position);
SolidBody solid_box(const Vec3& half_size, double mass, const Vec3& position);

/// 2000 spheres fall from a loose grid into a box of planes; h = 1/60 s.
Scene pile_scene(int spheres = 2000);
/// 25 x 30 bricks stand for a second, then a ball of a ton arrives; h = 1/60 s.
Scene wall_scene();
/// 100 links and a load of 1000 links' mass, released horizontally; h = 1/240 s.  A zigzag of links of length
/// l and mass m under the tension T swings at sqrt(12 T / (m l)), and explicit steps bear omega h < 2: links
/// of 0.6 m stay below that in the two seconds (T < 10 kN), so here it is the solver that matters.
Scene chain_scene();
/// The same with links of 0.1 m, which pass the lowest point within the two seconds (T = 30 kN): omega h = 8.
/// Here it is the integrator that matters.
Scene whip_scene();
/// 20 plates, light under heavy, 1:100; h = 1/240 s.
Scene stack_scene();
/// 210 boxes in a plane pyramid, 1600 contact points; h = 1/60 s.
Scene pyramid_scene();
/// One box thrown spinning about its middle axis, without gravity; h = 1/240 s.
Scene spin_scene();

/// All of the above, in this order.
std::vector<Scene> all_scenes();

}  // namespace uptack::peers

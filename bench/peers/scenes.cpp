#include "scenes.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace uptack::peers {
namespace {

/// In [0, 1); the same bits everywhere (splitmix64).
class Jitter {
public:
    double operator()() {
        state_ += 0x9e3779b97f4a7c15ULL;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
    }
    double between(double from, double to) { return from + (to - from) * (*this)(); }

private:
    std::uint64_t state_ = 1;
};

}  // namespace

SolidBody solid_sphere(double radius, double density, const Vec3& position) {
    const double mass = density * 4.0 / 3.0 * std::numbers::pi * radius * radius * radius;
    const double inertia = 0.4 * mass * radius * radius;
    return {
        .shape = Sphere{radius}, .mass = mass, .inertia = {inertia, inertia, inertia}, .position = position};
}

SolidBody solid_box(const Vec3& half_size, double mass, const Vec3& position) {
    const auto square = [&](int k) { return half_size[k] * half_size[k]; };
    return {.shape = Box{half_size},
            .mass = mass,
            .inertia = {mass / 3.0 * (square(1) + square(2)), mass / 3.0 * (square(2) + square(0)),
                        mass / 3.0 * (square(0) + square(1))},
            .position = position};
}

Scene pile_scene(int spheres) {
    constexpr double radius = 0.05;
    constexpr double spacing = 0.115;  // loose: no two spheres touch at the start
    const int side = std::max(3, static_cast<int>(std::lround(std::cbrt(spheres * 0.86))));
    const double half_width = 0.5 * side * spacing;
    Scene scene{.name = "pile", .title = "pile of spheres in a box, h = 1/60 s"};
    scene.rest_overlap = 5e-4;  // a hundredth of a radius, a fifth of g h^2
    scene.envelope = 0.005;     // a tenth of a radius, twice g h^2
    scene.planes = {{{0.0, 0.0, 1.0}, 0.0},
                    {{1.0, 0.0, 0.0}, -half_width},
                    {{-1.0, 0.0, 0.0}, -half_width},
                    {{0.0, 1.0, 0.0}, -half_width},
                    {{0.0, -1.0, 0.0}, -half_width}};
    Jitter jitter;
    for (int i = 0; i < spheres; ++i) {
        const Vec3 cell = {i % side + 0.5, i / side % side + 0.5, i / (side * side) + 0.5};
        const Vec3 shift = {jitter.between(-0.005, 0.005), jitter.between(-0.005, 0.005),
                            jitter.between(-0.002, 0.002)};
        const double size = radius * jitter.between(0.95, 1.05);
        scene.bodies.push_back(
            solid_sphere(size, 1000.0, spacing * cell + shift - Vec3{half_width, half_width, 0.0}));
    }
    scene.phases = {{"settling", 3.0, false}, {"settled", 1.0, true}};
    return scene;
}

Scene wall_scene() {
    constexpr int per_course = 25;
    constexpr int courses = 30;
    constexpr Vec3 half = {0.2, 0.1, 0.1};  // [m]
    constexpr double mass = 32.0;           // density 2000 kg/m^3
    constexpr double pitch = 0.401;         // a millimetre between neighbours in a course [m]
    // A third of a brick, not a half: the end bricks then lie on their own, and there are exactly 750.
    constexpr double bond = pitch / 3.0;
    Scene scene{.name = "wall", .title = "wall of 750 bricks, then a ball of a ton, h = 1/60 s"};
    scene.planes = {{}};
    for (int course = 0; course < courses; ++course) {
        for (int i = 0; i < per_course; ++i) {
            scene.bodies.push_back(solid_box(half, mass,
                                             {(i - 0.5 * (per_course - 1)) * pitch + (course % 2) * bond, 0.0,
                                              half[2] * (2 * course + 1)}));
        }
    }
    // Thrown at t = 0 from 11 m away, so that it arrives at its own height again after 1.1 s.
    SolidBody ball = solid_sphere(0.5, 1000.0 / (4.0 / 3.0 * std::numbers::pi * 0.125), {0.0, -11.6, 3.0});
    ball.velocity = {0.0, 10.0, 0.5 * 9.81 * 1.1};
    scene.bodies.push_back(ball);
    scene.phases = {
        {"standing", 1.0, true}, {"hit", 1.0, true}, {"falling", 6.0, false}, {"rubble", 1.0, true}};
    return scene;
}

namespace {

Scene loaded_chain(double link_m) {
    constexpr int links = 100;
    const Vec3 half = {0.5 * link_m, 0.2 * link_m, 0.2 * link_m};
    Scene scene;
    scene.step_s = 1.0 / 240.0;
    scene.touching = false;
    for (int i = 0; i < links; ++i) {
        scene.bodies.push_back(solid_box(half, 1.0, {half[0] * (2 * i + 1), 0.0, 0.0}));
        scene.joints.push_back({i - 1, i, {half[0] * 2 * i, 0.0, 0.0}});
    }
    const double end = half[0] * 2 * links;
    scene.bodies.push_back(solid_box({0.25, 0.25, 0.25}, 1000.0, {end + 0.25, 0.0, 0.0}));
    scene.joints.push_back({links - 1, links, {end, 0.0, 0.0}});
    for (const SolidBody& body : scene.bodies) {  // what gravity gives until all of it hangs down
        scene.energy_scale_J += body.mass * 9.81 * body.position[0];
    }
    scene.phases = {{"swing", 2.0, true}};
    return scene;
}

}  // namespace

Scene chain_scene() {
    Scene scene = loaded_chain(0.6);
    scene.name = "chain";
    scene.title = "chain of 100 links of 0.6 m, load 1000:1, released horizontally, h = 1/240 s";
    return scene;
}

Scene whip_scene() {
    Scene scene = loaded_chain(0.1);
    scene.name = "whip";
    scene.title = "the same with links of 0.1 m: stiffer than the step can follow, h = 1/240 s";
    return scene;
}

Scene stack_scene() {
    constexpr Vec3 half = {0.5, 0.5, 0.05};
    Scene scene{.name = "stack", .title = "stack of 20 plates, masses 1:100, light under heavy, h = 1/240 s"};
    scene.step_s = 1.0 / 240.0;
    scene.planes = {{}};
    for (int i = 0; i < 20; ++i) {
        scene.bodies.push_back(solid_box(half, i % 2 == 0 ? 1.0 : 100.0, {0.0, 0.0, half[2] * (2 * i + 1)}));
    }
    scene.phases = {{"standing", 2.0, true}};
    return scene;
}

Scene pyramid_scene() {
    constexpr int base = 20;
    constexpr double half = 0.2;
    constexpr double pitch = 0.44;  // wide enough that neighbours do not see each other [m]
    Scene scene{.name = "pyramid", .title = "pyramid of 210 boxes, 1600 contact points, h = 1/60 s"};
    scene.planes = {{}};
    for (int row = 0; row < base; ++row) {
        for (int i = 0; i < base - row; ++i) {
            scene.bodies.push_back(solid_box(
                {half, half, half}, 64.0, {(i - 0.5 * (base - row - 1)) * pitch, 0.0, half * (2 * row + 1)}));
        }
    }
    scene.phases = {{"settling", 1.0, false}, {"standing", 1.0, true}};
    return scene;
}

Scene spin_scene() {
    Scene scene{.name = "spin", .title = "free spin about the middle axis, 100 s, h = 1/240 s"};
    scene.gravity = {};
    scene.step_s = 1.0 / 240.0;
    scene.touching = false;
    SolidBody body = solid_box({0.5, 0.3, 0.1}, 120.0, {});
    body.spin = {0.1, 5.0, 0.1};
    for (int k = 0; k < 3; ++k) scene.energy_scale_J += 0.5 * body.inertia[k] * body.spin[k] * body.spin[k];
    scene.bodies = {body};
    scene.phases = {{"spinning", 100.0, true}};
    return scene;
}

std::vector<Scene> all_scenes() {
    return {stack_scene(), chain_scene(), whip_scene(), pyramid_scene(),
            pile_scene(),  wall_scene(),  spin_scene()};
}

}  // namespace uptack::peers

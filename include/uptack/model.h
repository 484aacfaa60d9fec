// What does not change while a simulation runs: bodies, shapes, materials, joints, forces.
//
// Written by: scene, users of the API (through add_body and its like).  Read by: collision, assembly,
// integrator, simulation, recording.  It knows nothing of time steps and solvers.
//
// A body's frame is at its centre of mass, with the axes of the frame it was defined in: whoever defines a
// body may use any origin, add_body() moves shapes, poses and joints' frames there and keeps the offset.

#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "uptack/expression.h"
#include "uptack/math.h"
#include "uptack/problem.h"

namespace uptack {

// ---- shapes -----------------------------------------------------------------------------------------------

struct Sphere {
    double radius = 0.5;  ///< [m]
};
/// Everything below the plane z = 0 of the shape's frame.  Only on fixed and kinematic bodies.
struct HalfSpace {};
struct Box {
    Vec3 half_size{0.5, 0.5, 0.5};  ///< [m]
};
/// Around the z axis, from -half_length to half_length, caps beyond.
struct Capsule {
    double radius = 0.25;      ///< [m]
    double half_length = 0.5;  ///< [m]
};
/// Around the z axis, from -half_length to half_length.
struct Cylinder {
    double radius = 0.5;       ///< [m]
    double half_length = 0.5;  ///< [m]
};
/// Around the z axis: base of `radius` at -half_length, apex at half_length.
struct Cone {
    double radius = 0.5;       ///< [m]
    double half_length = 0.5;  ///< [m]
};

/// A convex polyhedron: corners, and outward faces as loops of corners, counter-clockwise seen from outside.
struct Polyhedron {
    std::vector<Vec3> vertices{};           ///< [m]
    std::vector<std::vector<int>> faces{};  ///< coplanar triangles are merged
};
/// The convex hull of points; shared, because many bodies may have the same.
struct Hull {
    std::shared_ptr<const Polyhedron> polyhedron{};
};

struct TriangleSoup {
    std::vector<Vec3> vertices{};                 ///< [m]
    std::vector<std::array<int, 3>> triangles{};  ///< counter-clockwise seen from the solid's outside
};
/// Only on fixed and kinematic bodies.  One-sided: its normals point away from the solid.
struct TriangleMesh {
    std::shared_ptr<const TriangleSoup> soup{};
};

struct HeightGrid {
    int columns = 0;                ///< samples along x, at least 2
    int rows = 0;                   ///< samples along y, at least 2
    double spacing_x = 1.0;         ///< [m]
    double spacing_y = 1.0;         ///< [m]
    std::vector<double> heights{};  ///< z [m], row by row; sample (0, 0) at the origin of the shape's frame
};
/// Only on fixed and kinematic bodies.
struct HeightField {
    std::shared_ptr<const HeightGrid> grid{};
};

using Geometry =
    std::variant<Sphere, HalfSpace, Box, Capsule, Cylinder, Cone, Hull, TriangleMesh, HeightField>;

/// The convex hull of up to 4096 points (Qhull).  Coordinates count as good to 1e-7 of the size: faces flat
/// to that are one polygon, and points may lie outside by a few times as much.  Throws InputError where they
/// do not span a volume, LimitError for more points.
Hull make_hull(std::span<const Vec3> points, const std::string& where = "hull");

inline constexpr std::uint32_t every_group = 0xffffffffU;

/// A shape as it stands on its body.  Several shapes on one body are a compound.
struct Shape {
    std::string name{};  ///< may be empty
    Geometry geometry{};
    Pose pose{};       ///< in the body's frame
    int material = 0;  ///< index into Model::materials
    /// Two shapes touch if each one's groups and the other's mask have a bit in common.
    std::uint32_t groups = 1;
    std::uint32_t mask = every_group;
    std::string color{};  ///< "#rrggbb" for pictures; empty: by material
    int body = -1;        ///< set by add_body()
};

// ---- materials --------------------------------------------------------------------------------------------

/// Of one surface.  What holds between two is combine(), unless the pair has an entry of its own.
struct Material {
    std::string name = "default";
    double density = 1000.0;         ///< [kg/m^3]
    double friction = 0.5;           ///< mu, static = kinetic [-]; a pair has the geometric mean
    double restitution = 0.0;        ///< [-], 0 to 1; a pair has the larger
    double rolling_friction = 0.0;   ///< [m]; a pair has the sum
    double spinning_friction = 0.0;  ///< [m]; a pair has the sum
    double compliance = 0.0;         ///< [m/N] of one contact point; a pair has the sum
    double adhesion = 0.0;      ///< force that one contact point can pull with [N]; a pair has the smaller
    Vec3 surface_velocity_b{};  ///< of the surface against its body, as on a belt [m/s]
    std::string color{};        ///< "#rrggbb" for pictures; empty: chosen
};

/// Holds between materials a and b in place of combine(): friction ... adhesion of `values`.
struct MaterialPair {
    int a = 0;
    int b = 0;
    Material values{};
};

// ---- bodies -----------------------------------------------------------------------------------------------

enum class BodyKind : std::uint8_t {
    dynamic,    ///< moved by forces
    kinematic,  ///< moves as prescribed, whatever pushes it
    fixed,      ///< never moves
};

/// Where a kinematic body is at time t:  x = offset(t) + center + turn(angle(t) about axis) (x_0 - center),
/// in the world frame.
struct Motion {
    std::array<Expression, 3> offset{};  ///< [m], functions of t
    Vec3 axis{0.0, 0.0, 1.0};            ///< made a unit vector by add_body()
    Vec3 center{};                       ///< a point of the axis at t = 0 [m]
    Expression angle{};                  ///< [rad], function of t
};

struct MassProperties {
    double mass = 0.0;      ///< [kg]
    Vec3 center_of_mass{};  ///< in the defining frame [m]
    Symmetric3 inertia{};   ///< about the centre of mass, along the defining frame's axes [kg m^2]
};

struct RigidBody {
    std::string name{};
    BodyKind kind = BodyKind::dynamic;
    MassProperties
        mass{};  ///< zero unless dynamic; `center_of_mass` is where the defining origin's frame has it
    Pose initial_pose{};           ///< of the centre of mass
    Vec6 initial_velocity{};       ///< of the centre of mass [m/s, rad/s], world
    Motion motion{};               ///< kinematic bodies only
    double linear_damping = 0.0;   ///< force -m c v: c [1/s]
    double angular_damping = 0.0;  ///< torque -I c omega: c [1/s]
    bool can_sleep = true;
};

/// How a user says it.  Positions are of the body's origin, which need not be its centre of mass.
struct BodyDefinition {
    std::string name{};  ///< empty: "body N"
    BodyKind kind = BodyKind::dynamic;
    Pose pose{};              ///< of the origin
    Vec3 velocity{};          ///< of the centre of mass [m/s]
    Vec3 angular_velocity{};  ///< [rad/s]
    std::vector<Shape> shapes{};
    std::optional<MassProperties> mass{};  ///< else from shapes and densities
    std::optional<double> total_mass{};    ///< [kg]: scales what the densities gave
    Motion motion{};
    double linear_damping = 0.0;
    double angular_damping = 0.0;
};

// ---- joints -----------------------------------------------------------------------------------------------

/// A joint has a frame on each body; coordinates tell how b's frame sits in a's.
///
///     kind           holds                                     leaves free
///     free           nothing (springs, ropes, actuators)       all
///     fixed          all                                       -
///     revolute       x y z, tilt                               angle (about z)
///     prismatic      x y, all rotation                         z
///     cylindrical    x y, tilt                                 z, angle
///     screw          x y, tilt, z = lead angle / 2 pi          angle
///     spherical      x y z                                     rotation: swing, angle
///     universal      x y z, x_a perpendicular to y_b           angle_x (about x_a), angle_y (about y_b)
///     planar         z, tilt                                   x, y, angle
///     point_on_line  x y                                       z, rotation
///     distance       |p_b - p_a| = length                      the rest
///     gear           r_a, r_b roll on each other at the pitch point; axes are z_a and z_b, parallel
///     rack_pinion    r_a rolls along b's x axis
///     pulley         |p_a - A| + ratio |p_b - B| <= length, A and B fixed in the world (a rope: it can hang)
enum class JointKind : std::uint8_t {
    free,
    fixed,
    revolute,
    prismatic,
    cylindrical,
    screw,
    spherical,
    universal,
    planar,
    point_on_line,
    distance,
    gear,
    rack_pinion,
    pulley,
};

enum class Coordinate : std::uint8_t { x, y, z, angle, angle_x, angle_y, swing, distance };

enum class MotorKind : std::uint8_t { none, position, velocity, force };

/// What acts along one free coordinate q [m or rad]; forces in [N or N m], positive along q.
struct JointAxis {
    Coordinate coordinate = Coordinate::angle;
    double lower = -infinity;
    double upper = infinity;
    double limit_restitution = 0.0;  ///< [-]
    MotorKind motor = MotorKind::none;
    Expression target{};          ///< position q(t), velocity or force, as the motor's kind says
    double max_force = infinity;  ///< of a position or velocity motor
    double stiffness = 0.0;       ///< [N/m or N m/rad]
    double damping = 0.0;         ///< [N s/m or N m s/rad]
    double rest = 0.0;            ///< q where the spring is at ease
    double friction = 0.0;        ///< dry friction [N or N m]
};

struct Joint {
    std::string name{};
    JointKind kind = JointKind::revolute;
    int body_a = no_body;  ///< index into Model::bodies, or the world
    int body_b = no_body;
    Pose frame_a{};  ///< in a's frame (centre of mass), or in the world
    Pose frame_b{};
    std::vector<JointAxis> axes{};
    double compliance = 0.0;  ///< of the held coordinates [m/N or rad/(N m)]
    double length = 0.0;      ///< distance, pulley [m]
    double lead = 0.0;        ///< screw: advance in one turn [m]
    double radius_a = 0.0;    ///< gear, rack_pinion [m]
    double radius_b = 0.0;    ///< gear [m]; negative: a ring with inner teeth
    Vec3 anchor_a_w{};        ///< pulley: A
    Vec3 anchor_b_w{};        ///< pulley: B
    double ratio = 1.0;       ///< pulley
    bool bodies_collide = false;
};

/// How a user says it: frames in the world, where the bodies stand at the start.
struct JointDefinition {
    std::string name{};  ///< empty: "joint N"
    JointKind kind = JointKind::revolute;
    int body_a = no_body;
    int body_b = no_body;
    Pose frame{};                   ///< of both sides, in the world
    std::optional<Pose> frame_b{};  ///< b's side where it differs
    std::vector<JointAxis> axes{};
    double compliance = 0.0;
    std::optional<double> length{};  ///< distance, pulley: else as it is at the start
    double lead = 0.0;
    double radius_a = 0.0;
    double radius_b = 0.0;
    Vec3 anchor_a_w{};
    Vec3 anchor_b_w{};
    double ratio = 1.0;
    bool bodies_collide = false;
};

// ---- the rest ---------------------------------------------------------------------------------------------

enum class ForceFrame : std::uint8_t { world, body };

struct AppliedForce {
    std::string name{};
    int body = -1;
    Vec3 point_b{};                        ///< where the force acts, in the body's frame (centre of mass)
    ForceFrame frame = ForceFrame::world;  ///< of the components
    std::array<Expression, 3> force{};     ///< [N], functions of t
    std::array<Expression, 3> torque{};    ///< [N m], functions of t
};

struct Model {
    std::string name{};
    Vec3 gravity{0.0, 0.0, -9.81};  ///< [m/s^2]
    std::vector<Material> materials{Material{}};
    std::vector<MaterialPair> material_pairs{};
    std::vector<RigidBody> bodies{};
    std::vector<Shape> shapes{};  ///< grouped by body, in the order of add_body()
    std::vector<Joint> joints{};
    std::vector<AppliedForce> forces{};
    std::vector<std::pair<int, int>> no_collision{};  ///< pairs of bodies that pass through each other
};

/// Each returns the index.  They throw InputError for what can never be right (NaN, negative sizes, an
/// inertia that no mass distribution has, a dynamic half-space, ...), naming the body or joint.
int add_material(Model& model, Material material);
int add_body(Model& model, BodyDefinition definition);
int add_joint(Model& model, JointDefinition definition);
int add_force(Model& model, AppliedForce force);

/// Names to indices; -1 where there is none.
int find_body(const Model& model, std::string_view name);
int find_joint(const Model& model, std::string_view name);

/// Every fault of a model as a whole up to `most`: two of one name, indices out of range, ...
std::vector<Fault> validate(const Model& model, std::size_t most = 20);

/// Mass, centre and inertia of solids with the materials' densities, in the defining frame.
MassProperties mass_properties(std::span<const Shape> shapes, std::span<const Material> materials);

/// What holds between two surfaces.
Material combine(const Model& model, int material_a, int material_b);

/// A pose of the body's origin as it was defined, from one of its centre of mass, and back.
Pose origin_pose(const RigidBody& body, const Pose& center_of_mass);
Pose center_pose(const RigidBody& body, const Pose& origin);

/// Where the centre of mass of a kinematic body (which is its origin) is at time t: offset(t) and the turn by
/// angle(t) about `center` applied to initial_pose, so the body starts at motion_pose(body, 0).  Of other
/// bodies: initial_pose.
Pose motion_pose(const RigidBody& body, double t);

/// Bodies and joints in the natural order of their names ("ball 2" before "ball 10"): whatever is computed in
/// this order does not depend on who was added first.
std::vector<int> body_order(const Model& model);
std::vector<int> joint_order(const Model& model);

std::string_view joint_kind_name(JointKind kind);
std::string_view coordinate_name(Coordinate coordinate);
std::string_view geometry_name(const Geometry& geometry);

}  // namespace uptack

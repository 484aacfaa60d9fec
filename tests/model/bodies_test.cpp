#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "support/tolerance.h"
#include "uptack/input_error.h"
#include "uptack/model.h"

namespace uptack::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
using std::numbers::pi;

void expect_near(const Vec3& a, const Vec3& b) {
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(a[k], b[k], tolerance(1e-14)) << k;
}

std::string complaint(const BodyDefinition& definition) {
    Model model;
    try {
        add_body(model, definition);
    } catch (const InputError& error) {
        EXPECT_TRUE(model.bodies.empty() && model.shapes.empty()) << "a refused body left something behind";
        return error.what();
    }
    return "";
}

bool says(const BodyDefinition& definition, const std::string& what) {
    const std::string message = complaint(definition);
    const bool good = message.find(what) != std::string::npos;
    if (!good) ADD_FAILURE() << message;
    return good;
}

BodyDefinition body_with(const Geometry& geometry) {
    return {.name = "lid", .shapes = {Shape{.geometry = geometry}}};
}

BodyDefinition body_of_mass(double mass, const Symmetric3& inertia) {
    return {.name = "lid", .mass = MassProperties{mass, {}, inertia}};
}

TEST(AddBody, TheFrameMovesToTheCentreOfMassAndNothingElseMoves) {
    // A cone stands with its base at z = 0 of a frame that is turned a quarter about x and moved.
    const Pose origin{{1.0, 2.0, 3.0}, turn({1.0, 0.0, 0.0}, pi / 2.0)};
    Model model;
    const int index =
        add_body(model, {.name = "cone",
                         .pose = origin,
                         .velocity = {1.0, 0.0, 0.0},
                         .angular_velocity = {0.0, 2.0, 0.0},
                         .shapes = {Shape{.geometry = Cone{0.5, 1.0}, .pose = {{0.0, 0.0, 1.0}, {}}}},
                         .linear_damping = 0.1,
                         .angular_damping = 0.2});
    const RigidBody& body = model.bodies[static_cast<std::size_t>(index)];
    expect_near(body.mass.center_of_mass, {0.0, 0.0, 0.5});
    expect_near(body.initial_pose.position, {1.0, 1.5, 3.0});  // z of the frame is -y of the world
    EXPECT_EQ(body.initial_pose.orientation, origin.orientation);
    expect_near(origin_pose(body, body.initial_pose).position, origin.position);
    expect_near(center_pose(body, origin).position, body.initial_pose.position);
    EXPECT_EQ(body.initial_velocity, (Vec6{1.0, 0.0, 0.0, 0.0, 2.0, 0.0}));
    EXPECT_EQ(body.linear_damping, 0.1);
    EXPECT_EQ(body.angular_damping, 0.2);
    ASSERT_EQ(model.shapes.size(), 1U);
    EXPECT_EQ(model.shapes[0].body, index);
    expect_near(transform(body.initial_pose, model.shapes[0].pose.position), {1.0, 1.0, 3.0});
}

TEST(AddBody, ATotalMassScalesTheInertiaWithIt) {
    Model model;
    BodyDefinition definition = body_with(Box{{0.5, 1.0, 1.5}});
    add_body(model, definition);
    definition.total_mass = 6.0;
    add_body(model, definition);
    EXPECT_DOUBLE_EQ(model.bodies[1].mass.mass, 6.0);
    for (std::size_t k = 0; k < 6; ++k) {
        EXPECT_DOUBLE_EQ(model.bodies[1].mass.inertia[k], model.bodies[0].mass.inertia[k] / 1000.0);
    }
}

TEST(AddBody, GivenMassPropertiesStandAgainstTheShapes) {
    Model model;
    BodyDefinition definition = body_with(Sphere{0.5});
    definition.mass = MassProperties{2.0, {0.1, 0.0, 0.0}, {1.0, 1.1, 1.2, 0.1, 0.0, 0.0}};
    add_body(model, definition);
    EXPECT_EQ(model.bodies[0].mass.mass, 2.0);
    EXPECT_EQ(model.bodies[0].mass.inertia, definition.mass->inertia);
    EXPECT_EQ(model.bodies[0].initial_pose.position, (Vec3{0.1, 0.0, 0.0}));
    EXPECT_EQ(model.shapes[0].pose.position, (Vec3{-0.1, 0.0, 0.0}));
}

TEST(AddBody, OnlyDynamicBodiesHaveAMass) {
    for (const BodyKind kind : {BodyKind::fixed, BodyKind::kinematic}) {
        Model model;
        BodyDefinition definition = body_with(Cone{});
        definition.kind = kind;
        definition.pose.position = {1.0, 2.0, 3.0};
        add_body(model, definition);
        EXPECT_EQ(model.bodies[0].mass.mass, 0.0);
        EXPECT_EQ(model.bodies[0].initial_pose.position, definition.pose.position);
        EXPECT_EQ(model.shapes[0].pose.position, Vec3{});
    }
}

TEST(AddBody, OrientationsAreMadeUnitAndUnitOnesKeepTheirBits) {
    Model model;
    BodyDefinition definition = body_with(Sphere{});
    definition.pose.orientation = {2.0, 0.0, 0.0, 2.0};
    definition.shapes[0].pose.orientation = {0.0, 3.0, 0.0, 0.0};
    add_body(model, definition);
    EXPECT_DOUBLE_EQ(model.bodies[0].initial_pose.orientation.z, std::sqrt(0.5));
    EXPECT_EQ(model.shapes[0].pose.orientation.x, 1.0);
    for (int i = 0; i < 200; ++i) {
        definition.pose.orientation = exponential({0.1 * i, 0.3, -0.05 * i});
        add_body(model, definition);
        EXPECT_EQ(model.bodies.back().initial_pose.orientation, definition.pose.orientation);
    }
}

TEST(AddBody, SizesThatAreNotPositiveAreRefusedWithBodyAndShape) {
    for (const double bad : {0.0, -1.0, nan, infinity}) {
        EXPECT_TRUE(says(body_with(Sphere{bad}), "body 'lid', shape 0 (sphere): radius is "));
        EXPECT_TRUE(says(body_with(Box{{1.0, bad, 1.0}}), "(box): half_size y is "));
        EXPECT_TRUE(says(body_with(Box{{bad, 1.0, 1.0}}), "(box): half_size x is "));
        EXPECT_TRUE(says(body_with(Box{{1.0, 1.0, bad}}), "(box): half_size z is "));
        EXPECT_TRUE(says(body_with(Capsule{bad, 1.0}), "(capsule): radius is "));
        EXPECT_TRUE(says(body_with(Capsule{1.0, bad}), "(capsule): half_length is "));
        EXPECT_TRUE(says(body_with(Cylinder{bad, 1.0}), "(cylinder): radius is "));
        EXPECT_TRUE(says(body_with(Cylinder{1.0, bad}), "(cylinder): half_length is "));
        EXPECT_TRUE(says(body_with(Cone{bad, 1.0}), "(cone): radius is "));
        EXPECT_TRUE(says(body_with(Cone{1.0, bad}), "m; give a size > 0"));
    }
    BodyDefinition second = body_with(Sphere{});
    second.shapes.push_back({.name = "handle", .geometry = Sphere{-2.0}});
    EXPECT_TRUE(says(second, "body 'lid', shape 1 (sphere 'handle'): radius is -2 m; give a size > 0"));
}

TEST(AddBody, SurfacesAreRefusedOnDynamicBodiesOnly) {
    const auto soup =
        std::make_shared<TriangleSoup>(TriangleSoup{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}});
    const auto grid = std::make_shared<HeightGrid>(HeightGrid{2, 2, 1.0, 1.0, {0, 0, 0, 0}});
    for (const Geometry& geometry :
         {Geometry{HalfSpace{}}, Geometry{TriangleMesh{soup}}, Geometry{HeightField{grid}}}) {
        EXPECT_TRUE(says(body_with(geometry),
                         "is only a surface and cannot be on a dynamic body; make the body "
                         "fixed or kinematic, or use hulls"));
        BodyDefinition ground = body_with(geometry);
        ground.kind = BodyKind::fixed;
        EXPECT_EQ(complaint(ground), "");
    }
}

TEST(AddBody, BrokenHullsMeshesAndHeightFieldsAreRefused) {
    const auto ground = [](const Geometry& geometry) {
        BodyDefinition definition = body_with(geometry);
        definition.kind = BodyKind::fixed;
        return definition;
    };
    EXPECT_TRUE(says(ground(Hull{}), "fewer than 4 corners or faces; make it with make_hull()"));
    const std::array<Vec3, 4> tetrahedron{Vec3{0, 0, 0}, Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}};
    Polyhedron solid = *make_hull(tetrahedron).polyhedron;
    solid.faces[2][1] = 4;
    EXPECT_TRUE(says(ground(Hull{std::make_shared<Polyhedron>(solid)}), "corners that are not there"));
    solid.vertices[1][1] = nan;
    EXPECT_TRUE(
        says(ground(Hull{std::make_shared<Polyhedron>(solid)}), "a corner of the hull is not finite"));

    EXPECT_TRUE(says(ground(TriangleMesh{}), "the mesh has no triangles"));
    TriangleSoup soup{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}, {0, 1, 3}}};
    EXPECT_TRUE(says(ground(TriangleMesh{std::make_shared<TriangleSoup>(soup)}),
                     "triangle 1 of the mesh is (0, 1, 3); give three different vertices from 0 to 2"));
    soup.triangles[1] = {2, 1, 2};
    EXPECT_TRUE(says(ground(TriangleMesh{std::make_shared<TriangleSoup>(soup)}), "triangle 1 of the mesh"));
    soup.vertices[2][0] = nan;
    EXPECT_TRUE(says(ground(TriangleMesh{std::make_shared<TriangleSoup>(soup)}), "vertex 2 of the mesh"));

    HeightGrid grid{3, 2, 1.0, 1.0, {0, 0, 0, 0, 0}};
    EXPECT_TRUE(
        says(ground(HeightField{std::make_shared<HeightGrid>(grid)}), "has 5 heights; give 3 x 2 = 6"));
    grid.heights.push_back(nan);
    EXPECT_TRUE(says(ground(HeightField{std::make_shared<HeightGrid>(grid)}), "a height is not finite"));
    grid.spacing_y = 0.0;
    EXPECT_TRUE(says(ground(HeightField{std::make_shared<HeightGrid>(grid)}), "spacing_y is 0 m"));
    grid.rows = 1;
    EXPECT_TRUE(
        says(ground(HeightField{std::make_shared<HeightGrid>(grid)}), "fewer than 2 columns or rows"));
}

TEST(AddBody, MassesThatNoBodyHasAreRefusedWithTheReason) {
    EXPECT_TRUE(says(body_of_mass(0.0, {1, 1, 1, 0, 0, 0}), "body 'lid': mass is 0 kg; give a mass > 0"));
    EXPECT_TRUE(says(body_of_mass(-1.0, {1, 1, 1, 0, 0, 0}), "mass is -1 kg"));
    EXPECT_TRUE(says(body_of_mass(nan, {1, 1, 1, 0, 0, 0}), "mass is nan kg"));
    EXPECT_TRUE(says(body_of_mass(1.0, {1, 1, nan, 0, 0, 0}), "inertia is not finite"));
    EXPECT_TRUE(says(body_of_mass(1.0, {1, 1, -1, 0, 0, 0}), "inertia is not positive definite"));
    EXPECT_TRUE(says(body_of_mass(1.0, {1, 1, 0, 0, 0, 0}), "that of a thin rod about itself too"));
    EXPECT_TRUE(
        says(body_of_mass(1.0, {1, 1, 1, 1.5, 0, 0}), "principal moments are -0.5, 1 and 2.5 kg m^2"));
    EXPECT_TRUE(
        says(body_of_mass(1.0, {1, 1, 2.1, 0, 0, 0}),
             "of the principal moments 1, 1 and 2.1 kg m^2 the largest is more than the sum of the others"));
    EXPECT_EQ(complaint(body_of_mass(1.0, {1, 1, 2, 0, 0, 0})), "") << "a plate without thickness";
    EXPECT_EQ(complaint(body_of_mass(1.0, {1, 1, 2.0 + 1e-10, 0, 0, 0})), "") << "rounded";
    EXPECT_TRUE(says(body_of_mass(1.0, {1, 1, 2.0 + 1e-7, 0, 0, 0}), "no body has this inertia"));
    BodyDefinition off = body_of_mass(1.0, {1, 1, 1, 0, 0, 0});
    off.mass->center_of_mass[1] = infinity;
    EXPECT_TRUE(says(off, "centre of mass is not finite"));
}

TEST(AddBody, AnInertiaIsJudgedByItsPrincipalMomentsHoweverItLies) {
    const Mat3 turned = matrix(exponential({0.7, -0.4, 1.9}));
    EXPECT_EQ(complaint(body_of_mass(1.0, rotate(turned, {1.0, 2.0, 2.99, 0, 0, 0}))), "");
    EXPECT_TRUE(says(body_of_mass(1.0, rotate(turned, {1.0, 2.0, 3.01, 0, 0, 0})),
                     "principal moments 1, 2 and 3.01 kg m^2"));
    EXPECT_TRUE(says(body_of_mass(1.0, rotate(turned, {1.0, 2.0, -0.01, 0, 0, 0})),
                     "principal moments are -0.01, 1 and 2 kg m^2"));
}

TEST(AddBody, BodiesWithoutMassAreRefusedWithARemedy) {
    EXPECT_TRUE(says({.name = "lid"},
                     "neither shapes nor mass; give it a shape or mass properties, or make it fixed"));
    EXPECT_EQ(complaint({.name = "lid", .kind = BodyKind::fixed}), "");
    BodyDefinition definition = body_with(Sphere{});
    definition.total_mass = 0.0;
    EXPECT_TRUE(says(definition, "total mass is 0 kg; give one > 0"));
    definition.total_mass = 1.0;
    definition.mass = MassProperties{1.0, {}, {1, 1, 1, 0, 0, 0}};
    EXPECT_TRUE(says(definition, "both mass properties and a total mass"));
    Model model;
    model.materials[0].density = 0.0;
    EXPECT_THROW(add_body(model, body_with(Sphere{})), InputError);
}

TEST(AddBody, OtherNumbersThatCannotBeRightAreRefused) {
    BodyDefinition d = body_with(Sphere{});
    d.pose.position[1] = nan;
    EXPECT_TRUE(says(d, "body 'lid': pose is not finite"));
    d = body_with(Sphere{});
    d.pose.orientation = {0.0, 0.0, 0.0, 0.0};
    EXPECT_TRUE(says(d, "without direction; give a quaternion of length 1"));
    d = body_with(Sphere{});
    d.shapes[0].pose.orientation.x = nan;
    EXPECT_TRUE(says(d, "body 'lid', shape 0 (sphere): pose is not finite"));
    d = body_with(Sphere{});
    d.shapes[0].material = 1;
    EXPECT_TRUE(says(d, "material 1 is not there; the model has 1"));
    d = body_with(Sphere{});
    d.shapes[0].color = "red";
    EXPECT_TRUE(says(d, "color is 'red'; write it as #rrggbb"));
    d = body_with(Sphere{});
    d.velocity[0] = nan;
    EXPECT_TRUE(says(d, "velocity is not finite"));
    d = body_with(Sphere{});
    d.angular_velocity[2] = infinity;
    EXPECT_TRUE(says(d, "velocity is not finite"));
    d = body_with(Sphere{});
    d.linear_damping = -1.0;
    EXPECT_TRUE(says(d, "damping is -1 and 0 1/s"));
    d = body_with(Sphere{});
    d.angular_damping = nan;
    EXPECT_TRUE(says(d, "damping is 0 and nan 1/s"));
}

TEST(AddBody, MotionsAndVelocitiesMustFitTheKind) {
    BodyDefinition d = body_with(Sphere{});
    d.motion.angle = "t";
    EXPECT_TRUE(says(d, "has a motion but is not kinematic"));
    d.kind = BodyKind::kinematic;
    EXPECT_EQ(complaint(d), "");
    d.motion.axis = {};
    EXPECT_TRUE(says(d, "the axis of its motion is (0, 0, 0) and has no direction"));
    d.motion.axis = {0, 0, nan};
    EXPECT_TRUE(says(d, "has no direction"));
    d.motion = {.center = {0, nan, 0}};
    EXPECT_TRUE(says(d, "the centre of its motion is not finite"));
    d.motion = {.offset = {0.0, "log(t)", 0.0}};
    EXPECT_TRUE(says(d, "its motion is not finite at t = 0"));
    d = body_with(Sphere{});
    d.velocity = {0, 0, 1};
    d.kind = BodyKind::fixed;
    EXPECT_TRUE(says(d, "is fixed but has a velocity"));
    d.kind = BodyKind::kinematic;
    EXPECT_TRUE(says(d, "is kinematic but has a velocity; say it as a motion"));
}

TEST(Motion, ATurnAboutACentreThenAnOffset) {
    // A quarter turn about the line x = 1, y = 0 takes (2, 0, 5) to (1, 1, 5).
    Model model;
    const Quaternion start = turn({1.0, 0.0, 0.0}, 0.3);
    add_body(model, {.name = "arm",
                     .kind = BodyKind::kinematic,
                     .pose = {{2.0, 0.0, 5.0}, start},
                     .shapes = {Shape{.geometry = Cone{}}},
                     .motion = {.offset = {"t", "2 * t", "-t"},
                                .axis = {0.0, 0.0, 4.0},
                                .center = {1.0, 0.0, 0.0},
                                .angle = "pi / 2 * t + 0"}});
    const RigidBody& body = model.bodies[0];
    EXPECT_EQ(body.motion.axis, (Vec3{0.0, 0.0, 1.0}));
    expect_near(motion_pose(body, 0.0).position, {2.0, 0.0, 5.0});
    const Pose at = motion_pose(body, 1.0);
    expect_near(at.position, {1.0 + 1.0, 1.0 + 2.0, 5.0 - 1.0});
    // The body's y axis first tilts by 0.3 about x, then turns with the quarter.
    expect_near(rotate(at.orientation, {0.0, 1.0, 0.0}), {-std::cos(0.3), 0.0, std::sin(0.3)});
}

TEST(Motion, OtherBodiesStayWhereTheyWere) {
    Model model;
    BodyDefinition definition = body_with(Sphere{});
    definition.pose = {{1.0, 2.0, 3.0}, turn({0.0, 1.0, 0.0}, 0.4)};
    add_body(model, definition);
    EXPECT_EQ(motion_pose(model.bodies[0], 2.0), model.bodies[0].initial_pose);
}

TEST(AddForce, BodiesMustBeThereAndMovable) {
    Model model;
    add_body(model, body_with(Sphere{}));
    add_body(model, {.name = "floor", .kind = BodyKind::fixed, .shapes = {Shape{.geometry = HalfSpace{}}}});
    const auto message = [&model](const AppliedForce& force) -> std::string {
        try {
            add_force(model, force);
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(message({.name = "push", .body = 2}), "force 'push': body 2 is not there; the model has 2");
    EXPECT_EQ(message({.name = "push", .body = -1}), "force 'push': body -1 is not there; the model has 2");
    EXPECT_EQ(message({.name = "push", .body = 1}),
              "force 'push': acts on body 'floor', which no force moves; make the body dynamic");
    EXPECT_EQ(message({.name = "push", .body = 0, .point_b = {nan, 0, 0}}),
              "force 'push': its point is not finite; give numbers");
    EXPECT_NE(message({.name = "push", .body = 0, .force = {0.0, "1/t", 0.0}}).find("not finite at t = 0"),
              std::string::npos);
    EXPECT_NE(message({.name = "push", .body = 0, .torque = {0.0, 0.0, nan}}).find("not finite at t = 0"),
              std::string::npos);
    EXPECT_EQ(message({.name = "push", .body = 0, .force = {0.0, "sin(t)", 2.0}}), "");
    EXPECT_EQ(model.forces.size(), 1U);
}

}  // namespace
}  // namespace uptack::test

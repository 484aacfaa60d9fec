#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>

#include "support/tolerance.h"
#include "uptack/input_error.h"
#include "uptack/model.h"

namespace uptack::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

void expect_near(const Vec3& a, const Vec3& b) {
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(a[k], b[k], tolerance(1e-14)) << k;
}

/// A cone whose centre of mass is not its origin, a crank that has turned already at t = 0, and the floor.
Model workshop() {
    Model model;
    add_body(model, {.name = "cone",
                     .pose = {{1.0, 2.0, 3.0}, exponential({0.3, 0.2, -0.5})},
                     .shapes = {Shape{.geometry = Cone{0.5, 1.0}}}});
    add_body(model, {.name = "crank",
                     .kind = BodyKind::kinematic,
                     .pose = {{0.0, 1.0, 0.0}, {}},
                     .shapes = {Shape{.geometry = Sphere{}}},
                     .motion = {.offset = {1.0, 0.0, 0.0}, .angle = "1 + t"}});
    add_body(model, {.name = "floor", .kind = BodyKind::fixed});
    return model;
}

std::string complaint(const JointDefinition& definition) {
    Model model = workshop();
    try {
        add_joint(model, definition);
    } catch (const InputError& error) {
        EXPECT_TRUE(model.joints.empty());
        return error.what();
    }
    return "";
}

bool says(const JointDefinition& definition, const std::string& what) {
    const std::string message = complaint(definition);
    const bool good = message.starts_with("joint 'j'") && message.find(what) != std::string::npos;
    if (!good) ADD_FAILURE() << message;
    return good;
}

JointDefinition hinge(JointAxis axis = {}) {
    return {.name = "j", .kind = JointKind::revolute, .body_a = 0, .body_b = 1, .axes = {std::move(axis)}};
}

/// One that is right, of any kind.
JointDefinition sound(JointKind kind) {
    return {.name = "j",
            .kind = kind,
            .body_a = 0,
            .body_b = 1,
            .frame_b = Pose{{0.0, 0.0, 2.0}, {}},
            .lead = 0.01,
            .radius_a = 0.1,
            .radius_b = 0.2,
            .anchor_a_w = {0.0, 0.0, 5.0},
            .anchor_b_w = {1.0, 0.0, 5.0}};
}

TEST(AddJoint, FramesMeetInTheWorldWhereTheBodiesStart) {
    Model model = workshop();
    const Pose frame{{0.5, -1.0, 2.0}, exponential({-0.2, 0.9, 0.1})};
    for (const auto& [a, b] :
         std::vector<std::pair<int, int>>{{0, 1}, {1, 0}, {no_body, 0}, {0, no_body}, {0, 2}}) {
        const int index = add_joint(model, {.body_a = a, .body_b = b, .frame = frame});
        const Joint& joint = model.joints[static_cast<std::size_t>(index)];
        const auto place = [&model](int body, const Pose& frame_b) {
            return body == no_body ? frame_b
                                   : motion_pose(model.bodies[static_cast<std::size_t>(body)], 0.0) * frame_b;
        };
        for (const Vec3& point : {Vec3{0, 0, 0}, Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}) {
            expect_near(transform(place(a, joint.frame_a), point), transform(frame, point));
            expect_near(transform(place(b, joint.frame_b), point), transform(frame, point));
        }
    }
}

TEST(AddJoint, TheSecondFrameMayDiffer) {
    Model model = workshop();
    const Pose other{{4.0, 0.0, 0.0}, exponential({0.0, 0.0, 1.0})};
    add_joint(model, {.kind = JointKind::free,
                      .body_a = 0,
                      .body_b = no_body,
                      .frame = {{1, 1, 1}, {}},
                      .frame_b = other});
    EXPECT_EQ(model.joints[0].frame_b, other);
    expect_near(transform(model.bodies[0].initial_pose, model.joints[0].frame_a.position), {1, 1, 1});
}

TEST(AddJoint, LengthsDefaultToWhatTheyAreAtTheStart) {
    Model model = workshop();
    add_joint(model, {.kind = JointKind::distance,
                      .body_a = 0,
                      .body_b = 1,
                      .frame = {{0, 0, 0}, {}},
                      .frame_b = Pose{{3, 4, 0}, {}}});
    EXPECT_DOUBLE_EQ(model.joints[0].length, 5.0);
    add_joint(model, {.kind = JointKind::pulley,
                      .body_a = 0,
                      .body_b = 1,
                      .frame = {{0, 0, 0}, {}},
                      .frame_b = Pose{{1, 0, 1}, {}},
                      .anchor_a_w = {0, 0, 3},
                      .anchor_b_w = {1, 0, 3},
                      .ratio = 2.0});
    EXPECT_DOUBLE_EQ(model.joints[1].length, 3.0 + 2.0 * 2.0);
    add_joint(model, {.kind = JointKind::distance,
                      .body_a = 0,
                      .body_b = 1,
                      .frame_b = Pose{{3, 4, 0}, {}},
                      .length = 7.0});
    EXPECT_EQ(model.joints[2].length, 7.0);
}

TEST(AddJoint, BodiesMustBeThereDifferAndMove) {
    EXPECT_TRUE(says({.name = "j", .body_a = 0, .body_b = 3},
                     "body 3 is not there; the model has 3, and -1 is the world"));
    EXPECT_TRUE(says({.name = "j", .body_a = -2, .body_b = 0}, "body -2 is not there"));
    EXPECT_TRUE(says({.name = "j", .body_a = 0, .body_b = 0}, "joins body 'cone' to itself"));
    EXPECT_TRUE(says({.name = "j"}, "joins the world to itself"));
    EXPECT_TRUE(says({.name = "j", .body_a = 2, .body_b = no_body},
                     "neither of its bodies can move; make one dynamic"));
    EXPECT_EQ(complaint({.name = "j", .body_a = 1, .body_b = no_body}), "");
}

TEST(AddJoint, EachKindHasItsOwnFreeCoordinates) {
    using enum Coordinate;
    const std::map<JointKind, std::set<Coordinate>> free{
        {JointKind::free, {x, y, z, angle, swing, distance}},
        {JointKind::fixed, {}},
        {JointKind::revolute, {angle}},
        {JointKind::prismatic, {z}},
        {JointKind::cylindrical, {z, angle}},
        {JointKind::screw, {angle}},
        {JointKind::spherical, {swing, angle}},
        {JointKind::universal, {angle_x, angle_y}},
        {JointKind::planar, {x, y, angle}},
        {JointKind::point_on_line, {z, swing, angle}},
        {JointKind::distance, {}},
        {JointKind::gear, {}},
        {JointKind::rack_pinion, {}},
        {JointKind::pulley, {}},
    };
    ASSERT_EQ(free.size(), 14U);
    for (const auto& [kind, coordinates] : free) {
        EXPECT_EQ(complaint(sound(kind)), "") << joint_kind_name(kind);
        for (const Coordinate c : {x, y, z, angle, angle_x, angle_y, swing, distance}) {
            JointDefinition definition = sound(kind);
            definition.axes = {JointAxis{.coordinate = c}};
            EXPECT_EQ(complaint(definition).empty(), coordinates.count(c) == 1)
                << joint_kind_name(kind) << " " << coordinate_name(c);
        }
    }
    EXPECT_TRUE(
        says(hinge({.coordinate = z}), "coordinate z is not free in a revolute joint; choose from angle"));
    JointDefinition stiff = sound(JointKind::fixed);
    stiff.axes = {JointAxis{}};
    EXPECT_TRUE(says(stiff, "it has no axes; use a second joint of kind free"));
    JointDefinition twice = hinge();
    twice.axes.push_back({});
    EXPECT_TRUE(says(twice, "has two axes for coordinate angle; put them into one"));
}

TEST(AddJoint, NumbersOfAnAxisMustMakeSense) {
    EXPECT_TRUE(says(hinge({.lower = 1.0, .upper = 0.5}),
                     "joint 'j', axis angle: limits are 1 to 0.5; give lower <= upper"));
    EXPECT_TRUE(says(hinge({.lower = nan}), "limits are nan to inf"));
    EXPECT_TRUE(says(hinge({.upper = nan}), "limits are -inf to nan"));
    EXPECT_TRUE(says(hinge({.lower = infinity}), "limits are"));
    EXPECT_TRUE(says(hinge({.upper = -infinity}), "limits are"));
    EXPECT_TRUE(says(hinge({.limit_restitution = 1.5}), "limit restitution is 1.5"));
    EXPECT_TRUE(says(hinge({.limit_restitution = -0.5}), "limit restitution is -0.5"));
    EXPECT_TRUE(says(hinge({.target = "t"}), "has a target but no motor"));
    EXPECT_TRUE(
        says(hinge({.motor = MotorKind::velocity, .target = "1 / t"}), "target is not finite at t = 0"));
    EXPECT_TRUE(says(hinge({.motor = MotorKind::velocity, .max_force = -1.0}), "max_force is -1"));
    EXPECT_TRUE(says(hinge({.motor = MotorKind::velocity, .max_force = nan}), "max_force is nan"));
    EXPECT_TRUE(says(hinge({.stiffness = -1.0}), "stiffness is -1"));
    EXPECT_TRUE(says(hinge({.stiffness = infinity}), "stiffness is inf"));
    EXPECT_TRUE(says(hinge({.damping = -1.0}), "damping is -1"));
    EXPECT_TRUE(says(hinge({.rest = nan}), "rest is nan"));
    EXPECT_TRUE(says(hinge({.friction = -0.1}), "friction is -0.1"));
    EXPECT_EQ(
        complaint(hinge({.lower = 0.0, .upper = 0.0, .motor = MotorKind::position, .target = "sin(t)"})), "");
    JointDefinition ball = sound(JointKind::spherical);
    ball.axes = {JointAxis{.coordinate = Coordinate::swing, .upper = -0.1}};
    EXPECT_TRUE(says(ball, "a swing is never negative"));
}

TEST(AddJoint, LengthsRadiiAndLeadsMustMakeSense) {
    const auto changed = [](JointKind kind, const std::function<void(JointDefinition&)>& change) {
        JointDefinition definition = sound(kind);
        change(definition);
        return definition;
    };
    using D = JointDefinition;
    EXPECT_TRUE(says(changed(JointKind::screw, [](D& d) { d.lead = 0.0; }), "lead is 0 m"));
    EXPECT_TRUE(says(changed(JointKind::screw, [](D& d) { d.lead = nan; }), "lead is nan m"));
    EXPECT_EQ(complaint(changed(JointKind::screw, [](D& d) { d.lead = -0.01; })), "") << "a left-hand thread";
    EXPECT_TRUE(says(changed(JointKind::gear, [](D& d) { d.radius_a = 0.0; }), "radius_a is 0 m"));
    EXPECT_TRUE(says(changed(JointKind::gear, [](D& d) { d.radius_b = 0.0; }), "radius_b is 0 m"));
    EXPECT_EQ(complaint(changed(JointKind::gear, [](D& d) { d.radius_b = -0.3; })), "") << "a ring";
    EXPECT_TRUE(says(changed(JointKind::gear,
                             [](D& d) {
                                 d.frame_b->orientation = turn({1, 0, 0}, 0.01);
                             }),
                     "are not parallel"));
    EXPECT_EQ(complaint(changed(JointKind::gear,
                                [](D& d) {
                                    d.frame_b->orientation = turn({1, 0, 0}, 3.14159265358979);
                                })),
              "");
    EXPECT_TRUE(says(changed(JointKind::rack_pinion, [](D& d) { d.radius_a = -0.1; }), "radius_a is -0.1 m"));
    EXPECT_TRUE(says(changed(JointKind::distance, [](D& d) { d.length = 0.0; }), "length is 0 m"));
    EXPECT_TRUE(says(changed(JointKind::distance, [](D& d) { d.length = nan; }), "length is nan m"));
    EXPECT_TRUE(says(changed(JointKind::distance, [](D& d) { d.frame_b.reset(); }),
                     "two frames apart from each other"));
    EXPECT_TRUE(says(changed(JointKind::distance, [](D& d) { d.frame_b.reset(), d.length = 1.0; }),
                     "have no direction"));
    EXPECT_TRUE(says(changed(JointKind::pulley, [](D& d) { d.length = -1.0; }), "length is -1 m"));
    EXPECT_TRUE(says(changed(JointKind::pulley, [](D& d) { d.ratio = 0.0; }), "ratio is 0"));
    EXPECT_TRUE(says(changed(JointKind::pulley, [](D& d) { d.anchor_a_w = {}; }), "an end is at its anchor"));
    EXPECT_TRUE(says(changed(JointKind::pulley,
                             [](D& d) {
                                 d.anchor_b_w = {nan, 0, 0}, d.length = 1.0;
                             }),
                     "an anchor is not finite"));
    EXPECT_TRUE(says(changed(JointKind::fixed, [](D& d) { d.compliance = -1e-9; }), "compliance is -1e-09"));
    EXPECT_TRUE(
        says(changed(JointKind::fixed, [](D& d) { d.frame.position[2] = nan; }), "frame is not finite"));
    EXPECT_TRUE(says(changed(JointKind::fixed,
                             [](D& d) {
                                 d.frame_b->orientation = {0, 0, 0, 0};
                             }),
                     "frame_b has an orientation"));
}

}  // namespace
}  // namespace uptack::test

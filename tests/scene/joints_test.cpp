// Joints, springs, ropes and forces.

#include <numbers>

#include "scene/scene_support.h"

namespace uptack::test {
namespace {

const std::string two_bodies =
    R"("bodies": [{"name": "a", "shape": {"box": 1}, "position": [0, 0, 1]}, {"name": "b", "shape": {"box": 1}, "position": [3, 0, 1]}], )";

Scene joint_scene(const std::string& entries) {
    return scene_of(two_bodies + R"("joints": [{"name": "j", )" + entries + "}]");
}

TEST(Joints, FramesStandWhereTheFileSays) {
    const Scene scene =
        joint_scene(R"("kind": "revolute", "a": "a", "b": "b", "position": [1, 0, 1], "axis": [0, 3, 0])");
    const Joint& j = joint(scene, "j");
    EXPECT_EQ(j.kind, JointKind::revolute);
    EXPECT_EQ(j.body_a, 0);
    EXPECT_EQ(j.body_b, 1);
    expect_near(j.frame_a.position, {1.0, 0.0, 0.0});
    expect_near(j.frame_b.position, {-2.0, 0.0, 0.0});
    expect_near(rotate(j.frame_a.orientation, {0.0, 0.0, 1.0}), {0.0, 1.0, 0.0});
    EXPECT_FALSE(j.bodies_collide);
}

TEST(Joints, TheFirstBodyIsTheWorldAndThePlaceThatOfTheSecondUnlessGiven) {
    const Scene scene = joint_scene(R"("kind": "spherical", "b": "b")");
    EXPECT_EQ(joint(scene, "j").body_a, no_body);
    expect_near(joint(scene, "j").frame_a.position, {3.0, 0.0, 1.0});
    expect_near(joint(scene, "j").frame_b.position, {0.0, 0.0, 0.0});
}

TEST(Joints, XAxisAndRotationTurnTheFrame) {
    const Scene axes = joint_scene(R"("kind": "planar", "b": "b", "axis": [0, 1, 0], "x_axis": [1, 1, 0])");
    const Quaternion q = joint(axes, "j").frame_a.orientation;
    expect_near(rotate(q, {0.0, 0.0, 1.0}), {0.0, 1.0, 0.0});
    expect_near(rotate(q, {1.0, 0.0, 0.0}), {1.0, 0.0, 0.0});
    expect_near(rotate(q, {0.0, 1.0, 0.0}), {0.0, 0.0, -1.0});  // z cross x
    const Scene turned = joint_scene(R"("kind": "planar", "b": "b", "rotation": ["-90*deg", 0, 0])");
    expect_near(rotate(joint(turned, "j").frame_a.orientation, {0.0, 0.0, 1.0}), {0.0, 1.0, 0.0});
    EXPECT_THROW(joint_scene(R"("kind": "planar", "b": "b", "axis": [0, 1, 0], "x_axis": [0, 2, 0])"),
                 InputError);
    EXPECT_THROW(joint_scene(R"("kind": "planar", "b": "b", "axis": [0, 0, 0])"), InputError);
    EXPECT_THROW(joint_scene(R"("kind": "planar", "b": "b", "axis": [0, 1, 0], "rotation": [0, 0, 0])"),
                 InputError);
}

TEST(Joints, RelativeFramesAreInTheBodysFrame) {
    const Scene scene = scene_of(
        R"("bodies": [{"name": "b", "shape": {"box": 1}, "position": [3, 0, 0], "rotation": [0, "90*deg", 0]}],
        "joints": [{"name": "j", "kind": "revolute", "b": "b", "relative_to": "b", "position": [1, 0, 0], "axis": [0, 0, 1]}])");
    expect_near(joint(scene, "j").frame_b.position, {1.0, 0.0, 0.0});
    expect_near(joint(scene, "j").frame_a.position, {3.0, 0.0, -1.0});
    expect_near(rotate(joint(scene, "j").frame_a.orientation, {0.0, 0.0, 1.0}), {1.0, 0.0, 0.0});
}

TEST(Joints, FrameBReplacesWhatItNames) {
    const Scene scene = joint_scene(
        R"("kind": "prismatic", "b": "b", "position": [0, 0, 0], "axis": [1, 0, 0], "frame_b": {"position": [3, 0, 2]})");
    expect_near(joint(scene, "j").frame_b.position, {0.0, 0.0, 1.0});
    expect_near(rotate(joint(scene, "j").frame_b.orientation, {0.0, 0.0, 1.0}), {1.0, 0.0, 0.0});
}

TEST(Joints, TheShorthandMeansTheOnlyCoordinate) {
    const Scene scene =
        joint_scene(R"("kind": "revolute", "b": "b", "limits": [-1, "45*deg"], "limit_restitution": 0.5,
        "motor": {"velocity": "2*t", "max_force": 7}, "stiffness": 1, "damping": 2, "rest": 3, "friction": 4)");
    ASSERT_EQ(joint(scene, "j").axes.size(), 1U);
    const JointAxis& axis = joint(scene, "j").axes[0];
    EXPECT_EQ(axis.coordinate, Coordinate::angle);
    EXPECT_EQ(axis.lower, -1.0);
    EXPECT_DOUBLE_EQ(axis.upper, std::numbers::pi / 4.0);
    EXPECT_EQ(axis.limit_restitution, 0.5);
    EXPECT_EQ(axis.motor, MotorKind::velocity);
    EXPECT_EQ(axis.target(3.0), 6.0);
    EXPECT_EQ(axis.max_force, 7.0);
    EXPECT_EQ(axis.stiffness, 1.0);
    EXPECT_EQ(axis.damping, 2.0);
    EXPECT_EQ(axis.rest, 3.0);
    EXPECT_EQ(axis.friction, 4.0);
    EXPECT_EQ(
        joint(joint_scene(R"("kind": "prismatic", "b": "b", "limits": [null, 1])"), "j").axes[0].coordinate,
        Coordinate::z);
    EXPECT_EQ(joint(joint_scene(R"("kind": "prismatic", "b": "b", "limits": [null, 1])"), "j").axes[0].lower,
              -infinity);
    EXPECT_NE(
        error_of([] { joint_scene(R"("kind": "spherical", "b": "b", "limits": [0, 1])"); }).find("\"axes\""),
        std::string::npos);
}

TEST(Joints, AxesNameTheirCoordinates) {
    const Scene scene =
        joint_scene(R"("kind": "cylindrical", "b": "b", "axes": {"z": {"motor": {"position": "t"}},
        "angle": {"motor": {"force": 5}}})");
    const std::vector<JointAxis>& axes = joint(scene, "j").axes;
    ASSERT_EQ(axes.size(), 2U);
    EXPECT_EQ(axes[0].coordinate, Coordinate::z);
    EXPECT_EQ(axes[0].motor, MotorKind::position);
    EXPECT_EQ(axes[1].coordinate, Coordinate::angle);
    EXPECT_EQ(axes[1].motor, MotorKind::force);
    EXPECT_EQ(axes[1].target(1.0), 5.0);
    EXPECT_THROW(joint_scene(R"("kind": "cylindrical", "b": "b", "axes": {"w": {}})"), InputError);
    EXPECT_THROW(joint_scene(R"("kind": "cylindrical", "b": "b", "axes": {"x": {}})"), InputError) << "held";
    EXPECT_THROW(joint_scene(R"("kind": "revolute", "b": "b", "motor": {"force": 5, "velocity": 1})"),
                 InputError);
    EXPECT_THROW(joint_scene(R"("kind": "revolute", "b": "b", "motor": {"force": 5, "max_force": 1})"),
                 InputError);
}

TEST(Joints, EveryOtherNumberArrives) {
    const Joint screw = joint(
        joint_scene(R"("kind": "screw", "b": "b", "lead": 0.01, "compliance": 1e-6, "bodies_collide": true)"),
        "j");
    EXPECT_EQ(screw.lead, 0.01);
    EXPECT_EQ(screw.compliance, 1e-6);
    EXPECT_TRUE(screw.bodies_collide);
    const Joint pulley = joint(
        joint_scene(
            R"("kind": "pulley", "a": "a", "b": "b", "anchor_a": [0, 0, 5], "anchor_b": [3, 0, 4], "ratio": 2)"),
        "j");
    EXPECT_EQ(pulley.anchor_a_w, (Vec3{0.0, 0.0, 5.0}));
    EXPECT_EQ(pulley.anchor_b_w, (Vec3{3.0, 0.0, 4.0}));
    EXPECT_EQ(pulley.ratio, 2.0);
    EXPECT_DOUBLE_EQ(pulley.length, 4.0 + 2.0 * 3.0);
    const Joint gear =
        joint(joint_scene(R"("kind": "gear", "a": "a", "b": "b", "radius_a": 1, "radius_b": 2)"), "j");
    EXPECT_EQ(gear.radius_a, 1.0);
    EXPECT_EQ(gear.radius_b, 2.0);
    expect_near(gear.frame_a.position, {});
    expect_near(gear.frame_b.position, {});
    const Joint rod = joint(joint_scene(R"("kind": "distance", "a": "a", "b": "b", "length": 2.5)"), "j");
    EXPECT_EQ(rod.length, 2.5);
    EXPECT_DOUBLE_EQ(joint(joint_scene(R"("kind": "distance", "a": "a", "b": "b")"), "j").length, 3.0);
}

TEST(Joints, PatternsNameBodiesByExpressions) {
    const Scene scene = scene_of(
        R"("bodies": [{"name": "link", "repeat": {"i": 5}, "shape": {"sphere": 0.1}, "position": ["i", 0, 0]}],
        "joints": [{"name": "pin", "repeat": {"i": 4}, "kind": "spherical", "a": "link {i}", "b": "link {i + 1}", "position": ["i + 0.5", 0, 0]}],
        "watch": ["pin 3"])");
    ASSERT_EQ(scene.model.joints.size(), 4U);
    EXPECT_EQ(joint(scene, "pin 3").body_a, 3);
    EXPECT_EQ(joint(scene, "pin 3").body_b, 4);
    expect_near(joint(scene, "pin 3").frame_a.position, {0.5, 0.0, 0.0});
    EXPECT_EQ(scene.watch, std::vector<std::string>{"pin 3"});
}

TEST(Springs, AreFreeJointsAtEaseAtTheStart) {
    const Scene scene =
        scene_of(two_bodies + R"("springs": [{"name": "s", "a": "a", "b": "b", "stiffness": 10, "damping": 2},
        {"name": "r", "b": "b", "from": [3, 4, 1], "to": [3, 1, 1], "rest": 0.5}])");
    const Joint& s = joint(scene, "s");
    EXPECT_EQ(s.kind, JointKind::free);
    ASSERT_EQ(s.axes.size(), 1U);
    EXPECT_EQ(s.axes[0].coordinate, Coordinate::distance);
    EXPECT_EQ(s.axes[0].stiffness, 10.0);
    EXPECT_EQ(s.axes[0].damping, 2.0);
    EXPECT_EQ(s.axes[0].rest, 3.0);
    EXPECT_TRUE(s.bodies_collide);
    EXPECT_EQ(joint(scene, "r").axes[0].rest, 0.5);
    expect_near(joint(scene, "r").frame_a.position, {3.0, 4.0, 1.0});
    expect_near(joint(scene, "r").frame_b.position, {0.0, 1.0, 0.0});
}

TEST(Ropes, LimitTheDistance) {
    const Scene scene = scene_of(
        two_bodies +
        R"("ropes": [{"name": "s", "a": "a", "b": "b"}, {"name": "r", "a": "a", "b": "b", "length": 4}])");
    EXPECT_EQ(joint(scene, "s").axes[0].upper, 3.0);
    EXPECT_EQ(joint(scene, "s").axes[0].lower, -infinity);
    EXPECT_EQ(joint(scene, "r").axes[0].upper, 4.0);
    EXPECT_EQ(joint(scene, "r").axes[0].stiffness, 0.0);
}

TEST(Forces, ActAtAPointOfTheBodysOwnFrame) {
    const Scene scene =
        scene_of(R"("bodies": [{"name": "b", "shape": {"box": 1, "position": [2, 0, 0]}}], "forces": [
        {"name": "f", "body": "b", "point": [2, 0, 0.5], "force": [0, "t", 1], "torque": ["2*t", 0, 0], "frame": "body"},
        {"name": "g", "body": "b", "force": [1, 0, 0]}])");
    ASSERT_EQ(scene.model.forces.size(), 2U);
    const AppliedForce& f = scene.model.forces[0];
    expect_near(f.point_b, {0.0, 0.0, 0.5});
    EXPECT_EQ(f.force[1](2.0), 2.0);
    EXPECT_EQ(f.torque[0](2.0), 4.0);
    EXPECT_EQ(f.frame, ForceFrame::body);
    EXPECT_EQ(scene.model.forces[1].frame, ForceFrame::world);
    EXPECT_EQ(scene.model.forces[1].point_b, Vec3{});
}

}  // namespace
}  // namespace uptack::test

// Joints in a step: closed forms of statics and dynamics, which no sign error survives.

#include <cmath>
#include <numbers>

#include "small_world.h"
#include "support/tolerance.h"

namespace uptack::test {
namespace {

constexpr double g = 9.81;

/// World (a) to body 0 (b).
Joint to_world(JointKind kind, const std::string& name = "joint") {
    Joint joint;
    joint.name = name;
    joint.kind = kind;
    joint.body_b = 0;
    return joint;
}

Joint between(JointKind kind, int a, int b, const std::string& name = "joint") {
    Joint joint = to_world(kind, name);
    joint.body_a = a;
    joint.body_b = b;
    return joint;
}

RigidBody ball(const std::string& name, double mass, double inertia, const Vec3& position = {}) {
    RigidBody body = solid(name, mass, {position, {}});
    body.mass.inertia = {inertia, inertia, inertia, 0, 0, 0};
    return body;
}

Model one_body(const Joint& joint, double mass = 2.0) {
    Model model;
    model.bodies = {ball("bob", mass, 0.3)};
    model.joints = {joint};
    return model;
}

Model weightless(Model model) {
    model.gravity = {};
    return model;
}

void expect_near(const Vec3& actual, const Vec3& expected, double slack) {
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(actual[k], expected[k], tolerance(slack)) << "component " << k;
}

// ---- statics ----------------------------------------------------------------------------------------------

TEST(JointBlocks, ACantileverCarriesWeightAndMoment) {
    Random random(1);
    for (const bool body_first : {false, true}) {
        const Pose frame_w = random_pose(random);
        Joint joint = to_world(JointKind::fixed);
        joint.frame_a = frame_w;  // in the world
        Model model = one_body(joint);
        model.bodies[0] = solid("beam", 2.0, random_pose(random));
        model.joints[0].frame_b = inverse(model.bodies[0].initial_pose) * frame_w;
        if (body_first) {
            std::swap(model.joints[0].body_a, model.joints[0].body_b);
            std::swap(model.joints[0].frame_a, model.joints[0].frame_b);
        }
        World world(model);
        for (int step = 0; step < 3; ++step) {  // the first step's kick is half as long
            world.run(1);
            const JointReaction r =
                world.assembler.joint_reactions(world.before, world.step, world.solution)[0];
            const double sign = body_first ? -1.0 : 1.0;
            const Vec3 lever = model.bodies[0].initial_pose.position - frame_w.position;
            const Vec3 force{0, 0, sign * 2.0 * g};
            const Vec3 torque = cross(lever, force);
            // Held rows yield by 1e-10 of what their load would do in a step (least_give).
            expect_near(r.force_w, force, 2e-7);
            expect_near(r.torque_w, torque, 2e-7);
            expect_near(r.force_j, rotate_back(frame_w.orientation, force), 2e-7);
            expect_near(r.torque_j, rotate_back(frame_w.orientation, torque), 2e-7);
        }
        EXPECT_LT(world.assembler.drift(world.state, 0), 1e-12);
    }
}

TEST(JointBlocks, CompliantJointsGiveWayByComplianceTimesForce) {
    const double c = 1e-3;
    for (const Stabilisation how : {Stabilisation::recovery, Stabilisation::spook}) {
        for (const double k : {1.0, 0.3}) {
            Joint joint = to_world(JointKind::spherical);
            joint.compliance = c;
            Model model = one_body(joint);
            model.bodies[0].initial_pose.position = {0, 0, -c * 2.0 * g};
            World world(model, {.stabilisation = how, .joint_recovery = k});
            world.run(3);
            expect_near(world.state.pose[0].position, {0, 0, -c * 2.0 * g}, 1e-13);
            EXPECT_NEAR(world.assembler.drift(world.state, 0), c * 2.0 * g, tolerance(1e-13));
        }
    }
}

TEST(JointBlocks, CompliantJointsComeToRestWhereTheyShould) {
    Joint joint = to_world(JointKind::spherical);
    joint.compliance = 1e-4;
    World world(one_body(joint), {.step_s = 1.0 / 60.0});
    world.run(200);
    EXPECT_NEAR(world.state.pose[0].position[2], -1e-4 * 2.0 * g, tolerance(1e-9));
}

TEST(JointBlocks, RecoveryTakesBackItsShareOfTheViolation) {
    const double h = 0.01;
    Model model = weightless(one_body(to_world(JointKind::spherical)));
    model.bodies[0].initial_pose.position = {0.01, -0.02, 0.03};
    World world(model, {.step_s = h, .joint_recovery = 0.4});
    world.run(1);
    expect_near(linear(world.new_velocity(0)), {-0.4, 0.8, -1.2}, 2e-10);
    expect_near(world.state.pose[0].position, {0.006, -0.012, 0.018}, 2e-12);
}

TEST(JointBlocks, SpookHasTheBiasAndComplianceOfItsPaper) {
    // U = 1/(1 + 4 tau/h), b = (4U/h) Phi - U J v, C = 4 eps U / h^2 with kick = h.
    const double h = 0.01;
    Joint joint = to_world(JointKind::spherical);
    joint.compliance = 2e-3;
    Model model = weightless(one_body(joint));
    model.bodies[0].initial_pose.position = {0, 0, 0.03};
    model.bodies[0].initial_velocity = {0, 0, 0.5, 0, 0, 0};
    World world(model, {.step_s = h,
                        .scheme = Scheme::euler,
                        .stabilisation = Stabilisation::spook,
                        .spook_relaxation = 3.0});
    world.assemble();
    const double u = 1.0 / 13.0;
    EXPECT_NEAR(world.step.problem.bias[2], 4 * u / h * 0.03 - u * 0.5, tolerance(1e-12));
    EXPECT_NEAR(world.step.problem.compliance[2], 4 * 2e-3 * u / (h * h), tolerance(1e-12));
}

TEST(JointBlocks, AJointDefinedFarApartIsNotPulledTogetherInOneBang) {
    Model model = weightless(one_body(to_world(JointKind::spherical)));
    model.bodies[0].initial_pose.position = {1000.0, 0, 0};
    World world(model);
    world.run(1);
    EXPECT_NEAR(world.new_velocity(0)[0], -100.0, tolerance(2e-8));
}

// ---- bodies that do not move by impulses ------------------------------------------------------------------

Model led(bool leader_first, const Motion& motion) {
    Model model = weightless({});
    RigidBody leader;
    leader.name = "leader";
    leader.kind = BodyKind::kinematic;
    leader.motion = motion;
    model.bodies = {leader, ball("follower", 2.0, 0.3, {1, 0, 0})};
    Joint joint = leader_first ? between(JointKind::fixed, 0, 1) : between(JointKind::fixed, 1, 0);
    (leader_first ? joint.frame_a : joint.frame_b).position = {1, 0, 0};
    model.joints = {joint};
    return model;
}

TEST(JointBlocks, AKinematicBodyLeadsWithoutBeingInTheProblem) {
    for (const bool leader_first : {true, false}) {
        Motion straight;
        straight.offset = {"3*t", "0", "-t"};
        World world(led(leader_first, straight));
        world.assemble();
        ASSERT_EQ(world.step.problem.bodies.size(), 1U);
        world.solve();
        expect_near(linear(world.new_velocity(1)), {3, 0, -1}, 1e-9);
        expect_near(angular(world.new_velocity(1)), {}, 1e-9);
    }
}

TEST(JointBlocks, AKinematicBodyThatTurnsLeadsInACircle) {
    for (const bool leader_first : {true, false}) {
        Motion turning;
        turning.angle = "2*t";
        Model model = led(leader_first, turning);
        model.bodies[1].initial_velocity = {0, 2, 0, 0, 0, 2};
        World world(model, {.joint_recovery = 1.0});
        world.run(100);
        const double angle = 2 * world.state.time;
        expect_near(world.state.pose[1].position, {std::cos(angle), std::sin(angle), 0}, 1e-6);
        EXPECT_LT(world.assembler.drift(world.state, 0), 1e-6);
    }
}

TEST(JointBlocks, ASpinningBodyHangsOnToItsHingeWithoutDrift) {
    Joint joint = to_world(JointKind::revolute);
    joint.frame_b.position = {-1, 0, 0};
    Model model = weightless(one_body(joint));
    model.bodies[0].initial_pose.position = {1, 0, 0};
    model.bodies[0].initial_velocity = {0, 20, 0, 0, 0, 20};
    World world(model);
    world.run(50);
    EXPECT_LT(world.assembler.drift(world.state, 0), tolerance(1e-9));
}

TEST(JointBlocks, DriftOfAPendulumFallsWithTheCubeOfTheStep) {
    std::array<double, 2> worst{};
    for (const int fine : {0, 1}) {
        Joint joint = to_world(JointKind::revolute);
        joint.frame_a.orientation = joint.frame_b.orientation = turn({1, 0, 0}, 0.5 * std::numbers::pi);
        joint.frame_b.position = {-1, 0, 0};
        Model model = one_body(joint);
        model.bodies[0].initial_pose.position = {1, 0, 0};
        World world(model, {.step_s = fine == 1 ? 0.005 : 0.01});
        for (int k = 0; k < (fine == 1 ? 400 : 200); ++k) {
            world.run(1);
            worst[fine] = std::max(worst[fine], world.assembler.drift(world.state, 0));
        }
    }
    EXPECT_GT(worst[0] / worst[1], 6.0) << worst[0] << " m and " << worst[1] << " m";
    EXPECT_LT(worst[0], 1e-4);
}

TEST(JointBlocks, NothingIsAskedOfJointsBetweenImmovableBodies) {
    Model model;
    model.bodies = {solid("a"), solid("b"), solid("c")};
    model.bodies[0].kind = BodyKind::fixed;
    model.joints = {between(JointKind::fixed, 0, 1, "asleep"), between(JointKind::fixed, 1, 2, "awake")};
    World world(model);
    world.state.still_s[1] = infinity;  // sleeps
    world.assemble();
    ASSERT_EQ(world.step.problem.blocks.size(), 1U);
    EXPECT_EQ(world.assembler.describe(world.step, 0), "joint awake");
    EXPECT_EQ(world.step.model_body, std::vector<int>{2});
    EXPECT_EQ(world.step.problem_body, (std::vector<int>{no_body, no_body, 0}));
    world.solve();
    const auto reactions = world.assembler.joint_reactions(world.state, world.step, world.solution);
    expect_near(reactions[0].force_w, {}, 0.0);
    expect_near(reactions[1].force_w, {0, 0, 2.0 * g}, 1e-8);
}

// ---- springs and dampers ----------------------------------------------------------------------------------

Joint along_z(JointAxis axis) {
    Joint joint = to_world(JointKind::free);
    axis.coordinate = Coordinate::z;
    joint.axes = {axis};
    return joint;
}

TEST(JointBlocks, ASpringSwingsWithNewmarksFrequencyHoweverStiff) {
    // tan(w h / 2) = h/2 sqrt(k/m); from rest at z0: z_n = z0 cos(n w h), bit for bit up to round-off.
    const double h = 0.01;
    for (const double k : {50.0, 2e4, 2e6}) {
        Model model = weightless(one_body(along_z({.stiffness = k, .rest = 0.3})));
        model.bodies[0].initial_pose.position = {0, 0, 0.4};
        World world(model, {.step_s = h});
        const double phase = 2.0 * std::atan(0.5 * h * std::sqrt(k / 2.0));
        // With q_mid = (q_n + q_n+1)/2:  m v^2/2 + k q_mid^2/2 = k z0^2/2 cos^2(phase/2), whatever n.
        const double energy = 0.5 * k * 0.01 * std::pow(std::cos(0.5 * phase), 2);
        for (int n = 1; n <= 200; ++n) {
            world.run(1);
            ASSERT_NEAR(world.state.pose[0].position[2], 0.3 + 0.1 * std::cos(n * phase), tolerance(1e-10));
            const double total = uptack::energy(world.model, world.state).kinetic_J +
                                 world.assembler.spring_energy(world.state);
            ASSERT_NEAR(total, energy, tolerance(1e-9 * energy)) << "step " << n;
        }
    }
}

TEST(JointBlocks, ADamperSlowsByItsRatioAndNeverReverses) {
    const double h = 0.01;
    for (const double d : {10.0, 300.0, 1e5}) {
        Model model = weightless(one_body(along_z({.damping = d})));
        model.bodies[0].initial_velocity = {0, 0, 1, 0, 0, 0};
        World world(model, {.step_s = h});
        world.run(1);  // kick is h/2
        const double first = 0.5 * h * d / 2.0;
        const double after_first = first > 2.0 ? 0.0 : (1 - first / 2) / (1 + first / 2);
        EXPECT_NEAR(world.state.velocity[0][2], after_first, tolerance(1e-12));
        world.run(1);
        const double s = h * d / 2.0;
        EXPECT_NEAR(world.state.velocity[0][2], after_first * (s > 2.0 ? 0.0 : (1 - s / 2) / (1 + s / 2)),
                    tolerance(1e-12));
    }
}

TEST(JointBlocks, EulersSpringIsStableAndHangsAtForceOverStiffness) {
    for (const double k : {100.0, 1e8}) {
        World world(one_body(along_z({.stiffness = k, .damping = 20.0})), {.scheme = Scheme::euler});
        world.run(3000);
        EXPECT_NEAR(world.state.pose[0].position[2], -2.0 * g / k, tolerance(1e-9));
        const JointReaction r = world.assembler.joint_reactions(world.before, world.step, world.solution)[0];
        expect_near(r.force_w, {0, 0, 2.0 * g}, 1e-6);
    }
}

TEST(JointBlocks, EulersSpringIsTheImplicitFormula) {
    // x = -h (k (q - rest + h v) + d v), v = v0 + x/m.
    const double h = 0.01;
    const double k = 500.0;
    const double d = 7.0;
    Model model = weightless(one_body(along_z({.stiffness = k, .damping = d, .rest = 0.1})));
    model.bodies[0].initial_velocity = {0, 0, 1, 0, 0, 0};
    World world(model, {.step_s = h, .scheme = Scheme::euler});
    world.run(1);
    const double v = (2.0 * 1.0 - h * k * (0.0 - 0.1)) / (2.0 + h * (k * h + d));
    EXPECT_NEAR(world.state.velocity[0][2], v, tolerance(1e-12));
}

TEST(JointBlocks, ASpringBetweenTwoBodiesKeepsTheirMomentum) {
    Model model = weightless({});
    model.bodies = {ball("a", 1.0, 0.1, {0, 0, 0}), ball("b", 3.0, 0.2, {1, 1, 0})};
    Joint joint = between(JointKind::free, 0, 1);
    joint.frame_a.position = {0.1, 0.2, 0.0};
    joint.frame_b.position = {0.0, -0.1, 0.3};
    joint.axes = {{.coordinate = Coordinate::distance, .stiffness = 400, .damping = 1.0, .rest = 0.5}};
    model.joints = {joint};
    World world(model);
    const Vec6 at_start = momentum(world.model, world.state);
    world.run(1);
    EXPECT_GT(length(linear(world.state.velocity[0])), 0.05);
    // Forces at positions of time t: total momentum to round-off, angular momentum too.
    const Vec6 after = momentum(world.model, world.state);
    for (int k = 0; k < 6; ++k) EXPECT_NEAR(after[k], at_start[k], tolerance(1e-12));
    EXPECT_GT(world.state.velocity[0][0], 0.0);  // too long: it pulls a towards b
}

// ---- motors and friction ----------------------------------------------------------------------------------

TEST(JointBlocks, APositionMotorIsWhereItShouldBeAtTheEndOfTheStep) {
    for (const Scheme scheme : {Scheme::leapfrog, Scheme::euler}) {
        Joint joint = to_world(JointKind::prismatic);
        joint.axes = {{.coordinate = Coordinate::z, .motor = MotorKind::position, .target = "0.1*sin(20*t)"}};
        World world(one_body(joint), {.step_s = 0.01, .scheme = scheme});
        for (int k = 0; k < 20; ++k) {
            world.run(1);
            ASSERT_NEAR(world.reading(0, Coordinate::z), 0.1 * std::sin(20 * world.state.time),
                        tolerance(1e-12));
        }
    }
}

TEST(JointBlocks, AVelocityMotorTurnsAtTheTargetOfItsVelocitysTime) {
    for (const Scheme scheme : {Scheme::leapfrog, Scheme::euler}) {
        Joint joint = to_world(JointKind::revolute);
        joint.axes = {{.coordinate = Coordinate::angle, .motor = MotorKind::velocity, .target = "3*t"}};
        World world(one_body(joint), {.step_s = 0.01, .scheme = scheme});
        world.run(5);
        const double when = scheme == Scheme::leapfrog ? 0.045 : 0.05;
        EXPECT_NEAR(world.new_velocity(0)[5], 3 * when, tolerance(1e-12));
    }
}

TEST(JointBlocks, AMotorGivesNoMoreThanItsForce) {
    const double h = 0.01;
    for (const double target : {5.0, -5.0}) {
        Joint joint = to_world(JointKind::prismatic);
        joint.axes = {
            {.coordinate = Coordinate::z, .motor = MotorKind::velocity, .target = target, .max_force = 6.0}};
        World world(weightless(one_body(joint)), {.step_s = h, .scheme = Scheme::euler});
        world.run(1);
        EXPECT_NEAR(world.state.velocity[0][2], std::copysign(6.0 * h / 2.0, target), tolerance(1e-9));
        EXPECT_NEAR(world.impulse_of(ConstraintKind::motor), std::copysign(6.0 * h, target), tolerance(1e-9));
    }
}

TEST(JointBlocks, AForceMotorPushesBothBodiesAndIsPartOfTheReaction) {
    Model model = weightless({});
    model.bodies = {ball("a", 1.0, 0.1), ball("b", 3.0, 0.2)};
    Joint joint = between(JointKind::prismatic, 0, 1);
    joint.axes = {{.coordinate = Coordinate::z, .motor = MotorKind::force, .target = "6 + t"}};
    model.joints = {joint};
    World world(model, {.step_s = 0.01, .scheme = Scheme::euler});
    world.run(1);
    EXPECT_NEAR(world.state.velocity[0][2], -0.06, tolerance(1e-12));
    EXPECT_NEAR(world.state.velocity[1][2], 0.02, tolerance(1e-12));
    EXPECT_EQ(world.find(ConstraintKind::motor), -1);
    const JointReaction r = world.assembler.joint_reactions(world.before, world.step, world.solution)[0];
    expect_near(r.force_w, {0, 0, 6.0}, 1e-9);
}

TEST(JointBlocks, DryFrictionBrakesAndThenHolds) {
    const double h = 0.01;
    for (const double v : {1.0, -1.0}) {
        Joint joint = to_world(JointKind::prismatic);
        joint.axes = {{.coordinate = Coordinate::z, .friction = 4.0}};
        Model model = weightless(one_body(joint));
        model.bodies[0].initial_velocity = {0, 0, v, 0, 0, 0};
        World world(model, {.step_s = h, .scheme = Scheme::euler});
        world.run(10);
        EXPECT_NEAR(world.state.velocity[0][2], std::copysign(1.0 - 10 * h * 2.0, v), tolerance(1e-9));
        world.run(45);
        EXPECT_NEAR(world.state.velocity[0][2], 0.0, tolerance(1e-9));
    }
    Joint joint = to_world(JointKind::prismatic);  // weight 2 g = 19.62 N
    joint.axes = {{.coordinate = Coordinate::z, .friction = 20.0}};
    World holds(one_body(joint));
    holds.run(20);
    EXPECT_NEAR(holds.state.pose[0].position[2], 0.0, tolerance(1e-9));
}

// ---- limits -----------------------------------------------------------------------------------------------

TEST(JointBlocks, AFallingSlideStopsAtItsLowerLimitAndARisingOneAtItsUpper) {
    for (const double up : {-1.0, 1.0}) {
        Joint joint = to_world(JointKind::prismatic);
        joint.axes = {{.coordinate = Coordinate::z, .lower = -0.2, .upper = 0.2}};
        Model model = one_body(joint);
        model.gravity = {0, 0, up * g};
        World world(model);
        world.assemble();
        EXPECT_EQ(world.step.problem.blocks.size(), 1U);  // limits are far
        bool reached = false;
        for (int k = 0; k < 200; ++k) {
            world.run(1);
            const double z = world.reading(0, Coordinate::z);
            ASSERT_LE(std::abs(z), 0.2 + 1e-9);
            reached = reached || std::abs(z) > 0.2 - 1e-6;
        }
        EXPECT_TRUE(reached);
        EXPECT_NEAR(world.reading(0, Coordinate::z), up * 0.2, tolerance(1e-9));
        const auto kind = up > 0 ? ConstraintKind::upper_limit : ConstraintKind::lower_limit;
        EXPECT_NEAR(world.impulse_of(kind) / world.step.kick_s, 2.0 * g, tolerance(1e-6));
        EXPECT_EQ(world.assembler.describe(world.step, world.find(kind)),
                  up > 0 ? "upper limit joint z" : "lower limit joint z");
        const JointReaction r = world.assembler.joint_reactions(world.before, world.step, world.solution)[0];
        expect_near(r.force_w, {0, 0, -up * 2.0 * g}, 1e-6);
    }
}

TEST(JointBlocks, LimitsBounceWithTheirRestitution) {
    for (const double up : {-1.0, 1.0}) {
        Joint joint = to_world(JointKind::prismatic);
        joint.axes = {{.coordinate = Coordinate::z, .lower = -0.2, .upper = 0.2, .limit_restitution = 0.6}};
        Model model = weightless(one_body(joint));
        model.bodies[0].initial_velocity = {0, 0, 2.0 * up, 0, 0, 0};
        World world(model);
        world.run(40);
        EXPECT_NEAR(world.state.velocity[0][2], -1.2 * up, tolerance(1e-9));
    }
}

TEST(JointBlocks, ALimitThatCouldBounceStillStopsASlowApproach) {
    // From rest 0.1 mm before the limit: free fall would go 1 mm in this step.
    for (const double up : {-1.0, 1.0}) {
        Joint joint = to_world(JointKind::prismatic);
        joint.axes = {{.coordinate = Coordinate::z, .lower = -1e-4, .upper = 1e-4, .limit_restitution = 0.6}};
        Model model = one_body(joint);
        model.gravity = {0, 0, up * g};
        World world(model, {.step_s = 0.01, .scheme = Scheme::euler});
        world.run(1);
        EXPECT_NEAR(world.reading(0, Coordinate::z), up * 1e-4, tolerance(1e-10));
    }
}

TEST(JointBlocks, ALimitPassedIsRecoveredNoFasterThanAllowed) {
    Joint joint = to_world(JointKind::prismatic);
    joint.axes = {{.coordinate = Coordinate::z, .lower = 0.5}};
    World world(weightless(one_body(joint)), {.max_recovery_speed = 0.7});
    world.run(1);
    EXPECT_NEAR(world.state.velocity[0][2], 0.7, tolerance(1e-9));
}

TEST(JointBlocks, LimitsDoNotRestInOverlap) {
    Joint joint = to_world(JointKind::prismatic);
    joint.axes = {{.coordinate = Coordinate::z, .lower = 1e-3}};
    World world(weightless(one_body(joint)), {.rest_overlap = 1e-2});
    world.run(1);
    EXPECT_GT(world.state.velocity[0][2], 1e-3);
}

TEST(JointBlocks, EqualLimitsHoldTheCoordinate) {
    Joint joint = to_world(JointKind::prismatic);
    joint.axes = {{.coordinate = Coordinate::z, .lower = 0.0, .upper = 0.0}};
    World world(one_body(joint));
    world.run(20);
    EXPECT_NEAR(world.reading(0, Coordinate::z), 0.0, tolerance(1e-12));
}

TEST(JointBlocks, ASwingLimitKeepsABallJointInItsCone) {
    Joint joint = to_world(JointKind::spherical);
    joint.frame_b.position = {0, 0, -0.5};  // the body stands on the joint
    joint.axes = {{.coordinate = Coordinate::swing, .upper = 0.5}};
    Model model = one_body(joint);
    model.bodies[0].initial_pose = {{0, 0, 0.5}, {}};
    model.bodies[0].initial_velocity = {0.1, 0.0, 0, 0, 0.2, 0};
    World world(model);
    double largest = 0.0;
    for (int k = 0; k < 600; ++k) {
        world.run(1);
        largest = std::max(largest, world.reading(0, Coordinate::swing));
    }
    EXPECT_GT(largest, 0.49);
    EXPECT_LT(largest, 0.502);
}

// ---- transmissions ----------------------------------------------------------------------------------------

TEST(JointBlocks, ATorqueOnAGearMovesTheInertiaBehindIt) {
    // r_a w_a + r_b w_b = 0:  w_a' = T / (I_a + I_b (r_a/r_b)^2).
    for (const double radius_b : {0.3, -0.5}) {
        const double distance = std::abs(0.1 + radius_b);
        Model model = weightless({});
        model.bodies = {ball("a", 1, 0.02), ball("b", 1, 0.7, {distance, 0, 0})};
        Joint hinge_a = to_world(JointKind::revolute, "hinge a");
        hinge_a.axes = {{.coordinate = Coordinate::angle, .motor = MotorKind::force, .target = 3.0}};
        Joint hinge_b = between(JointKind::revolute, no_body, 1, "hinge b");
        hinge_b.frame_a.position = {distance, 0, 0};
        Joint gear = between(JointKind::gear, 0, 1, "gear");
        gear.radius_a = 0.1;
        gear.radius_b = radius_b;
        model.joints = {hinge_a, hinge_b, gear};
        World world(model, {.step_s = 0.01, .scheme = Scheme::euler});
        world.run(1);
        const double alpha = 3.0 / (0.02 + 0.7 * 0.01 / (radius_b * radius_b));
        EXPECT_NEAR(world.state.velocity[0][5], 0.01 * alpha, tolerance(1e-9));
        EXPECT_NEAR(world.state.velocity[1][5], -0.01 * alpha * 0.1 / radius_b, tolerance(1e-9));
        world.run(100);
        EXPECT_LT(world.assembler.drift(world.state, 2), 1e-9);
        EXPECT_GT(std::abs(world.reading(0, Coordinate::angle)), 7.0);  // more than a turn
    }
}

TEST(JointBlocks, APinionCarriesItsRack) {
    // A rack of 2 kg is driven by gravity along the rack's x axis.
    Model model;
    model.gravity = {g, 0, 0};
    model.bodies = {ball("pinion", 1, 0.02, {0, 0.1, 0}), ball("rack", 2, 0.1)};
    Joint hinge = to_world(JointKind::revolute, "hinge");
    hinge.frame_a.position = {0, 0.1, 0};
    Joint rail = between(JointKind::prismatic, no_body, 1, "rail");
    rail.frame_a.orientation = rail.frame_b.orientation = turn({0, 1, 0}, 0.5 * std::numbers::pi);
    Joint mesh = between(JointKind::rack_pinion, 0, 1, "mesh");
    mesh.radius_a = 0.1;
    model.joints = {hinge, rail, mesh};
    World world(model, {.step_s = 0.01, .scheme = Scheme::euler});
    world.run(1);
    // (m + I / r^2) a = m g; the pinion above turns positive about z when the rack goes to +x.
    const double a = 2.0 * g / (2.0 + 0.02 / 0.01);
    EXPECT_NEAR(world.state.velocity[1][0], 0.01 * a, tolerance(1e-9));
    EXPECT_NEAR(world.state.velocity[0][5], 0.01 * a / 0.1, tolerance(1e-9));
}

Model atwood(double mass_a, double mass_b, double ratio) {
    Model model;
    model.bodies = {ball("a", mass_a, 0.1, {-1, 0, -2}), ball("b", mass_b, 0.1, {1, 0, -1})};
    Joint rope = between(JointKind::pulley, 0, 1, "rope");
    rope.anchor_a_w = {-1, 0, 0};
    rope.anchor_b_w = {1, 0, 0};
    rope.ratio = ratio;
    rope.length = 2.0 + ratio;
    model.joints = {rope};
    return model;
}

TEST(JointBlocks, AtwoodsMachineAcceleratesByTheDifferenceOfItsWeights) {
    for (const double ratio : {1.0, 2.0}) {
        // z_a' + ratio z_b' = 0; tension T on a, ratio T on b:
        // T = g (1 + ratio) / (1/m_a + ratio^2/m_b).
        World world(atwood(3.0, 1.0, ratio), {.step_s = 0.01, .scheme = Scheme::euler});
        world.run(1);
        const double tension = g * (1 + ratio) / (1 / 3.0 + ratio * ratio / 1.0);
        EXPECT_NEAR(world.impulse_of(ConstraintKind::joint) / 0.01, tension, tolerance(1e-6));
        EXPECT_NEAR(world.state.velocity[0][2], 0.01 * (tension / 3.0 - g), tolerance(1e-9));
        EXPECT_NEAR(world.state.velocity[1][2], 0.01 * (ratio * tension / 1.0 - g), tolerance(1e-9));
    }
}

TEST(JointBlocks, ASlackRopeDoesNotPush) {
    Model model = atwood(3.0, 1.0, 1.0);
    model.joints[0].length = 5.0;
    World world(model, {.step_s = 0.01, .scheme = Scheme::euler});
    world.run(1);
    EXPECT_NEAR(world.impulse_of(ConstraintKind::joint), 0.0, tolerance(1e-9));
    EXPECT_NEAR(world.state.velocity[0][2], -0.01 * g, tolerance(1e-9));
    EXPECT_EQ(world.assembler.drift(world.state, 0), 0.0);
}

TEST(JointBlocks, AScrewAdvancesByItsLeadInEachTurn) {
    Joint joint = to_world(JointKind::screw);
    joint.lead = 0.05;
    joint.axes = {{.coordinate = Coordinate::angle, .motor = MotorKind::velocity, .target = 6.0}};
    World world(one_body(joint));
    world.run(1200);  // 30 rad
    EXPECT_NEAR(world.reading(0, Coordinate::angle), 30.0, tolerance(1e-9));
    EXPECT_NEAR(world.state.pose[0].position[2], 0.05 * 30.0 / (2 * std::numbers::pi), tolerance(1e-9));
    // The motor's torque lifts the weight: T 2 pi = m g lead.
    EXPECT_NEAR(world.impulse_of(ConstraintKind::motor) / world.step.kick_s,
                2.0 * g * 0.05 / (2 * std::numbers::pi), tolerance(1e-9));
}

TEST(JointBlocks, RedundantJointsAreAssembledAndCarryTheLoadTogether) {
    Model model = one_body(to_world(JointKind::fixed, "one"));
    model.joints.push_back(to_world(JointKind::fixed, "two"));
    World world(model);
    world.run(2);
    const auto r = world.assembler.joint_reactions(world.before, world.step, world.solution);
    expect_near(r[0].force_w + r[1].force_w, {0, 0, 2.0 * g}, 1e-9);
}

// ---- order and names --------------------------------------------------------------------------------------

TEST(JointBlocks, TheOrderOfInsertionChangesNoBit) {
    Random random(20);
    Model forward;
    forward.bodies = {solid("link 1", 1, random_pose(random)), solid("link 2", 2, random_pose(random)),
                      solid("link 10", 3, random_pose(random))};
    for (int k = 0; k < 3; ++k) {
        Joint joint = between(JointKind::revolute, k - 1, k, "hinge " + std::to_string(5 * k));
        joint.frame_a = random_pose(random);
        joint.frame_b = random_pose(random);
        joint.axes = {{.coordinate = Coordinate::angle,
                       .upper = 0.1,
                       .motor = MotorKind::velocity,
                       .target = 1.0,
                       .max_force = 2.0,
                       .stiffness = 3.0,
                       .friction = 0.1}};
        forward.joints.push_back(joint);
    }
    Model backward = forward;
    std::reverse(backward.bodies.begin(), backward.bodies.end());
    std::reverse(backward.joints.begin(), backward.joints.end());
    for (Joint& joint : backward.joints) {
        if (joint.body_a != no_body) joint.body_a = 2 - joint.body_a;
        joint.body_b = 2 - joint.body_b;
    }
    World one(forward);
    World two(backward);
    one.assemble();
    two.assemble();
    one.assembler.name_blocks(one.step);
    two.assembler.name_blocks(two.step);
    EXPECT_EQ(one.step.problem.body_names, two.step.problem.body_names);
    EXPECT_EQ(one.step.problem.block_names, two.step.problem.block_names);
    EXPECT_EQ(one.step.problem.bias, two.step.problem.bias);
    EXPECT_EQ(one.step.problem.compliance, two.step.problem.compliance);
    ASSERT_EQ(one.step.problem.jacobian.size(), two.step.problem.jacobian.size());
    for (std::size_t i = 0; i < one.step.problem.jacobian.size(); ++i) {
        EXPECT_EQ(one.step.problem.jacobian[i].a, two.step.problem.jacobian[i].a);
        EXPECT_EQ(one.step.problem.jacobian[i].b, two.step.problem.jacobian[i].b);
    }
    for (std::size_t k = 0; k < one.step.origin.size(); ++k) {
        EXPECT_EQ(one.step.origin[k].key, two.step.origin[k].key);
        if (k == 0) continue;
        EXPECT_LT(one.step.origin[k - 1].key, one.step.origin[k].key);
    }
    EXPECT_EQ(one.assembler.spring_energy(one.state), two.assembler.spring_energy(two.state));
    EXPECT_EQ(one.step.problem.body_names.back(), "link 10");
}

}  // namespace
}  // namespace uptack::test

// Contacts in a step: closed forms for balls on planes, belts, adhesion, bounces.

#include <cmath>

#include "small_world.h"
#include "support/tolerance.h"

namespace uptack::test {
namespace {

constexpr double g = 9.81;
constexpr double radius = 0.5;
constexpr double h = 0.01;
const StepSettings euler{.step_s = h, .scheme = Scheme::euler};

void expect_near(const Vec3& actual, const Vec3& expected, double slack) {
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(actual[k], expected[k], tolerance(slack)) << "component " << k;
}

/// A ball of 2 kg on a floor whose upper side is z = 0; materials 0 (ball) and 1 (floor).
Model ball_on_floor(const Material& values) {
    Model model;
    Material inert;
    inert.friction = 0.0;
    model.materials = {inert, inert};
    model.material_pairs = {{.a = 0, .b = 1, .values = values}};
    RigidBody ball = solid("ball", 2.0, {{0, 0, radius}, {}});
    const double i = 0.4 * 2.0 * radius * radius;
    ball.mass.inertia = {i, i, i, 0, 0, 0};
    RigidBody floor;
    floor.name = "floor";
    floor.kind = BodyKind::fixed;
    model.bodies = {ball, floor};
    model.shapes.resize(2);
    model.shapes[0].body = 0;
    model.shapes[0].geometry = Sphere{radius};
    model.shapes[1].body = 1;
    model.shapes[1].material = 1;
    model.shapes[1].geometry = HalfSpace{};
    return model;
}

Material smooth() {
    Material m;
    m.friction = 0.0;
    return m;
}

Contact touching(double gap = 0.0) {
    return {.body_a = 0,
            .body_b = 1,
            .shape_a = 0,
            .shape_b = 1,
            .feature = 0,
            .point_w = {0, 0, 0.5 * gap},
            .normal_w = {0, 0, 1},
            .gap = gap};
}

/// One step of the ball on the floor; `speed` is the ball's before it.
void one_step(World& world, double gap, const Vec6& velocity = {}) {
    world.state.velocity[0] = velocity;
    world.state.pose[0].position = {0, 0, radius + gap};
    world.contacts.contacts = {touching(gap)};
    world.assemble();
    world.solve();
}

TEST(ContactBlocks, ARestingBallCarriesItsWeight) {
    for (const Scheme scheme : {Scheme::leapfrog, Scheme::euler}) {
        World world(ball_on_floor(smooth()), {.scheme = scheme});
        one_step(world, 0.0);
        ASSERT_TRUE(std::holds_alternative<Unilateral>(world.step.problem.blocks[0].law));
        const ContactReaction r =
            world.assembler.contact_reactions(world.contacts, world.step, world.solution)[0];
        EXPECT_NEAR(r.normal, 2.0 * g, tolerance(1e-9));
        expect_near(r.force_w, {0, 0, 2.0 * g}, 1e-9);
        EXPECT_EQ(world.assembler.describe(world.step, 0), "contact ball | floor");
    }
}

TEST(ContactBlocks, RowsAreTheRelativeVelocityAtThePoint) {
    Random random(1);
    Material rough;
    rough.friction = 0.4;
    rough.rolling_friction = 0.01;
    rough.spinning_friction = 0.02;
    Model model = ball_on_floor(rough);
    model.bodies[1].kind = BodyKind::dynamic;
    model.bodies[1].mass = model.bodies[0].mass;
    World world(model, euler);
    world.state.pose = {random_pose(random), random_pose(random)};
    Contact contact = touching();
    contact.normal_w = direction(random_vector(random));
    contact.point_w = random_vector(random);
    world.contacts.contacts = {contact};
    world.assemble();
    ASSERT_EQ(world.step.problem.blocks[0].rows, 6);
    const Vec6 va = random_velocity(random);
    const Vec6 vb = random_velocity(random);
    const Vec3 slip = linear(va) + cross(angular(va), contact.point_w - world.state.pose[0].position) -
                      linear(vb) - cross(angular(vb), contact.point_w - world.state.pose[1].position);
    const Vec3 turn = angular(va) - angular(vb);
    const auto frame = contact_frame(contact.normal_w);
    const std::array expected{dot(frame[0], slip), dot(frame[1], slip), dot(frame[2], slip),
                              dot(frame[1], turn), dot(frame[2], turn), dot(frame[0], turn)};
    for (int i = 0; i < 6; ++i) {
        const JacobianRow& row = world.step.problem.jacobian[i];
        EXPECT_NEAR(dot(row.a, va) + dot(row.b, vb), expected[i], tolerance(1e-13)) << "row " << i;
    }
}

TEST(ContactBlocks, AFallingBallArrivesAndDoesNotCross) {
    World world(ball_on_floor(smooth()), euler);
    one_step(world, 0.003, {0, 0, -5, 0, 0, 0});
    EXPECT_NEAR(world.new_velocity(0)[2], -0.3, tolerance(1e-9));
    one_step(world, 0.2, {0, 0, -5, 0, 0, 0});  // does not arrive
    EXPECT_NEAR(world.new_velocity(0)[2], -5 - h * g, tolerance(1e-9));
}

TEST(ContactBlocks, OverlapsArePushedApartByTheirShareAndNotTooFast) {
    StepSettings settings = euler;
    settings.contact_recovery = 0.3;
    settings.max_recovery_speed = 0.5;
    World world(ball_on_floor(smooth()), settings);
    one_step(world, -0.01);
    EXPECT_NEAR(world.new_velocity(0)[2], 0.3, tolerance(1e-9));
    one_step(world, -0.1);
    EXPECT_NEAR(world.new_velocity(0)[2], 0.5, tolerance(1e-9));
}

TEST(ContactBlocks, SmallGapsAndOverlapsCountAsClosed) {
    StepSettings settings = euler;
    settings.contact_recovery = 0.3;
    settings.rest_gap = 1e-4;
    settings.rest_overlap = 1e-3;
    World world(ball_on_floor(smooth()), settings);
    for (const auto& [gap, bias] : {std::pair(0.9e-4, 0.0), std::pair(1.1e-4, 1.1e-4 / h),
                                    std::pair(-0.9e-3, 0.0), std::pair(-1.1e-3, -0.3 * 1.1e-3 / h)}) {
        one_step(world, gap);
        EXPECT_NEAR(world.bias_of(ConstraintKind::contact), bias, tolerance(1e-12)) << gap;
    }
    settings.rest_overlap = 0.0;  // then rest_gap is for both
    World other(ball_on_floor(smooth()), settings);
    one_step(other, -0.9e-4);
    EXPECT_EQ(other.bias_of(ConstraintKind::contact), 0.0);
    one_step(other, -0.9e-3);
    EXPECT_NEAR(other.bias_of(ConstraintKind::contact), -0.3 * 0.9e-3 / h, tolerance(1e-12));
}

TEST(ContactBlocks, SpookPushesOverlapsByItsFormula) {
    StepSettings settings = euler;
    settings.stabilisation = Stabilisation::spook;
    World world(ball_on_floor(smooth()), settings);
    one_step(world, -0.001, {0, 0, -0.2, 0, 0, 0});
    const double u = 1.0 / 9.0;
    EXPECT_NEAR(world.bias_of(ConstraintKind::contact), -4 * u / h * 0.001 + u * 0.2, tolerance(1e-12));
    one_step(world, 0.001);
    EXPECT_NEAR(world.bias_of(ConstraintKind::contact), 0.001 / h, tolerance(1e-12));
}

TEST(ContactBlocks, ACompliantContactSinksInByComplianceTimesForce) {
    Material soft = smooth();
    soft.compliance = 1e-3;
    for (const Stabilisation how : {Stabilisation::recovery, Stabilisation::spook}) {
        StepSettings settings;
        settings.step_s = h;
        settings.stabilisation = how;
        World world(ball_on_floor(soft), settings);
        one_step(world, -1e-3 * 2.0 * g);
        EXPECT_NEAR(world.new_velocity(0)[2], 0.0, tolerance(1e-9));
        EXPECT_NEAR(world.impulse_of(ConstraintKind::contact) / world.step.kick_s, 2.0 * g, tolerance(1e-6));
        if (how != Stabilisation::recovery) continue;
        // A spring, not an error to be taken back by and by: K = 1 whatever contact_recovery is.
        EXPECT_NEAR(world.bias_of(ConstraintKind::contact), -1e-3 * 2.0 * g / h, tolerance(1e-12));
        EXPECT_NEAR(world.step.problem.compliance[0], 1e-3 / (h * world.step.kick_s), tolerance(1e-12));
    }
}

// ---- bounces ----------------------------------------------------------------------------------------------

TEST(ContactBlocks, FastImpactsBounceAndSlowOnesDoNot) {
    Material rubber = smooth();
    rubber.restitution = 0.7;
    World world(ball_on_floor(rubber), euler);
    one_step(world, 0.001, {0, 0, -2, 0, 0, 0});
    EXPECT_NEAR(world.new_velocity(0)[2], 1.4, tolerance(1e-9));
    one_step(world, -0.001, {0, 0, -2, 0, 0, 0});  // already overlapping: the bounce is the larger push
    EXPECT_NEAR(world.new_velocity(0)[2], 1.4, tolerance(1e-9));
    one_step(world, 0.0, {0, 0, -0.04, 0, 0, 0});
    EXPECT_NEAR(world.new_velocity(0)[2], 0.0, tolerance(1e-9));
    one_step(world, 0.1, {0, 0, -2, 0, 0, 0});  // not there yet: no row
    EXPECT_EQ(world.step.problem.blocks.size(), 0U);
}

TEST(ContactBlocks, ImpactsPassThroughARowOfBallsOneByOne) {
    Material steel = smooth();
    steel.restitution = 1.0;
    Model model = ball_on_floor(steel);
    model.gravity = {};
    model.material_pairs = {{.a = 0, .b = 0, .values = steel}};
    model.bodies = {};
    model.shapes = {};
    constexpr int count = 4;
    const double gap = 1e-4;
    for (int k = 0; k < count; ++k) {
        model.bodies.push_back(solid("ball " + std::to_string(k), 2.0, {{k * (2 * radius + gap), 0, 0}, {}}));
        Shape shape;
        shape.body = k;
        model.shapes.push_back(shape);
    }
    model.bodies[0].initial_velocity = {1, 0, 0, 0, 0, 0};
    World world(model, euler);
    for (int step = 0; step < 10; ++step) {
        world.contacts.contacts.clear();
        for (int k = 0; k + 1 < count; ++k) {
            const Vec3 a = world.state.pose[k].position;
            const Vec3 b = world.state.pose[k + 1].position;
            world.contacts.contacts.push_back({.body_a = k,
                                               .body_b = k + 1,
                                               .shape_a = k,
                                               .shape_b = k + 1,
                                               .feature = 0,
                                               .point_w = 0.5 * (a + b),
                                               .normal_w = {-1, 0, 0},
                                               .gap = b[0] - a[0] - 2 * radius});
        }
        world.run(1);
    }
    for (int k = 0; k + 1 < count; ++k) EXPECT_NEAR(world.state.velocity[k][0], 0.0, tolerance(1e-8));
    EXPECT_NEAR(world.state.velocity[count - 1][0], 1.0, tolerance(1e-8));
}

// ---- friction ---------------------------------------------------------------------------------------------

Material rough(double mu, double rolling = 0.0, double spinning = 0.0) {
    Material m;
    m.friction = mu;
    m.rolling_friction = rolling;
    m.spinning_friction = spinning;
    return m;
}

TEST(ContactBlocks, ABallRollsDownASlopeOrSlides) {
    // Rolling: a = 5/7 g sin.  Sliding: a = g (sin - mu cos), which holds while that is more.
    const double slope = 0.5;
    for (const ContactFriction how :
         {ContactFriction::exact, ContactFriction::convex, ContactFriction::box}) {
        for (const double mu : {0.9, 0.05}) {
            Model model = ball_on_floor(rough(mu));
            model.gravity = {g * std::sin(slope), 0, -g * std::cos(slope)};
            StepSettings settings = euler;
            settings.friction = how;
            World world(model, settings);
            one_step(world, 0.0);
            const double rolls = 5.0 / 7.0 * g * std::sin(slope);
            const double slides = g * (std::sin(slope) - mu * std::cos(slope));
            const double a = mu > 0.5 ? rolls : slides;
            if (how == ContactFriction::convex && mu < 0.5) continue;  // it lifts off instead
            EXPECT_NEAR(world.new_velocity(0)[0], h * a, tolerance(1e-8)) << mu;
            EXPECT_NEAR(world.new_velocity(0)[2], 0.0, tolerance(1e-8)) << mu;
            const ContactReaction r =
                world.assembler.contact_reactions(world.contacts, world.step, world.solution)[0];
            expect_near(r.force_w, {2.0 * (a - g * std::sin(slope)), 0, 2.0 * g * std::cos(slope)}, 1e-5);
            expect_near(r.torque_w, {}, 1e-9);
        }
    }
}

TEST(ContactBlocks, TheLawFollowsSettingsAndMaterials) {
    const auto block = [](const Material& values, ContactFriction how) {
        StepSettings settings = euler;
        settings.friction = how;
        World world(ball_on_floor(values), settings);
        one_step(world, 0.0);
        return world.step.problem.blocks[0];
    };
    using enum ContactFriction;
    EXPECT_EQ(std::get<FrictionCone>(block(rough(0.3), exact).law).model, FrictionModel::exact);
    EXPECT_EQ(std::get<FrictionCone>(block(rough(0.3), convex).law).model, FrictionModel::convex);
    EXPECT_EQ(std::get<FrictionCone>(block(rough(0.3), convex).law).mu, 0.3);
    EXPECT_EQ(std::get<BoxFriction>(block(rough(0.3, 0.1, 0.1), box).law).mu, 0.3);
    EXPECT_EQ(block(rough(0.3, 0.1, 0.1), box).rows, 3);
    EXPECT_EQ(block(rough(0.3), exact).rows, 3);
    EXPECT_EQ(block(rough(0.3, 0.0, 0.1), exact).rows, 4);
    EXPECT_EQ(block(rough(0.3, 0.1), exact).rows, 5);
    EXPECT_EQ(block(rough(0.3, 0.1, 0.1), exact).rows, 6);
    EXPECT_TRUE(std::holds_alternative<Unilateral>(block(rough(0.0), exact).law));
    EXPECT_TRUE(std::holds_alternative<Unilateral>(block(rough(0.0), box).law));
    const auto cone = std::get<FrictionCone>(block(rough(0.3, 0.2, 0.1), exact).law);
    EXPECT_EQ(cone.mu_roll, 0.2);
    EXPECT_EQ(cone.mu_spin, 0.1);
}

TEST(ContactBlocks, SpinningFrictionBrakesByItsLengthTimesTheLoad) {
    for (const double rolling : {0.0, 0.01}) {  // 4 rows and 6 rows
        World world(ball_on_floor(rough(0.5, rolling, 0.02)), euler);
        one_step(world, 0.0, {0, 0, 0, 0, 0, 3.0});
        const double torque = 0.02 * 2.0 * g;
        const double inertia = 0.4 * 2.0 * radius * radius;
        EXPECT_NEAR(world.new_velocity(0)[5], 3.0 - h * torque / inertia, tolerance(1e-6));
        const ContactReaction r =
            world.assembler.contact_reactions(world.contacts, world.step, world.solution)[0];
        expect_near(r.torque_w, {0, 0, -torque}, 1e-3);
    }
}

TEST(ContactBlocks, RollingFrictionHoldsABallOnAGentleSlope) {
    // It holds while tan(slope) <= mu_roll / r.
    for (const double slope : {0.9 * 0.02 / radius, 1.5 * 0.02 / radius}) {
        Model model = ball_on_floor(rough(0.5, 0.02));
        model.gravity = {g * std::sin(slope), 0, -g * std::cos(slope)};
        World world(model, euler);
        one_step(world, 0.0);
        const bool holds = std::tan(slope) <= 0.02 / radius;
        if (holds) {
            EXPECT_NEAR(world.new_velocity(0)[0], 0.0, tolerance(1e-8));
        } else {
            EXPECT_GT(world.new_velocity(0)[0], 1e-4);
        }
    }
}

TEST(ContactBlocks, ABeltCarriesWhatLiesOnIt) {
    // Sticking: the ball's point at the contact takes the belt's velocity, as the belt's body is turned.
    for (const bool belt_is_floor : {true, false}) {
        Model model = ball_on_floor(rough(10.0));
        model.materials[belt_is_floor ? 1 : 0].surface_velocity_b = {0.4, 0, 7.0};  // normal part: no effect
        model.bodies[1].initial_pose.orientation = turn({0, 0, 1}, 0.5);
        World world(model, euler);
        one_step(world, 0.0);
        const Vec6 v = world.new_velocity(0);
        const Vec3 at_point = linear(v) + cross(angular(v), {0, 0, -radius});
        const Vec3 belt =
            belt_is_floor ? Vec3{0.4 * std::cos(0.5), 0.4 * std::sin(0.5), 0} : Vec3{-0.4, 0, 0};
        expect_near(at_point, belt, 1e-8);
    }
}

// ---- prescribed motion, adhesion --------------------------------------------------------------------------

TEST(ContactBlocks, AMovingPlatformLiftsAndCarries) {
    Model model = ball_on_floor(rough(10.0));
    model.bodies[1].kind = BodyKind::kinematic;
    model.bodies[1].motion.offset = {"0.3*t", "-0.2*t", "0.5*t"};
    World world(model, euler);
    one_step(world, 0.0);
    ASSERT_EQ(world.step.problem.bodies.size(), 1U);
    const Vec6 v = world.new_velocity(0);
    expect_near(linear(v) + cross(angular(v), {0, 0, -radius}), {0.3, -0.2, 0.5}, 1e-8);
}

TEST(ContactBlocks, NothingIsAskedOfContactsBetweenImmovableBodies) {
    World world(ball_on_floor(rough(0.5)), euler);
    world.state.still_s[0] = infinity;
    one_step(world, 0.0);
    EXPECT_TRUE(world.step.problem.blocks.empty());
    EXPECT_EQ(world.assembler.contact_reactions(world.contacts, world.step, world.solution)[0].normal, 0.0);
}

TEST(ContactBlocks, AdhesionHoldsABallUnderACeiling) {
    for (const double adhesion : {30.0, 12.0}) {  // the weight is 19.62 N
        Material sticky = rough(0.3);
        sticky.adhesion = adhesion;
        World world(ball_on_floor(sticky), euler);
        Contact contact = touching();
        contact.normal_w = {0, 0, -1};  // the floor is above
        contact.point_w = {0, 0, 2 * radius};
        world.contacts.contacts = {contact};
        world.assemble();
        world.solve();
        const double carried = std::min(adhesion, 2.0 * g);
        const ContactReaction r =
            world.assembler.contact_reactions(world.contacts, world.step, world.solution)[0];
        EXPECT_NEAR(r.normal, -carried, tolerance(1e-6));
        expect_near(r.force_w, {0, 0, carried}, 1e-6);
        EXPECT_NEAR(world.new_velocity(0)[2], h * (carried / 2.0 - g), tolerance(1e-8));
    }
}

TEST(ContactBlocks, AdhesionReachesNoFurtherThanTouching) {
    Material sticky = smooth();
    sticky.adhesion = 30.0;
    World world(ball_on_floor(sticky), euler);
    one_step(world, 1e-3);
    EXPECT_NEAR(world.new_velocity(0)[2], -h * g, tolerance(1e-9));
    EXPECT_NEAR(world.assembler.contact_reactions(world.contacts, world.step, world.solution)[0].normal, 0.0,
                tolerance(1e-9));
}

}  // namespace
}  // namespace uptack::test

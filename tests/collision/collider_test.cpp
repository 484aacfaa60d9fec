// The collider as a whole: who touches whom, in which order, how far ahead.

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <tuple>

#include "collider_support.h"
#include "support/allocations.h"
#include "support/random.h"

namespace uptack {
namespace {

using test::add;
using test::allocations;
using test::contacts_of;
using test::shape;
using test::start_of;

TEST(Collider, ModelsWithoutPairsHaveNoContacts) {
    Model model;
    EXPECT_TRUE(contacts_of(model).empty());
    add(model, "ball", Sphere{0.5});
    EXPECT_TRUE(contacts_of(model).empty());
    add(model, "far", Sphere{0.5}, {.position = {5.0, 0.0, 0.0}});
    EXPECT_TRUE(contacts_of(model).empty());
}

TEST(Collider, BallOnTheFloorTouchesOnce) {
    Model model;
    add(model, "floor", HalfSpace{}, {}, BodyKind::fixed);
    add(model, "ball", Sphere{0.5}, {.position = {1.0, 2.0, 0.499}});
    const auto contacts = contacts_of(model);
    ASSERT_EQ(contacts.size(), 1U);
    const Contact& c = contacts[0];
    // "ball" comes before "floor": the normal points from floor to ball.
    EXPECT_EQ(c.body_a, 1);
    EXPECT_EQ(c.body_b, 0);
    EXPECT_EQ(c.shape_a, 1);
    EXPECT_EQ(c.shape_b, 0);
    EXPECT_EQ(c.normal_w, (Vec3{0.0, 0.0, 1.0}));
    EXPECT_NEAR(c.gap, -0.001, 1e-15);
    EXPECT_NEAR(c.point_w[2], -0.0005, 1e-15);
}

TEST(Collider, TheNormalTurnsAroundWithTheNames) {
    Model model;
    add(model, "a floor", HalfSpace{}, {}, BodyKind::fixed);
    add(model, "ball", Sphere{0.5}, {.position = {1.0, 2.0, 0.499}});
    const auto contacts = contacts_of(model);
    ASSERT_EQ(contacts.size(), 1U);
    EXPECT_EQ(contacts[0].body_a, 0);
    EXPECT_EQ(contacts[0].normal_w, (Vec3{0.0, 0.0, -1.0}));
}

TEST(Collider, BallsBoxesAndShapesOnTheirBodiesMeetWhereTheyAre) {
    Model model;
    add(model, "1", Sphere{0.5});
    add(model, "2", Sphere{0.25}, {.position = {0.6, 0.0, 0.0}});
    add(model, "3", Box{}, {.position = {0.0, 0.0, -0.995}});
    const auto contacts = contacts_of(model);
    ASSERT_EQ(contacts.size(), 2U);
    EXPECT_NEAR(contacts[0].gap, -0.15, 1e-15);
    EXPECT_NEAR(contacts[0].normal_w[0], -1.0, 1e-15);
    EXPECT_NEAR(contacts[0].point_w[0], 0.425, 1e-15);
    EXPECT_NEAR(contacts[1].gap, -0.005, 1e-15);
    EXPECT_NEAR(contacts[1].normal_w[2], 1.0, 1e-15);

    // The same ball as a shape that stands off its body's origin, on a body that is turned.
    Model offset;
    add(offset, "1", Sphere{0.5});
    BodyDefinition body;
    body.name = "2";
    body.pose = {.position = {0.6, -1.0, 0.0}, .orientation = turn({0.0, 0.0, 1.0}, std::acos(-1.0) / 2.0)};
    body.shapes.push_back(shape(Sphere{0.25}, {.position = {1.0, 0.0, 0.0}}));
    body.mass = MassProperties{.mass = 1.0, .inertia = {1.0, 1.0, 1.0, 0.0, 0.0, 0.0}};
    add_body(offset, body);
    const auto moved = contacts_of(offset);
    ASSERT_EQ(moved.size(), 1U);
    EXPECT_NEAR(moved[0].gap, -0.15, 1e-14);
    EXPECT_NEAR(moved[0].normal_w[0], -1.0, 1e-14);
}

TEST(Collider, HalfSpacesDoNotMeetEachOtherOrFixedShapes) {
    Model model;
    add(model, "floor", HalfSpace{}, {}, BodyKind::fixed);
    add(model, "wall", HalfSpace{}, {.orientation = turn({0.0, 1.0, 0.0}, 1.0)}, BodyKind::kinematic);
    add(model, "block", Box{}, {}, BodyKind::fixed);
    State state = start_of(model);
    state.velocity[1] = {1.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    EXPECT_TRUE(contacts_of(model, state).empty());
}

// ---- who may touch ----------------------------------------------------------------------------------------

Model two_balls() {
    Model model;
    add(model, "a", Sphere{0.5});
    add(model, "b", Sphere{0.5}, {.position = {0.9, 0.0, 0.0}});
    return model;
}

TEST(Collider, GroupsAndMasksMustAgreeBothWays) {
    struct Case {
        std::uint32_t groups_a, mask_a, groups_b, mask_b;
        std::size_t contacts;
    };
    for (const Case& c : {Case{1, every_group, 1, every_group, 1}, Case{1, 2, 2, 1, 1}, Case{1, 2, 2, 2, 0},
                          Case{1, 1, 2, 1, 0}, Case{1, 0, 1, 1, 0}, Case{5, 4, 4, 1, 1}}) {
        Model model = two_balls();
        model.shapes[0].groups = c.groups_a;
        model.shapes[0].mask = c.mask_a;
        model.shapes[1].groups = c.groups_b;
        model.shapes[1].mask = c.mask_b;
        EXPECT_EQ(contacts_of(model).size(), c.contacts);
    }
}

TEST(Collider, PairsThatAreListedPassThroughEachOther) {
    Model model = two_balls();
    add(model, "c", Sphere{0.5}, {.position = {0.45, 0.5, 0.0}});
    EXPECT_EQ(contacts_of(model).size(), 3U);
    model.no_collision.emplace_back(1, 0);
    const auto contacts = contacts_of(model);
    ASSERT_EQ(contacts.size(), 2U);
    for (const Contact& c : contacts) EXPECT_EQ(c.body_b, 2);
}

TEST(Collider, JoinedBodiesDoNotTouchUnlessAsked) {
    Model model = two_balls();
    Joint joint;
    joint.body_a = 1;
    joint.body_b = 0;
    model.joints.push_back(joint);
    joint.body_a = no_body;  // to the world: keeps nobody apart
    model.joints.push_back(joint);
    EXPECT_TRUE(contacts_of(model).empty());
    model.joints[0].bodies_collide = true;
    EXPECT_EQ(contacts_of(model).size(), 1U);
}

TEST(Collider, ShapesOfOneBodyDoNotTouch) {
    Model model;
    BodyDefinition body;
    body.name = "dumbbell";
    body.shapes = {shape(Sphere{0.5}), shape(Sphere{0.5}, {.position = {0.9, 0.0, 0.0}})};
    add_body(model, body);
    EXPECT_TRUE(contacts_of(model).empty());
}

TEST(Collider, SomebodyMustBeDynamicAndSomebodyMustMove) {
    const auto count = [](BodyKind a, BodyKind b, bool a_sleeps, bool b_sleeps, double speed) {
        Model model;
        add(model, "a", Sphere{0.5}, {}, a);
        add(model, "b", Sphere{0.5}, {.position = {0.9, 0.0, 0.0}}, b);
        State state = start_of(model);
        if (a_sleeps) state.still_s[0] = infinity;
        if (b_sleeps) state.still_s[1] = infinity;
        state.velocity[1][1] = speed;
        return contacts_of(model, state).size();
    };
    using enum BodyKind;
    EXPECT_EQ(count(dynamic, dynamic, false, false, 0.0), 1U);
    EXPECT_EQ(count(dynamic, dynamic, true, false, 0.0), 1U);
    EXPECT_EQ(count(dynamic, dynamic, true, true, 0.0), 0U);
    EXPECT_EQ(count(dynamic, fixed, false, false, 0.0), 1U);
    EXPECT_EQ(count(dynamic, fixed, true, false, 0.0), 0U);
    EXPECT_EQ(count(dynamic, kinematic, false, false, 0.0), 1U);
    EXPECT_EQ(count(dynamic, kinematic, true, false, 0.0), 0U);
    EXPECT_EQ(count(dynamic, kinematic, true, false, 1.0), 1U);  // it is about to be woken
    EXPECT_EQ(count(kinematic, kinematic, false, false, 1.0), 0U);
    EXPECT_EQ(count(fixed, kinematic, false, false, 1.0), 0U);
    EXPECT_EQ(count(fixed, fixed, false, false, 0.0), 0U);
}

// ---- how far ahead ----------------------------------------------------------------------------------------

TEST(Collider, GapsBelowTheEnvelopeCount) {
    Model model = two_balls();
    State state = start_of(model);
    for (const double gap : {0.0099, 0.0101}) {
        state.pose[1].position = {1.0 + gap, 0.0, 0.0};
        EXPECT_EQ(contacts_of(model, state, {.envelope = 0.01}).size(), gap < 0.01 ? 1U : 0U);
    }
}

TEST(Collider, BulletSeesTheWallAStepAhead) {
    Model model;
    add(model, "bullet", Sphere{0.01}, {.position = {-0.5, 0.2, 0.3}});
    add(model, "wall", Box{{0.005, 2.0, 2.0}}, {}, BodyKind::fixed);
    State state = start_of(model);
    state.velocity[0] = {100.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    const double gap = 0.5 - 0.01 - 0.005;
    const Reach reach{.envelope = 0.001, .lookahead_s = 0.005};
    const auto contacts = contacts_of(model, state, reach);
    ASSERT_EQ(contacts.size(), 1U);
    EXPECT_NEAR(contacts[0].gap, gap, 1e-15);
    EXPECT_NEAR(contacts[0].normal_w[0], -1.0, 1e-15);
    state.velocity[0][0] = 90.0;  // would come 0.45 m far
    EXPECT_TRUE(contacts_of(model, state, reach).empty());
    state.velocity[0][0] = -100.0;
    EXPECT_TRUE(contacts_of(model, state, reach).empty());
    state.velocity[0] = {0.0, 100.0, 0.0, 0.0, 0.0, 0.0};
    EXPECT_TRUE(contacts_of(model, state, reach).empty());
}

TEST(Collider, BulletSeesTheHalfSpaceAndTheHalfSpaceComesToRestingBalls) {
    Model model;
    add(model, "ball", Sphere{0.1}, {.position = {3.0, 0.0, 0.5}});
    add(model, "floor", HalfSpace{}, {}, BodyKind::kinematic);
    const Reach reach{.envelope = 0.0, .lookahead_s = 0.01};
    State state = start_of(model);
    EXPECT_TRUE(contacts_of(model, state, reach).empty());
    state.velocity[0][2] = -41.0;
    EXPECT_EQ(contacts_of(model, state, reach).size(), 1U);
    state.velocity[0][2] = -39.0;
    EXPECT_TRUE(contacts_of(model, state, reach).empty());
    state.velocity[0][2] = 0.0;
    state.velocity[1][2] = 41.0;
    EXPECT_EQ(contacts_of(model, state, reach).size(), 1U);
    // Turning about y by -w lifts the floor at x = 3 with 3 w.
    state.velocity[1] = {0.0, 0.0, 0.0, 0.0, -41.0 / 3.0, 0.0};
    EXPECT_EQ(contacts_of(model, state, reach).size(), 1U);
    state.velocity[1][4] = -39.0 / 3.0;
    EXPECT_TRUE(contacts_of(model, state, reach).empty());
}

TEST(Collider, SpinningRodSeesWhatItsEndWillHit) {
    for (const Geometry& post : {Geometry{Sphere{0.1}}, Geometry{Box{{0.1, 0.1, 0.1}}}}) {
        Model model;
        add(model, "a rod", Capsule{.radius = 0.05, .half_length = 1.0});
        add(model, "post", post, {.position = {0.5, 0.0, 1.0}}, BodyKind::fixed);
        State state = start_of(model);
        const Reach reach{.envelope = 0.01, .lookahead_s = 0.01};
        EXPECT_TRUE(contacts_of(model, state, reach).empty());
        state.velocity[0][4] = 40.0;  // about y: the upper end moves along +x with 40 m/s; the gap is 0.35
        EXPECT_FALSE(contacts_of(model, state, reach).empty());
        state.velocity[0][4] = -40.0;
        EXPECT_TRUE(contacts_of(model, state, reach).empty());
    }
}

TEST(Collider, SwingingMeshSeesTheBallAtItsFarEnd) {
    auto soup = std::make_shared<TriangleSoup>();
    soup->vertices = {{0.0, 0.0, 0.0}, {5.0, 0.0, 0.0}, {5.0, 5.0, 0.0}, {0.0, 5.0, 0.0}};
    soup->triangles = {{0, 1, 2}, {0, 2, 3}};
    Model model;
    add(model, "flap", TriangleMesh{soup}, {}, BodyKind::kinematic);
    add(model, "ball", Sphere{0.1}, {.position = {4.5, 2.0, 0.45}});
    State state = start_of(model);
    state.pose[0] = {};
    const Reach reach{.envelope = 0.01, .lookahead_s = 0.01};
    state.velocity[0][4] = -10.0;  // lifts it with 45 m/s below the ball, whose gap is 0.35
    EXPECT_EQ(contacts_of(model, state, reach).size(), 1U);
    state.velocity[0][4] = -7.0;
    EXPECT_TRUE(contacts_of(model, state, reach).empty());
    state.velocity[0][4] = 10.0;
    EXPECT_TRUE(contacts_of(model, state, reach).empty());
}

// ---- order and sameness -----------------------------------------------------------------------------------

/// A heap of all kinds of shapes, compounds among them, over a floor, a hill and a fixed block; bodies are
/// added in the order given.
Model heap(int count, const std::vector<int>& order) {
    const Hull hull = make_hull(std::vector<Vec3>{{0.3, 0.0, 0.0},
                                                  {-0.3, 0.1, 0.0},
                                                  {0.0, 0.35, 0.1},
                                                  {0.0, -0.3, 0.0},
                                                  {0.1, 0.0, 0.4},
                                                  {0.0, 0.1, -0.3}});
    auto grid = std::make_shared<HeightGrid>();
    *grid = {.columns = 9, .rows = 9, .spacing_x = 0.5, .spacing_y = 0.5, .heights = {}};
    for (int k = 0; k < 81; ++k) grid->heights.push_back(0.2 * std::sin(0.7 * k));
    std::vector<BodyDefinition> bodies;
    test::Random random(3);
    for (int i = 0; i < count; ++i) {
        BodyDefinition body;
        body.name = "body " + std::to_string(i);
        body.pose = {
            .position = {random.uniform(0.0, 4.0), random.uniform(0.0, 4.0), random.uniform(0.0, 2.0)},
            .orientation = normalised({random.normal(), random.normal(), random.normal(), random.normal()})};
        body.velocity = {random.normal(), random.normal(), random.normal()};
        body.angular_velocity = {random.normal(), random.normal(), random.normal()};
        const double size = random.uniform(0.1, 0.4);
        const std::vector<Geometry> kinds{Sphere{size},         Box{{size, 0.2, 0.3}}, Capsule{0.2, size},
                                          Cylinder{size, 0.25}, Cone{size, 0.3},       hull};
        body.shapes.push_back(shape(kinds[static_cast<std::size_t>(i) % kinds.size()]));
        if (i % 4 == 0) {
            body.shapes.push_back(shape(Sphere{0.2}, {.position = {0.3, 0.0, 0.0}}));
            body.shapes.push_back(shape(Box{{0.1, 0.1, 0.4}}, {.position = {0.0, 0.3, 0.0}}));
        }
        bodies.push_back(body);
    }
    for (const auto& [name, geometry] : std::vector<std::pair<std::string, Geometry>>{
             {"floor", HalfSpace{}}, {"a block", Box{{0.5, 0.5, 0.5}}}, {"hill", HeightField{grid}}}) {
        BodyDefinition body;
        body.name = name;
        body.kind = BodyKind::fixed;
        body.shapes.push_back(shape(geometry));
        bodies.push_back(body);
    }
    Model model;
    for (const int k : order) add_body(model, bodies[static_cast<std::size_t>(k)]);
    return model;
}

/// A contact by names instead of numbers.
struct Named {
    std::string a, b;
    int shape_a, shape_b;  ///< within their bodies
    std::uint32_t feature;
    Vec3 point, normal;
    double gap;
    bool operator==(const Named&) const = default;
};

std::vector<Named> named(const Model& model, const std::vector<Contact>& contacts) {
    const auto within = [&](int s) {
        int k = 0;
        while (s - k > 0 && model.shapes[s - k - 1].body == model.shapes[s].body) ++k;
        return k;
    };
    std::vector<Named> out;
    for (const Contact& c : contacts) {
        out.push_back({model.bodies[c.body_a].name, model.bodies[c.body_b].name, within(c.shape_a),
                       within(c.shape_b), c.feature, c.point_w, c.normal_w, c.gap});
    }
    return out;
}

std::vector<int> numbers(int count) {
    std::vector<int> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    return order;
}

constexpr Reach heap_reach{.envelope = 0.02, .lookahead_s = 0.01};

TEST(Collider, OrderOfInsertionChangesNoBit) {
    std::vector<int> order = numbers(123);
    const Model first = heap(120, order);
    const auto expected = named(first, contacts_of(first, heap_reach));
    EXPECT_GT(expected.size(), 500U);
    std::mt19937 engine(1);
    for (int k = 0; k < 5; ++k) {
        std::shuffle(order.begin(), order.end(), engine);
        const Model model = heap(120, order);
        EXPECT_EQ(named(model, contacts_of(model, heap_reach)), expected);
    }
}

TEST(Collider, ThreadsChangeNoBit) {
    const auto on_threads = [](const Model& model, std::size_t threads) {
        const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
        return named(model, contacts_of(model, {.envelope = 0.002}));
    };
    Model balls;  // enough for several waves of pairs
    test::Random random(2);
    for (int i = 0; i < 15000; ++i) {
        add(balls, "ball " + std::to_string(i), Sphere{0.5},
            {.position = {i % 25 + random.uniform(0.0, 0.1), i / 25 % 25 + random.uniform(0.0, 0.1),
                          0.9 * (i / 625)}});
    }
    for (const Model& model : {heap(500, numbers(503)), balls}) {
        const auto one = on_threads(model, 1);
        EXPECT_GT(one.size(), 5000U);
        EXPECT_EQ(on_threads(model, 2), one);
        EXPECT_EQ(on_threads(model, 4), one);
    }
}

TEST(Collider, EarlierCallsChangeNoBit) {
    const Model model = heap(60, numbers(63));
    Collider collider(model);
    ContactSet contacts;
    State other = start_of(model);
    for (Pose& pose : other.pose) pose.position = 0.5 * pose.position;
    collider.collide(other, {.envelope = 0.3}, contacts);
    collider.collide(start_of(model), heap_reach, contacts);
    EXPECT_EQ(named(model, contacts.contacts), named(model, contacts_of(model, heap_reach)));
}

TEST(Collider, ContactsAreSortedAndTheirKeysAreUnique) {
    std::vector<int> order = numbers(203);
    std::shuffle(order.begin(), order.end(), std::mt19937(5));
    const Model model = heap(200, order);
    const auto contacts = contacts_of(model, heap_reach);
    std::vector<int> rank(model.bodies.size());
    const std::vector<int> by_rank = body_order(model);
    for (std::size_t k = 0; k < by_rank.size(); ++k) rank[by_rank[k]] = static_cast<int>(k);
    const auto key = [&](const Contact& c) {
        return std::tuple(rank[c.body_a], rank[c.body_b], c.shape_a, c.shape_b, c.feature);
    };
    for (std::size_t k = 0; k < contacts.size(); ++k) {
        const Contact& c = contacts[k];
        EXPECT_LT(rank[c.body_a], rank[c.body_b]);
        EXPECT_EQ(model.shapes[c.shape_a].body, c.body_a);
        EXPECT_EQ(model.shapes[c.shape_b].body, c.body_b);
        EXPECT_NEAR(length(c.normal_w), 1.0, 1e-12);
        if (k > 0) {
            EXPECT_LT(key(contacts[k - 1]), key(c));
        }
    }
}

/// All pairs of spheres and the floor, without a broad phase.
TEST(Collider, SpheresTouchThoseThatAllPairsGive) {
    test::Random random(9);
    for (const double lookahead : {0.0, 0.02}) {
        Model model;
        add(model, "floor", HalfSpace{}, {}, BodyKind::fixed);
        for (int i = 0; i < 600; ++i) {
            const Vec3 at{random.uniform(0.0, 3.0), random.uniform(0.0, 3.0), random.uniform(0.0, 3.0)};
            add(model, "ball " + std::to_string(i), Sphere{0.02 * std::pow(20.0, random.uniform(0.0, 1.0))},
                {.position = at});
        }
        State state = start_of(model);
        for (Vec6& v : state.velocity) v = {random.normal(), random.normal(), random.normal(), 0.0, 0.0, 0.0};
        state.velocity[0] = {};
        const Reach reach{.envelope = 0.01, .lookahead_s = lookahead};
        const auto contacts = contacts_of(model, state, reach);
        std::size_t sure = 0;
        std::size_t possible = 0;
        for (std::size_t i = 1; i < model.bodies.size(); ++i) {
            const double ri = std::get<Sphere>(model.shapes[i].geometry).radius;
            const double floor_reach = 0.01 + lookahead * std::max(0.0, -state.velocity[i][2]);
            if (state.pose[i].position[2] - ri < floor_reach) ++sure, ++possible;
            for (std::size_t j = i + 1; j < model.bodies.size(); ++j) {
                const double rj = std::get<Sphere>(model.shapes[j].geometry).radius;
                const Vec3 apart = state.pose[i].position - state.pose[j].position;
                const double gap = length(apart) - ri - rj;
                const Vec3 relative = linear(state.velocity[i]) - linear(state.velocity[j]);
                const double closing = std::max(0.0, -dot(relative, direction(apart)));
                // Beyond the envelope pairs count whose swept boxes meet.  Surely those that really come so
                // near.
                const bool comes = length(apart + lookahead * relative) - ri - rj < 0.005;
                if (gap < 0.01 || (gap < 0.01 + lookahead * closing && comes)) ++sure;
                if (gap < 0.01 + lookahead * closing) ++possible;
            }
        }
        EXPECT_GE(contacts.size(), sure);
        EXPECT_LE(contacts.size(), possible);
        if (lookahead == 0.0) {
            EXPECT_EQ(contacts.size(), possible);
        }
        EXPECT_GT(sure, 300U);
    }
}

TEST(Collider, CoincidentShapesGiveFiniteContacts) {
    for (const Geometry& geometry :
         {Geometry{Sphere{0.5}}, Geometry{Box{}}, Geometry{Capsule{}}, Geometry{Cylinder{}}}) {
        Model model;
        for (int k = 0; k < 5; ++k) add(model, std::to_string(k), geometry);
        add(model, "floor", HalfSpace{}, {}, BodyKind::fixed);
        for (const Contact& c : contacts_of(model, {.envelope = 0.01, .lookahead_s = 0.01})) {
            EXPECT_TRUE(std::isfinite(c.gap));
            EXPECT_NEAR(length(c.normal_w), 1.0, 1e-9);
            EXPECT_TRUE(std::isfinite(c.point_w[0] + c.point_w[1] + c.point_w[2]));
        }
    }
}

TEST(Collider, BodiesWhoseStateIsUndefinedTouchNobody) {
    Model model = two_balls();
    add(model, "c", Sphere{0.5}, {.position = {0.45, 0.5, 0.0}});
    add(model, "floor", HalfSpace{}, {.position = {0.0, 0.0, -0.5}}, BodyKind::fixed);
    State state = start_of(model);
    EXPECT_EQ(contacts_of(model, state).size(), 6U);
    state.pose[0].position[1] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(contacts_of(model, state).size(), 3U);
    state = start_of(model);
    state.velocity[0][3] = infinity;
    EXPECT_EQ(contacts_of(model, state, {.envelope = 0.01, .lookahead_s = 0.01}).size(), 3U);
}

TEST(Collider, SecondCallsAllocateNothing) {
    const Model model = heap(100, numbers(103));
    const State state = start_of(model);
    Collider collider(model);
    ContactSet contacts;
    collider.collide(state, heap_reach, contacts);
    const std::int64_t before = allocations;
    collider.collide(state, heap_reach, contacts);
    EXPECT_EQ(allocations, before);
}

TEST(Collider, CountsWhatItLookedAt) {
    Model model = two_balls();
    add(model, "c", Sphere{0.5}, {.position = {0.9, 0.9, 0.9}});
    Collider collider(model);
    ContactSet contacts;
    collider.collide(start_of(model), {}, contacts);
    EXPECT_EQ(collider.counts().candidate_pairs, 3);
    EXPECT_EQ(collider.counts().touching_pairs, 1);
}

}  // namespace
}  // namespace uptack

// The benchmark is only worth something if its meters are right and all engines are given the same scene.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>

#include "measure.h"
#include "siconos.h"
#include "uptack/certificate.h"
#include "uptack/generators.h"

namespace uptack::peers {

/// How GoogleTest names a parameter.
void PrintTo(const Setting& setting, std::ostream* stream) {
    *stream << setting.engine << " " << setting.name;
}

namespace {

std::vector<BodyState> at_rest(const Scene& scene) {
    std::vector<BodyState> bodies(scene.bodies.size());
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        bodies[i].pose.position = scene.bodies[i].position;
        bodies[i].velocity = join(scene.bodies[i].velocity, scene.bodies[i].spin);
    }
    return bodies;
}

TEST(Meters, OverlapOfSpheresIsTheirMissingDistance) {
    Scene scene;
    scene.planes = {{{0.0, 0.0, 1.0}, 0.5}};
    scene.bodies = {solid_sphere(0.2, 1000.0, {0.0, 0.0, 1.0}), solid_sphere(0.3, 1000.0, {0.497, 0.0, 1.0})};
    PenetrationMeter meter(scene);
    std::vector<BodyState> bodies = at_rest(scene);
    EXPECT_NEAR(meter(bodies), 0.003, 1e-15);
    bodies[0].pose.position = {5.0, 0.0, 0.69};  // 0.01 into the plane at 0.5
    EXPECT_NEAR(meter(bodies), 0.010, 1e-15);
    bodies[0].pose.position = {5.0, 0.0, 0.7 + 1e-9};
    EXPECT_EQ(meter(bodies), 0.0);
}

TEST(Meters, OverlapOfBoxesIsMeasuredByOurCollider) {
    Scene scene;
    scene.planes = {{}};
    scene.bodies = {solid_box({0.5, 0.5, 0.1}, 1.0, {0.0, 0.0, 0.098}),
                    solid_box({0.5, 0.5, 0.1}, 1.0, {0.1, 0.0, 0.293})};
    PenetrationMeter meter(scene);
    std::vector<BodyState> bodies = at_rest(scene);
    EXPECT_NEAR(meter(bodies), 0.005, 1e-9);  // of the two; 0.002 into the ground
    bodies[1].pose.position[2] = 1.0;
    EXPECT_NEAR(meter(bodies), 0.002, 1e-9);
    bodies[0].pose.position[2] = 0.1001;
    EXPECT_EQ(meter(bodies), 0.0);
}

TEST(Meters, DriftIsTheDistanceOfTheHeldPoints) {
    Scene scene;
    scene.bodies = {solid_box({0.5, 0.1, 0.1}, 1.0, {0.5, 0.0, 0.0}),
                    solid_box({0.5, 0.1, 0.1}, 1.0, {1.5, 0.0, 0.0})};
    scene.joints = {{no_body, 0, {0.0, 0.0, 0.0}}, {0, 1, {1.0, 0.0, 0.0}}};
    std::vector<BodyState> bodies = at_rest(scene);
    EXPECT_EQ(joint_drift(scene, bodies), 0.0);
    bodies[1].pose.position += {0.0, 0.003, 0.004};
    EXPECT_NEAR(joint_drift(scene, bodies), 0.005, 1e-15);
    // Both turned by a quarter about the first joint: nothing drifts.
    const Quaternion quarter = turn({0.0, 1.0, 0.0}, std::acos(0.0));
    for (std::size_t i = 0; i < 2; ++i) bodies[i].pose = {rotate(quarter, scene.bodies[i].position), quarter};
    EXPECT_NEAR(joint_drift(scene, bodies), 0.0, 1e-15);
}

TEST(Meters, EnergyIsTakenAtTheTimeOfTheVelocities) {
    Scene scene;
    scene.bodies = {solid_box({0.5, 0.3, 0.1}, 3.0, {0.0, 0.0, 2.0})};
    scene.bodies[0].velocity = {0.0, 0.0, -4.0};
    scene.bodies[0].spin = {0.0, 0.0, 7.0};
    const std::vector<BodyState> bodies = at_rest(scene);
    // The body's inertia about z is m (0.25 + 0.09) / 3.
    const double kinetic = 0.5 * 3.0 * 16.0 + 0.5 * 0.34 * 49.0;
    EXPECT_NEAR(total_energy(scene, bodies, 0.0), kinetic + 3.0 * 9.81 * 2.0, 1e-12);
    EXPECT_NEAR(total_energy(scene, bodies, 0.1), kinetic + 3.0 * 9.81 * 2.4, 1e-12);
}

TEST(Scenes, NothingOverlapsAndNothingIsLooseAtTheStart) {
    for (const Scene& scene : all_scenes()) {
        const std::vector<BodyState> bodies = at_rest(scene);
        EXPECT_LT(scene.touching ? PenetrationMeter(scene)(bodies) : 0.0, 1e-12) << scene.name;
        EXPECT_LT(joint_drift(scene, bodies), 1e-12) << scene.name;
    }
}

TEST(Scenes, AreAsLargeAsTheirTitlesSay) {
    EXPECT_EQ(pile_scene().bodies.size(), 2000U);
    EXPECT_EQ(wall_scene().bodies.size(), 751U);
    EXPECT_EQ(chain_scene().bodies.size(), 101U);
    EXPECT_EQ(chain_scene().joints.size(), 101U);
    EXPECT_EQ(pyramid_scene().bodies.size(), 210U);
    EXPECT_NEAR(wall_scene().bodies.back().mass, 1000.0, 1e-9);
}

// ---- every engine on scenes with a closed form
// -------------------------------------------------------------

std::vector<BodyState> after(const Setting& setting, const Scene& scene, double seconds) {
    const auto engine = setting.start(scene);
    const auto steps = std::lround(seconds / scene.step_s);
    for (long i = 0; i < steps; ++i) engine->step();
    std::vector<BodyState> bodies;
    engine->read(bodies);
    return bodies;
}

class EveryEngine : public testing::TestWithParam<Setting> {};

TEST_P(EveryEngine, FallsAndSpinsAsTheSceneSays) {
    Scene scene;
    scene.step_s = 1.0 / 240.0;
    scene.gravity = {0.0, 1.0, -9.81};
    scene.bodies = {solid_sphere(0.1, 1000.0, {1.0, 2.0, 3.0}),
                    solid_box({0.1, 0.2, 0.3}, 5.0, {-1.0, 0.0, 0.0})};
    scene.bodies[0].velocity = {0.5, 0.0, 2.0};
    scene.bodies[1].spin = {0.0, 0.0, 3.0};  // about a principal axis: it stays
    const std::vector<BodyState> bodies = after(GetParam(), scene, 1.0);
    const Vec3 expected = {1.5, 2.5, 3.0 + 2.0 - 0.5 * 9.81};
    // First order schemes are off by g h t / 2 = 0.02 m.
    EXPECT_LT(length(bodies[0].pose.position - expected), 0.025);
    EXPECT_NEAR(bodies[1].velocity[5], 3.0, 1e-6);
    EXPECT_LT(
        length(rotate(bodies[1].pose.orientation, {1.0, 0.0, 0.0}) - Vec3{std::cos(3.0), std::sin(3.0), 0.0}),
        1e-3);
}

TEST_P(EveryEngine, BrakesASlidingBrickByMuG) {
    Scene scene;
    scene.step_s = 1.0 / 240.0;
    scene.planes = {{}};
    scene.friction = 0.4;
    scene.bodies = {solid_box({0.3, 0.2, 0.05}, 20.0, {0.0, 0.0, 0.05})};
    scene.bodies[0].velocity = {3.0, 0.0, 0.0};
    const double distance = 9.0 / (2.0 * 0.4 * 9.81);
    const std::vector<BodyState> bodies = after(GetParam(), scene, 1.2);
    EXPECT_NEAR(bodies[0].pose.position[0], distance, 0.06 * distance);
    EXPECT_LT(length(linear(bodies[0].velocity)), 0.02);
    EXPECT_NEAR(bodies[0].pose.position[2], 0.05, 0.005);
}

TEST_P(EveryEngine, SwingsAPendulumThroughItsLowestPoint) {
    // A box hung by a corner point 1 m from its centre: I = m (1 + 0.02 / 3), released horizontally, so the
    // energy gives omega = sqrt(2 g / (1 + 0.02 / 3)) at the bottom.
    Scene scene;
    scene.step_s = 1.0 / 1000.0;
    scene.touching = false;
    scene.bodies = {solid_box({0.1, 0.1, 0.1}, 2.0, {1.0, 0.0, 0.0})};
    scene.joints = {{no_body, 0, {0.0, 0.0, 0.0}}};
    const auto engine = GetParam().start(scene);
    std::vector<BodyState> bodies;
    double lowest = 0.0;
    double fastest = 0.0;
    double drift = 0.0;
    for (int i = 0; i < 1000; ++i) {
        engine->step();
        engine->read(bodies);
        lowest = std::min(lowest, bodies[0].pose.position[2]);
        fastest = std::max(fastest, bodies[0].velocity[4]);
        drift = std::max(drift, joint_drift(scene, bodies));
    }
    EXPECT_NEAR(lowest, -1.0, 0.01);
    EXPECT_NEAR(fastest, std::sqrt(2.0 * 9.81 / (1.0 + 0.02 / 3.0)), 0.03);
    EXPECT_LT(drift, 0.01);
}

TEST_P(EveryEngine, HoldsABallBetweenTheWalls) {
    // All five planes of the pile face inwards for everyone.
    Scene scene = pile_scene(27);
    const std::vector<BodyState> bodies = after(GetParam(), scene, 2.0);
    EXPECT_LT(PenetrationMeter(scene)(bodies), 0.02);
    for (const BodyState& body : bodies) EXPECT_LT(body.pose.position[2], 0.4);
}

std::string test_name(const testing::TestParamInfo<Setting>& info) {
    std::string name = info.param.engine + "_" + info.param.name;
    std::replace_if(
        name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; },
        '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Peers, EveryEngine, testing::ValuesIn(all_engines().settings), test_name);

#ifdef UPTACK_PEER_SICONOS

// ---- Siconos's solvers on our problems
// -----------------------------------------------------------------------

/// A block of 2 kg without lever arms, thrown down at 1 m/s and along the ground at (3, 4) m/s.  It stays
/// down and slides on: x_n = 2 kg * 1 m/s, and mu x_n against the motion.  Nothing in it is the same with a
/// sign or two rows exchanged.
constexpr double sliding_mu = 0.3;
constexpr std::array<double, 3> sliding_impulse = {2.0, -0.6 * sliding_mu * 2.0, -0.8 * sliding_mu * 2.0};

Problem sliding_block(const FrictionCone& law = {.mu = sliding_mu, .model = FrictionModel::exact}) {
    Problem problem;
    problem.bodies = {{.inverse_mass = 0.5, .free_velocity = {3.0, 4.0, -1.0, 0.0, 0.0, 0.0}}};
    const std::array<JacobianRow, 3> rows = {JacobianRow{.a = {0.0, 0.0, 1.0}}, JacobianRow{.a = {1.0}},
                                             JacobianRow{.a = {0.0, 1.0}}};
    add_block(problem, law, 0, no_body, rows, std::array<double, 3>{});
    return problem;
}

class EverySiconosSolver : public testing::TestWithParam<SiconosMethod> {};

TEST_P(EverySiconosSolver, GivesASlidingBlockItsImpulses) {
    const Problem problem = sliding_block();
    ASSERT_EQ(siconos_refusal(problem), "");
    const SiconosAnswer answer = SiconosProblem(problem).solve({.method = GetParam(), .tolerance = 1e-10});
    EXPECT_EQ(answer.trouble, "");
    ASSERT_EQ(answer.impulse.size(), 3U);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(answer.impulse[k], sliding_impulse[k], 1e-8) << k;
    EXPECT_LT(certify(problem, answer.impulse).relative_error, 1e-8);
    EXPECT_LT(answer.claimed_error.value_or(1.0), 1e-10);
}

TEST_P(EverySiconosSolver, SolvesASoftHeapByOurCertificate) {
    // Contacts that share bodies: blocks of W beside its diagonal, and these are not symmetric.  Soft,
    // because in a stiff heap W is singular, and then only nsgs can be counted on.
    Problem problem = generate_sphere_packing(
        {.spheres = 20, .contacts = 0, .mu = 0.3, .model = FrictionModel::exact, .shaken = true});
    std::vector<double> compliance;
    for (const Block& block : problem.blocks)
        compliance.insert(compliance.end(), 3, diagonal_entry(problem, block, block.first_row));
    problem.compliance = compliance;
    const SiconosAnswer answer = SiconosProblem(problem).solve({.method = GetParam(), .tolerance = 1e-10});
    EXPECT_EQ(answer.trouble, "");
    EXPECT_LT(certify(problem, answer.impulse).relative_error, 1e-7);
}

INSTANTIATE_TEST_SUITE_P(Peers, EverySiconosSolver,
                         testing::Values(SiconosMethod::nsgs, SiconosMethod::newton_alart_curnier,
                                         SiconosMethod::newton_fischer, SiconosMethod::admm));

TEST(Siconos, MeasuresByTheNaturalMapOverTheFreeVelocity) {
    // With r = 0 the block has u = q = (-1, 3, 4) and u~ = (-1 + 5 mu, 3, 4); the nearest point of the cone
    // to -u~ = (-0.5, -3, -4) is s (1, -0.6 mu, -0.8 mu) with s = (5 mu - 0.5) / (1 + mu^2).
    const double s = (5.0 * sliding_mu - 0.5) / (1.0 + sliding_mu * sliding_mu);
    const SiconosProblem problem(sliding_block());
    EXPECT_NEAR(problem.error(std::array<double, 3>{}),
                s * std::sqrt(1.0 + sliding_mu * sliding_mu) / std::sqrt(26.0), 1e-12);
    EXPECT_NEAR(problem.error(sliding_impulse), 0.0, 1e-12);
}

TEST(Siconos, IsNotAskedForOtherLaws) {
    EXPECT_NE(siconos_refusal(sliding_block({.mu = 0.3})).find("convex"), std::string::npos);
    EXPECT_NE(siconos_refusal(generate_chain({.links = 2})).find("bilateral"), std::string::npos);
    EXPECT_NE(siconos_refusal(Problem{}), "");
    Problem flat = sliding_block();
    flat.blocks[0].rows = 2;
    EXPECT_NE(siconos_refusal(flat).find("2 rows"), std::string::npos);
}

TEST(Siconos, IsCutAtItsLimitAndLeavesItsLastImpulses) {
    const Problem problem =
        generate_sphere_packing({.spheres = 300, .contacts = 0, .mu = 0.3, .model = FrictionModel::exact});
    const SiconosAnswer answer = SiconosProblem(problem).solve({.tolerance = 1e-30, .limit_s = 0.2});
    EXPECT_EQ(answer.trouble, "cut after 0.2 s");
    EXPECT_GT(answer.seconds, 0.15);
    EXPECT_FALSE(answer.claimed_error.has_value());
    EXPECT_LT(certify(problem, answer.impulse).relative_error, 0.5);
}

#endif

}  // namespace
}  // namespace uptack::peers

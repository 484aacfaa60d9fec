#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "generators/fingerprint.h"
#include "uptack/generators.h"
#include "uptack/input_error.h"

namespace uptack::test {
namespace {

std::string faults_of(const Problem& problem) {
    std::string text;
    for (const Fault& fault : validate(problem)) text += fault.where + ": " + fault.message + "\n";
    return text;
}

std::set<std::size_t> laws_of(const Problem& problem) {
    std::set<std::size_t> laws;
    for (const Block& block : problem.blocks) laws.insert(block.law.index());
    return laws;
}

template <typename Error>
std::string message_of(const std::string& name, const GeneratorRequest& request) {
    try {
        generate(name, request);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

const std::size_t bilateral = Law{Bilateral{}}.index();
const std::size_t unilateral = Law{Unilateral{}}.index();
const std::size_t cone = Law{FrictionCone{}}.index();

// The golden numbers: when one changes, so did a benchmark problem.  See the README of the station.
constexpr std::uint64_t golden_b1 = 4563159561387054660ULL;
constexpr std::uint64_t golden_b2 = 5526768220048877173ULL;
constexpr std::uint64_t golden_b3 = 10580523744571054737ULL;
constexpr std::uint64_t golden_shaker = 1176569599716080667ULL;
constexpr std::uint64_t golden_chain = 16316146936070710077ULL;

TEST(NamedGenerator, B1Has1000PartsAnd3500BilateralRows) {
    const Problem problem = generate("b1");
    EXPECT_EQ(problem.name, "b1");
    EXPECT_EQ(problem.bodies.size(), 1000U);
    EXPECT_EQ(problem.body_names.size(), 1000U);
    EXPECT_EQ(problem.row_count(), 3500);
    EXPECT_EQ(problem.blocks.size(), 1167U);
    EXPECT_EQ(problem.blocks.back().rows, 2);
    EXPECT_EQ(laws_of(problem), std::set{bilateral});
    EXPECT_EQ(faults_of(problem), "");
    EXPECT_EQ(fingerprint(problem), golden_b1);
}

TEST(NamedGenerator, B2Has1000SpheresAnd3525UnilateralRows) {
    const Problem problem = generate("b2");
    EXPECT_EQ(problem.bodies.size(), 1001U);  // and the box
    EXPECT_EQ(problem.body_names.back(), "box");
    EXPECT_EQ(problem.row_count(), 3525);
    EXPECT_EQ(laws_of(problem), std::set{unilateral});
    EXPECT_EQ(faults_of(problem), "");
    EXPECT_EQ(fingerprint(problem), golden_b2);
}

TEST(NamedGenerator, B2WithFrictionHasThreeRowsPerContact) {
    const Problem problem = generate("b2-friction");
    EXPECT_EQ(problem.row_count(), 3 * 3525);
    EXPECT_EQ(laws_of(problem), std::set{cone});
    EXPECT_EQ(std::get<FrictionCone>(problem.blocks[0].law).mu, 0.3);
    EXPECT_EQ(faults_of(problem), "");
}

TEST(NamedGenerator, B3Has20PlatesAnd80Contacts) {
    const Problem problem = generate("b3", {.model = FrictionModel::exact});
    EXPECT_EQ(problem.bodies.size(), 20U);
    EXPECT_EQ(problem.blocks.size(), 80U);
    EXPECT_EQ(problem.row_count(), 240);
    EXPECT_EQ(std::get<FrictionCone>(problem.blocks[0].law).mu, 0.5);
    EXPECT_EQ(std::get<FrictionCone>(problem.blocks[0].law).model, FrictionModel::exact);
    EXPECT_EQ(faults_of(problem), "");
    EXPECT_EQ(fingerprint(generate("b3")), golden_b3);
}

TEST(NamedGenerator, WallHas750BricksAndABall) {
    const Problem problem = generate("wall");
    EXPECT_EQ(problem.bodies.size(), 751U);
    EXPECT_EQ(problem.body_names.back(), "ball");
    EXPECT_EQ(problem.blocks.size(), 8685U);
    EXPECT_EQ(laws_of(problem), std::set{cone});
    EXPECT_EQ(faults_of(problem), "");
}

TEST(NamedGenerator, ShakerHas1900SpheresAnd6500ContactsInAMovingBox) {
    const Problem problem = generate("shaker");
    EXPECT_EQ(problem.bodies.size(), 1901U);
    EXPECT_EQ(problem.row_count(), 6500);
    EXPECT_EQ(laws_of(problem), std::set{unilateral});
    EXPECT_EQ(problem.bodies.back().inverse_mass, 0.0);
    EXPECT_EQ(problem.bodies.back().free_velocity, (Vec6{0.6, 0.0, 0.3, 0.0, 0.0, 0.0}));
    EXPECT_EQ(faults_of(problem), "");
    EXPECT_EQ(fingerprint(problem), golden_shaker);
}

TEST(NamedGenerator, ChainHas100LinksAnd300Rows) {
    const Problem problem = generate("chain");
    EXPECT_EQ(problem.bodies.size(), 100U);
    EXPECT_EQ(problem.row_count(), 300);
    EXPECT_EQ(problem.bodies.back().inverse_mass, 1.0 / 1000.0);
    EXPECT_EQ(faults_of(problem), "");
    EXPECT_EQ(fingerprint(problem), golden_chain);
}

TEST(NamedGenerator, EveryListedNameMakesAValidProblemOfAnySize) {
    EXPECT_EQ(list_generators().size(), 9U);
    for (const NamedGenerator& generator : list_generators()) {
        for (const int size : {2, 3, 7}) {
            const Problem problem = generate(generator.name, {.size = size});
            EXPECT_EQ(problem.name, generator.name);
            EXPECT_GT(problem.row_count(), 0) << generator.name;
            EXPECT_EQ(faults_of(problem), "") << generator.name;
        }
    }
}

TEST(NamedGenerator, SameSeedSameBitsOtherSeedOtherBits) {
    for (const char* name : {"b1", "b2-friction", "b3", "wall", "shaker", "random"}) {
        const auto print = [&](std::uint64_t seed) {
            return fingerprint(generate(name, {.seed = seed, .size = 8}));
        };
        EXPECT_EQ(print(1), print(1)) << name;
        EXPECT_NE(print(1), print(2)) << name;
    }
}

TEST(NamedGenerator, AnUnknownNameIsAnsweredWithTheKnownOnes) {
    const std::string message = message_of<InputError>("b7", {});
    EXPECT_NE(message.find("b7"), std::string::npos) << message;
    for (const NamedGenerator& generator : list_generators()) {
        EXPECT_NE(message.find(generator.name), std::string::npos) << message;
    }
}

TEST(NamedGenerator, HostileRequestsAreRefusedBeforeAnythingIsAllocated) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const NamedGenerator& generator : list_generators()) {
        const std::string& name = generator.name;
        EXPECT_NE(message_of<InputError>(name, {.size = -1}), "") << name;
        EXPECT_NE(message_of<LimitError>(name, {.size = 2'000'001}), "") << name;
        EXPECT_NE(message_of<LimitError>(name, {.size = std::numeric_limits<std::int64_t>::max()}), "")
            << name;
        EXPECT_NE(message_of<InputError>(name, {.mass_ratio = -1.0}), "") << name;
        EXPECT_NE(message_of<InputError>(name, {.mass_ratio = nan}), "") << name;
        EXPECT_NE(message_of<InputError>(name, {.mu = -0.5}), "") << name;
        EXPECT_NE(message_of<InputError>(name, {.mu = nan}), "") << name;
        EXPECT_NE(message_of<InputError>(name, {.mu = infinity}), "") << name;
    }
    EXPECT_NE(message_of<InputError>("b1", {.size = 1}), "");
    EXPECT_NE(message_of<LimitError>("b1", {.size = 126}), "");
}

TEST(NamedGenerator, WhatAProblemDoesNotHaveCannotBeAskedFor) {
    EXPECT_NE(message_of<InputError>("b2", {.mu = 0.3}), "");
    EXPECT_NE(message_of<InputError>("b1", {.mass_ratio = 10.0}), "");
}

TEST(Generator, OptionsThatMakeNoSenseAreRefused) {
    EXPECT_THROW(generate_joint_network({.edge = 0}), InputError);
    EXPECT_THROW(generate_sphere_packing({.spheres = 0}), InputError);
    EXPECT_THROW(generate_sphere_packing({.spheres = 10, .contacts = -1}), InputError);
    EXPECT_THROW(generate_sphere_packing({.spheres = 10, .contacts = 1000}), InputError);
    EXPECT_THROW(generate_sphere_packing({.spheres = 10, .contacts = 0, .mu = -0.1}), InputError);
    EXPECT_THROW(generate_plate_stack({.mass_ratio = 0.0}), InputError);
    EXPECT_THROW(generate_chain({.links = 0}), InputError);
    EXPECT_THROW(generate_random({.bodies = 0}), InputError);
    EXPECT_THROW(generate_random({.blocks = 0}), InputError);
    EXPECT_THROW(generate_random({.compliance = -1.0}), InputError);
}

}  // namespace
}  // namespace uptack::test

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <iostream>

#include "generators/fingerprint.h"
#include "generators/rigid_motion.h"
#include "sphere_bed.h"
#include "support/tolerance.h"
#include "uptack/generators.h"

namespace uptack::test {
namespace {

using namespace generators;

// Contacts found the slow way: every pair, every image.
std::vector<double> all_gaps(const SphereBed& bed, double margin) {
    std::vector<double> gaps;
    const int images = bed.sides == Sides::periodic ? 1 : 0;
    for (std::size_t i = 0; i < bed.position.size(); ++i) {
        for (std::size_t j = i + 1; j < bed.position.size(); ++j) {
            for (int x = -images; x <= images; ++x) {
                for (int y = -images; y <= images; ++y) {
                    const Vec3 shift = {x * bed.length_x, y * bed.length_y, 0.0};
                    const double gap =
                        length(bed.position[i] - bed.position[j] - shift) - 2.0 * sphere_radius;
                    if (gap < margin) gaps.push_back(gap);
                }
            }
        }
    }
    std::sort(gaps.begin(), gaps.end());
    return gaps;
}

std::vector<double> found_gaps(const SphereBed& bed, double margin) {
    std::vector<double> gaps;
    for (const SphereContact& contact : find_contacts(bed, margin)) {
        if (contact.other != the_box) gaps.push_back(contact.gap);
    }
    std::sort(gaps.begin(), gaps.end());
    return gaps;
}

void expect_same_gaps(const SphereBed& bed, double margin) {
    const std::vector<double> expected = all_gaps(bed, margin);
    const std::vector<double> found = found_gaps(bed, margin);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], tolerance(1e-14));
}

double deepest_gap(const SphereBed& bed) {
    double deepest = 0.0;
    for (const SphereContact& contact : find_contacts(bed, 0.0)) deepest = std::min(deepest, contact.gap);
    return deepest;
}

// Share of a slab in the middle of the bed, away from its uneven top, that is filled by spheres whose centre
// is in it.
double filled_share(const SphereBed& bed) {
    const double low = 4.0 * sphere_radius;
    const double high = 12.0 * sphere_radius;
    int inside = 0;
    for (const Vec3& p : bed.position) inside += p[2] >= low && p[2] < high ? 1 : 0;
    const double sphere_volume = 4.0 / 3.0 * 3.14159265358979 * sphere_radius * sphere_radius * sphere_radius;
    return inside * sphere_volume / (bed.length_x * bed.length_y * (high - low));
}

TEST(SphereBed, NeighbourSearchFindsWhatComparingAllPairsFinds) {
    expect_same_gaps(settle_spheres(150, 3, Sides::walls), 0.6 * sphere_radius);
    expect_same_gaps(settle_spheres(400, 3, Sides::periodic), 0.6 * sphere_radius);
}

TEST(SphereBed, SettledSpheresAreDenseAndHardlyPenetrate) {
    for (const Sides sides : {Sides::walls, Sides::periodic}) {
        const SphereBed bed = settle_spheres(600, 1, sides);
        EXPECT_GT(deepest_gap(bed), -0.03 * sphere_radius);
        EXPECT_GT(filled_share(bed), 0.5);
        EXPECT_LT(filled_share(bed), 0.74);
    }
}

TEST(SphereBed, TiledBedIsDenseHardlyPenetratesAndRepeatsNothing) {
    const SphereBed bed = make_bed(10'007, 1);
    EXPECT_EQ(bed.position.size(), 10'007U);
    EXPECT_EQ(bed.sides, Sides::periodic);
    EXPECT_GT(deepest_gap(bed), -0.03 * sphere_radius);
    EXPECT_GT(filled_share(bed), 0.5);
    std::vector<double> gaps = found_gaps(bed, 0.1 * sphere_radius);
    EXPECT_EQ(std::adjacent_find(gaps.begin(), gaps.end()), gaps.end());
    EXPECT_GT(gaps.size(), 3U * 10'007U);
}

TEST(SpherePacking, RowsSeeNothingInACommonMotion) {
    const SphereBed bed = make_bed(200, 4);
    std::vector<Vec3> position = bed.position;
    position.push_back({0.5 * bed.length_x, 0.5 * bed.length_y, 0.0});
    for (const double mu : {0.0, 0.3}) {
        const Problem problem = generate_sphere_packing({.seed = 4, .spheres = 200, .contacts = 0, .mu = mu});
        EXPECT_LE(worst_velocity_in_common_motion(problem, position), tolerance(1e-14));
        EXPECT_LE(worst_frame_error(problem), tolerance(1e-14));
    }
}

TEST(SpherePacking, NormalsPointFromBodyBToBodyAAndBiasFollowsTheGap) {
    const SphereBed bed = make_bed(100, 2);
    const Problem problem = generate_sphere_packing({.seed = 2, .spheres = 100, .contacts = 0});
    for (const Block& block : problem.blocks) {
        if (block.body_b == 100) continue;
        const Vec3 apart = bed.position[block.body_a] - bed.position[block.body_b];
        const double gap = length(apart) - 2.0 * sphere_radius;
        EXPECT_NEAR(dot(direction_of(problem.jacobian[block.first_row]), apart), length(apart),
                    tolerance(1e-15));
        EXPECT_NEAR(problem.bias[block.first_row], (gap > 0.0 ? 1.0 : 0.3) * gap / 0.01, tolerance(1e-13));
    }
}

TEST(SpherePacking, SmoothContactsTurnNothing) {
    const Problem problem = generate_sphere_packing({.spheres = 100, .contacts = 0});
    for (const JacobianRow& row : problem.jacobian) {
        for (std::size_t k = 3; k < 6; ++k) ASSERT_EQ(row.a[k], 0.0);
    }
}

TEST(SpherePacking, TheClosestPairsAreKeptInBodyOrder) {
    const Problem all = generate_sphere_packing({.spheres = 100, .contacts = 0});
    const Problem some = generate_sphere_packing({.spheres = 100, .contacts = all.row_count() / 2});
    EXPECT_EQ(some.row_count(), all.row_count() / 2);

    std::vector<double> bias = all.bias;
    std::sort(bias.begin(), bias.end());
    EXPECT_EQ(*std::max_element(some.bias.begin(), some.bias.end()), bias[some.bias.size() - 1]);

    const auto largest_sphere = [](const Block& block) {
        return block.body_b == 100 ? block.body_a : std::max(block.body_a, block.body_b);
    };
    EXPECT_TRUE(std::is_sorted(some.blocks.begin(), some.blocks.end(), [&](const Block& a, const Block& b) {
        return largest_sphere(a) < largest_sphere(b);
    }));
}

TEST(SpherePacking, ShakingChangesTheBoxVelocityAndNothingElse) {
    Problem still = generate_sphere_packing({.spheres = 50, .contacts = 0, .mu = 0.3});
    const Problem shaken = generate_sphere_packing({.spheres = 50, .contacts = 0, .mu = 0.3, .shaken = true});
    EXPECT_NE(fingerprint(still), fingerprint(shaken));
    still.bodies.back().free_velocity = {0.6, 0.0, 0.3, 0.0, 0.0, 0.0};
    EXPECT_EQ(fingerprint(still), fingerprint(shaken));
}

TEST(SpherePacking, AHundredThousandRowsAreAMatterOfSeconds) {
    const auto start = std::chrono::steady_clock::now();
    const Problem problem = generate_sphere_packing({.spheres = 30'000, .contacts = 0});
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    std::cout << problem.row_count() << " rows in " << seconds.count() << " s\n";
    EXPECT_EQ(problem.bodies.size(), 30'001U);
    EXPECT_TRUE(problem.body_names.empty());
    EXPECT_GT(problem.row_count(), 100'000);
    EXPECT_TRUE(validate(problem).empty());
}

}  // namespace
}  // namespace uptack::test

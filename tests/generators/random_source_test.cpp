#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "random.h"

namespace uptack::test {
namespace {

using namespace generators;

TEST(RandomSource, GivesThePublishedSequence) {
    RandomSource random(1234567);
    EXPECT_EQ(random.next(), 6457827717110365317ULL);
    EXPECT_EQ(random.next(), 3203168211198807973ULL);
    EXPECT_EQ(random.next(), 9817491932198370423ULL);
}

TEST(RandomSource, UniformStaysInItsRangeAndIsCentred) {
    RandomSource random(1);
    double sum = 0.0;
    for (int i = 0; i < 100000; ++i) {
        const double u = random.uniform();
        ASSERT_GE(u, 0.0);
        ASSERT_LT(u, 1.0);
        sum += u;
    }
    EXPECT_NEAR(sum / 100000.0, 0.5, 0.005);  // five standard deviations
}

TEST(RandomSource, LogUniformHalvesItsDecades) {
    RandomSource random(1);
    int below_one = 0;
    for (int i = 0; i < 10000; ++i) {
        const double m = log_uniform(random, 0.1, 100.0);
        ASSERT_GE(m, 0.1);
        ASSERT_LE(m, 10.0 * (1.0 + 1e-14));
        below_one += m < 1.0 ? 1 : 0;
    }
    EXPECT_NEAR(below_one, 5000, 250);
}

TEST(RandomSource, ShuffleKeepsEveryItem) {
    std::vector<int> items(1000);
    std::iota(items.begin(), items.end(), 0);
    const std::vector<int> before = items;
    RandomSource random(5);
    shuffle(items, random);
    EXPECT_NE(items, before);
    std::sort(items.begin(), items.end());
    EXPECT_EQ(items, before);
}

}  // namespace
}  // namespace uptack::test

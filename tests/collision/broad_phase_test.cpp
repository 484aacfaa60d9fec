#include "broad_phase.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "boxes.h"
#include "support/random.h"

namespace uptack::collision {
namespace {

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

Pairs pairs_of(const BroadPhase& broad) {
    Pairs pairs;
    for (std::uint32_t a = 0; a + 1 < broad.starts().size(); ++a) {
        for (std::uint32_t k = broad.starts()[a]; k < broad.starts()[a + 1]; ++k) {
            pairs.emplace_back(a, broad.partners()[k]);
        }
    }
    return pairs;
}

Pairs grid_pairs(const std::vector<SweptBox>& boxes) {
    BroadPhase broad;
    broad.find_pairs(boxes);
    return pairs_of(broad);
}

/// Every box against every other, written apart from the library's own test.
Pairs all_pairs(const std::vector<SweptBox>& boxes) {
    Pairs pairs;
    for (std::uint32_t i = 0; i < boxes.size(); ++i) {
        for (std::uint32_t j = i + 1; j < boxes.size(); ++j) {
            const SweptBox& a = boxes[i];
            const SweptBox& b = boxes[j];
            bool together = a.body != b.body && ((a.flags | b.flags) & 3U) == 3U;
            for (int k = 0; k < 3; ++k) {
                together = together && std::max(a.low[k], b.low[k]) <= std::min(a.high[k], b.high[k]);
            }
            if (together) pairs.emplace_back(i, j);
        }
    }
    return pairs;
}

struct Kind {
    std::string name;
    double smallest = 0.5;
    double largest = 0.5;
    double spread = 10.0;
    Vec3 stretch{1.0, 1.0, 1.0};
    Vec3 offset{};
};

std::vector<SweptBox> random_boxes(const Kind& kind, std::size_t count, std::uint64_t seed) {
    test::Random random(seed);
    std::vector<SweptBox> boxes;
    for (std::uint32_t i = 0; i < count; ++i) {
        Vec3 center = kind.offset;
        Vec3 half{};
        const double size = kind.smallest * std::pow(kind.largest / kind.smallest, random.uniform(0.0, 1.0));
        for (int k = 0; k < 3; ++k) {
            center[k] += kind.spread * kind.stretch[k] * random.uniform(-1.0, 1.0);
            half[k] = size * random.uniform(0.3, 1.0);
        }
        boxes.push_back(enclosing_box(center - half, center + half, i, box_wanted));
    }
    return boxes;
}

TEST(BroadPhase, PairsAreThoseOfTestingAllAgainstAll) {
    const std::vector<Kind> kinds{
        {.name = "equal"},
        {.name = "one to a hundred", .smallest = 0.02, .largest = 2.0, .spread = 6.0},
        {.name = "one to a million", .smallest = 1e-5, .largest = 10.0, .spread = 10.0},
        {.name = "sparse", .spread = 1000.0},
        {.name = "crowded", .spread = 1.0},
        {.name = "a column", .stretch = {0.05, 0.05, 20.0}},
        {.name = "a plate", .stretch = {5.0, 5.0, 0.0}},
        {.name = "far away", .spread = 5.0, .offset = {1e6, -1e6, 3e5}},
    };
    for (const Kind& kind : kinds) {
        for (const std::size_t count : {1U, 2U, 25U, 60U, 700U, 3000U}) {
            const auto boxes = random_boxes(kind, count, count);
            EXPECT_EQ(grid_pairs(boxes), all_pairs(boxes)) << kind.name << ", " << count;
        }
    }
}

TEST(BroadPhase, BoxesThatTouchCellBoundariesAreNotLost) {
    // Corners and sizes on multiples of powers of two: every comparison is a tie.
    std::vector<SweptBox> boxes;
    for (int i = 0; i < 1000; ++i) {
        SweptBox box;
        box.low = {static_cast<float>(i % 10), static_cast<float>(i / 10 % 10), static_cast<float>(i / 100)};
        box.high = box.low;
        for (float& h : box.high) h += 1.0F;
        box.body = static_cast<std::uint32_t>(i);
        box.flags = box_wanted;
        boxes.push_back(box);
    }
    EXPECT_EQ(grid_pairs(boxes), all_pairs(boxes));
}

TEST(BroadPhase, FloorsAndWallsAmongManySmallBoxesAreFound) {
    auto boxes = random_boxes({.name = "", .smallest = 0.05, .largest = 0.1, .spread = 5.0}, 2000, 5);
    for (std::uint32_t i = 0; i < 40; ++i) boxes.push_back(cube({0.0, 0.0, i - 20.0}, 100.0 + i, 5000 + i));
    EXPECT_EQ(grid_pairs(boxes), all_pairs(boxes));
}

TEST(BroadPhase, BoxesThatFlewAwayDisturbNobody) {
    auto boxes = random_boxes({.name = ""}, 1000, 7);
    test::Random random(8);
    for (std::uint32_t i = 0; i < 60; ++i) {
        const double far = std::pow(10.0, random.uniform(3.0, 30.0));
        boxes.push_back(cube({far, -far, far}, 0.5, 5000 + i));
    }
    EXPECT_EQ(grid_pairs(boxes), all_pairs(boxes));
}

TEST(BroadPhase, CoincidentAndPointLikeBoxesMakePairs) {
    std::vector<SweptBox> boxes;
    for (std::uint32_t i = 0; i < 70; ++i) boxes.push_back(cube({1.0, 2.0, 3.0}, 0.5, i));
    for (std::uint32_t i = 70; i < 140; ++i) {
        SweptBox point;
        point.low = point.high = {1.0F, 2.0F, 3.0F};
        point.body = i;
        point.flags = box_wanted;
        boxes.push_back(point);
    }
    EXPECT_EQ(grid_pairs(boxes).size(), 140U * 139U / 2U);
}

TEST(BroadPhase, EmptyInfiniteAndUndefinedBoxesMakeNone) {
    auto boxes = random_boxes({.name = "", .spread = 2.0}, 100, 3);
    const Pairs expected = all_pairs(boxes);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    boxes.emplace_back();
    boxes.push_back(enclosing_box({nan, 0.0, 0.0}, {nan, 1.0, 1.0}, 200, box_wanted));
    boxes.push_back(enclosing_box({-infinity, 0.0, 0.0}, {infinity, 1.0, 1.0}, 201, box_wanted));
    boxes.push_back(enclosing_box({0.0, 0.0, nan}, {1.0, 1.0, nan}, 202, box_wanted));
    EXPECT_EQ(grid_pairs(boxes), expected);
    EXPECT_TRUE(grid_pairs({}).empty());
}

TEST(BroadPhase, PairsNeedADynamicAndAMovingBodyAndTwoBodies) {
    for (const std::size_t others : {0U, 100U}) {  // as a list, and in the grid
        std::vector<SweptBox> boxes;
        for (std::uint32_t i = 0; i < 8; ++i) boxes.push_back(cube({}, 0.5, i / 2, i % 4));
        for (std::uint32_t i = 0; i < others; ++i) boxes.push_back(cube({5.0 + i, 9.0, 9.0}, 0.45, 50 + i));
        EXPECT_EQ(grid_pairs(boxes), all_pairs(boxes));
    }
}

TEST(BroadPhase, PairsOfOthersAreSortedIn) {
    std::vector<SweptBox> boxes{
        cube({}, 0.5, 0), {}, cube({0.1, 0.0, 0.0}, 0.5, 2), cube({0.2, 0.0, 0.0}, 0.5, 3)};
    BroadPhase broad;
    const std::vector<std::uint64_t> more{(1ULL << 32U) | 3U, (0ULL << 32U) | 1U};
    broad.find_pairs(boxes, more);
    EXPECT_EQ(pairs_of(broad), (Pairs{{0, 1}, {0, 2}, {0, 3}, {1, 3}, {2, 3}}));
}

TEST(BroadPhase, LongListsAreSortedToo) {
    auto boxes = random_boxes({.name = "", .spread = 20.0}, 5000, 11);
    boxes.insert(boxes.begin(), cube({}, 50.0, 9000));
    const Pairs pairs = grid_pairs(boxes);
    EXPECT_EQ(pairs, all_pairs(boxes));
    EXPECT_GT(pairs.size(), 5000U);
}

TEST(BroadPhase, EarlierCallsLeaveNoTrace) {
    BroadPhase broad;
    broad.find_pairs(random_boxes({.name = "", .smallest = 0.01, .largest = 3.0}, 2500, 2));
    const auto boxes = random_boxes({.name = ""}, 400, 4);
    broad.find_pairs(boxes);
    EXPECT_EQ(pairs_of(broad), all_pairs(boxes));
}

TEST(BroadPhase, ThreadsChangeNothing) {
    const auto boxes = random_boxes({.name = "", .smallest = 0.1, .largest = 1.0, .spread = 25.0}, 60000, 6);
    Pairs one;
    {
        const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
        one = grid_pairs(boxes);
    }
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 4);
    EXPECT_EQ(grid_pairs(boxes), one);
    EXPECT_GT(one.size(), 10000U);
}

TEST(BroadPhase, FloatBoxesEncloseTheNumbers) {
    test::Random random(1);
    for (int i = 0; i < 20000; ++i) {
        Vec3 low{};
        Vec3 high{};
        for (int k = 0; k < 3; ++k) {
            low[k] = random.normal() * std::pow(10.0, random.uniform(-20.0, 20.0));
            high[k] = low[k] + std::abs(random.normal() * low[k]);
        }
        const SweptBox box = enclosing_box(low, high, 0, 0);
        for (int k = 0; k < 3; ++k) {
            EXPECT_LE(double{box.low[k]}, low[k]);
            EXPECT_GE(double{box.high[k]}, high[k]);
            EXPECT_NEAR(double{box.low[k]}, low[k], 3e-7 * std::abs(low[k]));
        }
    }
}

}  // namespace
}  // namespace uptack::collision

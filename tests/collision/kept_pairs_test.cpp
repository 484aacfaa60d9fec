#include "kept_pairs.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <functional>
#include <limits>
#include <string>

#include "boxes.h"
#include "support/random.h"

namespace uptack::collision {
namespace {

struct Found {
    std::vector<std::uint32_t> starts;
    std::vector<std::uint32_t> partners;
    bool operator==(const Found&) const = default;
};

template <class Finder>
Found find(Finder& finder, const std::vector<SweptBox>& boxes, const std::vector<std::uint64_t>& more = {}) {
    finder.find_pairs(boxes, more);
    const auto list = [](auto span) { return std::vector<std::uint32_t>(span.begin(), span.end()); };
    return {list(finder.starts()), list(finder.partners())};
}

/// Whoever has seen nothing before.
Found find_fresh(const std::vector<SweptBox>& boxes, const std::vector<std::uint64_t>& more = {}) {
    BroadPhase fresh;
    return find(fresh, boxes, more);
}

/// Cubes that wander: most by little, some by much.
class Crowd {
public:
    Crowd(std::size_t count, std::uint64_t seed) : random_(seed) {
        for (std::uint32_t i = 0; i < count; ++i) {
            center_.push_back(
                {random_.uniform(-6.0, 6.0), random_.uniform(-6.0, 6.0), random_.uniform(-6.0, 6.0)});
            half_.push_back(random_.uniform(0.2, 0.8));
        }
        half_[0] = 5.0;  // one among the big
    }

    void move(double way, std::size_t fast) {
        for (std::size_t i = 0; i < center_.size(); ++i) {
            const double far = i >= center_.size() - fast ? 50.0 * way + 0.3 : way;
            for (double& x : center_[i]) x += random_.uniform(-far, far);
        }
    }

    std::vector<SweptBox> boxes() const {
        std::vector<SweptBox> boxes;
        for (std::uint32_t i = 0; i < center_.size(); ++i) boxes.push_back(cube(center_[i], half_[i], i));
        return boxes;
    }

private:
    test::Random random_;
    std::vector<Vec3> center_;
    std::vector<double> half_;
};

struct Walk {
    int steps = 20;
    double way = 1e-4;     ///< of each in a step [m]
    std::size_t fast = 0;  ///< so many go much farther
};

/// How often everything was searched on the way; what was found is that of a fresh search in every step.
int searches_on(const Walk& walk) {
    Crowd crowd(1500, 1);
    KeptPairs kept;
    for (int step = 0; step < walk.steps; ++step) {
        const auto boxes = crowd.boxes();
        const Found found = find(kept, boxes);
        EXPECT_EQ(found, find_fresh(boxes)) << step;
        EXPECT_GT(found.partners.size(), 1000U);
        crowd.move(walk.way, walk.fast);
    }
    return kept.searches();
}

TEST(KeptPairs, WhatRestsIsSearchedOnce) {
    EXPECT_EQ(searches_on({}), 1);
}

TEST(KeptPairs, AFewThatMoveFastAreLookedAfterOneByOne) {
    EXPECT_EQ(searches_on({.fast = 20}), 1);
}

TEST(KeptPairs, WhatSlowlyDriftsIsSearchedNowAndThen) {
    const int searches = searches_on({.steps = 100, .way = 3e-3, .fast = 5});
    EXPECT_GT(searches, 2);
    EXPECT_LT(searches, 50);
}

TEST(KeptPairs, WhereAllMoveFastEverythingIsSearchedEveryTime) {
    EXPECT_EQ(searches_on({.steps = 40, .way = 0.2}), 40);
}

struct Surprise {
    std::string name;
    std::function<void(std::vector<SweptBox>&)> happens;
};

class KeptPairsMeet : public testing::TestWithParam<Surprise> {};

TEST_P(KeptPairsMeet, WhatOtherCallsDidNotSee) {
    Crowd crowd(600, 5);
    KeptPairs kept;
    std::vector<SweptBox> boxes = crowd.boxes();
    find(kept, boxes);
    GetParam().happens(boxes);
    const std::vector<std::uint64_t> more = {(std::uint64_t{3} << 32U) | 590, (std::uint64_t{7} << 32U) | 8};
    boxes[3] = cube({500.0, 0.0, 0.0}, 0.1, 3);
    boxes[8] = cube({600.0, 0.0, 0.0}, 0.1, 8);
    for (int again = 0; again < 3; ++again) EXPECT_EQ(find(kept, boxes, more), find_fresh(boxes, more));
}

const float infinite = std::numeric_limits<float>::infinity();
const float undefined = std::numeric_limits<float>::quiet_NaN();

INSTANTIATE_TEST_SUITE_P(
    All, KeptPairsMeet,
    testing::Values(
        Surprise{"Nothing", [](std::vector<SweptBox>&) {}},
        Surprise{"ABoxMore", [](std::vector<SweptBox>& boxes) { boxes.push_back(cube({}, 1.0, 600)); }},
        Surprise{"FewerBoxes", [](std::vector<SweptBox>& boxes) { boxes.resize(591); }},
        Surprise{"SleepAndWaking",
                 [](std::vector<SweptBox>& boxes) {
                     for (std::size_t i = 0; i < 20; ++i) boxes[20 * i].flags = box_dynamic;
                 }},
        Surprise{"AnotherBody", [](std::vector<SweptBox>& boxes) { boxes[100].body = boxes[0].body; }},
        Surprise{"AnEmptyBox",
                 [](std::vector<SweptBox>& boxes) {
                     std::swap(boxes[100].low[1], boxes[100].high[1]);
                     boxes[101].high[2] = boxes[101].low[2] - 1e-3F;
                 }},
        Surprise{"AnEndlessBox", [](std::vector<SweptBox>& boxes) { boxes[0].high[0] = infinite; }},
        Surprise{"AnUndefinedBox", [](std::vector<SweptBox>& boxes) { boxes[0].low[0] = undefined; }},
        Surprise{"AHugeBox", [](std::vector<SweptBox>& boxes) { boxes[100] = cube({}, 1e4, 100); }},
        Surprise{"AllInOnePlace",
                 [](std::vector<SweptBox>& boxes) {
                     for (std::uint32_t i = 0; i < 30; ++i) boxes[i] = cube({}, 0.5, i);
                 }}),
    [](const auto& one) { return one.param.name; });

TEST(KeptPairs, ThreadsChangeNothing) {
    const auto run = [](int threads) {
        const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
        Crowd crowd(9000, 6);
        KeptPairs kept;
        find(kept, crowd.boxes());
        crowd.move(1e-4, 100);
        return find(kept, crowd.boxes());
    };
    EXPECT_EQ(run(4), run(1));
}

}  // namespace
}  // namespace uptack::collision

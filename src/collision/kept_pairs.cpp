#include "kept_pairs.h"

#include <algorithm>
#include <atomic>

#include "batches.h"

namespace uptack::collision {
namespace {

constexpr float margin_share = 0.02F;       // of the largest extent
constexpr std::size_t worth_keeping = 256;  // boxes: fewer are as quickly searched
constexpr std::size_t stray_share = 16;     // of the boxes: with more strays all are searched,
constexpr std::size_t most_strays = 1000;   // as with these: they are tested each against each
constexpr int fewest_calls = 3;             // that a search with margins must serve to have paid
constexpr int longest_patience = 64;
constexpr std::size_t boxes_per_batch = 1024;

SweptBox widened(SweptBox box) {
    if (!is_box(box) || (box.flags & box_moving) == 0) return box;
    const float margin = margin_share * largest_extent(box);
    for (int k = 0; k < 3; ++k) {
        box.low[k] -= margin;
        box.high[k] += margin;
    }
    return box;
}

bool is_within(const SweptBox& box, const SweptBox& wide) {
    bool within = box.flags == wide.flags && box.body == wide.body && is_box(box) == is_box(wide);
    for (int k = 0; k < 3; ++k) within = within && box.low[k] >= wide.low[k] && box.high[k] <= wide.high[k];
    return within;
}

/// makes_pair() does not ask whether these are boxes at all.
bool makes_real_pair(const SweptBox& a, const SweptBox& b) {
    return is_box(a) && is_box(b) && makes_pair(a, b);
}

std::uint64_t pair_of(std::uint32_t a, std::uint32_t b) {
    return (std::uint64_t{std::min(a, b)} << 32U) | std::max(a, b);
}

}  // namespace

void KeptPairs::find_pairs(Boxes boxes, std::span<const std::uint64_t> more) {
    if (!keeps_ || !find_strays(boxes)) {
        keeps_ = boxes.size() >= worth_keeping && margins_pay();
        if (!keeps_) {
            ++searches_;
            broad_.find_pairs(boxes, more);
            return;
        }
        search(boxes);
    }
    ++calls_;
    find_stray_pairs(boxes);
    sort_others(boxes.size(), more);
    test_kept(boxes);
}

/// False: they are too many, or these are other boxes.
bool KeptPairs::find_strays(Boxes boxes) {
    stray_.clear();
    if (boxes.size() != wide_.size()) return false;
    std::atomic<std::size_t> count = 0;
    for_each_batch(boxes.size(), boxes_per_batch, [&](std::size_t, std::size_t first, std::size_t last) {
        std::size_t some = 0;
        for (std::size_t i = first; i < last; ++i) {
            strayed_[i] = is_within(boxes[i], wide_[i]) ? 0 : 1;
            some += strayed_[i];
        }
        count.fetch_add(some, std::memory_order_relaxed);
    });
    if (count > std::min(most_strays, boxes.size() / stray_share)) return false;
    for (std::size_t i = 0; i < boxes.size() && stray_.size() < count; ++i) {
        if (strayed_[i] != 0) stray_.push_back(static_cast<std::uint32_t>(i));
    }
    return true;
}

/// To be asked before every search.
bool KeptPairs::margins_pay() {
    if (plain_ > 0) {
        --plain_;
        calls_ = fewest_calls;  // when it is over: try again
        return plain_ == 0;
    }
    if (calls_ > 0 && calls_ < fewest_calls) {
        plain_ = patience_;
        patience_ = std::min(2 * patience_, longest_patience);
        return false;
    }
    if (calls_ > 4 * fewest_calls) patience_ = 4;
    return true;
}

void KeptPairs::search(Boxes boxes) {
    ++searches_;
    calls_ = 0;
    wide_.resize(boxes.size());
    std::transform(boxes.begin(), boxes.end(), wide_.begin(), widened);
    strayed_.assign(boxes.size(), 0);
    stray_.clear();
    broad_.find_pairs(wide_);
}

void KeptPairs::find_stray_pairs(Boxes boxes) {
    stray_pair_.clear();
    for (std::size_t i = 0; i < stray_.size(); ++i) {
        const std::uint32_t one = stray_[i];
        for (const std::uint32_t other : broad_.partners_of(boxes[one], wide_)) {
            if (strayed_[other] == 0 && makes_real_pair(boxes[one], boxes[other]))
                stray_pair_.push_back(pair_of(one, other));
        }
        for (std::size_t j = i + 1; j < stray_.size(); ++j) {
            if (makes_real_pair(boxes[one], boxes[stray_[j]])) stray_pair_.push_back(pair_of(one, stray_[j]));
        }
    }
}

/// Counting sort by the smaller index.
void KeptPairs::sort_others(std::size_t boxes, std::span<const std::uint64_t> more) {
    const auto for_each = [&](auto&& use) {
        for (const std::span<const std::uint64_t> pairs : {std::span<const std::uint64_t>(stray_pair_), more})
            for (const std::uint64_t pair : pairs) use(static_cast<std::uint32_t>(pair >> 32U), pair);
    };
    other_start_.assign(boxes + 1, 0);
    for_each([&](std::uint32_t a, std::uint64_t) { ++other_start_[a]; });
    std::uint32_t sum = 0;
    for (std::uint32_t& end : other_start_) end = sum += end;
    other_partner_.resize(sum);
    for_each([&](std::uint32_t a, std::uint64_t pair) {
        other_partner_[--other_start_[a]] = static_cast<std::uint32_t>(pair);
    });
}

/// What is left of the kept pairs, and the others among them.
void KeptPairs::test_kept(Boxes boxes) {
    const std::size_t batches = batch_count(boxes.size(), boxes_per_batch);
    if (found_.size() < batches) found_.resize(batches);
    start_.resize(boxes.size() + 1);
    start_.back() = 0;
    for_each_batch(boxes.size(), boxes_per_batch,
                   [&](std::size_t batch, std::size_t first, std::size_t last) {
                       std::vector<std::uint32_t>& found = found_[batch];
                       found.clear();
                       for (std::size_t i = first; i < last; ++i) {
                           const std::size_t before = found.size();
                           test_kept_of(static_cast<std::uint32_t>(i), boxes, found);
                           start_[i] = static_cast<std::uint32_t>(found.size() - before);
                       }
                   });
    std::uint32_t sum = 0;
    for (std::uint32_t& count : start_) {
        const std::uint32_t begin = sum;
        sum += count;
        count = begin;
    }
    partner_.resize(sum);
    for_each_batch(boxes.size(), boxes_per_batch, [&](std::size_t batch, std::size_t first, std::size_t) {
        std::copy(found_[batch].begin(), found_[batch].end(), partner_.begin() + start_[first]);
    });
}

void KeptPairs::test_kept_of(std::uint32_t box, Boxes boxes, std::vector<std::uint32_t>& found) {
    const auto before = static_cast<std::ptrdiff_t>(found.size());
    if (strayed_[box] == 0) {
        const std::uint32_t first = broad_.starts()[box];
        const std::uint32_t last = broad_.starts()[box + 1];
        found.resize(found.size() + (last - first));
        auto end = found.begin() + before;
        for (std::uint32_t k = first; k < last; ++k) {
            const std::uint32_t partner = broad_.partners()[k];
            *end = partner;
            end += static_cast<int>(makes_pair(boxes[box], boxes[partner])) & ~strayed_[partner] & 1;
        }
        found.erase(end, found.end());
    }
    const std::uint32_t first = other_start_[box];
    const std::uint32_t last = other_start_[box + 1];
    if (first == last) return;
    found.insert(found.end(), other_partner_.begin() + first, other_partner_.begin() + last);
    if (!std::is_sorted(found.begin() + before, found.end())) std::sort(found.begin() + before, found.end());
}

}  // namespace uptack::collision

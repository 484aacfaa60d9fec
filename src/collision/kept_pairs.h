// Boxes -> the pairs that overlap, helped by what was found in earlier calls.
//
// Every box that moves is searched with a margin around it.  While a box stays within that, whatever it
// overlaps is among the pairs found then: testing those costs a tenth of a search.  The few that have left
// their margins look for their partners one by one.  When they are no longer few all is searched anew, and
// where that happens again at once (a conveyor, a heap that falls) the margins are left out for a while.
//
// The result is that of BroadPhase, pair for pair: it depends on the boxes alone, not on earlier calls.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "broad_phase.h"

namespace uptack::collision {

class KeptPairs {
public:
    /// As BroadPhase::find_pairs(), starts() and partners().
    void find_pairs(std::span<const SweptBox> boxes, std::span<const std::uint64_t> more = {});
    std::span<const std::uint32_t> starts() const { return keeps_ ? start_ : broad_.starts(); }
    std::span<const std::uint32_t> partners() const { return keeps_ ? partner_ : broad_.partners(); }

    /// How often everything was searched.
    int searches() const { return searches_; }

private:
    using Boxes = std::span<const SweptBox>;

    bool find_strays(Boxes boxes);
    bool margins_pay();
    void search(Boxes boxes);
    void find_stray_pairs(Boxes boxes);
    void sort_others(std::size_t boxes, std::span<const std::uint64_t> more);
    void test_kept(Boxes boxes);
    void test_kept_of(std::uint32_t box, Boxes boxes, std::vector<std::uint32_t>& found);

    BroadPhase broad_;                   ///< has seen the boxes with margins, if pairs are kept
    std::vector<SweptBox> wide_;         ///< these
    std::vector<std::uint8_t> strayed_;  ///< per box: has left its margin
    std::vector<std::uint32_t> stray_;   ///< these boxes
    bool keeps_ = false;
    int calls_ = 0;     ///< that the last search has served
    int plain_ = 0;     ///< calls that still do without margins,
    int patience_ = 4;  ///< and the number of them next time
    int searches_ = 0;

    std::vector<std::uint64_t> stray_pair_;
    std::vector<std::uint32_t> other_start_;  ///< pairs of strays and of others, by their smaller index
    std::vector<std::uint32_t> other_partner_;
    std::vector<std::vector<std::uint32_t>> found_;  ///< per batch of boxes
    std::vector<std::uint32_t> start_;
    std::vector<std::uint32_t> partner_;
};

}  // namespace uptack::collision

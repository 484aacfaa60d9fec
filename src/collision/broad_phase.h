// Boxes -> the pairs that overlap, each once, in time linear in boxes and pairs.
//
// A grid of several levels whose cells are hashed into one flat table:
//
//   1. A box belongs to the level whose cells are at least as large as it is (levels double), and there to
//   the
//      one cell that holds its low corner.  So two boxes of one level can only overlap from neighbouring
//      cells.
//   2. Cells of a row (neighbours along the longest axis of the scene) are neighbours in the table; where a
//   row
//      starts is a hash of level and row.  Three cells of a row are one run of memory.  There are no bounds
//      of the scene: what flies away costs nothing, and cells far apart may share a place, because every
//      entry carries its row and its box.
//   3. One counting sort brings the boxes into the table's order.
//   4. Every box looks at its own and the following half of its neighbours on its own level, and at all
//      neighbours on coarser levels.
//   5. The few largest boxes (floors, walls) are tested against all: as a list this costs less than levels.
//   6. Pairs are sorted by their first and then by their second box: the result depends on the boxes alone,
//      not on cells, sizes of levels or threads.
//
// Boxes are floats, rounded outwards: half the memory traffic, and a candidate more or less changes no
// contact.

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "uptack/math.h"

namespace uptack::collision {

/// A pair is wanted if its two boxes together have every one of these.
enum BoxFlag : std::uint32_t {
    box_dynamic = 1,  ///< of a dynamic body
    box_moving = 2,   ///< of a body that moves now
    box_wanted = box_dynamic | box_moving,
};

struct SweptBox {
    std::array<float, 3> low{1.0F, 1.0F, 1.0F};
    std::array<float, 3> high{-1.0F, -1.0F, -1.0F};  ///< high < low or not a number: overlaps nothing
    std::uint32_t body = 0;                          ///< boxes of one body make no pair
    std::uint32_t flags = 0;
};

/// The smallest floats that enclose [low, high].
SweptBox enclosing_box(const Vec3& low, const Vec3& high, std::uint32_t body, std::uint32_t flags);

/// Neither empty nor without end.
inline bool is_box(const SweptBox& box) {
    bool finite = true;
    for (int k = 0; k < 3; ++k) {
        finite = finite && box.low[k] <= box.high[k] &&
                 box.high[k] - box.low[k] < std::numeric_limits<float>::infinity();
    }
    return finite;
}
inline float largest_extent(const SweptBox& box) {
    return std::max({box.high[0] - box.low[0], box.high[1] - box.low[1], box.high[2] - box.low[2]});
}
/// Overlapping and wanted.  Without branches: in a grid every second answer is no, which no predictor learns.
inline bool makes_pair(const SweptBox& a, const SweptBox& b) {
    unsigned apart = 0;
    for (int k = 0; k < 3; ++k) {
        apart |= static_cast<unsigned>(a.low[k] > b.high[k]) | static_cast<unsigned>(b.low[k] > a.high[k]);
    }
    apart |= (~(a.flags | b.flags) & box_wanted) | static_cast<unsigned>(a.body == b.body);
    return apart == 0;
}

class BroadPhase {
public:
    /// `more` are pairs that somebody else has found and that no two boxes make: smaller index << 32 |
    /// larger.
    void find_pairs(std::span<const SweptBox> boxes, std::span<const std::uint64_t> more = {});

    /// Box i makes pairs with partners()[starts()[i]] ... before partners()[starts()[i + 1]]: all behind i,
    /// ascending.
    std::span<const std::uint32_t> starts() const { return start_; }
    std::span<const std::uint32_t> partners() const { return partner_; }

    /// The boxes of the last find_pairs(), given again, that make a pair with another one.
    std::span<const std::uint32_t> partners_of(const SweptBox& box, std::span<const SweptBox> boxes);

    /// What is kept between calls [bytes].
    std::size_t memory() const;

private:
    struct Entry {
        SweptBox box;
        std::uint64_t row = 0;  ///< level and the two cell numbers across the rows
        std::uint32_t index = 0;
        std::uint32_t cell = 0;  ///< along the row
    };
    struct Level {
        std::uint32_t number = 0;
        double per_cell = 0.0;  ///< 1 / size of a cell [1/m]
        bool used = false;
    };
    /// What one stretch of the table found: indices of boxes, entry after entry.
    struct Found {
        std::vector<std::uint32_t> partner;
        std::size_t count = 0;  ///< of them are valid
    };

    /// Cells of a level, from first to last, along the axes of the table.
    struct CellBlock {
        std::array<std::int64_t, 3> first{};
        std::array<std::int64_t, 3> last{};
    };

    void choose_levels(std::span<const SweptBox> boxes);
    void choose_rows(std::span<const SweptBox> boxes);
    void fill_table(std::span<const SweptBox> boxes);
    void search(std::span<const SweptBox> boxes);
    void search_entry(std::span<const SweptBox> boxes, std::uint32_t position, Found& found) const;
    void search_run(const Entry& of, std::uint64_t row, std::uint32_t first, std::uint32_t last,
                    Found& found) const;
    void search_row(const Entry& of, std::uint64_t row, std::uint32_t cell, std::uint32_t cells,
                    Found& found) const;
    CellBlock cells_around(const SweptBox& box, int level) const;
    void search_cells(const Entry& of, int level, const CellBlock& cells, Found& found) const;
    void search_big(std::span<const SweptBox> boxes, const SweptBox& box, Found& found) const;
    template <class Use>
    void for_each_found(std::span<const std::uint64_t> more, Use&& use) const;
    void sort_pairs(std::size_t boxes, std::span<const std::uint64_t> more);
    int level_of(const SweptBox& box) const;
    Entry entry_of(const SweptBox& box, int level) const;
    std::uint32_t place(std::uint64_t row, std::uint32_t cell) const;

    static constexpr int levels_at_most = 257;
    std::array<Level, levels_at_most> level_;
    std::vector<int> used_;             ///< numbers of the used levels, ascending
    int phase_ = 0;                     ///< where in an octave of sizes a level ends, in eighths
    int first_big_level_ = 0;           ///< boxes of this and coarser levels are in `big_`
    std::vector<std::uint32_t> big_;    ///< indices of boxes
    std::array<int, 3> axis_{0, 1, 2};  ///< along rows, across, across
    std::uint32_t mask_ = 0;            ///< size of the table - 1
    std::vector<std::uint32_t> place_;  ///< table: where the entries of each place start
    std::vector<Entry> entry_;          ///< in the table's order
    std::vector<std::uint32_t> count_;  ///< pairs of each entry
    std::vector<Found> found_;          ///< per stretch of entries
    Found found_of_one_;
    std::vector<std::uint64_t> big_pair_;  ///< of two big boxes
    std::vector<std::uint32_t> start_;
    std::vector<std::uint32_t> partner_;
    std::vector<std::uint32_t> scratch_;
};

}  // namespace uptack::collision

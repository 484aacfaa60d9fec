#include "broad_phase.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "batches.h"

namespace uptack::collision {

namespace {

/// Sizes are told apart by exponent and three bits of the mantissa of a float: eight classes an octave.
constexpr int size_shift = 20;
constexpr int classes_per_octave = 8;
constexpr int size_classes = 2048;

/// Up to this many of the largest boxes are a list instead of levels: a test costs about a nanosecond,
/// looking up the neighbours on a level about thirty.
constexpr std::uint32_t big_at_most = 24;

constexpr std::size_t entries_per_batch = 1024;
constexpr std::size_t boxes_per_batch = 2048;

int size_class(const SweptBox& box) {
    return static_cast<int>(std::bit_cast<std::uint32_t>(std::abs(largest_extent(box))) >> size_shift);
}

/// The size that everything of this class is below.
double size_above(int number) {
    const auto bits = static_cast<std::uint32_t>(std::min(number + 1, 255 * classes_per_octave))
                      << size_shift;
    return static_cast<double>(std::bit_cast<float>(bits));
}

std::int64_t cell_number(float coordinate, double per_cell) {
    // Beyond this floats have no digits left; the bound only keeps the conversion defined.
    constexpr double far = 4.0e15;
    return static_cast<std::int64_t>(
        std::floor(std::clamp(static_cast<double>(coordinate) * per_cell, -far, far)));
}

std::uint64_t row_number(std::uint32_t level, std::int64_t u, std::int64_t v) {
    constexpr std::uint64_t mask = (std::uint64_t{1} << 27U) - 1;
    return (std::uint64_t{level} << 54U) | ((static_cast<std::uint64_t>(u) & mask) << 27U) |
           (static_cast<std::uint64_t>(v) & mask);
}

/// Byte by byte from the lowest: linear, where a long list would take the comparison sort n log n.
void radix_sort(std::span<std::uint32_t> values, std::vector<std::uint32_t>& scratch) {
    if (scratch.size() < values.size()) scratch.resize(values.size());
    std::span<std::uint32_t> from = values;
    std::span<std::uint32_t> to(scratch.data(), values.size());
    for (unsigned shift = 0; shift < 32; shift += 8) {
        std::array<std::uint32_t, 257> start{};
        for (const std::uint32_t value : from) ++start[((value >> shift) & 255U) + 1];
        for (std::size_t k = 1; k < start.size(); ++k) start[k] += start[k - 1];
        for (const std::uint32_t value : from) to[start[(value >> shift) & 255U]++] = value;
        std::swap(from, to);
    }
}

/// What goes far beyond the end of floats must still meet what is here; infinite remains infinite.
float within_floats(double x) {
    constexpr double farthest = 1e38;
    return static_cast<float>(std::isfinite(x) ? std::clamp(x, -farthest, farthest) : x);
}

}  // namespace

SweptBox enclosing_box(const Vec3& low, const Vec3& high, std::uint32_t body, std::uint32_t flags) {
    constexpr double outwards = 0x1p-23;  // twice what rounding to float may move a number inwards
    SweptBox box;
    for (int k = 0; k < 3; ++k) {
        box.low[k] = within_floats(low[k] - outwards * std::abs(low[k]));
        box.high[k] = within_floats(high[k] + outwards * std::abs(high[k]));
    }
    box.body = body;
    box.flags = flags;
    return box;
}

void BroadPhase::find_pairs(std::span<const SweptBox> boxes, std::span<const std::uint64_t> more) {
    choose_levels(boxes);
    choose_rows(boxes);
    fill_table(boxes);
    search(boxes);
    sort_pairs(boxes.size(), more);
}

/// 1. How many boxes there are of each size.
/// 2. Levels end where cells would be least too large for the boxes in them: the number of tests grows with
///    the cube of the waste.
/// 3. The coarsest levels with few boxes become the list of big ones.
void BroadPhase::choose_levels(std::span<const SweptBox> boxes) {
    std::array<std::uint32_t, size_classes> boxes_of_class{};
    int smallest = size_classes;  // of the classes that are used: a few out of thousands
    int largest = -1;
    for (const SweptBox& box : boxes) {
        if (!is_box(box)) continue;
        const int number = size_class(box);
        ++boxes_of_class[number];
        smallest = std::min(smallest, number);
        largest = std::max(largest, number);
    }

    double least = infinity;
    for (int phase = 0; phase < classes_per_octave; ++phase) {
        double waste = 0.0;
        for (int number = smallest; number <= largest; ++number) {
            if (boxes_of_class[number] == 0) continue;
            const int level = (number + classes_per_octave - 1 - phase) / classes_per_octave;
            const double ratio = size_above(level * classes_per_octave + phase) / size_above(number);
            waste += boxes_of_class[number] * ratio * ratio * ratio;
        }
        if (waste < least) {
            least = waste;
            phase_ = phase;
        }
    }

    std::array<std::uint32_t, levels_at_most> boxes_of_level{};
    for (int number = smallest; number <= largest; ++number) {
        boxes_of_level[(number + classes_per_octave - 1 - phase_) / classes_per_octave] +=
            boxes_of_class[number];
    }
    first_big_level_ = levels_at_most;
    std::uint32_t big = 0;
    while (first_big_level_ > 0 && big + boxes_of_level[first_big_level_ - 1] <= big_at_most) {
        --first_big_level_;
        big += boxes_of_level[first_big_level_];
    }
    used_.clear();
    for (int k = 0; k < first_big_level_; ++k) {
        if (boxes_of_level[k] == 0) continue;
        level_[k] = {.number = static_cast<std::uint32_t>(k),
                     .per_cell = 1.0 / size_above(k * classes_per_octave + phase_)};
        used_.push_back(k);
    }
}

int BroadPhase::level_of(const SweptBox& box) const {
    return (size_class(box) + classes_per_octave - 1 - phase_) / classes_per_octave;
}

/// Rows go along the axis over which the boxes are spread most.
void BroadPhase::choose_rows(std::span<const SweptBox> boxes) {
    std::array<float, 3> low{};
    std::array<float, 3> high{};
    bool first = true;
    big_.clear();
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        const SweptBox& box = boxes[i];
        if (!is_box(box)) continue;
        if (level_of(box) >= first_big_level_) {
            big_.push_back(static_cast<std::uint32_t>(i));
            continue;
        }
        for (int k = 0; k < 3; ++k) {
            low[k] = first ? box.low[k] : std::min(low[k], box.low[k]);
            high[k] = first ? box.low[k] : std::max(high[k], box.low[k]);
        }
        first = false;
    }
    int longest = 0;
    for (int k = 1; k < 3; ++k) {
        if (high[k] - low[k] > high[longest] - low[longest]) longest = k;
    }
    axis_ = {longest, (longest + 1) % 3, (longest + 2) % 3};
}

BroadPhase::Entry BroadPhase::entry_of(const SweptBox& box, int level) const {
    const Level& cells = level_[level];
    return {.box = box,
            .row = row_number(cells.number, cell_number(box.low[axis_[1]], cells.per_cell),
                              cell_number(box.low[axis_[2]], cells.per_cell)),
            .index = 0,
            .cell = static_cast<std::uint32_t>(cell_number(box.low[axis_[0]], cells.per_cell))};
}

std::uint32_t BroadPhase::place(std::uint64_t row, std::uint32_t cell) const {
    const std::uint64_t mixed = (row ^ (row >> 27U)) * 0x9e3779b97f4a7c15ULL;
    return (static_cast<std::uint32_t>(mixed >> 32U) + cell) & mask_;
}

/// Counting sort of the boxes that are not big by their place in the table.
void BroadPhase::fill_table(std::span<const SweptBox> boxes) {
    const std::size_t size = std::bit_ceil(std::max<std::size_t>(boxes.size(), 16));
    mask_ = static_cast<std::uint32_t>(size - 1);
    place_.assign(size + 1, 0);
    const auto place_of = [&](const SweptBox& box) {
        const Entry entry = entry_of(box, level_of(box));
        return place(entry.row, entry.cell);
    };
    constexpr std::uint32_t nowhere = 0xffffffffU;
    scratch_.resize(std::max(scratch_.size(), boxes.size()));
    for_each_batch(boxes.size(), boxes_per_batch, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            const bool in_table = is_box(boxes[i]) && level_of(boxes[i]) < first_big_level_;
            scratch_[i] = in_table ? place_of(boxes[i]) : nowhere;
        }
    });
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        if (scratch_[i] != nowhere) ++place_[scratch_[i]];
    }
    // From counts to ends; filling backwards turns the ends into starts.
    std::uint32_t sum = 0;
    for (std::uint32_t& end : place_) end = sum += end;
    entry_.resize(sum);
    for (std::size_t i = boxes.size(); i-- > 0;) {
        if (scratch_[i] == nowhere) continue;
        Entry entry = entry_of(boxes[i], level_of(boxes[i]));
        entry.index = static_cast<std::uint32_t>(i);
        entry_[--place_[scratch_[i]]] = entry;
    }
}

void BroadPhase::search(std::span<const SweptBox> boxes) {
    const std::size_t batches = batch_count(entry_.size(), entries_per_batch);
    if (found_.size() < batches) found_.resize(batches);
    count_.resize(entry_.size());
    for_each_batch(entry_.size(), entries_per_batch,
                   [&](std::size_t batch, std::size_t first, std::size_t last) {
                       Found& found = found_[batch];
                       found.count = 0;
                       for (std::size_t position = first; position < last; ++position) {
                           const std::size_t before = found.count;
                           search_entry(boxes, static_cast<std::uint32_t>(position), found);
                           count_[position] = static_cast<std::uint32_t>(found.count - before);
                       }
                   });

    big_pair_.clear();
    for (std::size_t i = 0; i < big_.size(); ++i) {
        for (std::size_t j = i + 1; j < big_.size(); ++j) {
            const SweptBox& a = boxes[big_[i]];
            const SweptBox& b = boxes[big_[j]];
            if (makes_pair(a, b)) big_pair_.push_back((std::uint64_t{big_[i]} << 32U) | big_[j]);
        }
    }
}

/// Appends those of entries `first` to `last` that are of the row and make a pair.
inline void BroadPhase::search_run(const Entry& of, std::uint64_t row, std::uint32_t first,
                                   std::uint32_t last, Found& found) const {
    if (found.partner.size() < found.count + (last - first)) {
        found.partner.resize(found.count + found.count / 4 + (last - first) + 64);
    }
    std::uint32_t* const partner = found.partner.data();
    std::size_t count = found.count;
    for (std::uint32_t k = first; k < last; ++k) {
        const Entry& other = entry_[k];
        partner[count] = other.index;
        count += static_cast<std::size_t>((other.row == row) & makes_pair(of.box, other.box));
    }
    found.count = count;
}

/// What is in `cells` cells of a row, from `cell` on.
inline void BroadPhase::search_row(const Entry& of, std::uint64_t row, std::uint32_t cell,
                                   std::uint32_t cells, Found& found) const {
    const std::uint32_t first = place(row, cell);
    const std::uint32_t last = first + cells;
    if (last <= mask_ + 1) {
        search_run(of, row, place_[first], place_[last], found);
    } else {
        search_run(of, row, place_[first], place_[mask_ + 1], found);
        search_run(of, row, place_[0], place_[last - (mask_ + 1)], found);
    }
}

void BroadPhase::search_entry(std::span<const SweptBox> boxes, std::uint32_t position, Found& found) const {
    const Entry& of = entry_[position];
    const int own = level_of(of.box);
    const std::int64_t u = cell_number(of.box.low[axis_[1]], level_[own].per_cell);
    const std::int64_t v = cell_number(of.box.low[axis_[2]], level_[own].per_cell);

    // Own cell: those behind in the table.  Then the following cell and the following rows.
    search_run(of, of.row, position + 1, place_[place(of.row, of.cell) + 1], found);
    search_row(of, of.row, of.cell + 1, 1, found);
    const std::uint32_t number = level_[own].number;
    search_row(of, row_number(number, u + 1, v), of.cell - 1, 3, found);
    for (std::int64_t du = -1; du <= 1; ++du) {
        search_row(of, row_number(number, u + du, v + 1), of.cell - 1, 3, found);
    }

    for (const int coarse : used_) {
        if (coarse > own) search_cells(of, coarse, cells_around(of.box, coarse), found);
    }
    search_big(boxes, of.box, found);
}

/// Those that hold the low corners of what may overlap the box.
BroadPhase::CellBlock BroadPhase::cells_around(const SweptBox& box, int level) const {
    CellBlock cells;
    for (int k = 0; k < 3; ++k) {
        cells.first[k] = cell_number(box.low[axis_[k]], level_[level].per_cell) - 1;
        cells.last[k] = cell_number(box.high[axis_[k]], level_[level].per_cell);
    }
    return cells;
}

void BroadPhase::search_cells(const Entry& of, int level, const CellBlock& cells, Found& found) const {
    const auto& [first, last] = cells;
    const auto along = static_cast<std::uint32_t>(last[0] - first[0] + 1);
    for (std::int64_t b = first[2]; b <= last[2]; ++b) {
        for (std::int64_t a = first[1]; a <= last[1]; ++a) {
            search_row(of, row_number(level_[level].number, a, b), static_cast<std::uint32_t>(first[0]),
                       along, found);
        }
    }
}

void BroadPhase::search_big(std::span<const SweptBox> boxes, const SweptBox& box, Found& found) const {
    if (found.partner.size() < found.count + big_.size()) found.partner.resize(2 * found.count + big_at_most);
    for (const std::uint32_t big : big_) {
        if (makes_pair(box, boxes[big])) found.partner[found.count++] = big;
    }
}

std::span<const std::uint32_t> BroadPhase::partners_of(const SweptBox& box, std::span<const SweptBox> boxes) {
    if (!is_box(box)) return {};
    Found& found = found_of_one_;
    found.count = 0;
    const Entry of{.box = box};
    for (const int level : used_) {
        const CellBlock cells = cells_around(box, level);
        double count = 1.0;
        for (int k = 0; k < 3; ++k) count *= static_cast<double>(cells.last[k] - cells.first[k] + 1);
        if (count < static_cast<double>(entry_.size())) {
            search_cells(of, level, cells, found);
            continue;
        }
        // Larger than all cells of the level that hold anything: everything in the table, once.
        found.count = 0;
        found.partner.resize(std::max(found.partner.size(), entry_.size()));
        for (const Entry& other : entry_) {
            if (makes_pair(box, other.box)) found.partner[found.count++] = other.index;
        }
        break;
    }
    search_big(boxes, box, found);
    return {found.partner.data(), found.count};
}

/// Calls use(smaller index, larger index) for everything found, from the table's end to its start.
template <class Use>
void BroadPhase::for_each_found(std::span<const std::uint64_t> more, Use&& use) const {
    for (std::size_t i = entry_.size(); i > 0;) {
        const std::size_t batch = (i - 1) / entries_per_batch;
        std::size_t k = found_[batch].count;
        for (; i > batch * entries_per_batch; --i) {
            const std::uint32_t index = entry_[i - 1].index;
            for (std::uint32_t c = 0; c < count_[i - 1]; ++c) {
                const std::uint32_t partner = found_[batch].partner[--k];
                use(std::min(index, partner), std::max(index, partner));
            }
        }
    }
    for (const std::span<const std::uint64_t> pairs : {std::span<const std::uint64_t>(big_pair_), more}) {
        for (const std::uint64_t pair : pairs) {
            use(static_cast<std::uint32_t>(pair >> 32U), static_cast<std::uint32_t>(pair));
        }
    }
}

/// Counting sort by the smaller index, then each list by itself.
void BroadPhase::sort_pairs(std::size_t boxes, std::span<const std::uint64_t> more) {
    start_.assign(boxes + 1, 0);
    for_each_found(more, [&](std::uint32_t a, std::uint32_t) { ++start_[a]; });
    std::uint32_t sum = 0;
    for (std::uint32_t& end : start_) end = sum += end;
    partner_.resize(sum);
    for_each_found(more, [&](std::uint32_t a, std::uint32_t b) { partner_[--start_[a]] = b; });

    constexpr std::uint32_t long_list = 1024;
    for_each_batch(boxes, boxes_per_batch, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            if (start_[i + 1] - start_[i] > long_list) continue;
            std::sort(partner_.begin() + start_[i], partner_.begin() + start_[i + 1]);
        }
    });
    for (std::size_t i = 0; i < boxes; ++i) {
        if (start_[i + 1] - start_[i] <= long_list) continue;
        radix_sort({partner_.data() + start_[i], start_[i + 1] - start_[i]}, scratch_);
    }
}

std::size_t BroadPhase::memory() const {
    std::size_t bytes = entry_.capacity() * sizeof(Entry);
    for (const auto* numbers : {&big_, &place_, &count_, &start_, &partner_, &scratch_}) {
        bytes += numbers->capacity() * sizeof(std::uint32_t);
    }
    for (const Found& found : found_) bytes += found.partner.capacity() * sizeof(std::uint32_t);
    bytes += found_of_one_.partner.capacity() * sizeof(std::uint32_t);
    return bytes;
}

}  // namespace uptack::collision

#include "batch_plan.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "linalg/parallel.h"

namespace uptack {
namespace {

constexpr int unseen = -1;

constexpr std::size_t fewest_in_slab = 3000;  // contacts: below, a meeting of the threads costs too much
constexpr int closed_kept = 4;                // batches that a batch shares no body with, before and after

}  // namespace

void BatchPlan::clear(std::size_t bodies) {
    stages_.clear();
    pieces_.clear();
    lanes_.clear();
    singles_.clear();
    touching_.assign(bodies, 0);
}

int BatchPlan::add(std::span<const Contact> contacts, int first_cell) {
    first_cell_ = first_cell;
    int slabs = 1;
    if (contacts.size() >= 2 * fewest_in_slab) slabs = cut_levels(contacts, find_levels(contacts));
    if (slabs > 1) {
        add_slabs(contacts, slabs);
        let_go_of_large_scratch();
        return 2;
    }
    link_.resize(contacts.size());
    std::iota(link_.begin(), link_.end(), 0);
    piece_start_ = {0, static_cast<int>(contacts.size())};
    add_stage(contacts, 0, 1);
    return 1;
}

// Planning comes before the rows are filled: what it needed makes room for some of them.
void BatchPlan::let_go_of_large_scratch() {
    constexpr std::size_t large = 100'000;
    if (link_.size() < large) return;
    for (auto* list : {&link_, &link_start_, &level_, &queue_}) std::vector<int>().swap(*list);
    makers_.clear();
}

// Compressed lists of the contacts of each body.
void BatchPlan::link_contacts(Contacts contacts) {
    const std::size_t bodies = touching_.size();
    link_start_.assign(bodies + 1, 0);
    const auto for_each_link = [&](auto&& visit) {
        for (std::size_t k = 0; k < contacts.size(); ++k) {
            for (const int body : contacts[k].body) {
                if (body != immovable) visit(body, static_cast<int>(k));
            }
        }
    };
    for_each_link([&](int body, int) { ++link_start_[body + 1]; });
    for (std::size_t b = 0; b < bodies; ++b) link_start_[b + 1] += link_start_[b];
    link_.resize(link_start_[bodies]);
    for_each_link([&](int body, int contact) { link_[link_start_[body]++] = contact; });
    for (std::size_t b = bodies; b > 0; --b) link_start_[b] = link_start_[b - 1];
    link_start_[0] = 0;
}

// Levels of what hangs together with `body`, from `level` on; returns the last level.  The bodies are queue_.
int BatchPlan::search_from(int body, int level, Contacts contacts) {
    queue_.clear();
    queue_.push_back(body);
    level_[body] = level;
    for (std::size_t i = 0; i < queue_.size(); ++i) {
        const int from = queue_[i];
        for (int e = link_start_[from]; e < link_start_[from + 1]; ++e) {
            const Contact& contact = contacts[link_[e]];
            const int to = contact.body[contact.body[0] == from ? 1 : 0];
            if (to == immovable || level_[to] != unseen) continue;
            level_[to] = level_[from] + 1;
            queue_.push_back(to);
        }
    }
    return level_[queue_.back()];
}

// Returns how many.  Each part is searched twice: from its first body, then from one at its far end, so that
// the levels are many and small.
int BatchPlan::find_levels(Contacts contacts) {
    link_contacts(contacts);
    level_.assign(touching_.size(), unseen);
    int levels = 0;
    for (const Contact& contact : contacts) {
        for (const int body : contact.body) {
            if (body == immovable || level_[body] != unseen) continue;
            search_from(body, levels, contacts);
            const int far = queue_.back();
            for (const int seen : queue_) level_[seen] = unseen;
            levels = search_from(far, levels, contacts) + 1;
        }
    }
    return levels;
}

// Slabs of whole levels with about as many contacts each; returns how many.
int BatchPlan::cut_levels(Contacts contacts, int levels) {
    constexpr int thinnest = 2;     // levels: or the contacts on its two sides could share a body
    constexpr int mean_levels = 6;  // or too many contacts are between slabs
    const int most = std::min(static_cast<int>(contacts.size() / fewest_in_slab), levels / mean_levels);
    if (most < 2) return 1;
    slab_.assign(levels, 0);
    for (const Contact& contact : contacts) {  // contacts per level, counted at the lower body
        const auto [a, b] = contact.body;
        if (a == immovable && b == immovable) continue;
        ++slab_[a == immovable ? level_[b] : b == immovable ? level_[a] : std::min(level_[a], level_[b])];
    }
    int slab = 0;
    int thickness = 0;
    std::size_t before = 0;  // contacts below this level
    for (int level = 0; level < levels; ++level) {
        const bool due = before * most >= contacts.size() * (slab + 1);
        if (due && thickness >= thinnest && levels - level >= thinnest) {
            ++slab;
            thickness = 0;
        }
        before += slab_[level];
        slab_[level] = slab;
        ++thickness;
    }
    return slab + 1;
}

// Pieces: the slabs, then what is between slab i and i + 1.
void BatchPlan::add_slabs(Contacts contacts, int slabs) {
    const auto piece_of = [&](const Contact& contact) {
        const auto [a, b] = contact.body;
        if (a == immovable && b == immovable) return 0;
        const int one = slab_[level_[a == immovable ? b : a]];
        const int other = slab_[level_[b == immovable ? a : b]];
        return one == other ? one : slabs + std::min(one, other);
    };
    const int pieces = 2 * slabs - 1;
    piece_start_.assign(pieces + 1, 0);
    for (const Contact& contact : contacts) ++piece_start_[piece_of(contact) + 1];
    for (int p = 0; p < pieces; ++p) piece_start_[p + 1] += piece_start_[p];
    link_.resize(contacts.size());
    for (std::size_t k = 0; k < contacts.size(); ++k)
        link_[piece_start_[piece_of(contacts[k])]++] = static_cast<int>(k);
    for (int p = pieces; p > 0; --p) piece_start_[p] = piece_start_[p - 1];
    piece_start_[0] = 0;
    add_stage(contacts, 0, slabs);
    add_stage(contacts, slabs, slabs - 1);
}

// Pieces first .. first + count - 1 of piece_start_.
void BatchPlan::add_stage(Contacts contacts, int first, int count) {
    stages_.push_back({.first_piece = static_cast<int>(pieces_.size()), .pieces = count});
    if (makers_.size() < static_cast<std::size_t>(count)) makers_.resize(count);
    const auto make = [&](std::size_t p) {
        const int* start = piece_start_.data() + first + p;
        makers_[p].make(contacts, std::span(link_).subspan(start[0], start[1] - start[0]), touching_);
    };
    if (count == 1) {
        make(0);
    } else {
        on_several_threads(count, make);
    }
    for (int p = 0; p < count; ++p) append(makers_[p]);
}

void BatchPlan::append(const PieceMaker& maker) {
    pieces_.push_back({.first_batch = static_cast<int>(lanes_.size() / 4),
                       .batches = static_cast<int>(maker.lanes.size() / 4),
                       .first_single = static_cast<int>(singles_.size()),
                       .singles = static_cast<int>(maker.singles.size())});
    for (const int k : maker.lanes) lanes_.push_back(first_cell_ + k);
    for (const int k : maker.singles) singles_.push_back(first_cell_ + k);
}

void BatchPlan::PieceMaker::make(Contacts contacts, std::span<const int> members,
                                 std::vector<std::uint64_t>& touching) {
    contacts_ = contacts;
    touching_ = touching.data();
    lanes.clear();
    singles.clear();
    for (Batch& batch : ring_) batch.count = 0;
    oldest_ = 0;
    full_ = (std::uint64_t{1} << closed_kept) - 1;  // as if closed
    for (const int k : members) add(k);
    for (int i = closed_kept; i < window; ++i) close(ring_[(oldest_ + i) % window]);
    for (int i = 0; i < window; ++i) drop_oldest();
}

// Bit i: the batch i places after the oldest.
std::uint64_t BatchPlan::PieceMaker::places_of(int body) const {
    return body == immovable ? 0 : std::rotr(touching_[body], oldest_);
}

// Places after the oldest; `window` for none.
int BatchPlan::PieceMaker::place_for(const Contact& contact, int apart) const {
    const std::uint64_t there = places_of(contact.body[0]) | places_of(contact.body[1]);
    std::uint64_t near = there;
    for (int i = 1; i <= apart; ++i) near |= there << i | there >> i;
    return std::countr_zero(~(near | std::rotr(full_, oldest_)));
}

// Takes the oldest batch out of the ring.
void BatchPlan::PieceMaker::drop_oldest() {
    Batch& leaving = ring_[oldest_];
    for (int i = 0; i < leaving.count; ++i) {
        for (const int body : contacts_[leaving.contact[i]].body) {
            if (body != immovable) touching_[body] &= ~(std::uint64_t{1} << oldest_);
        }
    }
    leaving.count = 0;
    full_ &= ~(std::uint64_t{1} << oldest_);
    oldest_ = (oldest_ + 1) % window;
}

void BatchPlan::PieceMaker::close(const Batch& batch) {
    std::vector<int>& list = batch.count == 4 ? lanes : singles;
    for (int i = 0; i < batch.count; ++i) list.push_back(batch.contact[i]);
}

void BatchPlan::PieceMaker::add(int k) {
    const Contact& contact = contacts_[k];
    int place = contact.alone ? window : place_for(contact, closed_kept);
    if (place == window && !contact.alone) place = place_for(contact, 0);
    if (place == window) {
        singles.push_back(k);
        return;
    }
    place = (oldest_ + place) % window;
    Batch& batch = ring_[place];
    batch.contact[batch.count++] = k;
    for (const int body : contact.body) {
        if (body != immovable) touching_[body] |= std::uint64_t{1} << place;
    }
    if (batch.count < 4) return;
    full_ |= std::uint64_t{1} << place;
    // first in line: what follows the closed ones that are kept
    for (int front = (oldest_ + closed_kept) % window; (full_ >> front & 1) != 0;
         front = (front + 1) % window) {
        close(ring_[front]);
        drop_oldest();
    }
}

}  // namespace uptack

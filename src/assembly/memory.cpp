// The warm start: impulses out of one step and into the next.

#include <algorithm>

#include "inside.h"
#include "linalg/parallel.h"
#include "linalg/room.h"

namespace uptack {
namespace {

/// Components along two tangents, of a vector given along two others.
void turn_pair(const std::array<Vec3, 3>& from, const std::array<Vec3, 3>& to, double* pair) {
    const Vec3 vector = pair[0] * from[1] + pair[1] * from[2];
    pair[0] = dot(vector, to[1]);
    pair[1] = dot(vector, to[2]);
}

/// A contact's impulses, kept along the tangents of one normal, along those of another.
void turn_contact(const Vec3& from_normal, const Vec3& to_normal, int rows, double* impulse) {
    if (rows < 3 || from_normal == to_normal) return;
    const std::array<Vec3, 3> from = contact_frame(from_normal);
    const std::array<Vec3, 3> to = contact_frame(to_normal);
    turn_pair(from, to, impulse + 1);
    if (rows >= 5) turn_pair(from, to, impulse + 3);
}

using OldBlocks = std::span<const RememberedBlock>;

/// The blocks of one joint's axis or of one pair of shapes: all that the last part of the key does not tell
/// apart.
bool same_pair(const BlockKey& p, const BlockKey& q) {
    return p.kind == q.kind && p.first == q.first && p.second == q.second;
}

class Recall {
public:
    Recall(const StepProblem& step, const ContactSet& contacts, double scale, Solution& start)
        : step_(step), contacts_(contacts), scale_(scale), start_(start) {}

    /// Old blocks of the pair that the new blocks [first, last) belong to.
    void pair(OldBlocks old, std::size_t first, std::size_t last) const {
        std::size_t k = first;
        for (const RememberedBlock& block : old) {
            while (k < last && key(k) < block.key) ++k;
            if (k < last && key(k) == block.key) {
                add(block, k);
            } else if (block.key.kind == ConstraintKind::contact) {
                add(block, nearest(block.point_w, first, last));
            }
        }
    }

private:
    const BlockKey& key(std::size_t k) const { return step_.origin[k].key; }
    const Contact& contact(std::size_t k) const { return contacts_.contacts[step_.origin[k].index]; }

    std::size_t nearest(const Vec3& point_w, std::size_t first, std::size_t last) const {
        const auto distance = [&](std::size_t k) { return length(contact(k).point_w - point_w); };
        std::size_t best = first;
        for (std::size_t k = first + 1; k < last; ++k) {
            if (distance(k) < distance(best)) best = k;
        }
        return best;
    }

    void add(RememberedBlock block, std::size_t k) const {
        const Block& now = step_.problem.blocks[k];
        if (block.rows != now.rows) return;
        double* impulse = block.impulse.data();
        if (block.key.kind == ConstraintKind::contact)
            turn_contact(block.normal_w, contact(k).normal_w, block.rows, impulse);
        for (int i = 0; i < now.rows; ++i) start_.impulse[now.first_row + i] += scale_ * impulse[i];
    }

    const StepProblem& step_;
    const ContactSet& contacts_;
    double scale_;
    Solution& start_;
};

}  // namespace

// A pair of shapes whose first block lies in a chunk is that chunk's.  What a contact carried that is gone
// goes to the nearest one of its pair: where edges cross, the same place is named after other features from
// one step to the next.
void Assembler::recall(const ImpulseMemory& memory, const StepProblem& step, const ContactSet& contacts,
                       Solution& start) const {
    start.impulse.assign(step.problem.bias.size(), 0.0);
    if (!(memory.kick_s > 0.0)) return;
    const Recall recall(step, contacts, step.kick_s / memory.kick_s, start);
    const auto& origin = step.origin;
    const auto end_of_pair = [](const auto& blocks, std::size_t k) {
        const BlockKey& key = blocks[k].key;
        while (++k < blocks.size() && same_pair(blocks[k].key, key)) {
        }
        return k;
    };
    const auto some_blocks = [&](std::size_t, std::size_t first, std::size_t last) {
        if (first > 0 && same_pair(origin[first - 1].key, origin[first].key))
            first = end_of_pair(origin, first);
        if (first >= last) return;
        const auto before = [](const RememberedBlock& block, const BlockKey& key) {
            return block.key < key && !same_pair(block.key, key);
        };
        std::size_t old =
            std::lower_bound(memory.blocks.begin(), memory.blocks.end(), origin[first].key, before) -
            memory.blocks.begin();
        while (first < last) {
            const std::size_t end = end_of_pair(origin, first);
            while (old < memory.blocks.size() && before(memory.blocks[old], origin[first].key)) ++old;
            if (old == memory.blocks.size()) return;
            if (same_pair(memory.blocks[old].key, origin[first].key)) {
                const std::size_t old_end = end_of_pair(memory.blocks, old);
                recall.pair(OldBlocks(memory.blocks).subspan(old, old_end - old), first, end);
                old = old_end;
            }
            first = end;
        }
    };
    for_each_chunk(origin.size(), some_blocks, blocks_grain);
}

void Assembler::remember(const StepProblem& step, const ContactSet& contacts, const Solution& solution,
                         ImpulseMemory& memory) const {
    memory.kick_s = step.kick_s;
    resize_anew(memory.blocks, step.origin.size());
    const auto some_blocks = [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) {
            const BlockOrigin& origin = step.origin[k];
            const Block& block = step.problem.blocks[k];
            RememberedBlock& kept = memory.blocks[k];
            kept = {.key = origin.key, .rows = block.rows};
            std::copy_n(solution.impulse.begin() + block.first_row, block.rows, kept.impulse.begin());
            if (origin.key.kind == ConstraintKind::contact) {
                kept.normal_w = contacts.contacts[origin.index].normal_w;
                kept.point_w = contacts.contacts[origin.index].point_w;
            }
        }
    };
    for_each_chunk(step.origin.size(), some_blocks, blocks_grain);
}

}  // namespace uptack

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

}  // namespace

void Assembler::recall(const ImpulseMemory& memory, const StepProblem& step, const ContactSet& contacts,
                       Solution& start) const {
    start.impulse.assign(step.problem.bias.size(), 0.0);
    if (!(memory.kick_s > 0.0)) return;
    const double scale = step.kick_s / memory.kick_s;
    const auto by_key = [](const RememberedBlock& block, const BlockKey& key) { return block.key < key; };
    const auto some_blocks = [&](std::size_t, std::size_t first, std::size_t last) {
        auto old =
            std::lower_bound(memory.blocks.begin(), memory.blocks.end(), step.origin[first].key, by_key);
        for (std::size_t k = first; k < last; ++k) {
            const BlockOrigin& origin = step.origin[k];
            const Block& block = step.problem.blocks[k];
            while (old != memory.blocks.end() && old->key < origin.key) ++old;
            if (old == memory.blocks.end()) return;
            if (old->key != origin.key || old->rows != block.rows) continue;
            double* impulse = start.impulse.data() + block.first_row;
            for (int i = 0; i < block.rows; ++i) impulse[i] = scale * old->impulse[i];
            if (origin.key.kind == ConstraintKind::contact) {
                turn_contact(old->normal_w, contacts.contacts[origin.index].normal_w, block.rows, impulse);
            }
        }
    };
    for_each_chunk(step.origin.size(), some_blocks, blocks_grain);
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
            }
        }
    };
    for_each_chunk(step.origin.size(), some_blocks, blocks_grain);
}

}  // namespace uptack

#include "contact_blocks.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "linalg/parallel.h"
#include "parts/measure.h"

namespace uptack::assembly {
namespace {

// Surfaces that should touch are apart by the solver's error: far below any gap that matters [m].
constexpr double touching = 1e-6;

JacobianRow sliding_row(const Vec3& d, const Vec3& arm_a, const Vec3& arm_b) {
    return {.a = join(d, cross(arm_a, d)), .b = join(-d, -cross(arm_b, d))};
}

JacobianRow turning_row(const Vec3& d) {
    return {.a = join({}, d), .b = join({}, -d)};
}

Law contact_law(const StepSettings& settings, const PairValues& values) {
    if (settings.friction == ContactFriction::box) {
        if (values.friction > 0.0) return BoxFriction{.mu = values.friction};
        return Unilateral{};
    }
    if (values.friction == 0.0 && values.rolling == 0.0 && values.spinning == 0.0) return Unilateral{};
    return FrictionCone{
        .mu = values.friction,
        .mu_roll = values.rolling,
        .mu_spin = values.spinning,
        .model = settings.friction == ContactFriction::exact ? FrictionModel::exact : FrictionModel::convex};
}

std::uint64_t two(int high, int low) {
    return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(high)) << 32U) |
           static_cast<std::uint32_t>(low);
}

}  // namespace

PairTable::PairTable(const Model& model) : count_(model.materials.size()) {
    values_.reserve(count_ * count_);
    for (std::size_t a = 0; a < count_; ++a) {
        for (std::size_t b = 0; b < count_; ++b) {
            const Material m = combine(model, static_cast<int>(a), static_cast<int>(b));
            values_.push_back({.friction = m.friction,
                               .restitution = m.restitution,
                               .rolling = m.rolling_friction,
                               .spinning = m.spinning_friction,
                               .compliance = m.compliance,
                               .adhesion = m.adhesion});
        }
    }
}

bool PairTable::any(double PairValues::*value) const {
    return std::any_of(values_.begin(), values_.end(), [&](const PairValues& v) { return v.*value > 0.0; });
}

bool adheres(const Contact& contact, const PairValues& values) {
    return values.adhesion > 0.0 && contact.gap <= touching;
}

ContactBlocks::ContactBlocks(const Model& model, std::span<const int> body_rank)
    : model_(model), body_rank_(body_rank), pairs_(model) {
    int place = 0;
    for (std::size_t s = 0; s < model.shapes.size(); ++s) {
        place = s > 0 && model.shapes[s].body == model.shapes[s - 1].body ? place + 1 : 0;
        shape_place_.push_back(place);
        material_.push_back(model.shapes[s].material);
    }
    belts_ = std::any_of(model.materials.begin(), model.materials.end(),
                         [](const Material& m) { return m.surface_velocity_b != Vec3{}; });
    compliant_ = pairs_.any(&PairValues::compliance);
    adhesive_ = pairs_.any(&PairValues::adhesion);
}

BlockKey ContactBlocks::key(const Contact& contact) const {
    return {.kind = ConstraintKind::contact,
            .first = two(body_rank_[contact.body_a], body_rank_[contact.body_b]),
            .second = two(shape_place_[contact.shape_a], shape_place_[contact.shape_b]),
            .third = contact.feature};
}

double ContactBlocks::belt_speed(const State& state, const Contact& contact, const Vec3& tangent) const {
    const Vec3 a = rotate(state.pose[contact.body_a].orientation,
                          model_.materials[material_[contact.shape_a]].surface_velocity_b);
    const Vec3 b = rotate(state.pose[contact.body_b].orientation,
                          model_.materials[material_[contact.shape_b]].surface_velocity_b);
    return dot(tangent, a - b);
}

std::optional<RowTerms> ContactBlocks::normal_terms(const Step& step, const Contact& contact,
                                                    const JacobianRow& normal) const {
    const int a = contact.body_a;
    const int b = contact.body_b;
    const PairValues& pair = values(contact);
    return one_sided_terms(
        step.facts,
        {.gap = contact.gap,
         .before = rate(normal, step.state.velocity[a], step.state.velocity[b]),
         .free = rate(normal, step.motion.body[a].free_velocity, step.motion.body[b].free_velocity),
         .recovery = step.facts.settings.contact_recovery,
         .restitution = pair.restitution,
         .compliance = pair.compliance,
         .rest_overlap = step.facts.settings.rest_overlap});
}

JacobianRow ContactBlocks::normal_row(const Step& step, const Contact& contact) {
    return sliding_row(contact.normal_w, contact.point_w - step.state.pose[contact.body_a].position,
                       contact.point_w - step.state.pose[contact.body_b].position);
}

/// Of the contact's block; 0 where there is none.
int ContactBlocks::row_count(const Step& step, const Contact& contact) const {
    if (!step.writer.moves(contact.body_a) && !step.writer.moves(contact.body_b)) return 0;
    const PairValues& pair = values(contact);
    if (pair.restitution > 0.0) {  // only what can bounce is ever skipped
        if (!normal_terms(step, contact, normal_row(step, contact))) return 0;
    }
    const Law law = contact_law(step.facts.settings, pair);
    if (std::holds_alternative<Unilateral>(law)) return 1;
    if (!std::holds_alternative<FrictionCone>(law)) return 3;
    return 3 + (pair.rolling > 0.0 ? 2 : 0) + (pair.spinning > 0.0 ? 1 : 0);
}

Law ContactBlocks::fill(const Step& step, const Contact& contact, BlockRows& rows) const {
    const PairValues& pair = values(contact);
    const Vec3 arm_a = contact.point_w - step.state.pose[contact.body_a].position;
    const Vec3 arm_b = contact.point_w - step.state.pose[contact.body_b].position;
    rows.body_a = contact.body_a;
    rows.body_b = contact.body_b;
    rows.count = 0;
    const JacobianRow normal = sliding_row(contact.normal_w, arm_a, arm_b);
    const std::optional<RowTerms> terms = normal_terms(step, contact, normal);
    rows.add(normal, terms->bias, terms->compliance);
    const Law law = contact_law(step.facts.settings, pair);
    if (std::holds_alternative<Unilateral>(law)) return law;
    const std::array<Vec3, 3> frame = contact_frame(contact.normal_w);
    for (const int k : {1, 2}) {
        rows.add(sliding_row(frame[k], arm_a, arm_b),
                 belts_ ? belt_speed(step.state, contact, frame[k]) : 0.0);
    }
    if (std::holds_alternative<FrictionCone>(law)) {
        if (pair.rolling > 0.0) rows.add(turning_row(frame[1]), 0.0);
        if (pair.rolling > 0.0) rows.add(turning_row(frame[2]), 0.0);
        if (pair.spinning > 0.0) rows.add(turning_row(frame[0]), 0.0);
    }
    return law;
}

// 1. Count the blocks and rows of every chunk of contacts   2. so each chunk knows its place   3. fill it
void ContactBlocks::add(const StepFacts& facts, const State& state, const FreeMotion& motion,
                        std::span<const Contact> contacts, BlockWriter& writer) const {
    const Step step{.facts = facts, .state = state, .motion = motion, .writer = writer};
    std::array<BlockCount, max_chunks> begin{};
    const auto count = [&](std::size_t chunk, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            const int rows = row_count(step, contacts[i]);
            begin[chunk] += {.blocks = rows > 0 ? 1 : 0, .rows = rows};
        }
    };
    for_each_chunk(contacts.size(), count, blocks_grain);

    BlockCount all;
    for (BlockCount& chunk : begin) {
        const BlockCount size = std::exchange(chunk, all);
        all += size;
    }
    const BlockCount start =
        writer.grow(all, compliant_ ? BlockWriter::Rows::perhaps_compliant : BlockWriter::Rows::rigid);

    std::atomic<bool> compliant = false;
    const auto write = [&](std::size_t chunk, std::size_t first, std::size_t last) {
        BlockCount at = start;
        at += begin[chunk];
        BlockRows rows;  // one for all: clearing it for every contact would cost as much as filling it
        for (std::size_t i = first; i < last; ++i) {
            if (row_count(step, contacts[i]) == 0) continue;
            const Law law = fill(step, contacts[i], rows);
            const BlockOrigin origin{.key = key(contacts[i]), .index = static_cast<int>(i), .axis = -1};
            if (writer.put(at, origin, law, rows)) compliant.store(true, std::memory_order_relaxed);
            at += {.blocks = 1, .rows = rows.count};
        }
    };
    for_each_chunk(contacts.size(), write, blocks_grain);
    if (compliant) writer.note_compliance();
    if (adhesive_) apply_adhesion(step, contacts, writer);
}

void ContactBlocks::apply_adhesion(const Step& step, std::span<const Contact> contacts,
                                   BlockWriter& writer) const {
    for (const Contact& contact : contacts) {
        const PairValues& pair = values(contact);
        if (!adheres(contact, pair) || row_count(step, contact) == 0) continue;
        writer.apply(contact.body_a, contact.body_b, normal_row(step, contact),
                     -pair.adhesion * step.facts.kick_s);
    }
}

}  // namespace uptack::assembly

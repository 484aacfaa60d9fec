#include "contact_blocks.h"

#include <algorithm>

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

void ContactBlocks::add(const StepFacts& facts, const State& state, const FreeMotion& motion,
                        const Contact& contact, int index, BlockWriter& writer) const {
    const int a = contact.body_a;
    const int b = contact.body_b;
    if (!writer.moves(a) && !writer.moves(b)) return;
    const PairValues& pair = values(contact);
    const Vec3 arm_a = contact.point_w - state.pose[a].position;
    const Vec3 arm_b = contact.point_w - state.pose[b].position;
    const JacobianRow normal = sliding_row(contact.normal_w, arm_a, arm_b);

    const std::optional<RowTerms> terms = one_sided_terms(
        facts, {.gap = contact.gap,
                .before = rate(normal, state.velocity[a], state.velocity[b]),
                .free = rate(normal, motion.body[a].free_velocity, motion.body[b].free_velocity),
                .recovery = facts.settings.contact_recovery,
                .restitution = pair.restitution,
                .compliance = pair.compliance});
    if (!terms) return;

    BlockRows& rows = writer.rows_between(a, b);
    rows.add(normal, terms->bias, terms->compliance);
    const Law law = contact_law(facts.settings, pair);
    if (!std::holds_alternative<Unilateral>(law)) {
        const std::array<Vec3, 3> frame = contact_frame(contact.normal_w);
        for (const int k : {1, 2}) {
            rows.add(sliding_row(frame[k], arm_a, arm_b),
                     belts_ ? belt_speed(state, contact, frame[k]) : 0.0);
        }
        if (std::holds_alternative<FrictionCone>(law)) {
            if (pair.rolling > 0.0) rows.add(turning_row(frame[1]), 0.0);
            if (pair.rolling > 0.0) rows.add(turning_row(frame[2]), 0.0);
            if (pair.spinning > 0.0) rows.add(turning_row(frame[0]), 0.0);
        }
    }
    writer.add({.key = key(contact), .index = index, .axis = -1}, law, rows);
    if (adheres(contact, pair)) writer.apply(a, b, normal, -pair.adhesion * facts.kick_s);
}

}  // namespace uptack::assembly

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>

#include "batches.h"
#include "convex.h"
#include "half_space.h"
#include "kept_pairs.h"
#include "mesh_ground.h"
#include "shape_table.h"
#include "uptack/collision.h"

namespace uptack {

namespace {

using namespace collision;

constexpr std::size_t shapes_per_batch = 1024;
constexpr std::size_t pairs_per_batch = 1024;
/// Batches of pairs that are worked on before their contacts are put in line: bounds what is stored twice.
constexpr std::size_t batches_per_wave = 32;

/// No point of the shape is farther from its body's centre of mass [m].
double radius_bound(const ShapeTable& table, const PlacedShape& shape) {
    const double offset = shape.pose == 0 ? 0.0 : length(table.pose[shape.pose].position);
    return offset + (shape.kind == ShapeKind::sphere ? shape.radius : table.bound(shape));
}

Vec3 velocity_at(const Vec6& velocity, const Pose& pose, const Vec3& point_w) {
    return linear(velocity) + cross(angular(velocity), point_w - pose.position);
}

}  // namespace

struct Collider::Inside {
    /// What one batch of pairs works with.
    struct Worker {
        std::vector<Contact> contacts;
        std::vector<PairPoint> points;
        GroundScratch ground;
        Convex sphere_a;
        Convex sphere_b;
        Counts counts;
    };

    explicit Inside(const Model& model) : table(model) {
        world.resize(table.shape.size());
        box.resize(table.shape.size());
        workers.resize(batches_per_wave);
    }

    void place_shapes();
    void place(std::size_t slot);
    void find_half_space_pairs();
    void find_contacts(std::vector<Contact>& contacts);
    std::size_t append_wave(std::size_t batches, std::size_t size, std::vector<Contact>& contacts);
    void collide_pairs(std::size_t first, std::size_t last, Worker& worker) const;
    void fetch_shape(std::uint32_t slot) const;
    void fetch_body(std::uint32_t body) const;
    void collide_pair(std::uint32_t a, std::uint32_t b, Worker& worker) const;
    void find_points(std::uint32_t a, std::uint32_t b, double far, Worker& worker) const;
    void find_ground_points(std::uint32_t shape, std::uint32_t ground, double far, Worker& worker) const;
    double reach_of(std::uint32_t a, std::uint32_t b) const;
    double closing_speed(std::uint32_t a, std::uint32_t b, const PairPoint& point) const;
    const Convex& convex(std::uint32_t slot, Convex& sphere) const;
    std::uint32_t motion_flags(const PlacedShape& shape) const;
    void sort_compounds(std::vector<Contact>& contacts) const;

    ShapeTable table;
    std::vector<Pose> world;    ///< of shapes
    std::vector<SweptBox> box;  ///< of shapes
    std::vector<std::uint64_t> half_space_pair;
    KeptPairs pairs;
    std::vector<Worker> workers;
    Counts counts;

    // Of the present call:
    const State* state = nullptr;
    Reach reach;
};

Collider::Collider(const Model& model) : inside_(std::make_unique<Inside>(model)) {}
Collider::~Collider() = default;
Collider::Collider(Collider&&) noexcept = default;
Collider& Collider::operator=(Collider&&) noexcept = default;

Collider::Counts Collider::counts() const {
    return inside_->counts;
}

void Collider::collide(const State& state, const Reach& reach, ContactSet& contacts) {
    inside_->state = &state;
    inside_->reach = reach;
    inside_->place_shapes();
    inside_->find_half_space_pairs();
    inside_->pairs.find_pairs(inside_->box, inside_->half_space_pair);
    inside_->find_contacts(contacts.contacts);
    inside_->sort_compounds(contacts.contacts);
}

void Collider::Inside::place_shapes() {
    for_each_batch(table.shape.size(), shapes_per_batch,
                   [&](std::size_t, std::size_t first, std::size_t last) {
                       for (std::size_t slot = first; slot < last; ++slot) place(slot);
                   });
}

std::uint32_t Collider::Inside::motion_flags(const PlacedShape& shape) const {
    const Vec6& v = state->velocity[shape.body];
    if (shape.body_kind == BodyKind::fixed) return 0;
    std::uint32_t flags = shape.body_kind == BodyKind::dynamic ? box_dynamic : 0U;
    const bool asleep = sleeps(*state, static_cast<std::size_t>(shape.body));
    const bool moving = shape.body_kind == BodyKind::dynamic ? !asleep : v != Vec6{};
    if (moving) flags |= box_moving;
    return flags;
}

/// The world pose, and the box that holds every place of the shape until the lookahead.
void Collider::Inside::place(std::size_t slot) {
    const PlacedShape& shape = table.shape[slot];
    const Pose& body = state->pose[shape.body];
    Pose& pose = world[slot];
    pose = shape.pose == 0 ? body : body * table.pose[shape.pose];
    if (shape.kind == ShapeKind::half_space) return;

    Aabb tight;
    if (shape.kind == ShapeKind::sphere) {
        const Vec3 r{shape.radius, shape.radius, shape.radius};
        tight = {.low = pose.position - r, .high = pose.position + r};
    } else {
        tight = table.aabb(shape, pose);
    }
    const Vec6& v = state->velocity[shape.body];
    const double turning = length(angular(v)) * radius_bound(table, shape);
    const double margin = 0.5 * reach.envelope + reach.lookahead_s * turning;
    for (int k = 0; k < 3; ++k) {
        const double way = reach.lookahead_s * v[k];
        tight.low[k] += std::min(0.0, way) - margin;
        tight.high[k] += std::max(0.0, way) + margin;
    }
    box[slot] = enclosing_box(tight.low, tight.high, shape.rank, motion_flags(shape));
}

/// Boxes that the plane cuts or could reach within the lookahead.
void Collider::Inside::find_half_space_pairs() {
    half_space_pair.clear();
    for (const std::uint32_t ground : table.half_spaces) {
        const PlacedShape& shape = table.shape[ground];
        const Plane plane = half_space_plane(world[ground]);
        const Pose& body = state->pose[shape.body];
        const Vec6& v = state->velocity[shape.body];
        const double turning = length(angular(v));
        const std::uint32_t flags = motion_flags(shape);
        for (std::uint32_t slot = 0; slot < box.size(); ++slot) {
            const SweptBox& other = box[slot];
            if (((flags | other.flags) & box_wanted) != box_wanted || !is_box(other)) continue;
            double lowest = 0.0;
            double radius = 0.0;
            Vec3 center{};
            for (int k = 0; k < 3; ++k) {
                const double low = static_cast<double>(other.low[k]);
                const double high = static_cast<double>(other.high[k]);
                center[k] = 0.5 * (low + high);
                radius += 0.5 * (high - low);
                lowest += plane.normal[k] * ((plane.normal[k] > 0.0 ? low : high) - plane.point[k]);
            }
            const double rise = dot(plane.normal, velocity_at(v, body, center)) + turning * radius;
            if (lowest >= 0.5 * reach.envelope + reach.lookahead_s * std::max(0.0, rise)) continue;
            half_space_pair.push_back((std::uint64_t{std::min(ground, slot)} << 32U) |
                                      std::max(ground, slot));
        }
    }
}

/// Waves of batches: within a wave on all threads, then in line.
void Collider::Inside::find_contacts(std::vector<Contact>& contacts) {
    std::size_t found = 0;
    counts = {};
    const std::size_t all = pairs.partners().size();
    const std::size_t per_wave = batches_per_wave * pairs_per_batch;
    for (std::size_t begin = 0; begin < all; begin += per_wave) {
        const std::size_t count = std::min(per_wave, all - begin);
        for_each_batch(count, pairs_per_batch, [&](std::size_t batch, std::size_t first, std::size_t last) {
            collide_pairs(begin + first, begin + last, workers[batch]);
        });
        found = append_wave(batch_count(count, pairs_per_batch), found, contacts);
    }
    contacts.resize(found);
}

/// The workers' contacts, batch after batch, behind the first `size`; returns how many there are then.  Those
/// of the last step are overwritten: clearing them would be a pass of its own.
std::size_t Collider::Inside::append_wave(std::size_t batches, std::size_t size,
                                          std::vector<Contact>& contacts) {
    std::array<std::size_t, batches_per_wave> place{};
    for (std::size_t batch = 0; batch < batches; ++batch) {
        place[batch] = size;
        size += workers[batch].contacts.size();
        counts.candidate_pairs += workers[batch].counts.candidate_pairs;
        counts.touching_pairs += workers[batch].counts.touching_pairs;
    }
    // A quarter more at a time: what doubles wastes memory where it is scarcest.
    if (contacts.capacity() < size) contacts.reserve(size + size / 4);
    if (contacts.size() < size) contacts.resize(size);
    for_each_batch(batches, 1, [&](std::size_t batch, std::size_t, std::size_t) {
        std::copy(workers[batch].contacts.begin(), workers[batch].contacts.end(),
                  contacts.begin() + static_cast<std::ptrdiff_t>(place[batch]));
    });
    return size;
}

/// Partners stand anywhere in memory unless names follow places: they are asked for some pairs before they
/// are needed, the shape first, because it tells the body.
void Collider::Inside::fetch_shape(std::uint32_t slot) const {
    __builtin_prefetch(&table.shape[slot]);
    __builtin_prefetch(&world[slot]);
}
void Collider::Inside::fetch_body(std::uint32_t body) const {
    if (reach.lookahead_s <= 0.0) return;
    __builtin_prefetch(&state->velocity[body]);
    __builtin_prefetch(&state->pose[body]);
}

void Collider::Inside::collide_pairs(std::size_t first, std::size_t last, Worker& worker) const {
    worker.contacts.clear();
    worker.counts = {};
    constexpr std::size_t ahead = 6;
    const std::span<const std::uint32_t> starts = pairs.starts();
    const std::span<const std::uint32_t> partners = pairs.partners();
    auto a = static_cast<std::uint32_t>(std::upper_bound(starts.begin(), starts.end(), first) -
                                        starts.begin() - 1);
    for (std::size_t k = first; k < last; ++k) {
        if (k + 2 * ahead < last) fetch_shape(partners[k + 2 * ahead]);
        if (k + ahead < last) fetch_body(table.shape[partners[k + ahead]].body);
        while (starts[a + 1] <= k) ++a;
        collide_pair(a, partners[k], worker);
    }
}

void Collider::Inside::collide_pair(std::uint32_t a, std::uint32_t b, Worker& worker) const {
    const PlacedShape& shape_a = table.shape[a];
    const PlacedShape& shape_b = table.shape[b];
    if (!may_touch(shape_a.filter, shape_b.filter) ||
        !table.body_filter.may_touch(shape_a.rank, shape_b.rank)) {
        return;
    }
    ++worker.counts.candidate_pairs;
    const double far = reach_of(a, b);
    worker.points.clear();
    find_points(a, b, far, worker);

    const std::size_t before = worker.contacts.size();
    for (const PairPoint& point : worker.points) {
        if (far > reach.envelope && point.gap >= reach.envelope &&
            point.gap >= reach.envelope + reach.lookahead_s * closing_speed(a, b, point)) {
            continue;
        }
        worker.contacts.push_back({.body_a = static_cast<int>(shape_a.body),
                                   .body_b = static_cast<int>(shape_b.body),
                                   .shape_a = static_cast<int>(shape_a.shape),
                                   .shape_b = static_cast<int>(shape_b.shape),
                                   .feature = point.feature,
                                   .point_w = point.point_w,
                                   .normal_w = point.normal_w,
                                   .gap = point.gap});
    }
    if (worker.contacts.size() == before) return;
    ++worker.counts.touching_pairs;
    std::sort(worker.contacts.begin() + static_cast<std::ptrdiff_t>(before), worker.contacts.end(),
              [](const Contact& p, const Contact& q) { return p.feature < q.feature; });
}

/// No point of the pair with a gap beyond this can count.  In the frame of b the surface of a, and what is
/// midway to it, moves at most with the speed of a's centre plus |relative spin| (radius + gap / 2).
double Collider::Inside::reach_of(std::uint32_t a, std::uint32_t b) const {
    if (reach.lookahead_s <= 0.0) return reach.envelope;
    if (table.shape[a].kind > table.shape[b].kind) std::swap(a, b);  // ground is no centre to measure from
    const PlacedShape& shape_a = table.shape[a];
    const PlacedShape& shape_b = table.shape[b];
    const Vec6& va = state->velocity[shape_a.body];
    const Vec6& vb = state->velocity[shape_b.body];
    const Vec3 relative =
        linear(va) - velocity_at(vb, state->pose[shape_b.body], state->pose[shape_a.body].position);
    const double spin = length(angular(va) - angular(vb));
    const double way = reach.lookahead_s * (length(relative) + spin * radius_bound(table, shape_a));
    return (reach.envelope + way) / (1.0 - std::min(0.5, 0.5 * reach.lookahead_s * spin));
}

double Collider::Inside::closing_speed(std::uint32_t a, std::uint32_t b, const PairPoint& point) const {
    const std::uint32_t body_a = table.shape[a].body;
    const std::uint32_t body_b = table.shape[b].body;
    const Vec3 relative = velocity_at(state->velocity[body_a], state->pose[body_a], point.point_w) -
                          velocity_at(state->velocity[body_b], state->pose[body_b], point.point_w);
    return std::max(0.0, -dot(relative, point.normal_w));
}

const Convex& Collider::Inside::convex(std::uint32_t slot, Convex& sphere) const {
    const PlacedShape& shape = table.shape[slot];
    if (shape.kind != ShapeKind::sphere) return table.convex[shape.geometry];
    // Spheres may be a million of a million sizes: they are not kept.
    sphere.radius = shape.radius;
    sphere.bound = shape.radius;
    sphere.low = {-shape.radius, -shape.radius, -shape.radius};
    sphere.high = {shape.radius, shape.radius, shape.radius};
    return sphere;
}

void Collider::Inside::find_points(std::uint32_t a, std::uint32_t b, double far, Worker& worker) const {
    const bool ground_a = table.shape[a].kind > ShapeKind::convex;
    const bool ground_b = table.shape[b].kind > ShapeKind::convex;
    if (ground_a && ground_b) return;
    if (!ground_a && !ground_b) {
        collide_convex(convex(a, worker.sphere_a), world[a], convex(b, worker.sphere_b), world[b], far,
                       worker.points);
        return;
    }
    find_ground_points(ground_a ? b : a, ground_a ? a : b, far, worker);
    if (ground_b) return;
    for (PairPoint& point : worker.points) point.normal_w = -point.normal_w;
}

/// Normals from ground to shape.
void Collider::Inside::find_ground_points(std::uint32_t shape, std::uint32_t ground, double far,
                                          Worker& worker) const {
    const Convex& solid = convex(shape, worker.sphere_a);
    if (table.shape[ground].kind == ShapeKind::half_space) {
        collide_half_space(solid, world[shape], half_space_plane(world[ground]), far, worker.points);
        return;
    }
    const Pose in_ground = inverse(world[ground]) * world[shape];
    collide_ground(solid, in_ground, *table.ground[table.shape[ground].geometry], far, worker.ground,
                   worker.points);
    for (PairPoint& point : worker.points) {
        point.point_w = transform(world[ground], point.point_w);
        point.normal_w = rotate(world[ground].orientation, point.normal_w);
    }
}

/// Pairs come by shape of a first; a body of several shapes has its partners' contacts still mixed.
void Collider::Inside::sort_compounds(std::vector<Contact>& contacts) const {
    if (!table.has_compounds) return;
    for (std::size_t first = 0; first < contacts.size();) {
        std::size_t last = first + 1;
        while (last < contacts.size() && contacts[last].body_a == contacts[first].body_a) ++last;
        if (table.is_compound(contacts[first].body_a)) {
            std::sort(contacts.begin() + static_cast<std::ptrdiff_t>(first),
                      contacts.begin() + static_cast<std::ptrdiff_t>(last),
                      [&](const Contact& p, const Contact& q) { return table.before(p, q); });
        }
        first = last;
    }
}

}  // namespace uptack

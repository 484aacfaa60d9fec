#include "shape_table.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "height_field.h"
#include "mesh.h"

namespace uptack::collision {

namespace {

/// Tells geometries apart; used to look up, never to order anything.
using GeometryKey = std::tuple<std::size_t, double, double, double, const void*>;

GeometryKey key_of(const Geometry& geometry) {
    struct {
        GeometryKey operator()(const Sphere& s) const { return {0, s.radius, 0.0, 0.0, nullptr}; }
        GeometryKey operator()(const HalfSpace&) const { return {0, 0.0, 0.0, 0.0, nullptr}; }
        GeometryKey operator()(const Box& b) const {
            return {0, b.half_size[0], b.half_size[1], b.half_size[2], nullptr};
        }
        GeometryKey operator()(const Capsule& c) const { return {0, c.radius, c.half_length, 0.0, nullptr}; }
        GeometryKey operator()(const Cylinder& c) const { return {0, c.radius, c.half_length, 0.0, nullptr}; }
        GeometryKey operator()(const Cone& c) const { return {0, c.radius, c.half_length, 0.0, nullptr}; }
        GeometryKey operator()(const Hull& h) const { return {0, 0.0, 0.0, 0.0, h.polyhedron.get()}; }
        GeometryKey operator()(const TriangleMesh& m) const { return {0, 0.0, 0.0, 0.0, m.soup.get()}; }
        GeometryKey operator()(const HeightField& f) const { return {0, 0.0, 0.0, 0.0, f.grid.get()}; }
    } sizes;
    GeometryKey key = std::visit(sizes, geometry);
    std::get<0>(key) = geometry.index();
    return key;
}

/// Fills a table's lists of distinct geometries and poses.
class Builder {
public:
    explicit Builder(ShapeTable& table) : table_(table) {}

    PlacedShape place(const Shape& shape) {
        PlacedShape placed;
        placed.filter = {.groups = shape.groups, .mask = shape.mask};
        placed.pose = pose_number(shape.pose);
        if (const auto* sphere = std::get_if<Sphere>(&shape.geometry)) {
            placed.kind = ShapeKind::sphere;
            placed.radius = sphere->radius;
        } else if (std::holds_alternative<HalfSpace>(shape.geometry)) {
            placed.kind = ShapeKind::half_space;
        } else {
            placed.kind = is_convex(shape.geometry) ? ShapeKind::convex : ShapeKind::ground;
            placed.geometry = geometry_number(shape.geometry);
        }
        return placed;
    }

private:
    std::uint32_t pose_number(const Pose& pose) {
        if (pose == Pose{}) return 0;
        // Compounds of one kind share poses; neighbours in the model are enough to find most of them.
        constexpr std::size_t looked_at = 16;
        const std::size_t count = table_.pose.size();
        for (std::size_t k = count; k > 1 && count - k < looked_at; --k) {
            if (table_.pose[k - 1] == pose) return static_cast<std::uint32_t>(k - 1);
        }
        table_.pose.push_back(pose);
        return static_cast<std::uint32_t>(count);
    }

    std::uint32_t geometry_number(const Geometry& geometry) {
        const auto [entry, is_new] = known_.try_emplace(key_of(geometry), 0U);
        if (!is_new) return entry->second;
        if (const auto* mesh = std::get_if<TriangleMesh>(&geometry)) {
            table_.ground.push_back(make_mesh_ground(*mesh->soup));
        } else if (const auto* field = std::get_if<HeightField>(&geometry)) {
            table_.ground.push_back(make_height_ground(field->grid));
        } else {
            table_.convex.push_back(prepare(geometry, hulls_));
            return entry->second = static_cast<std::uint32_t>(table_.convex.size() - 1);
        }
        return entry->second = static_cast<std::uint32_t>(table_.ground.size() - 1);
    }

    ShapeTable& table_;
    HullCache hulls_;
    std::map<GeometryKey, std::uint32_t> known_;
};

/// The box around a turned box.
Aabb turned(const Aabb& box, const Pose& pose) {
    const Mat3 m = matrix(pose.orientation);
    const Vec3 half = 0.5 * (box.high - box.low);
    const Vec3 center = transform(pose, 0.5 * (box.low + box.high));
    Vec3 reach{};
    for (int k = 0; k < 3; ++k) {
        reach[k] = std::abs(m[k][0]) * half[0] + std::abs(m[k][1]) * half[1] + std::abs(m[k][2]) * half[2];
    }
    return {.low = center - reach, .high = center + reach};
}

}  // namespace

ShapeTable::ShapeTable(const Model& model)
    : shapes_of_body(model.bodies.size(), 0), rank_of_body(model.bodies.size(), 0) {
    const std::vector<int> order = body_order(model);
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
        rank_of_body[order[rank]] = static_cast<std::uint32_t>(rank);
    }
    body_filter = BodyFilter(model, rank_of_body);

    // Counting sort of the shapes by rank; it keeps the order within a body.
    std::vector<std::uint32_t> next(order.size() + 1, 0);
    for (const Shape& s : model.shapes) {
        ++next[rank_of_body[s.body] + 1];
        has_compounds = ++shapes_of_body[s.body] > 1 || has_compounds;
    }
    for (std::size_t k = 1; k < next.size(); ++k) next[k] += next[k - 1];
    std::vector<std::uint32_t> index_of_slot(model.shapes.size());
    for (std::size_t k = 0; k < model.shapes.size(); ++k) {
        index_of_slot[next[rank_of_body[model.shapes[k].body]]++] = static_cast<std::uint32_t>(k);
    }

    Builder builder(*this);
    shape.reserve(model.shapes.size());
    for (const std::uint32_t index : index_of_slot) {
        const Shape& s = model.shapes[index];
        PlacedShape placed = builder.place(s);
        placed.body = static_cast<std::uint32_t>(s.body);
        placed.rank = rank_of_body[s.body];
        placed.shape = index;
        placed.body_kind = model.bodies[s.body].kind;
        if (placed.kind == ShapeKind::half_space) {
            half_spaces.push_back(static_cast<std::uint32_t>(shape.size()));
        }
        shape.push_back(placed);
    }
}

double ShapeTable::bound(const PlacedShape& placed) const {
    if (placed.kind == ShapeKind::convex) return convex[placed.geometry].bound;
    const Aabb box = ground[placed.geometry]->bounds();
    Vec3 farthest{};
    for (int k = 0; k < 3; ++k) farthest[k] = std::max(std::abs(box.low[k]), std::abs(box.high[k]));
    return length(farthest);
}

Aabb ShapeTable::aabb(const PlacedShape& placed, const Pose& at) const {
    if (placed.kind == ShapeKind::convex) return collision::aabb(convex[placed.geometry], at);
    return turned(ground[placed.geometry]->bounds(), at);
}

bool ShapeTable::before(const Contact& p, const Contact& q) const {
    // Shapes of one body stand in the model in the order of its definition.
    return std::tuple(rank_of_body[p.body_a], rank_of_body[p.body_b], p.shape_a, p.shape_b, p.feature) <
           std::tuple(rank_of_body[q.body_a], rank_of_body[q.body_b], q.shape_a, q.shape_b, q.feature);
}

}  // namespace uptack::collision

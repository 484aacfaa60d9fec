// The shapes of a model as collision keeps them: in an order that does not depend on who was added first.
//
// A slot is a shape's place in this order: bodies by body_order(), within a body as it was defined.

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "convex.h"
#include "filter.h"
#include "mesh_ground.h"
#include "uptack/contact.h"
#include "uptack/model.h"

namespace uptack::collision {

/// Ground comes behind what may fall on it.
enum class ShapeKind : std::uint8_t { sphere, convex, ground, half_space };

struct PlacedShape {
    std::uint32_t body = 0;      ///< index into Model::bodies
    std::uint32_t rank = 0;      ///< of the body in body_order()
    std::uint32_t shape = 0;     ///< index into Model::shapes
    std::uint32_t geometry = 0;  ///< index into `convex` or `ground`
    std::uint32_t pose = 0;      ///< index into `pose`
    GroupMask filter;
    ShapeKind kind = ShapeKind::sphere;
    BodyKind body_kind = BodyKind::dynamic;
    double radius = 0.0;  ///< spheres only [m]
};

struct ShapeTable {
    explicit ShapeTable(const Model& model);

    /// Of any shape but a half-space: no point is farther from the shape's origin [m].
    double bound(const PlacedShape& placed) const;
    Aabb aabb(const PlacedShape& placed, const Pose& pose) const;

    bool is_compound(int body) const { return shapes_of_body[body] > 1; }
    /// The order of contacts: bodies a and b, shapes, feature.
    bool before(const Contact& p, const Contact& q) const;

    std::vector<PlacedShape> shape;  ///< by slot
    std::vector<Pose> pose{Pose{}};  ///< on bodies; number 0 is the body's own frame
    std::vector<Convex> convex;      ///< each kind and size once; no spheres
    std::vector<std::unique_ptr<Ground>> ground;
    std::vector<std::uint32_t> half_spaces;  ///< slots
    BodyFilter body_filter;
    bool has_compounds = false;
    std::vector<std::uint32_t> shapes_of_body;
    std::vector<std::uint32_t> rank_of_body;
};

}  // namespace uptack::collision

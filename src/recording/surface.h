// Shapes as triangles and polygons, for pictures.

#pragma once

#include <vector>

#include "uptack/model.h"

namespace uptack::recording {

struct Surface {
    std::vector<Vec3> points;             ///< in the shape's frame
    std::vector<std::vector<int>> faces;  ///< loops, counter-clockwise seen from outside
};

/// Round shapes get facets; a half-space becomes a square of `half_space_size` [m] along each side.
Surface surface_of(const Geometry& geometry, double half_space_size);

}  // namespace uptack::recording

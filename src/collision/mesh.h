// A triangle mesh as ground: corners at the same place made one, neighbours across edges, and a tree of
// boxes.

#pragma once

#include <memory>

#include "mesh_ground.h"
#include "uptack/model.h"

namespace uptack::collision {

/// Triangles without area are left out.  An edge that is not shared by exactly two triangles that run along
/// it in opposite directions counts as open.
std::unique_ptr<Ground> make_mesh_ground(const TriangleSoup& soup);

}  // namespace uptack::collision

// A height field as ground: two triangles in each cell of the grid, made when they are asked for.
//
// Cells are cut from their low corner to the opposite one.

#pragma once

#include <memory>

#include "mesh_ground.h"
#include "uptack/model.h"

namespace uptack::collision {

std::unique_ptr<Ground> make_height_ground(std::shared_ptr<const HeightGrid> grid);

}  // namespace uptack::collision

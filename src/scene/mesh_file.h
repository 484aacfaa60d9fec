// Triangles from OBJ and STL files.

#pragma once

#include <string>

#include "uptack/model.h"

namespace uptack::scene {

/// By content: binary STL, text STL, else OBJ (v and f lines; polygons become fans).  Corners at equal places
/// become one vertex.  Throws InputError with the line; LimitError.
TriangleSoup parse_mesh(const std::string& content, const std::string& name);

}  // namespace uptack::scene

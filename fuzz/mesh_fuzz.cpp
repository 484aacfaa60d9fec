// Mesh files, OBJ and STL: read or refused; what is read refers to vertices that are there.

#include <cmath>

#include "scene/mesh_file.h"
#include "support/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace uptack::fuzz;
    const std::string content(reinterpret_cast<const char*>(data), size);
    const auto soup = accepted([&] { return uptack::scene::parse_mesh(content, "fuzz"); });
    if (!soup) return 0;
    for (const auto& triangle : soup->triangles) {
        for (const int vertex : triangle) {
            require(vertex >= 0 && std::cmp_less(vertex, soup->vertices.size()),
                    "a triangle without a corner");
        }
    }
    for (const auto& vertex : soup->vertices) {
        for (const double coordinate : vertex) require(std::isfinite(coordinate), "a vertex nowhere");
    }
    return 0;
}

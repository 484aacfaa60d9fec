#include "surface.h"

#include <numbers>

namespace uptack::recording {
namespace {

constexpr int sides = 24;         // around the axis
constexpr int quarter_rings = 6;  // from pole to equator

struct Ring {
    double radius;
    double z;
};

// A surface of revolution about z through rings from bottom to top; rings of radius 0 become one point.
Surface revolve(const std::vector<Ring>& rings) {
    Surface surface;
    std::vector<int> first;
    for (const Ring& ring : rings) {
        first.push_back(static_cast<int>(surface.points.size()));
        const int count = ring.radius > 0.0 ? sides : 1;
        for (int k = 0; k < count; ++k) {
            const double angle = 2.0 * std::numbers::pi * k / sides;
            surface.points.push_back({ring.radius * std::cos(angle), ring.radius * std::sin(angle), ring.z});
        }
    }
    for (std::size_t r = 0; r + 1 < rings.size(); ++r) {
        const bool low_is_point = !(rings[r].radius > 0.0);
        const bool high_is_point = !(rings[r + 1].radius > 0.0);
        for (int k = 0; k < sides; ++k) {
            const int next = (k + 1) % sides;
            if (low_is_point) {
                surface.faces.push_back({first[r], first[r + 1] + next, first[r + 1] + k});
            } else if (high_is_point) {
                surface.faces.push_back({first[r] + k, first[r] + next, first[r + 1]});
            } else {
                surface.faces.push_back(
                    {first[r] + k, first[r] + next, first[r + 1] + next, first[r + 1] + k});
            }
        }
    }
    return surface;
}

// Two half balls, half_length above and below the origin.
Surface capsule(double radius, double half_length) {
    std::vector<Ring> rings;
    for (int k = -quarter_rings; k <= quarter_rings; ++k) {
        const double angle = std::numbers::pi / 2.0 * k / quarter_rings;
        const bool pole = std::abs(k) == quarter_rings;
        const double middle = k < 0 ? -half_length : half_length;
        if (k == 0 && half_length > 0.0) rings.push_back({radius, -half_length});
        rings.push_back({pole ? 0.0 : radius * std::cos(angle), middle + radius * std::sin(angle)});
    }
    return revolve(rings);
}

Surface box(const Vec3& h) {
    Surface surface;
    for (int k = 0; k < 8; ++k) {
        surface.points.push_back(
            {(k & 1) != 0 ? h[0] : -h[0], (k & 2) != 0 ? h[1] : -h[1], (k & 4) != 0 ? h[2] : -h[2]});
    }
    surface.faces = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    return surface;
}

Surface square(double size) {
    const double s = 0.5 * size;
    return {.points = {{-s, -s, 0.0}, {s, -s, 0.0}, {s, s, 0.0}, {-s, s, 0.0}}, .faces = {{0, 1, 2, 3}}};
}

Surface triangles(const TriangleSoup& soup) {
    Surface surface{.points = soup.vertices, .faces = {}};
    for (const auto& [a, b, c] : soup.triangles) surface.faces.push_back({a, b, c});
    return surface;
}

Surface grid(const HeightGrid& field) {
    Surface surface;
    for (int row = 0; row < field.rows; ++row) {
        for (int column = 0; column < field.columns; ++column) {
            const auto index = static_cast<std::size_t>(row) * field.columns + column;
            surface.points.push_back({column * field.spacing_x, row * field.spacing_y, field.heights[index]});
        }
    }
    for (int row = 0; row + 1 < field.rows; ++row) {
        for (int column = 0; column + 1 < field.columns; ++column) {
            const int corner = row * field.columns + column;
            surface.faces.push_back({corner, corner + 1, corner + field.columns + 1});
            surface.faces.push_back({corner, corner + field.columns + 1, corner + field.columns});
        }
    }
    return surface;
}

struct Tessellate {
    double half_space_size;

    Surface operator()(const Sphere& g) const { return capsule(g.radius, 0.0); }
    Surface operator()(const HalfSpace&) const { return square(half_space_size); }
    Surface operator()(const Box& g) const { return box(g.half_size); }
    Surface operator()(const Capsule& g) const { return capsule(g.radius, g.half_length); }
    Surface operator()(const Cylinder& g) const {
        return revolve({{0.0, -g.half_length},
                        {g.radius, -g.half_length},
                        {g.radius, g.half_length},
                        {0.0, g.half_length}});
    }
    Surface operator()(const Cone& g) const {
        return revolve({{0.0, -g.half_length}, {g.radius, -g.half_length}, {0.0, g.half_length}});
    }
    Surface operator()(const Hull& g) const {
        return {.points = g.polyhedron->vertices, .faces = g.polyhedron->faces};
    }
    Surface operator()(const TriangleMesh& g) const { return triangles(*g.soup); }
    Surface operator()(const HeightField& g) const { return grid(*g.grid); }
};

}  // namespace

Surface surface_of(const Geometry& geometry, double half_space_size) {
    return std::visit(Tessellate{half_space_size}, geometry);
}

}  // namespace uptack::recording

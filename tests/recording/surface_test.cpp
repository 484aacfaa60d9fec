#include "surface.h"

#include <gtest/gtest.h>

#include <map>
#include <numbers>

namespace uptack::recording {
namespace {

/// The divergence theorem: a third of the sum of point x area over triangles; positive if faces look outward.
double volume(const Surface& surface) {
    double six_volumes = 0.0;
    for (const auto& face : surface.faces) {
        const Vec3& a = surface.points[static_cast<std::size_t>(face[0])];
        for (std::size_t k = 1; k + 1 < face.size(); ++k) {
            const Vec3& b = surface.points[static_cast<std::size_t>(face[k])];
            const Vec3& c = surface.points[static_cast<std::size_t>(face[k + 1])];
            six_volumes += dot(a, cross(b, c));
        }
    }
    return six_volumes / 6.0;
}

/// Every edge is walked once in each direction: no holes, and all faces look to the same side.
void expect_closed(const Surface& surface) {
    std::map<std::pair<int, int>, int> walked;
    for (const auto& face : surface.faces) {
        for (std::size_t k = 0; k < face.size(); ++k) ++walked[{face[k], face[(k + 1) % face.size()]}];
    }
    for (const auto& [edge, times] : walked) {
        EXPECT_EQ(times, 1);
        EXPECT_EQ(walked.count({edge.second, edge.first}), 1U);
    }
}

constexpr double pi = std::numbers::pi;

TEST(Surface, EveryShapeIsClosedAndHasNearlyItsVolume) {
    const std::vector<Vec3> corners{{0, 0, 0}, {3, 0, 0}, {0, 3, 0}, {0, 0, 3}};
    const std::pair<Geometry, double> shapes[] = {
        {Sphere{2.0}, 4.0 / 3.0 * pi * 8.0},
        {Box{{1.0, 2.0, 3.0}}, 48.0},
        {Capsule{1.0, 2.0}, 4.0 / 3.0 * pi + 4.0 * pi},
        {Cylinder{2.0, 1.0}, 8.0 * pi},
        {Cone{3.0, 2.0}, 12.0 * pi},
        {make_hull(corners), 4.5},
    };
    for (const auto& [geometry, exact] : shapes) {
        const Surface surface = surface_of(geometry, 10.0);
        SCOPED_TRACE(geometry_name(geometry));
        expect_closed(surface);
        EXPECT_LE(volume(surface), exact * (1.0 + 1e-12));  // facets lie inside
        EXPECT_GE(volume(surface), exact * 0.96);
    }
}

TEST(Surface, AHalfSpaceIsASquareThatLooksUp) {
    const Surface surface = surface_of(HalfSpace{}, 10.0);
    ASSERT_EQ(surface.points.size(), 4U);
    const Vec3 normal = cross(surface.points[1] - surface.points[0], surface.points[2] - surface.points[1]);
    EXPECT_DOUBLE_EQ(normal[2], 100.0);
}

TEST(Surface, AHeightFieldHasTwoTrianglesPerCellThatLookUp) {
    auto grid = std::make_shared<HeightGrid>();
    *grid = {.columns = 3, .rows = 2, .spacing_x = 0.5, .spacing_y = 2.0, .heights = {0, 1, 2, 3, 4, 5}};
    const Surface surface = surface_of(HeightField{grid}, 10.0);
    ASSERT_EQ(surface.faces.size(), 4U);
    EXPECT_EQ(surface.points[5], (Vec3{1.0, 2.0, 5.0}));
    for (const auto& face : surface.faces) {
        const auto at = [&](int k) { return surface.points[static_cast<std::size_t>(face[k])]; };
        EXPECT_DOUBLE_EQ(cross(at(1) - at(0), at(2) - at(0))[2], 1.0);
    }
}

}  // namespace
}  // namespace uptack::recording

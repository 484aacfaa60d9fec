// Height fields: as the mesh of the same triangles, and in closed form where they are planes.

#include "height_field.h"

#include <gtest/gtest.h>

#include <cmath>

#include "collider_support.h"
#include "mesh.h"
#include "support/random.h"

namespace uptack::collision {
namespace {

template <class Height>
std::shared_ptr<HeightGrid> grid(int columns, int rows, Height&& height) {
    auto out = std::make_shared<HeightGrid>();
    *out = {.columns = columns, .rows = rows, .spacing_x = 0.5, .spacing_y = 0.4, .heights = {}};
    for (int j = 0; j < rows; ++j) {
        for (int i = 0; i < columns; ++i) out->heights.push_back(height(0.5 * i, 0.4 * j));
    }
    return out;
}

/// The same surface, triangle by triangle.
TriangleSoup soup_of(const HeightGrid& field) {
    TriangleSoup soup;
    for (int j = 0; j < field.rows; ++j) {
        for (int i = 0; i < field.columns; ++i) {
            soup.vertices.push_back({i * field.spacing_x, j * field.spacing_y,
                                     field.heights[static_cast<std::size_t>(j * field.columns + i)]});
        }
    }
    for (int j = 0; j + 1 < field.rows; ++j) {
        for (int i = 0; i + 1 < field.columns; ++i) {
            const int k = j * field.columns + i;
            soup.triangles.push_back({k, k + 1, k + 1 + field.columns});
            soup.triangles.push_back({k, k + 1 + field.columns, k + field.columns});
        }
    }
    return soup;
}

std::vector<PairPoint> points(const Geometry& geometry, const Pose& pose, const Ground& ground,
                              double reach) {
    GroundScratch scratch;
    std::vector<PairPoint> found;
    collide_ground(prepare(geometry), pose, ground, reach, scratch, found);
    return found;
}

TEST(HeightField, HasTheContactsOfTheMeshOfItsTriangles) {
    test::Random random(1);
    const auto field = grid(14, 11, [&](double x, double y) {
        return 0.2 * std::sin(3.0 * x) * std::cos(2.0 * y) + 0.05 * random.normal();
    });
    const auto ground = make_height_ground(field);
    const auto mesh = make_mesh_ground(soup_of(*field));
    std::size_t total = 0;
    for (const Geometry& geometry : {Geometry{Sphere{0.3}}, Geometry{Box{{0.4, 0.5, 0.1}}},
                                     Geometry{Capsule{0.1, 0.5}}, Geometry{Cylinder{0.4, 0.2}}}) {
        for (int k = 0; k < 200; ++k) {
            const Pose pose{
                .position = {random.uniform(-0.5, 7.0), random.uniform(-0.5, 4.5), random.uniform(-0.1, 0.5)},
                .orientation =
                    normalised({random.normal(), random.normal(), random.normal(), random.normal()})};
            const auto found = points(geometry, pose, *ground, 0.05);
            const auto expected = points(geometry, pose, *mesh, 0.05);
            ASSERT_EQ(found.size(), expected.size());
            for (std::size_t p = 0; p < found.size(); ++p) {
                EXPECT_EQ(found[p].feature, expected[p].feature);
                EXPECT_NEAR(found[p].gap, expected[p].gap, 1e-13);
                EXPECT_LT(length(found[p].point_w - expected[p].point_w), 1e-13);
                EXPECT_LT(length(found[p].normal_w - expected[p].normal_w), 1e-13);
            }
            total += found.size();
        }
    }
    EXPECT_GT(total, 1000U);
}

TEST(HeightField, LevelFieldHasNormalsExactlyAlongZ) {
    const auto ground = make_height_ground(grid(20, 20, [](double, double) { return 0.3; }));
    for (int k = 0; k < 100; ++k) {
        const double x = 2.0 + 0.03 * k;
        for (const Geometry& geometry : {Geometry{Sphere{0.5}}, Geometry{Box{}}}) {
            const auto found = points(geometry, {.position = {x, 3.2, 0.799}}, *ground, 0.01);
            EXPECT_EQ(found.size(), std::holds_alternative<Sphere>(geometry) ? 1U : 4U);
            for (const PairPoint& p : found) {
                EXPECT_EQ(p.normal_w, (Vec3{0.0, 0.0, 1.0}));
                EXPECT_NEAR(p.gap, -0.001, 1e-14);
            }
        }
    }
}

TEST(HeightField, InclinedFieldIsThePlaneItSamples) {
    const auto ground =
        make_height_ground(grid(20, 20, [](double x, double y) { return 0.3 * x - 0.2 * y; }));
    const Vec3 normal = direction({-0.3, 0.2, 1.0});
    test::Random random(2);
    for (int k = 0; k < 300; ++k) {
        const Vec3 at{random.uniform(1.5, 8.0), random.uniform(1.5, 6.0), 0.0};
        const double gap = random.uniform(-0.1, 0.04);
        const Vec3 center = Vec3{at[0], at[1], 0.3 * at[0] - 0.2 * at[1]} + (0.5 + gap) * normal;
        const auto found = points(Sphere{0.5}, {.position = center}, *ground, 0.05);
        ASSERT_EQ(found.size(), 1U);
        EXPECT_NEAR(found[0].gap, gap, 1e-13);
        EXPECT_LT(length(found[0].normal_w - normal), 1e-13);
    }
}

TEST(HeightField, NothingIsFoundBesideOrBelowIt) {
    const auto ground = make_height_ground(grid(5, 5, [](double, double) { return 0.0; }));
    EXPECT_TRUE(points(Sphere{0.5}, {.position = {-0.6, 1.0, 0.0}}, *ground, 0.05).empty());
    EXPECT_TRUE(points(Sphere{0.5}, {.position = {1.0, 2.3, 0.0}}, *ground, 0.05).empty());
    EXPECT_TRUE(points(Sphere{0.5}, {.position = {1.0, 1.0, -0.6}}, *ground, 0.05).empty());
    EXPECT_TRUE(points(Sphere{0.5}, {.position = {1e300, -1e300, 0.0}}, *ground, 0.05).empty());
    EXPECT_EQ(points(Sphere{0.5}, {.position = {1.0, 1.0, -0.4}}, *ground, 0.05).size(), 1U);
}

TEST(HeightField, BodiesRestOnItInAModel) {
    Model model;
    test::add(model, "hill", HeightField{grid(9, 9, [](double x, double) { return x; })},
              {.position = {-2.0, -1.6, -2.0}}, BodyKind::fixed);
    test::add(model, "ball", Sphere{0.5}, {.position = {0.0, 0.0, 0.5 * std::sqrt(2.0)}});
    const auto contacts = test::contacts_of(model);
    ASSERT_EQ(contacts.size(), 1U);
    EXPECT_NEAR(contacts[0].gap, 0.0, 1e-14);
    EXPECT_NEAR(contacts[0].normal_w[0], -std::sqrt(0.5), 1e-14);
    EXPECT_NEAR(contacts[0].normal_w[2], std::sqrt(0.5), 1e-14);
}

}  // namespace
}  // namespace uptack::collision

// Shapes on triangle meshes: closed forms on plates, roofs, corners and cubes; what must not happen inside a
// surface; against the plane and the convex shapes that the mesh stands for.

#include "mesh.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "collider_support.h"
#include "half_space.h"
#include "support/random.h"

namespace uptack::collision {
namespace {

constexpr double pi = std::numbers::pi;

/// columns x rows cells of `spacing` from the origin, height z(x, y).
template <class Height>
TriangleSoup plate(int columns, int rows, double spacing, Height&& height) {
    TriangleSoup soup;
    for (int j = 0; j <= rows; ++j) {
        for (int i = 0; i <= columns; ++i) {
            soup.vertices.push_back({i * spacing, j * spacing, height(i * spacing, j * spacing)});
        }
    }
    for (int j = 0; j < rows; ++j) {
        for (int i = 0; i < columns; ++i) {
            const int k = j * (columns + 1) + i;
            soup.triangles.push_back({k, k + 1, k + columns + 2});
            soup.triangles.push_back({k, k + columns + 2, k + columns + 1});
        }
    }
    return soup;
}

TriangleSoup flat_plate(int cells, double spacing) {
    return plate(cells, cells, spacing, [](double, double) { return 0.0; });
}

/// Two triangles a face, normals outwards.
TriangleSoup cube(double half) {
    TriangleSoup soup;
    for (int k = 0; k < 8; ++k) {
        soup.vertices.push_back(
            {(k & 1) != 0 ? half : -half, (k & 2) != 0 ? half : -half, (k & 4) != 0 ? half : -half});
    }
    soup.triangles = {{4, 5, 7}, {4, 7, 6}, {0, 3, 1}, {0, 2, 3}, {1, 3, 7}, {1, 7, 5},
                      {0, 6, 2}, {0, 4, 6}, {2, 7, 3}, {2, 6, 7}, {0, 1, 5}, {0, 5, 4}};
    return soup;
}

std::vector<PairPoint> points(const Geometry& geometry, const Pose& pose, const Ground& ground,
                              double reach) {
    GroundScratch scratch;
    std::vector<PairPoint> found;
    collide_ground(prepare(geometry), pose, ground, reach, scratch, found);
    for (std::size_t i = 0; i < found.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            EXPECT_NE(found[i].feature, found[j].feature);
            const bool same_place = length(found[i].point_w - found[j].point_w) < 1e-7;
            EXPECT_FALSE(same_place && dot(found[i].normal_w, found[j].normal_w) > 1.0 - 1e-9);
        }
    }
    return found;
}

std::vector<PairPoint> points(const Geometry& geometry, const Pose& pose, const TriangleSoup& soup,
                              double reach) {
    return points(geometry, pose, *make_mesh_ground(soup), reach);
}

void expect_near(const Vec3& a, const Vec3& b, double tolerance) {
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(a[k], b[k], tolerance);
}

const Vec3 up{0.0, 0.0, 1.0};

// ---- inside a surface -------------------------------------------------------------------------------------

TEST(Mesh, BallSlidingOverAFlatMeshSeesOnlyThePlane) {
    const auto ground = make_mesh_ground(flat_plate(8, 0.3));
    test::Random random(1);
    for (int k = 0; k <= 400; ++k) {
        // Along the middle, exactly over edges and corners, and anywhere; above, in and behind the plane.
        const double x = 0.3 + 1.8 * k / 400.0;
        const double y = k % 3 == 0 ? 1.2 : (k % 3 == 1 ? x : random.uniform(0.3, 2.1));
        for (const double z : {0.51, 0.5, 0.499, 0.2, -0.2}) {
            const auto found = points(Sphere{0.5}, {.position = {x, y, z}}, *ground, 0.02);
            ASSERT_EQ(found.size(), 1U) << x << ' ' << y << ' ' << z;
            EXPECT_EQ(found[0].normal_w, up);
            EXPECT_NEAR(found[0].gap, z - 0.5, 1e-15);
            expect_near(found[0].point_w, {x, y, 0.5 * (z - 0.5)}, 1e-15);
        }
    }
}

TEST(Mesh, SlidingShapesHaveTheContactsOfAHalfSpace) {
    const auto ground = make_mesh_ground(flat_plate(30, 0.25));
    const std::vector<Geometry> shapes{
        Box{{0.5, 0.3, 0.2}}, Capsule{0.2, 0.5}, Cylinder{0.4, 0.2}, Cone{0.4, 0.2},
        make_hull(std::vector<Vec3>{{0.4, 0.0, -0.2}, {-0.4, 0.1, -0.2}, {0.0, 0.4, -0.2}, {0.0, 0.0, 0.5}})};
    test::Random random(2);
    for (const Geometry& geometry : shapes) {
        for (int k = 0; k < 200; ++k) {
            const Quaternion spin = turn(up, random.uniform(0.0, 6.0));
            const Quaternion tilt =
                k % 2 == 0 ? Quaternion{} : turn({1.0, 0.0, 0.0}, random.uniform(-1.0, 1.0));
            // Lattice points every now and then: corners over edges of the mesh.
            Vec3 at{random.uniform(2.0, 5.0), random.uniform(2.0, 5.0), 0.0};
            if (k % 4 == 0) at = {0.25 * random.whole(8, 20), 0.25 * random.whole(8, 20), 0.0};
            Pose pose{.position = at, .orientation = k % 4 == 0 ? Quaternion{} : spin * tilt};
            const Convex shape = prepare(geometry);
            pose.position[2] =
                random.uniform(-0.01, 0.01) -
                rotate(pose.orientation, support(shape, rotate_back(pose.orientation, {0.0, 0.0, -1.0})))[2];
            const auto found = points(geometry, pose, *ground, 0.02);
            std::vector<PairPoint> expected;
            collide_half_space(shape, pose, {}, 0.02, expected);
            ASSERT_EQ(found.size(), expected.size());
            for (const PairPoint& p : found) {
                EXPECT_EQ(p.normal_w, up);
                EXPECT_TRUE(std::any_of(expected.begin(), expected.end(), [&](const PairPoint& q) {
                    return length(p.point_w - q.point_w) < 1e-14 && std::abs(p.gap - q.gap) < 1e-14;
                }));
            }
        }
    }
}

TEST(Mesh, SlidingContactsKeepTheirNamesOverAPlane) {
    const auto ground = make_mesh_ground(flat_plate(30, 0.25));
    std::set<std::uint32_t> names;
    for (int k = 0; k < 100; ++k) {
        for (const PairPoint& p : points(Box{}, {.position = {2.0 + 0.02 * k, 3.03, 0.5}}, *ground, 0.02)) {
            names.insert(p.feature);
        }
    }
    EXPECT_EQ(names.size(), 4U);
}

TEST(Mesh, BallRollingOverABentSurfaceHasNormalsBetweenThoseOfTheFaces) {
    // A dome: no normal may lean more than its steepest face.
    const auto ground = make_mesh_ground(plate(20, 20, 0.25, [](double x, double y) {
        return -0.05 * ((x - 2.5) * (x - 2.5) + (y - 2.5) * (y - 2.5));
    }));
    test::Random random(5);
    for (int k = 0; k < 500; ++k) {
        const double x = random.uniform(1.5, 3.5);
        const double y = random.uniform(1.5, 3.5);
        const double z = -0.05 * ((x - 2.5) * (x - 2.5) + (y - 2.5) * (y - 2.5)) + 0.3;
        const auto found = points(Sphere{0.3}, {.position = {x, y, z}}, *ground, 0.02);
        ASSERT_FALSE(found.empty());
        for (const PairPoint& p : found) {
            const Vec3 smooth = direction({0.1 * (x - 2.5), 0.1 * (y - 2.5), 1.0});
            EXPECT_GT(dot(p.normal_w, smooth), std::cos(0.06));  // a cell turns by 0.1 * 0.25 along x and y
            EXPECT_NEAR(p.gap, 0.0, 0.01);
        }
    }
}

// ---- features ---------------------------------------------------------------------------------------------

/// Ridge along y at x = 0, height 0, both sides falling with slope 1.
TriangleSoup roof() {
    TriangleSoup soup;
    soup.vertices = {{0.0, -5.0, 0.0},  {0.0, 5.0, 0.0},   {-5.0, -5.0, -5.0},
                     {-5.0, 5.0, -5.0}, {5.0, -5.0, -5.0}, {5.0, 5.0, -5.0}};
    soup.triangles = {{2, 0, 1}, {2, 1, 3}, {0, 4, 5}, {0, 5, 1}};
    return soup;
}

/// The same turned inside out: a valley with its line along y at x = 0.
TriangleSoup valley() {
    TriangleSoup soup = roof();
    for (Vec3& v : soup.vertices) v[2] = -v[2];
    return soup;
}

TEST(Mesh, BallOnARidgeTouchesItOnce) {
    const auto found = points(Sphere{0.5}, {.position = {0.0, 0.3, 0.501}}, roof(), 0.01);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NEAR(found[0].gap, 0.001, 1e-12);
    expect_near(found[0].normal_w, up, 1e-12);
    expect_near(found[0].point_w, {0.0, 0.3, 0.0005}, 1e-12);
    // Leaning by 30 degrees it is still the ridge's, by 60 the face's.
    const auto leaning =
        points(Sphere{0.5}, {.position = {0.501 * 0.5, 0.3, 0.501 * std::sqrt(0.75)}}, roof(), 0.01);
    ASSERT_EQ(leaning.size(), 1U);
    EXPECT_NEAR(leaning[0].gap, 0.001, 1e-12);
    expect_near(leaning[0].normal_w, {0.5, 0.0, std::sqrt(0.75)}, 1e-12);
    const auto face = points(Sphere{0.5}, {.position = {0.7, 0.3, 0.0}}, roof(), 0.01);
    ASSERT_EQ(face.size(), 1U);
    EXPECT_NEAR(face[0].gap, 0.7 * std::sqrt(0.5) - 0.5, 1e-12);
    expect_near(face[0].normal_w, {std::sqrt(0.5), 0.0, std::sqrt(0.5)}, 1e-12);
}

TEST(Mesh, BoxOnARidgeRestsOnTheTwoEndsOfItsLine) {
    const auto found = points(Box{{0.5, 0.5, 0.5}}, {.position = {0.1, 0.3, 0.499}}, roof(), 0.01);
    ASSERT_GE(found.size(), 2U);
    std::set<double> ends;
    for (const PairPoint& p : found) {
        EXPECT_NEAR(p.gap, -0.001, 1e-9);
        expect_near(p.normal_w, up, 1e-9);
        EXPECT_NEAR(p.point_w[0], 0.0, 1e-9);
        ends.insert(std::round(p.point_w[1] * 1e6) / 1e6);
    }
    EXPECT_NEAR(*ends.begin(), -0.2, 1e-5);
    EXPECT_NEAR(*ends.rbegin(), 0.8, 1e-5);
}

TEST(Mesh, BallInAValleyTouchesBothSides) {
    for (const double sink : {0.001, 0.0, -0.001, -0.05}) {
        const double z = 0.5 * std::sqrt(2.0) + sink;
        const auto found = points(Sphere{0.5}, {.position = {0.0, 0.3, z}}, valley(), 0.01);
        ASSERT_EQ(found.size(), 2U) << sink;
        for (const PairPoint& p : found) {
            EXPECT_NEAR(p.gap, sink * std::sqrt(0.5), 1e-12);
            EXPECT_NEAR(p.normal_w[2], std::sqrt(0.5), 1e-12);
        }
        EXPECT_NEAR(found[0].normal_w[0], -found[1].normal_w[0], 1e-12);
    }
}

TEST(Mesh, ShallowValleysActWithTheSideThatIsBelow) {
    TriangleSoup soup = valley();
    for (Vec3& v : soup.vertices) v[2] *= 0.01;
    // Over the right side, so near to the line that the left side's plane, prolonged, is within reach.
    for (const double x : {0.05, 0.2, 0.4}) {
        const double z = 0.01 * x + 0.101 * std::sqrt(1.0001);
        const auto found = points(Sphere{0.1}, {.position = {x, 0.3, z}}, soup, 0.02);
        ASSERT_EQ(found.size(), 1U);
        EXPECT_NEAR(found[0].gap, 0.001, 1e-12);
        EXPECT_LT(found[0].normal_w[0], 0.0);
    }
}

/// Floor z = 0 for x > 0 and wall x = 0 above it.
TriangleSoup corner_of_a_room() {
    TriangleSoup soup;
    soup.vertices = {{0.0, -5.0, 0.0}, {5.0, -5.0, 0.0}, {5.0, 5.0, 0.0},
                     {0.0, 5.0, 0.0},  {0.0, -5.0, 5.0}, {0.0, 5.0, 5.0}};
    soup.triangles = {{0, 1, 2}, {0, 2, 3}, {0, 3, 5}, {0, 5, 4}};
    return soup;
}

TEST(Mesh, BoxInACornerOfARoomLosesNeitherFloorNorWall) {
    // Its edge is a little in front of, or behind, both of them, in every combination.
    for (const double dx : {1e-3, 0.0, -1e-6, -1e-3}) {
        for (const double dz : {1e-3, 0.0, -1e-6, -1e-3}) {
            const auto found =
                points(Box{}, {.position = {0.5 + dx, 0.2, 0.5 + dz}}, corner_of_a_room(), 0.01);
            int on_floor = 0;
            int on_wall = 0;
            for (const PairPoint& p : found) {
                if (p.normal_w == up) {
                    ++on_floor;
                    EXPECT_NEAR(p.gap, dz, 1e-12);
                } else {
                    ++on_wall;
                    expect_near(p.normal_w, {1.0, 0.0, 0.0}, 1e-15);
                    EXPECT_NEAR(p.gap, dx, 1e-12);
                }
            }
            EXPECT_EQ(on_floor, 4) << dx << ' ' << dz;
            EXPECT_EQ(on_wall, 4) << dx << ' ' << dz;
        }
    }
}

TEST(Mesh, LargeBoxOnASmallPlateauRestsOnThePlateausRim) {
    for (const double gap : {0.001, -0.001}) {
        const auto found = points(Box{{2.0, 2.0, 0.5}}, {.position = {0.1, 0.2, 1.0 + gap}}, cube(0.5), 0.01);
        ASSERT_GE(found.size(), 4U);
        int corners = 0;
        for (const PairPoint& p : found) {
            EXPECT_NEAR(p.gap, gap, 1e-9);
            expect_near(p.normal_w, up, 1e-9);
            corners += std::abs(std::abs(p.point_w[0]) - 0.5) < 1e-9 &&
                       std::abs(std::abs(p.point_w[1]) - 0.5) < 1e-9;
        }
        EXPECT_EQ(corners, 4);
    }
}

TEST(Mesh, BoxHangingOverARimIsNotPushedSideways) {
    for (const double gap : {0.001, 0.0, -1e-6, -0.005}) {
        const auto found =
            points(Box{{0.3, 0.3, 0.3}}, {.position = {0.4, 0.05, 0.8 + gap}}, cube(0.5), 0.01);
        ASSERT_GE(found.size(), 4U);
        double low = infinity;
        double high = -infinity;
        for (const PairPoint& p : found) {
            expect_near(p.normal_w, up, 1e-9);
            EXPECT_NEAR(p.gap, gap, 1e-9);
            low = std::min(low, p.point_w[0]);
            high = std::max(high, p.point_w[0]);
        }
        EXPECT_NEAR(low, 0.1, 1e-9);
        EXPECT_NEAR(high, 0.5, 1e-9);
    }
}

TEST(Mesh, BallAroundACubeHasTheDistanceToTheCube) {
    const auto ground = make_mesh_ground(cube(0.5));
    test::Random random(7);
    for (int k = 0; k < 2000; ++k) {
        const Vec3 at{random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)};
        Vec3 nearest = at;
        for (double& c : nearest) c = std::clamp(c, -0.5, 0.5);
        const double distance = length(at - nearest);
        if (distance < 1e-3) continue;
        const auto found = points(Sphere{0.3}, {.position = at}, *ground, 0.5);
        double least = infinity;
        Vec3 normal{};
        for (const PairPoint& p : found) {
            if (p.gap < least) {
                least = p.gap;
                normal = p.normal_w;
            }
        }
        EXPECT_NEAR(least, distance - 0.3, 1e-9);
        expect_near(normal, direction(at - nearest), 1e-9);
    }
}

TEST(Mesh, ConvexShapesAroundACubeMeshAreAsNearAsToTheBox) {
    const auto ground = make_mesh_ground(cube(0.5));
    const Convex box = prepare(Box{});
    test::Random random(8);
    int compared = 0;
    for (const Geometry& geometry :
         {Geometry{Box{{0.2, 0.3, 0.4}}}, Geometry{Capsule{0.1, 0.4}}, Geometry{Cylinder{0.3, 0.2}}}) {
        const Convex shape = prepare(geometry);
        for (int k = 0; k < 500; ++k) {
            const Pose pose{.position = 0.95 * direction({random.normal(), random.normal(), random.normal()}),
                            .orientation = normalised(
                                {random.normal(), random.normal(), random.normal(), random.normal()})};
            std::vector<PairPoint> expected;
            collide_convex(shape, pose, box, {}, 0.2, expected);
            double least = infinity;
            for (const PairPoint& p : expected) least = std::min(least, p.gap);
            if (expected.empty() || least < 1e-3)
                continue;  // overlaps are compared nowhere: meshes are shells
            double found = infinity;
            for (const PairPoint& p : points(geometry, pose, *ground, 0.2)) found = std::min(found, p.gap);
            EXPECT_NEAR(found, least, 1e-6);
            ++compared;
        }
    }
    EXPECT_GT(compared, 200);
}

// ---- one-sided --------------------------------------------------------------------------------------------

TEST(Mesh, WhatIsWhollyBehindIsLeftAlone) {
    const auto ground = make_mesh_ground(flat_plate(8, 0.5));
    EXPECT_TRUE(points(Sphere{0.5}, {.position = {2.0, 2.0, -0.51}}, *ground, 0.2).empty());
    EXPECT_TRUE(points(Box{}, {.position = {2.0, 2.0, -0.51}}, *ground, 0.2).empty());
    const auto found = points(Box{}, {.position = {2.1, 2.2, -0.4}}, *ground, 0.2);
    EXPECT_EQ(found.size(), 8U);  // the upper corners, too, are nearer than the reach
    for (const PairPoint& p : found) EXPECT_EQ(p.normal_w, up);
}

TEST(Mesh, OpenEdgesAreTouchedFromOutside) {
    // Beside the plate's edge x = 0, at 45 degrees above it and below it.
    const double d = 0.5 * std::sqrt(0.5);
    const auto above = points(Sphere{0.5}, {.position = {-d, 1.1, d}}, flat_plate(4, 0.5), 0.01);
    ASSERT_EQ(above.size(), 1U);
    EXPECT_NEAR(above[0].gap, 0.0, 1e-12);
    expect_near(above[0].normal_w, {-std::sqrt(0.5), 0.0, std::sqrt(0.5)}, 1e-12);
    EXPECT_TRUE(points(Sphere{0.5}, {.position = {-d, 1.1, -d}}, flat_plate(4, 0.5), 0.01).empty());
}

// ---- input of all kinds -----------------------------------------------------------------------------------

TEST(Mesh, LooseTrianglesAreSewnTogether) {
    const TriangleSoup sewn = flat_plate(6, 0.5);
    TriangleSoup loose;
    for (const auto& t : sewn.triangles) {
        const int first = static_cast<int>(loose.vertices.size());
        for (const int v : t) loose.vertices.push_back(sewn.vertices[static_cast<std::size_t>(v)]);
        loose.triangles.push_back({first, first + 1, first + 2});
    }
    for (int k = 0; k < 20; ++k) {
        const auto found =
            points(Box{{0.3, 0.3, 0.3}}, {.position = {1.0 + 0.05 * k, 1.5, 0.3}}, loose, 0.01);
        EXPECT_EQ(found.size(), 4U);
        for (const PairPoint& p : found) EXPECT_EQ(p.normal_w, up);
    }
}

TEST(Mesh, TrianglesWithoutAreaAndEmptyMeshesAreIgnored) {
    TriangleSoup soup = flat_plate(4, 0.5);
    soup.triangles.push_back({0, 0, 1});
    soup.triangles.push_back({0, 1, 2});
    EXPECT_EQ(points(Sphere{0.5}, {.position = {1.1, 1.2, 0.5}}, soup, 0.01).size(), 1U);
    EXPECT_TRUE(points(Sphere{0.5}, {}, TriangleSoup{}, 0.01).empty());
}

TEST(Mesh, FindGivesThoseThatTestingAllBoxesGives) {
    test::Random random(3);
    TriangleSoup soup;
    for (int k = 0; k < 900; ++k)
        soup.vertices.push_back({random.normal(), random.normal(), random.normal()});
    for (int k = 0; k < 300; ++k) soup.triangles.push_back({3 * k, 3 * k + 1, 3 * k + 2});
    const auto ground = make_mesh_ground(soup);
    for (int k = 0; k < 100; ++k) {
        const Vec3 at{random.normal(), random.normal(), random.normal()};
        const Aabb box{.low = at, .high = at + Vec3{0.1, 0.3, 0.2}};
        std::vector<std::uint32_t> found;
        ground->find(box, found);
        std::vector<std::uint32_t> expected;
        for (std::uint32_t t = 0; t < 300; ++t) {
            const GroundTriangle triangle = ground->triangle(t);
            bool meets = true;
            for (int c = 0; c < 3; ++c) {
                const auto [low, high] =
                    std::minmax({triangle.corner[0][c], triangle.corner[1][c], triangle.corner[2][c]});
                meets = meets && low <= box.high[c] && high >= box.low[c];
            }
            if (meets) expected.push_back(t);
        }
        EXPECT_EQ(found, expected);
    }
}

TEST(Mesh, MovedAndTurnedMeshesCarryTheirContactsWithThem) {
    Model model;
    auto soup = std::make_shared<TriangleSoup>(roof());
    const Pose frame{.position = {3.0, -2.0, 1.0}, .orientation = turn(direction({1.0, 2.0, 3.0}), 0.7)};
    test::add(model, "roof", TriangleMesh{soup}, frame, BodyKind::fixed);
    test::add(model, "ball", Sphere{0.5}, {.position = transform(frame, {0.0, 0.3, 0.501})});
    const auto contacts = test::contacts_of(model);
    ASSERT_EQ(contacts.size(), 1U);
    EXPECT_NEAR(contacts[0].gap, 0.001, 1e-12);
    expect_near(contacts[0].normal_w, rotate(frame.orientation, up), 1e-12);
    expect_near(contacts[0].point_w, transform(frame, {0.0, 0.3, 0.0005}), 1e-12);
}

}  // namespace
}  // namespace uptack::collision

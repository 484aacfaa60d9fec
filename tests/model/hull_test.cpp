#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "support/random.h"
#include "support/tolerance.h"
#include "uptack/input_error.h"
#include "uptack/model.h"

namespace uptack::test {
namespace {

using Points = std::vector<Vec3>;

Points random_points(int count, unsigned seed) {
    Random random(seed);
    Points points;
    for (int i = 0; i < count; ++i) {
        points.push_back({random.uniform(-1.0, 1.0), random.uniform(-3.0, 3.0), random.uniform(-0.2, 0.2)});
    }
    return points;
}

Vec3 normal_of(const Polyhedron& solid, const std::vector<int>& face) {
    const auto at = [&](std::size_t i) { return solid.vertices[static_cast<std::size_t>(face[i])]; };
    Vec3 area{};
    for (std::size_t i = 1; i + 1 < face.size(); ++i) area += cross(at(i) - at(0), at(i + 1) - at(0));
    return direction(area);
}

// No point is outside any face; every edge runs once in each direction; Euler's formula holds.
void expect_hull_of(const Polyhedron& solid, const Points& points, double slack) {
    std::map<std::pair<int, int>, int> edges;
    for (const std::vector<int>& face : solid.faces) {
        ASSERT_GE(face.size(), 3U);
        EXPECT_EQ(face[0], *std::min_element(face.begin(), face.end()));
        const Vec3 normal = normal_of(solid, face);
        const Vec3 corner = solid.vertices[static_cast<std::size_t>(face[0])];
        for (const Vec3& p : points) EXPECT_LE(dot(normal, p - corner), tolerance(slack));
        for (std::size_t i = 0; i < face.size(); ++i) ++edges[{face[i], face[(i + 1) % face.size()]}];
    }
    for (const auto& [edge, count] : edges) {
        EXPECT_EQ(count, 1);
        EXPECT_EQ(edges.count({edge.second, edge.first}), 1U);
    }
    EXPECT_EQ(solid.vertices.size() + solid.faces.size(), edges.size() / 2 + 2);
    EXPECT_TRUE(std::is_sorted(solid.faces.begin(), solid.faces.end()));
}

TEST(Hull, RandomPointsAreInsideAndFacesClose) {
    for (unsigned seed = 0; seed < 40; ++seed) {
        const Points points = random_points(4 + 7 * static_cast<int>(seed), seed);
        const Hull hull = make_hull(points);
        expect_hull_of(*hull.polyhedron, points, 1e-6);
        // Corners are points as given, in their order.
        auto from = points.begin();
        for (const Vec3& v : hull.polyhedron->vertices) {
            from = std::find(from, points.end(), v);
            ASSERT_NE(from, points.end());
        }
    }
}

TEST(Hull, ACubeHasSixSquaresWhateverElseIsGiven) {
    Points points;
    for (int i = 0; i < 27; ++i) {  // corners, middles of edges and faces, and the centre
        points.push_back({double(i % 3) - 1.0, double(i / 3 % 3) - 1.0, double(i / 9) - 1.0});
    }
    points.insert(points.end(), points.begin(), points.end());  // all of them twice
    const Hull hull = make_hull(points);
    const Polyhedron& cube = *hull.polyhedron;
    EXPECT_EQ(cube.vertices.size(), 8U);
    ASSERT_EQ(cube.faces.size(), 6U);
    for (const auto& face : cube.faces) EXPECT_EQ(face.size(), 4U);
    expect_hull_of(cube, points, 1e-15);
    const std::vector<std::vector<int>> expected{{0, 1, 5, 4}, {0, 2, 3, 1}, {0, 4, 6, 2},
                                                 {1, 3, 7, 5}, {2, 6, 7, 3}, {4, 5, 7, 6}};
    EXPECT_EQ(cube.faces, expected);
}

TEST(Hull, APrismOfManySidesKeepsItsLidsWhole) {
    constexpr int sides = 100;
    for (const double scale : {1e-3, 1.0, 1e3}) {
        for (const Vec3& away : {Vec3{}, Vec3{100.0, -50.0, 30.0}}) {
            Points points;
            for (int i = 0; i < 2 * sides; ++i) {
                const double angle = 2.0 * 3.14159265358979 * (i % sides) / sides;
                points.push_back(scale *
                                 (away + Vec3{std::cos(angle), std::sin(angle), i < sides ? -0.5 : 0.5}));
            }
            const Hull hull = make_hull(points);
            const Polyhedron& prism = *hull.polyhedron;
            expect_hull_of(prism, points, 1e-12 * scale);
            ASSERT_EQ(prism.faces.size(), sides + 2U) << scale << " " << away[0];
            EXPECT_EQ(std::count_if(prism.faces.begin(), prism.faces.end(),
                                    [](const auto& face) { return face.size() == sides; }),
                      2);
        }
    }
}

TEST(Hull, ABoxFromAFileOfSinglePrecisionHasSixFacesOfAnySizeAndPlace) {
    Random random(7);
    const auto vector = [&random](double size) {
        return Vec3{random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
    };
    for (const double scale : {1e-4, 1.0, 1e5}) {
        for (int round = 0; round < 50; ++round) {
            const Pose pose{vector(1.0), exponential(vector(3.0))};
            Points points;
            for (int i = 0; i < 8; ++i) {
                Vec3 p = transform(pose, {(i & 1) - 0.5, (i & 2) - 1.0, 0.15 * ((i & 4) - 2.0)});
                for (double& x : p) x = static_cast<double>(static_cast<float>(scale * x));
                points.push_back(p);
            }
            const Hull hull = make_hull(points);
            EXPECT_EQ(hull.polyhedron->vertices.size(), 8U);
            EXPECT_EQ(hull.polyhedron->faces.size(), 6U);
            expect_hull_of(*hull.polyhedron, points, 1e-6 * scale);
        }
    }
}

TEST(Hull, TheSolidDoesNotDependOnTheOrderOfThePoints) {
    const Points points = random_points(200, 5);
    const auto faces_by_place = [](const Polyhedron& solid) {
        std::set<std::set<Vec3>> faces;
        for (const auto& face : solid.faces) {
            std::set<Vec3> corners;
            for (const int i : face) corners.insert(solid.vertices[static_cast<std::size_t>(i)]);
            faces.insert(corners);
        }
        return faces;
    };
    const auto expected = faces_by_place(*make_hull(points).polyhedron);
    Points mixed = points;
    std::mt19937 engine(1);
    for (int round = 0; round < 10; ++round) {
        std::shuffle(mixed.begin(), mixed.end(), engine);
        EXPECT_EQ(faces_by_place(*make_hull(mixed).polyhedron), expected);
    }
    EXPECT_EQ(make_hull(points).polyhedron->faces, make_hull(points).polyhedron->faces);
}

std::string complaint(const Points& points) {
    try {
        make_hull(points, "hull 'rock'");
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(Hull, PointsWithoutVolumeAreRefusedSilently) {
    testing::internal::CaptureStderr();
    testing::internal::CaptureStdout();
    Points flat = random_points(30, 3);
    for (Vec3& p : flat) p[2] = 0.3 * p[0] - p[1] + 2.0;
    const std::string plane = complaint(flat);
    EXPECT_EQ(complaint({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}), "hull 'rock': has 3 points; give at least 4");
    EXPECT_NE(complaint(Points(10, Vec3{1, 2, 3})).find("coincide"), std::string::npos);
    EXPECT_NE(complaint({{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {4, 4, 4}}).find("in a plane"),
              std::string::npos);
    Points thin = flat;
    for (Vec3& p : thin) p[2] = 1e-12 * p[0] * p[1];
    EXPECT_NE(complaint(thin).find("in a plane"), std::string::npos) << complaint(thin);
    EXPECT_EQ(testing::internal::GetCapturedStderr() + testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(
        plane,
        "hull 'rock': its 30 points lie in a plane and span no volume; give points that do, or use a box");
}

TEST(Hull, NumbersThatAreNoneAndTooManyPointsAreRefused) {
    Points points = random_points(10, 3);
    points[7][1] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(complaint(points), "hull 'rock': point 7 is not finite; give numbers");
    points[7][1] = infinity;
    EXPECT_EQ(complaint(points), "hull 'rock': point 7 is not finite; give numbers");
    EXPECT_THROW(make_hull(random_points(4097, 1)), LimitError);
    EXPECT_NO_THROW(make_hull(random_points(4096, 1)));
}

}  // namespace
}  // namespace uptack::test

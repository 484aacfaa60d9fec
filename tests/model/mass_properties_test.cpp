#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include "support/tolerance.h"
#include "uptack/model.h"

namespace uptack::test {
namespace {

using std::numbers::pi;

const std::vector<Material> materials{Material{}, Material{.name = "heavy", .density = 7000.0}};

MassProperties of(const Geometry& geometry, const Pose& pose = {}, int material = 0) {
    const Shape shape{.geometry = geometry, .pose = pose, .material = material};
    return mass_properties({&shape, 1}, materials);
}

void expect_near(const MassProperties& a, const MassProperties& b, double relative) {
    const double size = std::cbrt(b.mass / 1000.0);
    EXPECT_NEAR(a.mass, b.mass, tolerance(relative) * b.mass);
    for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_NEAR(a.center_of_mass[k], b.center_of_mass[k], tolerance(relative) * size) << k;
    }
    const double moment = b.inertia[0] + b.inertia[1] + b.inertia[2];
    for (std::size_t k = 0; k < 6; ++k) {
        EXPECT_NEAR(a.inertia[k], b.inertia[k], tolerance(relative) * moment) << "inertia " << k;
    }
}

// A solid of revolution cut into discs of radius R(z): a disc of thickness dz has the mass rho pi R^2 dz, the
// moment rho pi R^4/2 dz about z and rho pi R^4/4 dz about a diameter.  Gauss' rule of 3 points per slice.
MassProperties of_revolution(const std::function<double(double)>& radius, double low, double high) {
    constexpr int slices = 20000;
    constexpr double density = 1000.0;
    const double half = 0.5 * (high - low) / slices;
    MassProperties sum;
    double first = 0.0;
    double across = 0.0;
    double along = 0.0;
    for (int i = 0; i < slices; ++i) {
        const double middle = low + (2 * i + 1) * half;
        for (const double node : {-1.0, 0.0, 1.0}) {
            const double weight = (node == 0.0 ? 8.0 : 5.0) / 9.0 * half * density;
            const double z = middle + node * std::sqrt(0.6) * half;
            const double area = pi * radius(z) * radius(z);
            const double quartic = area * radius(z) * radius(z);
            sum.mass += weight * area;
            first += weight * area * z;
            along += weight * quartic / 2.0;
            across += weight * (quartic / 4.0 + area * z * z);
        }
    }
    const double center = first / sum.mass;
    sum.center_of_mass = {0.0, 0.0, center};
    across -= sum.mass * center * center;
    sum.inertia = {across, across, along, 0.0, 0.0, 0.0};
    return sum;
}

TEST(MassProperties, RoundSolidsWeighWhatTheirDiscsWeigh) {
    const double r = 0.3;
    const double h = 0.7;
    expect_near(of(Sphere{r}), of_revolution([=](double z) { return std::sqrt(r * r - z * z); }, -r, r),
                1e-9);
    expect_near(of(Cylinder{r, h}), of_revolution([=](double) { return r; }, -h, h), 1e-12);
    expect_near(of(Cone{r, h}), of_revolution([=](double z) { return r * (h - z) / (2.0 * h); }, -h, h),
                1e-12);
    const auto capsule = [=](double z) {
        const double beyond = std::max(0.0, std::abs(z) - h);
        return std::sqrt(std::max(0.0, r * r - beyond * beyond));
    };
    expect_near(of(Capsule{r, h}), of_revolution(capsule, -h - r, h + r), 1e-6);
}

TEST(MassProperties, ABoxHasTheMomentsOfItsSides) {
    const MassProperties box = of(Box{{0.5, 1.0, 1.5}});  // 1 x 2 x 3 m
    EXPECT_DOUBLE_EQ(box.mass, 6000.0);
    EXPECT_DOUBLE_EQ(box.inertia[0], 500.0 * (4.0 + 9.0));
    EXPECT_DOUBLE_EQ(box.inertia[1], 500.0 * (1.0 + 9.0));
    EXPECT_DOUBLE_EQ(box.inertia[2], 500.0 * (1.0 + 4.0));
}

std::vector<Vec3> corners(const Vec3& half, const Pose& pose = {}) {
    std::vector<Vec3> points;
    for (int i = 0; i < 8; ++i) {
        const Vec3 corner{(i & 1) != 0 ? half[0] : -half[0], (i & 2) != 0 ? half[1] : -half[1],
                          (i & 4) != 0 ? half[2] : -half[2]};
        points.push_back(transform(pose, corner));
    }
    return points;
}

const Pose tilted{{0.4, -0.3, 1.2}, exponential({0.5, -1.1, 0.8})};

TEST(MassProperties, TheHullOfABoxIsThatBoxHoweverItLies) {
    const Vec3 half{0.2, 0.5, 0.9};
    expect_near(of(make_hull(corners(half))), of(Box{half}), 1e-14);
    // The corners are turned one by one: nothing of this uses the rotation of an inertia.
    expect_near(of(Box{half}, tilted), of(make_hull(corners(half, tilted))), 1e-14);
}

TEST(MassProperties, ATetrahedronIsAsByHand) {
    // Corners 0, x, y, z of length 1: V = 1/6, centre 1/4 each, int x^2 = 1/60, int x y = 1/120.
    const MassProperties t = of(make_hull(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}));
    MassProperties expected{.mass = 1000.0 / 6.0, .center_of_mass = {0.25, 0.25, 0.25}};
    const double square = 1000.0 * (1.0 / 60.0 - 1.0 / 96.0);  // about the centre: minus V / 16
    const double mixed = 1000.0 * (1.0 / 120.0 - 1.0 / 96.0);
    expected.inertia = {2.0 * square, 2.0 * square, 2.0 * square, -mixed, -mixed, -mixed};
    expect_near(t, expected, 1e-14);
}

TEST(MassProperties, APyramidIsAsByHandThoughItsCornersAreNotEvenlySpread) {
    // Base of side a, height h: V = a^2 h / 3, centre h/4 up, Izz = m a^2/10, Ixx = m (a^2/20 + 3 h^2/80).
    const double a = 2.0;
    const double h = 3.0;
    const MassProperties pyramid =
        of(make_hull(std::vector<Vec3>{{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}, {0, 0, h}}));
    const double m = 4000.0;
    const double across = m * (a * a / 20.0 + 3.0 * h * h / 80.0);
    expect_near(pyramid, {m, {0.0, 0.0, h / 4.0}, {across, across, m * a * a / 10.0, 0.0, 0.0, 0.0}}, 1e-14);
}

TEST(MassProperties, TheHullOfManyPointsOfASphereIsNearlyTheSphere) {
    std::vector<Vec3> points;
    constexpr int count = 4000;
    for (int i = 0; i < count; ++i) {  // a spiral from pole to pole
        const double z = 1.0 - (2.0 * i + 1.0) / count;
        const double angle = pi * (3.0 - std::sqrt(5.0)) * i;
        const double r = std::sqrt(1.0 - z * z);
        points.push_back({r * std::cos(angle), r * std::sin(angle), z});
    }
    const MassProperties hull = of(make_hull(points));
    expect_near(hull, of(Sphere{1.0}), 3e-3);
    EXPECT_LT(hull.mass, of(Sphere{1.0}).mass);
}

TEST(MassProperties, AnLOfTwoBoxesIsAsByHand) {
    // Unit cubes at (0.5, 0.5, 0.5) and (1.5, 0.5, 0.5) and (0.5, 1.5, 0.5): the first two as one box.
    const std::vector<Shape> shapes{
        {.geometry = Box{{1.0, 0.5, 0.5}}, .pose = {{1.0, 0.5, 0.5}, {}}},
        {.geometry = Box{{0.5, 0.5, 0.5}}, .pose = {{0.5, 1.5, 0.5}, {}}},
    };
    const MassProperties whole = mass_properties(shapes, materials);
    // Centre (2 (1, 1/2) + (1/2, 3/2)) / 3 = (5/6, 5/6).  Of three cubes with 1/6 m each about their centres:
    // Ixx = 3/6 + 2 (1/3)^2 + (2/3)^2 = 7/6, the same for y; Izz = 3/6 + 4/3; Ixy = -sum dx dy = 1/3.
    EXPECT_DOUBLE_EQ(whole.mass, 3000.0);
    MassProperties expected{.mass = 3000.0, .center_of_mass = {5.0 / 6.0, 5.0 / 6.0, 0.5}};
    expected.inertia = {3500.0 / 3.0, 3500.0 / 3.0, 5500.0 / 3.0, 1000.0 / 3.0, 0.0, 0.0};
    expect_near(whole, expected, 1e-14);
}

TEST(MassProperties, PiecesWeighWhatTheWholeWeighs) {
    // A box cut in two, both pieces tilted with it, against the box; with the heavier material too.
    const auto piece = [](double y, double half_y, int material) {
        return Shape{.geometry = Box{{0.2, half_y, 0.9}},
                     .pose = tilted * Pose{{0.0, y, 0.0}, {}},
                     .material = material};
    };
    for (const int material : {0, 1}) {
        const std::vector<Shape> pieces{piece(-0.3, 0.2, material), piece(0.2, 0.3, material)};
        expect_near(mass_properties(pieces, materials), of(Box{{0.2, 0.5, 0.9}}, tilted, material), 1e-14);
    }
}

TEST(MassProperties, SurfacesWeighNothing) {
    const auto grid = std::make_shared<HeightGrid>(HeightGrid{2, 2, 1.0, 1.0, {0, 0, 0, 0}});
    const std::vector<Shape> shapes{
        {.geometry = HalfSpace{}},
        {.geometry = HeightField{grid}},
        {.geometry = Sphere{0.1}, .pose = {{1, 2, 3}, {}}},
        {.geometry = TriangleMesh{}},
    };
    const MassProperties all = mass_properties(shapes, materials);
    EXPECT_EQ(all.mass, of(Sphere{0.1}).mass);
    EXPECT_EQ(all.center_of_mass, (Vec3{1, 2, 3}));
    EXPECT_EQ(mass_properties({}, materials).mass, 0.0);
}

}  // namespace
}  // namespace uptack::test

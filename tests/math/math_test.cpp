#include "uptack/math.h"

#include <gtest/gtest.h>

#include <numbers>
#include <random>

namespace uptack {
namespace {

class Rotations : public ::testing::Test {
protected:
    Vec3 vector(double size = 1.0) {
        return {size * uniform_(random_), size * uniform_(random_), size * uniform_(random_)};
    }
    Quaternion rotation() { return exponential(vector(3.0)); }

    void expect_near(const Vec3& a, const Vec3& b, double tolerance) {
        EXPECT_LE(length(a - b), tolerance)
            << a[0] << " " << a[1] << " " << a[2] << " against " << b[0] << " " << b[1] << " " << b[2];
    }

    std::mt19937_64 random_{7};
    std::uniform_real_distribution<double> uniform_{-1.0, 1.0};
};

TEST_F(Rotations, MatrixAndQuaternionTurnAlike) {
    for (int i = 0; i < 1000; ++i) {
        const Quaternion q = rotation();
        const Vec3 a = vector();
        expect_near(matrix(q) * a, rotate(q, a), 1e-14);
        expect_near(rotate_back(q, rotate(q, a)), a, 1e-14);
        expect_near(transpose(matrix(q)) * (matrix(q) * a), a, 1e-14);
        expect_near(rotate(quaternion(matrix(q)), a), rotate(q, a), 1e-14);
    }
}

TEST_F(Rotations, ProductTurnsByTheRightFactorFirst) {
    for (int i = 0; i < 100; ++i) {
        const Quaternion p = rotation();
        const Quaternion q = rotation();
        const Vec3 a = vector();
        expect_near(rotate(p * q, a), rotate(p, rotate(q, a)), 1e-14);
        const Pose outer{vector(), p};
        const Pose inner{vector(), q};
        expect_near(transform(outer * inner, a), transform(outer, transform(inner, a)), 1e-14);
        expect_near(transform(inverse(outer), transform(outer, a)), a, 1e-14);
        expect_near(transform_back(outer, transform(outer, a)), a, 1e-14);
    }
}

TEST_F(Rotations, ExponentialOfAQuarterTurnAboutZTakesXToY) {
    const double quarter = 0.5 * std::numbers::pi;
    expect_near(rotate(exponential({0.0, 0.0, quarter}), {1.0, 0.0, 0.0}), {0.0, 1.0, 0.0}, 1e-14);
    expect_near(rotate(turn({1.0, 0.0, 0.0}, quarter), {0.0, 1.0, 0.0}), {0.0, 0.0, 1.0}, 1e-14);
}

TEST_F(Rotations, LogarithmUndoesExponentialAtEverySize) {
    for (double size : {1e-12, 1e-9, 1e-6, 9.9e-4, 1.01e-3, 0.1, 1.0, 1.7}) {
        for (int i = 0; i < 100; ++i) {
            const Vec3 r = vector(size);
            expect_near(logarithm(exponential(r)), r, 4e-16 + 1e-15 * size);
        }
    }
}

TEST_F(Rotations, TurnBetweenTakesOneDirectionToTheOther) {
    for (int i = 0; i < 100; ++i) {
        const Vec3 a = direction(vector());
        const Vec3 b = direction(vector());
        expect_near(rotate(turn_between(a, b), a), b, 1e-14);
        expect_near(rotate(turn_between(a, -a), a), -a, 1e-14);
    }
}

TEST_F(Rotations, InertiaTurnsWithItsBody) {
    const Symmetric3 inertia{2.0, 3.0, 4.0, 0.3, -0.2, 0.1};
    for (int i = 0; i < 100; ++i) {
        const Quaternion q = rotation();
        const Vec3 a = vector();
        expect_near(multiply(rotate(matrix(q), inertia), a), rotate(q, multiply(inertia, rotate_back(q, a))),
                    1e-14);
        expect_near(multiply(inverse(inertia), multiply(inertia, a)), a, 1e-14);
    }
}

TEST_F(Rotations, ContactFramesAreRightHanded) {
    for (int i = 0; i < 1000; ++i) {
        const Vec3 n = direction(vector());
        const auto [normal, t1, t2] = contact_frame(n);
        EXPECT_EQ(normal, n);
        EXPECT_NEAR(dot(n, t1), 0.0, 1e-14);
        EXPECT_NEAR(length(t1), 1.0, 1e-14);
        expect_near(cross(t1, t2), n, 1e-14);
    }
}

TEST_F(Rotations, ADirectionlessVectorTakesTheOther) {
    EXPECT_EQ(direction({0.0, 0.0, 0.0}), (Vec3{0.0, 0.0, 1.0}));
    EXPECT_EQ(direction({3.0, 0.0, 4.0}), (Vec3{0.6000000000000001, 0.0, 0.8}));
}

}  // namespace
}  // namespace uptack

// Answers that can be written down: slopes, wedges, jamming.  Every solver that takes the law must find them.

#include <gtest/gtest.h>

#include <cmath>

#include "support/small_problems.h"
#include "support/solve.h"
#include "support/tolerance.h"

namespace uptack::test {
namespace {

constexpr double weight = mass * gravity * time_step;  // impulse of gravity in a step [N s]

const std::vector<std::string> cone_solvers = {"psor", "nncg", "leap", "apgd", "spg", "jacobi", "newton"};

/// A point mass at rest on a slope of `angle`, free velocity h g; rows (n, downhill, sideways).
Problem mass_on_slope(double angle, double mu) {
    Problem problem;
    problem.bodies = {ball()};
    const double c = std::cos(angle);
    const double s = std::sin(angle);
    const std::array<JacobianRow, 3> rows = {JacobianRow{.a = {-s, 0, c, 0, 0, 0}},
                                             JacobianRow{.a = {-c, 0, -s, 0, 0, 0}},
                                             JacobianRow{.a = {0, 1, 0, 0, 0, 0}}};
    add_block(problem, FrictionCone{.mu = mu, .model = FrictionModel::exact}, 0, no_body, rows,
              std::array{0.0, 0.0, 0.0});
    return problem;
}

// It holds while mu >= tan(angle); below, it runs down with g (sin - mu cos) and does not lift off.
TEST(ClosedForm, MassOnASlopeHoldsUntilMuIsTheTangent) {
    const double angle = 0.4;
    for (const std::string& solver : cone_solvers) {
        for (const double part : {0.5, 0.999, 1.001, 2.0}) {
            const double mu = part * std::tan(angle);
            const Outcome out = solve_with(solver, mass_on_slope(angle, mu), {.tolerance = {1e-12}});
            const auto& v = out.solution.velocity[0];
            const double downhill = -v[0] * std::cos(angle) - v[2] * std::sin(angle);
            const double away = -v[0] * std::sin(angle) + v[2] * std::cos(angle);
            const double expected =
                part > 1.0 ? 0.0 : time_step * gravity * (std::sin(angle) - mu * std::cos(angle));
            EXPECT_NEAR(downhill, expected, tolerance(1e-9)) << solver << " at " << part << " tan";
            EXPECT_NEAR(away, 0.0, tolerance(1e-9)) << solver;
            EXPECT_NEAR(out.solution.impulse[0], weight * std::cos(angle), tolerance(1e-9)) << solver;
        }
    }
}

// A ball in a groove of two smooth faces at 45 degrees: each carries weight / sqrt(2).
TEST(ClosedForm, GrooveSharesTheWeight) {
    Problem groove;
    groove.bodies = {ball()};
    const double h = std::sqrt(0.5);
    for (const double side : {-1.0, 1.0}) {
        const JacobianRow face{.a = {side * h, 0, h, 0, 0, 0}};
        add_block(groove, Unilateral{}, 0, no_body, std::span(&face, 1), std::array{0.0});
    }
    for (const std::string solver : {"psor", "nncg", "leap", "apgd", "spg", "jacobi", "newton", "simplex"}) {
        const Outcome out = solve_with(solver, groove, {.tolerance = {1e-12}});
        EXPECT_NEAR(out.solution.impulse[0], weight * h, tolerance(1e-10)) << solver;
        EXPECT_NEAR(out.solution.impulse[1], weight * h, tolerance(1e-10)) << solver;
    }
}

// A wedge of mass m driven down between the ground and a wall that leans on it: with friction angle above
// half the wedge angle it jams (sticks everywhere), below it slides out.
TEST(ClosedForm, WedgeJamsWhenTheFrictionAngleExceedsHalfItsAngle) {
    const double half_angle = 0.3;  // of the wedge's tip
    for (const double part : {0.8, 1.2}) {
        const double mu = std::tan(part * half_angle);
        Problem wedge;
        wedge.bodies = {ball()};
        wedge.bodies[0].free_velocity = {0, 0, 1.0, 0, 0, 0};  // pulled out, upwards
        for (const double side : {-1.0, 1.0}) {
            // faces push the wedge outwards along (side cos, +sin) and rub along (-side sin, cos); closing
            // speed 2 m/s
            const std::array<JacobianRow, 2> rows = {
                JacobianRow{.a = {side * std::cos(half_angle), 0, std::sin(half_angle), 0, 0, 0}},
                JacobianRow{.a = {-side * std::sin(half_angle), 0, std::cos(half_angle), 0, 0, 0}}};
            add_block(wedge, FrictionCone{.mu = mu, .model = FrictionModel::exact}, 0, no_body, rows,
                      std::array{-2.0 * std::sin(half_angle), 0.0});
        }
        // w_n = v_z sin - 2 sin >= 0 asks v_z >= 2 unless the faces press; sticking would hold v_z = 0 and
        // violate it, so the wedge must be pushed out: both faces carry the same and v_z = 2 where they close
        // exactly.
        for (const std::string solver : {"psor", "nncg", "leap", "newton"}) {
            const Outcome out = solve_with(solver, wedge, {.tolerance = {1e-10}});
            if (part > 1.0) {  // jammed: no impulses can push it out against that friction
                EXPECT_NE(out.report.status, Status::converged) << solver;
                EXPECT_GT(out.certificate.relative_error, 1e-3) << solver;
                continue;
            }
            EXPECT_EQ(out.report.status, Status::converged) << solver;
            EXPECT_NEAR(out.solution.velocity[0][2], 2.0, tolerance(1e-7)) << solver;
            EXPECT_NEAR(out.solution.impulse[0], out.solution.impulse[2], tolerance(1e-6)) << solver;
            EXPECT_NEAR(out.solution.impulse[1], -mu * out.solution.impulse[0], tolerance(1e-6)) << solver;
        }
    }
}

// Painleve's rod: sliding friction presses it into the ground (A_nn - mu A_nt < 0), so it cannot slide on: it
// catches. The impulse problem has that solution, and the solvers must give it or say that they did not.
TEST(ClosedForm, PainleveRodCatchesInsteadOfSliding) {
    const double mu = 1.5;
    Problem rod;
    rod.bodies = {{.inverse_mass = 1.0,
                   .inverse_inertia_w = {12, 12, 12, 0, 0, 0},
                   .free_velocity = {2, 0, -0.1, 0, 0, 0}}};
    const double angle =
        1.1;  // of the rod above the ground; the contact is at its end, r = (-cos, 0, -sin) / 2
    const double rx = 0.5 * std::cos(angle);
    const double rz = -0.5 * std::sin(angle);
    // w_n = v_z - rx w_y,  w_t = v_x + rz w_y
    const std::array<JacobianRow, 2> rows = {JacobianRow{.a = {0, 0, 1, 0, -rx, 0}},
                                             JacobianRow{.a = {1, 0, 0, 0, rz, 0}}};
    add_block(rod, FrictionCone{.mu = mu, .model = FrictionModel::exact}, 0, no_body, rows,
              std::array{0.0, 0.0});
    const double a_nn = 1.0 + 12.0 * rx * rx;
    const double a_nt = -12.0 * rx * rz;
    ASSERT_LT(a_nn - mu * a_nt, 0.0) << "the case must be a paradox";
    for (const std::string& solver : cone_solvers) {
        const Outcome out = solve_with(solver, rod, {.tolerance = {1e-10}, .max_iterations = 20'000});
        if (out.report.status != Status::converged) {
            EXPECT_GT(out.certificate.relative_error, 1e-10) << solver;
            continue;
        }
        EXPECT_LE(out.certificate.relative_error, 1e-10 * (1 + tolerance(1e-6))) << solver;
        EXPECT_GT(out.solution.impulse[0], 0.0) << solver;
        EXPECT_LE(std::abs(out.solution.impulse[1]), mu * out.solution.impulse[0] + tolerance(1e-9))
            << solver;
    }
    // The sweeping solvers are expected to find it.
    EXPECT_EQ(solve_with("newton", rod, {.tolerance = {1e-10}}).report.status, Status::converged);
}

}  // namespace
}  // namespace uptack::test

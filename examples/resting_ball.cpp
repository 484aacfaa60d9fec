// The smallest whole use of Uptack: build a problem, solve it, ask the certificate how good the answer is.
// The README shows this file; a test compares its output with expected/resting_ball.txt.

#include <array>
#include <cstdio>

#include "uptack/certificate.h"
#include "uptack/solvers.h"

int main() {
    using namespace uptack;
    const double mass = 2.0, gravity = 9.81, step = 0.01;  // [kg], [m/s^2], [s]

    // 1. One ball in free fall for a step, and the ground that will not let it.
    Problem problem;
    problem.bodies = {{.inverse_mass = 1 / mass, .free_velocity = {0, 0, -gravity * step, 0, 0, 0}}};
    const std::array rows = {JacobianRow{.a = {0, 0, 1, 0, 0, 0}}};  // w = the ball's upward velocity
    add_block(problem, Unilateral{}, 0, no_body, rows, std::array{0.0});

    // 2. Solve to a chosen error, in joules.
    Solution solution;
    const Tolerance wanted{.value = 1e-15, .unit = ErrorUnit::joules};
    const SolveReport report = make_solver("psor")->solve(problem, solution, {.tolerance = wanted});

    // 3. Certify: recomputed from the problem and the impulses alone.
    const Certificate certificate = certify(problem, solution.impulse);
    std::printf("%s: impulse %.6f N s, m g h is %.6f N s\n", status_name(report.status).data(),
                solution.impulse[0], mass * gravity * step);
    std::printf("error below 1e-15 J: %s\n", certificate.energy_error_J <= 1e-15 ? "yes" : "no");
}

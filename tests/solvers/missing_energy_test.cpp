#include "uptack/missing_energy.h"

#include <gtest/gtest.h>

#include "packed_problem.h"
#include "support/solve.h"
#include "support/tolerance.h"
#include "uptack/generators.h"

namespace uptack::test {
namespace {

/// 1/2 (x - x*)' A (x - x*): the kinetic energy of the velocity error.
double true_missing_energy(const Problem& problem, const Solution& x, const Solution& reference) {
    PackedProblem packed;
    packed.pack(problem);
    std::vector<double> difference = x.impulse;
    for (std::size_t i = 0; i < difference.size(); ++i) difference[i] -= reference.impulse[i];
    std::vector<double> y(difference.size());
    packed.multiply(difference, y);
    return 0.5 * dot(View(difference), View(y));
}

// The certificate says 1e-2 after a few sweeps of a heavy chain; the estimate says what is really missing.
TEST(MissingEnergy, IsExactForJoints) {
    const Problem chain = generate("chain");
    const Outcome reference = solve_with("simplex", chain, {.tolerance = {1e-13}});
    for (const int sweeps : {10, 100, 1000}) {
        const Outcome out = solve_with("psor", chain, {.tolerance = {1e-14}, .max_iterations = sweeps});
        const double truth = true_missing_energy(chain, out.solution, reference.solution);
        EXPECT_NEAR(estimate_missing_energy(chain, out.solution.impulse) / truth, 1.0, tolerance(1e-2))
            << sweeps;
        EXPECT_GT(truth, 100.0 * out.certificate.energy_error_J) << "the residual alone would flatter";
    }
}

// A factor of twenty in the velocities: the active contacts are guessed, and a guess of some is wrong.  It is
// worst between 2e-3 and 1e-3, where every first-order method rests on this packing (spg 20, psor 19, apgd
// 8).
TEST(MissingEnergy, IsOfTheRightSizeForContacts) {
    for (const double mu : {0.0, 0.3}) {
        const Problem problem = generate_sphere_packing({.spheres = 150, .contacts = 450, .mu = mu});
        const Outcome reference = solve_with("newton", problem, {.tolerance = {1e-11}});
        ASSERT_LE(reference.certificate.relative_error, 1e-9);
        for (const int sweeps : {30, 300, 3000}) {
            const Outcome out = solve_with("psor", problem, {.tolerance = {1e-14}, .max_iterations = sweeps});
            const double truth = true_missing_energy(problem, out.solution, reference.solution);
            const double ratio = estimate_missing_energy(problem, out.solution.impulse) / truth;
            EXPECT_GT(ratio, 1.0 / 400.0) << sweeps << " sweeps, mu " << mu;
            EXPECT_LT(ratio, 400.0) << sweeps << " sweeps, mu " << mu;
        }
    }
}

TEST(MissingEnergy, VanishesAtTheSolution) {
    const Problem problem = generate_plate_stack({.plates = 5, .mass_ratio = 10.0});
    const Outcome out = solve_with("newton", problem, {.tolerance = {1e-12}});
    EXPECT_LE(estimate_missing_energy(problem, out.solution.impulse),
              1e-16 * out.certificate.reference_energy_J);
}

}  // namespace
}  // namespace uptack::test

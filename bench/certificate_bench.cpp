// What a relative error means for the velocities: docs/04-certificate.md, "What it is not".
//
// Velocity error: distance of the linear velocities to those of a reference solution, in the mass norm,
// divided by that of the free velocities.  Errors only, no times: the output does not
// depend on the load of the machine.

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "uptack/certificate.h"
#include "uptack/generators.h"
#include "uptack/solvers.h"

namespace uptack::bench {
namespace {

double distance(const Problem& problem, const std::vector<Vec6>& a, const std::vector<Vec6>& b) {
    double square = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double inverse_mass = problem.bodies[i].inverse_mass;
        for (int k = 0; k < 3 && inverse_mass > 0.0; ++k) {
            square += (a[i][k] - b[i][k]) * (a[i][k] - b[i][k]) / inverse_mass;
        }
    }
    return std::sqrt(square);
}

Solution solved(const std::string& solver, const Problem& problem, double tolerance,
                std::int64_t iterations) {
    Solution solution;
    make_solver(solver)->solve(problem, solution, {.tolerance = {tolerance}, .max_iterations = iterations});
    return solution;
}

void compare(const std::string& name, const std::string& reference_solver, double reference_tolerance) {
    const Problem problem = generate(name);
    const Solution reference = solved(reference_solver, problem, reference_tolerance, 1'000'000);
    const std::vector<double> nothing(problem.bias.size(), 0.0);
    const double start = distance(problem, body_velocities(problem, nothing), reference.velocity);
    for (const std::string solver : {"psor", "nncg", "apgd"}) {
        for (const double tolerance : {1e-2, 1e-4, 1e-6}) {
            const Solution solution = solved(solver, problem, tolerance, 500'000);
            fmt::print("{:6} {:5} asked {:.0e}  certificate {:.2e}  velocity error {:.2e}\n", name, solver,
                       tolerance, certify(problem, solution.impulse).relative_error,
                       distance(problem, solution.velocity, reference.velocity) / start);
        }
    }
}

}  // namespace
}  // namespace uptack::bench

int main() {
    using uptack::bench::compare;
    compare("b1", "cg", 1e-13);
    compare("b2", "apgd", 1e-12);
    compare("b3", "nncg", 1e-10);
    compare("chain", "cg", 1e-13);
}

// Run a solver by name and have the result certified.

#pragma once

#include <string>

#include "uptack/certificate.h"
#include "uptack/solvers.h"

namespace uptack::test {

struct Outcome {
    SolveReport report;
    Certificate certificate;
    Solution solution;
};

inline Outcome solve_with(Solver& solver, const Problem& problem, const StopRule& rule,
                          const Observer& observer = {}) {
    Outcome out;
    out.report = solver.solve(problem, out.solution, rule, observer);
    out.certificate = certify(problem, out.solution.impulse);
    return out;
}

inline Outcome solve_with(const std::string& name, const Problem& problem, const StopRule& rule) {
    return solve_with(*make_solver(name), problem, rule);
}

}  // namespace uptack::test

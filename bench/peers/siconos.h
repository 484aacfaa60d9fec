// Siconos's solvers on our problems.
//
// Written by: siconos.cpp, only where the library was found.  Read by: siconos_bench.cpp, peers_test.cpp.
// It only translates.  Siconos's local form is ours with other letters; both have the normal first, and
// in both a contact that closes has a negative velocity:
//
//     ours      w = A x + b     x in K,  w + mu |w_t| n in K*, orthogonal       (exact friction, 3 rows)
//     Siconos   u = W r + q     M of its FrictionContactProblem is W, a matrix of 3 x 3 blocks

#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "uptack/problem.h"

namespace uptack::peers {

enum class SiconosMethod {
    nsgs,                  ///< nonsmooth Gauss-Seidel
    newton_alart_curnier,  ///< nonsmooth Newton on Alart and Curnier's function
    newton_fischer,        ///< the same on Fischer and Burmeister's
    admm,                  ///< alternating directions
};

struct SiconosRequest {
    SiconosMethod method = SiconosMethod::nsgs;
    double tolerance = 1e-4;  ///< by its own measure
    double limit_s = 10.0;    ///< CPU; then it is cut
    int most_runs = 1;        ///< the least time of so many is taken,
    double enough_s = 0.3;    ///< of fewer once they have taken so long together
};

struct SiconosAnswer {
    std::vector<double> impulse{};  ///< its last iterate, however it ended
    double seconds = 0.0;           ///< CPU
    int iterations = 0;
    std::optional<double> claimed_error{};  ///< what the solver says of itself, if it came to an end
    std::string trouble{};                  ///< empty: it says that it converged
};

/// Why this problem is not for Siconos's solvers; empty where it is.
std::string siconos_refusal(const Problem& problem);

/// A problem in Siconos's form.  Its solvers start from zero, on one thread; each works in a process of its
/// own, because Siconos may change what it is given, has no time limit, and ends the process when it is in
/// trouble.
class SiconosProblem {
public:
    /// Forms W; `problem` must not be refused.
    explicit SiconosProblem(const Problem& problem);
    ~SiconosProblem();
    SiconosProblem(const SiconosProblem&) = delete;
    SiconosProblem& operator=(const SiconosProblem&) = delete;

    SiconosAnswer solve(const SiconosRequest& request) const;

    /// Siconos's measure of any impulses: |r - proj_K(r - u~)| / |q|, impulses and velocities as they come.
    double error(std::span<const double> impulse) const;

private:
    struct Inside;
    std::unique_ptr<Inside> inside_;
};

}  // namespace uptack::peers

#include "jacobi.h"

namespace uptack {

SolveReport Jacobi::solve(const Problem& problem, Solution& solution, const StopRule& rule,
                          const Observer& observer) {
    monitor_.start_clock();
    packed_.pack(problem, PackedProblem::Use::products);
    monitor_.begin(packed_, rule, observer, solution, x_, y_);
    d_.resize(packed_.rows());
    packed_.safe_diagonal(d_);

    for (std::int64_t iteration = 1; !monitor_.finished(); ++iteration) {
        packed_.fixed_point_step(x_, y_, options_.omega, d_, x_);
        packed_.multiply(x_, y_);
        if (!monitor_.due(iteration)) continue;
        monitor_.judge(iteration, packed_.energy_error(x_, y_), x_);
    }
    return monitor_.finish(problem);
}

std::unique_ptr<Solver> make_jacobi(const JacobiOptions& options) {
    return std::make_unique<Jacobi>(options);
}

}  // namespace uptack

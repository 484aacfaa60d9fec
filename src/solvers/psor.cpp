#include "psor.h"

namespace uptack {

SolveReport Psor::solve(const Problem& problem, Solution& solution, const StopRule& rule,
                        const Observer& observer) {
    monitor_.start_clock();
    packed_.pack(problem);
    if (!packed_.has_positive_diagonal()) {
        return refuse(problem, solution,
                      "psor divides by the diagonal of A, and a diagonal entry is not positive");
    }
    monitor_.begin(packed_, rule, observer, solution, x_, y_);
    u_.resize(packed_.state_size());
    copy(packed_.state_of_product(), u_);

    for (std::int64_t sweeps = 1; !monitor_.finished(); ++sweeps) {
        const bool back = options_.symmetric && sweeps % 2 == 0;
        packed_.read(monitor_.rows_wanted());
        packed_.sweep(options_.omega, back ? Direction::backward : Direction::forward, x_, u_);
        if (!monitor_.due(sweeps)) continue;
        if (packed_.state_is_stale(sweeps) || monitor_.is_fine()) packed_.carry(x_, u_);
        packed_.respond(u_, x_, y_);
        monitor_.judge(sweeps, packed_.energy_error(x_, y_), x_);
    }
    return monitor_.finish(problem);
}

std::unique_ptr<Solver> make_psor(const PsorOptions& options) {
    return std::make_unique<Psor>(options);
}

}  // namespace uptack

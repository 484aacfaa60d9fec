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
    monitor_.begin(packed_, rule, observer, solution, now_.x, y_);
    now_.u.resize(packed_.state_size());
    copy(packed_.state_of_product(), now_.u);

    for (std::int64_t sweeps = 1; !monitor_.finished(); ++sweeps) {
        const bool back = options_.symmetric && sweeps % 2 == 0;
        packed_.read(monitor_.rows_wanted());
        packed_.sweep(options_.omega, back ? Direction::backward : Direction::forward, now_.x, now_.u);
        if (monitor_.due(sweeps)) monitor_.judge_swept(sweeps, packed_, now_, y_);
    }
    return monitor_.finish(problem);
}

std::unique_ptr<Solver> make_psor(const PsorOptions& options) {
    return std::make_unique<Psor>(options);
}

}  // namespace uptack

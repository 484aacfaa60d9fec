#include "nncg.h"

#include <algorithm>

namespace uptack {

SolveReport Nncg::solve(const Problem& problem, Solution& solution, const StopRule& rule,
                        const Observer& observer) {
    monitor_.start_clock();
    packed_.pack(problem);
    if (!packed_.has_positive_diagonal()) {
        return refuse(problem, solution,
                      "nncg divides by the diagonal of A, and a diagonal entry is not positive");
    }
    monitor_.begin(packed_, rule, observer, solution, now_.x, y_);
    now_.u.resize(packed_.state_size());
    packed_.carry(now_.x, now_.u);
    before_ = now_;
    direction_.x.resize(now_.x.size());
    direction_.u.resize(now_.u.size());
    reset_direction();

    double last_square = 0.0;
    for (std::int64_t sweeps = 1; !monitor_.finished(); ++sweeps) {
        copy(now_.x, before_.x);
        copy(now_.u, before_.u);
        packed_.sweep(options_.omega, Direction::forward, now_.x, now_.u);
        if (monitor_.due(sweeps)) {
            packed_.carry(now_.x, now_.u);
            packed_.respond(now_.u, now_.x, y_);
            monitor_.judge(sweeps, packed_.energy_error(now_.x, y_), now_.x);
        }
        const double square = turn_into_change();
        if (last_square > 0.0 && square <= last_square) {
            extrapolate(square / last_square);
        } else if (last_square > 0.0) {
            reset_direction();
        } else {
            copy(before_.x, direction_.x);
            copy(before_.u, direction_.u);
        }
        last_square = square;
    }
    return monitor_.finish(problem);
}

void Nncg::reset_direction() {
    std::fill(direction_.x.begin(), direction_.x.end(), 0.0);
    std::fill(direction_.u.begin(), direction_.u.end(), 0.0);
}

// before_ <- d = S(x) - x; returns <d, D d>
double Nncg::turn_into_change() {
    scale_and_add(-1.0, now_.x, before_.x);
    scale_and_add(-1.0, now_.u, before_.u);
    return weighted_dot(before_.x, before_.x, packed_.metric());
}

void Nncg::extrapolate(double beta) {
    add_scaled(beta, direction_.x, now_.x);
    add_scaled(beta, direction_.u, now_.u);
    scale_and_add(beta, before_.x, direction_.x);
    scale_and_add(beta, before_.u, direction_.u);
}

std::unique_ptr<Solver> make_nncg(const NncgOptions& options) {
    return std::make_unique<Nncg>(options);
}

}  // namespace uptack

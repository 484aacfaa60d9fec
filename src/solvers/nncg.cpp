#include "nncg.h"

#include "linalg/parallel.h"

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
    copy(packed_.state_of_product(), now_.u);
    restart();

    double last_square = 0.0;
    for (std::int64_t sweeps = 1; !monitor_.finished(); ++sweeps) {
        packed_.read(monitor_.rows_wanted());
        packed_.sweep(options_.omega, Direction::forward, now_.x, now_.u);
        if (monitor_.due(sweeps)) monitor_.judge_swept(sweeps, packed_, now_, y_);
        const double square = square_of_change();
        if (last_square > 0.0 && square <= last_square) {
            extrapolate(square / last_square);
        } else if (last_square > 0.0) {
            restart();
        } else {
            extrapolate(0.0);
        }
        last_square = square;
    }
    return monitor_.finish(problem);
}

void Nncg::restart() {
    before_ = now_;
    direction_.x.assign(now_.x.size(), 0.0);
    direction_.u.assign(now_.u.size(), 0.0);
}

double Nncg::square_of_change() const {
    return sum_over_chunks(now_.x.size(), [&](std::size_t first, std::size_t last) {
        return kernels().square_of_change(now_.x.data() + first, before_.x.data() + first,
                                          packed_.metric().data() + first, static_cast<int>(last - first));
    });
}

void Nncg::extrapolate(double beta) {
    const auto all = [&](auto& now, auto& before, auto& direction) {
        for_each_chunk(now.size(), [&](std::size_t, std::size_t first, std::size_t last) {
            kernels().extrapolate(beta, now.data() + first, before.data() + first, direction.data() + first,
                                  static_cast<int>(last - first));
        });
    };
    all(now_.x, before_.x, direction_.x);
    all(now_.u, before_.u, direction_.u);
}

std::unique_ptr<Solver> make_nncg(const NncgOptions& options) {
    return std::make_unique<Nncg>(options);
}

}  // namespace uptack

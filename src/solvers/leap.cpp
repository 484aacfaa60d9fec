#include "leap.h"

#include <algorithm>
#include <array>

#include "linalg/parallel.h"

namespace uptack {
namespace {

constexpr std::array<double, 3> caps = {10.0, 10.0, 80.0};
constexpr int shortest_run = 8;  // sweeps between leaps
constexpr int longest_run = 64;

}  // namespace

SolveReport Leap::solve(const Problem& problem, Solution& solution, const StopRule& rule,
                        const Observer& observer) {
    monitor_.start_clock();
    packed_.pack(problem);
    if (!packed_.has_positive_diagonal()) {
        return refuse(problem, solution,
                      "leap divides by the diagonal of A, and a diagonal entry is not positive");
    }
    if (packed_.matrix() != nullptr)
        return refuse(problem, solution, "leap needs bodies, not an assembled matrix; nncg takes both");
    monitor_.begin(packed_, rule, observer, solution, now_.x, y_);
    now_.u.resize(packed_.state_size());
    copy(packed_.state_of_product(), now_.u);
    before_ = now_;

    int run = shortest_run;  // this time
    int swept = 0;           // of it
    std::size_t leaps = 0;
    bool in_the_air = false;  // the sweep that projects the last leap is still to come
    for (std::int64_t sweeps = 1; !monitor_.finished(); ++sweeps) {
        if (swept == run - 1) {
            copy(now_.x, before_.x);
            copy(now_.u, before_.u);
        }
        packed_.read(monitor_.rows_wanted());
        packed_.sweep(options_.omega, Direction::forward, now_.x, now_.u);
        ++swept;
        if (monitor_.due(sweeps)) monitor_.judge_swept(sweeps, packed_, now_, y_);
        if (in_the_air) {
            const bool fell_short = !(rise() <= 0.0);
            if (fell_short) take_back();
            run = fell_short ? std::min(2 * run, longest_run) : shortest_run;
            in_the_air = false;
        }
        if (swept < run) continue;
        swept = 0;
        const double lambda = best_length(caps[leaps++ % caps.size()]);
        if (lambda <= 0.0) continue;
        leap(lambda);
        in_the_air = true;
    }
    return monitor_.finish(problem);
}

/// f now less f where the leap began; from differences, since near the end f itself has not the digits.
double Leap::rise() const {
    const View q = packed_.linear_term();
    const View c = packed_.compliance();
    const double of_state = sum_over_chunks(now_.u.size(), [&](std::size_t first, std::size_t last) {
        double sum = 0.0;
        for (std::size_t i = first; i < last; ++i)
            sum += 0.5 * (now_.u[i] + before_.u[i]) * (now_.u[i] - before_.u[i]);
        return sum;
    });
    return of_state + sum_over_chunks(now_.x.size(), [&](std::size_t first, std::size_t last) {
               double sum = 0.0;
               for (std::size_t i = first; i < last; ++i) {
                   const double compliant = c.empty() ? 0.0 : 0.5 * c[i] * (now_.x[i] + before_.x[i]);
                   sum += (q[i] + compliant) * (now_.x[i] - before_.x[i]);
               }
               return sum;
           });
}

/// Where f is least along the last change, but no further than cap times it; 0 where it does not fall.
double Leap::best_length(double cap) const {
    const View q = packed_.linear_term();
    const View c = packed_.compliance();
    auto [slope, curvature] = sums_over_chunks<2>(now_.u.size(), [&](std::size_t first, std::size_t last) {
        std::array<double, 2> sum{};
        for (std::size_t i = first; i < last; ++i) {
            const double d = now_.u[i] - before_.u[i];
            sum[0] += now_.u[i] * d;
            sum[1] += d * d;
        }
        return sum;
    });
    const auto of_rows = sums_over_chunks<2>(now_.x.size(), [&](std::size_t first, std::size_t last) {
        std::array<double, 2> sum{};
        for (std::size_t i = first; i < last; ++i) {
            const double d = now_.x[i] - before_.x[i];
            const double compliance = c.empty() ? 0.0 : c[i];
            sum[0] += (q[i] + compliance * now_.x[i]) * d;
            sum[1] += compliance * d * d;
        }
        return sum;
    });
    slope += of_rows[0];
    curvature += of_rows[1];
    return slope < 0.0 && curvature > 0.0 ? std::min(cap, -slope / curvature) : 0.0;
}

/// now_ goes on, before_ stays where the leap began.
void Leap::leap(double lambda) {
    const auto go = [&](auto& now, auto& before) {
        for_each_chunk(now.size(), [&](std::size_t, std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) {
                const double here = now[i];
                now[i] += lambda * (here - before[i]);
                before[i] = here;
            }
        });
    };
    go(now_.x, before_.x);
    go(now_.u, before_.u);
}

void Leap::take_back() {
    copy(before_.x, now_.x);
    copy(before_.u, now_.u);
}

std::unique_ptr<Solver> make_leap(const LeapOptions& options) {
    return std::make_unique<Leap>(options);
}

}  // namespace uptack

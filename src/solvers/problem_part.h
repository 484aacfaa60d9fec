// Some blocks of a problem with the bodies they need, as a problem of its own: what `auto` solves by itself.

#pragma once

#include <span>
#include <vector>

#include "uptack/problem.h"
#include "uptack/solution.h"

namespace uptack {

/// Allocates nothing once it has held so much.  Not of the assembled form.
class ProblemPart {
public:
    /// Those blocks of the whole, with their impulses.
    void copy_out(const Problem& whole, std::span<const int> blocks, std::span<const double> impulse);

    /// Their impulses, to those of the whole.
    void copy_back(const Problem& whole, std::span<const int> blocks, std::span<double> impulse) const;

    const Problem& problem() const { return problem_; }
    Solution& solution() { return solution_; }

private:
    int local_body(const Problem& whole, int body);

    Problem problem_;
    Solution solution_;
    std::vector<int> local_;  // body of the whole -> body here, -1: not there
    std::vector<int> used_;   // the bodies that are there
};

}  // namespace uptack

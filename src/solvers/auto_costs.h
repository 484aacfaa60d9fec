// What a method is expected to cost on a problem, in nanoseconds of the machine they were measured on.
//
// Only their ratios decide anything: on another machine `auto` may change methods a little earlier or later.
// Measured with bench/auto_bench's problems, one thread, AVX2 (docs/decisions/012-auto.md).

#pragma once

#include "uptack/problem.h"

namespace uptack {

struct AutoCosts {
    double sweep_ns = 0.0;      ///< an iteration of nncg; that of cg is about the same
    double gradient_ns = 0.0;   ///< an iteration of apgd
    double analysis_ns = 0.0;   ///< newton's, once per structure
    double iteration_ns = 0.0;  ///< newton's, without what the fill of the factor adds

    double float_from = 0.0;  ///< operations of newton's factorisation from which it uses floats

    /// Newton's iteration with the operations of its factorisation.
    double newton_ns(double operations) const {
        return iteration_ns + (operations > float_from ? 0.04 : 0.07) * operations;
    }
};

enum class Convex : bool { no, yes };
AutoCosts costs_of(const Problem& problem, Convex convex);

/// What newton is asked to do.
struct NewtonTask {
    double goal = 0.0;   ///< relative error to reach
    double start = 1.0;  ///< relative error that it may start from,
    double polish_from =
        1e-4;  ///< and that from which its polish usually finds the active set, if it is convex
    int rows = 0;
    bool convex = true;
    bool starts_far = false;   ///< where it is not convex: Newton::start_error() says so
    bool has_valleys = false;  ///< along which it must walk: a wall with exact friction
};

/// The iterations it usually takes.
double newton_iterations(const NewtonTask& task);

/// Error of newton's start from which contacts hold each other so tightly that what is not convex takes it
/// several times as long: 130 to 340 on heaps of capsules and a body on 23 contacts, at most 20 elsewhere.
inline constexpr double far_start = 50.0;
inline constexpr double start_in_valleys = 2.0;  ///< walls that are hit 7 to 35, a pyramid that stands 0.2

}  // namespace uptack

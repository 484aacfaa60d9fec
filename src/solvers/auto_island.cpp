#include "auto_island.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace uptack {
namespace {

constexpr double goal_of_joints = 1e-3;  // of the tolerance,
constexpr double joint_floor = 1e-11;    // but no relative error that round-off might forbid
constexpr double mechanism_share = 0.1;  // of the rows: fewer joints do not make a heap a mechanism
constexpr double cheap_sweeps = 60.0;    // a factorisation with little fill: trees, stacks, walls
constexpr double costly_sweeps = 800.0;

// A factorisation in sweeps: fitted to 22 problems from 12 to 48,000 rows, within a factor of 1.4.
constexpr double base_sweeps = 40.0;
constexpr double operations_per_row_and_sweep = 130.0;
constexpr double analysis_sweeps = 100.0;  // 10 to 130

// Newton's factorisations, from its runs on the same problems.
constexpr double newton_base = 8.0;
constexpr double newton_per_digit = 4.0;
constexpr double newton_polish = 20.0;
constexpr double polish_from = 1e-3;      // relative error
constexpr double not_convex = 2.0;        // as many
constexpr std::int64_t newton_cap = 100;  // where it may not converge at all

// Up to here newton goes first, and far below the tolerance: what then stands still stands still to the bit,
// and the next step of a simulation starts with its solution.  A stack of 20 plates takes 0.3 ms a step so,
// and 1.1 ms with sweeps.
constexpr int small_rows = 600;
// The same for contacts alone whose factor is cheap.  A standing pyramid of 210 boxes takes 8 ms a step so
// and 190 with sweeps first; dominoes in fall pay for it, 20 ms against 6.
constexpr int flat_rows = 6000;

// With less time sweeps go first: they have something to show at any moment.  Newton takes some 8 us a row.
constexpr double newton_s_per_row = 2e-5;

constexpr std::int64_t first_round = 20;
constexpr std::int64_t sweeping_rounds = 2;  // then apgd
constexpr double most_doublings = 4.0;
constexpr double patient_row_sweeps = 1e6;  // small islands may take more sweeps: some 15 ms
constexpr double stuck_gain = 0.9;          // of the error in a round: the other first-order method's turn
constexpr double plateau = 10.0;  // apgd on b2-friction gains nothing from 600 to 1300, and then converges
constexpr double no_gain = 0.97;  // of the error, in a round as long as all before it

constexpr std::size_t most_newtons = 16;

// Packings in space fill their factor like n^(4/3): beyond this the analysis alone takes a second in every
// step, and the factor would take gigabytes.
constexpr int most_newton_rows = 100'000;
constexpr double most_operations = 2e10;  // of one factorisation

}  // namespace

AutoIsland::AutoIsland(const AutoOptions& options) : options_(options) {
    newtons_.reserve(most_newtons);
}

void AutoIsland::begin_problem(Tolerance whole) {
    newtons_used_ = 0;
    joint_goal_ = goal_of_joints;
    if (whole.unit == ErrorUnit::relative)
        joint_goal_ = std::clamp(joint_floor / whole.value, goal_of_joints, 1.0);
}

SolveReport AutoIsland::solve(const Problem& problem, Solution& solution, const StopRule& rule,
                              const Observer& observer) {
    start_ = std::chrono::steady_clock::now();
    solution_ = &solution;
    rule_ = rule;
    observer_ = &observer;
    stage_observer_ = nullptr;
    if (observer) stage_observer_ = [this](const Progress& progress) { pass_on(progress); };
    report_ = {};
    methods_ = refused_ = 0;
    finished_ = judged_ = sweeps_stuck_ = false;
    work_ = swept_ = swept_s_ = newton_from_ = 0.0;
    factorisation_sweeps_ = -1.0;
    if (!newtons_.empty()) newtons_[std::min(newtons_used_, newtons_.size() - 1)]->forget_problem();
    look_at(problem);

    if (joint_share_ == 1.0) solve_joints();
    if (!finished_ && newton_goes_first()) {
        run(Method::newton, newton_cap, joint_goal_);
    } else if (!finished_ && joint_share_ >= mechanism_share) {
        solve_mechanism();
    }
    if (!finished_) climb();
    if ((methods_ & only(Method::newton)) != 0 || factorisation_sweeps_ >= 0.0) ++newtons_used_;
    report_.seconds = seconds();
    return report_;
}

bool AutoIsland::correct(const Problem& problem, Solution& solution, Tolerance tolerance) {
    if (methods_ != only(Method::newton) || newtons_used_ == 0) return false;
    return newtons_[std::min(newtons_used_, most_newtons) - 1]->correct(problem, solution, tolerance);
}

void AutoIsland::look_at(const Problem& problem) {
    problem_ = &problem;
    convex_ = true;
    int joint_rows = 0;
    for (const Block& block : problem.blocks) {
        if (std::holds_alternative<Bilateral>(block.law)) joint_rows += block.rows;
        const auto* cone = std::get_if<FrictionCone>(&block.law);
        if (cone != nullptr && cone->model == FrictionModel::exact) convex_ = false;
        if (std::holds_alternative<BoxFriction>(block.law)) convex_ = false;
    }
    joint_share_ = problem.blocks.empty() ? 0.0 : static_cast<double>(joint_rows) / problem.row_count();
}

/// A stage counts from its own beginning.
void AutoIsland::pass_on(const Progress& progress) const {
    (*observer_)({.iteration = report_.iterations + progress.iteration,
                  .seconds = seconds(),
                  .energy_error_J = progress.energy_error_J,
                  .relative_error = progress.relative_error});
}

double AutoIsland::seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void AutoIsland::stop(Status status, const char* reason) {
    report_.status = status;
    report_.reason = reason;
    finished_ = true;
}

bool AutoIsland::meets_tolerance() const {
    return rule_.tolerance.unit == ErrorUnit::joules ? report_.energy_error_J <= rule_.tolerance.value
                                                     : report_.relative_error <= rule_.tolerance.value;
}

/// Error over tolerance, above 1; roots of energies, as the certificate states them.
double AutoIsland::excess() const {
    return rule_.tolerance.unit == ErrorUnit::joules
               ? std::sqrt(report_.energy_error_J / rule_.tolerance.value)
               : report_.relative_error / rule_.tolerance.value;
}

// 1. Run from the best impulses so far   2. keep what is better   3. is that the end?
// False: the method refused; nothing has changed.
bool AutoIsland::run(Method method, std::int64_t iterations, double tightening) {
    StopRule rule = rule_;
    const double factor = rule.tolerance.unit == ErrorUnit::joules ? tightening * tightening : tightening;
    rule.tolerance.value *= factor;
    rule.max_iterations = std::min(iterations, rule_.max_iterations - report_.iterations);
    rule.budget_s = seconds_left();
    trial_.impulse = solution_->impulse;
    if (method == Method::newton && judged_ && report_.relative_error > polish_from) trial_.impulse.clear();
    SolveReport trial = solver(method).solve(*problem_, trial_, rule, stage_observer_);
    if (trial.status == Status::unsuitable) {
        refused_ |= only(method);
        return false;
    }
    if (!judged_ || trial.energy_error_J <= report_.energy_error_J) {
        solution_->impulse = trial_.impulse;  // copied: a swap would hand out storage that is needed again
        report_.energy_error_J = trial.energy_error_J;
        report_.relative_error = trial.relative_error;
    }
    judged_ = true;
    report_.iterations += trial.iterations;
    if (trial.iterations > 0) methods_ |= only(method);
    const auto count = static_cast<double>(trial.iterations);
    if (method == Method::newton) {
        work_ += count * std::max(base_sweeps, factorisation_sweeps_);
    } else {
        work_ += count;
        swept_ += count;
        swept_s_ += trial.seconds;
    }
    if (meets_tolerance()) {
        stop(Status::converged, "");
    } else if (trial.status == Status::not_finite || trial.status == Status::budget_spent) {
        finished_ = true;
        report_.status = trial.status;
        report_.reason = std::move(trial.reason);
    } else if (report_.iterations >= rule_.max_iterations) {
        stop(Status::iteration_limit, "");
    }
    return true;
}

Newton& AutoIsland::newton() {
    const std::size_t index = std::min(newtons_used_, most_newtons - 1);
    while (newtons_.size() <= index) newtons_.push_back(std::make_unique<Newton>(NewtonOptions{}));
    return *newtons_[index];
}

Solver& AutoIsland::solver(Method method) {
    switch (method) {
        case Method::nncg:
            return nncg_;
        case Method::apgd:
            return apgd_;
        case Method::cg:
            return cg_;
        case Method::newton:
            return newton();
    }
    return nncg_;
}

double AutoIsland::factorisation_sweeps() {
    if (factorisation_sweeps_ < 0.0) {
        const double operations = newton().factor_operations(*problem_);
        factorisation_sweeps_ =
            base_sweeps + operations / (operations_per_row_and_sweep * problem_->row_count());
        work_ += analysis_sweeps;
    }
    return factorisation_sweeps_;
}

void AutoIsland::solve_joints() {
    const double sweeps = factorisation_sweeps();
    if (sweeps > costly_sweeps) run(Method::cg, std::llround(sweeps));
    if (!finished_) run(Method::newton, rule_.max_iterations, joint_goal_);
    if (!finished_) stop(Status::stalled, "the rows contradict each other, or round-off is reached");
}

bool AutoIsland::newton_goes_first() {
    const int rows = problem_->row_count();
    if (rows <= small_rows) return rule_.budget_s > newton_s_per_row * rows;
    if (rows > flat_rows || joint_share_ > 0.0 || rule_.budget_s < infinity) return false;
    return factorisation_sweeps() <= cheap_sweeps;
}

/// Not from a start that already is good enough, and not where a factorisation is dear.
void AutoIsland::solve_mechanism() {
    if (factorisation_sweeps() > cheap_sweeps) return;
    run_newton();
}

/// The factorisations newton is expected to need from here, in sweeps; their number alone without a factor.
double AutoIsland::newton_sweeps() {
    const double goal = std::clamp(report_.relative_error / excess(), 1e-15, 1.0);
    const double digits = -std::log10(goal);
    const double size = std::min(1.0, 0.1 + 0.22 * std::log10(problem_->row_count()));
    double count = newton_base + newton_per_digit * digits;
    if (report_.relative_error < polish_from) count = std::min(newton_polish, count);
    if (!convex_) count *= not_convex;
    return size * count * std::max(base_sweeps, factorisation_sweeps_);
}

bool AutoIsland::run_newton() {
    const bool ran = run(Method::newton, convex_ ? rule_.max_iterations : newton_cap);
    newton_from_ = convex_ ? infinity : 2.0 * work_;
    return ran;
}

// The cheapest test first: without a factor's structure newton is taken to have no fill.
bool AutoIsland::newton_pays(double first_order_sweeps) {
    if (work_ < newton_from_ || (refused_ & only(Method::newton)) != 0) return false;
    if (problem_->row_count() > most_newton_rows || newton_sweeps() >= first_order_sweeps) return false;
    const double seconds_per_sweep = swept_ > 0.0 ? swept_s_ / swept_ : 0.0;
    if (factorisation_sweeps_ < 0.0 && analysis_sweeps * seconds_per_sweep > seconds_left()) return false;
    factorisation_sweeps();
    const double sweeps = newton_sweeps();
    const double operations = factorisation_sweeps_ * operations_per_row_and_sweep * problem_->row_count();
    if (operations > most_operations) return false;
    if (sweeps >= first_order_sweeps || sweeps * seconds_per_sweep > seconds_left()) return false;
    return convex_ || factorisation_sweeps_ <= cheap_sweeps;
}

/// `gain`: error after the last round over error before it; the round was as long as all before it.
bool AutoIsland::is_hopeless(double gain) const {
    const double least = std::max<double>(options_.patience, patient_row_sweeps / problem_->row_count());
    if (swept_ < least) return false;
    const bool may_take_its_time = convex_ || rule_.budget_s < infinity;
    if (may_take_its_time) return gain > no_gain && swept_ > plateau * least;
    if (gain > no_gain) return true;
    return std::log(excess()) > most_doublings * std::log(1.0 / gain);
}

/// What sweeps or gradients the next round is made of; nncg at first.
Method AutoIsland::first_order_method(int rounds) const {
    const bool gradient = convex_ && rounds > sweeping_rounds;
    const bool no_gradient = (refused_ & only(Method::apgd)) != 0;
    const bool no_sweeps = (refused_ & only(Method::nncg)) != 0;
    return ((gradient || sweeps_stuck_) && !no_gradient) || no_sweeps ? Method::apgd : Method::nncg;
}

void AutoIsland::climb() {
    std::int64_t round = first_round;
    for (int rounds = 1; !finished_; ++rounds, round *= 2) {
        const bool judged = judged_;
        const double before_J = report_.energy_error_J;
        if (!run(first_order_method(rounds), round) && !run(first_order_method(rounds), round)) {
            run_newton();
            if (!finished_) stop(Status::stalled, "sweeps and gradients do not apply, and newton stalled");
        }
        if (finished_ || !judged) continue;  // the first round has nothing to compare with
        const double gain = std::sqrt(report_.energy_error_J / before_J);
        sweeps_stuck_ = !sweeps_stuck_ && gain > stuck_gain;
        const double rate = -std::log(std::min(gain, 1.0 - 1e-9)) / static_cast<double>(round);
        if (newton_pays(std::log(excess()) / rate)) {
            run_newton();
        } else if (is_hopeless(gain)) {
            stop(Status::stalled, "more sweeps gain too little to reach the tolerance");
        }
    }
}

}  // namespace uptack

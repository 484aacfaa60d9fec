#include "auto_island.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "active_sets.h"
#include "single_contact.h"

namespace uptack {
namespace {

constexpr double goal_of_joints = 1e-3;      // of the tolerance,
constexpr double joint_floor = 1e-11;        // but no relative error that round-off might forbid
constexpr double mechanism_share = 0.1;      // of the rows: fewer joints do not make a heap a mechanism
constexpr double cheap_operations = 6000.0;  // of a factorisation, per block: trees, stacks, walls

// Up to here a simulation lets newton go first, and far below the tolerance: what then stands still stands
// still to the bit, and the next step starts with its solution.  A stack of 20 plates takes 0.3 ms a step so,
// and 1.1 ms with sweeps.
constexpr int small_rows = 600;
// The same for contacts alone whose factor is cheap.  A standing pyramid of 210 boxes takes 8 ms a step so
// and 190 with sweeps first; dominoes in fall pay for it, 20 ms against 6.
constexpr int flat_rows = 6000;
// What stands is solved to the last digits and then left alone until its error has crept up to a part of the
// tolerance: tens of steps (a loaded stack whose impulses are kept buckles, twice as far in every step).  Not
// so in the step after, if the error is much larger there: the impulse that closed a gap would be given
// again.
constexpr double standing_error = 1e-10;   // relative,
constexpr double goal_of_standing = 1e-6;  // or of a tolerance in joules
constexpr double solved_error = 1e-9;
constexpr double standing_share = 0.1;
constexpr double creeping = 3.0;

// A heap with exact friction that is to come to rest must not be pushed about by what each step leaves over
// (docs/decisions/015-rest-gap.md).
constexpr double goal_of_heaps = 0.3;         // of the tolerance,
constexpr std::int64_t heap_patience = 3;     // for so many times the sweeps that the tolerance took
constexpr std::int64_t least_patience = 100;  // and these

// Error from which newton's polish usually finds the active set.
constexpr double polish_after_sweeps = 1e-4, polish_after_leaps = 1e-5;
constexpr int leap_rows = 1500;
constexpr std::int64_t sweeps_in_valleys = 200;  // of nncg, quicker where few are needed; then leap's
constexpr double leap_share = 0.85;              // of the time of nncg's sweeps

constexpr double joint_steps = 2.0;  // iterations of newton for joints alone
constexpr std::int64_t joint_first_look = 8;
constexpr double joint_loose = 1e-3;  // relative error below which cg has no chance against a factorisation

constexpr std::int64_t newton_cap = 100;            // where it may not converge at all, and goes first;
constexpr std::int64_t newton_least_patience = 10;  // below the tolerance
constexpr double newton_patience = 4.0;   // else so many times the iterations that it is expected to take,
constexpr double walking_patience = 8.0;  // or these with exact cones, where it may walk
constexpr double least_rest = 0.05;  // of the time budget, for others when newton gave up for want of time
constexpr double row_sweep_s = 0.35e-6;     // what packing for the one sweep takes that is always made,
constexpr double first_sweep_s = 0.5e-3;    // and so much more the first time: its memory and code are new
constexpr double walk_share = 5.0;          // of all work before: newton's walk, before giving up
constexpr std::int64_t first_verdict = 20;  // iterations
constexpr double first_stage = 60.0;        // sweeps before the first change to apgd
constexpr double evidence = 0.15;           // of newton's cost must have been tried before it is taken,
constexpr double far_evidence = 0.5;        // if it starts far away
constexpr int window = 2;                   // the later half says how it goes;
constexpr int resting_window = 4;           // apgd rests now and then: the later three quarters
constexpr double plain_advantage = 1.3;     // of newton, where sweeps catch up (no cones, or boxes),
constexpr double doubtful_advantage = 1.8;  // or, at first, where it may not converge (exact cones)
// Paces fall: for every digit to go, a first-order method takes so much longer than its pace says.
constexpr double slowing = 0.1, doubtful_slowing = 0.5;  // convex or not,
constexpr double leaps_slowing = 0.5;                    // and with leaps
constexpr double stuck_gain = 0.9;                       // of the error: the other first-order method's turn
constexpr double dear_sweeps = 800.0;  // a factorisation of joints before which cg is tried at any tolerance
constexpr double warming_up = 0.25;    // of the iterations before it, until a stage is judged
constexpr double most_doublings = 4.0;
constexpr double patient_row_sweeps = 1e6;  // small islands may take more sweeps: some 15 ms
constexpr double plateau = 10.0;  // apgd on b2-friction gains nothing from 600 to 1300, and then converges
constexpr double no_gain = 0.97;  // of the error, in the later half
constexpr double at_rest = 50.0;  // times the work so far: what its pace says then is not believed,
constexpr double rest = 2.0;      // but this

constexpr std::size_t most_newtons = 16;

// Packings in space fill their factor like n^(4/3): beyond this the analysis alone takes a second in every
// step, and the factor would take gigabytes.
constexpr int most_newton_rows = 100'000;
constexpr double most_operations = 2e10;  // of one factorisation

bool is_first_order(Method method) {
    return method != Method::newton && method != Method::sets && method != Method::direct;
}

const char* may_be_faster(Method other) {
    if (other == Method::apgd) return "apgd may be faster";
    return other == Method::leap ? "leap may be faster" : "sweeps may be faster";
}

}  // namespace

AutoIsland::AutoIsland(const AutoOptions& options) : options_(options) {
    newtons_.reserve(most_newtons);
}

void AutoIsland::begin_problem(Tolerance whole) {
    newtons_used_ = 0;
    joint_goal_ = goal_of_joints;
    standing_goal_ = goal_of_standing;
    if (whole.unit == ErrorUnit::relative) {
        joint_goal_ = std::clamp(joint_floor / whole.value, goal_of_joints, 1.0);
        standing_goal_ = std::min(standing_error / whole.value, 1.0);
    }
}

SolveReport AutoIsland::solve(const Problem& problem, Solution& solution, const StopRule& rule,
                              const Observer& observer) {
    start_ = std::chrono::steady_clock::now();
    solution_ = &solution;
    rule_ = rule;
    observer_ = &observer;
    report_ = {};
    stages_.clear();
    methods_ = refused_ = 0;
    finished_ = judged_ = false;
    goal_J_ = reference_J_ = 0.0;
    work_ns_ = swept_ns_ = swept_ = swept_s_ = newton_from_ns_ = 0.0;
    operations_ = start_error_ = -1.0;
    newton_failed_ = newton_ran_short_ = was_stalled_ = walked_ = resumed_ = false;
    path_.clear();
    look_at(problem);

    if (is_single_contact(problem)) {
        run(Method::direct, rule.max_iterations);
    } else if (traits_.joint_share == 1.0) {
        solve_joints();
    } else if (settles_at_once()) {
        may_stand_ = problem.row_count() > small_rows;
        newton().may_walk(true);
        run_newton(newton_cap, may_stand_ ? standing_goal_ : joint_goal_);
        may_stand_ = false;
    } else if (options_.settle && traits_.joint_share >= mechanism_share) {
        solve_mechanism();
    }
    if (!finished_) climb();
    if (report_.status == Status::budget_spent && report_.iterations == 0) {
        if (!stages_.empty()) stages_.back().next = "the time is up, and one sweep is always made";
        run(sweeper_, 1);
    }
    if (knows_factor()) ++newtons_used_;
    report_.seconds = seconds();
    return report_;
}

bool AutoIsland::can_correct() const {
    return methods_ == only(Method::newton) && newtons_used_ > 0 && last_newton().can_correct();
}

bool AutoIsland::correct(const Problem& problem, Solution& solution, Tolerance tolerance) {
    return last_newton().correct(problem, solution, tolerance);
}

Newton& AutoIsland::last_newton() const {
    return *newtons_[std::min(newtons_used_, most_newtons) - 1];
}

void AutoIsland::look_at(const Problem& problem) {
    problem_ = &problem;
    traits_ = traits_of(problem);
    costs_ = costs_of(problem, traits_.convex ? Convex::yes : Convex::no);
    least_stage_ns_ = first_stage * costs_.sweep_ns;
    // Small islands are swept too seldom to leap, and with boxes of friction there is no energy to go by. Nor
    // with exact friction, but in heaps of round bodies leaps do well all the same; in walls they do not.
    const bool leaps = !problem.matrix && problem.row_count() >= leap_rows && !traits_.has_boxes &&
                       traits_.joint_share < mechanism_share &&
                       !(traits_.has_exact_cones && traits_.touches_in_patches);
    sweeper_ = leaps ? Method::leap : Method::nncg;
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

/// Error over tolerance; roots of energies, as the certificate states them.
double AutoIsland::excess(double energy_J) const {
    return std::sqrt(energy_J / goal_J_);
}

// ---- one method's turn -----------------------------------------------------------------------------------

// 1. Run from the best impulses so far   2. keep what is better   3. is that the end?
// False: the method refused; nothing has changed.
bool AutoIsland::run(Method method, std::int64_t iterations, double tightening, From from) {
    if (report_.iterations > 0 && is_first_order(method) && seconds_left() < sweep_setup_s()) {
        stop(Status::budget_spent, "the time left is too short for a sweep");
        return true;
    }
    StopRule rule = rule_;
    const double factor = rule.tolerance.unit == ErrorUnit::joules ? tightening * tightening : tightening;
    rule.tolerance.value *= factor;
    rule.max_iterations = std::min(iterations, rule_.max_iterations - report_.iterations);
    rule.budget_s = seconds_left();
    if (method == Method::newton && !judged_) rule.budget_s -= sweep_setup_s();
    rule.enough = &leave_;
    trial_.impulse = from == From::best ? solution_->impulse : path_;
    if (method == Method::newton && newton_starts_anew()) trial_.impulse.clear();
    method_ = method;
    verdict_ = Verdict::go_on;
    next_hope_ = first_verdict;
    met_at_ = 0;
    leave_ = false;
    pace_.begin(method == Method::apgd ? resting_window : window);
    stages_.push_back({.method = method, .before_J = from == From::best ? report_.energy_error_J : path_J_});
    SolveReport trial = call(method, rule);
    if (trial.status == Status::unsuitable) {
        refused_ |= only(method);
        stages_.pop_back();
        return false;
    }
    book(method, trial);
    if (meets_tolerance()) {
        stop(Status::converged, "");
    } else if (trial.status == Status::budget_spent && ended_early(method)) {
        newton_ran_short_ = true;
        stages_.back().next = "the time left is too short for its next factorisation";
    } else if (trial.status == Status::not_finite || trial.status == Status::budget_spent) {
        finished_ = true;
        report_.status = trial.status;
        report_.reason = std::move(trial.reason);
    } else if (report_.iterations >= rule_.max_iterations || caller_has_enough()) {
        stop(Status::iteration_limit, "");
    }
    return true;
}

double AutoIsland::sweep_setup_s() const {
    return (has_swept_ ? 0.0 : first_sweep_s) + row_sweep_s * problem_->row_count();
}

/// Newton gives up as soon as the next thing that it cannot interrupt would end too late.
bool AutoIsland::ended_early(Method method) const {
    return method == Method::newton && seconds_left() > least_rest * rule_.budget_s;
}

/// Near the solution its polish is the shorter way, but with exact cones, which it seldom solves from what
/// sweeps found: that is left for a second attempt, and for where its own start is far away.
bool AutoIsland::newton_starts_anew() const {
    if (!judged_) return false;
    if (!traits_.convex && (newton_failed_ || starts_far() || has_valleys())) return false;
    return traits_.has_exact_cones || report_.relative_error > polish_from();
}

/// Leaps lower the error sooner than they find which contacts are open.
double AutoIsland::polish_from() const {
    return sweeper_ == Method::leap ? polish_after_leaps : polish_after_sweeps;
}

SolveReport AutoIsland::call(Method method, const StopRule& rule) {
    const Observer watching = [this](const Progress& progress) { watch(progress); };
    if (method == Method::sets) return call_sets(rule, watching);
    if (method == Method::direct) return call_direct(rule, watching);
    if (method != Method::newton) return first_order(method).solve(*problem_, trial_, rule, watching);
    if (knows_factor()) return newton().solve_analysed(*problem_, trial_, rule, watching);
    SolveReport report = newton().solve(*problem_, trial_, rule, watching);
    operations_ = newton().operations();
    return report;
}

/// The set that fits, judged as newton's start, and polished if need be.
SolveReport AutoIsland::call_sets(const StopRule& rule, const Observer& observer) {
    SolveReport report;
    report.status = Status::unsuitable;
    if (!try_active_sets(*problem_, trial_.impulse)) return report;
    report = newton().solve(*problem_, trial_, rule, observer);
    ++report.iterations;
    return report;
}

/// Judged as the start of sweeps, none of which is made.
SolveReport AutoIsland::call_direct(const StopRule& rule, const Observer& observer) {
    SolveReport report;
    report.status = Status::unsuitable;
    if (!solve_single_contact(*problem_, trial_.impulse)) return report;
    StopRule no_sweeps = rule;
    no_sweeps.max_iterations = 0;
    report = first_order(Method::nncg).solve(*problem_, trial_, no_sweeps, observer);
    ++report.iterations;
    return report;
}

void AutoIsland::book(Method method, const SolveReport& trial) {
    if (!judged_ || trial.energy_error_J <= report_.energy_error_J) {
        solution_->impulse = trial_.impulse;  // copied: a swap would hand out storage that is needed again
        report_.energy_error_J = trial.energy_error_J;
        report_.relative_error = trial.relative_error;
    }
    judged_ = true;
    report_.iterations += trial.iterations;
    if (trial.iterations > 0) methods_ |= only(method);
    const double spent_ns = static_cast<double>(trial.iterations) * iteration_ns(method);
    work_ns_ += spent_ns;
    if (is_first_order(method)) {
        has_swept_ = true;
        swept_ += static_cast<double>(trial.iterations);
        swept_ns_ += spent_ns;
        swept_s_ += trial.seconds;
    }
    AutoStage& stage = stages_.back();
    stage.iterations = trial.iterations;
    stage.seconds = trial.seconds;
    stage.after_J = trial.energy_error_J;
}

Newton& AutoIsland::newton() {
    const std::size_t index = std::min(newtons_used_, most_newtons - 1);
    while (newtons_.size() <= index) newtons_.push_back(std::make_unique<Newton>(NewtonOptions{}));
    return *newtons_[index];
}

Solver& AutoIsland::first_order(Method method) {
    const auto made = [](auto& solver, const auto& options) -> Solver& {
        return solver ? *solver : solver.emplace(options);
    };
    if (method == Method::apgd) return made(apgd_, ApgdOptions{});
    if (method == Method::leap) return made(leap_, LeapOptions{});
    if (method == Method::cg) return made(cg_, CgOptions{});
    return made(nncg_, NncgOptions{});
}

double AutoIsland::iteration_ns(Method method) const {
    if (!is_first_order(method)) return costs_.newton_ns(std::max(0.0, operations_));
    if (method == Method::apgd) return costs_.gradient_ns;
    return method == Method::leap ? leap_share * costs_.sweep_ns : costs_.sweep_ns;
}

// ---- watching it -----------------------------------------------------------------------------------------

/// A stage counts from its own beginning.
void AutoIsland::watch(const Progress& progress) {
    if (*observer_) {
        (*observer_)({.iteration = report_.iterations + progress.iteration,
                      .seconds = seconds(),
                      .energy_error_J = progress.energy_error_J,
                      .relative_error = progress.relative_error});
    }
    if (reference_J_ == 0.0 && progress.relative_error > 0.0) {
        if (!judged_) stages_.back().before_J = progress.energy_error_J;
        reference_J_ = progress.energy_error_J / (progress.relative_error * progress.relative_error);
        const double value = rule_.tolerance.value;
        goal_J_ = rule_.tolerance.unit == ErrorUnit::joules ? value : value * value * reference_J_;
    }
    if (caller_has_enough()) leave_ = true;
    if (may_stand_ && progress.iteration == 0 && stands(progress)) leave_ = true;
    if (!is_first_order(method_)) {
        if (goes_on_in_vain(progress)) leave_ = true;
        return;
    }
    pace_.add(progress.iteration, progress.energy_error_J);
    verdict_ = judge_pace();
    if (verdict_ != Verdict::go_on) leave_ = true;
}

/// Newton below the tolerance goes on for as long again as it took to meet it; joints are worth more.
bool AutoIsland::goes_on_in_vain(const Progress& progress) {
    if (traits_.joint_share > 0.0) return false;
    if (met_at_ == 0 && excess(progress.energy_error_J) <= 1.0)
        met_at_ = std::max<std::int64_t>(1, progress.iteration);
    return met_at_ > 0 && progress.iteration > 2 * met_at_ + newton_least_patience;
}

bool AutoIsland::stands(const Progress& start) const {
    if (excess(start.energy_error_J) > standing_share) return false;
    const double last = rule_.last_error;
    const bool was_left_alone = last > solved_error;
    return was_left_alone || start.relative_error <= std::max(solved_error, creeping * last);
}

AutoIsland::Verdict AutoIsland::judge_pace() {
    const std::int64_t n = pace_.iterations();
    const auto warmed_up = static_cast<std::int64_t>(warming_up * swept_);  // a change loses the momentum
    if (n < (method_ == Method::cg ? joint_first_look : std::max(first_verdict, warmed_up)))
        return Verdict::go_on;
    const double e_over_goal = excess(pace_.least_energy());
    if (e_over_goal <= 1.0) {
        if (met_at_ == 0) met_at_ = n;
        return n < heap_patience * met_at_ + least_patience ? Verdict::go_on : Verdict::enough;
    }
    if (resumed_) return Verdict::go_on;  // there is nothing else to be done with the time
    const double left = std::log(e_over_goal) / std::max(pace_.rate(), 1e-300);
    const auto allowed = static_cast<double>(rule_.max_iterations - report_.iterations - n);
    const double left_ns = left <= allowed ? left * iteration_ns(method_) : infinity;
    stages_.back().expected_ns = left_ns;
    if (method_ == Method::cg)
        return !newton_ran_short_ && left_ns > newton_ns() ? Verdict::newton : Verdict::go_on;
    if (newton_pays(left_ns)) return Verdict::newton;
    if (n >= next_hope_) {  // seldom: it rests now and then
        if (is_hopeless(pace_.gain())) return Verdict::hopeless;
        next_hope_ = 2 * n;
    }
    return other_may_be_faster(left_ns) ? Verdict::other : Verdict::go_on;
}

/// What the stage being watched has cost so far.
double AutoIsland::stage_ns() const {
    return static_cast<double>(pace_.iterations()) * iteration_ns(method_);
}

/// Small walls with exact friction; that they have some, newton's start says.
bool AutoIsland::may_have_valleys() const {
    return traits_.is_wall && traits_.has_exact_cones && problem_->row_count() <= Newton::long_walk_rows;
}

Method AutoIsland::other_method() const {
    if (method_ == Method::nncg && has_valleys()) return Method::leap;
    return method_ == Method::apgd ? sweeper_ : Method::apgd;
}

bool AutoIsland::other_may_be_faster(double left_ns) {
    if (method_ == Method::nncg && may_have_valleys() && pace_.iterations() >= sweeps_in_valleys) {
        if (fits(costs_.analysis_ns + iteration_ns(Method::newton))) find_start_error();
        if (has_valleys()) return true;
    }
    const double done_ns = stage_ns();
    if (done_ns < least_stage_ns_ || left_ns < done_ns) return false;
    if ((refused_ & only(other_method())) != 0) return false;
    if (traits_.has_cones && traits_.convex && newton_is_open()) return false;
    if (method_ != Method::apgd && !traits_.convex) return false;
    return pace_.gain() > stuck_gain;
}

/// `gain`: error now over error half as many iterations ago.
bool AutoIsland::is_hopeless(double gain) const {
    const double least = std::max<double>(options_.patience, patient_row_sweeps / problem_->row_count());
    const double swept = swept_ + static_cast<double>(pace_.iterations());
    if (swept < least || static_cast<double>(pace_.iterations()) < 0.5 * least) return false;
    const bool may_take_its_time = traits_.convex || rule_.budget_s < infinity;
    if (may_take_its_time) return gain > no_gain && swept > plateau * least;
    if (gain > no_gain) return true;
    return std::log(excess(pace_.least_energy())) > most_doublings * std::log(1.0 / gain);
}

// ---- newton ----------------------------------------------------------------------------------------------

double AutoIsland::factor_operations() {
    if (!knows_factor()) {
        operations_ = newton().factor_operations(*problem_);
        work_ns_ += costs_.analysis_ns;
    }
    return operations_;
}

void AutoIsland::find_start_error() {
    if (start_error_ >= 0.0) return;
    factor_operations();
    start_error_ = newton().start_error();
    work_ns_ += iteration_ns(Method::newton);
}

bool AutoIsland::factor_is_cheap() {
    return factor_operations() <= cheap_operations * static_cast<double>(problem_->blocks.size());
}

/// What newton is expected to take from here; without a known factor, with one that has no fill.
double AutoIsland::newton_ns() const {
    const double analysis_ns = knows_factor() ? 0.0 : costs_.analysis_ns;
    return newton_count() * iteration_ns(Method::newton) + analysis_ns;
}

double AutoIsland::newton_count() const {
    if (traits_.joint_share == 1.0) return joint_steps;
    const double error_J = pace_.iterations() > 0 ? pace_.least_energy() : report_.energy_error_J;
    return newton_iterations({.goal = std::sqrt(goal_J_ / reference_J_),
                              .start = std::sqrt(error_J / reference_J_),
                              .polish_from = polish_from(),
                              .rows = problem_->row_count(),
                              .convex = traits_.convex,
                              .starts_far = starts_far(),
                              .has_valleys = has_valleys()});
}

/// Is there time for it?  By what the sweeps so far really took.
bool AutoIsland::fits(double work_ns) const {
    if (rule_.budget_s == infinity) return true;
    const double real = swept_ns_ > 0.0 ? 1e9 * swept_s_ / swept_ns_ : 1.0;
    return 1e-9 * real * work_ns < seconds_left();
}

bool AutoIsland::newton_is_open() const {
    return !newton_ran_short_ && newton_from_ns_ < infinity && (refused_ & only(Method::newton)) == 0 &&
           problem_->row_count() <= most_newton_rows;
}

// The cheapest test first: the structure of a factor is asked for only if newton would pay without any fill.
bool AutoIsland::newton_pays(double first_order_ns) {
    const double done_ns = work_ns_ + stage_ns();
    if (!newton_is_open() || done_ns < newton_from_ns_) return false;
    const auto pays = [&] {
        const double ns = newton_ns();
        const double tried = starts_far() || has_valleys() ? far_evidence : evidence;
        return newton_advantage(done_ns / ns) * ns < pessimistic(first_order_ns) && tried * ns < done_ns &&
               fits(ns);
    };
    if (!pays()) return false;
    if (factor_operations() > most_operations || !(traits_.convex || factor_is_cheap())) {
        newton_from_ns_ = infinity;
        return false;
    }
    if (!traits_.convex && pays()) find_start_error();
    stages_.back().newton_ns = newton_ns();
    return pays();
}

/// Where it may fail the less is demanded, the more has been tried: `tried` is the work so far over its own.
double AutoIsland::newton_advantage(double tried) const {
    if (traits_.has_exact_cones) return std::max(1.0, doubtful_advantage - tried);
    return traits_.has_cones && traits_.convex ? 1.0 : plain_advantage;
}

/// Exact friction rests, and then falls: there a pace that is all but none is no forecast.
double AutoIsland::pessimistic(double first_order_ns) const {
    const double done_ns = work_ns_ + stage_ns();
    if (traits_.has_exact_cones && first_order_ns > at_rest * done_ns) first_order_ns = rest * done_ns;
    const double digits = std::log10(excess(pace_.least_energy()));
    const double calm = method_ == Method::leap ? leaps_slowing : slowing;
    return first_order_ns * (1.0 + (traits_.convex ? calm : doubtful_slowing) * digits);
}

/// As far as it goes; what is not convex it may not solve at all.
void AutoIsland::take_newton() {
    std::int64_t cap = newton_cap;
    const bool walks =
        problem_->row_count() <= Newton::long_walk_rows;  // at once; larger ones only in a second attempt
    const double patience = walks && traits_.has_exact_cones ? walking_patience : newton_patience;
    if (judged_) cap = std::llround(patience * newton_count()) + 1;
    leave_path();
    const bool tiny = can_try_active_sets(*problem_);  // trying its sets is quicker, and exact
    newton().may_walk(!tiny && (walks || !judged_ || !newton_starts_anew()));
    run_newton(traits_.convex ? rule_.max_iterations : cap);
}

void AutoIsland::leave_path() {
    if (traits_.convex || rule_.budget_s == infinity || !judged_ || !path_.empty()) return;
    path_ = solution_->impulse;
    path_J_ = report_.energy_error_J;
}

/// Once, before an island is given up that is not convex: newton walks along the valley (newton.h) in which
/// sweeps creep, from the best impulses so far.
void AutoIsland::walk() {
    if (walked_ || traits_.convex || can_try_active_sets(*problem_)) return;
    if (problem_->row_count() > flat_rows || !factor_is_cheap()) return;
    walked_ = newton_failed_ = true;
    newton().may_walk(true);
    const double usual = walk_share * work_ns_ / iteration_ns(Method::newton);
    const double needed = has_valleys() ? walking_patience * newton_count() : 0.0;
    run(Method::newton, std::llround(std::max(usual, needed)) + newton_cap);
}

/// Once; false where there is no path that newton's result led away from.
bool AutoIsland::resume_path() {
    if (resumed_ || path_.empty()) return false;
    resumed_ = true;
    return run(sweeper_, rule_.max_iterations, 1.0, From::own_path);
}

void AutoIsland::run_newton(std::int64_t iterations, double tightening) {
    const bool ran = run(Method::newton, iterations, tightening);
    if (ran && !finished_ && !newton_ran_short_)
        stages_.back().next = "it stalled, or was given no more iterations";
    newton_failed_ = true;
    newton_from_ns_ = traits_.convex ? infinity : 2.0 * work_ns_;
}

// ---- the ladder ------------------------------------------------------------------------------------------

// cg only where the tolerance is loose: a factorisation gives so much more for little more.  Not along a
// chain, whose factor has no fill, and whose far end sees nothing of the first hundred iterations.
void AutoIsland::solve_joints() {
    const bool loose = rule_.tolerance.unit == ErrorUnit::relative && rule_.tolerance.value >= joint_loose;
    const bool large = problem_->row_count() > small_rows;
    const bool tries = large && !options_.settle && loose && !is_tree(*problem_);
    if (tries || (large && fits(costs_.analysis_ns) &&
                  costs_.newton_ns(factor_operations()) > dear_sweeps * costs_.sweep_ns))
        run(Method::cg, rule_.max_iterations);
    if (!finished_) run(Method::newton, rule_.max_iterations, joint_goal_);
    if (!finished_ && newton_ran_short_) run(Method::cg, rule_.max_iterations);
    if (!finished_) stop(Status::stalled, "the rows contradict each other, or round-off is reached");
}

bool AutoIsland::settles_at_once() {
    if (!options_.settle) return false;
    const int rows = problem_->row_count();
    if (rows <= small_rows)
        return fits(newton_iterations({.goal = 1e-6, .rows = rows}) * costs_.iteration_ns);
    if (rows > flat_rows || traits_.joint_share > 0.0 || rule_.budget_s < infinity) return false;
    return factor_is_cheap();
}

/// Not where a factorisation is dear.
void AutoIsland::solve_mechanism() {
    if (problem_->row_count() <= most_newton_rows && fits(costs_.analysis_ns) && factor_is_cheap())
        take_newton();
}

void AutoIsland::go_on_or_give_up(const char* reason) {
    walk();
    if (!finished_ && !resume_path()) give_up(reason);
}

void AutoIsland::give_up(const char* reason) {
    if (!stages_.empty()) stages_.back().next = reason;
    try_sets();
    if (!finished_) stop(Status::stalled, reason);
}

/// Once.
void AutoIsland::try_sets() {
    if ((refused_ & only(Method::sets)) != 0 || !can_try_active_sets(*problem_)) return;
    run(Method::sets, rule_.max_iterations);
    refused_ |= only(Method::sets);
}

void AutoIsland::climb() {
    Method method = sweeper_;
    const double goal = options_.settle && !traits_.convex ? goal_of_heaps : 1.0;
    while (!finished_) {
        if (!run(method, rule_.max_iterations, goal)) {
            try_sets();  // microseconds, where it applies; what follows may take longer to fail
            if (finished_) return;
            method = other_method();
            if ((refused_ & only(method)) == 0) continue;
            take_newton();
            if (!finished_) give_up("sweeps and gradients do not apply, and newton stalled");
            continue;
        }
        if (finished_) return;
        AutoStage& stage = stages_.back();
        if (verdict_ == Verdict::newton) {
            stage.next = "newton is expected to be the shorter way";
            take_newton();
        } else if (verdict_ == Verdict::hopeless) {
            stage.next = "more sweeps gain too little from here";
            go_on_or_give_up("more sweeps gain too little to reach the tolerance");
        } else {
            change_method(method);
        }
    }
}

void AutoIsland::change_method(Method& method) {
    const bool stalled = verdict_ == Verdict::go_on;  // the method itself saw no way on
    stages_.back().next = stalled ? "its error stopped falling" : may_be_faster(other_method());
    if (stalled && was_stalled_) go_on_or_give_up("neither sweeps nor gradients gain anything");
    was_stalled_ = stalled;
    if ((refused_ & only(other_method())) == 0) method = other_method();
    if (method == Method::leap) sweeper_ = method;
    least_stage_ns_ *= 2.0;
}

}  // namespace uptack

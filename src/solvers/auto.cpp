#include "auto.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace uptack {
namespace {

// Shares are rounded down by this, so that their sum cannot be more than the whole.
constexpr double rounding = 1.0 - 1e-9;

// What comes after the last iteration: copies and twice the bodies' velocities, per row.
constexpr double row_end_s = 30e-9;
// Judging and copying islands, and packing them: with less time than this the whole is swept as it is.
constexpr double row_split_s = 500e-9;
// Part of the time budget up to which what islands left of theirs is given to those that ran short.
constexpr double worth_sharing = 0.8;
// Loose bodies beside a heap: a few sweeps settle what has so few rows, and splitting off the heap takes as
// long as twenty sweeps of it.
constexpr int crumb_rows = 12;
constexpr int heap_rows = 3000;
constexpr double heap_share = 0.9;
// Islands are swept together where those of contacts have so many of the rows, and none of them nearly all.
constexpr double together_share = 0.5;
constexpr double together_largest = 0.8;

using Rows = RowValues;

double row_velocity(const Problem& problem, const Block& block, int row, std::span<const Vec6> velocity) {
    const JacobianRow& j = problem.jacobian[row];
    double w = problem.bias[row];
    if (block.body_a != no_body) w += dot(j.a, velocity[block.body_a]);
    if (block.body_b != no_body) w += dot(j.b, velocity[block.body_b]);
    return w;
}

/// error_metric.h, for one block and all its rows.
double block_energy(const Problem& problem, const Block& block, const Rows& a,
                    std::span<const double> impulse, std::span<const Vec6> velocity) {
    const std::size_t n = block.rows;
    const std::span<const double> x = impulse.subspan(block.first_row, n);
    Rows w{};
    for (std::size_t i = 0; i < n; ++i) {
        const int row = block.first_row + static_cast<int>(i);
        w[i] = row_velocity(problem, block, row, velocity);
        if (!problem.compliance.empty()) w[i] += problem.compliance[row] * x[i];
    }
    add_de_saxce_term(block.law, std::span(w).first(n));
    const Rows r = natural_map(block.law, x, std::span(w).first(n), std::span(a).first(n));
    double energy = 0.0;
    for (std::size_t i = 0; i < n; ++i) energy += 0.5 * a[i] * r[i] * r[i];
    return energy;
}

void project_block(const Block& block, const Rows& a, std::vector<double>& impulse) {
    const std::size_t n = block.rows;
    project(block.law, std::span(impulse).subspan(block.first_row, n), std::span(a).first(n));
}

bool is_joint(const Law& law) {
    return std::holds_alternative<Bilateral>(law) || std::holds_alternative<Interval>(law);
}

/// The larger, the more it says about the whole when islands stopped for different reasons.
int gravity_of(Status status) {
    switch (status) {
        case Status::not_finite:
            return 4;
        case Status::budget_spent:
            return 3;
        case Status::iteration_limit:
            return 2;
        case Status::converged:
            return 0;
        default:
            return 1;
    }
}

std::string_view method_name(Method method) {
    constexpr std::array<std::string_view, method_count> names = {"nncg",   "leap", "apgd",  "cg",
                                                                  "newton", "sets", "direct"};
    return names[static_cast<std::size_t>(method)];
}

std::string methods_name(Methods methods) {
    std::string name;
    for (std::size_t m = 0; m < method_count; ++m) {
        if ((methods & (1U << m)) == 0) continue;
        if (!name.empty()) name += '+';
        name += method_name(static_cast<Method>(m));
    }
    return name.empty() ? "as they were:" : name;
}

/// "at this pace 1.2 s more, newton about 0.4 s"
std::string why_left(const AutoStage& stage) {
    std::string text = stage.next;
    if (stage.expected_ns > 0.0 && stage.expected_ns < 1e15)
        text += fmt::format("; at its pace {:.3g} ms more", 1e-6 * stage.expected_ns);
    if (stage.expected_ns >= 1e15) text += "; its pace does not lead there";
    if (stage.newton_ns > 0.0) text += fmt::format(", newton about {:.3g} ms", 1e-6 * stage.newton_ns);
    return text;
}

std::string why_it_ended(const SolveReport& report) {
    if (report.status == Status::converged) return "the tolerance is met";
    return report.reason.empty() ? std::string(status_name(report.status)) : report.reason;
}

}  // namespace

SolveReport Auto::solve(const Problem& problem, Solution& solution, const StopRule& rule,
                        const Observer& observer) {
    start_ = std::chrono::steady_clock::now();
    problem_ = &problem;
    rule_ = rule;
    rule_.budget_s = std::max(0.5 * rule.budget_s, rule.budget_s - row_end_s * problem.row_count());
    rule_.wants_velocities = false;  // they come at the end
    observer_ = &observer;
    report_ = {};
    ladder_reason_.clear();
    tallies_.clear();
    ladder_.begin_problem(rule.tolerance);
    find_islands(problem, split_);
    if (!is_worth_splitting(rule.budget_s)) {
        report_ = ladder_.solve(problem, solution, rule_, observer);
        std::swap(ladder_reason_, report_.reason);
        note(ladder_.methods(), problem.row_count());
        if (options_.explain) explain(0, problem.row_count(), report_);
    } else {
        solve_islands(solution);
    }
    report_.reason.clear();
    const bool explains = report_.status != Status::converged && !ladder_reason_.empty();
    if (options_.explain || explains) report_.reason = account();
    if (rule.wants_velocities) body_velocities(problem, solution.impulse, solution.velocity);
    report_.seconds = seconds();
    return report_;
}

/// With the islands listed, if so.
bool Auto::is_worth_splitting(double budget_s) {
    const int rows = problem_->row_count();
    if (split_.count <= 1 || budget_s < row_split_s * rows) return false;
    list_islands();
    return rows < heap_rows || !is_heap_with_crumbs();
}

bool Auto::is_heap_with_crumbs() const {
    const auto heap =
        std::max_element(islands_.begin(), islands_.end(),
                         [](const Island& one, const Island& other) { return one.rows < other.rows; });
    if (heap->rows < heap_share * problem_->row_count()) return false;
    for (std::size_t k = 0; k < problem_->blocks.size(); ++k) {
        const Island& island = islands_[split_.of_block[k]];
        if (&island == &*heap) continue;
        if (island.rows > crumb_rows || is_joint(problem_->blocks[k].law)) return false;
    }
    return true;
}

bool Auto::can_correct() const {
    return split_.count == 1 && ladder_.can_correct();
}

bool Auto::correct(const Problem& problem, Solution& solution, Tolerance tolerance) {
    return can_correct() && ladder_.correct(problem, solution, tolerance);
}

void Auto::solve_islands(Solution& solution) {
    report_.status = Status::converged;
    swept_together_ = 0;
    if (is_worth_sweeping(solution) && sweep_all(solution)) return;
    judge_start(solution);
    if (!std::isfinite(reference_J_)) {
        report_.status = Status::not_finite;
        report_.energy_error_J = report_.relative_error = infinity;
        return;
    }
    finish_good_ones();
    iterations_done_ = report_.iterations = swept_together_;
    do {
        line_up();
        for (Island& island : islands_) {
            if (!island.done) solve_one(island, solution);
        }
    } while (reopen_short_ones());
    conclude();
}

std::span<const int> Auto::blocks_of(const Island& island) const {
    return std::span(blocks_).subspan(island.first_block, island.block_count);
}

double Auto::seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

/// Blocks sorted by island, keeping their order.
void Auto::list_islands() {
    islands_.assign(split_.count, {});
    blocks_.resize(problem_->blocks.size());
    for (std::size_t k = 0; k < blocks_.size(); ++k) {
        Island& island = islands_[split_.of_block[k]];
        ++island.block_count;
        island.rows += problem_->blocks[k].rows;
        if (is_joint(problem_->blocks[k].law)) island.has_joints = true;
    }
    int first = 0;
    for (Island& island : islands_) {
        island.first_block = first;
        first += std::exchange(island.block_count, 0);
    }
    for (std::size_t k = 0; k < blocks_.size(); ++k) {
        Island& island = islands_[split_.of_block[k]];
        blocks_[island.first_block + island.block_count++] = static_cast<int>(k);
    }
}

/// From zero only: a warm start is judged island by island.
bool Auto::is_worth_sweeping(const Solution& solution) const {
    if (options_.settle || solution.impulse.size() == problem_->bias.size()) return false;
    int rows = 0;
    int largest = 0;
    for (const Island& island : islands_) {
        if (island.has_joints) continue;
        rows += island.rows;
        largest = std::max(largest, island.rows);
    }
    return rows > together_share * problem_->row_count() && largest < together_largest * rows;
}

/// True: that is the solution, or there is time for no other.
bool Auto::sweep_all(Solution& solution) {
    StopRule rule = rule_;
    rule.budget_s -= seconds();
    const SolveReport report = together_.solve(*problem_, split_.count, solution, rule, *observer_);
    if (report.status == Status::unsuitable) return false;
    swept_together_ = report.iterations;
    for (Island& island : islands_) island.methods |= only(Method::nncg);
    if (options_.explain) explain_together(report);
    const bool joints =
        std::any_of(islands_.begin(), islands_.end(), [](const Island& island) { return island.has_joints; });
    const bool is_solution = report.status == Status::converged && !joints;
    const bool is_last = report.status == Status::budget_spent || report.iterations >= rule_.max_iterations;
    if (!is_solution && !is_last) return false;
    report_.status = report.status;
    report_.iterations = report.iterations;
    report_.energy_error_J = report.energy_error_J;
    report_.relative_error = report.relative_error;
    for (const Island& island : islands_) note(island.methods, island.rows);
    return true;
}

/// With the bodies' velocities in velocity_.
void Auto::measure(std::span<const double> impulse, double Island::*energy) {
    for (std::size_t k = 0; k < blocks_.size(); ++k) {
        islands_[split_.of_block[k]].*energy +=
            block_energy(*problem_, problem_->blocks[k], metric_[k], impulse, velocity_);
    }
}

// 1. e0   2. the warm start, projected, island by island or not at all   3. zero elsewhere, projected too:
// an interval need not contain it
void Auto::judge_start(Solution& solution) {
    std::vector<double>& x = solution.impulse;
    const std::size_t rows = problem_->bias.size();
    metric_.resize(problem_->blocks.size());
    for (std::size_t k = 0; k < metric_.size(); ++k) {
        metric_[k] = effective_inverse_mass(*problem_, problem_->blocks[k]);
    }
    zero_.assign(rows, 0.0);
    velocity_.resize(problem_->bodies.size());
    std::transform(problem_->bodies.begin(), problem_->bodies.end(), velocity_.begin(),
                   [](const Body& body) { return body.free_velocity; });
    measure(zero_, &Island::zero_J);
    const auto project_all = [&](std::vector<double>& impulse) {
        for (std::size_t k = 0; k < metric_.size(); ++k)
            project_block(problem_->blocks[k], metric_[k], impulse);
    };
    project_all(zero_);
    const bool warm = x.size() == rows &&
                      std::all_of(x.begin(), x.end(), [](double value) { return std::isfinite(value); });
    if (!warm) x = zero_;
    project_all(x);
    body_velocities(*problem_, x, velocity_);
    measure(x, &Island::now_J);
    bool dropped = false;
    for (const Island& island : islands_) {
        if (!warm || island.now_J < island.zero_J) continue;
        dropped = true;
        for (const int k : blocks_of(island)) {
            const Block& block = problem_->blocks[k];
            std::copy_n(zero_.begin() + block.first_row, block.rows, x.begin() + block.first_row);
        }
    }
    if (dropped) {
        for (Island& island : islands_) island.now_J = 0.0;
        body_velocities(*problem_, x, velocity_);
        measure(x, &Island::now_J);
    }
    reference_J_ = 0.0;
    for (const Island& island : islands_) reference_J_ += island.zero_J;
    goal_J_ = rule_.tolerance.unit == ErrorUnit::joules
                  ? rule_.tolerance.value
                  : rule_.tolerance.value * rule_.tolerance.value * reference_J_;
}

double Auto::error_of_all() const {
    double energy_J = 0.0;
    for (const Island& island : islands_) energy_J += island.now_J;
    return energy_J;
}

void Auto::finish_good_ones() {
    const double rows = problem_->row_count();
    const double energy_J = error_of_all();
    const bool all = meets(rule_.tolerance, energy_J, reference_J_);
    for (Island& island : islands_) {
        if (swept_together_ > 0 && island.has_joints) continue;
        island.done = all || island.now_J <= rounding * goal_J_ * island.rows / rows;
    }
    if (*observer_) {
        (*observer_)({.iteration = swept_together_,
                      .seconds = seconds(),
                      .energy_error_J = energy_J,
                      .relative_error = relative_error(energy_J, reference_J_)});
    }
}

/// What the islands that are done leave of joules and rows to those that are not.
void Auto::line_up() {
    done_J_ = 0.0;
    rows_left_ = 0;
    double after_J = 0.0;  // summed from the end: taking from a total would leave its round-off behind
    for (std::size_t i = islands_.size(); i-- > 0;) {
        Island& island = islands_[i];
        island.after_J = after_J;
        if (island.done) {
            done_J_ += island.now_J;
        } else {
            rows_left_ += island.rows;
            after_J += island.now_J;
        }
    }
}

/// Islands whose time ran out while others left theirs have another turn; false: there is nobody or no time.
bool Auto::reopen_short_ones() {
    if (rule_.budget_s == infinity || seconds() > worth_sharing * rule_.budget_s) return false;
    if (meets(rule_.tolerance, error_of_all(), reference_J_)) return false;
    bool any = false;
    for (Island& island : islands_) {
        if (!island.ran_short) continue;
        island.done = false;
        any = true;
    }
    return any;
}

// 1. Its share of joules and time   2. copy, solve, copy back   3. book it
void Auto::solve_one(Island& island, Solution& solution) {
    const double part = static_cast<double>(island.rows) / rows_left_;
    const double least = goal_J_ * island.rows / problem_->row_count();
    StopRule rule = rule_;
    rule.tolerance = {.value = rounding * std::max(least, (goal_J_ - done_J_) * part),
                      .unit = ErrorUnit::joules};
    rule.budget_s = (rule_.budget_s - seconds()) * part;
    rule.max_iterations = rule_.max_iterations - swept_together_;
    part_.copy_out(*problem_, blocks_of(island), solution.impulse);
    others_J_ = done_J_ + island.after_J;
    const SolveReport report = ladder_.solve(part_.problem(), part_.solution(), rule, observer_of_part());
    if (report.energy_error_J <= island.now_J) {
        part_.copy_back(*problem_, blocks_of(island), solution.impulse);
        island.now_J = report.energy_error_J;
    }
    done_J_ += island.now_J;
    rows_left_ -= island.rows;
    island.done = true;
    island.ran_short = report.status == Status::budget_spent;
    iterations_done_ += report.iterations;
    report_.iterations = std::max(report_.iterations, swept_together_ + report.iterations);
    island.methods |= ladder_.methods();
    if (options_.explain) explain(static_cast<int>(&island - islands_.data()), island.rows, report);
    note_status(report);
}

/// A part's progress as progress of the whole, where anybody wants to know.
Observer Auto::observer_of_part() const {
    if (!*observer_) return {};
    return [this](const Progress& progress) {
        const double energy_J = others_J_ + progress.energy_error_J;
        (*observer_)({.iteration = iterations_done_ + progress.iteration,
                      .seconds = seconds(),
                      .energy_error_J = energy_J,
                      .relative_error = relative_error(energy_J, reference_J_)});
    };
}

void Auto::note(Methods methods, int rows) {
    const auto before = [](const Tally& tally, Methods value) { return tally.methods < value; };
    auto tally = std::lower_bound(tallies_.begin(), tallies_.end(), methods, before);
    if (tally == tallies_.end() || tally->methods != methods)
        tally = tallies_.insert(tally, Tally{.methods = methods});
    ++tally->islands;
    tally->rows += rows;
}

void Auto::explain(int island, int rows, const SolveReport& report) {
    for (const AutoStage& stage : ladder_.stages()) {
        const bool last = &stage == &ladder_.stages().back();
        report_.stages.push_back({.island = island,
                                  .rows = rows,
                                  .method = method_name(stage.method),
                                  .iterations = stage.iterations,
                                  .seconds = stage.seconds,
                                  .before_J = stage.before_J,
                                  .after_J = stage.after_J,
                                  .reference_J = ladder_.reference_energy(),
                                  .why_ended = last ? why_it_ended(report) : why_left(stage)});
    }
}

void Auto::explain_together(const SolveReport& report) {
    report_.stages.push_back(
        {.island = SolveStage::all_together,
         .rows = problem_->row_count(),
         .method = method_name(Method::nncg),
         .iterations = report.iterations,
         .seconds = report.seconds,
         .before_J = together_.start_energy(),
         .after_J = report.energy_error_J,
         .reference_J = together_.reference_energy(),
         .why_ended = together_.was_left() ? "some islands take longer than others" : why_it_ended(report)});
}

void Auto::note_status(const SolveReport& report) {
    if (gravity_of(report.status) <= gravity_of(report_.status)) return;
    report_.status = report.status;
    ladder_reason_ = report.reason;
}

void Auto::conclude() {
    for (const Island& island : islands_) note(island.methods, island.rows);
    const double energy_J = error_of_all();
    report_.energy_error_J = energy_J;
    report_.relative_error = relative_error(energy_J, reference_J_);
    if (meets(rule_.tolerance, energy_J, reference_J_)) {
        report_.status = Status::converged;
    } else if (report_.status == Status::converged) {
        report_.status = Status::ill_conditioned;  // each has its share, their sum does not: round-off
    }
}

/// "newton 3 islands (420 rows), nncg+apgd 1 island (18000 rows); more sweeps gain too little ..."
std::string Auto::account() const {
    std::string text;
    for (const auto& [methods, islands, rows] : tallies_) {
        if (!text.empty()) text += ", ";
        text += methods_name(methods) + ' ' + std::to_string(islands);
        text += islands == 1 ? " island (" : " islands (";
        text += std::to_string(rows) + " rows)";
    }
    if (report_.status != Status::converged && !ladder_reason_.empty()) text += "; " + ladder_reason_;
    return text;
}

std::unique_ptr<Solver> make_auto(const AutoOptions& options) {
    return std::make_unique<Auto>(options);
}

}  // namespace uptack

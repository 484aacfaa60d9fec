#include "simplex.h"

#include <algorithm>
#include <cmath>

namespace uptack {
namespace {

constexpr int max_proximal_steps = 40;
constexpr int most_rays = 10'000;  // rows of a pyramid: they depend on each other and exchange for long
constexpr double first_regularisation =
    1e-6;  // few exchanges to a good active set; then smaller, to the digits
constexpr double shrink_regularisation = 1e-2;
constexpr int max_block_steps = 60;
constexpr int max_halvings = 40;
constexpr int max_short_steps = 5;  // block steps in a row that hardly move
constexpr double short_step = 2e-4;
constexpr double pyramid_accuracy = 1e-20;  // of the energy: relative error 1e-10 of the linearised problem
// A row's violation counts when its energy exceeds this part of e0: round-off of one row, far below any
// tolerance.
constexpr double row_energy_floor = 1e-29;

bool has_cones(const Problem& problem) {
    return std::any_of(problem.blocks.begin(), problem.blocks.end(),
                       [](const Block& block) { return std::holds_alternative<FrictionCone>(block.law); });
}

}  // namespace

SolveReport Simplex::solve(const Problem& problem, Solution& solution, const StopRule& rule,
                           const Observer& observer) {
    monitor_.start_clock();
    const bool cones = has_cones(problem);
    if (cones) {
        const std::string why = why_no_pyramid(problem);
        if (!why.empty()) return refuse(problem, solution, "simplex takes friction as a pyramid; " + why);
    }
    packed_.pack(problem, cones ? PackedProblem::Use::products : PackedProblem::Use::sweeps);
    if (!packed_.has_positive_diagonal()) {
        return refuse(problem, solution, "simplex needs a positive diagonal of A");
    }
    core_ = &packed_;
    if (cones) {
        pyramid_ = linearise_friction(problem, options_.facets);
        if (pyramid_.problem.row_count() > most_rays) {
            return refuse(problem, solution,
                          "the friction pyramid has " + std::to_string(pyramid_.problem.row_count()) +
                              " rows, more than simplex factors in useful time; use newton, or fewer facets");
        }
        rays_.pack(pyramid_.problem);
        core_ = &rays_;
    }
    start(problem, solution, rule, observer);
    if (!monitor_.finished()) proximal_loop(problem);
    return monitor_.finish(problem);
}

void Simplex::start(const Problem& problem, Solution& solution, const StopRule& rule,
                    const Observer& observer) {
    original_ = &problem;
    pivots_ = 0;
    core_J_ = infinity;
    monitor_.begin(packed_, rule, observer, solution, x_original_, y_original_);
    if (monitor_.finished()) return;
    const std::size_t rows = core_->rows();
    x_.assign(rows, 0.0);
    monitor_.never_call_a_stall();
    if (core_ == &packed_) x_ = x_original_;
    for (auto* vector : {&y_, &g_, &centre_, &lower_, &upper_, &d_, &ad_, &trial_, &d_trial_, &slack_})
        vector->resize(rows);
    on_.assign(rows, 0);
    const double floor_J = row_energy_floor * core_->reference_energy();
    for (std::size_t i = 0; i < rows; ++i) slack_[i] = std::sqrt(2.0 * core_->metric()[i] * floor_J);
    guess_active_rows();
    kkt_regularisation_ = options_.regularisation;
    kkt_.set_deadline(monitor_.deadline());
    kkt_.build(*core_, kkt_regularisation_);
}

// A few sweeps from a cold start cost less than one factorisation and find most of the rows that carry load.
void Simplex::guess_active_rows() {
    const bool cold = std::all_of(x_.begin(), x_.end(), [](double value) { return value == 0.0; });
    if (!cold || core_->only_bilateral()) return;
    std::vector<double>& u = state_;
    u.assign(core_->state_size(), 0.0);
    for (int sweep = 0; sweep < options_.sweeps; ++sweep) core_->sweep(1.0, Direction::forward, x_, u);
}

// x_{j+1} solves the problem with A + R and p - R x_j; the error left is R (x_{j+1} - x_j) and shrinks
// geometrically unless the rows contradict each other: then x grows by the same amount at every step, along a
// ray that A does not see.
void Simplex::proximal_loop(const Problem& problem) {
    double last_growth = infinity;
    int no_gain = 0;
    double regularisation = options_.regularisation;
    if (!core_->only_bilateral()) regularisation = std::max(first_regularisation, regularisation);
    for (int step = 0; step < max_proximal_steps && !monitor_.finished(); ++step) {
        const double before = core_J_;
        if (proximal_step(regularisation) == Verdict::interrupted) return;
        look();
        if (monitor_.finished()) return;
        const double growth = distance_from_centre();
        no_gain = core_J_ < 0.25 * before ? 0 : no_gain + 1;
        const bool settled = growth > 0.5 * last_growth || growth == 0.0;
        if (pyramid_is_solved() || (no_gain >= 2 && settled)) {
            explain_stall(problem, growth);
            return;
        }
        last_growth = growth;
        // Rays of a pyramid depend on each other by design: there a smaller R only costs exchanges.
        if (core_ == &packed_) {
            regularisation = std::max(options_.regularisation, regularisation * shrink_regularisation);
        }
    }
    if (!monitor_.finished()) explain_stall(problem, 0.0);
}

Simplex::Verdict Simplex::proximal_step(double regularisation) {
    if (regularisation != kkt_regularisation_) kkt_.regularise(*core_, regularisation);
    kkt_regularisation_ = regularisation;
    centre_here();
    const Verdict verdict = options_.block_steps ? block_steps() : Verdict::stuck;
    return verdict == Verdict::stuck ? single_pivots() : verdict;
}

double Simplex::distance_from_centre() const {
    double distance = 0.0;
    for (std::size_t i = 0; i < x_.size(); ++i) distance = std::max(distance, std::abs(x_[i] - centre_[i]));
    return distance;
}

bool Simplex::pyramid_is_solved() const {
    return core_ != &packed_ && core_J_ <= pyramid_accuracy * core_->reference_energy();
}

void Simplex::centre_here() {
    core_->freeze(x_);
    set_bounds();
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = std::clamp(x_[i], lower_[i], upper_[i]);
    copy(x_, centre_);
    refresh_gradient();
}

void Simplex::set_bounds() {
    for (const Cell& cell : core_->cells()) {
        for (int i = cell.first_row; i < cell.first_row + cell.rows; ++i) {
            if (cell.kind == CellKind::scalar) {
                lower_[i] = cell.lower;
                upper_[i] = cell.upper;
            } else {  // box friction; cones have become rays
                const bool normal = i == cell.first_row;
                const double bound = core_->frozen_bound(cell);
                lower_[i] = normal ? 0.0 : -bound;
                upper_[i] = normal ? infinity : bound;
            }
        }
    }
}

void Simplex::refresh_gradient() {
    core_->multiply_symmetric(x_, y_);
    const View p = core_->frozen_linear_term();
    const View r = kkt_.regularisation();
    for (std::size_t i = 0; i < x_.size(); ++i) g_[i] = y_[i] + p[i] + r[i] * (x_[i] - centre_[i]);
}

// An off row that wants to move away from its bound.
bool Simplex::is_violated(std::size_t i) const {
    if (lower_[i] == upper_[i]) return false;
    return (x_[i] <= lower_[i] && g_[i] < -slack_[i]) || (x_[i] >= upper_[i] && g_[i] > slack_[i]);
}

Simplex::Verdict Simplex::block_steps() {
    bool at_newton_point = false;
    int short_steps = 0;
    for (int step = 0; step < max_block_steps; ++step) {
        const int changes = choose_block();
        if (at_newton_point && changes == 0) return Verdict::solved;
        if (!activate_rows()) return Verdict::interrupted;
        kkt_.solve(g_, d_);
        for (std::size_t i = 0; i < x_.size(); ++i) {
            if (on_[i] == 0) d_[i] = -g_[i] / core_->metric()[i];  // reaches its bound, or stays there
        }
        const double t = search_projected_path();
        short_steps = t < short_step ? short_steps + 1 : 0;
        if (t == 0.0 || short_steps > max_short_steps) return Verdict::stuck;
        at_newton_point = t == 1.0;
        for (std::size_t i = 0; i < x_.size() && at_newton_point; ++i) {
            const bool inside = x_[i] > lower_[i] && x_[i] < upper_[i];
            at_newton_point = inside == (on_[i] != 0) || lower_[i] == upper_[i];
        }
        if (look_if_due()) return Verdict::interrupted;
    }
    return Verdict::stuck;
}

// The rows that the start switches on are its basis, one factorisation; exchanges are counted from there.
// False: the time is up.
bool Simplex::activate_rows() {
    const int changes = kkt_.activate(on_);
    pivots_ = pivots_ == 0 ? 1 : pivots_ + changes;
    if (kkt_.unsound()) look();  // what there is, if only the sweeps of the start; the clock ends the solve
    return !kkt_.unsound();
}

// Off: a gradient step in the metric would put the impulse at a bound.  Returns how many rows differ from
// before.
int Simplex::choose_block() {
    int changes = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) {
        const double ahead = x_[i] - g_[i] / core_->metric()[i];
        const bool pushed = std::abs(g_[i]) > slack_[i];
        const bool at_lower = x_[i] <= lower_[i] ? !pushed || g_[i] > 0.0 : pushed && ahead <= lower_[i];
        const bool at_upper = x_[i] >= upper_[i] ? !pushed || g_[i] < 0.0 : pushed && ahead >= upper_[i];
        const char on = at_lower || at_upper ? 0 : 1;
        changes += on != on_[i] ? 1 : 0;
        on_[i] = on;
    }
    return changes;
}

// Bertsekas' projected Newton: x(t) = clamp(x + t d), t halved until f falls.  Returns t; 0: it does not
// fall.
double Simplex::search_projected_path() {
    const View r = kkt_.regularisation();
    double t = 1.0;
    for (int halving = 0; halving < max_halvings; ++halving, t *= 0.5) {
        for (std::size_t i = 0; i < x_.size(); ++i) {
            trial_[i] = std::clamp(x_[i] + t * d_[i], lower_[i], upper_[i]);
            d_trial_[i] = trial_[i] - x_[i];
        }
        core_->multiply_symmetric(d_trial_, ad_);
        double slope = 0.0;
        double curvature = 0.0;
        for (std::size_t i = 0; i < x_.size(); ++i) {
            slope += g_[i] * d_trial_[i];
            curvature += d_trial_[i] * (ad_[i] + r[i] * d_trial_[i]);
        }
        if (slope + 0.5 * curvature <= 1e-4 * slope) {
            x_.swap(trial_);
            refresh_gradient();
            return t;
        }
    }
    return 0.0;
}

Simplex::Verdict Simplex::single_pivots() {
    for (std::size_t i = 0; i < x_.size(); ++i) {
        const bool inside = x_[i] > lower_[i] && x_[i] < upper_[i];
        on_[i] = inside ? 1 : 0;
    }
    if (!activate_rows()) return Verdict::interrupted;
    Verdict verdict = reach_vertex();
    while (verdict == Verdict::solved) {
        const int k = choose_violated();
        if (k < 0) return Verdict::solved;
        verdict = drive_in(k);
    }
    return verdict;
}

// Newton steps on the on rows; whatever reaches a bound first is switched off, until a full step fits.
Simplex::Verdict Simplex::reach_vertex() {
    for (;;) {
        kkt_.solve(g_, d_);
        const Event event = bound_event();
        const double step = std::min(1.0, event.step);
        for (std::size_t i = 0; i < x_.size(); ++i) x_[i] += step * d_[i];
        if (event.step < 1.0) exchange(event);
        refresh_gradient();
        if (look_if_due()) return Verdict::interrupted;
        if (event.step >= 1.0) return Verdict::solved;
    }
}

int Simplex::choose_violated() const {
    int worst = -1;
    double most = 0.0;
    for (std::size_t i = 0; i < x_.size(); ++i) {
        const double violation = g_[i] * g_[i] / core_->metric()[i];
        if (on_[i] == 0 && violation > most && is_violated(i)) {
            most = violation;
            worst = static_cast<int>(i);
        }
    }
    return worst;
}

// Moves x_k off its bound until w_k = 0 (row k is then on) or its other bound is reached.
Simplex::Verdict Simplex::drive_in(int k) {
    const double sign = g_[k] < 0.0 ? 1.0 : -1.0;
    for (;;) {
        direction_of(k, sign);
        const Event event = ratio_test(k, sign);
        if (!std::isfinite(event.step)) return Verdict::stuck;
        advance(event.step);
        exchange(event);
        if (look_if_due()) return Verdict::interrupted;
        if (event.row == k) return Verdict::solved;
    }
}

// d: x_k moves by `sign`, the on rows follow so that their w stays; ad = (A + R) d is how every w changes.
void Simplex::direction_of(int k, double sign) {
    std::fill(trial_.begin(), trial_.end(), 0.0);
    trial_[k] = sign;
    core_->multiply_symmetric(trial_, ad_);
    kkt_.solve(ad_, d_);
    d_[k] = sign;
    core_->multiply_symmetric(d_, ad_);
    const View r = kkt_.regularisation();
    for (std::size_t i = 0; i < d_.size(); ++i) ad_[i] += r[i] * d_[i];
}

// Calcola_step_max.  Ties go to the smallest index.
Simplex::Event Simplex::ratio_test(int k, double sign) const {
    Event first = bound_event();
    const double room = sign > 0.0 ? upper_[k] - x_[k] : x_[k] - lower_[k];
    if (room < first.step)
        first = {.step = room, .row = k, .value = sign > 0.0 ? upper_[k] : lower_[k], .leaves = true};
    for (std::size_t i = 0; i < x_.size(); ++i) {
        const bool driven = static_cast<int>(i) == k;
        if (on_[i] != 0 || lower_[i] == upper_[i] || (!driven && is_violated(i))) continue;
        const bool towards_zero = driven || (x_[i] <= lower_[i] ? ad_[i] < 0.0 : ad_[i] > 0.0);
        if (!towards_zero || ad_[i] == 0.0) continue;
        const double step = std::max(0.0, -g_[i] / ad_[i]);
        if (step < first.step)
            first = {.step = step, .row = static_cast<int>(i), .value = 0.0, .leaves = false};
    }
    return first;
}

// The first on row to reach a bound along d.
Simplex::Event Simplex::bound_event() const {
    Event first;
    for (std::size_t i = 0; i < x_.size(); ++i) {
        if (on_[i] == 0 || d_[i] == 0.0) continue;
        const double bound = d_[i] < 0.0 ? lower_[i] : upper_[i];
        if (!std::isfinite(bound)) continue;
        const double step = std::max(0.0, (bound - x_[i]) / d_[i]);
        if (step < first.step)
            first = {.step = step, .row = static_cast<int>(i), .value = bound, .leaves = true};
    }
    return first;
}

void Simplex::exchange(const Event& event) {
    const int i = event.row;
    if (event.leaves) x_[i] = event.value;
    const char on = event.leaves ? 0 : 1;
    if (on_[i] == on) return;  // the driven row went from one bound to the other
    on_[i] = on;
    pivots_ += kkt_.switch_row(i);
}

void Simplex::advance(double step) {
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] += step * d_[i];
    refresh_gradient();
}

bool Simplex::look_if_due() {
    if (monitor_.due(pivots_)) look();
    return monitor_.finished();
}

// The energy error of the problem as given, from a fresh product.
void Simplex::look() {
    if (core_ == &packed_) {
        copy(x_, x_original_);
    } else {
        recover_impulses(*original_, pyramid_, x_, x_original_);
    }
    packed_.multiply(x_original_, y_original_);
    const double energy = packed_.energy_error(x_original_, y_original_);
    core_J_ = core_ == &packed_ ? energy : core_->energy_error(x_, y_);
    monitor_.judge(pivots_, energy, x_original_);
}

// Nothing gained any more: say whether it is the pyramid, a contradiction between rows, or round-off.
void Simplex::explain_stall(const Problem& problem, double growth) {
    if (pyramid_is_solved()) {
        monitor_.stop(Status::stalled,
                      "the friction pyramid is solved; what is left is its difference from the cone: "
                      "use more facets, or newton");
        return;
    }
    double largest = 0.0;
    for (const double value : x_) largest = std::max(largest, std::abs(value));
    if (core_ != &packed_ || growth < 1e-3 * largest) {
        monitor_.stop(Status::ill_conditioned,
                      "round-off is reached: nearly dependent rows with unlike masses");
        return;
    }
    std::string culprits;  // the rows along which x keeps growing
    int named = 0;
    for (std::size_t b = 0; b < problem.blocks.size() && named < 4; ++b) {
        const Block& block = problem.blocks[b];
        for (int i = block.first_row; i < block.first_row + block.rows; ++i) {
            if (std::abs(x_[i] - centre_[i]) < 0.1 * growth) continue;
            culprits += (named++ > 0 ? "; " : "") + describe_block(problem, static_cast<int>(b));
            break;
        }
    }
    monitor_.stop(Status::infeasible, "no impulses can satisfy these rows together: " + culprits);
}

std::unique_ptr<Solver> make_simplex(const SimplexOptions& options) {
    return std::make_unique<Simplex>(options);
}

}  // namespace uptack

#include "interior_point.h"

#include <algorithm>
#include <cmath>

namespace uptack {
namespace {

// The prototype's value: without it friction stops the method at 1e-2, with it near 1e-6.
constexpr double regularisation = 1e-7;  // delta, of the metric
constexpr int refinements = 4;           // conjugate gradient steps after the first, once they pay
constexpr double refined = 1e-22;        // of <r, z>: round-off is reached
constexpr double gmres_reduction = 1e-6;
constexpr double to_boundary = 0.99;     // part of the way to the boundary that a step may go
constexpr double least_centring = 1e-8;  // sigma
using cone::tiny;

// Of the mean of |y|^2.  Large packings take fewer iterations from far up the central path; where the problem
// is frozen anew at every iterate, a start that far away ends more often in a bad place.
constexpr double start_mu_convex = 300.0;
constexpr double start_mu_frozen = 1.0;

// What a direction from a factor of floats misses, the square of it in the norm of the factor: above
// `trusted` it was the last such factor, above `usable` the direction is found again with doubles.
constexpr double trusted = 1e-2;
constexpr double usable = 0.1;

// Gondzio's correctors, with the spectral values of k o s in the place of products.
constexpr int correctors = 2;         // a third saves one iteration in ten and costs as much
constexpr double least_part = 0.1;    // of sigma mu: what a spectral value is raised to
constexpr double most_part = 10.0;    // and lowered to
constexpr double reach = 0.5;         // how much longer a step is hoped for
constexpr double least_gain = 0.02;   // of step length that a corrector must bring
constexpr double long_enough = 0.95;  // a step that needs none

/// Lower L with L L^T = q; rows that are fixed stay zero.
template <int n>
CellBlock cholesky(const CellBlock& q, const char* fixed) {
    CellBlock l{};
    for (int j = 0; j < n; ++j) {
        if (fixed[j] != 0) continue;
        double pivot = q[j * n + j];
        for (int c = 0; c < j; ++c) pivot -= l[j * n + c] * l[j * n + c];
        l[j * n + j] =
            std::sqrt(std::max(1e-14 * q[j * n + j], pivot));  // round-off must not make it negative
        for (int i = j + 1; i < n; ++i) {
            double value = fixed[i] != 0 ? 0.0 : q[i * n + j];
            for (int c = 0; c < j; ++c) value -= l[i * n + c] * l[j * n + c];
            l[i * n + j] = value / l[j * n + j];
        }
    }
    return l;
}

template <int n>
CellBlock invert_lower(const CellBlock& l, const char* fixed) {
    CellBlock inverse{};
    for (int j = 0; j < n; ++j) {
        if (fixed[j] != 0) continue;
        inverse[j * n + j] = 1.0 / l[j * n + j];
        for (int i = j + 1; i < n; ++i) {
            if (fixed[i] != 0) continue;
            double sum = 0.0;
            for (int c = j; c < i; ++c) sum += l[i * n + c] * inverse[c * n + j];
            inverse[i * n + j] = -sum / l[i * n + i];
        }
    }
    return inverse;
}

/// inverse = q^-1 over the rows that are not fixed, zero elsewhere; q symmetric positive definite.
template <int n>
void invert(const CellBlock& q, const char* fixed, double* inverse) {
    const CellBlock l = invert_lower<n>(cholesky<n>(q, fixed), fixed);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            double sum = 0.0;
            for (int c = std::max(i, j); c < n; ++c) sum += l[c * n + i] * l[c * n + j];
            inverse[i * n + j] = sum;
        }
    }
}

}  // namespace

void InteriorPoint::begin(const PackedProblem& packed, View x, Numbers numbers) {
    const std::size_t rows = packed.rows();
    for (auto* vector : {&x_, &residual_, &rhs_, &dx_, &more_dx_, &r_, &z_, &d_, &ad_})
        vector->assign(rows, 0.0);
    weights_.resize(packed.cells());
    gamma_.resize(packed.cells());
    collect_items(packed);
    for (std::size_t i = 0; i < rows; ++i) {
        if (fixed_[i] == 0) x_[i] = x[i];
    }
    numbers_ = leaning_ ? Numbers::doubles : numbers;
    centre(packed);
    follow_items();
}

void InteriorPoint::collect_items(const PackedProblem& packed) {
    fixed_.assign(packed.rows(), 0);
    items_.clear();
    leaning_ = false;
    const std::span<const Cell> cells = packed.cells();
    for (std::size_t k = 0; k < cells.size(); ++k) {
        const auto index = static_cast<int>(k);
        if (cells[k].kind == CellKind::scalar) {
            add_bounds(index, cells[k].first_row, cells[k].lower, cells[k].upper);
        } else if (cells[k].kind == CellKind::box) {
            add_box(cells[k], index);
        } else {
            add_cone(packed, cells[k], index);
        }
    }
}

void InteriorPoint::add_bounds(int cell, int row, double lower, double upper) {
    if (!(lower < upper)) {
        fixed_[row] = 1;
        x_[row] = lower;
        return;
    }
    Item item;
    item.cell = cell;
    item.head_row = row;
    if (lower > -infinity) {
        item.offset = -lower;
        items_.push_back(item);
    }
    if (upper < infinity) {
        item.head = -1.0;
        item.offset = upper;
        items_.push_back(item);
    }
}

void InteriorPoint::add_box(const Cell& cell, int index) {
    add_bounds(index, cell.first_row, 0.0, infinity);
    for (int row = cell.first_row + 1; row < cell.first_row + cell.rows; ++row) {
        if (cell.mu == 0.0) {
            fixed_[row] = 1;
            continue;
        }
        leaning_ = true;
        Item item;
        item.cell = index;
        item.head_row = row;
        item.lean = cell.mu;
        item.lean_row = cell.first_row;
        items_.push_back(item);
        item.head = -1.0;
        items_.push_back(item);
    }
}

void InteriorPoint::add_cone(const PackedProblem& packed, const Cell& cell, int index) {
    bool holds_normal = false;
    for (const FrictionGroup& g : friction_groups(packed.cone_of(cell), cell.rows)) {
        if (g.count == 0) continue;
        if (g.mu == 0.0) {
            std::fill_n(fixed_.begin() + cell.first_row + g.first, g.count, char{1});
            continue;
        }
        holds_normal = true;
        Item item;
        item.cell = index;
        item.dimension = 1 + g.count;
        item.head_row = cell.first_row;
        item.head = g.mu;
        item.tail_row = cell.first_row + g.first;
        items_.push_back(item);
    }
    if (!holds_normal) add_bounds(index, cell.first_row, 0.0, infinity);
}

/// y = sqrt(a) k - T^-T w / sqrt(a); the residual holds w.
InteriorPoint::Small InteriorPoint::target(const PackedProblem& packed, const Item& item) const {
    Small y{};
    const double root = std::sqrt(packed.metric()[item.head_row]);
    gather(item, x_, y);
    y[0] = (y[0] + item.offset) * root - residual_[item.head_row] / item.head / root;
    for (int i = 1; i < item.dimension; ++i) {
        y[i] = y[i] * root - residual_[item.tail_row + i - 1] / root;
    }
    return y;
}

/// k and s of every item: k - s = y, k o s = mu e, by the spectral values y_0 +- |y_1|.
void InteriorPoint::centre(const PackedProblem& packed) {
    const View p = packed.frozen_linear_term();
    packed.multiply_symmetric(x_, residual_);
    for (std::size_t i = 0; i < residual_.size(); ++i) residual_[i] += p[i];
    double sum = 0.0;
    for (const Item& item : items_) {
        const Small y = target(packed, item);
        sum += cone::inner(y, y);
    }
    const double mean = sum / static_cast<double>(std::max<std::size_t>(1, items_.size()));
    const double mu = (packed.is_convex() ? start_mu_convex : start_mu_frozen) * mean + tiny;
    const auto smooth = [&](double v) { return 0.5 * (v + std::sqrt(v * v + 4.0 * mu)); };
    for (Item& item : items_) {
        const Small y = target(packed, item);
        const double root = std::sqrt(packed.metric()[item.head_row]);
        const Small k = cone::apply_to_spectrum(y, smooth);
        const Small s = cone::apply_to_spectrum({-y[0], -y[1], -y[2]}, smooth);
        for (int i = 0; i < 3; ++i) {
            item.k[i] = k[i] / root;
            item.s[i] = s[i] * root;
        }
    }
}

/// x from the items' k, then k from x: where items share a row the allowed set decides.
void InteriorPoint::follow_items() {
    for (std::size_t i = 0; i < items_.size(); ++i) {
        const Item& item = items_[i];
        const Item* before = i > 0 && items_[i - 1].cell == item.cell ? &items_[i - 1] : nullptr;
        if (item.dimension > 1) {
            const double normal = item.k[0] / item.head;
            x_[item.head_row] = before == nullptr ? normal : std::max(x_[item.head_row], normal);
            std::copy_n(item.k.begin() + 1, item.dimension - 1, x_.begin() + item.tail_row);
        } else if (item.head < 0.0 && before != nullptr && before->head_row == item.head_row) {
            x_[item.head_row] = head_between(*before, item);
        } else {
            x_[item.head_row] = (item.k[0] - item.offset) / item.head;
        }
    }
    for (Item& item : items_) {
        gather(item, x_, item.k);
        item.k[0] += item.offset;
    }
}

/// Between two bounds, in the proportion of the distances that the items wish for.
double InteriorPoint::head_between(const Item& lower, const Item& upper) const {
    const double bottom = -lower.offset - lower.lean * x_[lower.lean_row];
    const double top = upper.offset + upper.lean * x_[upper.lean_row];
    return bottom + (top - bottom) * lower.k[0] / (lower.k[0] + upper.k[0]);
}

/// T x, without the offset.
void InteriorPoint::gather(const Item& item, View x, Small& k) {
    k[0] = item.head * x[item.head_row];
    if (item.dimension == 1) {
        if (item.lean != 0.0) k[0] += item.lean * x[item.lean_row];
        return;
    }
    k[1] = x[item.tail_row];
    if (item.dimension == 3) k[2] = x[item.tail_row + 1];
}

/// rows += sign T^T s; a lean has no reaction.
void InteriorPoint::scatter(const Item& item, const Small& s, double sign, MutableView rows) {
    rows[item.head_row] += sign * (item.head * s[0]);
    if (item.dimension == 1) return;
    rows[item.tail_row] += sign * s[1];
    if (item.dimension == 3) rows[item.tail_row + 1] += sign * s[2];
}

bool InteriorPoint::iterate(const PackedProblem& packed, NewtonSystem& system, Directions directions,
                            Deadline deadline) {
    find_residual(packed);
    if (!(mu_ > 0.0) || !std::isfinite(mu_)) return false;
    find_scaling();
    weigh(packed);
    if (directions == Directions::exact) numbers_ = Numbers::doubles;
    if (!aim(packed, system, directions, deadline)) return false;
    if (numbers_ == Numbers::floats && !(missing_ < trusted)) {
        numbers_ = Numbers::doubles;
        if (!(missing_ < usable) && !aim(packed, system, directions, deadline)) return false;
    }
    if (directions == Directions::rough && packed.is_convex()) {
        correct_centrality(packed, system, sigma_mu_, deadline);
    }
    if (deadline.passed()) return false;

    const double step = step_length();
    if (!(step > 0.0)) return false;
    add_scaled(step, dx_, x_);
    for (Item& item : items_) {
        item.s = cone::sum(item.s, step, item.move.s);
        gather(item, x_, item.k);
        item.k[0] += item.offset;
    }
    return true;
}

/// Factorises, and finds the direction but for centrality.  Only the direction that is taken has to be exact:
/// the predictor chooses sigma, the centrality correctors' share is small.  False: the deadline has passed.
bool InteriorPoint::aim(const PackedProblem& packed, NewtonSystem& system, Directions directions,
                        Deadline deadline) {
    const int lost = leaning_ ? system.factorise_unsymmetric(packed, gamma_, deadline)
                              : system.factorise(packed, gamma_, deadline, numbers_);
    if (lost == NewtonSystem::abandoned) return false;
    refinements_ = 0;
    push_predictor();
    find_direction(packed, system);
    if (deadline.passed()) return false;
    const double short_of_full = 1.0 - step_length();
    sigma_mu_ = mu_ * std::max(least_centring, short_of_full * short_of_full * short_of_full);
    const bool always = leaning_ || numbers_ == Numbers::floats;
    refinements_ = directions == Directions::exact ? refinements : always ? 1 : 0;
    push_corrector(sigma_mu_);
    find_direction(packed, system);
    refinements_ = 0;
    return true;
}

void InteriorPoint::find_residual(const PackedProblem& packed) {
    const View p = packed.frozen_linear_term();
    packed.multiply_symmetric(x_, residual_);
    for (std::size_t i = 0; i < residual_.size(); ++i) residual_[i] += p[i];
    double gap = 0.0;
    for (const Item& item : items_) {
        gap += cone::inner(item.k, item.s);
        scatter(item, item.s, -1.0, residual_);
    }
    mu_ = gap / static_cast<double>(std::max<std::size_t>(1, items_.size()));
}

void InteriorPoint::find_scaling() {
    for (Item& item : items_) {
        item.scaling = cone::Scaling::of(item.k, item.s);
        item.lambda = item.scaling.forward(item.k);
    }
}

/// Q += T^T W^2 T, with W^2 = eta^2 (2 w w^T - J) for a cone.
void InteriorPoint::add_weight(const Item& item, const Cell& cell) {
    const int n = cell.rows;
    const int head = item.head_row - cell.first_row;
    double* q = weights_[item.cell];
    const double square = item.scaling.eta * item.scaling.eta;
    if (item.dimension == 1) {
        q[head * n + head] += square;
        if (item.lean != 0.0) q[head * n + item.lean_row - cell.first_row] += square * item.head * item.lean;
        return;
    }
    for (int a = 0; a < item.dimension; ++a) {
        const int i = a == 0 ? head : item.tail_row - cell.first_row + a - 1;
        for (int b = 0; b < item.dimension; ++b) {
            const int j = b == 0 ? head : item.tail_row - cell.first_row + b - 1;
            const double scales = (a == 0 ? item.head : 1.0) * (b == 0 ? item.head : 1.0);
            q[i * n + j] += 2.0 * square * scales * item.scaling.w[a] * item.scaling.w[b];
        }
        q[i * n + i] += a == 0 ? -square * item.head * item.head : square;
    }
}

/// Q and Gamma.
void InteriorPoint::weigh(const PackedProblem& packed) {
    const std::span<const Cell> cells = packed.cells();
    for (std::size_t k = 0; k < cells.size(); ++k) {
        std::fill_n(weights_[k], cells[k].rows * cells[k].rows, 0.0);
    }
    for (const Item& item : items_) add_weight(item, cells[item.cell]);
    for (std::size_t k = 0; k < cells.size(); ++k) {
        with_rows(cells[k].rows, [&](auto n) {
            const int first = cells[k].first_row;
            CellBlock q{};
            std::copy_n(weights_[k], n * n, q.begin());
            for (int i = 0; i < n; ++i) q[i * n + i] += regularisation * packed.metric()[first + i];
            if (cells[k].kind == CellKind::box) {  // leaning on its normal, the first row: lower triangular
                std::copy_n(invert_lower<n>(q, fixed_.data() + first).begin(), n * n, gamma_[k]);
            } else {
                invert<n>(q, fixed_.data() + first, gamma_[k]);
            }
        });
    }
}

void InteriorPoint::push_predictor() {
    for (Item& item : items_) {
        const Small& l = item.lambda;
        item.pushed = item.scaling.forward({-l[0], -l[1], -l[2]});
    }
}

/// d = lambda \ (sigma mu e - lambda o lambda - (W dk) o (W^-1 ds))
void InteriorPoint::push_corrector(double sigma_mu) {
    for (Item& item : items_) {
        const Small square = cone::product(item.lambda, item.lambda);
        const Small second =
            cone::product(item.scaling.forward(item.move.k), item.scaling.inverse(item.move.s));
        Small q{};
        for (int i = 0; i < 3; ++i) q[i] = -square[i] - second[i];
        q[0] += sigma_mu;
        item.pushed = item.scaling.forward(cone::quotient(q, item.lambda));
    }
}

/// d = lambda \ (v clipped to the neighbourhood of `target` - v), v the product after `step` of the
/// direction.
void InteriorPoint::push_to_centre(double step, double target) {
    const auto missing = [&](double value) {
        return std::max(std::clamp(value, least_part * target, most_part * target) - value,
                        -most_part * target);
    };
    for (Item& item : items_) {
        const Small v = cone::product(cone::sum(item.lambda, step, item.scaling.forward(item.move.k)),
                                      cone::sum(item.lambda, step, item.scaling.inverse(item.move.s)));
        item.pushed = item.scaling.forward(cone::quotient(cone::apply_to_spectrum(v, missing), item.lambda));
    }
}

/// Gondzio's correctors: while a direction that pulls the outliers back allows a clearly longer step, add it.
void InteriorPoint::correct_centrality(const PackedProblem& packed, NewtonSystem& system, double target,
                                       Deadline deadline) {
    double step = step_length();
    for (int k = 0; k < correctors && step < long_enough && !deadline.passed(); ++k) {
        push_to_centre(std::min(1.0, step + reach), target);
        find_correction(packed, system);
        double best = 0.0;
        double best_step = step;
        for (const double weight : {1.0, 0.7, 0.4}) {
            const double longer = step_length_with(weight, best_step);
            if (longer > best_step) {
                best_step = longer;
                best = weight;
            }
        }
        if (best_step < step + least_gain) return;
        step = best_step;
        add_scaled(best, more_dx_, dx_);
        for (Item& item : items_) {
            item.move.k = cone::sum(item.move.k, best, item.more.k);
            item.move.s = cone::sum(item.move.s, best, item.more.s);
        }
    }
}

void InteriorPoint::find_direction(const PackedProblem& packed, NewtonSystem& system) {
    for (std::size_t i = 0; i < rhs_.size(); ++i) rhs_[i] = -residual_[i];
    solve_for(packed, system, dx_, &Item::move);
}

void InteriorPoint::find_correction(const PackedProblem& packed, NewtonSystem& system) {
    std::fill(rhs_.begin(), rhs_.end(), 0.0);
    solve_for(packed, system, more_dx_, &Item::more);
}

/// dx from the right-hand side and the items' W d; then dk and ds.
void InteriorPoint::solve_for(const PackedProblem& packed, NewtonSystem& system, std::vector<double>& dx,
                              Move Item::*move) {
    for (const Item& item : items_) scatter(item, item.pushed, 1.0, rhs_);
    for (std::size_t i = 0; i < rhs_.size(); ++i) {
        if (fixed_[i] != 0) rhs_[i] = 0.0;
    }
    if (leaning_ && refinements_ > 0) {
        gmres_.solve(
            rhs_, packed.metric(), {.reduction = gmres_reduction},
            [&](View in, MutableView out) { multiply(packed, in, out); },
            [&](View in, MutableView out) { precondition(packed, system, in, out); }, dx);
    } else {
        conjugate_gradients(packed, system, dx);
    }
    for (Item& item : items_) {
        Move& m = item.*move;
        gather(item, dx, m.k);
        m.s = cone::sum(item.pushed, -1.0, item.scaling.forward(item.scaling.forward(m.k)));
    }
}

/// out = (A + Q) d on the rows that are not fixed.
void InteriorPoint::multiply(const PackedProblem& packed, View d, MutableView out) const {
    packed.multiply_symmetric(d, out);
    add_applied(weights_, packed.cells(), d, out);
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (fixed_[i] != 0) out[i] = 0.0;
    }
}

/// z = (A + Q + delta D)^-1 r
void InteriorPoint::precondition(const PackedProblem& packed, NewtonSystem& system, View r, MutableView z) {
    apply(gamma_, packed.cells(), r, ad_);
    system.solve(packed, ad_, z);
}

void InteriorPoint::conjugate_gradients(const PackedProblem& packed, NewtonSystem& system, MutableView dx) {
    if (refinements_ == 0) {
        precondition(packed, system, rhs_, dx);
        return;
    }
    missing_ = infinity;
    copy(rhs_, r_);
    std::fill(dx.begin(), dx.end(), 0.0);
    precondition(packed, system, r_, z_);
    copy(z_, d_);
    double rz = dot(r_, z_);
    const double first = rz;
    for (int k = 0; k <= refinements_; ++k) {
        multiply(packed, d_, ad_);
        const double curvature = dot(d_, ad_);
        if (!(curvature > 0.0) || !(rz > 0.0)) return;
        const double alpha = rz / curvature;
        add_scaled(alpha, d_, dx);
        if (k == refinements_) return;
        add_scaled(-alpha, ad_, r_);
        precondition(packed, system, r_, z_);
        const double next = dot(r_, z_);
        if (k == 0) missing_ = std::abs(next / first);
        if (!(next > refined * first)) return;
        scale_and_add(next / rz, z_, d_);
        rz = next;
    }
}

/// How far the direction may be followed.
double InteriorPoint::step_length() const {
    double step = 1.0 / to_boundary;
    for (const Item& item : items_) {
        step = cone::limit_step(step, item.k, item.move.k);
        step = cone::limit_step(step, item.s, item.move.s);
    }
    return to_boundary * step;
}

/// The same for the direction with its correction; no further than `needed`: it does not get there.
double InteriorPoint::step_length_with(double weight, double needed) const {
    double step = 1.0 / to_boundary;
    for (const Item& item : items_) {
        step = cone::limit_step(step, item.k, cone::sum(item.move.k, weight, item.more.k));
        step = cone::limit_step(step, item.s, cone::sum(item.move.s, weight, item.more.s));
        if (to_boundary * step <= needed) return needed;
    }
    return to_boundary * step;
}

}  // namespace uptack

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
constexpr double tiny = 1e-300;

double determinant(const std::array<double, 3>& v, int n) {
    double value = v[0] * v[0];
    for (int i = 1; i < n; ++i) value -= v[i] * v[i];
    return value;
}

double tail_length(const std::array<double, 3>& v, int n) {
    double sum = 0.0;
    for (int i = 1; i < n; ++i) sum += v[i] * v[i];
    return std::sqrt(sum);
}

/// Lower L with L L^T = q; rows that are fixed stay zero.
CellBlock cholesky(int n, const CellBlock& q, const char* fixed) {
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

CellBlock invert_lower(int n, const CellBlock& l, const char* fixed) {
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
void invert(int n, const CellBlock& q, const char* fixed, double* inverse) {
    const CellBlock l = invert_lower(n, cholesky(n, q, fixed), fixed);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            double sum = 0.0;
            for (int c = std::max(i, j); c < n; ++c) sum += l[c * n + i] * l[c * n + j];
            inverse[i * n + j] = sum;
        }
    }
}

}  // namespace

void InteriorPoint::begin(const PackedProblem& packed, View x) {
    const std::size_t rows = packed.rows();
    for (auto* vector : {&x_, &residual_, &rhs_, &dx_, &r_, &z_, &d_, &ad_}) vector->assign(rows, 0.0);
    weights_.resize(packed.cells());
    gamma_.resize(packed.cells());
    collect_items(packed);
    for (std::size_t i = 0; i < rows; ++i) {
        if (fixed_[i] == 0) x_[i] = x[i];
    }
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
        for (int i = 0; i < item.dimension; ++i) sum += y[i] * y[i];
    }
    const double mu = sum / static_cast<double>(std::max<std::size_t>(1, items_.size())) + tiny;
    const auto smooth = [&](double v) { return 0.5 * (v + std::sqrt(v * v + 4.0 * mu)); };
    for (Item& item : items_) {
        const Small y = target(packed, item);
        const int n = item.dimension;
        const double root = std::sqrt(packed.metric()[item.head_row]);
        const double tail = tail_length(y, n);
        const double high = smooth(y[0] + tail);
        const double low = smooth(y[0] - tail);
        const double s_high = smooth(-y[0] + tail);
        const double s_low = smooth(-y[0] - tail);
        item.k[0] = 0.5 * (high + low) / root;
        item.s[0] = 0.5 * (s_high + s_low) * root;
        for (int i = 1; i < n; ++i) {
            const double along = tail > 0.0 ? y[i] / tail : 0.0;
            item.k[i] = 0.5 * (high - low) * along / root;
            item.s[i] = 0.5 * (s_low - s_high) * along * root;
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
    k[0] = item.head * x[item.head_row] + item.lean * x[item.lean_row];
    for (int i = 1; i < item.dimension; ++i) k[i] = x[item.tail_row + i - 1];
}

bool InteriorPoint::iterate(const PackedProblem& packed, NewtonSystem& system, Directions directions) {
    refinements_ = directions == Directions::exact ? refinements : 0;
    find_residual(packed);
    if (!(mu_ > 0.0) || !std::isfinite(mu_)) return false;
    find_scaling();
    weigh(packed);
    system.factorise(packed, gamma_);

    push_predictor();
    find_direction(packed, system);
    const double short_of_full = 1.0 - std::min(1.0, to_boundary * largest_step());
    const double sigma = std::max(least_centring, short_of_full * short_of_full * short_of_full);
    push_corrector(sigma * mu_);
    find_direction(packed, system);

    const double step = std::min(1.0, to_boundary * largest_step());
    if (!(step > 0.0)) return false;
    add_scaled(step, dx_, x_);
    for (Item& item : items_) {
        for (int i = 0; i < item.dimension; ++i) item.s[i] += step * item.ds[i];
        gather(item, x_, item.k);
        item.k[0] += item.offset;
    }
    return true;
}

void InteriorPoint::find_residual(const PackedProblem& packed) {
    const View p = packed.frozen_linear_term();
    packed.multiply_symmetric(x_, residual_);
    for (std::size_t i = 0; i < residual_.size(); ++i) residual_[i] += p[i];
    double gap = 0.0;
    for (const Item& item : items_) {
        for (int i = 0; i < item.dimension; ++i) gap += item.k[i] * item.s[i];
        residual_[item.head_row] -= item.head * item.s[0];
        for (int i = 1; i < item.dimension; ++i) residual_[item.tail_row + i - 1] -= item.s[i];
    }
    mu_ = gap / static_cast<double>(std::max<std::size_t>(1, items_.size()));
}

void InteriorPoint::find_scaling() {
    for (Item& item : items_) {
        const int n = item.dimension;
        if (n == 1) {
            item.eta = std::sqrt(item.s[0] / item.k[0]);
            item.lambda[0] = std::sqrt(item.s[0] * item.k[0]);
            continue;
        }
        const double k_size = std::sqrt(std::max(tiny, determinant(item.k, n)));
        const double s_size = std::sqrt(std::max(tiny, determinant(item.s, n)));
        double product = 1.0;
        for (int i = 0; i < n; ++i) product += item.k[i] / k_size * item.s[i] / s_size;
        const double gamma = std::sqrt(0.5 * product);
        for (int i = 1; i < n; ++i) item.w[i] = (item.s[i] / s_size - item.k[i] / k_size) / (2.0 * gamma);
        const double tail = tail_length(item.w, n);
        item.w[0] = std::sqrt(1.0 + tail * tail);  // exactly on the hyperboloid
        item.eta = std::sqrt(s_size / k_size);
        scale(item, item.k, item.lambda, Scaling::forward);
    }
}

void InteriorPoint::scale(const Item& item, const Small& in, Small& out, Scaling direction) {
    const int n = item.dimension;
    const bool inverse = direction == Scaling::inverse;
    const double factor = inverse ? 1.0 / item.eta : item.eta;
    if (n == 1) {
        out[0] = factor * in[0];
        return;
    }
    const double sign = inverse ? -1.0 : 1.0;
    double inner = 0.0;
    for (int i = 1; i < n; ++i) inner += sign * item.w[i] * in[i];
    const double along = in[0] + inner / (1.0 + item.w[0]);
    Small result{};
    result[0] = factor * (item.w[0] * in[0] + inner);
    for (int i = 1; i < n; ++i) result[i] = factor * (in[i] + sign * item.w[i] * along);
    out = result;
}

/// Q += T^T W^2 T, with W^2 = eta^2 (2 w w^T - J) for a cone.
void InteriorPoint::add_weight(const Item& item, const Cell& cell) {
    const int n = cell.rows;
    const int head = item.head_row - cell.first_row;
    double* q = weights_[item.cell];
    const double square = item.eta * item.eta;
    if (item.dimension == 1) {
        q[head * n + head] += square;
        return;
    }
    for (int a = 0; a < item.dimension; ++a) {
        const int i = a == 0 ? head : item.tail_row - cell.first_row + a - 1;
        for (int b = 0; b < item.dimension; ++b) {
            const int j = b == 0 ? head : item.tail_row - cell.first_row + b - 1;
            const double scales = (a == 0 ? item.head : 1.0) * (b == 0 ? item.head : 1.0);
            q[i * n + j] += 2.0 * square * scales * item.w[a] * item.w[b];
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
        const int n = cells[k].rows;
        CellBlock q{};
        std::copy_n(weights_[k], n * n, q.begin());
        for (int i = 0; i < n; ++i) q[i * n + i] += regularisation * packed.metric()[cells[k].first_row + i];
        invert(n, q, fixed_.data() + cells[k].first_row, gamma_[k]);
    }
}

void InteriorPoint::push_predictor() {
    for (Item& item : items_) {
        Small d{};
        for (int i = 0; i < item.dimension; ++i) d[i] = -item.lambda[i];
        scale(item, d, item.pushed, Scaling::forward);
    }
}

void InteriorPoint::push_corrector(double sigma_mu) {
    for (Item& item : items_) {
        const int n = item.dimension;
        const Small& l = item.lambda;
        Small a{};
        Small b{};
        scale(item, item.dk, a, Scaling::forward);
        scale(item, item.ds, b, Scaling::inverse);
        Small q{};  // sigma mu e - lambda o lambda - a o b
        q[0] = sigma_mu;
        for (int i = 0; i < n; ++i) q[0] -= l[i] * l[i] + a[i] * b[i];
        for (int i = 1; i < n; ++i) q[i] = -2.0 * l[0] * l[i] - (a[0] * b[i] + b[0] * a[i]);
        Small d{};  // lambda \ q
        double inner = 0.0;
        for (int i = 1; i < n; ++i) inner += l[i] * q[i];
        d[0] = (l[0] * q[0] - inner) / std::max(tiny, determinant(l, n));
        for (int i = 1; i < n; ++i) d[i] = (q[i] - l[i] * d[0]) / l[0];
        scale(item, d, item.pushed, Scaling::forward);
    }
}

/// dx from the items' W d; then dk and ds.
void InteriorPoint::find_direction(const PackedProblem& packed, NewtonSystem& system) {
    for (std::size_t i = 0; i < rhs_.size(); ++i) rhs_[i] = -residual_[i];
    for (const Item& item : items_) {
        rhs_[item.head_row] += item.head * item.pushed[0];
        for (int i = 1; i < item.dimension; ++i) rhs_[item.tail_row + i - 1] += item.pushed[i];
    }
    for (std::size_t i = 0; i < rhs_.size(); ++i) {
        if (fixed_[i] != 0) rhs_[i] = 0.0;
    }
    if (leaning_) {
        gmres_.solve(
            rhs_, packed.metric(), gmres_reduction,
            [&](View in, MutableView out) { multiply(packed, in, out); },
            [&](View in, MutableView out) { precondition(packed, system, in, out); }, dx_);
    } else {
        conjugate_gradients(packed, system);
    }
    for (Item& item : items_) {
        gather(item, dx_, item.dk);
        Small once{};
        Small twice{};
        scale(item, item.dk, once, Scaling::forward);
        scale(item, once, twice, Scaling::forward);
        for (int i = 0; i < item.dimension; ++i) item.ds[i] = item.pushed[i] - twice[i];
    }
}

/// out = (A + Q) d on the rows that are not fixed.
void InteriorPoint::multiply(const PackedProblem& packed, View d, MutableView out) const {
    packed.multiply_symmetric(d, out);
    const std::span<const Cell> cells = packed.cells();
    for (std::size_t k = 0; k < cells.size(); ++k) {
        const int n = cells[k].rows;
        for (int i = 0; i < n; ++i) {
            double sum = 0.0;
            for (int j = 0; j < n; ++j) sum += weights_[k][i * n + j] * d[cells[k].first_row + j];
            out[cells[k].first_row + i] += sum;
        }
    }
    for (const Item& item : items_) {
        if (item.lean == 0.0) continue;
        out[item.head_row] += item.eta * item.eta * item.head * item.lean * d[item.lean_row];
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (fixed_[i] != 0) out[i] = 0.0;
    }
}

/// z = (A + Q + delta D)^-1 r
void InteriorPoint::precondition(const PackedProblem& packed, NewtonSystem& system, View r, MutableView z) {
    apply(gamma_, packed.cells(), r, ad_);
    system.solve(packed, ad_, z);
}

void InteriorPoint::conjugate_gradients(const PackedProblem& packed, NewtonSystem& system) {
    copy(rhs_, r_);
    std::fill(dx_.begin(), dx_.end(), 0.0);
    precondition(packed, system, r_, z_);
    copy(z_, d_);
    double rz = dot(r_, z_);
    const double first = rz;
    for (int k = 0; k <= refinements_; ++k) {
        multiply(packed, d_, ad_);
        const double curvature = dot(d_, ad_);
        if (!(curvature > 0.0) || !(rz > 0.0)) return;
        const double alpha = rz / curvature;
        add_scaled(alpha, d_, dx_);
        if (k == refinements_) return;
        add_scaled(-alpha, ad_, r_);
        precondition(packed, system, r_, z_);
        const double next = dot(r_, z_);
        if (!(next > refined * first)) return;
        scale_and_add(next / rz, z_, d_);
        rz = next;
    }
}

double InteriorPoint::largest_step() const {
    double step = infinity;
    for (const Item& item : items_) {
        step = std::min({step, largest_step(item.dimension, item.k, item.dk),
                         largest_step(item.dimension, item.s, item.ds)});
    }
    return step;
}

/// Largest t with from + t along in the cone: the first positive root of its quadratic.
double InteriorPoint::largest_step(int dimension, const Small& from, const Small& along) {
    double step = along[0] < 0.0 ? -from[0] / along[0] : infinity;
    if (dimension == 1) return step;
    const double a = determinant(along, dimension);
    const double c = determinant(from, dimension);
    double b = from[0] * along[0];
    for (int i = 1; i < dimension; ++i) b -= from[i] * along[i];
    const double discriminant = b * b - a * c;
    if (discriminant < 0.0) return step;
    const double q = -(b + (b >= 0.0 ? std::sqrt(discriminant) : -std::sqrt(discriminant)));
    for (const double root : {q / a, c / q}) {
        if (std::isfinite(root) && root > 0.0) step = std::min(step, root);
    }
    return step;
}

}  // namespace uptack

#include "single_contact.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace uptack {
namespace {

using Three = std::array<double, 3>;
using Two = std::array<double, 2>;

double length_of(const Two& t) {
    return std::sqrt(t[0] * t[0] + t[1] * t[1]);
}

struct Contact {
    double mu = 0.0;
    std::array<Three, 3> a{};  // A
    Three q{};
};

Contact of_matrix(const Problem& problem) {
    Contact contact;
    const SparseMatrix& matrix = *problem.matrix;
    for (int i = 0; i < 3; ++i) {
        for (std::int64_t k = matrix.start[i]; k < matrix.start[i + 1]; ++k)
            contact.a[i][matrix.column[k]] += matrix.value[k];
        contact.q[i] = problem.bias[i];
    }
    return contact;
}

Contact of_bodies(const Problem& problem) {
    Contact contact;
    const Block& block = problem.blocks.front();
    const auto add_side = [&](int body, auto row) {
        if (body == no_body) return;
        for (int j = 0; j < 3; ++j) {
            const Vec6 response = apply_inverse_mass(problem.bodies[body], row(j));
            for (int i = 0; i < 3; ++i) contact.a[i][j] += dot(row(i), response);
            contact.q[j] += dot(row(j), problem.bodies[body].free_velocity);
        }
    };
    add_side(block.body_a, [&](int i) { return problem.jacobian[i].a; });
    add_side(block.body_b, [&](int i) { return problem.jacobian[i].b; });
    for (int i = 0; i < 3; ++i) {
        contact.q[i] += problem.bias[i];
        if (!problem.compliance.empty()) contact.a[i][i] += problem.compliance[i];
    }
    return contact;
}

/// The contact with w_n = 0, its normal impulse eliminated: S x_t + p = w_t.
struct Tangents {
    std::array<Two, 2> s{};
    Two p{};

    explicit Tangents(const Contact& contact) {
        const std::array<Three, 3>& a = contact.a;
        const Three& q = contact.q;
        for (int i = 0; i < 2; ++i) {
            const double share = a[i + 1][0] / a[0][0];
            p[i] = q[i + 1] - share * q[0];
            for (int j = 0; j < 2; ++j) s[i][j] = a[i + 1][j + 1] - share * a[0][j + 1];
        }
    }

    /// (S + shift I)^-1 b
    Two solve(double shift, const Two& b) const {
        const double first = s[0][0] + shift;
        const double second = s[1][1] + shift;
        const double determinant = first * second - s[0][1] * s[1][0];
        return {(second * b[0] - s[0][1] * b[1]) / determinant,
                (first * b[1] - s[1][0] * b[0]) / determinant};
    }
};

double normal_impulse(const Contact& contact, const Two& x_t) {
    const Three& row = contact.a[0];
    return -(contact.q[0] + row[1] * x_t[0] + row[2] * x_t[1]) / row[0];
}

/// |x_t| - mu x_n at s, and its slope.
struct Sample {
    Two x_t{};
    double excess = 0.0;
    double slope = 0.0;
};

Sample sample(const Contact& contact, const Tangents& tangents, double s) {
    Sample out;
    out.x_t = tangents.solve(s, {-tangents.p[0], -tangents.p[1]});
    const double length = length_of(out.x_t);
    out.excess = length - contact.mu * normal_impulse(contact, out.x_t);
    const Two change = tangents.solve(s, {-out.x_t[0], -out.x_t[1]});
    const Three& row = contact.a[0];
    out.slope = (out.x_t[0] * change[0] + out.x_t[1] * change[1]) / length +
                contact.mu * (row[1] * change[0] + row[2] * change[1]) / row[0];
    return out;
}

/// Newton's steps where they stay inside the bracket, halves of it where they do not.
bool slide(const Contact& contact, const Tangents& tangents, Two& x_t) {
    constexpr int most_steps = 100;
    double low = 0.0;
    double high = contact.a[1][1] + contact.a[2][2];
    for (int k = 0; !(sample(contact, tangents, high).excess < 0.0); ++k, high *= 8.0) {
        if (k == most_steps || !std::isfinite(high)) return false;
        low = high;
    }
    double s = 0.5 * (low + high);
    for (int k = 0; k < most_steps; ++k) {
        const Sample here = sample(contact, tangents, s);
        x_t = here.x_t;
        (here.excess > 0.0 ? low : high) = s;
        double next = s - here.excess / here.slope;
        if (!(next > low && next < high)) next = 0.5 * (low + high);
        if (next == s || here.excess == 0.0) break;
        s = next;
    }
    return true;
}

Two find_tangents(const Contact& contact, bool& found) {
    const Tangents tangents(contact);
    Two x_t = tangents.solve(0.0, {-tangents.p[0], -tangents.p[1]});
    found = length_of(x_t) <= contact.mu * normal_impulse(contact, x_t);
    if (!found) found = slide(contact, tangents, x_t);
    return x_t;
}

}  // namespace

bool is_single_contact(const Problem& problem) {
    if (problem.blocks.size() != 1 || problem.blocks.front().rows != 3) return false;
    const auto* cone = std::get_if<FrictionCone>(&problem.blocks.front().law);
    return cone != nullptr && cone->model == FrictionModel::exact;
}

bool solve_single_contact(const Problem& problem, std::vector<double>& impulse) {
    Contact contact = problem.matrix ? of_matrix(problem) : of_bodies(problem);
    contact.mu = std::get<FrictionCone>(problem.blocks.front().law).mu;
    impulse.assign(3, 0.0);
    if (contact.q[0] >= 0.0) return true;
    if (!(contact.a[0][0] > 0.0)) return false;
    Two x_t{};
    bool found = true;
    if (contact.mu > 0.0) x_t = find_tangents(contact, found);
    const double x_n = normal_impulse(contact, x_t);
    if (!found || !std::isfinite(x_n) || x_n < 0.0) return false;
    impulse = {x_n, x_t[0], x_t[1]};
    return true;
}

}  // namespace uptack

// GMRES with a preconditioner, for systems whose symmetric part has been factored (Saad and Schultz 1986).
//
//     P^-1 M x = P^-1 b      P^-1: a factorisation near M      x starts from zero
//
// The Krylov basis is orthogonal in the inner product <a, b> = sum_i a_i b_i m_i given by the weights m, so
// that rows of different units can be mixed.  No restart: a good preconditioner needs few steps, and without
// one the caller should not be here.

#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "linalg/deadline.h"
#include "linalg/vector_ops.h"

namespace uptack {

class Gmres {
public:
    static constexpr int max_steps = 40;

    struct Goal {
        double reduction = 0.0;  ///< of the preconditioned residual
        Deadline deadline{};
    };

    /// multiply(in, out): out = M in.  precondition(in, out): out = P^-1 in, in and out apart.  Solves until
    /// the goal is reached, or the deadline passes; returns by how much the preconditioned residual has
    /// fallen.
    template <class Multiply, class Precondition>
    double solve(View b, View weights, const Goal& goal, Multiply&& multiply, Precondition&& precondition,
                 MutableView x) {
        const std::size_t n = b.size();
        basis_.resize((max_steps + 1) * n);
        image_.resize(n);
        precondition(b, vector(0, n));
        const double size = norm(vector(0, n), weights);
        std::fill(x.begin(), x.end(), 0.0);
        if (!(size > 0.0) || !std::isfinite(size)) return size == 0.0 ? 0.0 : 1.0;
        for (double& value : vector(0, n)) value /= size;
        rotated_ = {};
        rotated_[0] = size;
        int steps = 0;
        while (steps < max_steps && std::abs(rotated_[steps]) > goal.reduction * size &&
               !goal.deadline.passed()) {
            multiply(View(vector(steps, n)), MutableView(image_));
            precondition(View(image_), vector(steps + 1, n));
            if (!extend(steps, n, weights)) break;
            ++steps;
        }
        const double left = std::abs(rotated_[steps]) / size;
        combine(steps, n, x);
        return left;
    }

private:
    MutableView vector(int k, std::size_t n) { return MutableView(basis_).subspan(k * n, n); }
    static double norm(View v, View weights) { return std::sqrt(weighted_dot(v, v, weights)); }

    /// Orthogonalises the newest vector and rotates its column of the Hessenberg matrix; false: nothing new.
    bool extend(int k, std::size_t n, View weights) {
        const MutableView fresh = vector(k + 1, n);
        auto& column = hessenberg_[k];
        for (int i = 0; i <= k; ++i) {
            column[i] = weighted_dot(fresh, vector(i, n), weights);
            add_scaled(-column[i], vector(i, n), fresh);
        }
        const double length = norm(fresh, weights);
        for (int i = 0; i < k; ++i) {
            const double first = cosine_[i] * column[i] + sine_[i] * column[i + 1];
            column[i + 1] = -sine_[i] * column[i] + cosine_[i] * column[i + 1];
            column[i] = first;
        }
        const double radius = std::hypot(column[k], length);
        if (!(radius > 0.0) || !std::isfinite(radius)) return false;
        cosine_[k] = column[k] / radius;
        sine_[k] = length / radius;
        column[k] = radius;
        rotated_[k + 1] = -sine_[k] * rotated_[k];
        rotated_[k] *= cosine_[k];
        if (length > 0.0) {
            for (double& value : fresh) value /= length;
        }
        return true;
    }

    void combine(int steps, std::size_t n, MutableView x) {
        for (int i = steps - 1; i >= 0; --i) {
            for (int j = i + 1; j < steps; ++j) rotated_[i] -= hessenberg_[j][i] * rotated_[j];
            rotated_[i] /= hessenberg_[i][i];
        }
        for (int i = 0; i < steps; ++i) add_scaled(rotated_[i], vector(i, n), x);
    }

    std::vector<double> basis_;
    std::vector<double> image_;
    std::array<std::array<double, max_steps + 1>, max_steps + 1> hessenberg_{};  // by column
    std::array<double, max_steps + 1> cosine_{}, sine_{}, rotated_{};
};

}  // namespace uptack

// The few dense vector operations the iterative solvers need, parallel and reproducible (parallel.h).

#pragma once

#include <span>

namespace uptack {

using View = std::span<const double>;
using MutableView = std::span<double>;

double dot(View a, View b);

/// sum_i a_i b_i m_i and sum_i a_i b_i / m_i
double weighted_dot(View a, View b, View m);
double inverse_weighted_dot(View a, View b, View m);

/// y += alpha x
void add_scaled(double alpha, View x, MutableView y);

/// y = x + alpha y
void scale_and_add(double alpha, View x, MutableView y);

void copy(View from, MutableView to);

}  // namespace uptack

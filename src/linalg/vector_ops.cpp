#include "linalg/vector_ops.h"

#include <algorithm>

#include "linalg/parallel.h"

namespace uptack {
namespace {

/// Four running sums: shorter dependency chains, and a fixed order.
template <class Term>
double sum_of(std::size_t count, Term term) {
    return sum_over_chunks(count, [&](std::size_t first, std::size_t last) {
        double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
        std::size_t i = first;
        for (; i + 4 <= last; i += 4) {
            s0 += term(i);
            s1 += term(i + 1);
            s2 += term(i + 2);
            s3 += term(i + 3);
        }
        for (; i < last; ++i) s0 += term(i);
        return (s0 + s1) + (s2 + s3);
    });
}

template <class Statement>
void for_all(std::size_t count, Statement statement) {
    for_each_chunk(count, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) statement(i);
    });
}

}  // namespace

double dot(View a, View b) {
    return sum_of(a.size(), [=](std::size_t i) { return a[i] * b[i]; });
}

double weighted_dot(View a, View b, View m) {
    return sum_of(a.size(), [=](std::size_t i) { return a[i] * b[i] * m[i]; });
}

double inverse_weighted_dot(View a, View b, View m) {
    return sum_of(a.size(), [=](std::size_t i) { return a[i] * b[i] / m[i]; });
}

void add_scaled(double alpha, View x, MutableView y) {
    for_all(x.size(), [=](std::size_t i) { y[i] += alpha * x[i]; });
}

void scale_and_add(double alpha, View x, MutableView y) {
    for_all(x.size(), [=](std::size_t i) { y[i] = x[i] + alpha * y[i]; });
}

void copy(View from, MutableView to) {
    for_each_chunk(from.size(), [&](std::size_t, std::size_t first, std::size_t last) {
        std::copy(from.begin() + first, from.begin() + last, to.begin() + first);
    });
}

}  // namespace uptack

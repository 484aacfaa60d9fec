// A number that can be read off two bodies, and how it changes when they move.
//
//     value(t)  [m or rad]        d value / dt = a . v_a + b . v_b     exactly, wherever the bodies are
//
// Everything a joint holds, limits or drives is one of these; joints are sums and angles of a few of them.

#pragma once

#include "uptack/math.h"
#include "uptack/problem.h"

namespace uptack::assembly {

struct Measure {
    double value = 0.0;
    JacobianRow row;
};

inline Vec6 scaled(double s, const Vec6& v) {
    return {s * v[0], s * v[1], s * v[2], s * v[3], s * v[4], s * v[5]};
}
inline Vec6 sum(const Vec6& u, const Vec6& v) {
    return {u[0] + v[0], u[1] + v[1], u[2] + v[2], u[3] + v[3], u[4] + v[4], u[5] + v[5]};
}

/// s m + t n + constant.
inline Measure combined(double s, const Measure& m, double t, const Measure& n, double constant = 0.0) {
    return {.value = s * m.value + t * n.value + constant,
            .row = {.a = sum(scaled(s, m.row.a), scaled(t, n.row.a)),
                    .b = sum(scaled(s, m.row.b), scaled(t, n.row.b))}};
}

/// s m + constant.
inline Measure scaled(double s, const Measure& m, double constant = 0.0) {
    return {.value = s * m.value + constant, .row = {.a = scaled(s, m.row.a), .b = scaled(s, m.row.b)}};
}

/// Rate of change for given velocities of the two bodies.
inline double rate(const JacobianRow& row, const Vec6& a, const Vec6& b) {
    return dot(row.a, a) + dot(row.b, b);
}

}  // namespace uptack::assembly

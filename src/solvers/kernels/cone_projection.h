// Nearest point of { hypot(t1, t2) <= mu n }, inline because the sweeps live on it.  law.h has the general
// form; a test holds the two together.

#pragma once

namespace uptack {

[[gnu::always_inline]] inline void project_cone(double mu, double& n, double& t1, double& t2) {
    const double s = __builtin_sqrt(t1 * t1 + t2 * t2);
    const double along = n + mu * s;
    if (along <=
        0.0) {  // in the polar cone: the apex is nearest; first, for s = 0 <= mu n = -0 without friction
        n = t1 = t2 = 0.0;
        return;
    }
    if (s <= mu * n) return;  // inside
    n = along / (1.0 + mu * mu);
    const double shrink = mu * n / s;  // s > 0, else the point was inside or polar
    t1 *= shrink;
    t2 *= shrink;
}

/// Nearest point of { |t| <= mu n }.
[[gnu::always_inline]] inline void project_flat_cone(double mu, double& n, double& t) {
    const double s = __builtin_fabs(t);
    const double along = n + mu * s;
    if (along <= 0.0) {
        n = t = 0.0;
        return;
    }
    if (s <= mu * n) return;
    n = along / (1.0 + mu * mu);
    t = __builtin_copysign(mu * n, t);
}

}  // namespace uptack

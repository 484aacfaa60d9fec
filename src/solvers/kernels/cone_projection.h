// The nearest point of { hypot(t1, t2) <= mu n }, inline because the sweeps live on it.  law.h has the
// general form; a test holds the two together.
//
// Nearest where a change d_n of the normal counts d_n^2 D_n and one of a tangent d_t^2 D_t:
//
//     lean   mu D_t / D_n: how far the normal gives way to a tangent that is too long.  mu where both count
//            alike.
//     0      it does not: first 0 <= n, then the disc | t | <= mu n.  What stays where it is under
//            x <- proj(x - w / D) obeys the exact law of Coulomb then, without De Saxce's term in w.

#pragma once

namespace uptack {

[[gnu::always_inline]] inline void project_cone(double mu, double lean, double& n, double& t1, double& t2) {
    const double s = __builtin_sqrt(t1 * t1 + t2 * t2);
    const double along = n + lean * s;
    if (along <=
        0.0) {  // in the polar cone: the apex is nearest; first, for s = 0 <= mu n = -0 without friction
        n = t1 = t2 = 0.0;
        return;
    }
    if (s <= mu * n) return;  // inside
    n = along / (1.0 + lean * mu);
    const double shrink = mu * n / s;  // s > 0, else the point was inside or polar
    t1 *= shrink;
    t2 *= shrink;
}

/// Nearest point of { |t| <= mu n }.
[[gnu::always_inline]] inline void project_flat_cone(double mu, double lean, double& n, double& t) {
    const double s = __builtin_fabs(t);
    const double along = n + lean * s;
    if (along <= 0.0) {
        n = t = 0.0;
        return;
    }
    if (s <= mu * n) return;
    n = along / (1.0 + lean * mu);
    t = __builtin_copysign(mu * n, t);
}

}  // namespace uptack

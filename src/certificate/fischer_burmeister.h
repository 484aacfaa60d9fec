// The Fischer-Burmeister residual of one block, for comparison with what others report.
//
//     0 <= a _|_ b >= 0     phi(a, b) = a + b - sqrt(a^2 + b^2)
//     l <= x <= u           phi(x - l, -phi(u - x, -w))          (Billups' composition)
//     cone                  the same formula in the Jordan algebra of the second-order cone, after
//                           (x_n, x_t) -> (mu x_n, x_t) and (w_n, w_t) -> (w_n, mu w_t)
//
// Cones with rolling or spinning rows are no second-order cones; there the value is empty and the certificate
// reports the natural residual in its place.

#pragma once

#include <optional>
#include <span>

#include "uptack/law.h"

namespace uptack {

std::optional<double> fischer_burmeister_square(const Law& law, std::span<const double> x,
                                                std::span<const double> w);

}  // namespace uptack

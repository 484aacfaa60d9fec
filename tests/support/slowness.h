// Budgets and limits of time in tests: sanitizers slow everything down, and what cannot be interrupted with
// it.

#pragma once

namespace uptack::test {

/// How many times as long a build takes, about.
#if defined(__SANITIZE_THREAD__)
inline constexpr double slowness = 10.0;
#elif defined(__SANITIZE_ADDRESS__)
inline constexpr double slowness = 4.0;
#else
inline constexpr double slowness = 1.0;
#endif

}  // namespace uptack::test

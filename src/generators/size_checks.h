// Sizes and coefficients come from a command line: they are checked before anything is allocated.

#pragma once

#include <cstdint>
#include <string>

namespace uptack::generators {

/// Two million bodies are about two gigabytes of frictionless rows.
inline constexpr std::int64_t most_bodies = 2'000'000;

/// Beyond this the light bodies' motion is lost in the rounding of the heavy ones'.
inline constexpr double largest_mass_ratio = 1e12;

/// Far above any material; keeps squares of mu finite.
inline constexpr double largest_friction = 1000.0;

/// InputError below `least`, LimitError above `most`.
void require_count(const std::string& where, std::int64_t value, std::int64_t least, std::int64_t most);

/// InputError unless 0 < ratio <= largest_mass_ratio.
void require_mass_ratio(const std::string& where, double ratio);

/// InputError unless 0 <= mu <= largest_friction.
void require_friction(const std::string& where, double mu);

}  // namespace uptack::generators

// The order of names for people: digits count as numbers.

#pragma once

#include <compare>
#include <string_view>

namespace uptack::model {

/// "ball 2" before "ball 10"; names that differ only in leading zeros ("a1", "a01") by their letters.
std::strong_ordering compare_natural(std::string_view a, std::string_view b);

}  // namespace uptack::model

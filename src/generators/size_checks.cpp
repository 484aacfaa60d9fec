#include "size_checks.h"

#include <fmt/format.h>

#include "uptack/input_error.h"

namespace uptack::generators {

void require_count(const std::string& where, std::int64_t value, std::int64_t least, std::int64_t most) {
    if (value < least) throw InputError(where, fmt::format("is {}; give at least {}", value, least));
    if (value > most) throw LimitError(where, fmt::format("is {}; the limit is {}, take less", value, most));
}

// The comparisons are written so that NaN fails them.
void require_mass_ratio(const std::string& where, double ratio) {
    if (ratio > 0.0 && ratio <= largest_mass_ratio) return;
    throw InputError(where,
                     fmt::format("is {}; give a ratio above 0 and at most {}", ratio, largest_mass_ratio));
}

void require_friction(const std::string& where, double mu) {
    if (mu >= 0.0 && mu <= largest_friction) return;
    throw InputError(where, fmt::format("is {}; give a coefficient from 0 to {}", mu, largest_friction));
}

}  // namespace uptack::generators

#include "read_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "uptack/input_error.h"

namespace uptack {
namespace {

// Rows and bodies are counted with int everywhere, whatever a caller allows.
constexpr std::int64_t most_ints = std::numeric_limits<int>::max();

struct Limit {
    const char* name;
    std::int64_t figure;
};

void check(const std::string& where, const char* what, std::int64_t claimed, Limit limit) {
    if (claimed <= limit.figure) return;
    throw LimitError(
        where,
        fmt::format(
            "{} {}; the limit {} is {}; take a smaller problem, or read it in C++ with larger ReadLimits",
            claimed, what, limit.name, limit.figure));
}

}  // namespace

void check_rows(const std::string& where, std::int64_t rows, const ReadLimits& limits) {
    check(where, "rows", rows, {"max_rows", std::min(limits.max_rows, most_ints - 1)});
}

void check_bodies(const std::string& where, std::int64_t bodies, const ReadLimits& limits) {
    check(where, "bodies", bodies, {"max_bodies", std::min(limits.max_bodies, most_ints - 1)});
}

void check_entries(const std::string& where, std::int64_t entries, const ReadLimits& limits) {
    check(where, "matrix entries", entries, {"max_matrix_entries", limits.max_matrix_entries});
}

void check_name_bytes(const std::string& where, std::int64_t bytes, const ReadLimits& limits) {
    check(where, "bytes of names", bytes, {"max_name_bytes", limits.max_name_bytes});
}

}  // namespace uptack

// Limits that keep a file, hostile or merely huge, from taking the machine down.

#pragma once

#include <cstdint>
#include <string>

#include "uptack/problem_file.h"

namespace uptack {

/// Throws LimitError, which says the limit and both figures.
void check_rows(const std::string& where, std::int64_t rows, const ReadLimits& limits);
void check_bodies(const std::string& where, std::int64_t bodies, const ReadLimits& limits);
void check_entries(const std::string& where, std::int64_t entries, const ReadLimits& limits);
void check_name_bytes(const std::string& where, std::int64_t bytes, const ReadLimits& limits);

}  // namespace uptack

// Text to JSON, for files that people write: comments are allowed, the same key twice is not, and what could
// exhaust the machine is refused.

#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace uptack::scene {

/// Keeps the order in which keys were written: parameters and loops are read in it.
using Json = nlohmann::ordered_json;

inline constexpr std::size_t max_file_bytes = 64U << 20U;
/// Of a scene with its files put in; numbers take more room as text than in a binary mesh file.
inline constexpr std::size_t max_document_bytes = 256U << 20U;
inline constexpr int max_nesting = 64;
inline constexpr std::size_t max_values = 20'000'000;
inline constexpr std::size_t max_text_bytes = 65'536;

/// Throws InputError with line and column, or the JSON pointer of a key that is there twice; LimitError.
Json parse_json(const std::string& text, const std::string& name);

/// A whole file of at most max_file_bytes.
std::string read_whole(const std::filesystem::path& path, const std::string& name);

}  // namespace uptack::scene

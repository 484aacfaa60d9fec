// Puts the files that a scene names into its JSON, so that the text stands for itself.

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "json_text.h"
#include "reader.h"

namespace uptack::scene {

inline constexpr int max_includes = 32;

/// Replaces "file" in includes, hulls and meshes by what is in the file, and says where it came from.
/// Paths are relative to the file that has them, and must not leave `folder`; with an empty folder there are
/// none.  Throws InputError, LimitError.
std::vector<Origin> inline_files(Json& document, const std::string& name,
                                 const std::filesystem::path& folder);

}  // namespace uptack::scene

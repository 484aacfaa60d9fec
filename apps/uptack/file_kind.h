// Which of the known formats a problem file is in, for `info`; reading goes by content without asking here.

#pragma once

#include <filesystem>
#include <string_view>

namespace uptack::app {

/// "uptack", "fclib_local", "fclib_global", "fclib_global_rolling" or "siconos_text".
std::string_view file_kind(const std::filesystem::path& path);

}  // namespace uptack::app

// Names from other people's files, made fit for JSON and terminals.

#pragma once

#include <string>
#include <string_view>

namespace uptack {

/// Bytes that are not UTF-8 become '?', control characters become spaces, spaces at the ends go.
std::string printable(std::string_view text);

}  // namespace uptack

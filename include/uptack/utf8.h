// Characters of UTF-8 text that may come from anywhere.
//
// Read by: files, apps.  It knows bytes only, neither fonts nor terminals.

#pragma once

#include <cstddef>
#include <string_view>

namespace uptack {

/// Bytes of the well-formed character that begins at `at` (Unicode standard, table 3-7); 0 where none does.
inline std::size_t character_length(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t k) {
        return at + k < text.size() ? static_cast<unsigned char>(text[at + k]) : 0U;
    };
    const unsigned lead = byte(0);
    if (lead < 0x80) return 1;
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4) return 0;
    const unsigned lowest = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const unsigned highest = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (byte(1) < lowest || byte(1) > highest) return 0;
    for (std::size_t k = 2; k < length; ++k) {
        if ((byte(k) & 0xC0U) != 0x80) return 0;
    }
    return length;
}

}  // namespace uptack

#include "utf8.h"

namespace uptack {
namespace {

unsigned byte_at(std::string_view text, std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
}

// Bytes of the well-formed character at i (Unicode standard, table 3-7), or 0.
std::size_t character_length(std::string_view text, std::size_t i) {
    const unsigned lead = byte_at(text, i);
    if (lead < 0x80) return 1;
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4) return 0;
    const unsigned lowest = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const unsigned highest = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (byte_at(text, i + 1) < lowest || byte_at(text, i + 1) > highest) return 0;
    for (std::size_t k = 2; k < length; ++k) {
        if ((byte_at(text, i + k) & 0xC0U) != 0x80) return 0;
    }
    return length;
}

}  // namespace

std::string printable(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = character_length(text, i);
        const unsigned lead = byte_at(text, i);
        if (length == 0) {
            out += '?';
        } else if (lead < 0x20 || lead == 0x7F) {
            out += ' ';
        } else {
            out += text.substr(i, length);
        }
        i += length == 0 ? 1 : length;
    }
    const std::size_t first = out.find_first_not_of(' ');
    if (first == std::string::npos) return {};
    return out.substr(first, out.find_last_not_of(' ') - first + 1);
}

}  // namespace uptack

#include "printable.h"

#include "uptack/utf8.h"

namespace uptack {

std::string printable(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = character_length(text, i);
        const unsigned lead = static_cast<unsigned char>(text[i]);
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

#include "string_table.h"

namespace uptack::recording {

std::vector<std::string> read_strings(const InputRecording& file, const Counts& counts) {
    std::vector<std::int64_t> end(static_cast<std::size_t>(counts.strings));
    file.table("strings/end").read(0, std::span(end));
    std::string text(static_cast<std::size_t>(counts.string_bytes), '\0');
    file.table("strings/text").read(0, std::span(reinterpret_cast<std::uint8_t*>(text.data()), text.size()));
    std::vector<std::string> strings;
    strings.reserve(end.size());
    std::int64_t begin = 0;
    for (const std::int64_t stop : end) {
        if (stop < begin || stop > counts.string_bytes) {
            throw file.file().error("strings/end", "does not fit its text; the file is damaged");
        }
        strings.push_back(
            text.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(stop - begin)));
        begin = stop;
    }
    return strings;
}

}  // namespace uptack::recording

#include "words.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "common.h"

namespace uptack::app {

PictureSize size_from_words(const std::string& words) {
    PictureSize size;
    char rest = 0;
    const int found = std::sscanf(words.c_str(), "%5dx%5d%c", &size.width, &size.height, &rest);
    const auto [least, most] = std::minmax(size.width, size.height);
    if (found != 2 || least < 16 || most > 8192) {
        throw UsageError(fmt::format("--size: '{}' is not WIDTHxHEIGHT in pixels, as in 1280x800", words));
    }
    return size;
}

Dump dump_from_words(const std::string& words) {
    Dump dump;
    const std::size_t colon = words.find(':');
    const char* end = words.data() + std::min(colon, words.size());
    const auto parsed = std::from_chars(words.data(), end, dump.step);
    if (colon == std::string::npos || parsed.ptr != end || dump.step < 1 || colon + 1 == words.size()) {
        throw UsageError(fmt::format("--dump-step: '{}' is not STEP:FILE, as in 120:problem.h5", words));
    }
    dump.file = words.substr(colon + 1);
    return dump;
}

std::unique_ptr<Solver> solver_from_label(const std::string& label) {
    std::size_t colon = label.find(':');
    const std::string name = label.substr(0, colon);
    OptionValues options;
    while (colon != std::string::npos) {
        const std::size_t next = label.find(':', colon + 1);
        options.push_back(split_option(label.substr(colon + 1, next - colon - 1)));
        colon = next;
    }
    return solver_from_words(name, options);
}

}  // namespace uptack::app

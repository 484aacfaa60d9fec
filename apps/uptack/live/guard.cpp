#include "guard.h"

#include <fmt/core.h>
#include <sys/random.h>

#include <array>
#include <charconv>
#include <stdexcept>

namespace uptack::app::live {

std::string random_token() {
    std::array<unsigned char, 16> bytes{};
    if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
        throw std::runtime_error("the system has no random numbers");
    }
    std::string token;
    for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
    return token;
}

bool same_text(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    unsigned difference = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
        difference |=
            static_cast<unsigned>(static_cast<unsigned char>(a[k]) ^ static_cast<unsigned char>(b[k]));
    }
    return difference == 0;
}

bool is_own_host(std::string_view host, int port) {
    return host == fmt::format("127.0.0.1:{}", port) || host == fmt::format("localhost:{}", port);
}

bool is_own_origin(std::string_view origin, int port) {
    constexpr std::string_view scheme = "http://";
    return origin.substr(0, scheme.size()) == scheme && is_own_host(origin.substr(scheme.size()), port);
}

Address address(std::string_view path, std::string_view token) {
    const std::size_t end = token.size() + 1;
    if (path.size() <= end || path[0] != '/' || path[end] != '/') return {};
    return {same_text(path.substr(1, token.size()), token), path.substr(end + 1)};
}

bool is_short(std::string_view content_length, std::size_t most) {
    std::size_t length = 0;
    const char* end = content_length.data() + content_length.size();
    const auto parsed = std::from_chars(content_length.data(), end, length);
    return parsed.ec == std::errc() && parsed.ptr == end && length <= most;
}

}  // namespace uptack::app::live

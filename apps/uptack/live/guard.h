// Who may ask: only a page that was opened by the printed address.
//
// - The path begins with a token of 128 random bits.  Other users of the machine and other web sites do not
//   know it; without it everything is 404.
// - The Host header names this machine: a foreign name that was made to point to 127.0.0.1 (DNS rebinding) is
//   turned away before anything else is looked at.
// - A command comes from our own page (Origin), is JSON and short, so no form of another site can send one.

#pragma once

#include <string>
#include <string_view>

namespace uptack::app::live {

/// 128 bits from the system, as 32 hexadecimal digits.
std::string random_token();

/// Takes the same time wherever they differ.
bool same_text(std::string_view a, std::string_view b);

/// "127.0.0.1:PORT" or "localhost:PORT".
bool is_own_host(std::string_view host, int port);
/// "http://" and the like.
bool is_own_origin(std::string_view origin, int port);

/// What follows "/TOKEN/" in the path: "" for the page itself.
struct Address {
    bool known = false;
    std::string_view rest;
};
Address address(std::string_view path, std::string_view token);

/// A Content-Length header between 0 and `most`.
bool is_short(std::string_view content_length, std::size_t most);

}  // namespace uptack::app::live

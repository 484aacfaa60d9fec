#include "page.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <ostream>
#include <stdexcept>

#include "uptack/input_error.h"
#include "uptack/report.h"

#ifdef UPTACK_HAVE_PAGE
extern "C" {
extern const char uptack_page_begin[];  // NOLINT(readability-identifier-naming): page_template.S
extern const char uptack_page_end[];
}
#endif

namespace uptack {
namespace report {
namespace {

std::string_view page_template() {
#ifdef UPTACK_HAVE_PAGE
    return {uptack_page_begin, static_cast<std::size_t>(uptack_page_end - uptack_page_begin)};
#else
    return {};
#endif
}

/// The template around its marks: before the title, between title and data, behind the data.
struct TemplateParts {
    std::string_view head;
    std::string_view middle;
    std::string_view tail;
};

TemplateParts template_parts() {
    constexpr std::string_view title_mark = "UPTACK_TITLE";
    constexpr std::string_view data_mark = "UPTACK_DATA";
    const std::string_view page = page_template();
    if (page.empty()) {
        throw InputError("page",
                         "this Uptack was built without the page; build it with -DUPTACK_VIEWER=ON, "
                         "which needs node and npm");
    }
    const std::size_t title = page.find(title_mark);
    const std::size_t data = page.find(data_mark);
    if (title == std::string_view::npos || data == std::string_view::npos || data < title) {
        throw std::logic_error("the page's template has lost its marks");
    }
    return {page.substr(0, title), page.substr(title + title_mark.size(), data - title - title_mark.size()),
            page.substr(data + data_mark.size())};
}

std::string html_text(std::string_view text) {
    std::string result;
    for (const char c : text) {
        switch (c) {
            case '&':
                result += "&amp;";
                break;
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            default:
                result += c;
        }
    }
    return result;
}

/// "</script>" in a name would end the element, so no '<' is left; in JSON it can only stand in strings.
void write_json(std::ostream& out, std::string_view json) {
    while (!json.empty()) {
        const std::size_t sign = json.find('<');
        out << json.substr(0, sign);
        if (sign == std::string_view::npos) return;
        out << "\\u003c";
        json.remove_prefix(sign + 1);
    }
}

constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Four letters for one to three bytes.
std::array<char, 4> base64_group(std::string_view bytes) {
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k) {
        word = word << 8 | (k < bytes.size() ? static_cast<unsigned char>(bytes[k]) : 0U);
    }
    std::array<char, 4> group{};
    for (std::size_t k = 0; k < 4; ++k) group[k] = letters[word >> (18 - 6 * k) & 63U];
    for (std::size_t k = bytes.size() + 1; k < 4; ++k) group[k] = '=';
    return group;
}

void write_base64(std::ostream& out, std::string_view bytes) {
    constexpr std::size_t piece = 3 * 4096;  // so much text at a time
    std::string text;
    while (!bytes.empty()) {
        const std::string_view now = bytes.substr(0, piece);
        text.clear();
        for (std::size_t k = 0; k < now.size(); k += 3) {
            const std::array<char, 4> group = base64_group(now.substr(k, 3));
            text.append(group.data(), group.size());
        }
        out << text;
        bytes.remove_prefix(now.size());
    }
}

constexpr std::string_view document_open = "<script type=\"application/json\" id=\"document\">";
constexpr std::string_view blob_open = "<script type=\"text/plain\" id=\"blob-";
constexpr std::string_view script_close = "</script>\n";

}  // namespace

std::string deflated(std::string_view bytes) {
    std::string packed(compressBound(bytes.size()), '\0');
    uLongf size = packed.size();
    const int status = compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                                 reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), 6);
    if (status != Z_OK) throw std::bad_alloc();  // the only thing that can go wrong with enough room
    packed.resize(size);
    packed.shrink_to_fit();
    return packed;
}

std::int64_t page_bytes(std::string_view title, std::string_view document_json) {
    const TemplateParts parts = template_parts();
    const std::int64_t escapes = 5 * std::count(document_json.begin(), document_json.end(), '<');
    return std::ssize(parts.head) + std::ssize(html_text(title)) + std::ssize(parts.middle) +
           std::ssize(parts.tail) + std::ssize(document_open) + std::ssize(script_close) +
           std::ssize(document_json) + escapes;
}

std::int64_t blob_bytes(const PackedBlob& blob) {
    constexpr std::int64_t quote_and_bracket = 2;
    return std::ssize(blob_open) + std::ssize(blob.name) + quote_and_bracket + std::ssize(script_close) +
           (std::ssize(blob.bytes) + 2) / 3 * 4;
}

void write_packed_page(std::ostream& out, std::string_view title, std::string_view document_json,
                       std::span<const PackedBlob> blobs) {
    const TemplateParts parts = template_parts();
    out << parts.head;
    out << html_text(title) << parts.middle << document_open;
    write_json(out, document_json);
    out << script_close;
    for (const PackedBlob& blob : blobs) {
        out << blob_open << blob.name << "\">";
        write_base64(out, blob.bytes);
        out << script_close;
    }
    out << parts.tail;
}

}  // namespace report

bool has_page() {
    return !report::page_template().empty();
}

void write_page(std::ostream& out, std::string_view title, std::string_view document_json,
                std::span<const PageBlob> blobs) {
    std::vector<report::PackedBlob> packed;
    for (const PageBlob& blob : blobs) packed.push_back({blob.name, report::deflated(blob.bytes)});
    report::write_packed_page(out, title, document_json, packed);
}

}  // namespace uptack

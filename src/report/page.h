// The page around the data: template, document, blobs.

#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

namespace uptack::report {

/// Ready to be written: zlib-deflated.
struct PackedBlob {
    std::string name;
    std::string bytes;
};

std::string deflated(std::string_view bytes);

/// Bytes of a page without blobs.
std::int64_t page_bytes(std::string_view title, std::string_view document_json);

/// Bytes that a blob takes in a page.
std::int64_t blob_bytes(const PackedBlob& blob);

void write_packed_page(std::ostream& out, std::string_view title, std::string_view document_json,
                       std::span<const PackedBlob> blobs);

}  // namespace uptack::report

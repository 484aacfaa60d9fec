#include "hdf5_structure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "hdf5_messages.h"
#include "uptack/input_error.h"

namespace uptack::hdf5 {
namespace {

using Address = std::uint64_t;

constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
constexpr unsigned continuation_message = 0x10;
constexpr unsigned symbol_table_message = 0x11;
constexpr unsigned cached_symbol_table = 1;
constexpr std::uint64_t end_of_free_list = 1;
// Nesting and chunks far beyond any file that holds a problem; damage makes circles.
constexpr int max_depth = 64;
constexpr int max_chunks = 1000;

/// Little-endian numbers in a piece of the file.
class Piece {
public:
    explicit Piece(std::string bytes) : bytes_(std::move(bytes)) {}

    std::uint64_t number(std::size_t offset, std::size_t width) const {
        return little_endian(bytes_, offset, width);
    }
    bool starts_with(std::string_view text) const { return bytes_.compare(0, text.size(), text) == 0; }
    std::string_view text() const { return bytes_; }

private:
    std::string bytes_;
};

class Skeleton {
public:
    explicit Skeleton(const std::filesystem::path& path)
        : path_(path), stream_(path, std::ios::binary), size_(std::filesystem::file_size(path)) {}

    void check() {
        find_base();
        const Piece head = piece(0, 24);
        const std::uint64_t version = head.number(8, 1);
        const std::size_t widths = version > 1 ? 9 : 13;
        if (head.number(widths, 1) != 8 || head.number(widths + 1, 1) != 8) {
            fail("its addresses do not have 8 bytes");
        }
        if (version > 1) {  // checksummed
            check_header(piece(36, 8).number(0, 8));
            return;
        }
        max_symbols_ = 2 * head.number(16, 2);
        max_children_ = 2 * head.number(18, 2);
        const Address root = version == 0 ? 56 : 60;
        check_entry(root, 0);
        check_header(piece(root + 8, 8).number(0, 8));
    }

    /// What addresses count from: something else may stand before the file's first block.
    void find_base() {
        for (Address at = 0; at + signature.size() <= size_; at = at == 0 ? 512 : 2 * at) {
            if (!piece(at, signature.size()).starts_with(signature)) continue;
            base_ = at;
            return;
        }
        fail("no HDF5 signature");
    }

    /// Every message of an object header, wherever its pieces are.
    void check_header(Address header) {
        const Piece prefix = piece(header, 16);
        int chunks = 0;
        if (!prefix.starts_with("OHDR")) {
            if (prefix.number(0, 1) != 1) fail("an object header of no known version");
            check_header_chunk(header + 16, prefix.number(8, 4), {.head = 8}, chunks);
            return;
        }
        const std::uint64_t flags = prefix.number(5, 1);
        const std::uint64_t width = std::uint64_t{1} << (flags & 3U);
        const Address size_at = header + 6 + ((flags & 0x20U) != 0 ? 16 : 0) + ((flags & 0x10U) != 0 ? 4 : 0);
        check_header_chunk(size_at + width, piece(size_at, width).number(0, width),
                           {.head = (flags & 4U) != 0 ? 6U : 4U, .marked = true}, chunks);
    }

private:
    [[noreturn]] void fail(const std::string& what) const {
        throw InputError(path_.string(), fmt::format("damaged HDF5 file ({}); copy or make it again", what));
    }

    [[noreturn]] void refuse(std::string_view what) const {
        throw InputError(path_.string(),
                         fmt::format("damaged or foreign HDF5 file ({}); make it again, with numbers, texts "
                                     "and groups only",
                                     what));
    }

    /// How the messages of a header follow each other.
    struct Framing {
        std::uint64_t head = 8;  ///< bytes before each message's data
        bool marked = false;  ///< of version 2: shorter heads, further pieces between a mark and a checksum
    };

    void check_header_chunk(Address address, std::uint64_t length, const Framing& framing, int& chunks) {
        if (++chunks > max_chunks) fail("an object header without end");
        const Piece chunk = piece(address, length);
        const std::size_t type_width = framing.marked ? 1 : 2;
        for (std::uint64_t at = 0; at + framing.head <= length;) {
            const std::uint64_t size = chunk.number(at + type_width, 2);
            const std::uint64_t data = at + framing.head;
            if (size > length - data) fail("a header message longer than its header");
            const HeaderMessage message{.type = chunk.number(at, type_width),
                                        .flags = chunk.number(at + type_width + 2, 1),
                                        .data = chunk.text().substr(data, size),
                                        .file_bytes = size_ - base_};
            const std::string_view fault = message_fault(message);
            if (!fault.empty()) refuse(fault);
            if (message.type == continuation_message) {
                const std::uint64_t around = framing.marked ? 8 : 0;
                const std::uint64_t whole = chunk.number(data + 8, 8);
                if (whole < around) fail("a header message that is too short");
                check_header_chunk(chunk.number(data, 8) + around / 2, whole - around, framing, chunks);
            }
            at = data + size;
        }
    }

    Piece piece(Address address, std::uint64_t length) {
        const Address begin = address + base_;
        if (begin < address || begin > size_ || length > size_ - begin) fail("an address outside the file");
        std::string bytes(length, '\0');
        stream_.seekg(static_cast<std::streamoff>(begin));
        stream_.read(bytes.data(), static_cast<std::streamsize>(length));
        if (!stream_) fail("it cannot be read to its end");
        return Piece(std::move(bytes));
    }

    // A symbol table entry: where an object's header is and, for groups, perhaps a copy of its table's place.
    void check_entry(Address address, int depth) {
        const Piece entry = piece(address, 40);
        check_object(entry.number(8, 8), depth);
        if (entry.number(16, 4) == cached_symbol_table) {
            check_group(entry.number(24, 8), entry.number(32, 8), depth);
        }
    }

    void check_object(Address header, int depth) {
        if (depth > max_depth) fail("groups within groups without end");
        if (!objects_.insert(header).second) return;
        const Piece prefix = piece(header, 16);
        if (prefix.starts_with("OHDR")) return;  // checksummed
        if (prefix.number(0, 1) != 1) fail("an object header of no known version");
        int chunks = 0;
        check_messages(header + 16, prefix.number(8, 4), depth, chunks);
    }

    void check_messages(Address address, std::uint64_t length, int depth, int& chunks) {
        if (++chunks > max_chunks) fail("an object header without end");
        const Piece chunk = piece(address, length);
        for (std::uint64_t at = 0; at + 8 <= length;) {
            const std::uint64_t type = chunk.number(at, 2);
            const std::uint64_t size = chunk.number(at + 2, 2);
            const std::uint64_t data = at + 8;
            if (size > length - data) fail("a header message longer than its header");
            if (type == continuation_message && size >= 16) {
                check_messages(chunk.number(data, 8), chunk.number(data + 8, 8), depth, chunks);
            }
            if (type == symbol_table_message && size >= 16) {
                check_group(chunk.number(data, 8), chunk.number(data + 8, 8), depth);
            }
            at = data + size;
        }
    }

    void check_group(Address tree, Address heap, int depth) {
        if (!groups_.insert({tree, heap}).second) return;
        const Piece names = read_heap(heap);
        check_tree(tree, names, std::nullopt, depth);
    }

    Piece read_heap(Address address) {
        const Piece head = piece(address, 32);
        if (!head.starts_with("HEAP")) fail("a name heap without its mark");
        Piece names = piece(head.number(24, 8), head.number(8, 8));
        check_free_list(names, head.number(16, 8));
        return names;
    }

    // Unused stretches of a heap form a list: where the next one is, how long this one is.
    void check_free_list(const Piece& names, std::uint64_t at) const {
        const std::uint64_t size = names.text().size();
        for (std::uint64_t left = size / 16; at != end_of_free_list; --left) {
            if (left == 0 || at >= size || size - at < 16 || names.number(at + 8, 8) > size - at) {
                fail("a name heap whose unused parts do not fit it");
            }
            at = names.number(at, 8);
        }
    }

    void check_tree(Address address, const Piece& names, std::optional<std::uint64_t> level, int depth) {
        const Piece head = piece(address, 24);
        if (!head.starts_with("TREE") || head.number(4, 1) != 0) fail("a group's B-tree without its mark");
        const std::uint64_t own_level = head.number(5, 1);
        if (own_level > static_cast<std::uint64_t>(max_depth) || (level && *level != own_level)) {
            fail("a B-tree of wrong depth");
        }
        const std::uint64_t children = head.number(6, 2);
        if (children > max_children_) fail("a B-tree node with too many children");
        const Piece body = piece(address + 24, children * 16);
        for (std::uint64_t k = 0; k < children; ++k) {
            const Address child = body.number(16 * k + 8, 8);
            if (!nodes_.insert(child).second) fail("a B-tree that meets itself");
            if (own_level == 0) {
                check_symbols(child, names, depth);
            } else {
                check_tree(child, names, own_level - 1, depth);
            }
        }
    }

    void check_symbols(Address address, const Piece& names, int depth) {
        const Piece head = piece(address, 8);
        if (!head.starts_with("SNOD")) fail("a symbol node without its mark");
        const std::uint64_t symbols = head.number(6, 2);
        if (symbols > max_symbols_) fail("a symbol node with too many entries");
        for (std::uint64_t k = 0; k < symbols; ++k) {
            const Address entry = address + 8 + 40 * k;
            const std::uint64_t name = piece(entry, 8).number(0, 8);
            if (name >= names.text().size() || names.text().find('\0', name) == std::string_view::npos) {
                fail("a name outside its heap");
            }
            check_entry(entry, depth + 1);
        }
    }

    const std::filesystem::path& path_;
    std::ifstream stream_;
    std::uint64_t size_;
    Address base_ = 0;
    std::uint64_t max_symbols_ = 0;
    std::uint64_t max_children_ = 0;
    std::set<Address> objects_;
    std::set<std::pair<Address, Address>> groups_;
    std::set<Address> nodes_;
};

}  // namespace

void check_structure(const std::filesystem::path& path) {
    Skeleton(path).check();
}

void check_object(const std::filesystem::path& path, std::uint64_t address) {
    Skeleton skeleton(path);
    skeleton.find_base();
    skeleton.check_header(address);
}

}  // namespace uptack::hdf5

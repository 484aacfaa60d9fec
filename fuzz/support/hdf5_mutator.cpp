// Changes of HDF5 files that libFuzzer would hardly hit on: single bytes of the structures that the library
// decodes, and checksums that are right again afterwards, as in a file made to attack.  Only for libFuzzer.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

#include "hdf5/hdf5_messages.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace uptack::fuzz {
namespace {

using Random = std::minstd_rand;

std::uint32_t rotated(std::uint32_t x, unsigned k) {
    return x << k | x >> (32U - k);
}

/// Bob Jenkins' lookup3 (hashlittle, start value 0), HDF5's checksum of metadata.
std::uint32_t lookup3(std::string_view bytes) {
    std::uint32_t a = 0xDEADBEEFU + static_cast<std::uint32_t>(bytes.size());
    std::uint32_t b = a;
    std::uint32_t c = a;
    const auto word = [&](std::size_t at) {
        const std::size_t width = bytes.size() > at ? std::min<std::size_t>(4, bytes.size() - at) : 0;
        return static_cast<std::uint32_t>(hdf5::little_endian(bytes, at, width));
    };
    while (bytes.size() > 12) {
        a += word(0), b += word(4), c += word(8);
        a -= c, a ^= rotated(c, 4), c += b;
        b -= a, b ^= rotated(a, 6), a += c;
        c -= b, c ^= rotated(b, 8), b += a;
        a -= c, a ^= rotated(c, 16), c += b;
        b -= a, b ^= rotated(a, 19), a += c;
        c -= b, c ^= rotated(b, 4), b += a;
        bytes.remove_prefix(12);
    }
    if (bytes.empty()) return c;
    a += word(0), b += word(4), c += word(8);
    c ^= b, c -= rotated(b, 14);
    a ^= c, a -= rotated(c, 11);
    b ^= a, b -= rotated(a, 25);
    c ^= b, c -= rotated(b, 16);
    a ^= c, a -= rotated(c, 4);
    b ^= a, b -= rotated(a, 14);
    c ^= b, c -= rotated(b, 24);
    return c;
}

void put_checksum(std::uint8_t* data, std::size_t first, std::size_t end) {
    const std::uint32_t sum = lookup3({reinterpret_cast<const char*>(data) + first, end - first});
    for (std::size_t k = 0; k < 4; ++k) data[end + k] = static_cast<std::uint8_t>(sum >> (8 * k));
}

/// Of the first block of newer layouts, and of the first piece of each newer object header.
void repair_checksums(std::uint8_t* data, std::size_t size) {
    const std::string_view file(reinterpret_cast<const char*>(data), size);
    if (size >= 48 && data[8] >= 2) put_checksum(data, 0, 44);
    for (std::size_t at = file.find("OHDR"); at != std::string_view::npos; at = file.find("OHDR", at + 4)) {
        if (at + 32 > size) return;
        const unsigned flags = data[at + 5];
        const std::size_t width = std::size_t{1} << (flags & 3U);
        const std::size_t length_at =
            at + 6 + ((flags & 0x20U) != 0 ? 16 : 0) + ((flags & 0x10U) != 0 ? 4 : 0);
        if (length_at + width > size) continue;
        const std::uint64_t length = hdf5::little_endian(file, length_at, width);
        const std::size_t first = length_at + width;
        if (length < size && first + length + 4 <= size) put_checksum(data, at, first + length);
    }
}

/// Where structures begin: marks, and the headers that the entries of old groups lead to.
std::vector<std::size_t> structures(std::string_view file) {
    std::vector<std::size_t> found{0};
    for (const std::string_view mark :
         {"OHDR", "OCHK", "TREE", "HEAP", "SNOD", "FRHP", "BTHD", "EAHD", "FAHD"}) {
        for (std::size_t at = file.find(mark); at != std::string_view::npos; at = file.find(mark, at + 4)) {
            found.push_back(at);
            if (mark != "SNOD" || at + 8 > file.size()) continue;
            const std::uint64_t entries = hdf5::little_endian(file, at + 6, 2);
            for (std::uint64_t k = 0; k < entries && at + 48 + 40 * k <= file.size(); ++k) {
                const std::uint64_t header = hdf5::little_endian(file, at + 16 + 40 * k, 8);
                // Twice: there are many of them, and their messages are what is believed most.
                if (header < file.size()) found.insert(found.end(), 2, header);
            }
        }
    }
    return found;
}

void change_structure(std::uint8_t* data, std::size_t size, Random& random) {
    const std::vector<std::size_t> found = structures({reinterpret_cast<const char*>(data), size});
    constexpr std::array<std::uint8_t, 16> likely{0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 16, 32, 64, 127, 128, 255};
    for (auto changes = 1 + random() % 3; changes > 0; --changes) {
        const std::size_t place = found[random() % found.size()] + random() % 256;
        if (place >= size) continue;
        data[place] =
            random() % 2 == 0 ? likely[random() % likely.size()] : static_cast<std::uint8_t>(random());
    }
}

}  // namespace
}  // namespace uptack::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned int seed) {
    using namespace uptack::fuzz;
    Random random(seed);
    const bool is_hdf5 = size > 8 && data[0] == 0x89 && data[1] == 'H';
    if (!is_hdf5 || random() % 2 == 0)
        size = LLVMFuzzerMutate(data, size, max_size);
    else
        change_structure(data, size, random);
    if (is_hdf5 && random() % 4 != 0) repair_checksums(data, size);
    return size;
}

#include "hdf5_messages.h"

#include <algorithm>
#include <array>

namespace uptack::hdf5 {
namespace {

constexpr std::uint64_t shared_flag = 2;
constexpr int max_type_depth = 4;
constexpr std::uint64_t max_rank = 32;  // HDF5's own

/// Thrown and caught in this file only.
struct Fault {
    std::string_view what;
};

/// Takes fields off the front; asking for more than is there is the fault.
class Fields {
public:
    Fields(std::string_view bytes, std::string_view what) : rest_(bytes), what_(what) {}

    std::uint64_t number(std::size_t width) {
        need(width);
        const std::uint64_t value = little_endian(rest_, 0, width);
        rest_.remove_prefix(width);
        return value;
    }
    std::string_view take(std::uint64_t count) {
        need(count);
        const std::string_view taken = rest_.substr(0, count);
        rest_.remove_prefix(count);
        return taken;
    }
    void skip(std::uint64_t count) { take(count); }
    void skip_address(const HeaderMessage& message) {
        constexpr std::uint64_t undefined = ~std::uint64_t{0};
        const std::uint64_t address = number(8);
        require(address == undefined || address < message.file_bytes);
    }
    void need(std::uint64_t count) const { require(count <= rest_.size()); }
    void require(bool condition) const {
        if (!condition) throw Fault{what_};
    }
    std::string_view rest() const { return rest_; }

private:
    std::string_view rest_;
    std::string_view what_;
};

// ---- datatypes --------------------------------------------------------------------------------------------

enum class TypeClass : std::uint8_t { whole = 0, real = 1, string = 3, enumeration = 8, variable_length = 9 };

/// The bits that hold the number must lie inside it: conversions go by them.
void check_whole(Fields& fields, std::uint64_t size) {
    const std::uint64_t offset = fields.number(2);
    const std::uint64_t precision = fields.number(2);
    fields.require(size <= 8 && precision >= 1 && offset + precision <= 8 * size);
}

void check_real(Fields& fields, std::uint64_t size, std::uint64_t sign_place) {
    const std::uint64_t offset = fields.number(2);
    const std::uint64_t precision = fields.number(2);
    const std::uint64_t exponent_place = fields.number(1);
    const std::uint64_t exponent_bits = fields.number(1);
    const std::uint64_t mantissa_place = fields.number(1);
    const std::uint64_t mantissa_bits = fields.number(1);
    fields.skip(4);  // bias
    fields.require(size <= 16 && precision >= 1 && offset + precision <= 8 * size);
    fields.require(exponent_bits >= 1 && exponent_place + exponent_bits <= precision);
    fields.require(mantissa_bits >= 1 && mantissa_place + mantissa_bits <= precision);
    fields.require(sign_place < precision);
}

std::uint64_t check_type(Fields& fields, int depth);

/// Names, padded to eight bytes before version 3, then the values.
void check_enumeration(Fields& fields, std::uint64_t version, std::uint64_t members, int depth) {
    const std::uint64_t size = check_type(fields, depth + 1);
    for (std::uint64_t k = 0; k < members; ++k) {
        const std::size_t length = fields.rest().find('\0');
        fields.require(length != std::string_view::npos);
        fields.skip(version < 3 ? (length + 8) / 8 * 8 : length + 1);
    }
    fields.skip(members * size);
}

/// Returns the size of an entry of this type.
std::uint64_t check_type(Fields& fields, int depth) {
    const std::uint64_t head = fields.number(1);
    const std::uint64_t bits = fields.number(3);
    const std::uint64_t size = fields.number(4);
    const std::uint64_t version = head >> 4U;
    fields.require(version >= 1 && version <= 3 && size >= 1 && depth <= max_type_depth);
    switch (static_cast<TypeClass>(head & 15U)) {
        case TypeClass::whole:
            check_whole(fields, size);
            break;
        case TypeClass::real:
            check_real(fields, size, bits >> 8U & 255U);
            break;
        case TypeClass::string:
            break;
        case TypeClass::enumeration:
            check_enumeration(fields, version, bits & 0xFFFFU, depth);
            break;
        case TypeClass::variable_length:
            fields.require(size == 16);
            check_type(fields, depth + 1);
            break;
        default:
            throw Fault{"a type of data that neither problems nor recordings have"};
    }
    return size;
}

void check_datatype(std::string_view data) {
    Fields fields(data, "a damaged datatype");
    check_type(fields, 0);
}

// ---- extents ----------------------------------------------------------------------------------------------

/// Returns the number of entries; far too many count as the largest number.
std::uint64_t check_dataspace(std::string_view data) {
    Fields fields(data, "a damaged dataspace");
    const std::uint64_t version = fields.number(1);
    const std::uint64_t rank = fields.number(1);
    const std::uint64_t flags = fields.number(1);
    fields.require((version == 1 || version == 2) && rank <= max_rank);
    constexpr std::uint64_t nothing = 2;  // kind of dataspace, said since version 2
    const bool empty = version == 2 && fields.number(1) == nothing;
    if (version == 1) fields.skip(5);
    constexpr std::uint64_t many = std::uint64_t{1} << 62U;
    std::uint64_t entries = empty ? 0 : 1;
    for (std::uint64_t k = 0; k < rank; ++k) {
        const std::uint64_t extent = fields.number(8);
        entries = extent != 0 && entries > many / extent ? many : entries * extent;
    }
    if ((flags & 1U) != 0) fields.skip(8 * rank);                  // largest extents
    if (version == 1 && (flags & 2U) != 0) fields.skip(8 * rank);  // permutation
    return entries;
}

// ---- how data are kept ------------------------------------------------------------------------------------

void check_old_fill(std::string_view data) {
    Fields fields(data, "a damaged fill value");
    fields.skip(fields.number(4));
}

void check_fill(std::string_view data) {
    Fields fields(data, "a damaged fill value");
    const std::uint64_t version = fields.number(1);
    fields.require(version >= 1 && version <= 3);
    if (version == 3) {
        const std::uint64_t flags = fields.number(1);
        if ((flags & 0x20U) != 0) fields.skip(fields.number(4));
        return;
    }
    fields.skip(2);
    const std::uint64_t defined = fields.number(1);
    if (version == 1 || defined != 0) fields.skip(fields.number(4));
}

enum class Layout : std::uint8_t { compact = 0, contiguous = 1, chunked = 2 };

void check_old_layout(Fields& fields, const HeaderMessage& message) {
    const std::uint64_t rank = fields.number(1);
    const auto kind = static_cast<Layout>(fields.number(1));
    fields.require(rank >= 1 && rank <= max_rank + 1);
    fields.skip(5);
    if (kind != Layout::compact) fields.skip_address(message);
    for (std::uint64_t k = 0; k < rank; ++k) {
        fields.require(fields.number(4) != 0 || kind == Layout::contiguous);
    }
    if (kind == Layout::compact) fields.skip(fields.number(4));
}

/// Extents of a chunk, then what kind of index, its parameters, where it is.
void check_chunks(Fields& fields, const HeaderMessage& message) {
    constexpr std::uint64_t filtered_single =
        2;  // among the flags; its size and its filters' mask are then there
    const std::uint64_t flags = fields.number(1);
    const std::uint64_t rank = fields.number(1);
    const std::uint64_t width = fields.number(1);
    fields.require(rank >= 1 && rank <= max_rank + 1 && width >= 1 && width <= 8);
    for (std::uint64_t k = 0; k < rank; ++k) fields.require(fields.number(width) != 0);
    const std::uint64_t single = (flags & filtered_single) != 0 ? 12 : 0;
    // Single chunk, implicit, fixed array, extensible array, B-tree.
    const std::array<std::uint64_t, 6> parameter_bytes{0, single, 0, 1, 5, 6};
    const std::uint64_t kind = fields.number(1);
    fields.require(kind >= 1 && kind < parameter_bytes.size());
    fields.skip(parameter_bytes.at(kind));
    fields.skip_address(message);
}

void check_layout(const HeaderMessage& message) {
    Fields fields(message.data, "a damaged data layout");
    const std::uint64_t version = fields.number(1);
    fields.require(version >= 1 && version <= 4);
    if (version < 3) {
        check_old_layout(fields, message);
        return;
    }
    const std::uint64_t kind = fields.number(1);
    if (kind > static_cast<std::uint64_t>(Layout::chunked)) throw Fault{"data that lie in other datasets"};
    switch (static_cast<Layout>(kind)) {
        case Layout::compact:
            fields.skip(fields.number(2));
            return;
        case Layout::contiguous:
            fields.skip_address(message);
            fields.skip(8);
            return;
        case Layout::chunked:
            break;
    }
    if (version == 4) {
        check_chunks(fields, message);
        return;
    }
    const std::uint64_t rank = fields.number(1);
    fields.require(rank >= 1 && rank <= max_rank + 1);
    fields.skip_address(message);
    for (std::uint64_t k = 0; k < rank; ++k) fields.require(fields.number(4) != 0);
}

void check_filters(std::string_view data) {
    Fields fields(data, "damaged filters");
    const std::uint64_t version = fields.number(1);
    const std::uint64_t count = fields.number(1);
    fields.require((version == 1 || version == 2) && count <= 32);
    if (version == 1) fields.skip(6);
    for (std::uint64_t k = 0; k < count; ++k) {
        const std::uint64_t filter = fields.number(2);
        // 1 deflate, 2 shuffle, 3 Fletcher32
        if (filter < 1 || filter > 3) throw Fault{"a filter other than deflate, shuffle and Fletcher32"};
        const std::uint64_t name = version == 1 ? fields.number(2) : 0;
        fields.skip(2);
        const std::uint64_t values = fields.number(2);
        fields.require(name == 0 || fields.take(name).find('\0') != std::string_view::npos);
        if (version == 1) fields.require(name % 8 == 0);
        fields.skip(4 * values);
        if (version == 1 && values % 2 == 1) fields.skip(4);
    }
}

// ---- attributes, links ------------------------------------------------------------------------------------

void check_attribute(std::string_view data) {
    Fields fields(data, "a damaged attribute");
    const std::uint64_t version = fields.number(1);
    const std::uint64_t flags = fields.number(1);
    fields.require(version >= 1 && version <= 3);
    if (version > 1 && flags != 0) throw Fault{"an attribute whose type is kept elsewhere"};
    const std::uint64_t name_bytes = fields.number(2);
    const std::uint64_t type_bytes = fields.number(2);
    const std::uint64_t space_bytes = fields.number(2);
    if (version == 3) fields.skip(1);
    const auto part = [&](std::uint64_t bytes) {
        const std::string_view taken = fields.take(bytes);
        if (version == 1) fields.skip((8 - bytes % 8) % 8);
        return taken;
    };
    const std::string_view name = part(name_bytes);
    fields.require(name.find('\0') == name.size() - 1);
    Fields type(part(type_bytes), "a damaged datatype");
    const std::uint64_t entry_bytes = check_type(type, 0);
    const std::uint64_t entries = check_dataspace(part(space_bytes));
    fields.require(entries <= fields.rest().size() / entry_bytes);
}

void check_link(const HeaderMessage& message) {
    Fields fields(message.data, "a damaged link");
    fields.require(fields.number(1) == 1);
    const std::uint64_t flags = fields.number(1);
    const std::uint64_t kind = (flags & 8U) != 0 ? fields.number(1) : 0;
    if ((flags & 4U) != 0) fields.skip(8);
    if ((flags & 16U) != 0) fields.skip(1);
    const std::uint64_t name = fields.number(std::size_t{1} << (flags & 3U));
    fields.require(name >= 1);
    fields.skip(name);
    if (kind == 0) {
        fields.skip_address(message);
    } else {
        fields.skip(fields.number(2));
    }
}

void check_least(std::string_view data, std::size_t bytes) {
    Fields(data, "a header message that is too short").skip(bytes);
}

/// How links or attributes are kept where they are many: a heap, an index by name and perhaps one by age.
void check_dense(const HeaderMessage& message, std::size_t count_bytes) {
    Fields fields(message.data, "a damaged group");
    fields.skip(1);
    const std::uint64_t flags = fields.number(1);
    if ((flags & 1U) != 0) fields.skip(count_bytes);
    fields.skip_address(message);
    fields.skip_address(message);
    if ((flags & 2U) != 0) fields.skip_address(message);
}

void check_group_information(std::string_view data) {
    Fields fields(data, "a damaged group");
    fields.skip(1);
    const std::uint64_t flags = fields.number(1);
    fields.skip(((flags & 1U) != 0 ? 4 : 0) + ((flags & 2U) != 0 ? 4 : 0));
}

void check(const HeaderMessage& message) {
    constexpr std::array<std::uint64_t, 7> decoded{0x1, 0x3, 0x4, 0x5, 0x8, 0xB, 0xC};
    const bool is_decoded = std::find(decoded.begin(), decoded.end(), message.type) != decoded.end();
    if (is_decoded && (message.flags & shared_flag) != 0) throw Fault{"a message that is kept elsewhere"};
    const std::string_view data = message.data;
    switch (message.type) {
        case 0x1:
            check_dataspace(data);
            return;
        case 0x2:
            return check_dense(message, 8);
        case 0x3:
            return check_datatype(data);
        case 0x4:
            return check_old_fill(data);
        case 0x5:
            return check_fill(data);
        case 0x6:
            return check_link(message);
        case 0x7:
            throw Fault{"data that lie in other files"};
        case 0x8:
            return check_layout(message);
        case 0xA:
            return check_group_information(data);
        case 0xB:
            return check_filters(data);
        case 0xC:
            return check_attribute(data);
        case 0x10:
        case 0x11:
            return check_least(data, 16);
        case 0x12:
            return check_least(data, 8);
        case 0x15:
            return check_dense(message, 2);
        case 0x16:
            return check_least(data, 5);
        default:
            return;
    }
}

}  // namespace

std::uint64_t little_endian(std::string_view bytes, std::size_t offset, std::size_t width) {
    std::uint64_t value = 0;
    for (std::size_t k = width; k-- > 0;) {
        value = value << 8U | static_cast<unsigned char>(bytes[offset + k]);
    }
    return value;
}

std::string_view message_fault(const HeaderMessage& message) {
    try {
        check(message);
        return {};
    } catch (const Fault& fault) {
        return fault.what;
    }
}

}  // namespace uptack::hdf5

// The messages of HDF5 object headers, looked at before the library decodes them.
//
// libhdf5 1.10 reads a message's fields where they ought to be, whatever its length: a datatype, fill value,
// filter or attribute that is longer than its message is read from beyond it.  And it follows addresses so
// large that their sums overflow.  So each message that the library decodes when it opens a dataset, follows
// a link or reads an attribute must hold what it announces. What problems and recordings never have (compound
// types, data in other files, filters but deflate, shuffle and Fletcher's checksum, messages kept elsewhere)
// is refused: the less reaches the library, the better. Names are those of the HDF5 file format
// specification, version 3.0, section IV.A.2.

#pragma once

#include <cstdint>
#include <string_view>

namespace uptack::hdf5 {

/// Little-endian.  The caller sees to it that it lies inside.
std::uint64_t little_endian(std::string_view bytes, std::size_t offset, std::size_t width);

struct HeaderMessage {
    std::uint64_t type = 0;
    std::uint64_t flags = 0;
    std::string_view data;
    std::uint64_t file_bytes = 0;  ///< addresses are below this, or undefined
};

/// What is wrong with it, or empty.
std::string_view message_fault(const HeaderMessage& message);

}  // namespace uptack::hdf5

// Header messages as the HDF5 specification lays them out: whole, cut short, and made to mislead the library.

#include "hdf5/hdf5_messages.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "raw_hdf5.h"
#include "uptack/problem_file.h"

namespace uptack::test {
namespace {

using namespace std::string_literals;

const std::string int32_type = "\x10\x08\x00\x00\x04\x00\x00\x00\x00\x00\x20\x00"s;
const std::string double_type =
    "\x11\x20\x3f\x00\x08\x00\x00\x00\x00\x00\x40\x00\x34\x0b\x00\x34\xff\x03\x00\x00"s;
const std::string three_entries = "\x01\x01\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00"s;
/// "version", an int32 on a scalar: 8 + 8 + 16 + 8 bytes before the value, padded to eights.
const std::string attribute = "\x01\x00\x08\x00\x0c\x00\x08\x00version\x00"s + int32_type +
                              "\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x07\x00\x00\x00"s;

const std::string address = "\x00\x01\x00\x00\x00\x00\x00\x00"s;

struct Sample {
    std::uint64_t type;
    std::string data;
};

std::vector<Sample> samples() {
    return {
        {0x1, three_entries},
        {0x3, int32_type},
        {0x3, double_type},
        {0x4, "\x02\x00\x00\x00\x05\x05"s},
        {0x5, "\x02\x02\x02\x01\x04\x00\x00\x00\x01\x02\x03\x04"s},
        {0x5, "\x03\x29\x01\x00\x00\x00\x07"s},
        {0x2, "\x00\x00"s + std::string(16, '\xff')},
        {0x6, "\x01\x00\x03"s + "abc" + address},
        {0x8, "\x03\x01"s + address + std::string(8, '\x10')},
        {0x8, "\x03\x02\x02"s + address + "\x04\x00\x00\x00\x08\x00\x00\x00"s},
        {0xB, "\x02\x01\x01\x00\x01\x00\x01\x00\x06\x00\x00\x00"s},
        {0xC, attribute},
        {0x10, std::string(16, '\x01')},
    };
}

std::string fault(std::uint64_t type, const std::string& data, std::uint64_t flags = 0) {
    return std::string(
        hdf5::message_fault({.type = type, .flags = flags, .data = data, .file_bytes = 0x2000}));
}

TEST(Hdf5Messages, WholeOnesPassAndCutOnesDoNot) {
    for (const Sample& sample : samples()) {
        EXPECT_EQ(fault(sample.type, sample.data), "") << "type " << sample.type;
        for (std::size_t length = 0; length < sample.data.size(); ++length) {
            EXPECT_NE(fault(sample.type, sample.data.substr(0, length)), "")
                << "type " << sample.type << " cut to " << length;
        }
    }
}

std::string changed(std::string data, std::size_t place, char value) {
    data.at(place) = value;
    return data;
}

TEST(Hdf5Messages, NumbersWhoseBitsLieOutsideThemAreRefused) {
    EXPECT_EQ(fault(0x3, changed(int32_type, 10, '\x21')), "a damaged datatype");   // 33 bits of 32
    EXPECT_EQ(fault(0x3, changed(int32_type, 4, '\x40')), "a damaged datatype");    // of 64 bytes
    EXPECT_EQ(fault(0x3, changed(double_type, 12, '\x60')), "a damaged datatype");  // the exponent
    EXPECT_EQ(fault(0x3, changed(double_type, 15, '\x7f')), "a damaged datatype");  // the mantissa
    EXPECT_EQ(fault(0x3, changed(double_type, 2, '\x7f')), "a damaged datatype");   // the sign
}

TEST(Hdf5Messages, AnAttributeMustHoldWhatItAnnounces) {
    EXPECT_NE(fault(0xC, changed(attribute, 2, '\x40')), "");   // a name of 64 bytes
    EXPECT_NE(fault(0xC, changed(attribute, 4, '\x7f')), "");   // a type of 127
    EXPECT_NE(fault(0xC, changed(attribute, 15, 'x')), "");     // a name without end
    EXPECT_NE(fault(0xC, changed(attribute, 20, '\x08')), "");  // a value of 8 bytes where 4 are
}

// libhdf5 1.10 crashed in H5Lexists on the first: fuzzing found it.
TEST(Hdf5Messages, AddressesOutsideTheFileAreRefused) {
    const std::string far = "\x00\x20\x00\x00\x00\x00\x00\x00"s;
    EXPECT_NE(fault(0x2, "\x00\x00"s + address + far), "");
    EXPECT_NE(fault(0x6, "\x01\x00\x03"s + "abc" + far), "");
    EXPECT_NE(fault(0x8, "\x03\x01"s + far + address), "");
    EXPECT_NE(fault(0x15, "\x00\x00"s + far + address), "");
}

TEST(Hdf5Messages, WhatIsNotNeededIsRefused) {
    EXPECT_NE(fault(0x3, changed(int32_type, 0, '\x16')), "");       // compound
    EXPECT_NE(fault(0x3, int32_type, 2), "");                        // shared
    EXPECT_NE(fault(0x7, std::string(16, '\0')), "");                // external files
    EXPECT_NE(fault(0x8, "\x04\x03"s + std::string(16, '\0')), "");  // virtual
    EXPECT_NE(fault(0xB, "\x02\x01\x05\x00\x01\x00\x00\x00"s), "");  // n-bit filter
    EXPECT_EQ(fault(0x7F, std::string()), "");                       // nobody decodes it
}

// The same in a file: an integer type of the old layout, turned into a compound one of 0x3f20 members.
TEST(Hdf5Messages, AMisleadingTypeInAFileIsRefusedBeforeTheLibrarySeesIt) {
    const ScratchFolder folder;
    {
        RawFile file(folder / "file", RawFile::Mode::create);
        file.group("fclib_local");
        file.group("fclib_local/vectors");
        file.ints("fclib_local/spacedim", {3});
        put_matrix(file, "fclib_local/W",
                   {.m = 3, .n = 3, .nz = -2, .p = {0, 1, 2, 3}, .i = {0, 1, 2}, .x = {1.0, 2.0, 3.0}});
        file.doubles("fclib_local/vectors/q", {1.0, -2.0, 0.5});
        file.doubles("fclib_local/vectors/mu", {0.5});
    }
    EXPECT_NO_THROW(read_problem(folder / "file"));
    const std::vector<char> bytes = file_bytes(folder / "file");
    std::string text(bytes.begin(), bytes.end());
    int found = 0;
    for (std::size_t at = text.find(double_type); at != std::string::npos;
         at = text.find(double_type, at + 1)) {
        std::vector<char> hostile = bytes;
        hostile[at] = '\x16';
        write_bytes(folder / "hostile", hostile);
        const std::string said = input_error([&] { read_problem(folder / "hostile"); });
        EXPECT_NE(said.find("a type of data that neither"), std::string::npos) << said;
        ++found;
    }
    EXPECT_EQ(found, 3);
}

}  // namespace
}  // namespace uptack::test

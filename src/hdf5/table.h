// Tables that grow row by row in a file that opens at any moment, even after its writer was killed.
//
// A GrowingFile is made in two phases.  Before start() groups, attributes and tables are created; after it,
// HDF5's single-writer mode is on: rows may be added and overwritten, nothing else, and whatever reached the
// disk at the last flush() can be read by an InputFile, with the writer alive or not.

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hdf5_file.h"

namespace uptack::hdf5 {

enum class Number : std::uint8_t { u8, i32, i64, u64, f32, f64 };

std::size_t bytes_of(Number number);

template <class T>
constexpr Number number_of();
template <>
constexpr Number number_of<std::uint8_t>() {
    return Number::u8;
}
template <>
constexpr Number number_of<std::int32_t>() {
    return Number::i32;
}
template <>
constexpr Number number_of<std::int64_t>() {
    return Number::i64;
}
template <>
constexpr Number number_of<std::uint64_t>() {
    return Number::u64;
}
template <>
constexpr Number number_of<float>() {
    return Number::f32;
}
template <>
constexpr Number number_of<double>() {
    return Number::f64;
}

/// What one row of a table is: `inner` are the dimensions after the first, none for a plain list.
struct TableShape {
    Number number = Number::f64;
    std::vector<std::int64_t> inner;
    std::int64_t values_per_row() const;
    std::size_t bytes_per_row() const;
};

struct TableStorage {
    std::int64_t chunk_rows = 1024;
    int compression = 0;  ///< gzip level; 0: rows can be overwritten in place, and the file does not grow
};

class GrowingFile {
public:
    /// Creates `path` or empties it.
    explicit GrowingFile(const std::filesystem::path& path);

    void create_group(const std::string& name);
    void write_attribute(const std::string& name, int value);  ///< of the root
    void write_attribute(const std::string& name, const std::string& text);
    /// Bytes, compressed: texts of any length.
    void write_bytes(const std::string& name, std::string_view bytes, int compression);

    void start();
    void flush();
    void close();
    /// Names the file in errors from now on; it has been renamed.
    void moved_to(const std::filesystem::path& path) { path_ = path; }

    void check(herr_t status, const std::string& name) const;
    hid_t id() const { return file_.get(); }

private:
    std::filesystem::path path_;
    Quiet quiet_;
    Handle file_;
};

/// Rows wait in memory until they fill a chunk, which then is compressed and written once.
class OutputTable {
public:
    OutputTable(GrowingFile& file, const std::string& name, TableShape shape, const TableStorage& storage);

    std::int64_t rows() const { return written_ + waiting_rows(); }
    /// A whole number of rows.
    template <class T>
    void append(std::span<const T> values) {
        append_bytes(number_of<T>(), std::as_bytes(values));
    }
    template <class T>
    void append(const T& value) {
        append(std::span<const T>(&value, 1));
    }
    void append_bytes(Number number, std::span<const std::byte> bytes);
    /// Replaces rows from `first` on, making room where needed; nothing may be waiting.
    template <class T>
    void overwrite(std::int64_t first, std::span<const T> values) {
        overwrite_bytes(number_of<T>(), first, std::as_bytes(values));
    }
    void write_waiting();
    std::uint64_t stored_bytes() const;
    /// write_waiting(), and this table's data go to the operating system.
    void flush();

private:
    std::int64_t waiting_rows() const;
    void overwrite_bytes(Number number, std::int64_t first, std::span<const std::byte> bytes);
    void write_rows(std::int64_t first, std::span<const std::byte> bytes);

    GrowingFile* file_;
    std::string name_;
    TableShape shape_;
    std::int64_t chunk_rows_;
    Handle dataset_;
    std::int64_t extent_ = 0;
    std::int64_t written_ = 0;
    std::vector<std::byte> waiting_;
};

/// Checked once when opened: its shape is the expected one and `rows` rows could really be stored there.  The
/// dataset may be longer: a writer that was cut off leaves rows behind those that count.
class InputTable {
public:
    InputTable(const InputFile& file, const std::string& name, TableShape shape, std::int64_t rows);

    std::int64_t rows() const { return rows_; }
    template <class T>
    void read(std::int64_t first, std::span<T> values) const {
        read_bytes(number_of<T>(), first, std::as_writable_bytes(values));
    }
    void read_bytes(Number number, std::int64_t first, std::span<std::byte> bytes) const;

private:
    const InputFile* file_;
    std::string name_;
    TableShape shape_;
    Handle dataset_;
    std::int64_t rows_ = 0;
};

}  // namespace uptack::hdf5

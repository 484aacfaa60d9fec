// HDF5 files without its C API's habits: handles close themselves, failures are InputErrors that name file
// and dataset, and nothing is allocated before the file has been asked whether it really holds that much.
//
// Reading refuses what could make a small file cost much or reach elsewhere: data in other files (external,
// virtual), data that were never written, compression beyond what deflate can do.
// HDF5's own message printing is off while a file is open here, and its exit handler is off if it was not
// installed before.  Not for two threads at once.

#pragma once

#include <hdf5.h>

#include <cstdint>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "uptack/input_error.h"
#include "uptack/output_file.h"

namespace uptack::hdf5 {

class Handle {
public:
    using Close = herr_t (*)(hid_t);

    Handle() = default;
    Handle(hid_t id, Close how) : id_(id), close_(how) {}
    Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
    Handle& operator=(Handle&& other) noexcept {
        std::swap(id_, other.id_);
        std::swap(close_, other.close_);
        return *this;
    }
    ~Handle() { close(); }

    hid_t get() const { return id_; }
    bool valid() const { return id_ >= 0; }
    herr_t close() { return id_ < 0 ? 0 : close_(std::exchange(id_, -1)); }

private:
    hid_t id_ = -1;
    Close close_ = nullptr;
};

/// Restores the caller's error printing when the last one goes: files are not closed in the order in which
/// they were opened.
class Quiet {
public:
    Quiet();
    ~Quiet();
    Quiet(const Quiet&) = delete;
    Quiet& operator=(const Quiet&) = delete;

private:
    static inline int count_ = 0;
    static inline H5E_auto2_t function_ = nullptr;
    static inline void* data_ = nullptr;
};

/// Why the last call failed: the system's reason, or else what HDF5 itself says, without its stack.
std::string last_failure();

/// `what` could not be written into the file at `path`, for the reason of the last failure.
InputError write_error(const std::filesystem::path& path, const std::string& what);

/// Some columns of a table of doubles that lies in memory with `stride` doubles from one row to the next.
template <class Double>
struct Columns {
    Double* first = nullptr;
    std::int64_t rows = 0;
    int columns = 0;
    int stride = 0;
};

/// Throws InputError with the system's reason where a file cannot be opened: that is no damage.
void check_readable(const std::filesystem::path& path);

class InputFile {
public:
    /// Also opens a file that is being written in the single-writer mode, or whose writer was cut off.
    explicit InputFile(const std::filesystem::path& path);

    /// Does every part of "group/group/dataset" exist?
    bool contains(const std::string& name) const;

    std::int64_t length(const std::string& name) const;             ///< of a rank 1 dataset
    std::int64_t rows(const std::string& name, int columns) const;  ///< of a rank 2 dataset

    /// The first entries of a rank 1 dataset, as many as the span holds.
    void read(const std::string& name, std::span<int> values) const;
    void read(const std::string& name, std::span<std::int64_t> values) const;
    void read(const std::string& name, std::span<unsigned char> values) const;
    void read(const std::string& name, std::span<double> values) const;

    /// A whole rank 2 dataset.
    void read(const std::string& name, const Columns<double>& values) const;

    int read_int(const std::string& name) const;
    int read_attribute(const std::string& group, const std::string& name) const;
    /// A fixed-length string on the root; empty where there is none.
    std::string read_text_attribute(const std::string& name) const;

    /// A fixed-length string up to its first NUL; empty for other kinds of string.
    std::string read_text(const std::string& name, std::int64_t max_bytes) const;

    InputError error(const std::string& name, const std::string& message) const;
    const std::filesystem::path& path() const { return path_; }

private:
    friend class InputTable;
    /// Before anything is opened: what the library would decode must be sound.
    void check_linked(const std::string& name) const;
    Handle open_any_dataset(const std::string& name) const;
    Handle open_dataset(const std::string& name) const;
    /// Could so many entries be stored there?
    void check_storage(const std::string& name, hid_t dataset, std::int64_t entries) const;
    void check_class(const std::string& name, hid_t dataset, hid_t memory_type) const;
    void read_prefix(const std::string& name, hid_t memory_type, void* values, std::int64_t count) const;

    std::filesystem::path path_;
    std::uintmax_t size_ = 0;  // of the file [bytes]
    Quiet quiet_;
    Handle file_;
    mutable std::set<std::uint64_t> checked_;   // addresses of objects
    mutable std::set<std::string> unfiltered_;  // datasets whose chunks have been looked at
    Handle own_links_;  // access properties under which links to other files are not followed
};

/// commit() makes it NAME.  Without commit nothing stays behind.
class OutputFile {
public:
    explicit OutputFile(const std::filesystem::path& path);

    void create_group(const std::string& name);
    void write(const std::string& name, std::span<const int> values);
    void write(const std::string& name, std::span<const std::int64_t> values);
    void write(const std::string& name, std::span<const unsigned char> values);
    void write(const std::string& name, std::span<const double> values);
    void write(const std::string& name, const Columns<const double>& values);
    void write_text(const std::string& name, const std::string& text);
    void write_attribute(const std::string& group, const std::string& name, int value);

    void commit();

private:
    Handle create_dataset(const std::string& name, hid_t file_type, hid_t space);
    void check(herr_t status, const std::string& name) const;
    void write_all(const std::string& name, hid_t file_type, hid_t memory_type,
                   std::span<const std::byte> bytes);

    std::filesystem::path path_;
    OutputDraft draft_;  // outlives what is open in it
    Quiet quiet_;
    Handle file_;
};

}  // namespace uptack::hdf5

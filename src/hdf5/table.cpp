#include "table.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <functional>
#include <numeric>

namespace uptack::hdf5 {
namespace {

// Beyond this a chunk no longer compresses better, and reading one body's row would cost too much.
constexpr std::int64_t max_chunk_bytes = 256 * 1024;

hid_t memory_type(Number number) {
    switch (number) {
        case Number::u8:
            return H5T_NATIVE_UINT8;
        case Number::i32:
            return H5T_NATIVE_INT32;
        case Number::i64:
            return H5T_NATIVE_INT64;
        case Number::u64:
            return H5T_NATIVE_UINT64;
        case Number::f32:
            return H5T_NATIVE_FLOAT;
        case Number::f64:
            return H5T_NATIVE_DOUBLE;
    }
    return -1;
}

hid_t stored_type(Number number) {
    switch (number) {
        case Number::u8:
            return H5T_STD_U8LE;
        case Number::i32:
            return H5T_STD_I32LE;
        case Number::i64:
            return H5T_STD_I64LE;
        case Number::u64:
            return H5T_STD_U64LE;
        case Number::f32:
            return H5T_IEEE_F32LE;
        case Number::f64:
            return H5T_IEEE_F64LE;
    }
    return -1;
}

std::vector<hsize_t> extent_of(const TableShape& shape, std::int64_t rows) {
    std::vector<hsize_t> extent{static_cast<hsize_t>(rows)};
    for (const std::int64_t size : shape.inner) extent.push_back(static_cast<hsize_t>(size));
    return extent;
}

// As many rows as asked for while a chunk stays small; of rows that alone are too long, a part.
std::vector<hsize_t> chunk_of(const TableShape& shape, std::int64_t rows) {
    std::vector<hsize_t> chunk = extent_of(shape, std::max<std::int64_t>(rows, 1));
    const auto bytes_of_one = static_cast<std::int64_t>(shape.bytes_per_row());
    if (bytes_of_one > max_chunk_bytes && chunk.size() > 1) {
        const std::int64_t parts = (bytes_of_one + max_chunk_bytes - 1) / max_chunk_bytes;
        chunk[1] = static_cast<hsize_t>((shape.inner[0] + parts - 1) / parts);
    }
    return chunk;
}

// Selects `count` rows from `first` of the dataset's present extent.
Handle row_space(hid_t dataset, const TableShape& shape, std::int64_t first, std::int64_t count) {
    Handle space(H5Dget_space(dataset), H5Sclose);
    std::vector<hsize_t> start(shape.inner.size() + 1, 0);
    start[0] = static_cast<hsize_t>(first);
    const std::vector<hsize_t> extent = extent_of(shape, count);
    H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, extent.data(), nullptr);
    return space;
}

Handle memory_space(std::size_t values) {
    const auto extent = static_cast<hsize_t>(values);
    return {H5Screate_simple(1, &extent, nullptr), H5Sclose};
}

Handle dataset_properties(std::span<const hsize_t> chunk, int compression) {
    Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_obj_track_times(properties.get(), false);
    H5Pset_chunk(properties.get(), static_cast<int>(chunk.size()), chunk.data());
    if (compression > 0) {
        H5Pset_shuffle(properties.get());
        H5Pset_deflate(properties.get(), static_cast<unsigned>(compression));
    }
    return properties;
}

}  // namespace

std::size_t bytes_of(Number number) {
    switch (number) {
        case Number::u8:
            return 1;
        case Number::i32:
        case Number::f32:
            return 4;
        case Number::i64:
        case Number::u64:
        case Number::f64:
            return 8;
    }
    return 0;
}

std::int64_t TableShape::values_per_row() const {
    return std::accumulate(inner.begin(), inner.end(), std::int64_t{1}, std::multiplies<>());
}

std::size_t TableShape::bytes_per_row() const {
    return static_cast<std::size_t>(values_per_row()) * bytes_of(number);
}

GrowingFile::GrowingFile(const std::filesystem::path& path) : path_(path) {
    // Created by hand first: the system's reason is clearer than HDF5's.
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor < 0) {
        throw InputError(path.string(),
                         fmt::format("cannot be created ({}); choose a folder that exists and may be written",
                                     std::strerror(errno)));
    }
    ::close(descriptor);
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_V110);  // the single-writer mode needs it
#if H5_VERSION_GE(1, 10, 7)
    H5Pset_file_locking(access.get(), false, true);  // network folders may have none
#endif
    const Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
    H5Pset_obj_track_times(creation.get(), false);
    file_ = Handle(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.get(), access.get()), H5Fclose);
    check(file_.valid() ? 0 : -1, "the file");
}

void GrowingFile::check(herr_t status, const std::string& name) const {
    if (status < 0) throw write_error(path_, name);
}

void GrowingFile::create_group(const std::string& name) {
    const Handle properties(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
    H5Pset_obj_track_times(properties.get(), false);
    const Handle group(H5Gcreate2(id(), name.c_str(), H5P_DEFAULT, properties.get(), H5P_DEFAULT), H5Gclose);
    check(group.valid() ? 0 : -1, name);
}

void GrowingFile::write_attribute(const std::string& name, int value) {
    const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    const Handle attribute(
        H5Acreate2(id(), name.c_str(), H5T_STD_I32LE, space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    check(attribute.valid() ? H5Awrite(attribute.get(), H5T_NATIVE_INT, &value) : -1, name);
}

void GrowingFile::write_attribute(const std::string& name, const std::string& text) {
    const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    check(H5Tset_size(type.get(), text.size() + 1), name);
    check(H5Tset_cset(type.get(), H5T_CSET_UTF8), name);
    const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    const Handle attribute(H5Acreate2(id(), name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
                           H5Aclose);
    check(attribute.valid() ? H5Awrite(attribute.get(), type.get(), text.c_str()) : -1, name);
}

void GrowingFile::write_bytes(const std::string& name, std::string_view bytes, int compression) {
    constexpr std::size_t chunk_bytes = 64 * 1024;
    const hsize_t extent = bytes.size();
    const Handle space(H5Screate_simple(1, &extent, nullptr), H5Sclose);
    const hsize_t chunk = std::clamp<std::size_t>(bytes.size(), 1, chunk_bytes);
    Handle properties;
    if (bytes.empty()) {
        properties = Handle(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    } else {
        properties = dataset_properties(std::span(&chunk, 1), compression);
    }
    Handle dataset(
        H5Dcreate2(id(), name.c_str(), H5T_STD_U8LE, space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT),
        H5Dclose);
    check(dataset.valid() ? 0 : -1, name);
    if (!bytes.empty()) {
        check(H5Dwrite(dataset.get(), H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), name);
    }
    check(dataset.close(), name);
}

void GrowingFile::start() {
    flush();
    check(H5Fstart_swmr_write(id()), "the file");
}

void GrowingFile::flush() {
    check(H5Fflush(id(), H5F_SCOPE_LOCAL), "the file");
}

void GrowingFile::close() {
    check(file_.close(), "the file");
}

OutputTable::OutputTable(GrowingFile& file, const std::string& name, TableShape shape,
                         const TableStorage& storage)
    : file_(&file), name_(name), shape_(std::move(shape)), chunk_rows_(storage.chunk_rows) {
    std::vector<hsize_t> most = extent_of(shape_, 0);
    const std::vector<hsize_t> nothing = most;
    most[0] = H5S_UNLIMITED;
    const Handle space(H5Screate_simple(static_cast<int>(most.size()), nothing.data(), most.data()),
                       H5Sclose);
    const Handle properties = dataset_properties(chunk_of(shape_, chunk_rows_), storage.compression);
    dataset_ = Handle(H5Dcreate2(file.id(), name.c_str(), stored_type(shape_.number), space.get(),
                                 H5P_DEFAULT, properties.get(), H5P_DEFAULT),
                      H5Dclose);
    file.check(dataset_.valid() ? 0 : -1, name);
    waiting_.reserve(static_cast<std::size_t>(chunk_rows_) * shape_.bytes_per_row());
}

std::int64_t OutputTable::waiting_rows() const {
    return static_cast<std::int64_t>(waiting_.size() / shape_.bytes_per_row());
}

void OutputTable::append_bytes(Number number, std::span<const std::byte> bytes) {
    if (number != shape_.number || bytes.size() % shape_.bytes_per_row() != 0) {
        throw std::logic_error("rows of another shape for " + name_);
    }
    while (!bytes.empty()) {
        const std::int64_t space = chunk_rows_ - rows() % chunk_rows_;
        const std::size_t taken =
            std::min(bytes.size(), static_cast<std::size_t>(space) * shape_.bytes_per_row());
        waiting_.insert(waiting_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(taken));
        bytes = bytes.subspan(taken);
        if (rows() % chunk_rows_ == 0) write_waiting();
    }
}

void OutputTable::write_waiting() {
    if (waiting_.empty()) return;
    const std::int64_t added = waiting_rows();
    write_rows(written_, waiting_);
    written_ += added;
    waiting_.clear();
}

std::uint64_t OutputTable::stored_bytes() const {
    return H5Dget_storage_size(dataset_.get());
}

void OutputTable::flush() {
    write_waiting();
    file_->check(H5Dflush(dataset_.get()), name_);
}

void OutputTable::overwrite_bytes(Number number, std::int64_t first, std::span<const std::byte> bytes) {
    if (number != shape_.number || bytes.size() % shape_.bytes_per_row() != 0 || !waiting_.empty()) {
        throw std::logic_error("rows of another shape for " + name_);
    }
    if (bytes.empty()) return;
    write_rows(first, bytes);
    written_ = std::max(written_, extent_);
}

void OutputTable::write_rows(std::int64_t first, std::span<const std::byte> bytes) {
    const auto count = static_cast<std::int64_t>(bytes.size() / shape_.bytes_per_row());
    if (first + count > extent_) {
        extent_ = first + count;
        file_->check(H5Dset_extent(dataset_.get(), extent_of(shape_, extent_).data()), name_);
    }
    const Handle file_space = row_space(dataset_.get(), shape_, first, count);
    const Handle values = memory_space(bytes.size() / bytes_of(shape_.number));
    file_->check(H5Dwrite(dataset_.get(), memory_type(shape_.number), values.get(), file_space.get(),
                          H5P_DEFAULT, bytes.data()),
                 name_);
}

InputTable::InputTable(const InputFile& file, const std::string& name, TableShape shape, std::int64_t rows)
    : file_(&file),
      name_(name),
      shape_(std::move(shape)),
      dataset_(file.open_any_dataset(name)),
      rows_(rows) {
    file.check_class(name, dataset_.get(), memory_type(shape_.number));
    const Handle space(H5Dget_space(dataset_.get()), H5Sclose);
    const int rank = H5Sget_simple_extent_ndims(space.get());
    const int wanted = static_cast<int>(shape_.inner.size()) + 1;
    if (rank != wanted) throw file.error(name, fmt::format("has {} dimensions, expected {}", rank, wanted));
    std::vector<hsize_t> extent(static_cast<std::size_t>(rank));
    H5Sget_simple_extent_dims(space.get(), extent.data(), nullptr);
    for (std::size_t k = 0; k < shape_.inner.size(); ++k) {
        if (extent[k + 1] == static_cast<hsize_t>(shape_.inner[k])) continue;
        throw file.error(name, fmt::format("has {} entries along dimension {}, expected {}", extent[k + 1],
                                           k + 2, shape_.inner[k]));
    }
    if (extent[0] < static_cast<hsize_t>(rows)) {
        throw file.error(name, fmt::format("has {} rows, expected at least {}", extent[0], rows));
    }
    file.check_storage(name, dataset_.get(), rows * shape_.values_per_row());
}

void InputTable::read_bytes(Number number, std::int64_t first, std::span<std::byte> bytes) const {
    const auto count = static_cast<std::int64_t>(bytes.size() / shape_.bytes_per_row());
    if (number != shape_.number || bytes.size() % shape_.bytes_per_row() != 0) {
        throw std::logic_error("rows of another shape from " + name_);
    }
    if (count == 0) return;
    if (first < 0 || first > rows_ - count) {
        throw file_->error(
            name_, fmt::format("has {} rows; rows {} to {} were expected", rows_, first, first + count - 1));
    }
    const Handle file_space = row_space(dataset_.get(), shape_, first, count);
    const Handle values = memory_space(bytes.size() / bytes_of(shape_.number));
    if (H5Dread(dataset_.get(), memory_type(shape_.number), values.get(), file_space.get(), H5P_DEFAULT,
                bytes.data()) < 0) {
        throw file_->error(name_, fmt::format("cannot be read ({})", last_failure()));
    }
}

}  // namespace uptack::hdf5

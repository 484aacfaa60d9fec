#include "hdf5_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

#include "chunk_check.h"
#include "hdf5_structure.h"

namespace uptack::hdf5 {
namespace {

// Deflate cannot shrink data more than 1032-fold; what claims more has never been written in full.
constexpr std::uint64_t max_compression = 1032;

struct Failure {
    std::string innermost;  ///< as HDF5 says it
    int system_error = 0;   ///< errno, where the system refused
};

// The reason of the system stands in the middle of buffers, offsets and dates: "..., errno = 28, ...".
herr_t look_at_failure(unsigned depth, const H5E_error2_t* entry, void* data) {
    constexpr std::string_view mark = "errno = ";
    auto& failure = *static_cast<Failure*>(data);
    if (entry->desc == nullptr) return 0;
    if (depth == 0) failure.innermost = entry->desc;
    const char* found = std::strstr(entry->desc, mark.data());
    if (found != nullptr && failure.system_error == 0) failure.system_error = std::atoi(found + mark.size());
    return 0;
}

Failure take_failure() {
    Failure failure;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, look_at_failure, &failure);
    H5Eclear2(H5E_DEFAULT);
    return failure;
}

std::string in_words(const Failure& failure) {
    if (failure.system_error != 0) return std::strerror(failure.system_error);
    if (failure.innermost.empty()) return "HDF5 does not say why";
    std::string text = failure.innermost;
    for (char& c : text) {
        if (c < ' ' || c > '~') c = '?';
    }
    return text;
}

bool is_contiguous(hid_t dataset) {
    const Handle properties(H5Dget_create_plist(dataset), H5Pclose);
    const H5D_layout_t layout = H5Pget_layout(properties.get());
    return layout == H5D_CONTIGUOUS || layout == H5D_COMPACT;
}

bool lies_elsewhere(hid_t dataset) {
    const Handle properties(H5Dget_create_plist(dataset), H5Pclose);
    return H5Pget_layout(properties.get()) == H5D_VIRTUAL || H5Pget_external_count(properties.get()) > 0;
}

// HDF5 dictates the seven parameters.
// NOLINTNEXTLINE(readability-function-size)
herr_t refuse_link(const char*, const char*, const char*, const char*, unsigned*, hid_t, void*) {
    return -1;
}

// One dimension, of which the columns are taken and the rest of each stride is left alone.
template <class Double>
Handle strided_space(const Columns<Double>& table) {
    const auto rows = static_cast<hsize_t>(table.rows);
    const auto stride = static_cast<hsize_t>(table.stride);
    const auto columns = static_cast<hsize_t>(table.columns);
    const hsize_t extent = (rows - 1) * stride + columns;
    const hsize_t start = 0;
    Handle space(H5Screate_simple(1, &extent, nullptr), H5Sclose);
    if (columns < stride) {
        H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, &start, &stride, &rows, &columns);
    }
    return space;
}

}  // namespace

std::string last_failure() {
    return in_words(take_failure());
}

InputError write_error(const std::filesystem::path& path, const std::string& what) {
    const Failure failure = take_failure();
    if (failure.system_error != 0) return output_error(path, failure.system_error);
    return {path.string(), fmt::format("cannot write {} ({}); is the disk full?", what, in_words(failure))};
}

Quiet::Quiet() {
    // A damaged file can leave HDF5 with something it cannot close, and its exit handler then prints about
    // it. Nothing needs that handler: files written here are closed before they count as written.
    static const herr_t no_exit_handler = H5dont_atexit();
    static_cast<void>(no_exit_handler);
    if (count_++ > 0) return;
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Quiet::~Quiet() {
    if (--count_ == 0) H5Eset_auto2(H5E_DEFAULT, function_, data_);
}

void check_readable(const std::filesystem::path& path) {
    // Without waiting for whoever may be at the other end of a pipe.
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) {
        throw InputError(
            path.string(),
            fmt::format("cannot be opened ({}); check the path and the permissions", std::strerror(errno)));
    }
    ::close(descriptor);
}

InputFile::InputFile(const std::filesystem::path& path) : path_(path) {
    std::error_code failure;
    size_ = std::filesystem::file_size(path, failure);
    if (failure) throw InputError(path.string(), fmt::format("cannot be read ({})", failure.message()));
    check_readable(path);
    check_structure(path);
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
#if H5_VERSION_GE(1, 10, 7)
    // Files appear whole, by renaming; a lock would only fail on network folders that have none.
    H5Pset_file_locking(access.get(), false, true);
#endif
    file_ = Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose);
    if (!file_.valid()) {
        const std::string why = last_failure();
        // HDF5 waits twice as long before each further look at what a writer may be in the middle of: 20
        // looks are a millisecond, its default of 100 would never end on a damaged file.
        H5Pset_metadata_read_attempts(access.get(), 20);
        file_ = Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access.get()), H5Fclose);
        if (!file_.valid()) {
            throw InputError(path.string(), fmt::format("not a readable HDF5 file ({}); it may be cut short "
                                                        "or damaged, so copy or make it again",
                                                        why));
        }
    }
    own_links_ = Handle(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
    H5Pset_elink_cb(own_links_.get(), refuse_link, nullptr);
}

InputError InputFile::error(const std::string& name, const std::string& message) const {
    return InputError(fmt::format("{}:/{}", path_.string(), name), message);
}

bool InputFile::contains(const std::string& name) const {
    for (std::size_t end = name.find('/');; end = name.find('/', end + 1)) {
        const std::string part = name.substr(0, end);
        if (H5Lexists(file_.get(), part.c_str(), own_links_.get()) <= 0) return false;
        check_linked(part);
        if (end == std::string::npos) return true;
    }
}

void InputFile::check_linked(const std::string& name) const {
    H5L_info_t link{};
    if (H5Lget_info(file_.get(), name.c_str(), &link, own_links_.get()) < 0 || link.type != H5L_TYPE_HARD) {
        throw error(name, "a link that leads elsewhere; put the data themselves there");
    }
    if (checked_.insert(link.u.address).second) check_object(path_, link.u.address);
}

Handle InputFile::open_any_dataset(const std::string& name) const {
    if (!contains(name)) throw error(name, "missing dataset");
    Handle dataset(H5Dopen2(file_.get(), name.c_str(), own_links_.get()), H5Dclose);
    if (!dataset.valid())
        throw error(name, fmt::format("cannot be opened as a dataset ({})", last_failure()));
    return dataset;
}

Handle InputFile::open_dataset(const std::string& name) const {
    Handle dataset = open_any_dataset(name);
    const Handle space(H5Dget_space(dataset.get()), H5Sclose);
    check_storage(name, dataset.get(), H5Sget_simple_extent_npoints(space.get()));
    if (unfiltered_.insert(name).second) {
        const std::string_view fault = chunks_fault(dataset.get());
        if (!fault.empty()) throw error(name, fmt::format("damaged dataset ({})", fault));
    }
    return dataset;
}

void InputFile::check_storage(const std::string& name, hid_t dataset, std::int64_t entries) const {
    if (lies_elsewhere(dataset)) throw error(name, "its data lie in other files; that is not read");
    const Handle type(H5Dget_type(dataset), H5Tclose);
    const std::size_t entry_bytes = H5Tget_size(type.get());
    if (entries < 0 || entry_bytes == 0)
        throw error(name, fmt::format("damaged dataset ({})", last_failure()));

    const std::uint64_t stored = H5Dget_storage_size(dataset);
    const std::uint64_t held =
        is_contiguous(dataset) ? stored / entry_bytes : stored * max_compression / entry_bytes;
    if (stored > size_ || held < static_cast<std::uint64_t>(entries)) {
        throw error(name, fmt::format("claims {} entries of {} bytes, but only {} bytes are stored", entries,
                                      entry_bytes, stored));
    }
}

void InputFile::check_class(const std::string& name, hid_t dataset, hid_t memory_type) const {
    const Handle type(H5Dget_type(dataset), H5Tclose);
    const H5T_class_t found = H5Tget_class(type.get());
    const H5T_class_t wanted = H5Tget_class(memory_type);
    // Whole numbers may stand for reals; reals cut down to whole numbers would hide a mistake.
    if (found == wanted || (found == H5T_INTEGER && wanted == H5T_FLOAT)) return;
    throw error(name, wanted == H5T_INTEGER ? "expected whole numbers" : "expected numbers");
}

std::int64_t InputFile::length(const std::string& name) const {
    const Handle dataset = open_dataset(name);
    const Handle space(H5Dget_space(dataset.get()), H5Sclose);
    const int rank = H5Sget_simple_extent_ndims(space.get());
    if (rank != 1) throw error(name, fmt::format("has {} dimensions, expected 1", rank));
    return H5Sget_simple_extent_npoints(space.get());
}

std::int64_t InputFile::rows(const std::string& name, int columns) const {
    const Handle dataset = open_dataset(name);
    const Handle space(H5Dget_space(dataset.get()), H5Sclose);
    const int rank = H5Sget_simple_extent_ndims(space.get());
    if (rank != 2) throw error(name, fmt::format("has {} dimensions, expected 2", rank));
    std::array<hsize_t, 2> extent{};
    H5Sget_simple_extent_dims(space.get(), extent.data(), nullptr);
    if (extent[1] != static_cast<hsize_t>(columns)) {
        throw error(name, fmt::format("has {} columns, expected {}", extent[1], columns));
    }
    return static_cast<std::int64_t>(extent[0]);
}

void InputFile::read_prefix(const std::string& name, hid_t memory_type, void* values,
                            std::int64_t count) const {
    const std::int64_t available = length(name);
    if (available < count) {
        throw error(name, fmt::format("has {} entries, expected at least {}", available, count));
    }
    if (count == 0) return;
    const Handle dataset = open_dataset(name);
    check_class(name, dataset.get(), memory_type);
    const Handle file_space(H5Dget_space(dataset.get()), H5Sclose);
    const auto extent = static_cast<hsize_t>(count);
    const hsize_t start = 0;
    H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, &start, nullptr, &extent, nullptr);
    const Handle memory_space(H5Screate_simple(1, &extent, nullptr), H5Sclose);
    if (H5Dread(dataset.get(), memory_type, memory_space.get(), file_space.get(), H5P_DEFAULT, values) < 0) {
        throw error(name, fmt::format("cannot be read ({})", last_failure()));
    }
}

void InputFile::read(const std::string& name, std::span<int> values) const {
    read_prefix(name, H5T_NATIVE_INT, values.data(), std::ssize(values));
}

void InputFile::read(const std::string& name, std::span<std::int64_t> values) const {
    read_prefix(name, H5T_NATIVE_INT64, values.data(), std::ssize(values));
}

void InputFile::read(const std::string& name, std::span<unsigned char> values) const {
    read_prefix(name, H5T_NATIVE_UCHAR, values.data(), std::ssize(values));
}

void InputFile::read(const std::string& name, std::span<double> values) const {
    read_prefix(name, H5T_NATIVE_DOUBLE, values.data(), std::ssize(values));
}

void InputFile::read(const std::string& name, const Columns<double>& values) const {
    const std::int64_t found = rows(name, values.columns);
    if (found != values.rows) {
        throw error(name, fmt::format("has {} rows, expected {}", found, values.rows));
    }
    if (found == 0) return;
    const Handle dataset = open_dataset(name);
    check_class(name, dataset.get(), H5T_NATIVE_DOUBLE);
    const Handle memory_space = strided_space(values);
    if (H5Dread(dataset.get(), H5T_NATIVE_DOUBLE, memory_space.get(), H5S_ALL, H5P_DEFAULT, values.first) <
        0) {
        throw error(name, fmt::format("cannot be read ({})", last_failure()));
    }
}

int InputFile::read_int(const std::string& name) const {
    int value = 0;
    read(name, std::span(&value, 1));
    return value;
}

int InputFile::read_attribute(const std::string& group, const std::string& name) const {
    if (group != "/" && !contains(group))
        throw error(group, "missing group");  // the root was checked on opening
    const Handle attribute(
        H5Aopen_by_name(file_.get(), group.c_str(), name.c_str(), H5P_DEFAULT, own_links_.get()), H5Aclose);
    if (!attribute.valid()) throw error(group, fmt::format("attribute '{}' is missing", name));
    const Handle space(H5Aget_space(attribute.get()), H5Sclose);
    const Handle type(H5Aget_type(attribute.get()), H5Tclose);
    int value = 0;
    if (H5Sget_simple_extent_npoints(space.get()) != 1 || H5Tget_class(type.get()) != H5T_INTEGER ||
        H5Aread(attribute.get(), H5T_NATIVE_INT, &value) < 0) {
        throw error(group, fmt::format("attribute '{}' is not one whole number", name));
    }
    return value;
}

std::string InputFile::read_text_attribute(const std::string& name) const {
    const Handle attribute(H5Aopen(file_.get(), name.c_str(), H5P_DEFAULT), H5Aclose);
    if (!attribute.valid()) {
        H5Eclear2(H5E_DEFAULT);
        return {};
    }
    const Handle space(H5Aget_space(attribute.get()), H5Sclose);
    const Handle type(H5Aget_type(attribute.get()), H5Tclose);
    if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) != 0 ||
        H5Sget_simple_extent_npoints(space.get()) != 1 || std::cmp_greater(H5Tget_size(type.get()), size_)) {
        return {};
    }
    std::string text(H5Tget_size(type.get()), '\0');
    if (H5Aread(attribute.get(), type.get(), text.data()) < 0) return {};
    text.resize(std::strlen(text.c_str()));
    return text;
}

std::string InputFile::read_text(const std::string& name, std::int64_t max_bytes) const {
    const Handle dataset = open_dataset(name);
    const Handle type(H5Dget_type(dataset.get()), H5Tclose);
    const Handle space(H5Dget_space(dataset.get()), H5Sclose);
    if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) != 0 ||
        H5Sget_simple_extent_npoints(space.get()) != 1) {
        return {};
    }
    const std::size_t bytes = H5Tget_size(type.get());
    if (std::cmp_greater(bytes, max_bytes)) {
        throw LimitError(
            fmt::format("{}:/{}", path_.string(), name),
            fmt::format("a text of {} bytes; the limit max_name_bytes is {}, shorten it", bytes, max_bytes));
    }
    std::string text(bytes, '\0');
    if (H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()) < 0) {
        throw error(name, fmt::format("cannot be read ({})", last_failure()));
    }
    text.resize(std::strlen(text.c_str()));
    return text;
}

OutputFile::OutputFile(const std::filesystem::path& path) : path_(path), draft_(path) {
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    // Checksummed structures, which damage cannot turn into nonsense, and still readable by HDF5 1.8.
    H5Pset_libver_bounds(access.get(), H5F_LIBVER_V18, H5F_LIBVER_V18);
    const Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
    H5Pset_obj_track_times(creation.get(), false);  // same problem, same bytes
    file_ = Handle(H5Fcreate(draft_.path().c_str(), H5F_ACC_TRUNC, creation.get(), access.get()), H5Fclose);
    check(file_.valid() ? 0 : -1, "the file");
}

void OutputFile::check(herr_t status, const std::string& name) const {
    if (status < 0) throw write_error(path_, name);
}

void OutputFile::create_group(const std::string& name) {
    const Handle properties(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
    H5Pset_obj_track_times(properties.get(), false);
    const Handle group(H5Gcreate2(file_.get(), name.c_str(), H5P_DEFAULT, properties.get(), H5P_DEFAULT),
                       H5Gclose);
    check(group.valid() ? 0 : -1, name);
}

Handle OutputFile::create_dataset(const std::string& name, hid_t file_type, hid_t space) {
    const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_obj_track_times(properties.get(), false);
    Handle dataset(
        H5Dcreate2(file_.get(), name.c_str(), file_type, space, H5P_DEFAULT, properties.get(), H5P_DEFAULT),
        H5Dclose);
    check(dataset.valid() ? 0 : -1, name);
    return dataset;
}

void OutputFile::write_all(const std::string& name, hid_t file_type, hid_t memory_type,
                           std::span<const std::byte> bytes) {
    const hsize_t extent = bytes.size() / H5Tget_size(memory_type);
    const Handle space(H5Screate_simple(1, &extent, nullptr), H5Sclose);
    Handle dataset = create_dataset(name, file_type, space.get());
    if (extent > 0) {
        check(H5Dwrite(dataset.get(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), name);
    }
    check(dataset.close(), name);
}

void OutputFile::write(const std::string& name, std::span<const int> values) {
    write_all(name, H5T_STD_I32LE, H5T_NATIVE_INT, std::as_bytes(values));
}

void OutputFile::write(const std::string& name, std::span<const std::int64_t> values) {
    write_all(name, H5T_STD_I64LE, H5T_NATIVE_INT64, std::as_bytes(values));
}

void OutputFile::write(const std::string& name, std::span<const unsigned char> values) {
    write_all(name, H5T_STD_U8LE, H5T_NATIVE_UCHAR, std::as_bytes(values));
}

void OutputFile::write(const std::string& name, std::span<const double> values) {
    write_all(name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, std::as_bytes(values));
}

void OutputFile::write(const std::string& name, const Columns<const double>& values) {
    const std::array extent{static_cast<hsize_t>(values.rows), static_cast<hsize_t>(values.columns)};
    const Handle space(H5Screate_simple(2, extent.data(), nullptr), H5Sclose);
    Handle dataset = create_dataset(name, H5T_IEEE_F64LE, space.get());
    if (values.rows > 0) {
        const Handle memory_space = strided_space(values);
        check(H5Dwrite(dataset.get(), H5T_NATIVE_DOUBLE, memory_space.get(), H5S_ALL, H5P_DEFAULT,
                       values.first),
              name);
    }
    check(dataset.close(), name);
}

void OutputFile::write_text(const std::string& name, const std::string& text) {
    const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    check(H5Tset_size(type.get(), text.size() + 1), name);  // with its NUL, as FCLIB does
    const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    Handle dataset = create_dataset(name, type.get(), space.get());
    check(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.c_str()), name);
    check(dataset.close(), name);
}

void OutputFile::write_attribute(const std::string& group, const std::string& name, int value) {
    const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    const Handle attribute(H5Acreate_by_name(file_.get(), group.c_str(), name.c_str(), H5T_STD_I32LE,
                                             space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                           H5Aclose);
    check(attribute.valid() ? H5Awrite(attribute.get(), H5T_NATIVE_INT, &value) : -1, name);
}

void OutputFile::commit() {
    check(H5Fflush(file_.get(), H5F_SCOPE_GLOBAL), "the file");
    check(file_.close(), "the file");
    draft_.put_in_place();
}

}  // namespace uptack::hdf5

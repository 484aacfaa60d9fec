#include "chunk_check.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "hdf5_file.h"

namespace uptack::hdf5 {
namespace {

constexpr std::string_view short_chunk = "a chunk that does not hold what it should";
constexpr std::uint64_t checksum_bytes = 4;  // of Fletcher32, behind the data

/// How many bytes a deflate stream holds; nothing if it is damaged or holds more than `most`.
std::optional<std::uint64_t> inflated_bytes(const std::vector<unsigned char>& stream, std::uint64_t length,
                                            std::uint64_t most) {
    if (length > std::numeric_limits<uInt>::max()) return std::nullopt;
    z_stream inflater{};
    if (inflateInit(&inflater) != Z_OK) return std::nullopt;
    inflater.next_in = const_cast<unsigned char*>(stream.data());  // zlib only reads it
    inflater.avail_in = static_cast<uInt>(length);
    std::array<unsigned char, 65536> scratch{};
    std::uint64_t count = 0;
    int status = Z_OK;
    while (status == Z_OK && count <= most) {
        inflater.next_out = scratch.data();
        inflater.avail_out = static_cast<uInt>(scratch.size());
        status = inflate(&inflater, Z_NO_FLUSH);
        count += scratch.size() - inflater.avail_out;
    }
    inflateEnd(&inflater);
    return status == Z_STREAM_END && count <= most ? std::optional(count) : std::nullopt;
}

class Chunks {
public:
    explicit Chunks(hid_t dataset)
        : dataset_(dataset),
          properties_(H5Dget_create_plist(dataset), H5Pclose),
          space_(H5Dget_space(dataset), H5Sclose) {
        const int filters = H5Pget_nfilters(properties_.get());
        for (int k = 0; k < filters; ++k) {
            unsigned flags = 0;
            std::size_t values = 0;
            filters_.push_back(H5Pget_filter2(properties_.get(), static_cast<unsigned>(k), &flags, &values,
                                              nullptr, 0, nullptr, nullptr));
        }
    }

    std::string_view fault() {
        if (H5Pget_layout(properties_.get()) != H5D_CHUNKED) return {};
        rank_ = H5Sget_simple_extent_ndims(space_.get());
        if (rank_ < 1 || rank_ > 2) return {};  // refused by whoever wants one or two dimensions
        H5Sget_simple_extent_dims(space_.get(), extent_.data(), nullptr);
        H5Pget_chunk(properties_.get(), rank_, chunk_.data());
        const Handle type(H5Dget_type(dataset_), H5Tclose);
        whole_ = H5Tget_size(type.get()) * chunk_[0] * (rank_ == 2 ? chunk_[1] : 1);
        const hsize_t columns = rank_ == 2 ? extent_[1] : 1;
        // Chunks are at least a byte each: more places than bytes are places without a chunk.
        if (places(extent_[0], chunk_[0]) >
            H5Dget_storage_size(dataset_) / std::max<hsize_t>(1, places(columns, chunk_[1])))
            return short_chunk;
        for (hsize_t row = 0; row < extent_[0]; row += chunk_[0]) {
            for (hsize_t column = 0; column < columns; column += chunk_[1]) {
                if (!is_whole({row, column})) return short_chunk;
            }
        }
        return {};
    }

private:
    static hsize_t places(hsize_t extent, hsize_t chunk) {
        return extent / chunk + (extent % chunk != 0 ? 1 : 0);
    }

    bool is_whole(const std::array<hsize_t, 2>& at) {
        unsigned mask = 0;
        haddr_t address = 0;
        hsize_t stored = 0;
        if (H5Dget_chunk_info_by_coord(dataset_, at.data(), &mask, &address, &stored) < 0) return false;
        if (address == HADDR_UNDEF) return false;  // never written
        if (mask != 0 || stored > H5Dget_storage_size(dataset_)) return false;
        if (filters_.empty()) return stored == whole_;
        bytes_.resize(std::max<hsize_t>(stored, 1));
        std::uint32_t read_mask = 0;
        if (H5Dread_chunk(dataset_, H5P_DEFAULT, at.data(), &read_mask, bytes_.data()) < 0) return false;
        return undone(stored) == whole_;
    }

    /// The chunk's length once its filters are undone, the last first; nothing if that cannot be done.
    std::optional<std::uint64_t> undone(std::uint64_t length) const {
        bool stored = true;  // still the bytes of the file
        for (std::size_t k = filters_.size(); k-- > 0;) {
            if (filters_[k] == H5Z_FILTER_FLETCHER32) {
                if (length < checksum_bytes) return std::nullopt;
                length -= checksum_bytes;
            } else if (filters_[k] == H5Z_FILTER_DEFLATE) {
                if (!stored) return std::nullopt;  // compressed twice: nobody does
                const std::optional<std::uint64_t> inflated =
                    inflated_bytes(bytes_, length, whole_ + checksum_bytes * filters_.size());
                if (!inflated) return std::nullopt;
                length = *inflated;
                stored = false;
            }
        }
        return length;
    }

    hid_t dataset_;
    Handle properties_;
    Handle space_;
    std::vector<H5Z_filter_t> filters_;
    int rank_ = 0;
    std::array<hsize_t, 2> extent_{0, 1};
    std::array<hsize_t, 2> chunk_{1, 1};
    std::uint64_t whole_ = 0;  // bytes of a chunk
    std::vector<unsigned char> bytes_;
};

}  // namespace

std::string_view chunks_fault(hid_t dataset) {
    return Chunks(dataset).fault();
}

}  // namespace uptack::hdf5

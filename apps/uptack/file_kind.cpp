#include "file_kind.h"

#include <hdf5.h>

#include <array>

namespace uptack::app {

std::string_view file_kind(const std::filesystem::path& path) {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // HDF5 would print on stderr
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) return "siconos_text";
    std::string_view kind = "uptack";
    constexpr std::array<std::string_view, 3> groups{"fclib_local", "fclib_global", "fclib_global_rolling"};
    for (const std::string_view group : groups) {
        if (H5Lexists(file, group.data(), H5P_DEFAULT) > 0) kind = group;
    }
    H5Fclose(file);
    return kind;
}

}  // namespace uptack::app

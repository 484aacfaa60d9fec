// Bytes as a file, for readers that want a path.

#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace uptack::fuzz {

/// A folder of this process below TMPDIR (./dev fuzz puts that into memory); removed at a normal end.
class PrivateFolder {
public:
    PrivateFolder()
        : path_(std::filesystem::temp_directory_path() / ("uptack-fuzz-" + std::to_string(::getpid()))) {
        std::filesystem::create_directories(path_);
    }
    ~PrivateFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    PrivateFolder(const PrivateFolder&) = delete;
    PrivateFolder& operator=(const PrivateFolder&) = delete;

    std::filesystem::path write(const char* name, const std::uint8_t* data, std::size_t size) const {
        const std::filesystem::path file = path_ / name;
        std::ofstream stream(file, std::ios::binary | std::ios::trunc);
        stream.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
        return file;
    }
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

}  // namespace uptack::fuzz

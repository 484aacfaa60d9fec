// Who writes a recording holds a lock on its file, so that no other run goes on with it at the same time.
//
// The lock is advisory and belongs to the open file: it follows a renaming, HDF5's own locks do not see it,
// and the system drops it when the process ends, however it ends.  Folders that know no locks go without.

#pragma once

#include <cstdint>
#include <filesystem>
#include <utility>

namespace uptack::recording {

enum class LockKind : std::uint8_t {
    writer,  ///< the only one; the file is created where it is not there
    reader   ///< not beside a writer
};

class FileLock {
public:
    /// Throws InputError where another process has the file.
    FileLock(const std::filesystem::path& path, LockKind kind);
    FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    FileLock& operator=(FileLock&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }
    ~FileLock();

    /// Throws InputError where `path` is another file by now: somebody was faster.
    void check_holds(const std::filesystem::path& path) const;

private:
    explicit FileLock(int descriptor) : descriptor_(descriptor) {}

    int descriptor_ = -1;
};

}  // namespace uptack::recording

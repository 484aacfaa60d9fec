#include "file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "uptack/input_error.h"

namespace uptack::recording {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& path) {
    throw InputError(path.string(),
                     "another run is writing it; wait until that has ended, or stop it with Ctrl-C");
}

int open_file(const std::filesystem::path& path, LockKind kind) {
    // Without waiting for whoever may be at the other end of a pipe.
    const int how = (kind == LockKind::writer ? O_RDWR | O_CREAT : O_RDONLY) | O_CLOEXEC | O_NONBLOCK;
    const int descriptor = ::open(path.c_str(), how, 0666);
    if (descriptor >= 0) return descriptor;
    const char* what = kind == LockKind::writer
                           ? "cannot be created ({}); choose a folder that exists and may be written"
                           : "cannot be read ({}); check the path and the permissions";
    throw InputError(path.string(), fmt::format(fmt::runtime(what), std::strerror(errno)));
}

}  // namespace

FileLock::FileLock(const std::filesystem::path& path, LockKind kind) : FileLock(open_file(path, kind)) {
    struct flock whole {};
    whole.l_type = kind == LockKind::writer ? F_WRLCK : F_RDLCK;
    whole.l_whence = SEEK_SET;
    const int result = ::fcntl(descriptor_, F_OFD_SETLK, &whole);
    if (result != 0 && (errno == EAGAIN || errno == EACCES)) refuse(path);
    check_holds(path);  // it may have been renamed since it was opened
}

FileLock::~FileLock() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

void FileLock::check_holds(const std::filesystem::path& path) const {
    struct stat held {};
    struct stat there {};
    const bool same = ::fstat(descriptor_, &held) == 0 && ::stat(path.c_str(), &there) == 0 &&
                      held.st_dev == there.st_dev && held.st_ino == there.st_ino;
    if (!same) refuse(path);
}

}  // namespace uptack::recording

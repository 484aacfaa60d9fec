#include "uptack/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace uptack {
namespace {

namespace fs = std::filesystem;

// Of one process for one name; more are what was left by killed ones that had its number.
constexpr int most_drafts = 100;

/// NAME.tmp123 for process 123, or NAME.tmp123-1 where that is there, ...
fs::path draft_path(const fs::path& name, int attempt) {
    const std::string number = attempt == 0 ? "" : fmt::format("-{}", attempt);
    return fmt::format("{}.tmp{}{}", name.string(), ::getpid(), number);
}

/// 0, or an errno.
int flush_to_disk(const fs::path& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return errno;
    const int error = ::fsync(file) == 0 ? 0 : errno;
    ::close(file);
    return error;
}

}  // namespace

void check_output(const fs::path& name) {
    if (name.extension() == ".part") {
        throw InputError(name.string(),
                         "would be the unfinished recording of another name; choose one without .part");
    }
    std::error_code ignored;
    const fs::file_status status = fs::status(name, ignored);
    if (fs::is_directory(status)) throw InputError(name.string(), "is a folder; name a file for the output");
    if (fs::exists(status) && !fs::is_regular_file(status)) {
        throw InputError(name.string(), "is not a regular file; name a file for the output");
    }
}

InputError output_error(const fs::path& name, int error) {
    return {name.string(), fmt::format("cannot be written ({}); choose a folder that exists and has room",
                                       std::strerror(error))};
}

OutputDraft::OutputDraft(const fs::path& name) : name_(name) {
    check_output(name);
    for (int attempt = 0; attempt < most_drafts; ++attempt) {
        path_ = draft_path(name, attempt);
        const int file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0) {
            ::close(file);
            return;
        }
        if (errno != EEXIST) break;
    }
    throw output_error(name, errno);
}

OutputDraft::~OutputDraft() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove(path_, ignored);
}

void OutputDraft::put_in_place() {
    const int error = flush_to_disk(path_);
    if (error != 0) throw output_error(name_, error);
    if (std::rename(path_.c_str(), name_.c_str()) != 0) throw output_error(name_, errno);
    path_.clear();
}

}  // namespace uptack

#include "text_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "uptack/input_error.h"

namespace uptack::recording {

TextFile::TextFile(const std::filesystem::path& path)
    : path_(path), part_(path.string() + ".part"), file_(std::fopen(part_.c_str(), "wb")) {
    if (file_ == nullptr) fail();
}

TextFile::~TextFile() {
    if (file_ == nullptr) return;
    std::fclose(file_);
    std::error_code ignored;
    std::filesystem::remove(part_, ignored);
}

void TextFile::fail() const {
    throw InputError(
        path_.string(),
        fmt::format("cannot be written ({}); choose another place for the output", std::strerror(errno)));
}

void TextFile::write(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail();
}

void TextFile::commit() {
    if (std::fflush(file_) != 0 || ::fsync(::fileno(file_)) != 0) fail();
    if (std::rename(part_.c_str(), path_.c_str()) != 0) fail();
    std::fclose(file_);
    file_ = nullptr;
}

}  // namespace uptack::recording

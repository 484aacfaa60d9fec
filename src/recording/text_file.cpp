#include "text_file.h"

#include <cerrno>
#include <utility>

namespace uptack::recording {

TextFile::TextFile(const std::filesystem::path& path)
    : path_(path), draft_(path), file_(std::fopen(draft_.path().c_str(), "wb")) {
    if (file_ == nullptr) throw output_error(path_, errno);
}

TextFile::~TextFile() {
    if (file_ != nullptr) std::fclose(file_);
}

void TextFile::write(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) throw output_error(path_, errno);
}

void TextFile::commit() {
    if (std::fclose(std::exchange(file_, nullptr)) != 0) throw output_error(path_, errno);
    draft_.put_in_place();
}

}  // namespace uptack::recording

// Text files that appear whole or not at all.

#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

#include "uptack/output_file.h"

namespace uptack::recording {

/// commit() makes it NAME.  Without commit nothing stays behind.
class TextFile {
public:
    explicit TextFile(const std::filesystem::path& path);
    ~TextFile();
    TextFile(const TextFile&) = delete;
    TextFile& operator=(const TextFile&) = delete;

    void write(std::string_view text);
    void commit();

private:
    std::filesystem::path path_;
    OutputDraft draft_;
    std::FILE* file_ = nullptr;
};

}  // namespace uptack::recording

// Files on their way out: they appear whole or not at all, and only where a file may be.
//
// Written by: output.  Read by: whatever writes files (files, recording, the pages and tables of the apps).

#pragma once

#include <filesystem>

#include "uptack/input_error.h"

namespace uptack {

/// Throws InputError where no output may go: onto a folder, a pipe or a device, which renaming would replace,
/// and onto NAME.part, which belongs to the run that records NAME.
void check_output(const std::filesystem::path& name);

/// "NAME: cannot be written (No space left on device); ..." for an errno.
InputError output_error(const std::filesystem::path& name, int error);

/// A file while it is written: beside NAME, under a name that no other file has.
class OutputDraft {
public:
    /// Creates it empty; throws InputError as check_output() does, and where nothing can be written.
    explicit OutputDraft(const std::filesystem::path& name);
    /// Nothing of it stays behind unless it was put in place.
    ~OutputDraft();
    OutputDraft(const OutputDraft&) = delete;
    OutputDraft& operator=(const OutputDraft&) = delete;

    const std::filesystem::path& path() const { return path_; }

    /// What was written goes to the disk and becomes NAME; whoever wrote it has closed it.
    void put_in_place();

private:
    std::filesystem::path name_;
    std::filesystem::path path_;  // empty once it is in place
};

}  // namespace uptack

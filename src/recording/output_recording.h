// The file of a recording while it is written.
//
//     NAME.part.new   being made; of no use to anybody
//     NAME.part       opens at any moment, holds whatever was committed
//     NAME            closed

#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint_slot.h"
#include "commit_record.h"
#include "file_lock.h"
#include "hdf5/table.h"
#include "input_recording.h"
#include "layout.h"

namespace uptack::recording {

enum class Ending : std::uint8_t { stopped, finished };

class OutputRecording {
public:
    /// Makes NAME.part.new for `path` NAME; throws InputError where another run is making it.
    OutputRecording(const std::filesystem::path& path, const Header& header, int compression);
    ~OutputRecording();
    OutputRecording(const OutputRecording&) = delete;
    OutputRecording& operator=(const OutputRecording&) = delete;

    hdf5::OutputTable& table(std::string_view name);
    Counts counts;  ///< kept by whoever appends

    /// NAME.part.new becomes NAME.part.
    void publish();
    /// What was appended counts from now on.
    void commit();
    /// Commits; the next resume starts here, dropping what lies behind `before`.
    void add_checkpoint(const Checkpoint& checkpoint, const Counts& before);
    void copy_from(const InputRecording& source, const Counts& until);
    /// NAME.part becomes NAME.
    void close(Ending ending);

private:
    void write_committed();
    void write_densely();
    void close_file();
    std::uint64_t stored_bytes() const;

    std::filesystem::path path_;
    std::filesystem::path current_;  // where the file is now
    Header header_;
    int compression_;
    FileLock lock_;  // taken before the file is emptied
    hdf5::GrowingFile file_;
    std::map<std::string, hdf5::OutputTable, std::less<>> tables_;
    std::optional<hdf5::OutputTable> committed_;
    std::vector<OutputSlot> slots_;
    CommitRecord record_;
    bool published_ = false;
};

}  // namespace uptack::recording

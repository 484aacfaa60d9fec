// The file of a recording, opened and checked, before anything in it is understood.

#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "checkpoint_slot.h"
#include "commit_record.h"
#include "hdf5/table.h"
#include "layout.h"

namespace uptack::recording {

/// What is said once at the start of a recording.
struct Header {
    std::string scene_name;
    std::string document;  ///< of the scene
    std::string model;     ///< JSON for viewers
    std::int64_t bodies = 0;
    std::int64_t joints = 0;
};

/// "run.h5" -> "run.h5.part".
std::filesystem::path part_path(const std::filesystem::path& path);
/// "run.h5.part" -> "run.h5"; others as they are.
std::filesystem::path final_path(const std::filesystem::path& path);

class InputRecording {
public:
    explicit InputRecording(const std::filesystem::path& path);

    const hdf5::InputFile& file() const { return file_; }
    const Header& header() const { return header_; }
    const CommitRecord& committed() const { return committed_; }
    const hdf5::InputTable& table(const std::string& name) const;
    std::optional<StoredCheckpoint> checkpoint() const;

private:
    void read_header();
    void read_committed();
    void open_tables();

    hdf5::InputFile file_;
    Header header_;
    CommitRecord committed_;
    std::map<std::string, hdf5::InputTable> tables_;
};

}  // namespace uptack::recording

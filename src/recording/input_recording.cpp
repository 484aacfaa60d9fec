#include "input_recording.h"

#include <fmt/format.h>

#include <algorithm>

namespace uptack::recording {
namespace {

// Far beyond any run; they keep a damaged or hostile file from taking the machine's memory.
constexpr std::int64_t most_text_bytes = 1'000'000'000;
constexpr Counts most{.frames = 100'000'000,
                      .contacts = 100'000'000'000,
                      .steps = 200'000'000,
                      .strings = 10'000'000,
                      .string_bytes = most_text_bytes};

void check_limit(const hdf5::InputFile& file, const std::string& what, std::int64_t claimed,
                 std::int64_t limit) {
    if (claimed < 0) throw file.error("committed", "a negative number of " + what);
    if (claimed <= limit) return;
    throw LimitError(file.path().string(),
                     fmt::format("{} {}; the limit is {}; it is damaged, or was not made by Uptack", claimed,
                                 what, limit));
}

std::string read_bytes(const hdf5::InputFile& file, const std::string& name) {
    const std::int64_t bytes = file.length(name);
    check_limit(file, "bytes of " + name, bytes, most_text_bytes);
    std::string text(static_cast<std::size_t>(bytes), '\0');
    file.read(name, std::span(reinterpret_cast<unsigned char*>(text.data()), text.size()));
    return text;
}

}  // namespace

std::filesystem::path part_path(const std::filesystem::path& path) {
    return path.string() + ".part";
}

std::filesystem::path final_path(const std::filesystem::path& path) {
    std::filesystem::path result = path;
    return path.extension() == ".part" ? result.replace_extension() : result;
}

InputRecording::InputRecording(const std::filesystem::path& path) : file_(path) {
    if (file_.read_text_attribute("format") != format_name) {
        throw InputError(path.string(),
                         "is not a recording; 'uptack run SCENE -o FILE' makes one, and 'uptack info' says "
                         "what other files hold");
    }
    const int version = file_.read_attribute("/", "version");
    if (version != format_version) {
        throw InputError(
            path.string(),
            fmt::format("is a recording of version {}, this program reads version {}; use {} "
                        "Uptack or run the scene again",
                        version, format_version, version > format_version ? "a newer" : "an older"));
    }
    read_header();
    read_committed();
    open_tables();
}

void InputRecording::read_header() {
    header_.scene_name = file_.read_text_attribute("scene_name");
    header_.bodies = file_.read_attribute("/", "bodies");
    header_.joints = file_.read_attribute("/", "joints");
    if (header_.bodies < 0 || header_.joints < 0) throw file_.error("", "a negative number of bodies");
    header_.document = read_bytes(file_, "scene");
    header_.model = read_bytes(file_, "model");
}

void InputRecording::read_committed() {
    const hdf5::InputTable table(file_, "committed", {hdf5::Number::i64, {commit_columns}}, 2);
    for (std::int64_t row = 0; row < 2; ++row) {
        CommitRow numbers{};
        table.read(row, std::span<std::int64_t>(numbers));
        const std::optional<CommitRecord> record = decode(numbers);
        if (record && record->sequence > committed_.sequence) committed_ = *record;
    }
    if (committed_.sequence == 0) {
        throw file_.error("committed", "says nothing that can be relied on; the file is damaged, run again");
    }
    const Counts& counts = committed_.counts;
    check_limit(file_, "frames", counts.frames, most.frames);
    check_limit(file_, "contacts", counts.contacts, most.contacts);
    check_limit(file_, "steps", counts.steps, most.steps);
    check_limit(file_, "strings", counts.strings, most.strings);
    check_limit(file_, "bytes of strings", counts.string_bytes, most.string_bytes);
}

void InputRecording::open_tables() {
    for (const TableInfo& info : growing_tables(header_.bodies, header_.joints)) {
        tables_.try_emplace(info.name, file_, info.name, info.shape, rows_of(committed_.counts, info.rows));
    }
}

const hdf5::InputTable& InputRecording::table(const std::string& name) const {
    const auto found = tables_.find(name);
    if (found == tables_.end()) throw file_.error(name, "missing dataset");
    return found->second;
}

std::optional<StoredCheckpoint> InputRecording::checkpoint() const {
    if (committed_.checkpoint <= 0) return std::nullopt;
    StoredCheckpoint stored = read_slot(file_, committed_.checkpoint, header_.bodies, header_.joints);
    const Counts& before = stored.counts;
    const Counts& now = committed_.counts;
    const bool inside = before.frames <= now.frames && before.contacts <= now.contacts &&
                        before.steps <= now.steps && before.strings <= now.strings &&
                        before.string_bytes <= now.string_bytes;
    const std::int64_t least =
        std::min({before.frames, before.contacts, before.steps, before.strings, before.string_bytes});
    if (!inside || least < 0) {
        throw file_.error(slot_name(committed_.checkpoint), "counts more than the recording holds");
    }
    return stored;
}

}  // namespace uptack::recording

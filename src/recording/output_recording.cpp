#include "output_recording.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "uptack/output_file.h"

namespace uptack::recording {
namespace {

namespace fs = std::filesystem;

fs::path fresh_path(const fs::path& path) {
    return part_path(path).string() + ".new";
}

void put_in_place(const fs::path& from, const fs::path& to) {
    std::error_code failure;
    fs::rename(from, to, failure);
    if (failure) {
        throw InputError(to.string(), fmt::format("cannot be put in place ({}); the recording is in {}",
                                                  failure.message(), from.string()));
    }
}

void sync(const fs::path& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const bool synced = descriptor >= 0 && ::fsync(descriptor) == 0;
    const int error = errno;
    if (descriptor >= 0) ::close(descriptor);
    if (!synced) throw output_error(path, error);
}

}  // namespace

OutputRecording::OutputRecording(const fs::path& path, const Header& header, int compression)
    : path_(path),
      current_(fresh_path(path)),
      header_(header),
      compression_(compression),
      lock_(current_, LockKind::writer),
      file_(current_) {
    file_.write_attribute("format", std::string(format_name));
    file_.write_attribute("version", format_version);
    file_.write_attribute("creator", std::string("uptack " UPTACK_VERSION));
    file_.write_attribute("scene_name", header.scene_name);
    file_.write_attribute("bodies", static_cast<int>(header.bodies));
    file_.write_attribute("joints", static_cast<int>(header.joints));
    file_.write_bytes("scene", header.document, compression);
    file_.write_bytes("model", header.model, compression);
    for (const char* group :
         {"frames", "contacts", "joints", "steps", "strings", "checkpoint", "checkpoint/a", "checkpoint/b"}) {
        file_.create_group(group);
    }
    for (const TableInfo& info : growing_tables(header.bodies, header.joints)) {
        tables_.try_emplace(info.name, file_, info.name, info.shape,
                            hdf5::TableStorage{.chunk_rows = chunk_rows(info), .compression = compression});
    }
    for (const std::int64_t number : {1, 2}) {
        slots_.emplace_back(file_, slot_name(number), header.bodies, header.joints);
    }
    committed_.emplace(file_, "committed", hdf5::TableShape{hdf5::Number::i64, {commit_columns}},
                       hdf5::TableStorage{.chunk_rows = 2, .compression = 0});
    const std::array<std::int64_t, 2 * commit_columns> nothing{};
    committed_->append(std::span<const std::int64_t>(nothing));
}

OutputRecording::~OutputRecording() {
    if (published_) return;
    std::error_code ignored;
    fs::remove(current_, ignored);
}

hdf5::OutputTable& OutputRecording::table(std::string_view name) {
    const auto found = tables_.find(name);
    if (found == tables_.end()) throw std::logic_error("no such table: " + std::string(name));
    return found->second;
}

void OutputRecording::publish() {
    file_.start();
    commit();
    const fs::path part = part_path(path_);
    put_in_place(current_, part);
    current_ = part;
    published_ = true;
    file_.moved_to(part);
}

void OutputRecording::commit() {
    for (auto& [name, table] : tables_) table.write_waiting();
    file_.flush();
    write_committed();
}

void OutputRecording::write_committed() {
    record_.counts = counts;
    ++record_.sequence;
    const CommitRow row = encode(record_);
    committed_->overwrite(record_.sequence % 2, std::span<const std::int64_t>(row));
    committed_->flush();
}

void OutputRecording::add_checkpoint(const Checkpoint& checkpoint, const Counts& before) {
    const std::int64_t number = record_.checkpoint + 1;
    slots_[number % 2 == 1 ? 0 : 1].write(number, checkpoint, before);
    for (auto& [name, table] : tables_) table.write_waiting();
    file_.flush();
    record_.checkpoint = number;
    write_committed();
}

void OutputRecording::copy_from(const InputRecording& source, const Counts& until) {
    constexpr std::size_t piece_bytes = 8 * 1024 * 1024;
    std::vector<std::byte> piece;
    for (const TableInfo& info : growing_tables(header_.bodies, header_.joints)) {
        const hdf5::InputTable& from = source.table(info.name);
        hdf5::OutputTable& to = table(info.name);
        const std::size_t row = info.shape.bytes_per_row();
        const std::int64_t rows = rows_of(until, info.rows);
        const auto step = static_cast<std::int64_t>(std::max<std::size_t>(piece_bytes / row, 1));
        for (std::int64_t first = 0; first < rows; first += step) {
            piece.resize(static_cast<std::size_t>(std::min(step, rows - first)) * row);
            from.read_bytes(info.shape.number, first, piece);
            to.append_bytes(info.shape.number, piece);
        }
    }
    counts = until;
}

std::uint64_t OutputRecording::stored_bytes() const {
    std::uint64_t bytes = header_.document.size() + header_.model.size();
    for (const auto& [name, table] : tables_) bytes += table.stored_bytes();
    return bytes;
}

void OutputRecording::close_file() {
    tables_.clear();
    slots_.clear();
    committed_.reset();
    file_.close();
}

// Each flush in the middle of a compressed chunk leaves the chunk's old place unused.
void OutputRecording::write_densely() {
    OutputRecording dense(path_, header_, compression_);
    {
        const InputRecording loose(current_);
        dense.copy_from(loose, loose.committed().counts);
        if (const auto stored = loose.checkpoint()) dense.add_checkpoint(stored->checkpoint, stored->counts);
    }
    dense.record_.finished = record_.finished;
    dense.commit();
    dense.close_file();
    put_in_place(dense.current_, current_);
    dense.published_ = true;
    lock_ = std::move(dense.lock_);
}

void OutputRecording::close(Ending ending) {
    record_.finished = ending == Ending::finished;
    commit();
    const std::uint64_t useful = stored_bytes();
    close_file();
    constexpr std::uint64_t tolerated = 1'000'000;
    if (fs::file_size(current_) > 2 * useful + tolerated) write_densely();
    sync(current_);
    put_in_place(current_, path_);
}

}  // namespace uptack::recording

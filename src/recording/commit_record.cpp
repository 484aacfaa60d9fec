#include "commit_record.h"

namespace uptack::recording {
namespace {

std::int64_t check_of(const CommitRow& row) {
    Fingerprint fingerprint;
    fingerprint.add(std::span<const std::int64_t>(row).first(commit_columns - 1));
    return fingerprint.value();
}

}  // namespace

CommitRow encode(const CommitRecord& record) {
    const Counts& counts = record.counts;
    CommitRow row{record.sequence, counts.frames,       counts.contacts,   counts.steps,
                  counts.strings,  counts.string_bytes, record.checkpoint, record.finished ? 1 : 0};
    row.back() = check_of(row);
    return row;
}

std::optional<CommitRecord> decode(const CommitRow& row) {
    if (row.back() != check_of(row) || row[0] <= 0) return std::nullopt;
    return CommitRecord{.sequence = row[0],
                        .counts = {.frames = row[1],
                                   .contacts = row[2],
                                   .steps = row[3],
                                   .strings = row[4],
                                   .string_bytes = row[5]},
                        .checkpoint = row[6],
                        .finished = row[7] != 0};
}

}  // namespace uptack::recording

// Which rows count: two records written in turn, the newer whole one is true.
//
// A kill can tear the record that is being written; its check then does not fit and the other one holds.

#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "layout.h"

namespace uptack::recording {

struct CommitRecord {
    std::int64_t sequence = 0;
    Counts counts;
    std::int64_t checkpoint = 0;  ///< how many were made; the last is in slot a if odd, b if even, none if 0
    bool finished = false;        ///< the run came to its end
    bool operator==(const CommitRecord&) const = default;
};

inline constexpr std::int64_t commit_columns = 9;
using CommitRow = std::array<std::int64_t, commit_columns>;

CommitRow encode(const CommitRecord& record);
/// Nothing where the row is torn or was never written.
std::optional<CommitRecord> decode(const CommitRow& row);

/// FNV-1a over the bytes of numbers: notices damage, not malice.
class Fingerprint {
public:
    template <class T>
    void add(std::span<const T> values) {
        for (const std::byte byte : std::as_bytes(values)) {
            value_ = (value_ ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3U;
        }
    }
    std::int64_t value() const { return static_cast<std::int64_t>(value_); }

private:
    std::uint64_t value_ = 0xcbf29ce484222325U;
};

}  // namespace uptack::recording

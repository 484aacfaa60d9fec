// Bytes as decisions: every string of bytes is some problem, and a small change of it a small change of that.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace uptack::fuzz {

/// Zeros after the end.
class Bytes {
public:
    explicit Bytes(std::span<const std::uint8_t> data) : data_(data) {}

    bool empty() const { return at_ >= data_.size(); }
    int byte() { return at_ < data_.size() ? data_[at_++] : 0; }
    /// 0 .. count - 1.
    int below(int count) { return byte() % count; }
    bool flag() { return (byte() & 1) != 0; }
    /// -1 .. 1 in steps of 1/127, so that zeros and equal numbers are common.
    double signed_unit() { return (byte() % 255 - 127) / 127.0; }
    template <class Value, std::size_t count>
    Value one_of(const Value (&values)[count]) {
        return values[below(static_cast<int>(count))];
    }

private:
    std::span<const std::uint8_t> data_;
    std::size_t at_ = 0;
};

}  // namespace uptack::fuzz

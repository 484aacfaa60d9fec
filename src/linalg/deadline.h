// Until when work may go on.  Long loops ask now and then and leave what they do half done.

#pragma once

#include <chrono>

namespace uptack {

class Deadline {
public:
    using Clock = std::chrono::steady_clock;

    Deadline() = default;  ///< never
    explicit Deadline(Clock::time_point at) : at_(at), exists_(true) {}

    bool passed() const { return exists_ && Clock::now() >= at_; }
    bool passes_within(double seconds) const {
        return exists_ && Clock::now() + std::chrono::duration<double>(seconds) >= at_;
    }

private:
    Clock::time_point at_;
    bool exists_ = false;
};

}  // namespace uptack

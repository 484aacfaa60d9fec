// Keeps a simulation at a multiple of real time, and says which multiple it reaches.

#pragma once

#include <chrono>

namespace uptack::app::live {

class Pace {
public:
    using Clock = std::chrono::steady_clock;

    /// From now on, at simulated time `time`.
    void start(double time);
    void set_speed(double factor, double time);
    double speed() const { return speed_; }

    /// When the step that begins at simulated time `time` may be made.  A simulation that has fallen behind
    /// by more than a tenth of a second is not asked to make up for it.
    Clock::time_point due(double time);

    /// Simulated time over wall-clock time, over the last half second or so.
    double achieved(double time);

private:
    double speed_ = 1.0;
    double start_time_ = 0.0;
    Clock::time_point start_{};
    double measured_time_ = 0.0;
    Clock::time_point measured_{};
    double achieved_ = 0.0;
};

}  // namespace uptack::app::live

#include "pace.h"

namespace uptack::app::live {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr Seconds most_behind{0.1};
constexpr Seconds measuring_time{0.5};

}  // namespace

void Pace::start(double time) {
    start_time_ = measured_time_ = time;
    start_ = measured_ = Clock::now();
}

void Pace::set_speed(double factor, double time) {
    speed_ = factor;
    start(time);
}

Pace::Clock::time_point Pace::due(double time) {
    const Seconds wait((time - start_time_) / speed_);
    const auto when = start_ + std::chrono::duration_cast<Clock::duration>(wait);
    const auto now = Clock::now();
    if (now - when <= most_behind) return when;
    start_time_ = time;
    start_ = now;
    return now;
}

double Pace::achieved(double time) {
    const Seconds passed = Clock::now() - measured_;
    if (passed >= measuring_time || achieved_ == 0.0) {
        if (passed.count() > 0.0) achieved_ = (time - measured_time_) / passed.count();
        measured_time_ = time;
        measured_ = Clock::now();
    }
    return achieved_;
}

}  // namespace uptack::app::live

// Where the simulation leaves what pages are to see, and where pages' streams look for what is new.
//
// Of everything only the latest is kept (of step reports the last few thousand), so a slow page misses frames
// but never slows the simulation down or fills the memory.  Everything may be called from any thread.

#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "uptack/simulation.h"

namespace uptack::app::live {

class Board {
public:
    using Clock = std::chrono::steady_clock;

    // ---- the simulation's side; texts are JSON documents ----
    void say_hello(const std::string& text,
                   std::uint32_t run);  ///< a new run; forgets reports and frame of the old
    void say_state(const std::string& text);
    void say_error(const std::string& text);
    void add_report(const StepReport& report);  ///< goes out with the next frame
    void show_frame(std::string message);

    // ---- the side of one stream ----
    /// What a page has seen: numbers of the last hello, state, ...
    struct Seen {
        std::uint64_t hello = 0;
        std::uint64_t state = 0;
        std::uint64_t error = 0;
        std::uint64_t frame = 0;
        std::uint64_t report = 0;
    };
    /// Counts one more visitor.  Errors from before are none of its business.
    Seen enter();
    void leave();
    /// Waits at most `patience` for something new; messages one after the other, empty if there is nothing.
    std::string news(Seen& seen, std::chrono::milliseconds patience);

    // ---- everybody's ----
    int visitors() const;
    /// Since when there has been nobody, if there was somebody before; else the end of time.
    Clock::time_point empty_since() const;
    /// Called whenever somebody enters or leaves.
    void on_visit(std::function<void()> tell);
    /// Nobody waits any more.
    void close();
    bool closed() const;

private:
    struct Post {
        std::uint64_t number = 0;
        std::shared_ptr<const std::string> message;
    };
    static void renew(Post& post, std::string message);
    bool has_news(const Seen& seen) const;

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    Post hello_;
    Post state_;
    Post error_;
    Post frame_;
    std::uint32_t run_ = 0;
    std::deque<StepReport> reports_;
    std::uint64_t reports_ever_ = 0;
    int visitors_ = 0;
    bool visited_ = false;
    bool closed_ = false;
    Clock::time_point left_{};
    std::function<void()> tell_;
};

}  // namespace uptack::app::live

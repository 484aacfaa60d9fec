#include "board.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "messages.h"

namespace uptack::app::live {
namespace {

// Some 20 seconds at 240 steps per second: what a page that was reloaded finds again.
constexpr std::size_t most_reports = 4096;

/// Moves `seen` on; true if there was something newer.
bool catch_up(std::uint64_t& seen, std::uint64_t number) {
    return std::exchange(seen, number) != number;
}

}  // namespace

void Board::renew(Post& post, std::string message) {
    ++post.number;
    post.message = std::make_shared<const std::string>(std::move(message));
}

void Board::say_hello(const std::string& text, std::uint32_t run) {
    const std::lock_guard lock(mutex_);
    renew(hello_, json_message(text));
    run_ = run;
    reports_.clear();
    frame_.message.reset();
    changed_.notify_all();
}

void Board::say_state(const std::string& text) {
    const std::lock_guard lock(mutex_);
    renew(state_, json_message(text));
    changed_.notify_all();
}

void Board::say_error(const std::string& text) {
    const std::lock_guard lock(mutex_);
    renew(error_, json_message(text));
    changed_.notify_all();
}

void Board::add_report(const StepReport& report) {
    const std::lock_guard lock(mutex_);
    reports_.push_back(report);
    ++reports_ever_;
    if (reports_.size() > most_reports) reports_.pop_front();
}

void Board::show_frame(std::string message) {
    const std::lock_guard lock(mutex_);
    renew(frame_, std::move(message));
    changed_.notify_all();
}

Board::Seen Board::enter() {
    Seen seen;
    std::function<void()> tell;
    {
        const std::lock_guard lock(mutex_);
        ++visitors_;
        visited_ = true;
        seen.error = error_.number;
        tell = tell_;
    }
    if (tell) tell();
    return seen;
}

void Board::leave() {
    std::function<void()> tell;
    {
        const std::lock_guard lock(mutex_);
        if (--visitors_ == 0) left_ = Clock::now();
        tell = tell_;
    }
    if (tell) tell();
}

bool Board::has_news(const Seen& seen) const {
    return seen.hello != hello_.number || seen.state != state_.number || seen.error != error_.number ||
           seen.frame != frame_.number;
}

std::string Board::news(Seen& seen, std::chrono::milliseconds patience) {
    std::vector<std::shared_ptr<const std::string>> before;
    std::vector<StepReport> reports;
    std::shared_ptr<const std::string> frame;
    std::uint32_t run = 0;
    {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, patience, [&] { return closed_ || has_news(seen); });
        if (closed_) return {};
        if (catch_up(seen.hello, hello_.number)) before.push_back(hello_.message);
        if (catch_up(seen.state, state_.number)) before.push_back(state_.message);
        if (catch_up(seen.error, error_.number)) before.push_back(error_.message);
        if (catch_up(seen.frame, frame_.number) && frame_.message) {
            frame = frame_.message;
            const std::uint64_t missed = std::exchange(seen.report, reports_ever_);
            const auto fresh = std::min<std::uint64_t>(reports_ever_ - missed, reports_.size());
            reports.assign(reports_.end() - static_cast<std::ptrdiff_t>(fresh), reports_.end());
        }
        run = run_;
    }
    std::string all;
    for (const auto& message : before) all += *message;
    if (!reports.empty()) all += steps_message(run, reports);
    if (frame) all += *frame;
    return all;
}

int Board::visitors() const {
    const std::lock_guard lock(mutex_);
    return visitors_;
}

Board::Clock::time_point Board::empty_since() const {
    const std::lock_guard lock(mutex_);
    return visited_ && visitors_ == 0 ? left_ : Clock::time_point::max();
}

void Board::on_visit(std::function<void()> tell) {
    const std::lock_guard lock(mutex_);
    tell_ = std::move(tell);
}

bool Board::closed() const {
    const std::lock_guard lock(mutex_);
    return closed_;
}

void Board::close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
}

}  // namespace uptack::app::live

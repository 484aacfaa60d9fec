// What a run was like, gathered step by step.

#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common.h"
#include "uptack/recording.h"
#include "uptack/report.h"
#include "uptack/scene.h"
#include "uptack/simulation.h"

namespace uptack::app {

/// The largest of something, and where and when it was.
struct Extreme {
    double value = 0.0;
    double time = 0.0;
    std::string what;

    void look(double candidate, double when, const std::string& where);
};

class RunSummary {
public:
    /// A step that was undone is not counted.
    void add(const StepReport& report);

    std::int64_t steps() const { return steps_; }
    std::int64_t steps_over_tolerance() const { return over_tolerance_; }
    /// The last step that was made.
    const StepReport& last() const { return last_; }
    /// The last step that was tried: where the run ended, that may be one that was undone.
    const StepReport& last_tried() const { return undone_ ? *undone_ : last_; }
    const StepReport& slowest() const { return slowest_; }
    double computing_s() const { return computing_s_; }

    Json json() const;
    /// What is printed, line by line; a line without label goes on with the one before it.
    std::vector<SummaryLine> lines(const SimulationSettings& settings) const;
    void print(const SimulationSettings& settings) const;

private:
    std::int64_t steps_ = 0;
    std::int64_t over_tolerance_ = 0;
    std::int64_t iterations_ = 0;
    int most_contacts_ = 0;
    double computing_s_ = 0.0;
    double collision_s_ = 0.0;
    double assembly_s_ = 0.0;
    double solve_s_ = 0.0;
    std::vector<double> step_s_;  // each step's, for percentiles
    Extreme relative_error_;
    Extreme energy_error_J_;
    Extreme penetration_;
    Extreme drift_;
    std::vector<std::pair<double, std::string>> froze_;  // when, and whom with the cause
    StepReport first_;
    StepReport last_;
    std::optional<StepReport> undone_;
    StepReport slowest_;  // by its solve
};

/// What `uptack run` has printed of it; lines that go on with the one before are put behind it.
std::vector<SummaryLine> summary_of(const Recording& recording);

/// "1e-4 relative", "1e-6 J".
std::string tolerance_text(const Tolerance& tolerance);

}  // namespace uptack::app

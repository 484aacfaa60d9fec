#include "run_summary.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace uptack::app {
namespace {

double percentile(std::vector<double> values, double part) {
    if (values.empty()) return 0.0;
    const auto index = static_cast<std::size_t>(std::ceil(part * static_cast<double>(values.size()))) - 1;
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(index), values.end());
    return values[index];
}

Json extreme_json(const Extreme& extreme, const char* key) {
    return {{key, number(extreme.value)}, {"time_s", number(extreme.time)}, {"what", extreme.what}};
}

std::string where(const Extreme& extreme) {
    if (extreme.what.empty()) return "";
    return fmt::format("  {}, at {:.4g} s", extreme.what, extreme.time);
}

}  // namespace

std::vector<SummaryLine> summary_of(const Recording& recording) {
    RunSummary summary;
    for (const StepReport& report : recording.reports()) summary.add(report);
    std::vector<SummaryLine> result;
    for (SummaryLine& line : summary.lines(recording.scene().settings)) {
        if (line.label.empty() && !result.empty()) {
            result.back().value += "; " + line.value;
        } else {
            result.push_back(std::move(line));
        }
    }
    return result;
}

std::string tolerance_text(const Tolerance& tolerance) {
    return fmt::format("{:g} {}", tolerance.value, tolerance.unit == ErrorUnit::joules ? "J" : "relative");
}

void Extreme::look(double candidate, double when, const std::string& where) {
    // Written so that a NaN, once seen, stays.
    if (std::isnan(value) || candidate <= value) return;
    value = candidate;
    time = when;
    what = where;
}

void RunSummary::add(const StepReport& report) {
    if (report.status == Status::not_finite) {
        undone_ = report;
        return;
    }
    if (steps_ == 0) first_ = report;
    ++steps_;
    if (!report.tolerance_met) ++over_tolerance_;
    iterations_ += report.iterations;
    most_contacts_ = std::max(most_contacts_, report.contacts);
    computing_s_ += report.total_s;
    collision_s_ += report.collision_s;
    assembly_s_ += report.assembly_s;
    solve_s_ += report.solve_s;
    step_s_.push_back(report.total_s);
    relative_error_.look(report.relative_error, report.time, report.worst);
    energy_error_J_.look(report.energy_error_J, report.time, report.worst);
    penetration_.look(report.max_penetration, report.time, report.deepest);
    drift_.look(report.max_joint_drift, report.time, report.loosest);
    if (!report.froze.empty()) froze_.emplace_back(report.time, report.froze);
    if (steps_ == 1 || report.solve_s > slowest_.solve_s) slowest_ = report;
    last_ = report;
}

Json RunSummary::json() const {
    const double per_step_ms = steps_ > 0 ? 1e3 / static_cast<double>(steps_) : 0.0;
    Json froze = Json::array();
    for (const auto& [when, what] : froze_) froze.push_back({{"time_s", number(when)}, {"what", what}});
    return {{"steps", steps_},
            {"time_s", number(last_.time)},
            {"real_time_factor", number(computing_s_ > 0.0 ? last_.time / computing_s_ : 0.0)},
            {"computing_s", number(computing_s_)},
            {"step_ms",
             {{"mean", number(computing_s_ * per_step_ms)},
              {"p95", number(1e3 * percentile(step_s_, 0.95))},
              {"max", number(1e3 * percentile(step_s_, 1.0))},
              {"collision", number(collision_s_ * per_step_ms)},
              {"assembly", number(assembly_s_ * per_step_ms)},
              {"solve", number(solve_s_ * per_step_ms)},
              {"longest_solve", number(1e3 * slowest_.solve_s)}}},
            {"iterations", iterations_},
            {"contacts", last_.contacts},
            {"max_contacts", most_contacts_},
            {"rows", last_.rows},
            {"steps_over_tolerance", over_tolerance_},
            {"tolerance_met", over_tolerance_ == 0},
            {"worst",
             {{"relative_error", number(relative_error_.value)},
              {"energy_error_J", number(energy_error_J_.value)},
              {"what", relative_error_.what},
              {"time_s", number(relative_error_.time)}}},
            {"max_penetration", extreme_json(penetration_, "penetration_m")},
            {"max_joint_drift", extreme_json(drift_, "drift_m")},
            {"frozen_bodies", last_.frozen},
            {"froze", std::move(froze)},
            {"kinetic_J", number(last_.kinetic_J)},
            {"potential_J", number(last_.potential_J)},
            {"first_step_energy_J", number(first_.kinetic_J + first_.potential_J)},
            {"energy_J", number(last_.kinetic_J + last_.potential_J)}};
}

std::vector<SummaryLine> RunSummary::lines(const SimulationSettings& settings) const {
    if (steps_ == 0) return {{"Steps", "none"}};
    const auto count = static_cast<double>(steps_);
    const auto mean = [count](double seconds) { return format_seconds(seconds / count); };
    std::vector<SummaryLine> result{
        {"Steps", fmt::format("{} of {} to t = {:.6g} s; {:.3g} x real time", steps_,
                              format_seconds(settings.stepping.step_s), last_.time,
                              computing_s_ > 0.0 ? last_.time / computing_s_ : infinity)},
        {"Step time",
         fmt::format("mean {}, 95 % below {}, longest {}", mean(computing_s_),
                     format_seconds(percentile(step_s_, 0.95)), format_seconds(percentile(step_s_, 1.0)))},
        {"", fmt::format("collision {}, assembly {}, solve {}", mean(collision_s_), mean(assembly_s_),
                         mean(solve_s_))},
        {"Solver", fmt::format("{}, {:.3g} iterations a step; {} contacts at most", last_.solver,
                               static_cast<double>(iterations_) / count, most_contacts_)},
        {"Tolerance", fmt::format("{}: {}", tolerance_text(settings.solver.stop.tolerance),
                                  over_tolerance_ == 0
                                      ? "met in every step"
                                      : fmt::format("not met in {} of {} steps", over_tolerance_, steps_))},
        {"Worst error", fmt::format("relative {:.3g}{}", relative_error_.value, where(relative_error_))},
        {"", fmt::format("{:.3g} J{}", energy_error_J_.value, where(energy_error_J_))},
        {"Penetration", fmt::format("{:.3g} m{}", penetration_.value, where(penetration_))},
        {"Joint drift", fmt::format("{:.3g} m{}", drift_.value, where(drift_))},
        {"Energy",
         fmt::format("kinetic {:.6g} J, potential {:.6g} J; sum {:.6g} J, {:.6g} J after the first step",
                     last_.kinetic_J, last_.potential_J, last_.kinetic_J + last_.potential_J,
                     first_.kinetic_J + first_.potential_J)}};
    for (const auto& [when, what] : froze_) {
        result.push_back({result.back().label == "Frozen" || result.back().label.empty() ? "" : "Frozen",
                          fmt::format("since {:.4g} s: {}", when, what)});
    }
    return result;
}

void RunSummary::print(const SimulationSettings& settings) const {
    for (const SummaryLine& line : lines(settings)) print_text("{:<12} {}\n", line.label, line.value);
}

}  // namespace uptack::app

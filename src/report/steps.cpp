#include "steps.h"

#include <array>
#include <cmath>
#include <cstring>
#include <map>

#include "uptack/recording.h"
#include "uptack/solver.h"

namespace uptack::report {
namespace {

struct NumberColumn {
    const char* name;
    double (*value)(const StepReport&);
};

template <auto member>
double real(const StepReport& report) {
    return static_cast<double>(report.*member);
}

constexpr std::array numbers{NumberColumn{"time", real<&StepReport::time>},
                             NumberColumn{"step", real<&StepReport::step>},
                             NumberColumn{"energy_error_J", real<&StepReport::energy_error_J>},
                             NumberColumn{"relative_error", real<&StepReport::relative_error>},
                             NumberColumn{"tolerance_met", real<&StepReport::tolerance_met>},
                             NumberColumn{"contacts", real<&StepReport::contacts>},
                             NumberColumn{"rows", real<&StepReport::rows>},
                             NumberColumn{"islands", real<&StepReport::islands>},
                             NumberColumn{"iterations", real<&StepReport::iterations>},
                             NumberColumn{"collision_s", real<&StepReport::collision_s>},
                             NumberColumn{"assembly_s", real<&StepReport::assembly_s>},
                             NumberColumn{"solve_s", real<&StepReport::solve_s>},
                             NumberColumn{"total_s", real<&StepReport::total_s>},
                             NumberColumn{"kinetic_J", real<&StepReport::kinetic_J>},
                             NumberColumn{"potential_J", real<&StepReport::potential_J>},
                             NumberColumn{"max_penetration", real<&StepReport::max_penetration>},
                             NumberColumn{"max_joint_drift", real<&StepReport::max_joint_drift>},
                             NumberColumn{"sleeping", real<&StepReport::sleeping>},
                             NumberColumn{"worst_error_J", real<&StepReport::worst_error_J>}};

std::string status_text(const StepReport& report) {
    return std::string(status_name(report.status));
}

struct TextColumn {
    const char* name;
    std::string (*value)(const StepReport&);
};

template <auto member>
std::string text(const StepReport& report) {
    return report.*member;
}

constexpr std::array texts{TextColumn{"worst", text<&StepReport::worst>},
                           TextColumn{"deepest", text<&StepReport::deepest>},
                           TextColumn{"loosest", text<&StepReport::loosest>},
                           TextColumn{"solver", text<&StepReport::solver>},
                           TextColumn{"status", status_text},
                           TextColumn{"reason", text<&StepReport::reason>}};

/// Little-endian, as every machine that this is built for has it.
template <class T>
void append(std::string& bytes, T value) {
    std::array<char, sizeof(T)> raw{};
    std::memcpy(raw.data(), &value, sizeof(T));
    bytes.append(raw.data(), raw.size());
}

/// Each text once, in the order in which they come.
class Strings {
public:
    explicit Strings(std::vector<std::string>& list) : list_(list) {}
    std::int32_t index(const std::string& words) {
        const auto [found, is_new] = seen_.try_emplace(words, static_cast<std::int32_t>(list_.size()));
        if (is_new) list_.push_back(words);
        return found->second;
    }

private:
    std::vector<std::string>& list_;
    std::map<std::string, std::int32_t> seen_;
};

/// NaN counts as larger than any number: it must be seen.
bool larger(double a, double b) {
    return std::isnan(a) ? !std::isnan(b) : a > b;
}

template <class T>
void take_larger(T& into, T from) {
    if (larger(static_cast<double>(from), static_cast<double>(into))) into = from;
}

void merge(StepReport& into, const StepReport& step) {
    if (larger(step.relative_error, into.relative_error)) {
        into.worst = step.worst;
        into.solver = step.solver;
        into.status = step.status;
        into.reason = step.reason;
    }
    if (larger(step.max_penetration, into.max_penetration)) into.deepest = step.deepest;
    if (larger(step.max_joint_drift, into.max_joint_drift)) into.loosest = step.loosest;
    for (const auto member :
         {&StepReport::energy_error_J, &StepReport::relative_error, &StepReport::worst_error_J,
          &StepReport::collision_s, &StepReport::assembly_s, &StepReport::solve_s, &StepReport::total_s,
          &StepReport::max_penetration, &StepReport::max_joint_drift}) {
        take_larger(into.*member, step.*member);
    }
    for (const auto member :
         {&StepReport::contacts, &StepReport::rows, &StepReport::islands, &StepReport::sleeping}) {
        take_larger(into.*member, step.*member);
    }
    take_larger(into.iterations, step.iterations);
    into.tolerance_met = into.tolerance_met && step.tolerance_met;
    into.step = step.step;
    into.time = step.time;
    into.kinetic_J = step.kinetic_J;
    into.potential_J = step.potential_J;
}

}  // namespace

StepReport merged_steps(std::span<const StepReport> steps) {
    StepReport result = steps.front();
    for (const StepReport& step : steps.subspan(1)) merge(result, step);
    return result;
}

StepColumns step_columns(std::span<const StepReport> reports, std::int64_t most) {
    StepColumns result;
    const std::int64_t steps = std::ssize(reports);
    result.merged = std::max<std::int64_t>(1, (steps + most - 1) / most);
    std::vector<StepReport> entries;
    for (std::int64_t k = 0; k < steps; k += result.merged) {
        const std::int64_t count = std::min(result.merged, steps - k);
        entries.push_back(
            merged_steps(reports.subspan(static_cast<std::size_t>(k), static_cast<std::size_t>(count))));
    }
    result.count = std::ssize(entries);
    for (const NumberColumn& column : numbers) {
        result.columns.emplace_back(column.name);
        const bool exact = result.columns.size() == 1;  // the time
        for (const StepReport& entry : entries) {
            if (exact) {
                append(result.bytes, column.value(entry));
            } else {
                append(result.bytes, single_precision(column.value(entry)));
            }
        }
    }
    Strings strings(result.strings);
    for (const TextColumn& column : texts) {
        for (const StepReport& entry : entries) append(result.bytes, strings.index(column.value(entry)));
    }
    return result;
}

}  // namespace uptack::report

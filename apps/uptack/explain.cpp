#include "explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace uptack::app {
namespace {

constexpr std::size_t most_islands = 12;

/// The stages of one island: they stand together.
using Island = std::span<const SolveStage>;

double seconds_of(Island island) {
    double sum = 0.0;
    for (const SolveStage& stage : island) sum += stage.seconds;
    return sum;
}

/// The dearest first.
std::vector<Island> islands_of(std::span<const SolveStage> stages) {
    std::vector<Island> islands;
    for (std::size_t first = 0; first < stages.size();) {
        std::size_t last = first + 1;
        while (last < stages.size() && stages[last].island == stages[first].island) ++last;
        islands.push_back(stages.subspan(first, last - first));
        first = last;
    }
    std::stable_sort(islands.begin(), islands.end(),
                     [](Island a, Island b) { return seconds_of(a) > seconds_of(b); });
    return islands;
}

double relative(double energy_J, const SolveStage& stage) {
    return stage.reference_J > 0.0 ? std::sqrt(energy_J / stage.reference_J) : 0.0;
}

std::string stage_line(const SolveStage& stage) {
    return fmt::format("    {:6} {:>6} iterations {:>9}   error {:.2g} -> {:.2g}   {}\n", stage.method,
                       stage.iterations, format_seconds(stage.seconds), relative(stage.before_J, stage),
                       relative(stage.after_J, stage), stage.why_ended);
}

}  // namespace

void ask_to_explain(std::string_view solver, OptionValues& options) {
    if (solver != "auto")
        throw UsageError(fmt::format("--explain: {} makes no choices; only the solver auto does", solver));
    options.emplace_back("explain", "true");
}

std::string explanation_text(std::span<const SolveStage> stages) {
    if (stages.empty()) return "  nothing had to be solved: the start already met the tolerance\n";
    const std::vector<Island> islands = islands_of(stages);
    std::string text;
    for (std::size_t k = 0; k < std::min(islands.size(), most_islands); ++k) {
        const Island island = islands[k];
        const SolveStage& first = island.front();
        text += first.island == SolveStage::all_together
                    ? fmt::format("  all islands together, {} rows\n", first.rows)
                    : fmt::format("  island {} with {} rows\n", first.island + 1, first.rows);
        for (const SolveStage& stage : island) text += stage_line(stage);
    }
    if (islands.size() <= most_islands) return text;
    double seconds = 0.0;
    for (const Island island : std::span(islands).subspan(most_islands)) seconds += seconds_of(island);
    return text + fmt::format("  and {} islands more in {}\n", islands.size() - most_islands,
                              format_seconds(seconds));
}

Json explanation_json(std::span<const SolveStage> stages) {
    Json list = Json::array();
    for (const SolveStage& stage : stages) {
        const bool all = stage.island == SolveStage::all_together;
        list.push_back({{"island", all ? Json() : Json(stage.island + 1)},
                        {"rows", stage.rows},
                        {"method", stage.method},
                        {"iterations", stage.iterations},
                        {"seconds", number(stage.seconds)},
                        {"error_before", number(relative(stage.before_J, stage))},
                        {"error_after", number(relative(stage.after_J, stage))},
                        {"why_ended", stage.why_ended}});
    }
    return list;
}

}  // namespace uptack::app

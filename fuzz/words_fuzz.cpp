// Values of the command line.  An input is a list of words, one per line; each is taken for a value of every
// kind of option, and all of them together for the settings of a scene.

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "live/commands.h"
#include "scene_files.h"
#include "support/fuzz.h"
#include "uptack/expression.h"
#include "words.h"

namespace uptack::fuzz {
namespace {

using app::UsageError;

constexpr const char* scene_text = R"({"uptack": 1,
    "parameters": {"count": 2, "size": {"value": 0.1, "min": 0, "max": 1}},
    "bodies": [{"name": "ball {i}", "shape": {"sphere": "size + 0.01"}, "repeat": {"i": "count"}}]})";
constexpr SceneLimits limits{.bodies = 50, .repetitions = 2000};

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return lines;
}

void read_formula(const std::string& word) {
    const std::array<std::string, 2> names{"t", "x"};
    const std::array<double, 2> values{0.3, -2.0};
    const auto formula = accepted([&] { return Expression::parse(word, names, "formula"); });
    if (!formula) return;
    const double value = formula->evaluate(values);
    const auto again = accepted([&] { return Expression::parse(formula->text(), names, "again"); });
    require(again.has_value(), "a formula's own text is refused");
    const double repeated = again->evaluate(values);
    require(value == repeated || (std::isnan(value) && std::isnan(repeated)),
            "a formula's own text has another value");
}

void read_settings(const Scene& scene, const app::SettingsWords& words) {
    const auto changed = accepted<UsageError>([&] { return app::with_settings(scene, words); });
    if (!changed) return;
    const StopRule& stop = changed->settings.solver.stop;
    require(stop.tolerance.value >= 0.0 && std::isfinite(stop.tolerance.value), "a tolerance that is none");
    require(changed->settings.stepping.step_s > 0.0, "a step that does not go on");
    require(changed->duration_s >= 0.0 && std::isfinite(changed->duration_s), "a duration that is none");
}

/// The first words in this order; budgets are checked before they get there.
app::SettingsWords settings_of(const std::vector<std::string>& words) {
    const auto word = [&](std::size_t k) { return k < words.size() ? words[k] : std::string(); };
    app::SettingsWords settings;
    settings.solver = word(0);
    settings.tolerance = word(1);
    settings.step = word(2);
    settings.duration = word(3);
    if (app::check_positive(word(4)).empty()) settings.budget_ms = word(4);
    return settings;
}

void read_word(const Scene& scene, const std::string& word) {
    read_formula(word);
    app::check_positive(word);
    app::check_not_negative(word);
    accepted<UsageError>([&] { return app::split_option(word); });
    accepted<UsageError>([&] { return app::size_from_words(word); });
    accepted<UsageError>([&] { return app::dump_from_words(word); });
    accepted<UsageError>([&] { return app::solver_from_label(word); });
    accepted<UsageError>([&] { return app::live::command_from_json(word); });
    accepted([&] { return parse_scene(scene_text, "fuzz", {{"count", word}, {"size", word}}, {}, limits); });
    app::SettingsWords words;
    for (std::string app::SettingsWords::*field :
         {&app::SettingsWords::solver, &app::SettingsWords::tolerance, &app::SettingsWords::duration,
          &app::SettingsWords::step}) {
        words = {};
        words.*field = word;
        read_settings(scene, words);
    }
    words = {};
    words.budget_ms = word;
    if (app::check_positive(word).empty()) read_settings(scene, words);
}

}  // namespace
}  // namespace uptack::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace uptack::fuzz;
    static const uptack::Scene scene = uptack::parse_scene(scene_text, "fuzz");
    const std::vector<std::string> words = lines_of(std::string(reinterpret_cast<const char*>(data), size));
    if (words.size() > 16) return 0;
    for (const std::string& word : words) read_word(scene, word);
    read_settings(scene, settings_of(words));
    return 0;
}

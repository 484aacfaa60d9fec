// How to simulate and from where to look.

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "builder.h"
#include "uptack/input_error.h"
#include "uptack/solvers.h"

namespace uptack::scene {
namespace {

constexpr double smallest = std::numeric_limits<double>::min();

/// A number is relative, "1e-6 J" is in joules.
Tolerance read_tolerance(Reader& reader, const Json& json) {
    Tolerance tolerance{.value = 0.0, .unit = ErrorUnit::relative};
    if (json.is_string()) {
        const std::string text = reader.text(json);
        const std::size_t unit = text.find_last_not_of(' ');
        if (unit != std::string::npos && unit > 0 && text[unit] == 'J' && text[unit - 1] == ' ') {
            tolerance.unit = ErrorUnit::joules;
            const Expression& formula = reader.scope().compile(text.substr(0, unit), reader.where(json));
            tolerance.value = reader.scope().evaluate(formula);
        }
    }
    if (tolerance.unit == ErrorUnit::relative) tolerance.value = reader.number(json);
    if (!(tolerance.value >= 0.0 && tolerance.value < infinity)) {
        reader.fail(json, fmt::format("{:g} is no tolerance; write 1e-4, or \"1e-6 J\"", tolerance.value));
    }
    return tolerance;
}

void read_solver(Reader& reader, const Json& json, SolverChoice& choice) {
    if (json.is_string()) {
        choice.name = reader.text(json);
    } else {
        const Object object(reader, json, kinds::solver);
        choice.name = reader.text(object.need("name"));
        if (const Json* options = object.find("options")) {
            if (!options->is_object()) reader.fail(*options, "an object is wanted, as in {\"omega\": 1.2}");
            for (const auto& [name, value] : options->get_ref<const Json::object_t&>()) {
                std::string text = value.is_boolean() ? (value.get<bool>() ? "true" : "false") : "";
                if (value.is_number()) text = number_text(value.get<double>());
                if (text.empty()) text = reader.filled_text(value);
                choice.options.emplace_back(name, text);
            }
        }
    }
    if (choice.name == "auto" && choice.options.empty()) return;
    reader.at(json, [&] { make_solver(choice.name, choice.options); });
}

void read_sleep(Reader& reader, const Json& json, SleepSettings& sleep) {
    if (json.is_boolean()) {
        sleep.enabled = json.get<bool>();
        return;
    }
    const Object object(reader, json, kinds::sleep);
    sleep.enabled = object.flag("enabled", true);
    sleep.linear_speed = object.number_within("linear_speed", sleep.linear_speed, 0.0, infinity);
    sleep.angular_speed = object.number_within("angular_speed", sleep.angular_speed, 0.0, infinity);
    sleep.after_s = object.number_within("after", sleep.after_s, 0.0, infinity);
}

void read_stepping(const Object& object, StepSettings& step) {
    step.step_s = object.number_within("step", step.step_s, smallest, 1e3);
    step.scheme = static_cast<Scheme>(object.choice("scheme", static_cast<int>(step.scheme)));
    step.stabilisation =
        static_cast<Stabilisation>(object.choice("stabilisation", static_cast<int>(step.stabilisation)));
    step.joint_recovery = object.number_within("joint_recovery", step.joint_recovery, 0.0, 1.0);
    step.contact_recovery = object.number_within("contact_recovery", step.contact_recovery, 0.0, 1.0);
    step.max_recovery_speed =
        object.number_within("max_recovery_speed", step.max_recovery_speed, 0.0, infinity);
    step.spook_relaxation = object.number_within("spook_relaxation", step.spook_relaxation, 0.0, infinity);
    step.friction = static_cast<ContactFriction>(object.choice("friction", static_cast<int>(step.friction)));
    step.bounce_speed = object.number_within("bounce_speed", step.bounce_speed, 0.0, infinity);
    step.envelope = object.number_within("envelope", step.envelope, 0.0, infinity);
    step.rest_gap = object.number_within("rest_gap", step.rest_gap, 0.0, infinity);
    step.rest_overlap = object.number_within("rest_overlap", step.rest_overlap, 0.0, infinity);
}

/// What the run would be made of: files count steps and frames up to here.
void check_length(Reader& reader, const Json& json, const Scene& scene) {
    constexpr double most_frames = 100e6;
    const double steps = scene.duration_s / scene.settings.stepping.step_s;
    const double frames = std::min(steps, scene.duration_s / scene.frame_s);
    if (steps * scene.settings.substeps > most_steps) {
        reader.exceed(json,
                      fmt::format("{:.3g} steps and substeps; the limit is {:g}, take a shorter duration "
                                  "or a longer step",
                                  steps * scene.settings.substeps, most_steps));
    }
    if (frames > most_frames) {
        reader.exceed(json,
                      fmt::format("{:.3g} frames; the limit is {:g}, take a shorter duration or a longer "
                                  "frame",
                                  frames, most_frames));
    }
}

}  // namespace

void read_settings(Reader& reader, const Json& json, Scene& scene) {
    const Object object(reader, json, kinds::settings);
    SimulationSettings& settings = scene.settings;
    read_stepping(object, settings.stepping);
    constexpr int most_substeps = 10'000;
    if (const Json* substeps = object.find("substeps"))
        settings.substeps = reader.whole(*substeps, 1, most_substeps);
    scene.duration_s = object.number_within("duration", scene.duration_s, 0.0, 1e9);
    scene.frame_s = object.number_within("frame", scene.frame_s, smallest, 1e9);
    if (const Json* solver = object.find("solver")) read_solver(reader, *solver, settings.solver);
    StopRule& stop = settings.solver.stop;
    if (const Json* tolerance = object.find("tolerance")) stop.tolerance = read_tolerance(reader, *tolerance);
    if (const Json* most = object.find("max_iterations")) {
        stop.max_iterations = reader.whole(*most, 1, std::numeric_limits<int>::max());
    }
    if (object.has("budget_ms"))
        stop.budget_s = 1e-3 * object.number_within("budget_ms", 0.0, smallest, infinity);
    if (const Json* sleep = object.find("sleep")) read_sleep(reader, *sleep, settings.sleep);
    settings.on_not_finite =
        static_cast<OnNotFinite>(object.choice("on_not_finite", static_cast<int>(settings.on_not_finite)));
    check_length(reader, json, scene);
}

void read_camera(Reader& reader, const Json& json, Camera& camera) {
    const Object object(reader, json, kinds::camera);
    camera.eye = object.vec3("eye", camera.eye);
    camera.target = object.vec3("target", camera.target);
    constexpr double widest = 170.0;  // perspective pictures fall apart towards 180
    camera.field_of_view_deg =
        object.number_within("field_of_view_deg", camera.field_of_view_deg, 1.0, widest);
}

}  // namespace uptack::scene

#include "keys.h"
#include "scene/scene_support.h"

namespace uptack::test {
namespace {

TEST(Settings, EveryFieldArrives) {
    const Scene scene =
        scene_of(R"("title": "T", "description": "D", "gravity": [1, 2, 3], "parameters": {"h": 0.5},
        "camera": {"eye": [1, 2, 3], "target": [4, 5, 6], "field_of_view_deg": 30},
        "settings": {"step": "h/2", "substeps": 3, "duration": 7, "frame": 0.1, "scheme": "euler", "stabilisation": "spook",
        "joint_recovery": 0.1, "contact_recovery": 0.3, "max_recovery_speed": 4, "spook_relaxation": 5, "friction": "box",
        "bounce_speed": 0.6, "envelope": 0.7, "solver": {"name": "psor", "options": {"omega": 1.5, "symmetric": true}},
        "tolerance": "h*1e-6 J", "max_iterations": 99, "budget_ms": 4,
        "sleep": {"linear_speed": 0.1, "angular_speed": 0.2, "after": 0.3}})");
    EXPECT_EQ(scene.title, "T");
    EXPECT_EQ(scene.description, "D");
    EXPECT_EQ(scene.model.gravity, (Vec3{1.0, 2.0, 3.0}));
    EXPECT_EQ(scene.camera.eye, (Vec3{1.0, 2.0, 3.0}));
    EXPECT_EQ(scene.camera.target, (Vec3{4.0, 5.0, 6.0}));
    EXPECT_EQ(scene.camera.field_of_view_deg, 30.0);
    EXPECT_EQ(scene.duration_s, 7.0);
    EXPECT_EQ(scene.frame_s, 0.1);
    const StepSettings& step = scene.settings.stepping;
    EXPECT_EQ(step.step_s, 0.25);
    EXPECT_EQ(scene.settings.substeps, 3);
    EXPECT_EQ(step.scheme, Scheme::euler);
    EXPECT_EQ(step.stabilisation, Stabilisation::spook);
    EXPECT_EQ(step.joint_recovery, 0.1);
    EXPECT_EQ(step.contact_recovery, 0.3);
    EXPECT_EQ(step.max_recovery_speed, 4.0);
    EXPECT_EQ(step.spook_relaxation, 5.0);
    EXPECT_EQ(step.friction, ContactFriction::box);
    EXPECT_EQ(step.bounce_speed, 0.6);
    EXPECT_EQ(step.envelope, 0.7);
    const SolverChoice& solver = scene.settings.solver;
    EXPECT_EQ(solver.name, "psor");
    EXPECT_EQ(solver.options, (OptionValues{{"omega", "1.5"}, {"symmetric", "true"}}));
    EXPECT_EQ(solver.stop.tolerance.unit, ErrorUnit::joules);
    EXPECT_EQ(solver.stop.tolerance.value, 0.5e-6);
    EXPECT_EQ(solver.stop.max_iterations, 99);
    EXPECT_EQ(solver.stop.budget_s, 0.004);
    EXPECT_TRUE(scene.settings.sleep.enabled);
    EXPECT_EQ(scene.settings.sleep.linear_speed, 0.1);
    EXPECT_EQ(scene.settings.sleep.angular_speed, 0.2);
    EXPECT_EQ(scene.settings.sleep.after_s, 0.3);
}

TEST(Settings, ToleranceAndSleepHaveShortForms) {
    const Scene scene = scene_of(R"("settings": {"tolerance": "1e-3/2", "sleep": true, "solver": "apgd"})");
    EXPECT_EQ(scene.settings.solver.stop.tolerance.unit, ErrorUnit::relative);
    EXPECT_EQ(scene.settings.solver.stop.tolerance.value, 0.5e-3);
    EXPECT_TRUE(scene.settings.sleep.enabled);
    EXPECT_EQ(scene.settings.solver.name, "apgd");
}

/// A key of the tables written out with the default that they give, where that is a value.
std::string written(const scene::Key& key) {
    const std::string fallback(key.fallback);
    const bool bare = fallback.starts_with('[') || fallback == "true" || fallback == "false";
    return fmt::format(R"("{}": {})", key.name, bare ? fallback : "\"" + fallback + "\"");
}

std::string all_written(const scene::ObjectKind& kind) {
    std::string text;
    for (const scene::Key& key : kind.keys) {
        if (key.fallback == "unlimited" || key.fallback == "chosen") continue;
        text += (text.empty() ? "" : ", ") + written(key);
    }
    return "{" + text + "}";
}

TEST(Defaults, OfTheTablesAreThoseOfTheProgram) {
    const std::string body = R"("bodies": [{"name": "b", "shape": {"box": 1}, "material": "m"}], )";
    const std::string plain = bits(scene_of(body + R"("materials": {"m": {}}, "settings": {"sleep": {}})"));
    EXPECT_EQ(plain, bits(scene_of(body + R"("materials": {"m": )" + all_written(scene::kinds::material) +
                                   R"(}, "settings": {"sleep": {}}, "gravity": [0, 0, -9.81])")));
    EXPECT_EQ(plain, bits(scene_of(body + R"("materials": {"m": {}}, "settings": {"sleep": )" +
                                   all_written(scene::kinds::sleep) + R"(}, "camera": )" +
                                   all_written(scene::kinds::camera))));
    const std::string awake = bits(scene_of(body + R"("materials": {"m": {}})"));
    EXPECT_EQ(awake, bits(scene_of(body + R"("materials": {"m": {}}, "settings": )" +
                                   all_written(scene::kinds::settings))));
}

TEST(Settings, NonsenseIsRefused) {
    for (const char* wrong : {R"("step": 0)", R"("step": -1)", R"("substeps": 0)", R"("substeps": 1.5)",
                              R"("duration": -1)", R"("scheme": "rk4")", R"("solver": "magic")",
                              R"("solver": {"name": "psor", "options": {"omega": 5}})", R"("tolerance": -1)",
                              R"("tolerance": "x J")", R"("sleep": 1)", R"("contact_recovery": 2)",
                              R"("max_iterations": 0)", R"("budget_ms": 0)", R"("envelope": -1)"}) {
        EXPECT_THROW(scene_of(fmt::format(R"("settings": {{{}}})", wrong)), InputError) << wrong;
    }
}

}  // namespace
}  // namespace uptack::test

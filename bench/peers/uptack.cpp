// Uptack, with the automatic solver at several tolerances.

#include <cmath>

#include "engine.h"

namespace uptack::peers {
namespace {

struct Choice {
    double tolerance = 1e-4;  ///< relative
    double budget_s = infinity;
    int substeps = 1;
    void (*adjust)(StepSettings&) = nullptr;  ///< what else is not as the scene has it
};

/// The convex cone that Chrono uses too: what slides also lifts, and newton solves it for certain.
void take_convex_friction(StepSettings& stepping) {
    stepping.friction = ContactFriction::convex;
}

/// Overlaps are corrected almost at once.
void prefer_speed(StepSettings& stepping) {
    take_convex_friction(stepping);
    stepping.contact_recovery = 0.8;
    stepping.rest_overlap = 0.0;
}

class Ours final : public Engine {
public:
    Ours(const Scene& scene, const Choice& choice) : simulation_(make_model(scene), settings(scene, choice)) {
        for (std::size_t i = 0; i < scene.bodies.size(); ++i)
            bodies_.push_back(static_cast<int>(i + scene.planes.size()));
    }

    void step() override { report_ = simulation_.step(); }

    void read(std::vector<BodyState>& bodies) override {
        const State& state = simulation_.state();
        bodies.resize(bodies_.size());
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            const auto index = static_cast<std::size_t>(bodies_[i]);
            bodies[i] = {state.pose[index], state.velocity[index]};
        }
    }

    int contacts() const override { return report_.contacts; }
    std::optional<StepQuality> quality() const override {
        return StepQuality{report_.relative_error, report_.tolerance_met};
    }
    double velocity_lag_s() const override { return simulation_.state().velocity_lag_s; }

private:
    static SimulationSettings settings(const Scene& scene, const Choice& choice) {
        SimulationSettings settings = make_settings(scene);
        if (choice.adjust != nullptr) choice.adjust(settings.stepping);
        settings.substeps = choice.substeps;
        settings.solver.stop.tolerance = {.value = choice.tolerance, .unit = ErrorUnit::relative};
        settings.solver.stop.budget_s = choice.budget_s;
        return settings;
    }

    Simulation simulation_;
    StepReport report_;
    std::vector<int> bodies_;  ///< of the scene -> of the model
};

Setting setting(const char* name, const char* detail, const Choice& choice) {
    return {.engine = "uptack", .name = name, .detail = detail, .start = [choice](const Scene& scene) {
                return std::make_unique<Ours>(scene, choice);
            }};
}

}  // namespace

Model make_model(const Scene& scene) {
    Model model;
    model.name = scene.name;
    model.gravity = scene.gravity;
    model.materials[0].friction = scene.friction;
    const std::uint32_t mask = scene.touching ? every_group : 0U;
    for (const Plane& plane : scene.planes) {
        BodyDefinition ground{.kind = BodyKind::fixed};
        ground.pose = {plane.offset * plane.normal, turn_between({0.0, 0.0, 1.0}, plane.normal)};
        ground.shapes = {{.geometry = HalfSpace{}, .mask = mask}};
        add_body(model, ground);
    }
    for (const SolidBody& solid : scene.bodies) {
        BodyDefinition body;
        body.pose.position = solid.position;
        body.velocity = solid.velocity;
        body.angular_velocity = solid.spin;
        body.mass =
            MassProperties{.mass = solid.mass,
                           .inertia = {solid.inertia[0], solid.inertia[1], solid.inertia[2], 0.0, 0.0, 0.0}};
        Shape shape{.mask = mask};
        std::visit([&](const auto& geometry) { shape.geometry = geometry; }, solid.shape);
        body.shapes = {shape};
        add_body(model, body);
    }
    const int first = static_cast<int>(scene.planes.size());
    for (const BallJoint& joint : scene.joints) {
        add_joint(model, {.kind = JointKind::spherical,
                          .body_a = joint.a == no_body ? no_body : joint.a + first,
                          .body_b = joint.b + first,
                          .frame = {.position = joint.anchor}});
    }
    return model;
}

SimulationSettings make_settings(const Scene& scene) {
    SimulationSettings settings;
    settings.stepping.step_s = scene.step_s;
    settings.stepping.rest_overlap = scene.rest_overlap;
    settings.stepping.envelope = scene.envelope;
    return settings;
}

std::vector<Setting> uptack_settings() {
    Setting fine = setting("8 substeps", "relative error 1e-4, every step in 8", {.substeps = 8});
    fine.only_scenes = {"whip"};
    Setting quick =
        setting("quick", "relative error 5e-2, convex friction, 0.8 of an overlap corrected in a step",
                {.tolerance = 5e-2, .adjust = prefer_speed});
    quick.only_scenes = {"pile", "wall"};
    Setting quick_10_ms = setting("quick 10 ms", "as quick, at most 10 ms for the solver",
                                  {.tolerance = 5e-2, .budget_s = 0.010, .adjust = prefer_speed});
    quick_10_ms.only_scenes = {"wall"};
    Setting convex =
        setting("convex", "relative error 1e-4, convex friction", {.adjust = take_convex_friction});
    convex.only_scenes = {"wall"};
    return {setting("1e-4", "relative error 1e-4", {}),
            setting("1e-2", "relative error 1e-2", {.tolerance = 1e-2}),
            setting("1e-6", "relative error 1e-6", {.tolerance = 1e-6}),
            setting("10 ms", "relative error 1e-4, at most 10 ms for the solver", {.budget_s = 0.010}),
            fine,
            quick,
            quick_10_ms,
            convex};
}

Roster all_engines() {
    Roster roster{.settings = uptack_settings()};
    [[maybe_unused]] const auto take = [&](const std::vector<Setting>& settings) {
        roster.settings.insert(roster.settings.end(), settings.begin(), settings.end());
    };
#ifdef UPTACK_PEER_BULLET
    take(bullet_settings());
#else
    roster.missing.emplace_back("Bullet (libbullet-dev)");
#endif
#ifdef UPTACK_PEER_ODE
    take(ode_settings());
#else
    roster.missing.emplace_back("ODE (libode-dev)");
#endif
#ifdef UPTACK_PEER_MUJOCO
    take(mujoco_settings());
#else
    roster.missing.emplace_back("MuJoCo (libmujoco-dev)");
#endif
#ifndef UPTACK_PEER_SICONOS
    roster.missing.emplace_back("Siconos (libsiconos-numerics-dev), so there is no siconos_bench");
#endif
    return roster;
}

}  // namespace uptack::peers

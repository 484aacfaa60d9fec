// What the benchmark asks of an engine.
//
// Written by: the adapters, one file per engine.  Read by: measure.cpp.
// An adapter only translates: scene in, poses and velocities out.  Nobody measures himself.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scenes.h"
#include "uptack/simulation.h"

namespace uptack::peers {

struct BodyState {
    Pose pose;
    Vec6 velocity{};  ///< of the centre of mass [m/s, rad/s], world
};

/// What an engine knows of the error of its last step; only ours does.
struct StepQuality {
    double relative_error = 0.0;
    bool tolerance_met = true;
};

class Engine {
public:
    Engine() = default;
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;
    virtual ~Engine() = default;

    virtual void step() = 0;
    /// One per body of the scene.  Not timed.
    virtual void read(std::vector<BodyState>& bodies) = 0;
    virtual int contacts() const = 0;  ///< points of the last step
    virtual std::optional<StepQuality> quality() const { return std::nullopt; }
    /// What the engine complained about so far; empty if nothing.
    virtual std::string complaint() const { return {}; }
    /// The velocities belong to so long before the poses [s].
    virtual double velocity_lag_s() const { return 0.0; }
};

struct Setting {
    std::string engine{};
    std::string name{};
    std::string detail{};  ///< what differs from the engine's defaults
    std::function<std::unique_ptr<Engine>(const Scene&)> start;
    std::vector<std::string> only_scenes{};  ///< where it makes sense; empty: everywhere
    /// Why this scene is not for this setting; empty where it is.
    std::function<std::string(const Scene&)> refusal = [](const Scene&) { return std::string(); };
};

std::vector<Setting> uptack_settings();
std::vector<Setting> bullet_settings();
std::vector<Setting> ode_settings();
std::vector<Setting> mujoco_settings();

/// The scene as a model of ours, with which overlaps are measured for every engine.
Model make_model(const Scene& scene);
/// And how we step it: friction by the exact law, relative error 1e-4.
SimulationSettings make_settings(const Scene& scene);

struct Roster {
    std::vector<Setting> settings{};     ///< ours first
    std::vector<std::string> missing{};  ///< engines that were not there when this was built
};
Roster all_engines();

}  // namespace uptack::peers

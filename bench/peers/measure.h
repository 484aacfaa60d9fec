// One scene stepped by one engine, timed and judged from outside.
//
// Written by: measure.cpp.  Read by: peers_bench.cpp, siconos_bench.cpp, report.cpp.
// Overlaps, drift and energy come from the poses and velocities alone, by the same code for every engine.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine.h"
#include "uptack/collision.h"

namespace uptack::peers {

/// Of all threads of the process [s]: a hidden thread would not be free.
double cpu_seconds();

/// Deepest overlap of bodies with each other and with the planes [m]; 0 where nothing overlaps.
class PenetrationMeter {
public:
    explicit PenetrationMeter(const Scene& scene);
    double operator()(std::span<const BodyState> bodies);

private:
    double of_spheres(std::span<const BodyState> bodies) const;
    double of_shapes(std::span<const BodyState> bodies);

    const Scene& scene_;
    bool only_spheres_ = true;  ///< exactly, without our collision detection
    Model model_;
    std::optional<Collider> collider_;
    State state_;
    ContactSet contacts_;
};

/// Largest distance of the two points that a joint should hold together [m].
double joint_drift(const Scene& scene, std::span<const BodyState> bodies);

/// Kinetic energy and gravity's potential [J], at the time of the velocities.
double total_energy(const Scene& scene, std::span<const BodyState> bodies, double velocity_lag_s);

struct PhaseResult {
    std::string scene{};
    std::string phase{};
    std::string engine{};
    std::string setting{};
    int steps = 0;           ///< measured
    double median_ms = 0.0;  ///< CPU time of the process per step
    double worst_ms = 0.0;
    std::optional<double> penetration_mm{};       ///< largest in the phase,
    std::optional<double> last_penetration_mm{};  ///< and in its last step
    std::optional<double> drift_mm{};             ///< largest in the phase
    std::optional<double> energy_drift{};         ///< largest in the phase, with its sign: + is gained
    std::optional<double> relative_error{};       ///< median of what the engine reports
    std::optional<double> worst_error{};          ///< largest
    double tolerance_met = 0.0;                   ///< share of the steps
    int contacts = 0;                             ///< of the phase's last step
    std::string note{};                           ///< what went wrong; steps is then smaller or 0
};

/// One result per measured phase.  Stops after `limit_s` of CPU time, or when a pose is not finite.
std::vector<PhaseResult> run(const Scene& scene, const Setting& setting, double limit_s);

}  // namespace uptack::peers

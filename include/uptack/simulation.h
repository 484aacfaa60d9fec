// A world in motion: holds the two arrows back, next state and warm start.
//
// Written by: simulation.  Read by: users, apps, recording, tests, benchmarks.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "uptack/assembly.h"
#include "uptack/certificate.h"
#include "uptack/contact.h"
#include "uptack/integrator.h"
#include "uptack/model.h"
#include "uptack/solver.h"
#include "uptack/solvers.h"
#include "uptack/state.h"
#include "uptack/stepping.h"

namespace uptack {

struct SolverChoice {
    std::string name = "auto";
    OptionValues options;
    StopRule stop{.tolerance = {.value = 1e-4, .unit = ErrorUnit::relative}, .max_iterations = 2000};
};

struct SleepSettings {
    bool enabled = false;
    double linear_speed = 0.01;   ///< below these a body counts as still [m/s]
    double angular_speed = 0.02;  ///< [rad/s]
    double after_s = 0.5;         ///< an island that has been still for so long falls asleep [s]
};

/// What to do about a step whose numbers are not finite; it is undone in any case.
enum class OnNotFinite : std::uint8_t {
    stop,    ///< the step reports Status::not_finite and its cause
    freeze,  ///< the bodies that caused it are frozen where they were, and the step is made without them
};

struct SimulationSettings {
    StepSettings stepping;
    int substeps = 1;  ///< each step is made of so many steps of step_s / substeps
    SolverChoice solver;
    SleepSettings sleep;
    OnNotFinite on_not_finite = OnNotFinite::stop;
};

/// What one step was like.  Of several substeps: the worst errors, the sums of seconds and iterations, the
/// last energies and counts.
struct StepReport {
    std::int64_t step = 0;
    double time = 0.0;  ///< after the step [s]; of a step that was undone, when it would have ended
    Status status = Status::converged;
    bool tolerance_met = true;  ///< by the certificate, whatever the solver thinks
    std::string solver;
    std::int64_t iterations = 0;
    double collision_s = 0.0;
    double assembly_s = 0.0;
    double solve_s = 0.0;
    double total_s = 0.0;
    double energy_error_J = 0.0;
    double relative_error = 0.0;
    std::string worst;  ///< the constraint with the largest error, for people; empty if there is none
    double worst_error_J = 0.0;
    std::string reason;  ///< what the solver said, when the status alone does not say it; of a step that is
                         ///< not finite, the first cause: which body or constraint, and what it was
    std::string froze;   ///< bodies that this step froze, and why; empty mostly
    int contacts = 0;
    int rows = 0;
    int islands = 0;
    int sleeping = 0;
    int frozen = 0;                ///< bodies that are, by now
    double max_penetration = 0.0;  ///< [m]
    std::string deepest;           ///< the pair that overlaps most
    double max_joint_drift = 0.0;  ///< [m]
    std::string loosest;           ///< the joint that drifts most
    double kinetic_J = 0.0;
    double potential_J = 0.0;          ///< gravity and springs
    std::vector<SolveStage> stages{};  ///< what the solver did, where it was asked to explain
};

/// A spring and damper between a point of a body and a point in the world, from outside the model: a hand.
struct Pull {
    int body = -1;                ///< index into Model::bodies
    Vec3 point_b{};               ///< where it takes hold, in the body's frame (centre of mass) [m]
    Vec3 target_w{};              ///< where it pulls to [m]
    double stiffness = 0.0;       ///< [N/m]
    double damping = 0.0;         ///< against the point's velocity [N s/m]
    double max_force = infinity;  ///< of the spring: from there on it does not pull harder [N]
};

/// Everything the next step depends on, but for a pull.
struct Checkpoint {
    State state;
    ImpulseMemory memory;
    bool operator==(const Checkpoint&) const = default;
};

class Simulation {
public:
    /// Throws InputError for a model or settings that cannot be right.
    explicit Simulation(Model model, SimulationSettings settings = {});
    ~Simulation();
    Simulation(Simulation&&) noexcept;
    Simulation& operator=(Simulation&&) noexcept;

    /// One step; never throws for numbers.  With status not_finite the state is the last good one, and so is
    /// the checkpoint; forces, problem and solution are those of the step that failed.
    StepReport step();

    /// Pulls in every step from now on, instead of what was pulled before; wakes the body.  Bodies that are
    /// not dynamic do not mind.  Stable for any stiffness, mass and step.  No part of model, checkpoint or
    /// reported energy: a run that is to be repeated is not pulled.  Throws InputError.
    void pull(const Pull& pull);
    void release();

    const Model& model() const;
    const SimulationSettings& settings() const;
    const State& state() const;

    // Of the last step:
    const ContactSet& contacts() const;
    const StepProblem& step_problem() const;
    const Solution& solution() const;
    const Certificate& certificate() const;
    std::vector<ContactReaction> contact_reactions() const;
    std::vector<JointReaction> joint_reactions() const;
    JointReaction joint_reaction(std::string_view joint) const;
    std::vector<CoordinateReading> joint_readings(std::string_view joint) const;
    Pose origin(std::string_view body) const;  ///< where the body's defining frame is now

    Checkpoint checkpoint() const;
    /// Continues bit by bit as the simulation that made the checkpoint would have.
    void restore(const Checkpoint& checkpoint);

private:
    struct Inside;
    std::unique_ptr<Inside> inside_;
};

}  // namespace uptack

#include "uptack/simulation.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "pull.h"
#include "sleep.h"
#include "substeps.h"
#include "uptack/collision.h"
#include "uptack/error_metric.h"
#include "uptack/input_error.h"
#include "uptack/islands.h"

namespace uptack {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

bool is_finite(const State& state) {
    for (std::size_t i = 0; i < state.pose.size(); ++i) {
        const Pose& p = state.pose[i];
        double sum = p.orientation.w + p.orientation.x + p.orientation.y + p.orientation.z;
        for (double x : p.position) sum += x;
        for (double v : state.velocity[i]) sum += v;
        if (!std::isfinite(sum)) return false;
    }
    return true;
}

void check(const SimulationSettings& settings) {
    const auto demand = [](bool fine, const char* what) {
        if (!fine) throw InputError("settings", what);
    };
    const StepSettings& s = settings.stepping;
    demand(s.step_s > 0.0 && s.step_s < infinity, "the step must be a positive time; 1/240 s is usual");
    demand(settings.substeps >= 1 && settings.substeps <= 10'000, "substeps must be 1 to 10000");
    demand(s.joint_recovery >= 0.0 && s.joint_recovery <= 1.0, "joint_recovery must be between 0 and 1");
    demand(s.contact_recovery >= 0.0 && s.contact_recovery <= 1.0,
           "contact_recovery must be between 0 and 1");
    demand(s.envelope >= 0.0 && s.envelope < infinity, "the envelope must be a length >= 0");
    demand(s.rest_gap >= 0.0 && s.rest_gap < infinity, "rest_gap must be a length >= 0");
    demand(s.max_recovery_speed >= 0.0, "max_recovery_speed must be >= 0");
    demand(s.bounce_speed >= 0.0, "bounce_speed must be >= 0");
    demand(s.spook_relaxation >= 0.0, "spook_relaxation must be >= 0");
    const StopRule& stop = settings.solver.stop;
    demand(stop.tolerance.value >= 0.0, "the tolerance must be >= 0");
    demand(stop.budget_s > 0.0, "the time budget must be positive");
    demand(stop.max_iterations > 0, "max_iterations must be positive");
}

}  // namespace

struct Simulation::Inside {
    Inside(Model given, SimulationSettings wanted)
        : model(std::move(given)),
          settings(std::move(wanted)),
          collider(model),
          assembler(model),
          solver(make_solver(settings.solver.name, settings.solver.options)),
          state(initial_state(model)) {
        assembler.follow_angles(state);
        before = state;
    }

    StepReport one_step(const StepSettings& stepping, const StopRule& stop);
    void scatter_velocities();
    void describe_step(StepReport& report) const;

    const Model model;
    const SimulationSettings settings;
    Collider collider;
    Assembler assembler;
    std::unique_ptr<Solver> solver;

    State state;           ///< arrow back: the next step's start
    ImpulseMemory memory;  ///< arrow back: the next step's guess
    std::optional<Pull> pull;

    State before;  ///< to undo a step that was not finite
    ContactSet contacts;
    FreeMotion motion;
    StepProblem step;
    Solution solution;
    Certificate certificate;
    Islands islands;
    std::vector<Vec6> velocity;
};

/// The whole step.
StepReport Simulation::Inside::one_step(const StepSettings& stepping, const StopRule& stop) {
    StepReport report;
    before = state;

    const auto start = Clock::now();
    if (pull) state.still_s[pull->body] = 0.0;
    if (settings.sleep.enabled) simulation::wake(model, contacts, settings.sleep, state);
    collider.collide(state, {.envelope = stepping.envelope, .lookahead_s = stepping.step_s}, contacts);
    report.collision_s = seconds_since(start);

    const auto assembling = Clock::now();
    free_motion(model, state, stepping, motion);
    assembler.stiffen(state, memory, stepping, motion);
    if (pull) simulation::add_pull(*pull, state, stepping, motion);
    assembler.assemble(state, contacts, motion, stepping, step);
    assembler.recall(memory, step, contacts, solution);
    report.assembly_s = seconds_since(assembling);

    const auto solving = Clock::now();
    const SolveReport solved = solver->solve(step.problem, solution, stop);
    report.solve_s = seconds_since(solving);

    certificate = certify(step.problem, solution.impulse);
    assembler.remember(step, contacts, solution, memory);
    scatter_velocities();
    advance(model, stepping, motion, velocity, state);
    assembler.follow_angles(state);
    find_islands(step.problem, islands);
    if (settings.sleep.enabled) simulation::doze(step, islands, settings.sleep, stepping.step_s, state);

    report.status = solved.status;
    report.iterations = solved.iterations;
    report.reason = solved.reason;
    report.tolerance_met = certificate.finite &&
                           meets(stop.tolerance, certificate.energy_error_J, certificate.reference_energy_J);
    if (!certificate.finite || !is_finite(state)) {
        report.status = Status::not_finite;
        report.tolerance_met = false;
        state = before;
        memory = {};
    }
    report.total_s = seconds_since(start);
    return report;
}

void Simulation::Inside::scatter_velocities() {
    velocity.resize(model.bodies.size());
    for (std::size_t i = 0; i < velocity.size(); ++i) {
        const int body = step.problem_body[i];
        velocity[i] = body == no_body ? motion.body[i].free_velocity : solution.velocity[body];
    }
}

/// What can be read off after the step; times and status are there already.
void Simulation::Inside::describe_step(StepReport& report) const {
    report.step = state.step;
    report.time = state.time;
    report.solver = solver->name();
    report.contacts = static_cast<int>(contacts.contacts.size());
    report.rows = step.problem.row_count();
    report.islands = islands.count;
    report.energy_error_J = certificate.energy_error_J;
    report.relative_error = certificate.relative_error;
    if (!certificate.worst.empty()) {
        report.worst = assembler.describe(step, certificate.worst.front().block);
        report.worst_error_J = certificate.worst.front().energy_error_J;
    }
    const auto deepest = std::min_element(contacts.contacts.begin(), contacts.contacts.end(),
                                          [](const Contact& a, const Contact& b) { return a.gap < b.gap; });
    if (deepest != contacts.contacts.end() && deepest->gap < 0.0) {
        report.max_penetration = -deepest->gap;
        report.deepest = model.bodies[deepest->body_a].name + " | " + model.bodies[deepest->body_b].name;
    }
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
        const double drift = assembler.drift(state, static_cast<int>(j));
        if (drift > report.max_joint_drift) {
            report.max_joint_drift = drift;
            report.loosest = model.joints[j].name;
        }
    }
    report.sleeping = static_cast<int>(std::count(state.still_s.begin(), state.still_s.end(), infinity));
    const Energy now = energy(model, state);
    report.kinetic_J = now.kinetic_J;
    report.potential_J = now.potential_J + assembler.spring_energy(state);
}

Simulation::Simulation(Model model, SimulationSettings settings) {
    const std::vector<Fault> faults = validate(model, 1);
    if (!faults.empty()) throw InputError(faults.front().where, faults.front().message);
    check(settings);
    inside_ = std::make_unique<Inside>(std::move(model), std::move(settings));
}

Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

StepReport Simulation::step() {
    StepSettings stepping = inside_->settings.stepping;
    StopRule stop = inside_->settings.solver.stop;
    const int substeps = inside_->settings.substeps;
    stepping.step_s /= substeps;
    stop.budget_s /= substeps;

    StepReport report;
    for (int i = 0; i < substeps; ++i) {
        StepReport last = inside_->one_step(stepping, stop);
        inside_->describe_step(last);
        simulation::add_substep(report, last);
        if (last.status == Status::not_finite) break;
    }
    return report;
}

void Simulation::pull(const Pull& pull) {
    simulation::check(pull, inside_->model);
    inside_->pull = pull;
}
void Simulation::release() {
    inside_->pull.reset();
}

const Model& Simulation::model() const {
    return inside_->model;
}
const SimulationSettings& Simulation::settings() const {
    return inside_->settings;
}
const State& Simulation::state() const {
    return inside_->state;
}
const ContactSet& Simulation::contacts() const {
    return inside_->contacts;
}
const StepProblem& Simulation::step_problem() const {
    return inside_->step;
}
const Solution& Simulation::solution() const {
    return inside_->solution;
}
const Certificate& Simulation::certificate() const {
    return inside_->certificate;
}
std::vector<ContactReaction> Simulation::contact_reactions() const {
    return inside_->assembler.contact_reactions(inside_->contacts, inside_->step, inside_->solution);
}
std::vector<JointReaction> Simulation::joint_reactions() const {
    return inside_->assembler.joint_reactions(inside_->before, inside_->step, inside_->solution);
}

JointReaction Simulation::joint_reaction(std::string_view joint) const {
    const int index = find_joint(inside_->model, joint);
    if (index < 0) throw InputError("joint '" + std::string(joint) + "'", "there is none of this name");
    return joint_reactions()[index];
}

std::vector<CoordinateReading> Simulation::joint_readings(std::string_view joint) const {
    const int index = find_joint(inside_->model, joint);
    if (index < 0) throw InputError("joint '" + std::string(joint) + "'", "there is none of this name");
    return inside_->assembler.readings(inside_->state, index);
}

Pose Simulation::origin(std::string_view body) const {
    const int index = find_body(inside_->model, body);
    if (index < 0) throw InputError("body '" + std::string(body) + "'", "there is none of this name");
    return origin_pose(inside_->model.bodies[index], inside_->state.pose[index]);
}

Checkpoint Simulation::checkpoint() const {
    return {inside_->state, inside_->memory};
}

void Simulation::restore(const Checkpoint& checkpoint) {
    const std::size_t bodies = inside_->model.bodies.size();
    const State& s = checkpoint.state;
    if (s.pose.size() != bodies || s.velocity.size() != bodies || s.still_s.size() != bodies ||
        s.joint_angle.size() != inside_->model.joints.size()) {
        throw InputError("checkpoint", "it belongs to another model; restore it into the one that made it");
    }
    inside_->state = checkpoint.state;
    inside_->memory = checkpoint.memory;
}

}  // namespace uptack

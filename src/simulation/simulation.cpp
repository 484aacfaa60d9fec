#include "uptack/simulation.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "culprit.h"
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

/// Loads on a body are summed up: in the order of their names, not in that of who was added first.
Model with_ordered_forces(Model model) {
    std::stable_sort(model.forces.begin(), model.forces.end(),
                     [](const AppliedForce& a, const AppliedForce& b) { return a.name < b.name; });
    return model;
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
    demand(s.rest_overlap >= 0.0 && s.rest_overlap < infinity, "rest_overlap must be a length >= 0");
    demand(s.max_recovery_speed >= 0.0, "max_recovery_speed must be >= 0");
    demand(s.bounce_speed >= 0.0, "bounce_speed must be >= 0");
    demand(s.spook_relaxation >= 0.0, "spook_relaxation must be >= 0");
    const StopRule& stop = settings.solver.stop;
    demand(stop.tolerance.value >= 0.0, "the tolerance must be >= 0");
    demand(stop.budget_s > 0.0, "the time budget must be positive");
    demand(stop.max_iterations > 0, "max_iterations must be positive");
}

/// What rests between two steps is to rest to the bit, unless somebody says otherwise.
std::unique_ptr<Solver> solver_of_steps(const SolverChoice& choice) {
    OptionValues options;
    if (choice.name == "auto") options.emplace_back("settle", "true");
    options.insert(options.end(), choice.options.begin(), choice.options.end());
    return make_solver(choice.name, options);
}

/// What stands is left with velocities that are wrong by up to the tolerance times g h.  Where the way they
/// lead counts as a gap or an overlap, the next step has to close it, with a new error, and so on for ever
/// (docs/decisions/015-rest-gap.md).
double rest_gap_at(Tolerance tolerance, const StepSettings& stepping, const Model& model) {
    constexpr double least = 2.0;  // of the tolerance: what leads a single body astray
    constexpr double tall = 10.0;  // and a wall of 25 courses, whose errors add up; but it must not be seen:
    constexpr double unseen = 0.02;  // of g h^2
    constexpr double loosest = 0.05;
    if (tolerance.unit != ErrorUnit::relative || stepping.rest_gap == 0.0) return stepping.rest_gap;
    const double fall = length(model.gravity) * stepping.step_s * stepping.step_s;
    const double e = std::min(tolerance.value, loosest);
    return std::max(stepping.rest_gap, std::max(least * e, std::min(tall * e, unseen)) * fall);
}

/// For the solver: what it cannot know, and whether velocities are needed before the certificate has them.
StopRule for_step(StopRule stop, const ImpulseMemory& memory, const Model& model) {
    stop.last_error = memory.relative_error;
    stop.wants_velocities = !model.joints.empty();
    return stop;
}

}  // namespace

struct Simulation::Inside {
    Inside(Model given, SimulationSettings wanted)
        : model(with_ordered_forces(std::move(given))),
          settings(std::move(wanted)),
          order(body_order(model)),
          collider(model),
          assembler(model),
          solver(solver_of_steps(settings.solver)),
          state(initial_state(model)) {
        assembler.follow_angles(state);
        before = state;
    }

    StepReport one_step(const StepSettings& stepping, const StopRule& stop);
    StepReport one_step_or_freeze(const StepSettings& stepping, const StopRule& stop);
    void collide(const StepSettings& stepping);
    void foresee_joints(const StepSettings& stepping);
    void settle_joints(const StepSettings& stepping, Tolerance tolerance);
    void follow_joints(const StepSettings& stepping);
    void scatter_velocities();
    bool move(const StepSettings& stepping);
    bool settle(const StepSettings& stepping, StepReport& report);
    void read_energies(StepReport& report) const;
    void undo(const StepSettings& stepping, StepReport& report);
    std::string freeze();
    void describe_step(StepReport& report) const;

    const Model model;
    const SimulationSettings settings;
    const std::vector<int> order;  ///< of the bodies, by name
    Collider collider;
    Assembler assembler;
    std::unique_ptr<Solver> solver;

    State state;           ///< arrow back: the next step's start
    ImpulseMemory memory;  ///< arrow back: the next step's guess
    std::optional<Pull> pull;

    State before;                 ///< to undo a step that was not finite
    simulation::Culprit culprit;  ///< of that step
    ContactSet contacts;
    FreeMotion motion;
    StepProblem step;
    Solution solution;
    Certifier certifier;
    Certificate certificate;
    Islands islands;
    std::vector<Vec6> velocity;
    State ahead;  ///< where it would lead: joints look there
    std::vector<double> straight_bias;
    std::vector<double> still;  ///< room for doze()
};

/// The whole step.
StepReport Simulation::Inside::one_step(const StepSettings& stepping, const StopRule& stop) {
    StepReport report;
    before = state;

    const auto start = Clock::now();
    collide(stepping);
    report.collision_s = seconds_since(start);

    const auto assembling = Clock::now();
    free_motion(model, state, stepping, motion);
    assembler.stiffen(state, memory, stepping, motion);
    if (pull) simulation::add_pull(*pull, state, stepping, motion);
    assembler.assemble(state, contacts, motion, stepping, step);
    assembler.recall(memory, step, contacts, solution);
    foresee_joints(stepping);
    report.assembly_s = seconds_since(assembling);
    if (!simulation::is_finite(contacts, step.problem)) {
        solution = {};
        certificate = {};
        undo(stepping, report);
        report.total_s = seconds_since(start);
        return report;
    }

    const auto solving = Clock::now();
    const SolveReport solved = solver->solve(step.problem, solution, for_step(stop, memory, model));
    settle_joints(stepping, stop.tolerance);
    report.solve_s = seconds_since(solving);

    certifier.certify(step.problem, solution, certificate);
    report.iterations = solved.iterations;
    if (move(stepping) && settle(stepping, report)) {
        assembler.remember(step, contacts, solution, memory);
        memory.relative_error = certificate.relative_error;
        // A solver that overflowed on its way came back with its best finite iterate: that is what counts.
        report.status = solved.status == Status::not_finite ? Status::stalled : solved.status;
        report.reason = solved.reason;
        report.stages = solved.stages;
        report.tolerance_met =
            meets(stop.tolerance, certificate.energy_error_J, certificate.reference_energy_J);
    } else {
        undo(stepping, report);
    }
    report.total_s = seconds_since(start);
    return report;
}

/// Contacts of the state as it is; bodies that wake need those with what they lie on too.
void Simulation::Inside::collide(const StepSettings& stepping) {
    const Reach reach{.envelope = stepping.envelope, .lookahead_s = stepping.step_s};
    if (pull && !is_frozen(state, static_cast<std::size_t>(pull->body))) state.still_s[pull->body] = 0.0;
    collider.collide(state, reach, contacts);
    if (settings.sleep.enabled && simulation::wake(model, contacts, settings.sleep, state)) {
        collider.collide(state, reach, contacts);
    }
}

/// To the next state; false where it would not be finite.
bool Simulation::Inside::move(const StepSettings& stepping) {
    scatter_velocities();
    if (!certificate.finite || !simulation::is_finite(velocity)) {
        state.velocity = velocity;  // for find_culprit()
        return false;
    }
    advance(model, stepping, motion, velocity, state);
    return simulation::is_finite(state);
}

/// What follows from the new state; false where its energies overflow.
bool Simulation::Inside::settle(const StepSettings& stepping, StepReport& report) {
    assembler.follow_angles(state);
    find_islands(step.problem, islands);
    if (settings.sleep.enabled)
        simulation::doze(step, islands, settings.sleep, stepping.step_s, still, state);
    read_energies(report);
    return std::isfinite(report.kinetic_J) && std::isfinite(report.potential_J);
}

void Simulation::Inside::read_energies(StepReport& report) const {
    const Energy now = energy(model, state, order);
    report.kinetic_J = now.kinetic_J;
    report.potential_J = now.potential_J + assembler.spring_energy(state);
}

/// Back to before the step, with the reason in the report.
void Simulation::Inside::undo(const StepSettings& stepping, StepReport& report) {
    const std::string name(solver->name());
    culprit = simulation::find_culprit({.model = model,
                                        .settings = stepping,
                                        .before = before,
                                        .contacts = contacts,
                                        .motion = motion,
                                        .assembler = assembler,
                                        .step = step,
                                        .solver = name,
                                        .solution = solution,
                                        .certificate = certificate,
                                        .after = state});
    state = before;
    read_energies(report);
    certificate = {};
    certificate.finite = false;
    report.status = Status::not_finite;
    report.tolerance_met = false;
    report.reason = culprit.what;
}

/// Freezes the culprits; their names, empty where there was nobody to freeze.
std::string Simulation::Inside::freeze() {
    std::string names;
    for (const int body : culprit.bodies) {
        if (model.bodies[body].kind == BodyKind::fixed) continue;
        if (is_frozen(state, static_cast<std::size_t>(body))) continue;
        state.frozen_at[body] = state.time;
        state.still_s[body] = infinity;
        state.velocity[body] = {};
        names += (names.empty() ? "" : ", ") + model.bodies[body].name;
    }
    return names;
}

/// Each attempt freezes a body or is the last one.
StepReport Simulation::Inside::one_step_or_freeze(const StepSettings& stepping, const StopRule& stop) {
    StepReport report = one_step(stepping, stop);
    std::string froze;
    while (report.status == Status::not_finite && settings.on_not_finite == OnNotFinite::freeze) {
        const std::string names = freeze();
        if (names.empty()) break;
        froze += (froze.empty() ? "" : "; ") + names + " (" + culprit.what + ")";
        const double spent = report.total_s;
        report = one_step(stepping, stop);
        report.total_s += spent;
    }
    report.froze = std::move(froze);
    return report;
}

/// Where the joints go is foreseen with the velocities as they are; those that are prescribed are known.
void Simulation::Inside::foresee_joints(const StepSettings& stepping) {
    if (model.joints.empty()) return;
    velocity.resize(model.bodies.size());
    for (std::size_t i = 0; i < velocity.size(); ++i) {
        velocity[i] = step.problem_body[i] == no_body ? motion.body[i].free_velocity : state.velocity[i];
    }
    follow_joints(stepping);
}

/// The velocities are found: the joints are held where these really lead, if the solver can follow at little
/// cost.  Together with the solve this is SHAKE with two Newton steps (docs/decisions/017).
void Simulation::Inside::settle_joints(const StepSettings& stepping, Tolerance tolerance) {
    if (model.joints.empty() || step.problem.blocks.empty() || !solver->can_correct()) return;
    scatter_velocities();
    if (!simulation::is_finite(velocity)) return;
    straight_bias = step.problem.bias;
    follow_joints(stepping);
    if (!solver->correct(step.problem, solution, tolerance)) step.problem.bias = straight_bias;
}

/// The bias of joints for a motion with `velocity`.
void Simulation::Inside::follow_joints(const StepSettings& stepping) {
    ahead = state;
    advance(model, stepping, motion, velocity, ahead);
    assembler.follow_curves(ahead, velocity, stepping, step);
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
    const bool failed = report.status == Status::not_finite;
    report.step = state.step + (failed ? 1 : 0);
    report.time = state.time + (failed ? settings.stepping.step_s / settings.substeps : 0.0);
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
    report.frozen = static_cast<int>(state.frozen_at.size()) -
                    static_cast<int>(std::count(state.frozen_at.begin(), state.frozen_at.end(), infinity));
    report.sleeping =
        static_cast<int>(std::count(state.still_s.begin(), state.still_s.end(), infinity)) - report.frozen;
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
    stepping.rest_gap = rest_gap_at(stop.tolerance, stepping, inside_->model);
    stop.budget_s /= substeps;

    StepReport report;
    for (int i = 0; i < substeps; ++i) {
        StepReport last = inside_->one_step_or_freeze(stepping, stop);
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
    inside_->state.frozen_at.resize(bodies, infinity);
    inside_->memory = checkpoint.memory;
}

}  // namespace uptack

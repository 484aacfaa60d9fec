#include "session.h"

#include <fmt/core.h>

#include <numbers>
#include <sstream>
#include <utility>

#include "messages.h"
#include "uptack/input_error.h"
#include "uptack/recording.h"
#include "uptack/report.h"
#include "uptack/solvers.h"

namespace uptack::app::live {
namespace {

using Clock = Board::Clock;

constexpr std::size_t most_waiting_commands = 256;
constexpr auto frame_time = std::chrono::microseconds(16'000);  // a little over 60 per second

// The hand swings what it holds at 4 Hz, well damped: the weight then hangs 16 mm below the pointer.  20 g
// are enough to throw things and too little to tear joints apart.
constexpr double hand_frequency_rad_s = 2.0 * std::numbers::pi * 4.0;
constexpr double hand_damping_ratio = 0.8;
constexpr double hand_acceleration = 20.0 * 9.81;

/// Of the body and of what hangs on it by joints [kg].
double mass_at_hand(const Model& model, int body) {
    std::vector<char> reached(model.bodies.size(), 0);
    std::vector<int> waiting{body};
    reached[body] = 1;
    double mass = 0.0;
    std::vector<std::vector<int>> neighbours(model.bodies.size());
    for (const Joint& joint : model.joints) {
        if (joint.body_a == no_body || joint.body_b == no_body) continue;
        neighbours[joint.body_a].push_back(joint.body_b);
        neighbours[joint.body_b].push_back(joint.body_a);
    }
    while (!waiting.empty()) {
        const int here = waiting.back();
        waiting.pop_back();
        mass += model.bodies[here].mass.mass;
        for (const int next : neighbours[here]) {
            if (reached[next] != 0 || model.bodies[next].kind != BodyKind::dynamic) continue;
            reached[next] = 1;
            waiting.push_back(next);
        }
    }
    return mass;
}

Pull hand(const Model& model, const PullTo& pull) {
    const double mass = mass_at_hand(model, pull.body);
    return {.body = pull.body,
            .point_b = pull.point_b,
            .target_w = pull.target_w,
            .stiffness = mass * hand_frequency_rad_s * hand_frequency_rad_s,
            .damping = 2.0 * hand_damping_ratio * mass * hand_frequency_rad_s,
            .max_force = mass * hand_acceleration};
}

Json solver_list() {
    Json list = Json::array();
    for (const SolverInfo& solver : list_solvers()) {
        list.push_back({{"name", solver.name}, {"summary", solver.summary}});
    }
    return list;
}

}  // namespace

// ---- from other threads -----------------------------------------------------------------------------------

Session::Session(SceneSource source, Board& board, bool paused)
    : source_(std::move(source)), board_(board), paused_(paused) {
    begin(read_with({}));
    first_scene_ = scene_;
}

Session::~Session() {
    board_.on_visit(nullptr);
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    work_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void Session::start() {
    board_.on_visit([this] {
        const std::lock_guard lock(mutex_);
        work_.notify_all();
    });
    thread_ = std::thread([this] { run(); });
}

void Session::ask(Command command) {
    const std::lock_guard lock(mutex_);
    // A hand that moves quickly is only where it is now.
    const bool replaces = !commands_.empty() && std::holds_alternative<PullTo>(commands_.back()) &&
                          std::holds_alternative<PullTo>(command);
    if (replaces) commands_.pop_back();
    if (commands_.size() >= most_waiting_commands) throw UsageError("too many commands are waiting");
    commands_.push_back(std::move(command));
    work_.notify_all();
}

std::string Session::page() const {
    std::string model;
    std::string title;
    {
        const std::lock_guard lock(mutex_);
        model = model_text_;
        title = title_;
    }
    const std::string document =
        fmt::format(R"({{"kind":"live","version":1,"creator":"uptack {}","model":{},"solvers":{}}})",
                    UPTACK_VERSION, model, to_text(solver_list(), -1));
    std::ostringstream html;
    write_page(html, title, document);
    return std::move(html).str();
}

// ---- the simulation's thread ------------------------------------------------------------------------------

void Session::run() {
    for (;;) {
        const std::deque<Command> commands = wait_for_work();
        for (const Command& command : commands) guarded(command);
        {
            const std::lock_guard lock(mutex_);
            if (ending_) return;
            if (!wants_step()) continue;
        }
        make_step();
        show_if_due();
    }
}

bool Session::wants_step() const {
    return steps_asked_ > 0 || (!paused_ && board_.visitors() > 0);
}

/// Until there is a command or it is time for a step.
std::deque<Command> Session::wait_for_work() {
    std::unique_lock lock(mutex_);
    if (!wants_step()) {
        work_.wait(lock, [this] { return ending_ || !commands_.empty() || wants_step(); });
        pace_.start(simulation_->state().time);
    } else if (steps_asked_ == 0) {
        const auto due = pace_.due(simulation_->state().time);
        work_.wait_until(lock, due, [this] { return ending_ || !commands_.empty(); });
    }
    return std::exchange(commands_, {});
}

void Session::guarded(const Command& command) {
    try {
        std::visit([this](const auto& c) { carry_out(c); }, command);
    } catch (const std::bad_alloc&) {
        say_error("out of memory; what was there goes on");
    } catch (const std::exception& error) {
        say_error(error.what());
    }
}

void Session::make_step() {
    StepReport report;
    try {
        report = simulation_->step();
    } catch (const std::exception& error) {
        pause_because(fmt::format("the step failed: {}", error.what()));
        return;
    }
    shown_ = false;
    board_.add_report(report);
    bool done = false;
    {
        const std::lock_guard lock(mutex_);
        if (steps_asked_ > 0) done = --steps_asked_ == 0;
    }
    if (report.status == Status::not_finite) {
        pause_because(
            fmt::format("step {} has numbers that are not finite ({}); paused before it. Take a "
                        "smaller step, or reset",
                        report.step, report.reason));
    } else if (report.status == Status::unsuitable) {
        pause_because(fmt::format("solver {} cannot take step {}: {}; choose another", report.solver,
                                  report.step, report.reason));
    } else if (done) {
        show();
    }
}

void Session::show_if_due() {
    if (!shown_ && Clock::now() - last_shown_ >= frame_time) show();
}

void Session::show() {
    bool paused = false;
    {
        const std::lock_guard lock(mutex_);
        paused = paused_;
    }
    const double factor = paused ? 0.0 : pace_.achieved(simulation_->state().time);
    board_.show_frame(
        frame_message(*simulation_, {.run = run_, .real_time_factor = factor, .paused = paused}));
    shown_ = true;
    last_shown_ = Clock::now();
}

void Session::pause_because(const std::string& reason) {
    {
        const std::lock_guard lock(mutex_);
        paused_ = true;
        steps_asked_ = 0;
    }
    say_error(reason);
    say_state();
    show();
}

// ---- commands ---------------------------------------------------------------------------------------------

void Session::carry_out(const Play&) {
    {
        const std::lock_guard lock(mutex_);
        paused_ = false;
    }
    pace_.start(simulation_->state().time);
    say_state();
}

void Session::carry_out(const Pause&) {
    {
        const std::lock_guard lock(mutex_);
        paused_ = true;
        steps_asked_ = 0;
    }
    say_state();
    show();
}

void Session::carry_out(const Reset&) {
    begin(scene_);
}

void Session::carry_out(const Release&) {
    pull_.reset();
    simulation_->release();
}

void Session::carry_out(const Steps& steps) {
    bool playing = false;
    {
        const std::lock_guard lock(mutex_);
        playing = !std::exchange(paused_, true);
        steps_asked_ = steps.count;
    }
    if (playing) say_state();
}

void Session::carry_out(const SetParameters& set) {
    std::map<std::string, double> values = values_;
    for (const auto& [name, value] : set.values) values[name] = value;
    begin(read_with(values));
    values_ = std::move(values);
}

void Session::carry_out(const SetSolver& set) {
    SolverChoice choice = simulation_->settings().solver;
    if (choice.name == set.name) return;
    const SolverChoice& of_scene = scene_.settings.solver;
    choice.name = set.name;
    choice.options = of_scene.name == set.name ? of_scene.options : OptionValues{};
    change_solver(choice);
}

void Session::carry_out(const SetTolerance& set) {
    SolverChoice choice = simulation_->settings().solver;
    choice.stop.tolerance = set.tolerance;
    change_solver(choice);
}

void Session::carry_out(const SetBudget& set) {
    SolverChoice choice = simulation_->settings().solver;
    choice.stop.budget_s = set.budget_s;
    change_solver(choice);
}

void Session::carry_out(const SetSpeed& set) {
    pace_.set_speed(set.factor, simulation_->state().time);
    say_state();
}

void Session::carry_out(const PullTo& pull) {
    const Model& model = simulation_->model();
    if (std::cmp_greater_equal(pull.body, model.bodies.size())) throw UsageError("there is no such body");
    if (model.bodies[pull.body].kind != BodyKind::dynamic) return;
    pull_ = hand(model, pull);
    simulation_->pull(*pull_);
}

// ---- what they do -----------------------------------------------------------------------------------------

Scene Session::read_with(const std::map<std::string, double>& values) const {
    std::vector<std::string> settings;
    for (const std::string& word : source_.settings) {
        if (!values.contains(word.substr(0, word.find('=')))) settings.push_back(word);
    }
    for (const auto& [name, value] : values) settings.push_back(fmt::format("{}={:.17g}", name, value));
    return with_settings(load_scene(source_.scene, settings), source_.words);
}

/// A new run from the scene's start.  Where the scene is not fit for it, what was there goes on.
void Session::begin(Scene scene) {
    SimulationSettings settings = scene.settings;
    if (chosen_) settings.solver = *chosen_;
    auto simulation = std::make_unique<Simulation>(scene.model, settings);
    std::string model = model_json(scene);
    {
        const std::lock_guard lock(mutex_);
        title_ = scene.title.empty() ? scene.name : scene.title;
        model_text_ = model;
    }
    scene_ = std::move(scene);
    simulation_ = std::move(simulation);
    pull_.reset();
    pace_.start(0.0);
    ++run_;
    board_.say_hello(fmt::format(R"({{"type":"hello","run":{},"columns":{},"model":{}}})", run_,
                                 to_text(Json(step_columns()), -1), model),
                     run_);
    say_state();
    show();
}

/// The run goes on from where it is.
void Session::change_solver(const SolverChoice& choice) {
    SimulationSettings settings = simulation_->settings();
    settings.solver = choice;
    auto changed = std::make_unique<Simulation>(simulation_->model(), settings);
    changed->restore(simulation_->checkpoint());
    if (pull_) changed->pull(*pull_);
    simulation_ = std::move(changed);
    chosen_ = choice;
    say_state();
}

void Session::say_state() {
    const SolverChoice& solver = simulation_->settings().solver;
    bool paused = false;
    {
        const std::lock_guard lock(mutex_);
        paused = paused_;
    }
    const Json state{
        {"type", "state"},
        {"paused", paused},
        {"speed", pace_.speed()},
        {"solver", solver.name},
        {"tolerance", solver.stop.tolerance.value},
        {"tolerance_unit", solver.stop.tolerance.unit == ErrorUnit::joules ? "J" : "relative"},
        {"budget_ms", number(1e3 * solver.stop.budget_s)},
    };
    board_.say_state(to_text(state, -1));
}

void Session::say_error(const std::string& text) {
    board_.say_error(to_text(Json{{"type", "error"}, {"text", text}}, -1));
}

}  // namespace uptack::app::live

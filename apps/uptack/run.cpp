// uptack run: a scene, simulated; what was solved how well, and a recording of it.

#include <fmt/core.h>
#include <oneapi/tbb/global_control.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <csignal>
#include <memory>
#include <optional>
#include <vector>

#include "explain.h"
#include "run_summary.h"
#include "scene_files.h"
#include "uptack/input_error.h"
#include "uptack/problem_file.h"
#include "uptack/recording.h"
#include "verbs.h"
#include "words.h"

namespace uptack::app {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct RunArguments {
    std::string scene;
    SettingsWords words;
    std::vector<std::string> settings;
    std::string output;
    std::string resume;
    std::vector<std::string> dumps;
    double checkpoint_every_s = 10.0;
    RunOptions run;
    bool require = false;
    bool explain = false;
    bool json = false;
};

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// ---- Ctrl-C -----------------------------------------------------------------------------------------------

volatile std::sig_atomic_t stop_asked = 0;

extern "C" void ask_to_stop(int) {
    stop_asked = 1;
}

/// The first signal ends the run after the step; the second one ends the program at once.
class StopSignals {
public:
    StopSignals() {
        struct sigaction action {};
        action.sa_handler = ask_to_stop;
        action.sa_flags = static_cast<int>(SA_RESETHAND);
        sigaction(SIGINT, &action, &interrupt_);
        sigaction(SIGTERM, &action, &terminate_);
    }
    ~StopSignals() {
        sigaction(SIGINT, &interrupt_, nullptr);
        sigaction(SIGTERM, &terminate_, nullptr);
    }
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

private:
    struct sigaction interrupt_ {};
    struct sigaction terminate_ {};
};

// ---- what to do -------------------------------------------------------------------------------------------

/// What is to be simulated, and what has been already.
struct Job {
    Scene scene;
    std::string recording;  ///< to go on with, or empty
    std::optional<Checkpoint> start;
    std::vector<StepReport> earlier;
    std::vector<Dump> dumps;
};

void resume_job(const RunArguments& arguments, Job& job) {
    job.recording = recording_file(arguments.resume);
    const Recording recording(job.recording);
    job.start = recording.last_checkpoint();  // none: killed before the first, and it starts again
    SettingsWords later;
    later.duration = arguments.words.duration;
    later.freeze = arguments.words.freeze;
    job.scene = with_settings(recording.scene(), later);
    if (!job.start) return;
    for (StepReport& report : recording.reports()) {
        if (report.step <= job.start->state.step) job.earlier.push_back(std::move(report));
    }
}

/// How many the run has made when it is resumed, and when it is over.
std::int64_t steps_before(const Job& job) {
    return job.start ? job.start->state.step / job.scene.settings.substeps : 0;
}
std::int64_t steps_in_all(const Job& job) {
    return std::llround(job.scene.duration_s / job.scene.settings.stepping.step_s);
}

void check_dumps(const Job& job) {
    const std::int64_t before = steps_before(job);
    const std::int64_t all = steps_in_all(job);
    for (const Dump& dump : job.dumps) {
        if (dump.step > before && dump.step <= all) continue;
        throw InputError(
            fmt::format("--dump-step {}:{}", dump.step, dump.file),
            before >= all ? "the run is over and makes no step; give it a longer --duration"
                          : fmt::format("this run makes steps {} to {}; take one of them", before + 1, all));
    }
}

void check_files(const RunArguments& arguments, const Job& job) {
    std::vector<fs::path> outputs{arguments.output};
    for (const Dump& dump : job.dumps) outputs.emplace_back(dump.file);
    if (job.recording.empty()) return check_outputs(outputs, {scene_path(arguments.scene)});
    check_outputs(outputs, {job.recording, finished_name(job.recording)});
}

Job make_job(const RunArguments& arguments) {
    Job job;
    if (arguments.resume.empty()) {
        job.scene = with_settings(load_scene(arguments.scene, arguments.settings), arguments.words);
    } else {
        resume_job(arguments, job);
    }
    SolverChoice& solver = job.scene.settings.solver;
    if (arguments.explain) ask_to_explain(solver.name, solver.options);
    for (const std::string& words : arguments.dumps) job.dumps.push_back(dump_from_words(words));
    check_dumps(job);
    check_files(arguments, job);
    return job;
}

// ---- doing it ---------------------------------------------------------------------------------------------

enum class Ending : std::uint8_t { finished, interrupted, not_finite, unsuitable };

const char* ending_name(Ending ending) {
    switch (ending) {
        case Ending::finished:
            return "finished";
        case Ending::interrupted:
            return "interrupted";
        case Ending::not_finite:
            return "not_finite";
        case Ending::unsuitable:
            return "unsuitable";
    }
    return "";
}

/// A line on stderr ten times a second, only where a person watches.
class ProgressLine {
public:
    ~ProgressLine() {
        if (watched_) fmt::print(stderr, "\r\033[K");
    }
    void show(const RunSummary& summary, double duration_s) {
        if (!watched_ || seconds_since(shown_) < 0.1) return;
        shown_ = Clock::now();
        const StepReport& last = summary.last();
        const int tenths = static_cast<int>(20.0 * std::min(1.0, last.time / duration_s));
        fmt::print(stderr,
                   "\r\033[K[{:<20}] t = {:.2f} of {:g} s   {:.3g} x real time   {} contacts   error {:.1e}",
                   std::string(static_cast<std::size_t>(tenths), '#'), last.time, duration_s,
                   last.time / summary.computing_s(), last.contacts, last.relative_error);
        std::fflush(stderr);
    }

private:
    bool watched_ = isatty(STDERR_FILENO) != 0;
    Clock::time_point shown_ = Clock::now();
};

class Runner {
public:
    Runner(const RunArguments& arguments, const Job& job)
        : arguments_(arguments), job_(job), simulation_(job.scene.model, job.scene.settings) {
        if (job.start) simulation_.restore(*job.start);
        for (const StepReport& report : job.earlier) summary.add(report);
        open_recording();
    }

    /// Steps until the end of the duration, Ctrl-C, or numbers that are none.
    Ending run() {
        const StopSignals signals;
        const double step_s = job_.scene.settings.stepping.step_s;
        const std::int64_t total = steps_in_all(job_);
        std::int64_t step = simulation_.state().step / job_.scene.settings.substeps;
        first_step = step;
        ProgressLine line;
        if (writer_ && !job_.start) {
            add_frame();
            add_checkpoint();
        }
        while (step < total) {
            if (stop_asked != 0) return close(Ending::interrupted);
            const StepReport report = simulation_.step();
            ++step;
            summary.add(report);
            if (writer_ && report.status == Status::not_finite) record_last_good();
            if (writer_) writer_->add_report(report);
            dump_problem(step);
            if (report.status == Status::not_finite) return close(Ending::not_finite);
            if (report.status == Status::unsuitable) return close(Ending::unsuitable);
            if (writer_) record(step, step_s);
            line.show(summary, job_.scene.duration_s);
        }
        return close(Ending::finished);
    }

    RunSummary summary;
    std::string output;  ///< of the recording, or empty
    int frames = 0;      ///< in this run
    std::int64_t first_step = 0;

private:
    void open_recording() {
        RecordingOptions options;
        options.flush_every_s = std::min(options.flush_every_s, arguments_.checkpoint_every_s);
        if (!job_.recording.empty()) {
            writer_.emplace(RecordingWriter::resume(job_.recording, options));
            output = finished_name(job_.recording).string();
        } else if (!arguments_.output.empty()) {
            writer_.emplace(arguments_.output, job_.scene, options);
            output = arguments_.output;
        }
    }

    void add_frame() {
        writer_->add_frame(make_frame(simulation_));
        last_frame_step_ = simulation_.state().step;
        ++frames;
    }

    /// The step was undone: this is the state before it.  A run that is resumed from the checkpoint drops
    /// what follows it, the frame and the report of the failure.
    void record_last_good() {
        add_checkpoint();
        if (last_frame_step_ != simulation_.state().step) add_frame();
    }

    void add_checkpoint() {
        writer_->add_checkpoint(simulation_.checkpoint());
        last_checkpoint_ = Clock::now();
    }

    /// A frame belongs to the step nearest to its time: a function of the step alone, so that a run that was
    /// resumed has the same frames.
    void record(std::int64_t step, double step_s) {
        const auto frame_of = [this, step_s](double steps) {
            return std::floor(steps * step_s / job_.scene.frame_s);
        };
        const auto now = static_cast<double>(step);
        if (frame_of(now + 0.5) > frame_of(now - 0.5)) add_frame();
        if (seconds_since(last_checkpoint_) >= arguments_.checkpoint_every_s) add_checkpoint();
    }

    void dump_problem(std::int64_t step) const {
        for (const Dump& dump : job_.dumps) {
            if (dump.step != step) continue;
            Problem problem = named_problem(simulation_);
            problem.name = fmt::format("{} step {}", job_.scene.name, step);
            write_problem(dump.file, problem);
        }
    }

    Ending close(Ending ending) {
        if (!writer_) return ending;
        // After a step that was not finite it is there already, and an unsuitable solver makes no state.
        if (ending == Ending::finished || ending == Ending::interrupted) add_checkpoint();
        if (ending == Ending::finished) {
            writer_->finish();
        } else {
            writer_->stop();
        }
        return ending;
    }

    const RunArguments& arguments_;
    const Job& job_;
    Simulation simulation_;
    std::optional<RecordingWriter> writer_;
    Clock::time_point last_checkpoint_ = Clock::now();
    std::int64_t last_frame_step_ = -1;
};

// ---- saying what came of it -------------------------------------------------------------------------------

Json run_json(const Job& job, const Runner& runner, Ending ending, bool explain) {
    const SolverChoice& solver = job.scene.settings.solver;
    Json options = Json::object();
    for (const auto& [name, value] : solver.options) options[name] = value;
    const bool joules = solver.stop.tolerance.unit == ErrorUnit::joules;
    Json document{{"scene", job.scene.name},
                  {"title", job.scene.title},
                  {"status", ending_name(ending)},
                  {"bodies", job.scene.model.bodies.size()},
                  {"joints", job.scene.model.joints.size()},
                  {"solver", solver.name},
                  {"settings", options},
                  {"tolerance", solver.stop.tolerance.value},
                  {"tolerance_unit", joules ? "J" : "relative"},
                  {"step_s", job.scene.settings.stepping.step_s},
                  {"duration_s", job.scene.duration_s},
                  {"resumed_from_step", !job.recording.empty() ? Json(runner.first_step) : Json(nullptr)}};
    document.update(runner.summary.json());
    document["reason"] = ending == Ending::finished ? "" : runner.summary.last_tried().reason;
    document["output"] = runner.output.empty() ? Json(nullptr) : Json(runner.output);
    document["frames"] = runner.frames;
    if (explain) document["decisions"] = explanation_json(runner.summary.slowest().stages);
    return document;
}

void print_run(const Job& job, const Runner& runner, Ending ending) {
    const Model& model = job.scene.model;
    print_text("Scene        {}{}: {} bodies, {} joints\n", job.scene.name,
               job.scene.title.empty() ? "" : " (" + job.scene.title + ")", model.bodies.size(),
               model.joints.size());
    if (!job.recording.empty()) print_text("Resumed      after step {}\n", runner.first_step);
    runner.summary.print(job.scene.settings);
    if (!runner.output.empty())
        print_text("Recording    {} ({} frames added)\n", runner.output, runner.frames);
    if (ending != Ending::interrupted) return;
    print_text("Stopped      on request, before t = {:g} s{}\n", job.scene.duration_s,
               runner.output.empty()
                   ? ""
                   : fmt::format("; 'uptack run --resume {}' goes on from here", runner.output));
}

void print_decisions(const StepReport& step) {
    print_text("\nDecisions in the slowest step, to t = {:g} s: {} rows in {} islands, solved in {}\n{}",
               step.time, step.rows, step.islands, format_seconds(step.solve_s),
               explanation_text(step.stages));
}

ExitCode exit_code(const RunArguments& arguments, const Job& job, const RunSummary& summary, Ending ending) {
    const StepReport& last = summary.last_tried();
    switch (ending) {
        case Ending::not_finite:
            print_error(fmt::format(
                "{}: step {} is not finite and was undone: {}; mend that, take a smaller --step, or "
                "go on without it with --freeze",
                job.scene.name, last.step, last.reason));
            return ExitCode::not_finite;
        case Ending::unsuitable:
            print_error(fmt::format("{}: solver {} cannot take step {}: {}; choose another with --solver",
                                    job.scene.name, last.solver, last.step, last.reason));
            return ExitCode::bad_input;
        case Ending::interrupted:
            return ExitCode::interrupted;
        case Ending::finished:
            break;
    }
    if (!arguments.require || summary.steps_over_tolerance() == 0) return ExitCode::ok;
    print_error(
        fmt::format("{}: tolerance not met in {} of {} steps; allow more time or iterations, or try "
                    "another solver",
                    job.scene.name, summary.steps_over_tolerance(), summary.steps()));
    return ExitCode::tolerance_not_met;
}

ExitCode run_run(const RunArguments& arguments) {
    const bool has_scene = !arguments.scene.empty();
    if (has_scene != arguments.resume.empty()) {
        throw UsageError(has_scene ? "--resume takes the scene from the recording; leave SCENE away"
                                   : "say which SCENE to run; 'uptack scenes' lists some");
    }
    const tbb::global_control threads(tbb::global_control::max_allowed_parallelism,
                                      thread_count(arguments.run));
    const Job job = make_job(arguments);
    Runner runner(arguments, job);
    const Ending ending = runner.run();
    if (arguments.json) {
        print_json(run_json(job, runner, ending, arguments.explain));
    } else {
        print_run(job, runner, ending);
        if (arguments.explain) print_decisions(runner.summary.slowest());
    }
    return exit_code(arguments, job, runner.summary, ending);
}

/// What would make a resumed run another one.
void add_settings(CLI::App& verb, RunArguments& arguments) {
    std::vector<CLI::Option*> fixed = add_scene_settings(verb, arguments.words, arguments.settings);
    fixed.push_back(
        verb.add_option("-o,--output", arguments.output, "Record to this file; FILE.part until finished"));
    CLI::Option* resume =
        verb.add_option("--resume", arguments.resume,
                        "Go on with this recording (FILE or FILE.part) from its last checkpoint");
    for (CLI::Option* option : fixed) resume->excludes(option);
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
    auto arguments = std::make_shared<RunArguments>();
    CLI::App* verb = app.add_subcommand("run", "Simulate a scene and say how well each step was solved");
    verb->add_option("SCENE", arguments->scene, "Scene file, or the name of one that 'uptack scenes' lists");
    add_settings(*verb, *arguments);
    verb->add_option("--duration", arguments->words.duration, "Simulated time in seconds");
    verb->add_option("--dump-step", arguments->dumps,
                     "Write the problem of a step as STEP:FILE, for 'uptack solve'; may be repeated")
        ->allow_extra_args(false);
    verb->add_option("--checkpoint-every", arguments->checkpoint_every_s,
                     "Seconds of wall clock between checkpoints in the recording; default 10")
        ->check(check_not_negative);
    verb->add_flag("--freeze", arguments->words.freeze,
                   "Go on when a step is not finite, with the bodies that caused it frozen where they were");
    verb->add_flag("--explain", arguments->explain,
                   "Say what auto did on each island of the slowest step, and why");
    verb->add_flag("--require", arguments->require,
                   "Exit with 4 when a step did not meet the tolerance by its certificate");
    add_threads_option(*verb, arguments->run);
    add_json_option(*verb, arguments->json);
    verb->footer(
        "Example:\n"
        "  uptack run pendulum -o pendulum.h5\n"
        "  uptack run wall --set rows=10 --solver newton --tolerance 1e-6J --require --json\n"
        "  uptack run --resume wall.h5.part\n"
        "\nCtrl-C stops after the step; the recording is then whole and can be resumed.");
    verb->callback([arguments, &action] { action = [arguments] { return run_run(*arguments); }; });
}

}  // namespace uptack::app

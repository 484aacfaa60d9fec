// uptack view: a scene that runs while it is watched, or a recording, in a browser.

#include <fmt/core.h>
#include <oneapi/tbb/global_control.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <sstream>

#include "live/board.h"
#include "live/server.h"
#include "live/session.h"
#include "run_summary.h"
#include "scene_files.h"
#include "uptack/input_error.h"
#include "uptack/recording.h"
#include "uptack/report.h"
#include "verbs.h"

namespace uptack::app {
namespace {

using namespace std::chrono_literals;

struct ViewArguments {
    std::string input;
    live::SceneSource source;
    int port = 0;
    RunOptions run;
    bool paused = false;
    bool open = false;
    bool keep = false;
    bool json = false;
};

// ---- waiting for the end ----------------------------------------------------------------------------------

/// Ctrl-C and its like, waited for instead of handled: to be made before any thread is, so that all inherit.
class EndSignals {
public:
    EndSignals() {
        sigemptyset(&set_);
        for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set_, signal);
        pthread_sigmask(SIG_BLOCK, &set_, &before_);
    }
    ~EndSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    EndSignals(const EndSignals&) = delete;
    EndSignals& operator=(const EndSignals&) = delete;

    /// True when one came within the time.
    bool came_within(std::chrono::nanoseconds time) const {
        const timespec patience{.tv_sec = 0, .tv_nsec = time.count()};
        return sigtimedwait(&set_, nullptr, &patience) > 0;
    }
    const sigset_t& before() const { return before_; }

private:
    sigset_t set_{};
    sigset_t before_{};
};

// A page that is loaded again is back within this.
constexpr auto page_absence = 3s;

/// Until a signal, or until the last page has been closed.
void wait_for_end(const EndSignals& signals, const live::Board& board, bool keep) {
    while (!signals.came_within(100ms)) {
        const auto since = board.empty_since();
        const bool closed = since != live::Board::Clock::time_point::max() &&
                            live::Board::Clock::now() - since > page_absence;
        if (closed && !keep) return;
    }
}

// ---- saying where it is -----------------------------------------------------------------------------------

void print_address(const live::Server& server, const ViewArguments& arguments, const std::string& what) {
    if (arguments.json) {
        print_json({{"view", what}, {"url", server.url()}, {"port", server.port()}});
    } else {
        print_text("{}\n  {}\n{}Ctrl-C ends.\n", what, server.url(),
                   arguments.keep ? "" : "Closing the page ends it; ");
    }
    std::fflush(stdout);
}

/// Asks the desktop; where there is none, the printed address has to do.
void open_browser(const std::string& url, const EndSignals& signals) {
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, &signals.before());
    std::string program = "xdg-open";
    std::string address = url;
    char* words[] = {program.data(), address.data(), nullptr};
    pid_t child = 0;
    if (posix_spawnp(&child, "xdg-open", nullptr, &attributes, words, environ) != 0) {
        print_error("no browser could be opened (xdg-open is not installed); open the address yourself");
    }
    posix_spawnattr_destroy(&attributes);
}

ExitCode serve(live::Server& server, live::Board& board, const EndSignals& signals,
               const ViewArguments& arguments, const std::string& what) {
    server.start();
    print_address(server, arguments, what);
    if (arguments.open) open_browser(server.url(), signals);
    wait_for_end(signals, board, arguments.keep);
    board.close();
    return ExitCode::ok;
}

// ---- the two kinds ----------------------------------------------------------------------------------------

ExitCode view_scene(const ViewArguments& arguments, const EndSignals& signals) {
    live::Board board;
    live::Session session(arguments.source, board, arguments.paused);
    live::Server server(
        {.page = [&session] { return session.page(); },
         .command = [&session](const std::string& json) { session.ask(live::command_from_json(json)); }},
        board, arguments.port);
    session.start();
    const Scene& scene = session.first_scene();
    return serve(server, board, signals, arguments,
                 fmt::format("{}: {} bodies, {} joints, live", scene.name, scene.model.bodies.size(),
                             scene.model.joints.size()));
}

/// The page of a recording asks for nothing; this tells the server that somebody still looks at it.
constexpr const char* presence_script =
    "<script>fetch(\"stream\").then(async (answer) => {\n"
    "    const reader = answer.body.getReader();\n"
    "    while (!(await reader.read()).done);\n"
    "}).catch(() => {});</script>\n";

std::string recording_page(const std::string& path) {
    const Recording recording(path);
    std::ostringstream html;
    write_report(html, recording,
                 {.recording = std::filesystem::path(path).filename().string(),
                  .command = "uptack view " + path,
                  .creator = "uptack " UPTACK_VERSION,
                  .summary = summary_of(recording)});
    std::string page = std::move(html).str();
    const std::size_t end = page.rfind("</body>");
    if (end != std::string::npos) page.insert(end, presence_script);
    return page;
}

ExitCode view_recording(const ViewArguments& arguments, const EndSignals& signals) {
    std::string page = recording_page(arguments.input);
    live::Board board;
    live::Server server({.page = [&page]() -> std::string { return page; }, .command = nullptr}, board,
                        arguments.port);
    return serve(server, board, signals, arguments, arguments.input + ", recorded");
}

ExitCode run_view(ViewArguments& arguments) {
    const EndSignals signals;
    const tbb::global_control threads(tbb::global_control::max_allowed_parallelism,
                                      thread_count(arguments.run));
    if (!has_page()) throw InputError("view", "this program was built without the page; build it with npm");
    std::error_code ignored;
    if (std::filesystem::exists(arguments.input, ignored) && !is_scene(arguments.input)) {
        const SettingsWords& words = arguments.source.words;
        const bool plain = arguments.source.settings.empty() && words.solver.empty() &&
                           words.tolerance.empty() && words.budget_ms.empty() && words.step.empty();
        if (!plain) throw UsageError("a recording is what it is; settings are for scenes");
        return view_recording(arguments, signals);
    }
    arguments.source.scene = arguments.input;
    return view_scene(arguments, signals);
}

}  // namespace

void add_view(CLI::App& app, Action& action) {
    auto arguments = std::make_shared<ViewArguments>();
    CLI::App* verb = app.add_subcommand("view", "Watch a scene run, or a recording, in a browser");
    verb->add_option("INPUT", arguments->input,
                     "Scene file, name of one that 'uptack scenes' lists, or recording")
        ->required();
    add_scene_settings(*verb, arguments->source.words, arguments->source.settings);
    verb->add_option("--port", arguments->port, "Port on 127.0.0.1; default: one that is free")
        ->check(CLI::Range(1, 65535));
    verb->add_flag("--open", arguments->open, "Open the page in the default browser (xdg-open)");
    verb->add_flag("--paused", arguments->paused, "Do not start until the page says so");
    verb->add_flag("--keep", arguments->keep, "Stay when the page is closed; only Ctrl-C ends");
    add_threads_option(*verb, arguments->run);
    add_json_option(*verb, arguments->json);
    verb->footer(
        "Example:\n"
        "  uptack view wall --set rows=10\n"
        "  uptack view run.h5 --open\n"
        "\nOnly this machine can open the address, and only who knows all of it. Closing the page or Ctrl-C "
        "ends the program.");
    verb->callback([arguments, &action] { action = [arguments] { return run_view(*arguments); }; });
}

}  // namespace uptack::app

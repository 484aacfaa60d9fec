// A scene that runs while somebody watches: the simulation's thread, obeying commands.
//
// Reads commands, writes to the board.  Knows nothing of HTTP.

#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "board.h"
#include "commands.h"
#include "pace.h"
#include "scene_files.h"
#include "uptack/simulation.h"

namespace uptack::app::live {

/// What is to be simulated, as the command line said it.
struct SceneSource {
    std::string scene;                  ///< file or name
    std::vector<std::string> settings;  ///< name=value of parameters
    SettingsWords words;
};

class Session {
public:
    /// Reads the scene; throws InputError, UsageError.
    Session(SceneSource source, Board& board, bool paused);
    /// Ends the thread after the step it is in.
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    const Scene& first_scene() const { return first_scene_; }

    /// The thread begins; it makes steps while the board has visitors.
    void start();
    /// To be done before the next step.  Throws UsageError where too many are waiting.
    void ask(Command command);
    /// The page for the scene as it is now: HTML.
    std::string page() const;

private:
    void run();
    bool wants_step() const;  ///< mutex_ is held
    std::deque<Command> wait_for_work();
    void guarded(const Command& command);
    void make_step();
    void show_if_due();
    void show();

    void carry_out(const Play&);
    void carry_out(const Pause&);
    void carry_out(const Reset&);
    void carry_out(const Release&);
    void carry_out(const Steps& steps);
    void carry_out(const SetParameters& set);
    void carry_out(const SetSolver& set);
    void carry_out(const SetTolerance& set);
    void carry_out(const SetBudget& set);
    void carry_out(const SetSpeed& set);
    void carry_out(const PullTo& pull);

    Scene read_with(const std::map<std::string, double>& values) const;
    void begin(Scene scene);
    void change_solver(const SolverChoice& choice);
    void pause_because(const std::string& reason);
    void say_state();
    void say_error(const std::string& text);

    const SceneSource source_;
    Board& board_;
    Scene first_scene_;

    // Of the simulation's thread alone, once it has begun:
    Scene scene_;
    std::map<std::string, double> values_;  ///< parameters that pages have set
    std::optional<SolverChoice> chosen_;    ///< by a page
    std::unique_ptr<Simulation> simulation_;
    std::optional<Pull> pull_;
    Pace pace_;
    std::uint32_t run_ = 0;
    bool shown_ = true;  ///< the state as it is
    Board::Clock::time_point last_shown_{};

    mutable std::mutex mutex_;
    std::condition_variable work_;
    std::deque<Command> commands_;
    std::string model_text_;  ///< for page()
    std::string title_;
    bool paused_ = false;
    int steps_asked_ = 0;
    bool ending_ = false;
    std::thread thread_;
};

}  // namespace uptack::app::live

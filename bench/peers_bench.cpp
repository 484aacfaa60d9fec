// The same scenes stepped by Uptack and, where they are installed, by Bullet, ODE and MuJoCo: one thread, one
// run, one set of meters.  docs/08-benchmarks.md says what is compared and why so.

#include <fmt/format.h>
#include <tbb/global_control.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>

#include "peers/measure.h"
#include "peers/report.h"

namespace uptack::peers {
namespace {

struct Options {
    std::vector<std::string> scenes;
    std::vector<std::string> engines;
    std::vector<std::string> settings;
    double limit_s = 120.0;
    std::string csv;
    std::string commit = "unknown";
};

bool chosen(const std::vector<std::string>& wanted, const std::string& name) {
    return wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end();
}

void compare(const Options& options) {
    const Origin origin = origin_of_run(options.commit);
    const Roster roster = all_engines();
    fmt::print("{}\nCPU time of one thread; median and worst over the phase; ratio to uptack 1e-4\n",
               describe(origin));
    for (const std::string& missing : roster.missing) fmt::print("not built with {}\n", missing);
    for (const Setting& setting : roster.settings) {
        if (chosen(options.engines, setting.engine)) {
            fmt::print("  {} {}: {}\n", setting.engine, setting.name, setting.detail);
        }
    }
    std::vector<PhaseResult> everything;
    for (const Scene& scene : all_scenes()) {
        if (!chosen(options.scenes, scene.name)) continue;
        print_heading(scene);
        for (const Setting& setting : roster.settings) {
            if (!chosen(options.engines, setting.engine) || !chosen(options.settings, setting.name)) continue;
            for (PhaseResult& result : run(scene, setting, options.limit_s)) {
                everything.push_back(std::move(result));
                print_line(everything.back(), everything);
            }
            if (!options.csv.empty()) write_csv(options.csv, origin, everything);
        }
    }
}

}  // namespace
}  // namespace uptack::peers

int main(int argc, char** argv) {
    uptack::peers::Options options;
    CLI::App app{"Uptack beside other engines on the same scenes"};
    app.add_option("--scene", options.scenes, "only these: stack chain whip pyramid pile wall spin");
    app.add_option("--engine", options.engines, "only these: uptack bullet ode mujoco");
    app.add_option("--setting", options.settings, "only these, as the list at the start names them");
    app.add_option("--limit", options.limit_s, "CPU seconds after which one run is cut")
        ->capture_default_str();
    app.add_option("--csv", options.csv, "write the results there too");
    app.add_option("--commit", options.commit, "what the results are of");
    CLI11_PARSE(app, argc, argv);
    const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
    try {
        uptack::peers::compare(options);
    } catch (const std::exception& error) {
        fmt::print(stderr, "peers_bench: {}\n", error.what());
        return 1;
    }
}

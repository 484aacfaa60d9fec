// uptack scenes: what came with the program.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "scene_files.h"
#include "verbs.h"

namespace uptack::app {
namespace {

ExitCode run_scenes(bool json) {
    const std::vector<BundledScene> scenes = bundled_scenes();
    if (json) {
        Json list = Json::array();
        for (const BundledScene& scene : scenes) {
            list.push_back({{"scene", scene.name},
                            {"title", scene.title},
                            {"description", scene.description},
                            {"file", scene.path.string()}});
        }
        print_json({{"scenes", std::move(list)}});
        return ExitCode::ok;
    }
    std::size_t width = 0;
    for (const BundledScene& scene : scenes) width = std::max(width, scene.name.size());
    for (const BundledScene& scene : scenes) print_text("{:<{}}  {}\n", scene.name, width, scene.title);
    return ExitCode::ok;
}

}  // namespace

void add_scenes(CLI::App& app, Action& action) {
    auto json = std::make_shared<bool>(false);
    CLI::App* verb = app.add_subcommand("scenes", "List the scenes that come with the program");
    add_json_option(*verb, *json);
    verb->footer("Example:\n  uptack scenes\n\nTheir names can be given to 'uptack run' in place of a file.");
    verb->callback([json, &action] { action = [json] { return run_scenes(*json); }; });
}

}  // namespace uptack::app

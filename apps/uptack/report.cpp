// uptack report: a recording as one HTML file that shows it, or a picture of that page.

#include "uptack/report.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <fstream>
#include <memory>
#include <optional>

#include "chromium.h"
#include "run_summary.h"
#include "scene_files.h"
#include "uptack/input_error.h"
#include "uptack/problem_file.h"
#include "uptack/recording.h"
#include "verbs.h"

namespace uptack::app {
namespace {

namespace fs = std::filesystem;

struct ReportArguments {
    std::string file;
    std::string output;
    PictureOptions picture;
    std::string at = "0";
    std::string show = "page";
    std::string colour;
    std::optional<std::vector<std::string>> draw;
    std::string follow;
    int every = 1;
    double max_mb = 60.0;
    bool json = false;
};

/// What somebody gave in place of a recording, with the verb for it.
void refuse_other_files(const std::string& file) {
    std::error_code ignored;
    if (is_recording(file)) return;
    if (is_scene(file)) {
        throw InputError(
            file, fmt::format("is a scene, not a recording; record it with 'uptack run {} -o run.h5' or "
                              "watch it with 'uptack view {}'",
                              file, file));
    }
    if (!fs::is_regular_file(file, ignored)) return;  // Recording says what is wrong
    std::string kind;
    try {
        kind = file_kind(file);
        read_problem(file);
    } catch (const InputError&) {
        return;
    }
    throw InputError(file,
                     fmt::format("is a problem ({}), not a recording; 'uptack compare {} -o page.html' makes "
                                 "a page of it",
                                 kind, file));
}

/// run.h5, run.h5.part -> run.html
std::string default_output(const std::string& file) {
    return finished_name(file).replace_extension(".html").string();
}

std::string command_text(const ReportArguments& arguments) {
    std::string text = "uptack report " + arguments.file;
    if (!arguments.output.empty()) text += " -o " + arguments.output;
    if (arguments.every != 1) text += fmt::format(" --every {}", arguments.every);
    if (arguments.max_mb != 60.0) text += fmt::format(" --max-mb {:g}", arguments.max_mb);
    return text;
}

std::string percent_encoded(const std::string& text) {
    std::string result;
    for (const char c : text) result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    return result;
}

/// What can be drawn beside the bodies, as the page names it.
constexpr std::array drawable{"contacts", "arrows", "chains", "joints", "worst"};

std::string picture_hash(const ReportArguments& arguments) {
    std::string hash = fmt::format("t={}&show={}&play=0", arguments.at, arguments.show);
    if (!arguments.colour.empty()) hash += "&colour=" + arguments.colour;
    if (!arguments.follow.empty()) hash += "&follow=" + percent_encoded(arguments.follow);
    if (!arguments.draw) return hash;
    const std::vector<std::string>& wanted = *arguments.draw;
    for (const char* name : drawable) {
        const bool shown = std::find(wanted.begin(), wanted.end(), name) != wanted.end();
        hash += fmt::format("&{}={}", name, shown ? 1 : 0);
    }
    return hash;
}

void check_follow(const ReportArguments& arguments, const Model& model) {
    const auto named = [&](const RigidBody& body) { return body.name == arguments.follow; };
    if (arguments.follow.empty() || std::any_of(model.bodies.begin(), model.bodies.end(), named)) return;
    throw UsageError(fmt::format(
        "--follow: no body is called '{}'; the page shows names when a body is clicked", arguments.follow));
}

std::string check_moment(const std::string& text) {
    return text == "end" ? "" : check_not_negative(text);
}

Json report_json(const ReportArguments& arguments, const Recording& recording, const std::string& output,
                 const ReportFacts& facts) {
    return {{"file", arguments.file},
            {"output", output.empty() ? Json(nullptr) : Json(output)},
            {"picture", arguments.picture.png.empty() ? Json(nullptr) : Json(arguments.picture.png)},
            {"finished", recording.finished()},
            {"bytes", facts.bytes},
            {"frames", facts.frames},
            {"recorded_frames", recording.frame_count()},
            {"every", facts.every},
            {"bodies", recording.scene().model.bodies.size()},
            {"contacts_kept", facts.contacts_kept},
            {"contacts_found", facts.contacts_found},
            {"joints", facts.joints},
            {"coarse", facts.coarse},
            {"position_precision_m", 0.5 * facts.quantum_m},
            {"rotation_precision_rad", facts.angle_rad}};
}

void print_report(const ReportArguments& arguments, const Recording& recording, const std::string& output,
                  const ReportFacts& facts) {
    if (!output.empty()) {
        print_text("Page         {}, {:.3g} MB; open it in a browser\n", output,
                   static_cast<double>(facts.bytes) * 1e-6);
    }
    if (!arguments.picture.png.empty()) print_text("Picture      {}\n", arguments.picture.png);
    print_text("Frames       {} of {}", facts.frames, recording.frame_count());
    if (facts.every > arguments.every) {
        print_text("; one of {} is there, since all would not fit into {:g} MB (--max-mb)", facts.every,
                   arguments.max_mb);
    }
    print_text("\nPrecision    positions to {:.2g} m, orientations to {:.2g} rad{}\n", 0.5 * facts.quantum_m,
               facts.angle_rad, facts.coarse ? "; coarser than usual, to fit (--max-mb)" : "");
    if (facts.contacts_kept < facts.contacts_found) {
        print_text("Contacts     the strongest {} of {}, since all would not fit into {:g} MB (--max-mb)\n",
                   facts.contacts_kept, facts.contacts_found, arguments.max_mb);
    }
    if (!recording.finished())
        print_text("The run is not finished: the page has what was recorded so far.\n");
}

ExitCode run_report(const ReportArguments& arguments) {
    const std::string file = recording_file(arguments.file);
    refuse_other_files(file);
    const Recording recording(file);
    check_follow(arguments, recording.scene().model);
    const bool only_picture = arguments.output.empty() && !arguments.picture.png.empty();
    const std::string output = only_picture               ? ""
                               : arguments.output.empty() ? default_output(file)
                                                          : arguments.output;
    check_outputs({output, arguments.picture.png}, {file});
    check_picture(arguments.picture);
    const ReportOptions options{.every = arguments.every,
                                .max_bytes = arguments.max_mb * 1e6,
                                .recording = fs::path(file).filename().string(),
                                .command = command_text(arguments),
                                .creator = "uptack " UPTACK_VERSION,
                                .summary = summary_of(recording)};
    ReportFacts facts;
    const auto make_page = [&](std::ostream& out) { facts = write_report(out, recording, options); };
    const auto copy_page = [&](std::ostream& out) { out << std::ifstream(output, std::ios::binary).rdbuf(); };
    if (!output.empty()) write_stream_file(output, make_page);
    if (only_picture) {
        write_picture(arguments.picture, picture_hash(arguments), make_page);
    } else if (!arguments.picture.png.empty()) {
        write_picture(arguments.picture, picture_hash(arguments), copy_page);
    }
    if (arguments.json) {
        print_json(report_json(arguments, recording, output, facts));
    } else {
        print_report(arguments, recording, output, facts);
    }
    return ExitCode::ok;
}

}  // namespace

void add_report(CLI::App& app, Action& action) {
    auto arguments = std::make_shared<ReportArguments>();
    CLI::App* verb =
        app.add_subcommand("report", "Make one HTML file that shows a recording, with its errors");
    verb->add_option("RECORDING", arguments->file, "Recording that 'uptack run -o' made, finished or not")
        ->required();
    verb->add_option("-o,--output", arguments->output,
                     "The page; default: the recording's name with .html, or only a picture with --png");
    verb->add_option("--every", arguments->every, "Take one of so many recorded frames")
        ->check(CLI::Range(1, 1'000'000));
    verb->add_option(
            "--max-mb", arguments->max_mb,
            "Leave out the weakest contacts, then frames, so that the page is not larger; default 60")
        ->check(check_positive);
    add_picture_options(*verb, arguments->picture);
    CLI::Option* png = verb->get_option("--png");
    verb->add_option("--at", arguments->at, "Moment of the picture: seconds, or end; default 0")
        ->needs(png)
        ->check(check_moment);
    verb->add_option("--show", arguments->show, "What is in the picture: page, scene or plots; default page")
        ->needs(png)
        ->check(CLI::IsMember({"page", "scene", "plots"}));
    verb->add_option(
            "--draw", arguments->draw,
            "What the picture shows beside the bodies, as chains,joints: of contacts, arrows, chains, "
            "joints, worst, or none; default joints,worst")
        ->needs(png)
        ->delimiter(',')
        ->check(CLI::IsMember({"contacts", "arrows", "chains", "joints", "worst", "none"}));
    verb->add_option("--follow", arguments->follow, "A body that the picture's camera goes with, by name")
        ->needs(png);
    verb->add_option("--colour", arguments->colour, "Bodies in the picture by material, speed, error or load")
        ->needs(png)
        ->check(CLI::IsMember({"material", "speed", "error", "load"}));
    add_json_option(*verb, arguments->json);
    verb->footer(
        "Example:\n"
        "  uptack report run.h5\n"
        "  uptack report run.h5 -o page.html --every 2\n"
        "  uptack report run.h5 --png run.png --at end --show scene");
    verb->callback([arguments, &action] { action = [arguments] { return run_report(*arguments); }; });
}

}  // namespace uptack::app

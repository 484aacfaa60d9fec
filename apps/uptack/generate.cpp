// uptack generate: the papers' benchmark problems.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "problem_summary.h"
#include "uptack/generators.h"
#include "uptack/input_error.h"
#include "uptack/problem_file.h"
#include "verbs.h"

namespace uptack::app {
namespace {

struct GenerateArguments {
    std::string name;
    std::string output;
    GeneratorRequest request;
    bool exact = false;
    bool json = false;
};

/// A wrong name or size is a wrong command line; a size beyond the limit stays a limit.
Problem generate_from_words(const std::string& name, const GeneratorRequest& request) {
    try {
        return generate(name, request);
    } catch (const LimitError&) {
        throw;
    } catch (const InputError& error) {
        throw UsageError(error.what());
    }
}

ExitCode run_generate(GenerateArguments& arguments) {
    check_outputs({arguments.output});
    if (arguments.exact) arguments.request.model = FrictionModel::exact;
    const Problem problem = generate_from_words(arguments.name, arguments.request);
    write_problem(arguments.output, problem);
    if (arguments.json) {
        Json document = size_json(problem);
        document["file"] = arguments.output;
        document["seed"] = arguments.request.seed;
        print_json(document);
    } else {
        print_text("{}: {}\n", arguments.output, describe_size(problem));
    }
    return ExitCode::ok;
}

std::string name_help() {
    std::string help = "Which problem:";
    for (const NamedGenerator& generator : list_generators()) {
        help += fmt::format("\n{:<16} {}", generator.name, generator.summary);
    }
    return help;
}

}  // namespace

void add_generate(CLI::App& app, Action& action) {
    auto arguments = std::make_shared<GenerateArguments>();
    GeneratorRequest& request = arguments->request;
    CLI::App* verb = app.add_subcommand("generate", "Make one of the papers' benchmark problems");
    verb->add_option("NAME", arguments->name, name_help())->required();
    verb->add_option("-o,--output", arguments->output, "File to write")->required();
    verb->add_option("--seed", request.seed, "Same seed, same bits; default 1")
        ->check(CLI::NonNegativeNumber);
    verb->add_option("--size", request.size, "Spheres, plates, links or bodies (b1: parts along an edge)")
        ->check(CLI::PositiveNumber);
    verb->add_option("--mass-ratio", request.mass_ratio, "Heaviest to lightest body (b3, chain)")
        ->check(check_positive);
    verb->add_option("--mu", request.mu, "Friction coefficient (b3, *-friction, random)")
        ->check(check_not_negative);
    verb->add_flag("--exact", arguments->exact, "Exact Coulomb cones instead of convex ones");
    add_json_option(*verb, arguments->json);
    verb->footer("Example:\n  uptack generate chain --size 50 --mass-ratio 1000 -o chain.h5");
    verb->callback([arguments, &action] { action = [arguments] { return run_generate(*arguments); }; });
}

}  // namespace uptack::app

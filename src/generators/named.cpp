// The list of all generators.  A new one is added to `entries` and nowhere else.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "size_checks.h"
#include "uptack/generators.h"
#include "uptack/input_error.h"

namespace uptack {

using namespace generators;

namespace {

constexpr double unset_mu = GeneratorRequest{}.mu;
constexpr double unset_mass_ratio = GeneratorRequest{}.mass_ratio;

int size_or(const GeneratorRequest& request, int usual) {
    return request.size == 0 ? usual : static_cast<int>(request.size);
}

double mass_ratio_or(const GeneratorRequest& request, double usual) {
    return request.mass_ratio == unset_mass_ratio ? usual : request.mass_ratio;
}

double mu_or(const GeneratorRequest& request, double usual) {
    return request.mu == unset_mu ? usual : request.mu;
}

Problem joint_network(const GeneratorRequest& request) {
    return generate_joint_network({.seed = request.seed, .edge = size_or(request, 10)});
}

struct PackingOfThePaper {
    int spheres = 0;
    int contacts = 0;
};
constexpr PackingOfThePaper b2 = {1000, 3525};
constexpr PackingOfThePaper shaker = {1900, 6500};

// A size of the user's own has as many contacts as it has.
SpherePackingOptions packing(const GeneratorRequest& request, const PackingOfThePaper& paper) {
    SpherePackingOptions options;
    options.seed = request.seed;
    options.spheres = size_or(request, paper.spheres);
    options.contacts = options.spheres == paper.spheres ? paper.contacts : 0;
    options.model = request.model;
    return options;
}

Problem still_packing(const GeneratorRequest& request) {
    return generate_sphere_packing(packing(request, b2));
}

Problem still_packing_with_friction(const GeneratorRequest& request) {
    SpherePackingOptions options = packing(request, b2);
    options.mu = mu_or(request, 0.3);
    return generate_sphere_packing(options);
}

Problem shaken_packing(const GeneratorRequest& request) {
    SpherePackingOptions options = packing(request, shaker);
    options.shaken = true;
    return generate_sphere_packing(options);
}

Problem shaken_packing_with_friction(const GeneratorRequest& request) {
    SpherePackingOptions options = packing(request, shaker);
    options.shaken = true;
    options.mu = mu_or(request, 0.3);
    return generate_sphere_packing(options);
}

Problem plate_stack(const GeneratorRequest& request) {
    return generate_plate_stack({.seed = request.seed,
                                 .plates = size_or(request, 20),
                                 .mass_ratio = mass_ratio_or(request, 100.0),
                                 .mu = mu_or(request, 0.5),
                                 .model = request.model});
}

// The size is the number of courses; a course is a fifth longer than the wall is high in bricks, as in the
// paper's.
Problem brick_wall(const GeneratorRequest& request) {
    const int courses = size_or(request, 25);
    return generate_brick_wall({.seed = request.seed,
                                .bricks_per_course = courses + courses / 5,
                                .courses = courses,
                                .mu = mu_or(request, 0.5),
                                .model = request.model});
}

Problem chain(const GeneratorRequest& request) {
    return generate_chain({.links = size_or(request, 100), .mass_ratio = mass_ratio_or(request, 1000.0)});
}

Problem random_mixture(const GeneratorRequest& request) {
    const int bodies = size_or(request, 20);
    return generate_random({.seed = request.seed,
                            .bodies = bodies,
                            .blocks = 2 * bodies,
                            .mu = mu_or(request, 0.5),
                            .model = request.model})
        .problem;
}

enum class Friction : std::uint8_t { none, coefficient };
enum class Masses : std::uint8_t { fixed, ratio };

struct Entry {
    const char* name;
    const char* summary;
    Problem (*make)(const GeneratorRequest&);
    Friction friction;
    Masses masses;
};

constexpr std::array entries = {
    Entry{"b1", "1000 parts tied by 3500 bilateral rows", joint_network, Friction::none, Masses::fixed},
    Entry{"b2", "1000 settled spheres, 3525 frictionless contacts", still_packing, Friction::none,
          Masses::fixed},
    Entry{"b2-friction", "the same spheres with friction cones, 10575 rows", still_packing_with_friction,
          Friction::coefficient, Masses::fixed},
    Entry{"b3", "a stack of 20 plates, masses 1 : 100, 80 frictional contacts", plate_stack,
          Friction::coefficient, Masses::ratio},
    Entry{"wall", "750 bricks in running bond hit by a ball, 8685 frictional contacts", brick_wall,
          Friction::coefficient, Masses::fixed},
    Entry{"shaker", "1900 spheres in a moving box, 6500 frictionless contacts", shaken_packing,
          Friction::none, Masses::fixed},
    Entry{"shaker-friction", "the shaken spheres with friction cones, 19500 rows",
          shaken_packing_with_friction, Friction::coefficient, Masses::fixed},
    Entry{"chain", "100 links on ball joints, the last 1000 times heavier", chain, Friction::none,
          Masses::ratio},
    Entry{"random", "every law, 20 bodies and 40 blocks", random_mixture, Friction::coefficient,
          Masses::fixed},
};

const Entry& find_entry(const std::string& name) {
    const auto* const found =
        std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) { return name == entry.name; });
    if (found != entries.end()) return *found;
    std::string known;
    for (const Entry& entry : entries) known += fmt::format(" {}", entry.name);
    throw InputError("generator", fmt::format("'{}' is not known; choose one of:{}", name, known));
}

// What the named problem does not have must not be asked for: ignoring it would hide a mistake.
void check_request(const Entry& entry, const GeneratorRequest& request) {
    if (request.size != 0) require_count("size", request.size, 1, most_bodies);
    if (request.mu != unset_mu) {
        require_friction("mu", request.mu);
        if (entry.friction == Friction::none) {
            throw InputError("mu", fmt::format("'{}' has no friction; leave it out", entry.name));
        }
    }
    if (request.mass_ratio != unset_mass_ratio) {
        require_mass_ratio("mass_ratio", request.mass_ratio);
        if (entry.masses == Masses::fixed) {
            throw InputError("mass_ratio", fmt::format("'{}' has none; leave it out", entry.name));
        }
    }
}

}  // namespace

std::vector<NamedGenerator> list_generators() {
    std::vector<NamedGenerator> list;
    list.reserve(entries.size());
    for (const Entry& entry : entries) list.push_back({entry.name, entry.summary});
    return list;
}

Problem generate(const std::string& name, const GeneratorRequest& request) {
    const Entry& entry = find_entry(name);
    check_request(entry, request);
    Problem problem = entry.make(request);
    problem.name = name;
    return problem;
}

}  // namespace uptack

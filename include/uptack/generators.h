// The papers' benchmark problems, made from a seed: same seed, same bits, on every machine.
//
// Written by: generators.  Read by: apps, tests, benchmarks.
// They know nothing of the solvers, so that a better solver cannot change the problems it is measured on.
// Options that make no sense throw InputError, sizes beyond 2,000,000 bodies LimitError.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "uptack/problem.h"

namespace uptack {

/// B1 of [spectral-gradient]: 1000 parts tied into a lattice by 3500 bilateral rows, masses 0.1 to 10 kg.
/// Other sizes have 3.5 rows per part too: ball joints, and a last joint of one or two rows.
struct JointNetworkOptions {
    std::uint64_t seed = 1;
    int edge = 10;  ///< parts along each edge of the lattice
};
Problem generate_joint_network(const JointNetworkOptions& options = {});

/// B2 and the shaker: equal spheres settled in an open box.  With mu = 0 every contact is one unilateral row.
/// Spheres are bodies 0 .. spheres-1; the box is one kinematic body after them.  Above 4000 spheres the bed
/// is wide and shallow, without side walls: a settled cell of about 1000 is repeated in x and y, each sphere
/// moved by its own tiny amount, and the contacts close periodically.
struct SpherePackingOptions {
    std::uint64_t seed = 1;
    int spheres = 1000;
    int contacts = 3525;  ///< the closest pairs are kept; 0 keeps every pair within 0.1 radius
    double mu = 0.0;      ///< > 0: three-row friction cones
    FrictionModel model = FrictionModel::convex;
    bool shaken = false;  ///< the box moves at (0.6, 0, 0.3) m/s, as in the shaker of [fixed-point, fig. 2]
};
Problem generate_sphere_packing(const SpherePackingOptions& options = {});

/// B3: a stack of plates of mass 1, ratio, 1, ratio, ..., the top one 3 ratio; four frictional contacts per
/// face.
struct PlateStackOptions {
    std::uint64_t seed = 1;
    int plates = 20;
    double mass_ratio = 100.0;
    double mu = 0.5;
    FrictionModel model = FrictionModel::convex;
};
Problem generate_plate_stack(const PlateStackOptions& options = {});

/// Like B4 at the moment of impact: a wall in running bond and a heavy ball against its middle, four
/// frictional contacts per joint.  750 bricks give 8685 contacts, far more than the bodies need.
struct BrickWallOptions {
    std::uint64_t seed = 1;
    int bricks_per_course = 30;
    int courses = 25;
    double mu = 0.5;
    FrictionModel model = FrictionModel::convex;
};
Problem generate_brick_wall(const BrickWallOptions& options = {});

/// A horizontal chain of ball joints held at one end, with a heavy body at the other.
struct ChainOptions {
    int links = 100;
    double mass_ratio = 1000.0;
};
Problem generate_chain(const ChainOptions& options = {});

/// A random mixed problem with all scalar laws and, with mu > 0, cones of 2 to 6 rows and box friction, whose
/// solution is known and strictly complementary.  Some bodies are kinematic, some blocks go to the world.
struct RandomProblemOptions {
    std::uint64_t seed = 1;
    int bodies = 20;
    int blocks = 40;
    double mu = 0.5;  ///< of the friction cones; 0: scalar laws only
    FrictionModel model = FrictionModel::convex;
    double compliance = 0.0;  ///< on every row [1/kg]
};
struct KnownProblem {
    Problem problem;
    std::vector<double> impulse;  ///< a solution
};
KnownProblem generate_random(const RandomProblemOptions& options = {});

/// The papers' problems by name: b1 b2 b2-friction b3 wall shaker shaker-friction chain random.
struct NamedGenerator {
    std::string name;
    std::string summary;
};
std::vector<NamedGenerator> list_generators();

/// Sizes and seed by name; a field left as it is here means the paper's own.
struct GeneratorRequest {
    std::uint64_t seed = 1;
    std::int64_t size = 0;    ///< spheres, plates, links or bodies; for b1 the parts along an edge
    double mass_ratio = 0.0;  ///< b3 and chain; an error for the others
    double mu = -1.0;         ///< b3, random and the -friction ones; an error for the others
    FrictionModel model = FrictionModel::convex;
};

/// Throws InputError for an unknown name (the message lists the known ones) or a request that makes no sense.
/// A packing of the paper's size has the paper's number of contacts, any other all within 0.1 radius.
Problem generate(const std::string& name, const GeneratorRequest& request = {});

}  // namespace uptack

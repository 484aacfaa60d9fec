// B1: the parts stand on a cubic lattice; a random spanning tree of its edges and some loops carry ball
// joints.
//
// 3.5 rows per part are wanted, three per joint: what is left over, one row or two, goes to a last joint that
// lets the point move in a plane or on a line.

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <vector>

#include "geometry.h"
#include "random.h"
#include "size_checks.h"
#include "uptack/generators.h"

namespace uptack {

using namespace generators;

namespace {

constexpr int longest_edge = 125;        // 125^3 is the last cube below most_bodies
constexpr double position_error = 1e-3;  // joints are off by up to half of this [m]

struct LatticeEdge {
    int from = 0;
    int to = 0;
    int axis = 0;
};

std::vector<LatticeEdge> lattice_edges(int edge) {
    std::vector<LatticeEdge> edges;
    for (int z = 0; z < edge; ++z) {
        for (int y = 0; y < edge; ++y) {
            for (int x = 0; x < edge; ++x) {
                const int part = x + edge * (y + edge * z);
                if (x + 1 < edge) edges.push_back({part, part + 1, 0});
                if (y + 1 < edge) edges.push_back({part, part + edge, 1});
                if (z + 1 < edge) edges.push_back({part, part + edge * edge, 2});
            }
        }
    }
    return edges;
}

int find_root(std::vector<int>& parent, int part) {
    while (parent[part] != part) {
        parent[part] = parent[parent[part]];
        part = parent[part];
    }
    return part;
}

// The edges of a spanning tree first, then those that close loops, both in the order given.
std::vector<LatticeEdge> tree_then_loops(const std::vector<LatticeEdge>& edges, int parts) {
    std::vector<int> parent(static_cast<std::size_t>(parts));
    std::iota(parent.begin(), parent.end(), 0);
    std::vector<LatticeEdge> tree;
    std::vector<LatticeEdge> loops;
    for (const LatticeEdge& edge : edges) {
        const int a = find_root(parent, edge.from);
        const int b = find_root(parent, edge.to);
        (a == b ? loops : tree).push_back(edge);
        parent[a] = b;
    }
    tree.insert(tree.end(), loops.begin(), loops.end());
    return tree;
}

Body random_part(RandomSource& random) {
    const double mass = log_uniform(random, 0.1, 100.0);
    const Vec3 half_extents = Vec3{0.3, 0.3, 0.3} + 0.1 * random_in_cube(random);
    Body part = solid_box(mass, half_extents);
    const Vec3 linear = 0.5 * random_in_cube(random);
    const Vec3 angular = 0.5 * random_in_cube(random);
    part.free_velocity = free_velocity(linear, angular, {0.0, 0.0, -gravity});
    return part;
}

// Three rows hold the point, two leave it the line between the parts, one leaves it the plane across.
void add_joint(Problem& problem, const LatticeEdge& edge, int rows_wanted, RandomSource& random) {
    const Vec3 arm = 0.5 * unit_axis(edge.axis);
    const int first_axis = rows_wanted == 3 ? 0 : rows_wanted == 2 ? edge.axis + 1 : edge.axis;
    std::array<JacobianRow, 3> rows;
    std::array<double, 3> bias{};
    const auto count = static_cast<std::size_t>(rows_wanted);
    for (std::size_t k = 0; k < count; ++k) {
        rows[k] = point_row(unit_axis((first_axis + static_cast<int>(k)) % 3), arm, -1.0 * arm);
        bias[k] = recovery * position_error * (random.uniform() - 0.5) / time_step;
    }
    add_block(problem, Bilateral{}, edge.from, edge.to, std::span(rows).first(count),
              std::span(bias).first(count));
}

}  // namespace

Problem generate_joint_network(const JointNetworkOptions& options) {
    require_count("edge", options.edge, 2, longest_edge);
    const int parts = options.edge * options.edge * options.edge;
    const int row_count = parts * 7 / 2;

    Problem problem;
    problem.name = "b1";
    problem.body_names = numbered_names("part", parts);
    RandomSource random(options.seed);
    problem.bodies.reserve(static_cast<std::size_t>(parts));
    for (int i = 0; i < parts; ++i) problem.bodies.push_back(random_part(random));

    std::vector<LatticeEdge> edges = lattice_edges(options.edge);
    shuffle(edges, random);
    edges = tree_then_loops(edges, parts);
    problem.jacobian.reserve(static_cast<std::size_t>(row_count));
    problem.bias.reserve(static_cast<std::size_t>(row_count));
    for (int row = 0, joint = 0; row < row_count; row += 3, ++joint) {
        add_joint(problem, edges[joint], std::min(3, row_count - row), random);
    }
    problem.block_names = numbered_names("joint", static_cast<int>(problem.blocks.size()));
    return problem;
}

}  // namespace uptack

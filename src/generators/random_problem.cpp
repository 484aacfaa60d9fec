// A random problem built backwards: impulses and velocities are chosen to obey the laws, strictly on one side
// of each complementarity, and the bias is what makes the velocities come out.

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>

#include "geometry.h"
#include "random.h"
#include "size_checks.h"
#include "uptack/generators.h"
#include "uptack/input_error.h"

namespace uptack {

using namespace generators;

namespace {

constexpr double kinematic_share = 0.1;  // of the bodies
constexpr double world_share = 0.2;      // of the blocks hold a body to the world

struct BlockSample {
    Law law;
    int rows = 0;
    std::array<double, max_block_rows> impulse{};
    std::array<double, max_block_rows> velocity{};
};

bool happens(RandomSource& random, double probability) {
    return random.uniform() < probability;
}

// Bounded away from zero, so that strictly active and strictly inactive can be told apart.
double clearly_positive(RandomSource& random) {
    return random.uniform(0.1, 1.0);
}

BlockSample sample_bilateral(RandomSource& random) {
    BlockSample sample{.law = Bilateral{}, .rows = 1 + random.below(max_block_rows)};
    for (double& x : sample.impulse) x = random.uniform(-1.0, 1.0);
    return sample;
}

BlockSample sample_unilateral(RandomSource& random) {
    BlockSample sample{.law = Unilateral{}, .rows = 1 + random.below(max_block_rows)};
    for (std::size_t i = 0; i < max_block_rows; ++i) {
        (happens(random, 0.5) ? sample.impulse : sample.velocity)[i] = clearly_positive(random);
    }
    return sample;
}

Interval sample_bounds(RandomSource& random) {
    const double lower = random.uniform(-1.0, 0.5);
    const double upper = lower + clearly_positive(random);
    switch (random.below(5)) {
        case 0:
            return {.lower = lower, .upper = infinity};
        case 1:
            return {.lower = -infinity, .upper = upper};
        case 2:
            return {.lower = lower, .upper = lower};
        default:
            return {.lower = lower, .upper = upper};
    }
}

struct RowSample {
    double impulse = 0.0;
    double velocity = 0.0;
};

RowSample sample_interval_row(RandomSource& random, const Interval& bounds) {
    if (bounds.lower == bounds.upper) return {bounds.lower, random.uniform(-1.0, 1.0)};
    const int side = random.below(3);
    if (side == 0 && std::isfinite(bounds.lower)) return {bounds.lower, clearly_positive(random)};
    if (side == 1 && std::isfinite(bounds.upper)) return {bounds.upper, -clearly_positive(random)};
    const double lower = std::isfinite(bounds.lower) ? bounds.lower : bounds.upper - 1.0;
    const double upper = std::isfinite(bounds.upper) ? bounds.upper : bounds.lower + 1.0;
    return {lower + (upper - lower) * random.uniform(0.1, 0.9), 0.0};
}

BlockSample sample_interval(RandomSource& random) {
    const Interval bounds = sample_bounds(random);
    BlockSample sample{.law = bounds, .rows = 1 + random.below(max_block_rows)};
    for (std::size_t i = 0; i < max_block_rows; ++i) {
        const RowSample row = sample_interval_row(random, bounds);
        sample.impulse[i] = row.impulse;
        sample.velocity[i] = row.velocity;
    }
    return sample;
}

// Fills `values` with a random direction of the given length.
void fill_with_length(RandomSource& random, std::span<double> values, double wanted) {
    double squared = 0.0;
    while (squared < 0.01 || squared > 1.0) {
        squared = 0.0;
        for (double& value : values) {
            value = random.uniform(-1.0, 1.0);
            squared += value * value;
        }
    }
    for (double& value : values) value *= wanted / std::sqrt(squared);
}

std::span<double> rows_of(std::array<double, max_block_rows>& values, const FrictionGroup& group) {
    return std::span(values).subspan(static_cast<std::size_t>(group.first),
                                     static_cast<std::size_t>(group.count));
}

// x strictly inside the group's disc, w = 0.
void sample_sticking(RandomSource& random, const FrictionGroup& group, BlockSample& sample) {
    const double limit = group.mu * sample.impulse[0];
    fill_with_length(random, rows_of(sample.impulse, group), limit * random.uniform(0.0, 0.9));
}

// x on the rim of the group's disc, w straight against it.
void sample_sliding(RandomSource& random, const FrictionGroup& group, BlockSample& sample) {
    const double limit = group.mu * sample.impulse[0];
    const std::span x = rows_of(sample.impulse, group);
    const std::span w = rows_of(sample.velocity, group);
    fill_with_length(random, x, limit);
    const double speed = clearly_positive(random);
    for (std::size_t i = 0; i < x.size(); ++i) w[i] = -speed * (x[i] / limit);
}

// x = 0: any tangential velocity.
void sample_lifted(RandomSource& random, const FrictionGroup& group, BlockSample& sample) {
    fill_with_length(random, rows_of(sample.velocity, group), clearly_positive(random));
}

// sum_g mu_g |w_g|: by how much the convex law opens a moving contact.  The exact law does not.
double convex_opening(const FrictionCone& cone, BlockSample& sample) {
    if (cone.model == FrictionModel::exact) return 0.0;
    double opening = 0.0;
    for (const FrictionGroup& group : friction_groups(cone, sample.rows)) {
        double squared = 0.0;
        for (const double w : rows_of(sample.velocity, group)) squared += w * w;
        opening += group.mu * std::sqrt(squared);
    }
    return opening;
}

// Lifted, sticking, or with the first and perhaps more of its groups sliding.
BlockSample sample_cone(RandomSource& random, const RandomProblemOptions& options) {
    const int rows = 2 + random.below(5);
    FrictionCone cone{.mu = options.mu, .model = options.model};
    if (rows >= 5) cone.mu_roll = options.mu * random.uniform(0.05, 0.2);
    if (rows == 4 || rows == 6) cone.mu_spin = options.mu * random.uniform(0.05, 0.2);
    BlockSample sample{.law = cone, .rows = rows};

    const bool lifted = happens(random, 0.25);
    double sliding_share = happens(random, 0.33) ? 0.0 : 1.0;
    if (!lifted) sample.impulse[0] = clearly_positive(random);
    for (const FrictionGroup& group : friction_groups(cone, rows)) {
        if (group.count == 0) continue;
        if (lifted) {
            sample_lifted(random, group, sample);
        } else if (happens(random, sliding_share)) {
            sample_sliding(random, group, sample);
        } else {
            sample_sticking(random, group, sample);
        }
        sliding_share *= 0.5;
    }
    sample.velocity[0] = convex_opening(cone, sample) + (lifted ? clearly_positive(random) : 0.0);
    return sample;
}

BlockSample sample_box(RandomSource& random, double mu) {
    BlockSample sample{.law = BoxFriction{.mu = mu}, .rows = 2 + random.below(2)};
    const bool lifted = happens(random, 0.25);
    (lifted ? sample.velocity : sample.impulse)[0] = clearly_positive(random);
    const double limit = mu * sample.impulse[0];
    for (std::size_t i = 1; i < 3; ++i) {
        const RowSample row = sample_interval_row(random, {.lower = -limit, .upper = limit});
        sample.impulse[i] = row.impulse;
        sample.velocity[i] = row.velocity;
    }
    return sample;
}

BlockSample sample_block(RandomSource& random, const RandomProblemOptions& options) {
    switch (random.below(options.mu > 0.0 ? 5 : 3)) {
        case 0:
            return sample_bilateral(random);
        case 1:
            return sample_unilateral(random);
        case 2:
            return sample_interval(random);
        case 3:
            return sample_cone(random, options);
        default:
            return sample_box(random, options.mu);
    }
}

// B B^T plus a little of the identity: symmetric and positive definite, no axis preferred.
Symmetric3 random_inverse_inertia(RandomSource& random) {
    std::array<Vec3, 3> b;
    for (Vec3& row : b) row = random_in_cube(random);
    return {dot(b[0], b[0]) + 0.1, dot(b[1], b[1]) + 0.1, dot(b[2], b[2]) + 0.1,
            dot(b[0], b[1]),       dot(b[0], b[2]),       dot(b[1], b[2])};
}

Vec6 random_vec6(RandomSource& random) {
    Vec6 v{};
    for (double& value : v) value = random.uniform(-1.0, 1.0);
    return v;
}

// The first body is always dynamic, so that every block can have one that is.
std::vector<Body> random_bodies(RandomSource& random, int count) {
    std::vector<Body> bodies(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        bodies[i].free_velocity = random_vec6(random);
        if (happens(random, kinematic_share) && i > 0) continue;
        bodies[i].inverse_mass = log_uniform(random, 0.1, 100.0);
        bodies[i].inverse_inertia_w = random_inverse_inertia(random);
    }
    return bodies;
}

struct BodyPair {
    int a = no_body;
    int b = no_body;
};

BodyPair random_pair(RandomSource& random, const std::vector<Body>& bodies) {
    const int count = static_cast<int>(bodies.size());
    int dynamic = random.below(count);
    while (bodies[dynamic].inverse_mass == 0.0) dynamic = random.below(count);
    int other = no_body;
    if (count > 1 && !happens(random, world_share)) other = (dynamic + 1 + random.below(count - 1)) % count;
    return happens(random, 0.5) ? BodyPair{dynamic, other} : BodyPair{other, dynamic};
}

// The sample's velocity goes where the bias will be, until the impulses of all blocks are known.
void add_sample(KnownProblem& known, const BlockSample& sample, RandomSource& random) {
    const BodyPair pair = random_pair(random, known.problem.bodies);
    const auto count = static_cast<std::size_t>(sample.rows);
    std::array<JacobianRow, max_block_rows> rows;
    for (JacobianRow& row : rows) {
        if (pair.a != no_body) row.a = random_vec6(random);
        if (pair.b != no_body) row.b = random_vec6(random);
    }
    add_block(known.problem, sample.law, pair.a, pair.b, std::span(rows).first(count),
              std::span(sample.velocity).first(count));
    known.impulse.insert(known.impulse.end(), sample.impulse.begin(), sample.impulse.begin() + sample.rows);
}

// b = w - (J v+ + C x)
void turn_velocities_into_bias(KnownProblem& known) {
    Problem& problem = known.problem;
    const std::vector<Vec6> velocity = body_velocities(problem, known.impulse);
    const auto along = [&](int body, const Vec6& row) {
        return body == no_body ? 0.0
                               : std::inner_product(row.begin(), row.end(), velocity[body].begin(), 0.0);
    };
    for (const Block& block : problem.blocks) {
        for (int i = block.first_row; i < block.first_row + block.rows; ++i) {
            const double compliance = problem.compliance.empty() ? 0.0 : problem.compliance[i];
            problem.bias[i] -= along(block.body_a, problem.jacobian[i].a) +
                               along(block.body_b, problem.jacobian[i].b) + compliance * known.impulse[i];
        }
    }
}

}  // namespace

KnownProblem generate_random(const RandomProblemOptions& options) {
    require_count("bodies", options.bodies, 1, most_bodies);
    require_count("blocks", options.blocks, 1, 2 * most_bodies);
    require_friction("mu", options.mu);
    if (!(options.compliance >= 0.0 && std::isfinite(options.compliance))) {
        throw InputError("compliance", "must be finite and not negative");
    }

    KnownProblem known;
    known.problem.name = "random";
    known.problem.body_names = numbered_names("body", options.bodies);
    RandomSource random(options.seed);
    known.problem.bodies = random_bodies(random, options.bodies);
    for (int k = 0; k < options.blocks; ++k) add_sample(known, sample_block(random, options), random);
    if (options.compliance > 0.0)
        known.problem.compliance.assign(known.problem.bias.size(), options.compliance);
    turn_velocities_into_bias(known);
    return known;
}

}  // namespace uptack

#include "sphere_bed.h"

#include <algorithm>
#include <cmath>

#include "geometry.h"
#include "random.h"

namespace uptack::generators {
namespace {

constexpr double settling_step = 0.005;                  // [s]
constexpr double settling_margin = 0.1 * sphere_radius;  // contacts are foreseen within this gap [m]
constexpr double settling_recovery = 0.2;                // share of a penetration removed per step
constexpr double relaxation = 1.3;                       // of the sweeps
constexpr double damping = 0.998;                        // of the velocities, per step
constexpr int careful_steps = 50;                        // the last ones, which decide the final penetrations
constexpr int cell_spheres = 1000;                       // wanted in the repeated cell of a large bed
constexpr double tile_noise = 0.002 * sphere_radius;     // moves the spheres of each tile by up to this [m]

struct SettlingRow {
    int a = 0;
    int b = 0;
    Vec3 normal{};
    double bias = 0.0;
    double impulse = 0.0;  // per unit mass
};

// Tenths of a metre: 1000 spheres stand in a box of 1 m, 1900 in one of 1.2 m, as in the papers' problems.
int box_edge_in_tenths(int count) {
    std::int64_t tenths = 2;
    while (10 * tenths * tenths * tenths < 9 * static_cast<std::int64_t>(count)) ++tenths;
    return static_cast<int>(tenths);
}

SphereBed loose_lattice(int count, std::uint64_t seed, Sides sides) {
    const int tenths = box_edge_in_tenths(count);
    const int along = std::max(1, 10 * tenths / 11);  // 2.2 radii apart or more
    const double edge = 0.1 * tenths;
    const double pitch = edge / along;
    RandomSource random(seed);
    SphereBed bed{.length_x = edge, .length_y = edge, .sides = sides, .position = {}, .velocity = {}};
    for (int i = 0; i < count; ++i) {
        const int x = i % along;
        const int y = i / along % along;
        const int layer = i / (along * along);
        const double shift_x = 0.08 * sphere_radius * random.uniform(-1.0, 1.0);
        const double shift_y = 0.08 * sphere_radius * random.uniform(-1.0, 1.0);
        bed.position.push_back(
            {(x + 0.5) * pitch + shift_x, (y + 0.5) * pitch + shift_y, (1.2 + 2.15 * layer) * sphere_radius});
    }
    bed.velocity.assign(bed.position.size(), Vec3{});
    return bed;
}

// All masses are 1: A_ii is 2 between spheres and 1 at the box.
void sweep(std::vector<SettlingRow>& rows, std::size_t pairs, std::vector<Vec3>& velocity) {
    for (std::size_t i = 0; i < pairs; ++i) {
        SettlingRow& row = rows[i];
        Vec3& va = velocity[row.a];
        Vec3& vb = velocity[row.b];
        const double w = dot(row.normal, va - vb) + row.bias;
        const double impulse = std::max(0.0, row.impulse - 0.5 * relaxation * w);
        const Vec3 change = (impulse - row.impulse) * row.normal;
        va = va + change;
        vb = vb - change;
        row.impulse = impulse;
    }
    for (std::size_t i = pairs; i < rows.size(); ++i) {
        SettlingRow& row = rows[i];
        Vec3& va = velocity[row.a];
        const double w = dot(row.normal, va) + row.bias;
        const double impulse = std::max(0.0, row.impulse - relaxation * w);
        va = va + (impulse - row.impulse) * row.normal;
        row.impulse = impulse;
    }
}

double wrap(double x, double period) {
    if (x < 0.0) return x + period;
    if (x >= period) return x - period;
    return x;
}

void move(SphereBed& bed) {
    for (std::size_t i = 0; i < bed.position.size(); ++i) {
        bed.velocity[i] = damping * bed.velocity[i];
        Vec3& p = bed.position[i];
        p = p + settling_step * bed.velocity[i];
        if (bed.sides == Sides::walls) continue;
        p[0] = wrap(p[0], bed.length_x);
        p[1] = wrap(p[1], bed.length_y);
    }
}

void settle_one_step(SphereBed& bed, int sweeps) {
    std::vector<SettlingRow> rows;
    std::size_t pairs = 0;
    for (const SphereContact& contact : find_contacts(bed, settling_margin)) {
        const double share = contact.gap > 0.0 ? 1.0 : settling_recovery;
        rows.push_back(
            {contact.sphere, contact.other, contact.normal, share * contact.gap / settling_step, 0.0});
        if (contact.other != the_box) ++pairs;  // find_contacts lists them before those with the box
    }
    for (Vec3& v : bed.velocity) v[2] -= settling_step * gravity;
    for (int k = 0; k < sweeps; ++k) sweep(rows, pairs, bed.velocity);
    move(bed);
}

// 1. How many cells, nearly in a square, and how many spheres in each.
// 2. Copies of the cell, tile by tile.  Where the division left a remainder, a tile goes without its topmost
//    sphere: nothing rests on that one.
SphereBed tile_bed(int count, std::uint64_t seed) {
    const double cells = static_cast<double>(count) / cell_spheres;
    const int tiles_x = static_cast<int>(std::sqrt(cells));
    const int tiles_y = static_cast<int>(cells / tiles_x);
    const int tiles = tiles_x * tiles_y;
    const int in_cell = (count + tiles - 1) / tiles;
    const int full_tiles = count - tiles * (in_cell - 1);

    const SphereBed cell = settle_spheres(in_cell, seed, Sides::periodic);
    const auto top = std::max_element(cell.position.begin(), cell.position.end(),
                                      [](const Vec3& a, const Vec3& b) { return a[2] < b[2]; });
    const auto topmost = static_cast<std::size_t>(top - cell.position.begin());

    SphereBed bed{.length_x = tiles_x * cell.length_x,
                  .length_y = tiles_y * cell.length_y,
                  .sides = Sides::periodic,
                  .position = {},
                  .velocity = {}};
    bed.position.reserve(static_cast<std::size_t>(count));
    bed.velocity.reserve(static_cast<std::size_t>(count));
    RandomSource random(seed + 1);
    for (int tile = 0; tile < tiles; ++tile) {
        const int tile_x = tile % tiles_x;
        const int tile_y = tile / tiles_x;
        const Vec3 corner = {tile_x * cell.length_x, tile_y * cell.length_y, 0.0};
        for (std::size_t i = 0; i < cell.position.size(); ++i) {
            if (i == topmost && tile >= full_tiles) continue;
            Vec3 p = corner + cell.position[i] + tile_noise * random_in_cube(random);
            p[0] = wrap(p[0], bed.length_x);
            p[1] = wrap(p[1], bed.length_y);
            bed.position.push_back(p);
            bed.velocity.push_back(cell.velocity[i]);
        }
    }
    return bed;
}

}  // namespace

SphereBed settle_spheres(int count, std::uint64_t seed, Sides sides) {
    SphereBed bed = loose_lattice(count, seed, sides);
    const int steps = count > 1500 ? 900 : 700;  // a higher pile falls longer
    for (int step = 0; step < steps; ++step) {
        settle_one_step(bed, step > steps - careful_steps ? 200 : 40);
    }
    return bed;
}

SphereBed make_bed(int count, std::uint64_t seed) {
    return count <= most_settled ? settle_spheres(count, seed, Sides::walls) : tile_bed(count, seed);
}

}  // namespace uptack::generators

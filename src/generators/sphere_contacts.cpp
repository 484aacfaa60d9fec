// Neighbour search: the spheres are sorted into cells at least as wide as the reach of a contact, so that
// partners are in the same cell or a neighbour of it.

#include <algorithm>
#include <array>
#include <cmath>

#include "geometry.h"
#include "sphere_bed.h"

namespace uptack::generators {
namespace {

using Index3 = std::array<int, 3>;

struct CellGrid {
    Index3 count{};           // cells along x, y, z
    Vec3 width{};             // of a cell [m]
    std::vector<int> start;   // of each cell in `sphere`, and one end
    std::vector<int> sphere;  // ascending within a cell

    int cell(const Index3& at) const { return at[0] + count[0] * (at[1] + count[1] * at[2]); }
};

Index3 cell_of(const CellGrid& grid, const Vec3& position) {
    Index3 at{};
    for (std::size_t k = 0; k < 3; ++k) {
        at[k] = std::clamp(static_cast<int>(position[k] / grid.width[k]), 0, grid.count[k] - 1);
    }
    return at;
}

CellGrid sort_into_cells(const SphereBed& bed, double reach) {
    double top = reach;
    for (const Vec3& p : bed.position) top = std::max(top, p[2]);
    CellGrid grid;
    const Vec3 extent = {bed.length_x, bed.length_y, top};
    for (std::size_t k = 0; k < 3; ++k) {
        grid.count[k] = std::max(1, static_cast<int>(extent[k] / reach));
        grid.width[k] = extent[k] / grid.count[k];
    }

    const int cells = grid.count[0] * grid.count[1] * grid.count[2];
    grid.start.assign(static_cast<std::size_t>(cells) + 1, 0);
    for (const Vec3& p : bed.position) ++grid.start[grid.cell(cell_of(grid, p)) + 1];
    for (std::size_t c = 1; c < grid.start.size(); ++c) grid.start[c] += grid.start[c - 1];
    std::vector<int> next(grid.start.begin(), grid.start.end() - 1);
    grid.sphere.resize(bed.position.size());
    for (std::size_t i = 0; i < bed.position.size(); ++i) {
        grid.sphere[next[grid.cell(cell_of(grid, bed.position[i]))]++] = static_cast<int>(i);
    }
    return grid;
}

// Half of the 26 neighbours: the other half finds us.
constexpr std::array<Index3, 13> half_of_neighbours = {{{1, 0, 0},
                                                        {-1, 1, 0},
                                                        {0, 1, 0},
                                                        {1, 1, 0},
                                                        {-1, -1, 1},
                                                        {0, -1, 1},
                                                        {1, -1, 1},
                                                        {-1, 0, 1},
                                                        {0, 0, 1},
                                                        {1, 0, 1},
                                                        {-1, 1, 1},
                                                        {0, 1, 1},
                                                        {1, 1, 1}}};

double nearest_image(double difference, double period) {
    if (difference > 0.5 * period) return difference - period;
    if (difference < -0.5 * period) return difference + period;
    return difference;
}

struct PairSearch {
    const SphereBed& bed;
    double margin = 0.0;
    double period_x = infinity;  // no image is nearer in a box with walls
    double period_y = infinity;
    std::vector<SphereContact>& found;
};

void test_pair(const PairSearch& search, int i, int j) {
    const auto [first, second] = std::minmax(i, j);
    Vec3 d = search.bed.position[first] - search.bed.position[second];
    d[0] = nearest_image(d[0], search.period_x);
    d[1] = nearest_image(d[1], search.period_y);
    const double reach = 2.0 * sphere_radius + search.margin;
    const double squared = dot(d, d);
    if (squared >= reach * reach) return;
    const double distance = std::sqrt(squared);
    search.found.push_back({first, second, (1.0 / distance) * d, distance - 2.0 * sphere_radius});
}

void test_cells(const PairSearch& search, const CellGrid& grid, int cell, int neighbour) {
    for (int i = grid.start[cell]; i < grid.start[cell + 1]; ++i) {
        const int first = cell == neighbour ? i + 1 : grid.start[neighbour];
        for (int j = first; j < grid.start[neighbour + 1]; ++j) {
            test_pair(search, grid.sphere[i], grid.sphere[j]);
        }
    }
}

// False where a walled box ends; a periodic one goes on at its other side.
bool step_to_neighbour(Index3& at, const Index3& offset, const CellGrid& grid, Sides sides) {
    for (std::size_t k = 0; k < 3; ++k) {
        at[k] += offset[k];
        if (at[k] >= 0 && at[k] < grid.count[k]) continue;
        if (sides == Sides::walls || k == 2) return false;
        at[k] += at[k] < 0 ? grid.count[k] : -grid.count[k];
    }
    return true;
}

void test_direction(const PairSearch& search, const CellGrid& grid, const Index3& offset) {
    for (int z = 0; z < grid.count[2]; ++z) {
        for (int y = 0; y < grid.count[1]; ++y) {
            for (int x = 0; x < grid.count[0]; ++x) {
                Index3 at = {x, y, z};
                const int cell = grid.cell(at);
                if (!step_to_neighbour(at, offset, grid, search.bed.sides)) continue;
                test_cells(search, grid, cell, grid.cell(at));
            }
        }
    }
}

void find_box_contacts(const SphereBed& bed, double margin, std::vector<SphereContact>& found) {
    const auto test = [&](int i, const Vec3& normal, double height) {
        const double gap = height - sphere_radius;
        if (gap < margin) found.push_back({i, the_box, normal, gap});
    };
    for (int i = 0; i < static_cast<int>(bed.position.size()); ++i) {
        const Vec3& p = bed.position[i];
        test(i, {0.0, 0.0, 1.0}, p[2]);
        if (bed.sides == Sides::periodic) continue;
        test(i, {1.0, 0.0, 0.0}, p[0]);
        test(i, {-1.0, 0.0, 0.0}, bed.length_x - p[0]);
        test(i, {0.0, 1.0, 0.0}, p[1]);
        test(i, {0.0, -1.0, 0.0}, bed.length_y - p[1]);
    }
}

}  // namespace

std::vector<SphereContact> find_contacts(const SphereBed& bed, double margin) {
    std::vector<SphereContact> found;
    found.reserve(bed.position.size() * 6);
    PairSearch search{.bed = bed, .margin = margin, .found = found};
    if (bed.sides == Sides::periodic) {
        search.period_x = bed.length_x;
        search.period_y = bed.length_y;
    }
    const CellGrid grid = sort_into_cells(bed, 2.0 * sphere_radius + margin);
    test_direction(search, grid, {0, 0, 0});
    for (const Index3& offset : half_of_neighbours) test_direction(search, grid, offset);
    find_box_contacts(bed, margin, found);
    return found;
}

}  // namespace uptack::generators

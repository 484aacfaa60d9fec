// Equal spheres at rest in an open box, or on a floor that repeats in x and y.
//
// The bed is settled by a small relaxation of its own (no friction, three degrees of freedom per sphere): if
// it used the engine's solvers, every improvement of theirs would change the benchmark problems.

#pragma once

#include <cstdint>
#include <vector>

#include "uptack/math.h"

namespace uptack::generators {

inline constexpr double sphere_radius = 0.05;  ///< [m]

enum class Sides : std::uint8_t {
    walls,     ///< the box ends at x = 0, x = length_x, y = 0, y = length_y
    periodic,  ///< what leaves at one side comes in at the other
};

struct SphereBed {
    double length_x = 0.0;  ///< [m]
    double length_y = 0.0;  ///< [m]
    Sides sides = Sides::walls;
    std::vector<Vec3> position;  ///< centres [m]; the floor is z = 0
    std::vector<Vec3> velocity;  ///< [m/s]
};

inline constexpr int the_box = -1;  ///< `other` of a contact with the floor or a wall

struct SphereContact {
    int sphere = 0;
    int other = the_box;  ///< a sphere of larger index, or the_box
    Vec3 normal{};        ///< unit, towards `sphere`
    double gap = 0.0;     ///< [m], negative when penetrating
};

/// Every pair with a gap below `margin` [m].  Consecutive contacts mostly touch different spheres, which lets
/// a processor overlap the visits of a Gauss-Seidel sweep.  The order depends on the positions alone.
std::vector<SphereContact> find_contacts(const SphereBed& bed, double margin);

/// `count` spheres dropped from a loose lattice into a roughly cubic space and settled.
SphereBed settle_spheres(int count, std::uint64_t seed, Sides sides);

/// `count` spheres, however many: up to `most_settled` in a walled box, more as a periodic bed that repeats a
/// settled cell, every sphere moved by its own tiny random amount so that no two cells are equal.
SphereBed make_bed(int count, std::uint64_t seed);

inline constexpr int most_settled = 4000;  ///< about six seconds of settling

}  // namespace uptack::generators

// The kinds of joints, each composed of parts: which measures it holds at zero, and what its free coordinates
// are.  A new kind is a case in held(), and where it has coordinates of its own, in coordinate().

#pragma once

#include <array>
#include <optional>
#include <span>

#include "parts/frames.h"
#include "parts/measure.h"
#include "uptack/law.h"

namespace uptack::assembly {

/// The last unwrapped angles of a joint [rad]: slot 0 is its angle, angle_x, the first gear's or the rack's;
/// slot 1 is angle_y or the second gear's.
using JointAngles = std::array<double, 2>;

/// What a joint needs to know of its start.
struct JointStart {
    double rolled = 0.0;  ///< what gear and rack keep at its first value [m]
    double side = 1.0;    ///< of the rack the pinion is on
    double turn_b = 1.0;  ///< of a gear: +1, or -1 where b's axis is opposite to a's
};

struct Held {
    std::array<Measure, max_block_rows> row;
    int count = 0;
    bool one_sided = false;  ///< the measure may be positive (a rope that hangs)

    void add(const Measure& m) { row[count++] = m; }
    std::span<const Measure> rows() const { return {row.data(), static_cast<std::size_t>(count)}; }
};

JointStart joint_start(const Joint& joint, const JointFrames& f);

/// The joint's angles, on the branches nearest to `last`.
JointAngles unwrapped(const Joint& joint, const JointFrames& f, const JointAngles& last);

/// What the joint holds at zero.  `angles` choose the branches of those measures that count turns.
Held held(const Joint& joint, const JointStart& start, const JointFrames& f, const JointAngles& angles);

/// A coordinate, whether the joint leaves it free or not; nothing where it is undefined (see rotation.h).
std::optional<Measure> coordinate(const Joint& joint, Coordinate which, const JointFrames& f,
                                  const JointAngles& angles);

/// The coordinates that a kind leaves free, as far as they have names.
std::span<const Coordinate> free_coordinates(JointKind kind);

/// Counted in radians.
inline bool is_angle(Coordinate c) {
    return c == Coordinate::angle || c == Coordinate::angle_x || c == Coordinate::angle_y ||
           c == Coordinate::swing;
}

}  // namespace uptack::assembly

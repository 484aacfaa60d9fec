// The first look at a recording: how far things go and how large numbers get, which decides the precision.

#pragma once

#include <vector>

#include "quantise.h"
#include "uptack/recording.h"

namespace uptack::report {

/// The sums over a body's contacts.
struct BodyLoads {
    std::vector<double> force_N;  ///< of the sizes of the forces
    std::vector<double> error_J;
};

BodyLoads body_loads(const Frame& frame);

/// Fine unless the page would be too large.
struct Precision {
    int rotation_steps = 2047;
    int byte_step = 1;  ///< loads and errors of bodies use one of so many bytes of their scale
};

struct Survey {
    Grid grid{};
    Precision precision{};
    double coarsest_quantum_m = 0.0;  ///< a 200th of the thinnest body
    double speed_m_s = 0.0;           ///< no body is faster in 98 % of the frames
    LogScale load_N{};
    LogScale error_J{};
    LogScale contact_force_N{};
    LogScale contact_error_J{};
    std::vector<std::int64_t> contacts{};  ///< per recorded frame; of those that were looked at
};

/// Looks at every `every`-th frame.
Survey look_at(const Recording& recording, int every);

/// Less exact where the eye hardly sees it: the quantum up to eight times as large, but still a 200th
/// of the thinnest body; half the steps of rotations; an eighth of the levels of loads and errors.
Survey coarser(const Survey& survey);

/// The quantum: what moves spans 65536 of it, but the thinnest body at least 200.
Grid grid_for(const Model& model, std::vector<Vec3> positions);

}  // namespace uptack::report

// What a page may ask of the live view, read from JSON.
//
//     {"do": "play" | "pause" | "reset" | "release"}
//     {"do": "step", "count": 1}                        while paused
//     {"do": "parameters", "values": {"rows": 4}}       the scene is read again with these
//     {"do": "solver", "name": "psor"}
//     {"do": "tolerance", "value": 1e-4, "unit": "relative" | "J"}
//     {"do": "budget", "ms": 2}                         null: none
//     {"do": "speed", "factor": 1}                      at most so many times real time
//     {"do": "pull", "body": 3, "point": [x, y, z], "target": [x, y, z]}   point in the body's frame

#pragma once

#include <map>
#include <string>
#include <variant>

#include "uptack/error_metric.h"
#include "uptack/math.h"

namespace uptack::app::live {

struct Play {};
struct Pause {};
struct Reset {};
struct Release {};
struct Steps {
    int count = 1;
};
struct SetParameters {
    std::map<std::string, double> values;
};
struct SetSolver {
    std::string name;
};
struct SetTolerance {
    Tolerance tolerance;
};
struct SetBudget {
    double budget_s = infinity;
};
struct SetSpeed {
    double factor = 1.0;
};
struct PullTo {
    int body = -1;
    Vec3 point_b{};
    Vec3 target_w{};
};

using Command = std::variant<Play, Pause, Reset, Release, Steps, SetParameters, SetSolver, SetTolerance,
                             SetBudget, SetSpeed, PullTo>;

/// Throws UsageError for what is none.
Command command_from_json(const std::string& text);

}  // namespace uptack::app::live

// What the live view sends to its page: [u32 length][u32 type][payload], little-endian.
//
// Read by viewer/src/data/live.ts; the layouts are written out here once.
//
//     1 JSON    {"type": "hello" | "state" | "error", ...}
//
//     2 frame   u32 run, bodies n, contacts c, joints j; f64 time, step; f32 real-time factor; u32 paused;
//               worst constraint: i32 joint, body a, body b, f32 x, y, z;
//               f32 [n] x 3 positions, x 4 quaternions x y z w, then loads [N], then errors [J];
//               i32 [c] x 2 bodies, f32 [c] x 3 points, x 3 forces on a, errors [J];
//               f32 [j] x 6 reactions: force, torque in the joint's axes
//
//     3 steps   u32 run, count m, columns k, strings s; f64 [m] x k numbers, step by step, in the order of
//               step_columns(); i32 [m] x 6 indices of worst, deepest, loosest, solver, status, reason into
//               s strings, each u32 length and UTF-8 bytes
//
//     0 beat    nothing: somebody is there

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common.h"
#include "uptack/simulation.h"

namespace uptack::app::live {

std::string beat_message();
std::string json_message(const std::string& text);

struct FrameFacts {
    std::uint32_t run = 0;  ///< number of the hello that it belongs to
    double real_time_factor = 0.0;
    bool paused = false;
};

std::string frame_message(const Simulation& simulation, const FrameFacts& facts);

const std::vector<std::string>& step_columns();

std::string steps_message(std::uint32_t run, std::span<const StepReport> reports);

}  // namespace uptack::app::live

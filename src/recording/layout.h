// What a recording's tables are, said once for writing, reading and copying.  docs/07-file-formats.md is the
// same for people.

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "hdf5/table.h"
#include "uptack/simulation.h"

namespace uptack::recording {

inline constexpr const char* format_name = "uptack recording";
inline constexpr int format_version = 3;

/// How many rows count.  Rows beyond are leftovers of a writer that was cut off.
struct Counts {
    std::int64_t frames = 0;
    std::int64_t contacts = 0;
    std::int64_t steps = 0;
    std::int64_t strings = 0;
    std::int64_t string_bytes = 0;
    bool operator==(const Counts&) const = default;
};

/// By which count a table grows.
enum class Rows : std::uint8_t { frames, frame_starts, contacts, steps, strings, string_bytes };

std::int64_t rows_of(const Counts& counts, Rows rows);

struct TableInfo {
    std::string name;
    Rows rows = Rows::frames;
    hdf5::TableShape shape;
};

/// Every table that grows with the run.  Those with nothing in a row (no joints) do not exist.
std::vector<TableInfo> growing_tables(std::int64_t bodies, std::int64_t joints);

std::int64_t chunk_rows(const TableInfo& table);

// The fields of a StepReport, each a table of its own under /steps.  `step`, `iterations`, `status` and
// `tolerance_met` are written by hand, being of other types.

struct RealField {
    const char* name;
    double StepReport::*member;
};
struct CountField {
    const char* name;
    int StepReport::*member;
};
/// Stored as an index into the table of strings.
struct TextField {
    const char* name;
    std::string StepReport::*member;
};

inline constexpr std::array real_fields{RealField{"steps/time", &StepReport::time},
                                        RealField{"steps/collision_s", &StepReport::collision_s},
                                        RealField{"steps/assembly_s", &StepReport::assembly_s},
                                        RealField{"steps/solve_s", &StepReport::solve_s},
                                        RealField{"steps/total_s", &StepReport::total_s},
                                        RealField{"steps/energy_error_J", &StepReport::energy_error_J},
                                        RealField{"steps/relative_error", &StepReport::relative_error},
                                        RealField{"steps/worst_error_J", &StepReport::worst_error_J},
                                        RealField{"steps/max_penetration", &StepReport::max_penetration},
                                        RealField{"steps/max_joint_drift", &StepReport::max_joint_drift},
                                        RealField{"steps/kinetic_J", &StepReport::kinetic_J},
                                        RealField{"steps/potential_J", &StepReport::potential_J}};

inline constexpr std::array count_fields{
    CountField{"steps/contacts", &StepReport::contacts}, CountField{"steps/rows", &StepReport::rows},
    CountField{"steps/islands", &StepReport::islands}, CountField{"steps/sleeping", &StepReport::sleeping},
    CountField{"steps/frozen", &StepReport::frozen}};

inline constexpr std::array text_fields{
    TextField{"steps/solver", &StepReport::solver},   TextField{"steps/worst", &StepReport::worst},
    TextField{"steps/reason", &StepReport::reason},   TextField{"steps/deepest", &StepReport::deepest},
    TextField{"steps/loosest", &StepReport::loosest}, TextField{"steps/froze", &StepReport::froze}};

}  // namespace uptack::recording

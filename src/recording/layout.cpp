#include "layout.h"

#include <algorithm>

namespace uptack::recording {

using hdf5::Number;

std::int64_t rows_of(const Counts& counts, Rows rows) {
    switch (rows) {
        case Rows::frames:
            return counts.frames;
        case Rows::frame_starts:
            return counts.frames + 1;
        case Rows::contacts:
            return counts.contacts;
        case Rows::steps:
            return counts.steps;
        case Rows::strings:
            return counts.strings;
        case Rows::string_bytes:
            return counts.string_bytes;
    }
    return 0;
}

std::vector<TableInfo> growing_tables(std::int64_t bodies, std::int64_t joints) {
    std::vector<TableInfo> tables{{"frames/time", Rows::frames, {Number::f64, {}}},
                                  {"frames/step", Rows::frames, {Number::i64, {}}},
                                  {"frames/position", Rows::frames, {Number::f64, {bodies, 3}}},
                                  {"frames/orientation", Rows::frames, {Number::f64, {bodies, 4}}},
                                  {"frames/velocity", Rows::frames, {Number::f64, {bodies, 6}}},
                                  {"frames/worst", Rows::frames, {Number::i32, {2}}},
                                  {"frames/contact_start", Rows::frame_starts, {Number::i64, {}}},
                                  {"contacts/body", Rows::contacts, {Number::i32, {2}}},
                                  {"contacts/point", Rows::contacts, {Number::f32, {3}}},
                                  {"contacts/normal", Rows::contacts, {Number::f32, {3}}},
                                  {"contacts/gap", Rows::contacts, {Number::f32, {}}},
                                  {"contacts/force", Rows::contacts, {Number::f32, {3}}},
                                  {"contacts/energy_error_J", Rows::contacts, {Number::f32, {}}},
                                  {"joints/force", Rows::frames, {Number::f64, {joints, 3}}},
                                  {"joints/torque", Rows::frames, {Number::f64, {joints, 3}}},
                                  {"joints/force_joint", Rows::frames, {Number::f64, {joints, 3}}},
                                  {"joints/torque_joint", Rows::frames, {Number::f64, {joints, 3}}},
                                  {"steps/step", Rows::steps, {Number::i64, {}}},
                                  {"steps/iterations", Rows::steps, {Number::i64, {}}},
                                  {"steps/status", Rows::steps, {Number::u8, {}}},
                                  {"steps/tolerance_met", Rows::steps, {Number::u8, {}}},
                                  {"strings/end", Rows::strings, {Number::i64, {}}},
                                  {"strings/text", Rows::string_bytes, {Number::u8, {}}}};
    for (const RealField& field : real_fields) {
        tables.push_back({field.name, Rows::steps, {Number::f64, {}}});
    }
    for (const CountField& field : count_fields) {
        tables.push_back({field.name, Rows::steps, {Number::i32, {}}});
    }
    for (const TextField& field : text_fields) {
        tables.push_back({field.name, Rows::steps, {Number::i32, {}}});
    }
    std::erase_if(tables, [](const TableInfo& table) { return table.shape.values_per_row() == 0; });
    return tables;
}

std::int64_t chunk_rows(const TableInfo& table) {
    // Large enough to compress well, small enough that a flush in the middle of one costs and wastes little.
    constexpr std::int64_t wanted_bytes = 32 * 1024;
    constexpr std::int64_t most = 1024;
    const auto bytes = static_cast<std::int64_t>(table.shape.bytes_per_row());
    return std::clamp<std::int64_t>(wanted_bytes / bytes, 1, most);
}

}  // namespace uptack::recording

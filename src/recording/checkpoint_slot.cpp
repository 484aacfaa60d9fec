#include "checkpoint_slot.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "commit_record.h"

namespace uptack::recording {
namespace {

using hdf5::Number;
using hdf5::TableShape;

constexpr std::int64_t header_columns = 9;
using Header = std::array<std::int64_t, header_columns>;

constexpr std::int64_t body_columns = 3 + 4 + 6 + 2;
constexpr std::int64_t key_columns = 4;
constexpr std::int64_t impulse_columns = max_block_rows + 3 + 3;
// A block needs 132 bytes on disk; what claims more than this is not a checkpoint of ours.
constexpr std::int64_t most_blocks = 500'000'000;

TableShape header_shape() {
    return {Number::i64, {header_columns}};
}
TableShape scalars_shape() {
    return {Number::f64, {4}};
}
TableShape body_shape() {
    return {Number::f64, {body_columns}};
}
TableShape angle_shape() {
    return {Number::f64, {2}};
}
TableShape key_shape() {
    return {Number::u64, {key_columns}};
}
TableShape rows_shape() {
    return {Number::i32, {}};
}
TableShape impulse_shape() {
    return {Number::f64, {impulse_columns}};
}

hdf5::TableStorage in_place(std::int64_t rows) {
    return {.chunk_rows = std::clamp<std::int64_t>(rows, 1, 1024), .compression = 0};
}

void pack_bodies(const State& state, std::vector<double>& numbers) {
    numbers.clear();
    for (std::size_t k = 0; k < state.pose.size(); ++k) {
        const auto& [position, turn] = state.pose[k];
        numbers.insert(numbers.end(), position.begin(), position.end());
        numbers.insert(numbers.end(), {turn.w, turn.x, turn.y, turn.z});
        numbers.insert(numbers.end(), state.velocity[k].begin(), state.velocity[k].end());
        numbers.push_back(state.still_s[k]);
        numbers.push_back(k < state.frozen_at.size() ? state.frozen_at[k] : infinity);
    }
}

void unpack_bodies(std::span<const double> numbers, State& state) {
    const std::size_t count = numbers.size() / body_columns;
    state.pose.resize(count);
    state.velocity.resize(count);
    state.still_s.resize(count);
    state.frozen_at.resize(count);
    for (std::size_t k = 0; k < count; ++k) {
        const double* n = numbers.data() + k * body_columns;
        state.pose[k] = {{n[0], n[1], n[2]}, {n[3], n[4], n[5], n[6]}};
        std::copy(n + 7, n + 13, state.velocity[k].begin());
        state.still_s[k] = n[13];
        state.frozen_at[k] = n[14];
    }
}

template <class T>
std::vector<T> read_all(const hdf5::InputFile& file, const std::string& name, const TableShape& shape,
                        std::int64_t rows) {
    if (rows == 0 || shape.values_per_row() == 0) return {};
    const hdf5::InputTable table(file, name, shape, rows);
    std::vector<T> values(static_cast<std::size_t>(rows * shape.values_per_row()));
    table.read(0, std::span(values));
    return values;
}

void unpack_blocks(std::span<const std::uint64_t> keys, std::span<const std::int32_t> rows,
                   std::span<const double> impulses, ImpulseMemory& memory) {
    memory.blocks.resize(rows.size());
    for (std::size_t k = 0; k < rows.size(); ++k) {
        RememberedBlock& block = memory.blocks[k];
        const std::uint64_t* key = keys.data() + k * key_columns;
        block.key = {static_cast<ConstraintKind>(key[0]), key[1], key[2], key[3]};
        block.rows = rows[k];
        const double* impulse = impulses.data() + k * impulse_columns;
        std::copy(impulse, impulse + max_block_rows, block.impulse.begin());
        std::copy(impulse + max_block_rows, impulse + max_block_rows + 3, block.normal_w.begin());
        std::copy(impulse + max_block_rows + 3, impulse + impulse_columns, block.point_w.begin());
    }
}

bool plausible(std::span<const std::uint64_t> keys, std::span<const std::int32_t> rows) {
    for (std::size_t k = 0; k < rows.size(); ++k) {
        if (rows[k] < 0 || rows[k] > max_block_rows) return false;
        if (keys[k * key_columns] > static_cast<std::uint64_t>(ConstraintKind::contact)) return false;
    }
    return true;
}

}  // namespace

std::string slot_name(std::int64_t number) {
    return number % 2 == 1 ? "checkpoint/a" : "checkpoint/b";
}

OutputSlot::OutputSlot(hdf5::GrowingFile& file, const std::string& name, std::int64_t bodies,
                       std::int64_t joints)
    : header_(file, name + "/header", header_shape(), in_place(1)),
      scalars_(file, name + "/scalars", scalars_shape(), in_place(1)),
      block_key_(file, name + "/block_key", key_shape(), in_place(1024)),
      block_rows_(file, name + "/block_rows", rows_shape(), in_place(1024)),
      block_impulse_(file, name + "/block_impulse", impulse_shape(), in_place(1024)) {
    if (bodies > 0) body_.emplace_back(file, name + "/body", body_shape(), in_place(bodies));
    if (joints > 0) joint_angle_.emplace_back(file, name + "/joint_angle", angle_shape(), in_place(joints));
}

void OutputSlot::write(std::int64_t number, const Checkpoint& checkpoint, const Counts& counts) {
    const State& state = checkpoint.state;
    const ImpulseMemory& memory = checkpoint.memory;
    Fingerprint fingerprint;
    const auto put = [&fingerprint]<class T>(hdf5::OutputTable& table, const std::vector<T>& values) {
        const std::span<const T> part(values);
        fingerprint.add(part);
        table.overwrite(0, part);
    };
    numbers_ = {state.time, state.velocity_lag_s, memory.kick_s, memory.relative_error};
    put(scalars_, numbers_);
    pack_bodies(state, numbers_);
    for (hdf5::OutputTable& table : body_) put(table, numbers_);
    numbers_.clear();
    for (const auto& angles : state.joint_angle)
        numbers_.insert(numbers_.end(), angles.begin(), angles.end());
    for (hdf5::OutputTable& table : joint_angle_) put(table, numbers_);

    keys_.clear();
    rows_.clear();
    numbers_.clear();
    for (const RememberedBlock& block : memory.blocks) {
        const BlockKey& key = block.key;
        keys_.insert(keys_.end(), {static_cast<std::uint64_t>(key.kind), key.first, key.second, key.third});
        rows_.push_back(block.rows);
        numbers_.insert(numbers_.end(), block.impulse.begin(), block.impulse.end());
        numbers_.insert(numbers_.end(), block.normal_w.begin(), block.normal_w.end());
        numbers_.insert(numbers_.end(), block.point_w.begin(), block.point_w.end());
    }
    put(block_key_, keys_);
    put(block_rows_, rows_);
    put(block_impulse_, numbers_);
    const Header header{number,         state.step,          std::ssize(memory.blocks),
                        counts.frames,  counts.contacts,     counts.steps,
                        counts.strings, counts.string_bytes, fingerprint.value()};
    header_.overwrite(0, std::span<const std::int64_t>(header));
}

StoredCheckpoint read_slot(const hdf5::InputFile& file, std::int64_t number, std::int64_t bodies,
                           std::int64_t joints) {
    const std::string name = slot_name(number);
    const auto header = read_all<std::int64_t>(file, name + "/header", header_shape(), 1);
    const std::int64_t blocks = header[2];
    if (header[0] != number || blocks < 0) throw file.error(name, "does not hold the checkpoint it should");
    if (blocks > most_blocks) {
        throw LimitError(fmt::format("{}:/{}", file.path().string(), name),
                         fmt::format("{} impulses; the limit is {}; it is damaged, run the scene again",
                                     blocks, most_blocks));
    }
    const auto scalars = read_all<double>(file, name + "/scalars", scalars_shape(), 1);
    const auto body = read_all<double>(file, name + "/body", body_shape(), bodies);
    const auto angles = read_all<double>(file, name + "/joint_angle", angle_shape(), joints);
    const auto keys = read_all<std::uint64_t>(file, name + "/block_key", key_shape(), blocks);
    const auto rows = read_all<std::int32_t>(file, name + "/block_rows", rows_shape(), blocks);
    const auto impulses = read_all<double>(file, name + "/block_impulse", impulse_shape(), blocks);
    Fingerprint fingerprint;
    for (const auto* numbers : {&scalars, &body, &angles}) fingerprint.add(std::span<const double>(*numbers));
    fingerprint.add(std::span<const std::uint64_t>(keys));
    fingerprint.add(std::span<const std::int32_t>(rows));
    fingerprint.add(std::span<const double>(impulses));
    if (fingerprint.value() != header[8] || !plausible(keys, rows)) {
        throw file.error(name, "is damaged; the frames may still be good, but the run cannot go on from it");
    }

    StoredCheckpoint stored;
    stored.counts = {header[3], header[4], header[5], header[6], header[7]};
    State& state = stored.checkpoint.state;
    state.time = scalars[0];
    state.step = header[1];
    state.velocity_lag_s = scalars[1];
    unpack_bodies(body, state);
    for (std::size_t k = 0; k < angles.size(); k += 2)
        state.joint_angle.push_back({angles[k], angles[k + 1]});
    stored.checkpoint.memory.kick_s = scalars[2];
    stored.checkpoint.memory.relative_error = scalars[3];
    unpack_blocks(keys, rows, impulses, stored.checkpoint.memory);
    return stored;
}

}  // namespace uptack::recording

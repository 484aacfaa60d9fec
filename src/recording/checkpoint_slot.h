// A checkpoint in the file, bit by bit.  There are two slots, written in turn: while one is being
// overwritten the other is whole, and the commit record says which one counts.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hdf5/table.h"
#include "layout.h"
#include "uptack/simulation.h"

namespace uptack::recording {

/// "checkpoint/a" or "checkpoint/b" for the n-th checkpoint, n from 1.
std::string slot_name(std::int64_t number);

/// A checkpoint and how much of the recording lies before it.
struct StoredCheckpoint {
    Checkpoint checkpoint;
    Counts counts;
};

class OutputSlot {
public:
    OutputSlot(hdf5::GrowingFile& file, const std::string& name, std::int64_t bodies, std::int64_t joints);
    void write(std::int64_t number, const Checkpoint& checkpoint, const Counts& counts);

private:
    hdf5::OutputTable header_;
    hdf5::OutputTable scalars_;
    hdf5::OutputTable block_key_;
    hdf5::OutputTable block_rows_;
    hdf5::OutputTable block_impulse_;
    std::vector<hdf5::OutputTable> body_;         // one, or none where there are no bodies
    std::vector<hdf5::OutputTable> joint_angle_;  // likewise
    std::vector<double> numbers_;                 // reused
    std::vector<std::uint64_t> keys_;
    std::vector<std::int32_t> rows_;
};

/// Throws InputError where the slot does not hold checkpoint `number` whole.
StoredCheckpoint read_slot(const hdf5::InputFile& file, std::int64_t number, std::int64_t bodies,
                           std::int64_t joints);

}  // namespace uptack::recording

// Some consecutive frames as bytes that deflate well: integers as differences, in byte planes.
//
// The layout is in docs/07-file-formats.md, "Report page"; viewer/src/data/chunk.ts reads it.

#pragma once

#include <string>
#include <vector>

#include "quantise.h"
#include "survey.h"

namespace uptack::report {

struct QuantisedFrame {
    std::vector<std::array<std::int32_t, 3>> position;
    std::vector<SmallestThree> turn;
    std::vector<std::uint8_t> load;
    std::vector<std::uint8_t> error;
};

struct QuantisedContact {
    std::int32_t body_a = -1;
    std::int32_t body_b = -1;
    std::array<std::int32_t, 3> offset{};  ///< from the anchor body's position
    std::array<std::uint8_t, 2> direction{};
    std::uint8_t force = 0;
    std::uint8_t error = 0;
};

QuantisedFrame quantised(const Frame& frame, const Survey& survey);

/// The `most` strongest contacts, and always the worst one, in the order of the recording.
std::vector<QuantisedContact> quantised_contacts(const Frame& frame, const QuantisedFrame& bodies,
                                                 const Survey& survey, std::int64_t most);

/// Frames gathered for one pair of blobs.
struct Chunk {
    std::vector<QuantisedFrame> frames;
    std::vector<std::vector<QuantisedContact>> contacts;  ///< of each frame
};

std::string motion_bytes(const Chunk& chunk);
std::string contact_bytes(const Chunk& chunk);

/// How many frames a chunk has: a page decodes one at a time and keeps a few.
int chunk_frames(std::size_t bodies);

}  // namespace uptack::report

// The frames of a recording as deflated blobs, read once from beginning to end.

#pragma once

#include <vector>

#include "page.h"
#include "survey.h"
#include "uptack/recording.h"

namespace uptack::report {

inline constexpr std::int64_t all_contacts = std::int64_t{1} << 40;

/// What is left out.
struct Plan {
    int every = 1;                              ///< takes one of so many frames
    std::int64_t most_contacts = all_contacts;  ///< of a frame
};

struct EncodedFrames {
    std::vector<PackedBlob> chunks;   ///< frames-K, contacts-K
    std::vector<PackedBlob> columns;  ///< times, worst, joint-K
    std::vector<int> joints;          ///< whose reactions are there
    int frames = 0;
    int chunk = 0;          ///< frames in a chunk
    std::int64_t kept = 0;  ///< contacts
    std::int64_t found = 0;
    std::int64_t motion_bytes = 0;    ///< in the page
    std::int64_t contacts_bytes = 0;  ///< in the page
};

/// Once the chunks are larger than `limit` bytes they are only counted, no longer kept.
EncodedFrames encode_frames(const Recording& recording, const Survey& survey, const Plan& plan,
                            std::int64_t limit);

/// The same sizes, estimated from one of `stride` chunks; nothing else.
EncodedFrames estimate_frames(const Recording& recording, const Survey& survey, const Plan& plan, int stride);

/// Joints whose reactions the page gets, ascending: all, or where that is too much the watched ones and then
/// as many as fit.
std::vector<int> chosen_joints(const Scene& scene, int frames);

}  // namespace uptack::report

#include "encoder.h"

#include <fmt/format.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "chunk.h"

namespace uptack::report {
namespace {

template <class T>
void append(std::string& bytes, T value) {
    std::array<char, sizeof(T)> raw{};
    std::memcpy(raw.data(), &value, sizeof(T));
    bytes.append(raw.data(), raw.size());
}

/// Deflates a chunk in the background while the next one is read.
class ChunkPacker {
public:
    explicit ChunkPacker(std::int64_t limit) : limit_(limit) {}
    ChunkPacker(const ChunkPacker&) = delete;
    ChunkPacker& operator=(const ChunkPacker&) = delete;
    ~ChunkPacker() {
        group_.cancel();
        group_.wait();
    }

    void pack(int number, Chunk chunk) {
        wait();
        chunk_ = std::move(chunk);
        motion_.name = fmt::format("frames-{}", number);
        contacts_.name = fmt::format("contacts-{}", number);
        group_.run([this] { motion_.bytes = deflated(motion_bytes(chunk_)); });
        group_.run([this] { contacts_.bytes = deflated(contact_bytes(chunk_)); });
        busy_ = true;
    }

    void finish(EncodedFrames& result) {
        wait();
        result.chunks = std::move(blobs_);
        result.motion_bytes = motion_total_;
        result.contacts_bytes = contacts_total_;
    }

private:
    void wait() {
        if (!busy_) return;
        group_.wait();
        busy_ = false;
        motion_total_ += blob_bytes(motion_);
        contacts_total_ += blob_bytes(contacts_);
        if (motion_total_ + contacts_total_ > limit_) {
            blobs_ = {};
            return;
        }
        blobs_.push_back(std::move(motion_));
        blobs_.push_back(std::move(contacts_));
    }

    std::int64_t limit_;
    tbb::task_group group_;
    bool busy_ = false;
    Chunk chunk_;
    PackedBlob motion_;
    PackedBlob contacts_;
    std::vector<PackedBlob> blobs_;
    std::int64_t motion_total_ = 0;
    std::int64_t contacts_total_ = 0;
};

/// What the page gets of every frame besides the chunks.
class FrameColumns {
public:
    explicit FrameColumns(std::vector<int> joints) : joints_(std::move(joints)), reactions_(joints_.size()) {}

    void add(const Frame& frame) {
        append(times_, frame.time);
        add_worst(frame);
        for (std::size_t k = 0; k < joints_.size(); ++k) {
            const JointReaction& reaction = frame.joints[static_cast<std::size_t>(joints_[k])];
            for (std::size_t axis = 0; axis < 3; ++axis) {
                append(reactions_[k][axis], single_precision(reaction.force_j[axis]));
                append(reactions_[k][axis + 3], single_precision(reaction.torque_j[axis]));
            }
        }
    }

    void finish(EncodedFrames& result) {
        result.columns.push_back({"times", deflated(times_)});
        result.columns.push_back({"worst", deflated(worst_)});
        for (std::size_t k = 0; k < joints_.size(); ++k) {
            std::string all;
            for (const std::string& column : reactions_[k]) all += column;
            result.columns.push_back({fmt::format("joint-{}", joints_[k]), deflated(all)});
        }
        result.joints = joints_;
    }

private:
    void add_worst(const Frame& frame) {
        constexpr int nothing = -2;
        append(worst_, frame.worst_block_joint);
        const FrameContact none{.body_a = nothing, .body_b = nothing};
        const bool is_contact = frame.worst_block_contact >= 0;
        const FrameContact& worst =
            is_contact ? frame.contacts[static_cast<std::size_t>(frame.worst_block_contact)] : none;
        append(worst_, worst.body_a);
        append(worst_, worst.body_b);
        for (const double coordinate : worst.point_w) append(worst_, single_precision(coordinate));
    }

    std::vector<int> joints_;
    std::string times_;
    std::string worst_;
    std::vector<std::array<std::string, 6>> reactions_;
};

int frames_of(const Recording& recording, const Plan& plan) {
    return (recording.frame_count() + plan.every - 1) / plan.every;
}

/// Frames `first` to `end` of those that the plan takes.
template <class Look>
Chunk read_chunk(const Recording& recording, const Survey& survey, const Plan& plan, int first, int end,
                 const Look& look) {
    Chunk chunk;
    for (int k = first; k < end; ++k) {
        const Frame frame = recording.frame(k * plan.every);
        chunk.frames.push_back(quantised(frame, survey));
        chunk.contacts.push_back(quantised_contacts(frame, chunk.frames.back(), survey, plan.most_contacts));
        look(frame, std::ssize(chunk.contacts.back()));
    }
    return chunk;
}

}  // namespace

std::vector<int> chosen_joints(const Scene& scene, int frames) {
    constexpr std::int64_t most_bytes = 8'000'000;
    const std::vector<Joint>& joints = scene.model.joints;
    const auto fit = static_cast<std::size_t>(most_bytes / (24 * std::max(1, frames)));
    std::vector<int> chosen;
    std::vector<bool> taken(joints.size());
    const auto take = [&](std::size_t k) {
        if (taken[k] || chosen.size() >= fit) return;
        taken[k] = true;
        chosen.push_back(static_cast<int>(k));
    };
    for (const std::string& name : scene.watch) {
        for (std::size_t k = 0; k < joints.size(); ++k) {
            if (joints[k].name == name) take(k);
        }
    }
    for (std::size_t k = 0; k < joints.size(); ++k) take(k);
    std::sort(chosen.begin(), chosen.end());
    return chosen;
}

EncodedFrames encode_frames(const Recording& recording, const Survey& survey, const Plan& plan,
                            std::int64_t limit) {
    EncodedFrames result;
    result.frames = frames_of(recording, plan);
    result.chunk = chunk_frames(recording.scene().model.bodies.size());
    ChunkPacker packer(limit);
    FrameColumns columns(chosen_joints(recording.scene(), result.frames));
    const auto look = [&](const Frame& frame, std::int64_t kept) {
        columns.add(frame);
        result.kept += kept;
        result.found += std::ssize(frame.contacts);
    };
    for (int first = 0; first < result.frames; first += result.chunk) {
        const int end = std::min(result.frames, first + result.chunk);
        packer.pack(first / result.chunk, read_chunk(recording, survey, plan, first, end, look));
    }
    packer.finish(result);
    columns.finish(result);
    return result;
}

EncodedFrames estimate_frames(const Recording& recording, const Survey& survey, const Plan& plan,
                              int stride) {
    EncodedFrames result;
    result.frames = frames_of(recording, plan);
    result.chunk = chunk_frames(recording.scene().model.bodies.size());
    ChunkPacker packer(0);
    int seen = 0;
    const auto look = [&](const Frame& frame, std::int64_t kept) {
        ++seen;
        result.kept += kept;
        result.found += std::ssize(frame.contacts);
    };
    // The middle one of each group: the beginning of a run is seldom like the rest.
    for (int first = stride / 2 * result.chunk; first < result.frames; first += stride * result.chunk) {
        const int end = std::min(result.frames, first + result.chunk);
        packer.pack(first / result.chunk, read_chunk(recording, survey, plan, first, end, look));
    }
    packer.finish(result);
    const double scale = static_cast<double>(result.frames) / std::max(1, seen);
    for (std::int64_t* value : {&result.kept, &result.found, &result.motion_bytes, &result.contacts_bytes}) {
        *value = static_cast<std::int64_t>(scale * static_cast<double>(*value));
    }
    return result;
}

}  // namespace uptack::report

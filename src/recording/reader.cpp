#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "input_recording.h"
#include "string_table.h"
#include "uptack/recording.h"

namespace uptack {
namespace {

namespace fs = std::filesystem;
using recording::InputRecording;

// In one moment; 72 bytes each in memory.
constexpr std::int64_t most_contacts_of_a_frame = 50'000'000;

template <class T, std::size_t N>
std::vector<std::array<T, N>> read_arrays(const InputRecording& file, const std::string& name,
                                          std::int64_t first, std::int64_t count) {
    std::vector<std::array<T, N>> values(static_cast<std::size_t>(count));
    file.table(name).read(first,
                          std::span(values.empty() ? nullptr : values.front().data(), N * values.size()));
    return values;
}

template <class T>
std::vector<T> read_list(const InputRecording& file, const std::string& name, std::int64_t first,
                         std::int64_t count) {
    std::vector<T> values(static_cast<std::size_t>(count));
    file.table(name).read(first, std::span(values));
    return values;
}

Vec3 widened(const std::array<float, 3>& a) {
    return {static_cast<double>(a[0]), static_cast<double>(a[1]), static_cast<double>(a[2])};
}

}  // namespace

struct Recording::Inside {
    explicit Inside(const fs::path& path)
        : file(path), scene(parse_scene(file.header().document, file.header().scene_name)) {
        const Model& model = scene.model;
        if (std::ssize(model.bodies) == file.header().bodies &&
            std::ssize(model.joints) == file.header().joints) {
            return;
        }
        throw file.file().error(
            "scene", fmt::format("makes {} bodies and {} joints, but {} and {} were recorded; was it made by "
                                 "another version of Uptack?",
                                 model.bodies.size(), model.joints.size(), file.header().bodies,
                                 file.header().joints));
    }

    void read_bodies(std::int64_t index, Frame& frame) const;
    void read_contacts(std::int64_t index, Frame& frame) const;
    void read_joints(std::int64_t index, Frame& frame) const;

    InputRecording file;
    Scene scene;
};

void Recording::Inside::read_bodies(std::int64_t index, Frame& frame) const {
    const std::size_t bodies = scene.model.bodies.size();
    if (bodies == 0) return;
    std::vector<Vec3> position(bodies);
    std::vector<std::array<double, 4>> turn(bodies);
    frame.velocity.resize(bodies);
    frame.pose.resize(bodies);
    file.table("frames/position").read(index, std::span(position.front().data(), 3 * bodies));
    file.table("frames/orientation").read(index, std::span(turn.front().data(), 4 * bodies));
    file.table("frames/velocity").read(index, std::span(frame.velocity.front().data(), 6 * bodies));
    for (std::size_t k = 0; k < bodies; ++k) {
        frame.pose[k] = {position[k], {turn[k][0], turn[k][1], turn[k][2], turn[k][3]}};
    }
}

void Recording::Inside::read_contacts(std::int64_t index, Frame& frame) const {
    const auto start = read_list<std::int64_t>(file, "frames/contact_start", index, 2);
    const std::int64_t count = start[1] - start[0];
    if (start[0] < 0 || count < 0 || start[1] > file.committed().counts.contacts) {
        throw file.file().error("frames/contact_start", fmt::format("is damaged at frame {}", index));
    }
    if (count > most_contacts_of_a_frame) {
        throw LimitError(file.file().path().string(),
                         fmt::format("{} contacts in frame {}; the limit is {}; it is damaged", count, index,
                                     most_contacts_of_a_frame));
    }
    const auto body = read_arrays<std::int32_t, 2>(file, "contacts/body", start[0], count);
    const auto point = read_arrays<float, 3>(file, "contacts/point", start[0], count);
    const auto normal = read_arrays<float, 3>(file, "contacts/normal", start[0], count);
    const auto force = read_arrays<float, 3>(file, "contacts/force", start[0], count);
    const auto gap = read_list<float>(file, "contacts/gap", start[0], count);
    const auto error = read_list<float>(file, "contacts/energy_error_J", start[0], count);
    const auto bodies = static_cast<std::int32_t>(scene.model.bodies.size());
    for (std::size_t k = 0; k < body.size(); ++k) {
        if (std::min(body[k][0], body[k][1]) < 0 || std::max(body[k][0], body[k][1]) >= bodies) {
            throw file.file().error("contacts/body",
                                    fmt::format("names a body that is not there in frame {}", index));
        }
        frame.contacts.push_back({.body_a = body[k][0],
                                  .body_b = body[k][1],
                                  .point_w = widened(point[k]),
                                  .normal_w = widened(normal[k]),
                                  .gap = static_cast<double>(gap[k]),
                                  .force_w = widened(force[k]),
                                  .energy_error_J = static_cast<double>(error[k])});
    }
}

void Recording::Inside::read_joints(std::int64_t index, Frame& frame) const {
    const std::size_t joints = scene.model.joints.size();
    if (joints == 0) return;
    frame.joints.resize(joints);
    std::vector<Vec3> values(joints);
    const auto read = [&](const char* name, Vec3 JointReaction::*member) {
        file.table(name).read(index, std::span(values.front().data(), 3 * joints));
        for (std::size_t k = 0; k < joints; ++k) frame.joints[k].*member = values[k];
    };
    read("joints/force", &JointReaction::force_w);
    read("joints/torque", &JointReaction::torque_w);
    read("joints/force_joint", &JointReaction::force_j);
    read("joints/torque_joint", &JointReaction::torque_j);
}

bool is_recording(const fs::path& path) {
    try {
        return hdf5::InputFile(path).read_text_attribute("format") == recording::format_name;
    } catch (const InputError&) {
        return false;
    }
}

Recording::Recording(const fs::path& path) : inside_(std::make_unique<Inside>(path)) {}
Recording::~Recording() = default;
Recording::Recording(Recording&&) noexcept = default;

bool Recording::finished() const {
    return inside_->file.committed().finished;
}

int Recording::frame_count() const {
    return static_cast<int>(inside_->file.committed().counts.frames);
}

std::int64_t Recording::step_count() const {
    return inside_->file.committed().counts.steps;
}

Frame Recording::frame(int index) const {
    if (index < 0 || index >= frame_count()) throw std::out_of_range("no such frame");
    const InputRecording& file = inside_->file;
    Frame frame;
    frame.time = read_list<double>(file, "frames/time", index, 1).front();
    frame.step = read_list<std::int64_t>(file, "frames/step", index, 1).front();
    inside_->read_bodies(index, frame);
    inside_->read_contacts(index, frame);
    inside_->read_joints(index, frame);
    const auto worst = read_arrays<std::int32_t, 2>(file, "frames/worst", index, 1).front();
    const bool has_contact = worst[0] >= 0 && std::cmp_less(worst[0], frame.contacts.size());
    const bool has_joint = worst[1] >= 0 && std::cmp_less(worst[1], frame.joints.size());
    frame.worst_block_contact = has_contact ? worst[0] : -1;
    frame.worst_block_joint = has_joint ? worst[1] : -1;
    return frame;
}

std::vector<StepReport> Recording::reports() const {
    const InputRecording& file = inside_->file;
    const std::int64_t steps = file.committed().counts.steps;
    std::vector<StepReport> reports(static_cast<std::size_t>(steps));
    const auto fill = [&]<class T>(const char* name, T, auto&& put) {
        const std::vector<T> values = read_list<T>(file, name, 0, steps);
        for (std::size_t k = 0; k < values.size(); ++k) put(reports[k], values[k]);
    };
    fill("steps/step", std::int64_t{}, [](StepReport& r, std::int64_t v) { r.step = v; });
    fill("steps/iterations", std::int64_t{}, [](StepReport& r, std::int64_t v) { r.iterations = v; });
    fill("steps/tolerance_met", std::uint8_t{},
         [](StepReport& r, std::uint8_t v) { r.tolerance_met = v != 0; });
    fill("steps/status", std::uint8_t{}, [&file](StepReport& r, std::uint8_t v) {
        if (v > static_cast<std::uint8_t>(Status::unsuitable)) {
            throw file.file().error("steps/status", "a status that does not exist");
        }
        r.status = static_cast<Status>(v);
    });
    for (const auto& field : recording::real_fields) {
        fill(field.name, double{}, [&field](StepReport& r, double v) { r.*field.member = v; });
    }
    for (const auto& field : recording::count_fields) {
        fill(field.name, std::int32_t{}, [&field](StepReport& r, std::int32_t v) { r.*field.member = v; });
    }
    const std::vector<std::string> strings = recording::read_strings(file, file.committed().counts);
    for (const auto& field : recording::text_fields) {
        fill(field.name, std::int32_t{}, [&](StepReport& r, std::int32_t v) {
            if (v < 0 || std::cmp_greater_equal(v, strings.size())) {
                throw file.file().error(field.name, "names a string that is not there");
            }
            r.*field.member = strings[static_cast<std::size_t>(v)];
        });
    }
    return reports;
}

std::optional<Checkpoint> Recording::last_checkpoint() const {
    auto stored = inside_->file.checkpoint();
    if (!stored) return std::nullopt;
    return std::move(stored->checkpoint);
}

const Scene& Recording::scene() const {
    return inside_->scene;
}

}  // namespace uptack

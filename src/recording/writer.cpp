#include <fmt/format.h>

#include <chrono>
#include <map>

#include "output_recording.h"
#include "string_table.h"
#include "uptack/output_file.h"
#include "uptack/recording.h"

namespace uptack {
namespace {

namespace fs = std::filesystem;
using recording::Ending;
using recording::OutputRecording;
using Clock = std::chrono::steady_clock;

// A solver that says something new every step must not fill memory; later texts become the last entry.
constexpr std::size_t most_strings = 200'000;
constexpr const char* too_many_strings = "(too many different texts)";

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

recording::Header header_of(const Scene& scene) {
    return {.scene_name = scene.name,
            .document = scene.document,
            .model = model_json(scene),
            .bodies = std::ssize(scene.model.bodies),
            .joints = std::ssize(scene.model.joints)};
}

void refuse_leftovers(const fs::path& path) {
    check_output(path);
    std::error_code ignored;
    const fs::path part = recording::part_path(path);
    if (!fs::exists(part, ignored)) return;
    throw InputError(part.string(),
                     fmt::format("is there already, from a run that was cut off or still goes on; go on with "
                                 "'uptack run --resume {}' or remove it",
                                 part.string()));
}

std::array<float, 3> single(const Vec3& a) {
    return {single_precision(a[0]), single_precision(a[1]), single_precision(a[2])};
}

}  // namespace

struct RecordingWriter::Inside {
    Inside(const fs::path& path, const recording::Header& header, const RecordingOptions& wanted)
        : options(wanted),
          bodies(static_cast<std::size_t>(header.bodies)),
          joints(static_cast<std::size_t>(header.joints)),
          file(path, header, wanted.compression) {}

    std::int32_t index_of(const std::string& text);
    void add_contacts(const Frame& frame);
    void add_joints(const Frame& frame);
    template <class T>
    void append(const char* table, std::span<const T> values) {
        if (!values.empty()) file.table(table).append(values);
    }

    RecordingOptions options;
    std::size_t bodies;
    std::size_t joints;
    OutputRecording file;
    std::map<std::string, std::int32_t> strings;
    Clock::time_point last_flush = Clock::now();
    double flush_interval_s = options.flush_every_s;
    std::vector<double> position;  // reused from frame to frame
    std::vector<double> orientation;
    std::vector<double> velocity;
    std::array<std::vector<double>, 4> reaction;
};

std::int32_t RecordingWriter::Inside::index_of(const std::string& text) {
    const auto found = strings.find(text);
    if (found != strings.end()) return found->second;
    if (strings.size() >= most_strings && text != too_many_strings) return index_of(too_many_strings);
    const auto index = static_cast<std::int32_t>(strings.size());
    strings.emplace(text, index);
    append("strings/text", std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
    file.counts.string_bytes += std::ssize(text);
    file.counts.strings += 1;
    file.table("strings/end").append(file.counts.string_bytes);
    return index;
}

void RecordingWriter::Inside::add_contacts(const Frame& frame) {
    if (options.contacts) {
        hdf5::OutputTable& body = file.table("contacts/body");
        hdf5::OutputTable& point = file.table("contacts/point");
        hdf5::OutputTable& normal = file.table("contacts/normal");
        hdf5::OutputTable& gap = file.table("contacts/gap");
        hdf5::OutputTable& force = file.table("contacts/force");
        hdf5::OutputTable& error = file.table("contacts/energy_error_J");
        for (const FrameContact& contact : frame.contacts) {
            body.append(std::span<const std::int32_t>(std::array{contact.body_a, contact.body_b}));
            point.append(std::span<const float>(single(contact.point_w)));
            normal.append(std::span<const float>(single(contact.normal_w)));
            gap.append(single_precision(contact.gap));
            force.append(std::span<const float>(single(contact.force_w)));
            error.append(single_precision(contact.energy_error_J));
        }
        file.counts.contacts += std::ssize(frame.contacts);
    }
    file.table("frames/contact_start").append(file.counts.contacts);
}

void RecordingWriter::Inside::add_joints(const Frame& frame) {
    constexpr std::array members{&JointReaction::force_w, &JointReaction::torque_w, &JointReaction::force_j,
                                 &JointReaction::torque_j};
    constexpr std::array names{"joints/force", "joints/torque", "joints/force_joint", "joints/torque_joint"};
    for (std::size_t k = 0; k < members.size(); ++k) {
        reaction[k].clear();
        for (const JointReaction& joint : frame.joints) {
            const Vec3& value = joint.*members[k];
            reaction[k].insert(reaction[k].end(), value.begin(), value.end());
        }
        append(names[k], std::span<const double>(reaction[k]));
    }
}

RecordingWriter::RecordingWriter(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
RecordingWriter::RecordingWriter(RecordingWriter&&) noexcept = default;

RecordingWriter::~RecordingWriter() {
    if (!inside_) return;
    try {
        inside_->file.commit();
    } catch (const std::exception&) {
        // Nobody is left to hear of it, and what was committed before stays readable.
        return;
    }
}

RecordingWriter::RecordingWriter(const fs::path& path, const Scene& scene, const RecordingOptions& options) {
    refuse_leftovers(path);
    inside_ = std::make_unique<Inside>(path, header_of(scene), options);
    refuse_leftovers(path);  // of a run that took its place before this one had the lock
    inside_->file.table("frames/contact_start").append(std::int64_t{0});
    inside_->file.publish();
}

RecordingWriter RecordingWriter::resume(const fs::path& path, const RecordingOptions& options) {
    const recording::FileLock reading(path, recording::LockKind::reader);  // refused while somebody writes it
    const recording::InputRecording old(path);
    const std::optional<recording::StoredCheckpoint> stored = old.checkpoint();
    const fs::path name = recording::final_path(path);
    if (name == path) refuse_leftovers(path);  // run.h5 is given while run.h5.part is there: which one?
    auto inside = std::make_unique<Inside>(name, old.header(), options);
    const recording::Counts kept = stored ? stored->counts : recording::Counts{};
    inside->file.copy_from(old, kept);
    for (const std::string& text : recording::read_strings(old, kept)) {
        inside->strings.emplace(text, static_cast<std::int32_t>(inside->strings.size()));
    }
    if (stored) inside->file.add_checkpoint(stored->checkpoint, kept);
    reading.check_holds(path);  // another run may have gone on with it before this one had its own lock
    if (name == path) refuse_leftovers(path);
    inside->file.publish();
    return RecordingWriter(std::move(inside));
}

void RecordingWriter::add_frame(const Frame& frame) {
    Inside& in = *inside_;
    if (frame.pose.size() != in.bodies || frame.velocity.size() != in.bodies ||
        frame.joints.size() != in.joints) {
        throw std::logic_error("a frame of another model");
    }
    in.position.clear();
    in.orientation.clear();
    in.velocity.clear();
    for (std::size_t k = 0; k < frame.pose.size(); ++k) {
        const auto& [at, turn] = frame.pose[k];
        in.position.insert(in.position.end(), at.begin(), at.end());
        in.orientation.insert(in.orientation.end(), {turn.w, turn.x, turn.y, turn.z});
        in.velocity.insert(in.velocity.end(), frame.velocity[k].begin(), frame.velocity[k].end());
    }
    in.file.table("frames/time").append(frame.time);
    in.file.table("frames/step").append(frame.step);
    in.append("frames/position", std::span<const double>(in.position));
    in.append("frames/orientation", std::span<const double>(in.orientation));
    in.append("frames/velocity", std::span<const double>(in.velocity));
    const int worst_contact = in.options.contacts ? frame.worst_block_contact : -1;
    const std::array<std::int32_t, 2> worst{worst_contact, frame.worst_block_joint};
    in.append("frames/worst", std::span<const std::int32_t>(worst));
    in.add_joints(frame);
    in.add_contacts(frame);
    in.file.counts.frames += 1;
}

void RecordingWriter::add_report(const StepReport& report) {
    OutputRecording& file = inside_->file;
    file.table("steps/step").append(report.step);
    file.table("steps/iterations").append(report.iterations);
    file.table("steps/status").append(static_cast<std::uint8_t>(report.status));
    file.table("steps/tolerance_met").append(static_cast<std::uint8_t>(report.tolerance_met ? 1 : 0));
    for (const auto& field : recording::real_fields) file.table(field.name).append(report.*field.member);
    for (const auto& field : recording::count_fields) {
        file.table(field.name).append(static_cast<std::int32_t>(report.*field.member));
    }
    for (const auto& field : recording::text_fields) {
        file.table(field.name).append(inside_->index_of(report.*field.member));
    }
    file.counts.steps += 1;
    if (seconds_since(inside_->last_flush) >= inside_->flush_interval_s) flush();
}

void RecordingWriter::add_checkpoint(const Checkpoint& checkpoint) {
    const State& state = checkpoint.state;
    if (state.pose.size() != inside_->bodies || state.velocity.size() != inside_->bodies ||
        state.still_s.size() != inside_->bodies || state.joint_angle.size() != inside_->joints) {
        throw std::logic_error("a checkpoint of another model");
    }
    inside_->file.add_checkpoint(checkpoint, inside_->file.counts);
    inside_->last_flush = Clock::now();
}

void RecordingWriter::flush() {
    // Flushing a large recording to a slow disk may take at most this part of the time.
    constexpr double most_of_time = 0.05;
    const Clock::time_point start = Clock::now();
    inside_->file.commit();
    inside_->flush_interval_s = std::max(inside_->options.flush_every_s, seconds_since(start) / most_of_time);
    inside_->last_flush = Clock::now();
}

void RecordingWriter::finish() {
    inside_->file.close(Ending::finished);
    inside_.reset();
}

void RecordingWriter::stop() {
    inside_->file.close(Ending::stopped);
    inside_.reset();
}

}  // namespace uptack

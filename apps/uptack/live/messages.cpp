#include "messages.h"

#include <bit>
#include <cstring>
#include <map>

#include "uptack/recording.h"
#include "uptack/solver.h"

namespace uptack::app::live {
namespace {

static_assert(std::endian::native == std::endian::little, "messages are written as they lie in memory");

enum class MessageType : std::uint32_t { beat = 0, json = 1, frame = 2, steps = 3 };

/// Collects a payload; the first eight bytes are kept for length and type.
class Message {
public:
    explicit Message(MessageType type, std::size_t expected = 0) {
        bytes_.reserve(8 + expected);
        put(std::uint32_t{0});
        put(static_cast<std::uint32_t>(type));
    }

    template <class Number>
    void put(Number value) {
        const char* raw = reinterpret_cast<const char*>(&value);
        bytes_.append(raw, sizeof value);
    }
    void put_float(double value) { put(single_precision(value)); }
    void put_floats(const Vec3& v) {
        for (const double x : v) put_float(x);
    }
    void put_count(std::size_t count) { put(static_cast<std::uint32_t>(count)); }
    void put_text(std::string_view text) { bytes_.append(text); }

    std::string take() {
        const auto length = static_cast<std::uint32_t>(bytes_.size() - 8);
        std::memcpy(bytes_.data(), &length, sizeof length);
        return std::move(bytes_);
    }

private:
    std::string bytes_;
};

// ---- frames -----------------------------------------------------------------------------------------------

struct WorstPlace {
    std::int32_t joint = -1;
    std::int32_t body_a = -2;
    std::int32_t body_b = -2;
    Vec3 point_w{};
};

WorstPlace worst_place(const Frame& frame, const Model& model) {
    if (frame.worst_block_contact >= 0) {
        const FrameContact& contact = frame.contacts[frame.worst_block_contact];
        return {.body_a = contact.body_a, .body_b = contact.body_b, .point_w = contact.point_w};
    }
    if (frame.worst_block_joint < 0) return {};
    const Joint& joint = model.joints[frame.worst_block_joint];
    const Vec3 point_w =
        joint.body_b != no_body
            ? transform(frame.pose[joint.body_b], joint.frame_b.position)
            : (joint.body_a != no_body ? transform(frame.pose[joint.body_a], joint.frame_a.position)
                                       : joint.frame_b.position);
    return {
        .joint = frame.worst_block_joint, .body_a = joint.body_a, .body_b = joint.body_b, .point_w = point_w};
}

/// Sums over the contacts of each body: sizes of forces [N], errors [J].
struct BodySums {
    std::vector<double> load;
    std::vector<double> error;
};

BodySums body_sums(const Frame& frame) {
    BodySums sums{std::vector<double>(frame.pose.size()), std::vector<double>(frame.pose.size())};
    for (const FrameContact& contact : frame.contacts) {
        for (const int body : {contact.body_a, contact.body_b}) {
            if (body < 0) continue;
            sums.load[body] += length(contact.force_w);
            sums.error[body] += contact.energy_error_J;
        }
    }
    return sums;
}

void put_bodies(const Frame& frame, Message& message) {
    for (const Pose& pose : frame.pose) message.put_floats(pose.position);
    for (const Pose& pose : frame.pose) {
        const Quaternion& q = pose.orientation;
        for (const double value : {q.x, q.y, q.z, q.w}) message.put_float(value);
    }
    const BodySums sums = body_sums(frame);
    for (const double load : sums.load) message.put_float(load);
    for (const double error : sums.error) message.put_float(error);
}

void put_contacts(const Frame& frame, Message& message) {
    for (const FrameContact& contact : frame.contacts) {
        message.put(static_cast<std::int32_t>(contact.body_a));
        message.put(static_cast<std::int32_t>(contact.body_b));
    }
    for (const FrameContact& contact : frame.contacts) message.put_floats(contact.point_w);
    for (const FrameContact& contact : frame.contacts) message.put_floats(contact.force_w);
    for (const FrameContact& contact : frame.contacts) message.put_float(contact.energy_error_J);
}

// ---- steps ------------------------------------------------------------------------------------------------

std::vector<double> step_numbers(const StepReport& r) {
    return {r.time,
            static_cast<double>(r.step),
            r.energy_error_J,
            r.relative_error,
            r.tolerance_met ? 1.0 : 0.0,
            static_cast<double>(r.contacts),
            static_cast<double>(r.rows),
            static_cast<double>(r.islands),
            static_cast<double>(r.iterations),
            r.collision_s,
            r.assembly_s,
            r.solve_s,
            r.total_s,
            r.kinetic_J,
            r.potential_J,
            r.max_penetration,
            r.max_joint_drift,
            static_cast<double>(r.sleeping),
            r.worst_error_J};
}

class Strings {
public:
    std::int32_t index(const std::string& text) {
        const auto [found, is_new] = known_.try_emplace(text, static_cast<std::int32_t>(list_.size()));
        if (is_new) list_.push_back(text);
        return found->second;
    }
    const std::vector<std::string>& list() const { return list_; }

private:
    std::map<std::string, std::int32_t> known_;
    std::vector<std::string> list_;
};

}  // namespace

std::string beat_message() {
    return Message(MessageType::beat).take();
}

std::string json_message(const std::string& text) {
    Message message(MessageType::json, text.size());
    message.put_text(text);
    return message.take();
}

std::string frame_message(const Simulation& simulation, const FrameFacts& facts) {
    const Frame frame = make_frame(simulation);
    Message message(MessageType::frame,
                    64 + 36 * frame.pose.size() + 36 * frame.contacts.size() + 24 * frame.joints.size());
    message.put(facts.run);
    for (const std::size_t count : {frame.pose.size(), frame.contacts.size(), frame.joints.size()}) {
        message.put_count(count);
    }
    message.put(frame.time);
    message.put(static_cast<double>(frame.step));
    message.put_float(facts.real_time_factor);
    message.put(std::uint32_t{facts.paused ? 1U : 0U});
    const WorstPlace worst = worst_place(frame, simulation.model());
    for (const std::int32_t index : {worst.joint, worst.body_a, worst.body_b}) message.put(index);
    message.put_floats(worst.point_w);
    put_bodies(frame, message);
    put_contacts(frame, message);
    for (const JointReaction& joint : frame.joints) {
        message.put_floats(joint.force_j);
        message.put_floats(joint.torque_j);
    }
    return message.take();
}

const std::vector<std::string>& step_columns() {
    static const std::vector<std::string> names{
        "time",         "step",      "energy_error_J", "relative_error",  "tolerance_met",   "contacts",
        "rows",         "islands",   "iterations",     "collision_s",     "assembly_s",      "solve_s",
        "total_s",      "kinetic_J", "potential_J",    "max_penetration", "max_joint_drift", "sleeping",
        "worst_error_J"};
    return names;
}

std::string steps_message(std::uint32_t run, std::span<const StepReport> reports) {
    Strings strings;
    std::vector<std::int32_t> indices;
    for (const StepReport& report : reports) {
        for (const std::string& text : {report.worst, report.deepest, report.loosest, report.solver,
                                        std::string(status_name(report.status)), report.reason}) {
            indices.push_back(strings.index(text));
        }
    }
    Message message(MessageType::steps, 16 + reports.size() * (step_columns().size() * 8 + 24));
    message.put(run);
    for (const std::size_t count : {reports.size(), step_columns().size(), strings.list().size()}) {
        message.put_count(count);
    }
    for (const StepReport& report : reports) {
        for (const double value : step_numbers(report)) message.put(value);
    }
    for (const std::int32_t index : indices) message.put(index);
    for (const std::string& text : strings.list()) {
        message.put_count(text.size());
        message.put_text(text);
    }
    return message.take();
}

}  // namespace uptack::app::live

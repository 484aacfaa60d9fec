// A small scene and made-up frames, reports and checkpoints that use every field.

#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <limits>
#include <string>

#include "support/random.h"
#include "uptack/recording.h"

namespace uptack::test {

namespace fs = std::filesystem;

inline constexpr const char* sample_document = R"({
    "uptack": 1, "title": "Two blocks", "ground": true, "watch": "hinge",
    "bodies": [
        {"name": "left", "shape": {"box": [1, 1, 1]}, "position": [-1, 0, 0.5]},
        {"name": "right", "shape": {"sphere": 0.5}, "position": [1, 0, 0.5]}
    ],
    "joints": [{"name": "hinge", "kind": "revolute", "a": "left", "b": "right", "position": [0, 0, 0.5]}]
})";

inline Scene sample_scene() {
    return parse_scene(sample_document, "two blocks");
}

/// A folder of its own for every test, gone afterwards.
class RecordingTest : public testing::Test {
protected:
    void SetUp() override {
        const auto* test = testing::UnitTest::GetInstance()->current_test_info();
        folder = fs::temp_directory_path() /
                 ("uptack_recording_" + std::string(test->name()) + "_" + std::to_string(getpid()));
        fs::remove_all(folder);
        fs::create_directories(folder);
    }
    void TearDown() override { fs::remove_all(folder); }

    fs::path folder;
    Scene scene = sample_scene();
};

/// Numbers whose every bit counts: negative zero, the smallest, infinities, and ordinary ones.
inline double odd_number(Random& random) {
    const double special[] = {-0.0, std::numeric_limits<double>::denorm_min(), -1e300, 1.0 / 3.0};
    const auto pick = static_cast<int>(random.uniform(0.0, 10.0));
    return pick < 4 ? special[pick] : random.uniform(-10.0, 10.0);
}

inline Vec3 odd_vector(Random& random) {
    return {odd_number(random), odd_number(random), odd_number(random)};
}

inline Frame sample_frame(const Scene& scene, int index) {
    Random random(static_cast<std::uint64_t>(index) + 1);
    Frame frame;
    frame.time = index / 60.0;
    frame.step = 4 * index;
    for (std::size_t k = 0; k < scene.model.bodies.size(); ++k) {
        frame.pose.push_back({odd_vector(random), {odd_number(random), odd_number(random), 0.25, -0.5}});
        frame.velocity.push_back(join(odd_vector(random), odd_vector(random)));
    }
    for (int k = 0; k < index % 4; ++k) {
        frame.contacts.push_back({.body_a = k % 2,
                                  .body_b = 2,
                                  .point_w = {random.uniform(-1.0, 1.0), 1.0 / 3.0, -0.0},
                                  .normal_w = {0.0, 0.6, 0.8},
                                  .gap = random.uniform(-1e-3, 1e-3),
                                  .force_w = {1.0, 2.0, random.uniform(0.0, 1e4)},
                                  .energy_error_J = random.uniform(0.0, 1e-9)});
    }
    for (std::size_t k = 0; k < scene.model.joints.size(); ++k) {
        frame.joints.push_back(
            {odd_vector(random), odd_vector(random), odd_vector(random), odd_vector(random)});
    }
    if (index % 4 > 0) frame.worst_block_contact = index % 4 - 1;
    if (index % 4 == 0) frame.worst_block_joint = 0;
    return frame;
}

inline StepReport sample_report(int index) {
    Random random(static_cast<std::uint64_t>(index) + 1000);
    StepReport report;
    report.step = index + 1;
    report.time = (index + 1) / 240.0;
    report.status = static_cast<Status>(index % 8);
    report.tolerance_met = index % 3 != 0;
    report.solver = index % 2 == 0 ? "newton" : "psor";
    report.iterations = 5'000'000'000 + index;
    report.worst = "contact brick " + std::to_string(index % 7) + " | ground";
    report.reason = index % 5 == 0 ? "" : "because\nof \"quotes\", and commas";
    report.deepest = index % 2 == 0 ? "" : "left | ground";
    report.loosest = "hinge";
    double* const reals[] = {&report.collision_s,   &report.assembly_s,      &report.solve_s,
                             &report.total_s,       &report.energy_error_J,  &report.relative_error,
                             &report.worst_error_J, &report.max_penetration, &report.max_joint_drift,
                             &report.kinetic_J,     &report.potential_J};
    for (double* real : reals) *real = odd_number(random);
    report.contacts = index;
    report.rows = 3 * index;
    report.islands = index + 7;
    report.sleeping = index + 11;
    report.frozen = index + 13;
    report.froze = index % 6 == 0 ? "left (its force is nan)" : "";
    return report;
}

inline Checkpoint sample_checkpoint(const Scene& scene, int index, int blocks) {
    Random random(static_cast<std::uint64_t>(index) + 5000);
    Checkpoint checkpoint;
    State& state = checkpoint.state;
    state.time = odd_number(random);
    state.step = 1'000'000'000'000 + index;
    state.velocity_lag_s = odd_number(random);
    for (std::size_t k = 0; k < scene.model.bodies.size(); ++k) {
        state.pose.push_back({odd_vector(random), {odd_number(random), 0.5, odd_number(random), -0.5}});
        state.velocity.push_back(join(odd_vector(random), odd_vector(random)));
        state.still_s.push_back(k == 0 ? infinity : odd_number(random));
        state.frozen_at.push_back(k == 1 ? infinity : odd_number(random));
    }
    for (std::size_t k = 0; k < scene.model.joints.size(); ++k) {
        state.joint_angle.push_back({odd_number(random), odd_number(random)});
    }
    checkpoint.memory.kick_s = odd_number(random);
    checkpoint.memory.relative_error = odd_number(random);
    for (int k = 0; k < blocks; ++k) {
        RememberedBlock block;
        block.key = {static_cast<ConstraintKind>(k % 7), 0xffffffffffffffffU - static_cast<unsigned>(k),
                     static_cast<std::uint64_t>(k) << 32U, 7U};
        block.rows = k % (max_block_rows + 1);
        for (double& x : block.impulse) x = odd_number(random);
        block.normal_w = odd_vector(random);
        block.point_w = odd_vector(random);
        checkpoint.memory.blocks.push_back(block);
    }
    return checkpoint;
}

inline void expect_same_bits(double a, double b, const std::string& what) {
    EXPECT_EQ(std::memcmp(&a, &b, sizeof a), 0) << what << ": " << a << " and " << b;
}

inline void expect_same_bits(std::span<const double> a, std::span<const double> b, const std::string& what) {
    ASSERT_EQ(a.size(), b.size()) << what;
    for (std::size_t k = 0; k < a.size(); ++k) expect_same_bits(a[k], b[k], what);
}

/// Contacts are kept in single precision: `written` is rounded as the file rounds it.
inline void expect_same_frame(const Frame& read, const Frame& written) {
    expect_same_bits(read.time, written.time, "time");
    EXPECT_EQ(read.step, written.step);
    ASSERT_EQ(read.pose.size(), written.pose.size());
    for (std::size_t k = 0; k < read.pose.size(); ++k) {
        expect_same_bits(read.pose[k].position, written.pose[k].position, "position");
        const Quaternion& p = read.pose[k].orientation;
        const Quaternion& q = written.pose[k].orientation;
        expect_same_bits(std::array{p.w, p.x, p.y, p.z}, std::array{q.w, q.x, q.y, q.z}, "orientation");
        expect_same_bits(read.velocity[k], written.velocity[k], "velocity");
    }
    ASSERT_EQ(read.joints.size(), written.joints.size());
    for (std::size_t k = 0; k < read.joints.size(); ++k) {
        expect_same_bits(read.joints[k].force_w, written.joints[k].force_w, "force_w");
        expect_same_bits(read.joints[k].torque_w, written.joints[k].torque_w, "torque_w");
        expect_same_bits(read.joints[k].force_j, written.joints[k].force_j, "force_j");
        expect_same_bits(read.joints[k].torque_j, written.joints[k].torque_j, "torque_j");
    }
    ASSERT_EQ(read.contacts.size(), written.contacts.size());
    const auto rounded = [](double x) { return static_cast<double>(single_precision(x)); };
    for (std::size_t k = 0; k < read.contacts.size(); ++k) {
        const FrameContact& a = read.contacts[k];
        const FrameContact& b = written.contacts[k];
        EXPECT_EQ(a.body_a, b.body_a);
        EXPECT_EQ(a.body_b, b.body_b);
        expect_same_bits(a.gap, rounded(b.gap), "gap");
        expect_same_bits(a.energy_error_J, rounded(b.energy_error_J), "energy_error_J");
        for (std::size_t i = 0; i < 3; ++i) {
            expect_same_bits(a.point_w[i], rounded(b.point_w[i]), "point_w");
            expect_same_bits(a.normal_w[i], rounded(b.normal_w[i]), "normal_w");
            expect_same_bits(a.force_w[i], rounded(b.force_w[i]), "force_w");
        }
    }
    EXPECT_EQ(read.worst_block_contact, written.worst_block_contact);
    EXPECT_EQ(read.worst_block_joint, written.worst_block_joint);
}

inline void expect_same_report(const StepReport& a, const StepReport& b) {
    EXPECT_EQ(a.step, b.step);
    EXPECT_EQ(a.status, b.status);
    EXPECT_EQ(a.tolerance_met, b.tolerance_met);
    EXPECT_EQ(a.iterations, b.iterations);
    for (const auto text : {&StepReport::solver, &StepReport::worst, &StepReport::reason,
                            &StepReport::deepest, &StepReport::loosest, &StepReport::froze}) {
        EXPECT_EQ(a.*text, b.*text);
    }
    for (const auto count : {&StepReport::contacts, &StepReport::rows, &StepReport::islands,
                             &StepReport::sleeping, &StepReport::frozen}) {
        EXPECT_EQ(a.*count, b.*count);
    }
    for (const auto real :
         {&StepReport::time, &StepReport::collision_s, &StepReport::assembly_s, &StepReport::solve_s,
          &StepReport::total_s, &StepReport::energy_error_J, &StepReport::relative_error,
          &StepReport::worst_error_J, &StepReport::max_penetration, &StepReport::max_joint_drift,
          &StepReport::kinetic_J, &StepReport::potential_J}) {
        expect_same_bits(a.*real, b.*real, "a field of the report");
    }
}

/// == takes -0 for 0; the bits are looked at too.
inline void expect_same_checkpoint(const Checkpoint& a, const Checkpoint& b) {
    EXPECT_EQ(a, b);
    expect_same_bits(std::array{a.state.time, a.state.velocity_lag_s, a.memory.kick_s},
                     std::array{b.state.time, b.state.velocity_lag_s, b.memory.kick_s}, "scalars");
    expect_same_bits(a.state.still_s, b.state.still_s, "still_s");
    expect_same_bits(a.state.frozen_at, b.state.frozen_at, "frozen_at");
    for (std::size_t k = 0; k < a.state.pose.size(); ++k) {
        expect_same_bits(a.state.pose[k].position, b.state.pose[k].position, "position");
        expect_same_bits(a.state.velocity[k], b.state.velocity[k], "velocity");
        EXPECT_EQ(std::signbit(a.state.pose[k].orientation.w), std::signbit(b.state.pose[k].orientation.w));
        EXPECT_EQ(std::signbit(a.state.pose[k].orientation.y), std::signbit(b.state.pose[k].orientation.y));
    }
    for (std::size_t k = 0; k < a.memory.blocks.size(); ++k) {
        expect_same_bits(a.memory.blocks[k].impulse, b.memory.blocks[k].impulse, "impulse");
        expect_same_bits(a.memory.blocks[k].normal_w, b.memory.blocks[k].normal_w, "normal");
    }
}

/// Four steps and a frame per turn, a checkpoint every ten turns; from `first` up to `end`.
inline void write_turns(RecordingWriter& writer, const Scene& scene, int first, int end) {
    for (int k = first; k < end; ++k) {
        for (int step = 4 * k; step < 4 * k + 4; ++step) writer.add_report(sample_report(step));
        writer.add_frame(sample_frame(scene, k));
        if (k % 10 == 9) writer.add_checkpoint(sample_checkpoint(scene, k, 3 * (k % 50)));
    }
}

/// Exactly the turns 0 to `turns` - 1, and the last checkpoint among them.
inline void expect_turns(const Recording& recording, const Scene& scene, int turns) {
    ASSERT_EQ(recording.frame_count(), turns);
    for (int k = 0; k < turns; ++k) expect_same_frame(recording.frame(k), sample_frame(scene, k));
    const std::vector<StepReport> reports = recording.reports();
    ASSERT_EQ(std::ssize(reports), 4 * turns);
    for (int k = 0; k < 4 * turns; ++k) {
        expect_same_report(reports[static_cast<std::size_t>(k)], sample_report(k));
    }
    const int last = turns / 10 * 10 - 1;
    const std::optional<Checkpoint> checkpoint = recording.last_checkpoint();
    ASSERT_EQ(checkpoint.has_value(), last >= 0);
    if (checkpoint) expect_same_checkpoint(*checkpoint, sample_checkpoint(scene, last, 3 * (last % 50)));
}

}  // namespace uptack::test

#include "uptack/recording.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "file_lock.h"
#include "output_recording.h"
#include "sample_run.h"
#include "uptack/input_error.h"

namespace uptack::test {
namespace {

fs::path part_of(const fs::path& path) {
    return path.string() + ".part";
}

TEST_F(RecordingTest, ReadsBackBitByBit) {
    const fs::path path = folder / "run.h5";
    RecordingWriter writer(path, scene);
    write_turns(writer, scene, 0, 237);
    writer.finish();
    EXPECT_FALSE(fs::exists(part_of(path)));
    const Recording recording(path);
    EXPECT_TRUE(recording.finished());
    EXPECT_EQ(recording.step_count(), 4 * 237);
    expect_turns(recording, scene, 237);
    EXPECT_EQ(recording.scene().document, scene.document);
    EXPECT_EQ(recording.scene().name, "two blocks");
    EXPECT_EQ(recording.scene().title, "Two blocks");
}

TEST_F(RecordingTest, HoldsMoreThanOneChunkOfEverything) {
    const fs::path path = folder / "run.h5";
    RecordingWriter writer(path, scene, {.compression = 1});
    write_turns(writer, scene, 0, 1100);
    writer.finish();
    const Recording recording(path);
    ASSERT_EQ(recording.frame_count(), 1100);
    for (const int k : {0, 1, 340, 341, 342, 454, 455, 1023, 1024, 1099}) {
        expect_same_frame(recording.frame(k), sample_frame(scene, k));
    }
    const std::vector<StepReport> reports = recording.reports();
    for (const int k : {0, 1023, 1024, 4095, 4096, 4399}) {
        expect_same_report(reports[static_cast<std::size_t>(k)], sample_report(k));
    }
}

TEST_F(RecordingTest, AnEmptyRunIsARecordingToo) {
    const fs::path path = folder / "run.h5";
    RecordingWriter(path, scene).finish();
    const Recording recording(path);
    EXPECT_EQ(recording.frame_count(), 0);
    EXPECT_TRUE(recording.reports().empty());
    EXPECT_FALSE(recording.last_checkpoint().has_value());
}

TEST_F(RecordingTest, AWorldWithoutJointsOrBodiesIsRecorded) {
    const Scene empty = parse_scene(R"({"uptack": 1})", "empty");
    const fs::path path = folder / "run.h5";
    RecordingWriter writer(path, empty);
    Frame frame;
    frame.time = 0.5;
    writer.add_frame(frame);
    writer.add_checkpoint({});
    writer.finish();
    const Recording recording(path);
    ASSERT_EQ(recording.frame_count(), 1);
    EXPECT_EQ(recording.frame(0).time, 0.5);
    EXPECT_EQ(recording.last_checkpoint(), Checkpoint{});
}

TEST_F(RecordingTest, WithoutContactsTheRestIsAsBefore) {
    const fs::path path = folder / "run.h5";
    RecordingWriter writer(path, scene, {.contacts = false});
    write_turns(writer, scene, 0, 5);
    writer.finish();
    const Recording recording(path);
    Frame wanted = sample_frame(scene, 3);
    ASSERT_FALSE(wanted.contacts.empty());
    wanted.contacts.clear();
    wanted.worst_block_contact = -1;
    expect_same_frame(recording.frame(3), wanted);
}

TEST_F(RecordingTest, WhatIsTooLargeForAFloatStaysFinite) {
    constexpr double largest = std::numeric_limits<float>::max();
    const fs::path path = folder / "run.h5";
    Frame frame = sample_frame(scene, 0);
    frame.contacts = {{.body_a = 0,
                       .body_b = 1,
                       .point_w = {1e39, -1e300, 0.5},
                       .normal_w = {0.0, 0.0, 1.0},
                       .gap = -1e40,
                       .force_w = {largest, 1e308, -infinity},
                       .energy_error_J = 1e100}};
    RecordingWriter writer(path, scene);
    writer.add_frame(frame);
    writer.finish();
    const FrameContact contact = Recording(path).frame(0).contacts.at(0);
    EXPECT_EQ(contact.point_w, (Vec3{largest, -largest, 0.5}));
    EXPECT_EQ(contact.force_w, (Vec3{largest, largest, -infinity})) << "infinity is not made finite";
    EXPECT_EQ(contact.gap, -largest);
    EXPECT_EQ(contact.energy_error_J, largest);
}

TEST_F(RecordingTest, WhatWasFlushedIsReadWhileTheWriterGoesOn) {
    const fs::path path = folder / "run.h5";
    RecordingWriter writer(path, scene, {.flush_every_s = 1e9});
    write_turns(writer, scene, 0, 9);
    expect_turns(Recording(part_of(path)), scene, 0);
    writer.flush();
    expect_turns(Recording(part_of(path)), scene, 9);
    EXPECT_FALSE(Recording(part_of(path)).finished());
    write_turns(writer, scene, 9, 25);  // the checkpoint after turn 19 commits, too
    expect_turns(Recording(part_of(path)), scene, 20);
    writer.finish();
    expect_turns(Recording(path), scene, 25);
}

TEST_F(RecordingTest, AStoppedRunIsInPlaceButNotFinished) {
    const fs::path path = folder / "run.h5";
    RecordingWriter writer(path, scene);
    write_turns(writer, scene, 0, 12);
    writer.stop();
    EXPECT_FALSE(fs::exists(part_of(path)));
    const Recording recording(path);
    EXPECT_FALSE(recording.finished());
    expect_turns(recording, scene, 12);
}

TEST_F(RecordingTest, ResumeDropsWhatLiesBehindTheCheckpointAndGoesOn) {
    const fs::path path = folder / "run.h5";
    {
        RecordingWriter writer(path, scene);
        write_turns(writer, scene, 0, 37);
    }  // neither finished nor stopped, as after an exception
    expect_turns(Recording(part_of(path)), scene, 37);
    {
        RecordingWriter writer = RecordingWriter::resume(part_of(path));
        expect_turns(Recording(part_of(path)), scene, 30);
        write_turns(writer, scene, 30, 64);
        writer.finish();
    }
    EXPECT_FALSE(fs::exists(part_of(path)));
    expect_turns(Recording(path), scene, 64);
}

TEST_F(RecordingTest, AStoppedRunGoesOnUnderItsName) {
    const fs::path path = folder / "run.h5";
    RecordingWriter first(path, scene);
    write_turns(first, scene, 0, 20);
    first.stop();
    RecordingWriter second = RecordingWriter::resume(path);
    write_turns(second, scene, 20, 33);
    second.finish();
    expect_turns(Recording(path), scene, 33);
}

TEST_F(RecordingTest, ResumedWithoutCheckpointItStartsFromTheBeginning) {
    const fs::path path = folder / "run.h5";
    RecordingWriter writer(path, scene);
    write_turns(writer, scene, 0, 5);
    writer.stop();
    RecordingWriter again = RecordingWriter::resume(path);
    write_turns(again, scene, 0, 13);
    again.finish();
    expect_turns(Recording(path), scene, 13);
}

TEST_F(RecordingTest, ARunThatWasCutOffIsNotOverwritten) {
    const fs::path path = folder / "run.h5";
    { RecordingWriter writer(path, scene); }
    try {
        RecordingWriter again(path, scene);
        FAIL() << "it was";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("--resume"), std::string::npos) << error.what();
    }
    EXPECT_NO_THROW(Recording{part_of(path)});
}

TEST_F(RecordingTest, AFolderThatIsNotThereIsNamed) {
    EXPECT_THROW(RecordingWriter(folder / "nowhere" / "run.h5", scene), InputError);
}

/// Writes until killed.  Flushes nearly always, so that most kills fall into one.
[[noreturn]] void write_forever(const fs::path& path, const Scene& scene, bool resume) {
    const RecordingOptions options{.flush_every_s = 1e-4};
    try {
        RecordingWriter writer =
            resume ? RecordingWriter::resume(path, options) : RecordingWriter(path, scene, options);
        const fs::path part = resume ? path : part_of(path);
        write_turns(writer, scene, Recording(part).frame_count(), 1'000'000);
    } catch (const std::exception& error) {
        std::fputs(error.what(), stderr);
    }
    _exit(1);  // no clearing up after the parent's test
}

TEST_F(RecordingTest, KilledAtAnyMomentItOpensAndGoesOn) {
    const fs::path path = folder / "run.h5";
    // On a busy machine everything takes longer: kills fall within a few times what a start takes.
    const auto begin = std::chrono::steady_clock::now();
    {
        RecordingWriter writer(folder / "first.h5", scene);
        write_turns(writer, scene, 0, 20);
    }
    const double start_us =
        1e6 * std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    Random random(7);
    int longest = 0;
    for (int round = 0; round < 30; ++round) {
        const bool resume = fs::exists(part_of(path)) && Recording(part_of(path)).last_checkpoint();
        if (!resume) fs::remove(part_of(path));
        const pid_t child = fork();
        ASSERT_GE(child, 0);
        if (child == 0) write_forever(resume ? part_of(path) : path, scene, resume);
        std::this_thread::sleep_for(
            std::chrono::microseconds(static_cast<int>(random.uniform(0.0, 8.0 * start_us))));
        kill(child, SIGKILL);
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFSIGNALED(status)) << "the writer gave up by itself";
        if (!fs::exists(part_of(path))) continue;  // killed before it was there
        const Recording recording(part_of(path));
        const int frames = recording.frame_count();
        longest = std::max(longest, frames);
        for (int k = std::max(0, frames - 30); k < frames; ++k) {
            expect_same_frame(recording.frame(k), sample_frame(scene, k));
        }
        const std::vector<StepReport> reports = recording.reports();
        ASSERT_GE(std::ssize(reports), 4 * frames);
        for (std::size_t k = 0; k < reports.size(); ++k) {
            expect_same_report(reports[k], sample_report(static_cast<int>(k)));
        }
    }
    EXPECT_GT(longest, 20) << "the writer never got far enough to be worth killing";
    RecordingWriter writer = RecordingWriter::resume(part_of(path));
    const int first = Recording(part_of(path)).frame_count();
    const int turns = first + 11;
    write_turns(writer, scene, first, turns);
    writer.finish();
    expect_turns(Recording(path), scene, turns);
}

TEST_F(RecordingTest, OneRunWritesItAndNoTwo) {
    const fs::path path = folder / "run.h5";
    const auto refusal = [](const auto& write) -> std::string {
        try {
            write();
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    const auto resume = [&] { RecordingWriter::resume(part_of(path)); };
    {
        RecordingWriter writer(path, scene);
        write_turns(writer, scene, 0, 3);
        EXPECT_NE(refusal(resume).find("another run is writing it"), std::string::npos);
        EXPECT_NE(refusal([&] { RecordingWriter(path, scene); }).find("still goes on"), std::string::npos);
        writer.flush();
        EXPECT_EQ(Recording(part_of(path)).frame_count(), 3) << "it may be read";
    }
    EXPECT_EQ(refusal(resume), "");
    const std::string fresh = part_of(path).string() + ".new";
    fs::remove(part_of(path));
    recording::FileLock starting(fresh, recording::LockKind::writer);
    EXPECT_NE(refusal([&] { RecordingWriter(path, scene); }).find("another run"), std::string::npos);
    fs::rename(fresh, part_of(path));
    EXPECT_NE(refusal([&] { starting.check_holds(fresh); }).find("another run"), std::string::npos);
    EXPECT_EQ(refusal([&] { starting.check_holds(part_of(path)); }), "");
}

TEST_F(RecordingTest, FlushingOftenDoesNotBloatTheFinishedFile) {
    const auto size_after = [this](const char* name, double flush_every_s) {
        const fs::path path = folder / name;
        RecordingWriter writer(path, scene, {.flush_every_s = flush_every_s});
        for (int k = 0; k < 800; ++k) writer.add_report(sample_report(k));
        writer.add_checkpoint(sample_checkpoint(scene, 1, 20));
        writer.finish();
        EXPECT_EQ(Recording(path).reports().size(), 800U);
        expect_same_checkpoint(*Recording(path).last_checkpoint(), sample_checkpoint(scene, 1, 20));
        return fs::file_size(path);
    };
    const auto rarely = size_after("rarely.h5", 1e9);
    const auto always = size_after("always.h5", 0.0);
    EXPECT_LT(static_cast<double>(always), 2.0 * static_cast<double>(rarely) + 1.1e6);
}

TEST_F(RecordingTest, TheModelIsThereForViewers) {
    const auto model = nlohmann::json::parse(model_json(scene));
    EXPECT_EQ(model["title"], "Two blocks");
    ASSERT_EQ(model["bodies"].size(), scene.model.bodies.size());
    for (std::size_t k = 0; k < scene.model.bodies.size(); ++k) {
        EXPECT_EQ(model["bodies"][k]["name"], scene.model.bodies[k].name);
        EXPECT_EQ(model["bodies"][k]["mass_kg"], scene.model.bodies[k].mass.mass);
        EXPECT_EQ(model["bodies"][k]["shapes"].size(), 1U);
    }
    EXPECT_EQ(model["joints"][0]["name"], "hinge");
    EXPECT_EQ(model["joints"][0]["kind"], "revolute");
    EXPECT_EQ(model["watch"][0], "hinge");
}

TEST_F(RecordingTest, AHullThatManyBodiesShareIsStoredOnce) {
    const std::vector<Vec3> corners{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const Hull hull = make_hull(corners);
    Scene many;
    for (int k = 0; k < 3; ++k) {
        add_body(many.model, {.name = "stone " + std::to_string(k), .shapes = {Shape{.geometry = hull}}});
    }
    const auto model = nlohmann::json::parse(model_json(many));
    ASSERT_EQ(model["meshes"].size(), 1U);
    EXPECT_EQ(model["meshes"][0]["vertices"].size(), 4U);
    EXPECT_EQ(model["meshes"][0]["faces"].size(), 4U);
    for (const auto& body : model["bodies"]) EXPECT_EQ(body["shapes"][0]["mesh"], 0);
}

}  // namespace
}  // namespace uptack::test

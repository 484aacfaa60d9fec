#include "uptack/report.h"

#include <gtest/gtest.h>

#include <sstream>

#include "chunk.h"
#include "encoder.h"
#include "recording/sample_run.h"
#include "steps.h"
#include "uptack/input_error.h"

namespace uptack::report {
namespace {

using test::sample_frame;
using test::sample_report;
using test::sample_scene;

TEST(Page, TitleAndDocumentCannotLeaveTheirElements) {
    if (!has_page()) GTEST_SKIP() << "built without the page";
    std::ostringstream out;
    write_page(out, "</title><b>&", R"({"name": "</script><script>alert(1)</script>"})",
               std::vector<PageBlob>{{"one", "abc"}});
    const std::string page = out.str();
    EXPECT_NE(page.find("<title>&lt;/title&gt;&lt;b&gt;&amp;</title>"), std::string::npos);
    EXPECT_NE(page.find(R"({"name": "\u003c/script>\u003cscript>alert(1)\u003c/script>"})"),
              std::string::npos);
    EXPECT_NE(page.find("<script type=\"text/plain\" id=\"blob-one\">eJxLTEoGAAJNASc=</script>"),
              std::string::npos);
    EXPECT_EQ(page.find("UPTACK_"), std::string::npos);
}

TEST(Page, SizeIsKnownBeforeItIsWritten) {
    if (!has_page()) GTEST_SKIP() << "built without the page";
    const std::vector<PackedBlob> blobs{{"a", "1"}, {"b", "12"}, {"c", "123"}, {"d", ""}};
    std::ostringstream out;
    write_packed_page(out, "<&>", R"({"a": "<<"})", blobs);
    std::int64_t bytes = page_bytes("<&>", R"({"a": "<<"})");
    for (const PackedBlob& blob : blobs) bytes += blob_bytes(blob);
    EXPECT_EQ(std::ssize(out.str()), bytes);
}

TEST(Chunk, BytesAreExactlyTheColumns) {
    const Scene scene = sample_scene();
    const Survey survey{.grid = {.quantum_m = 1e-3}};
    Chunk chunk;
    std::size_t contacts = 0;
    for (int k = 0; k < 7; ++k) {
        const Frame frame = sample_frame(scene, k);
        chunk.frames.push_back(quantised(frame, survey));
        chunk.contacts.push_back(quantised_contacts(frame, chunk.frames.back(), survey, all_contacts));
        contacts += frame.contacts.size();
    }
    EXPECT_EQ(motion_bytes(chunk).size(), 21 * 7 * scene.model.bodies.size());
    EXPECT_EQ(contact_bytes(chunk).size(), 4 * 7 + 24 * contacts);
}

TEST(Chunk, StandingStillIsZeros) {
    Chunk chunk;
    Frame frame = sample_frame(sample_scene(), 0);
    for (Pose& pose : frame.pose) pose = {{1.0, 2.0, 3.0}, {1.0, 0.0, 0.0, 0.0}};
    for (int k = 0; k < 4; ++k) chunk.frames.push_back(quantised(frame, Survey{}));
    const std::string bytes = motion_bytes(chunk);
    const std::size_t bodies = frame.pose.size();
    for (std::size_t k = 0; k < bytes.size(); ++k) {
        const bool first_frame = k % (4 * bodies) < bodies;
        EXPECT_TRUE(first_frame || bytes[k] == '\0') << k;
    }
}

TEST(Chunk, StrongestContactsAndTheWorstAreKept) {
    Frame frame = sample_frame(sample_scene(), 0);
    frame.contacts.clear();
    for (const double force : {1.0, 5.0, 5.0, 3.0, 0.5, 4.0}) {
        frame.contacts.push_back({.body_a = static_cast<int>(frame.contacts.size()) % 3,
                                  .body_b = 0,
                                  .force_w = {0.0, 0.0, force}});
    }
    frame.worst_block_contact = 4;
    const Survey survey{.contact_force_N = {0.1, 5.0}};
    const std::vector<QuantisedContact> kept = quantised_contacts(frame, quantised(frame, survey), survey, 3);
    ASSERT_EQ(kept.size(), 3U);
    EXPECT_EQ(kept[0].force, 255);
    EXPECT_EQ(kept[1].force, 255);
    EXPECT_EQ(kept[2].body_a, 4 % 3);
    EXPECT_EQ(kept[2].force, survey.contact_force_N.code(0.5));
}

TEST(Survey, AFewFlyersDoNotCoarsenTheRest) {
    const Scene scene = sample_scene();
    std::vector<Vec3> positions;
    for (int k = 0; k <= 1000; ++k) positions.push_back({1e-3 * k, 0.0, 0.0});
    positions.push_back({1e9, 0.0, 0.0});
    EXPECT_NEAR(grid_for(scene.model, positions).quantum_m, 0.98 / 65536.0, 0.01 / 65536.0);
}

TEST(Survey, ThinBodiesSpanTwoHundredQuanta) {
    const Scene scene = sample_scene();  // a box and a sphere of one metre
    EXPECT_DOUBLE_EQ(grid_for(scene.model, {{-1e4, 0.0, 0.0}, {1e4, 0.0, 0.0}}).quantum_m, 1.0 / 200.0);
    EXPECT_GT(grid_for(scene.model, {}).quantum_m, 0.0);
    EXPECT_GT(grid_for(Model{}, {}).quantum_m, 0.0);
}

TEST(Steps, LongRunsAreMergedAndKeepTheirWorst) {
    std::vector<StepReport> reports;
    for (int k = 0; k < 103; ++k) {
        StepReport report = sample_report(k);
        report.relative_error = k == 57 ? 9.0 : 1.0;
        report.max_penetration = k == 58 ? 2.0 : 1.0;
        report.tolerance_met = k != 56;
        reports.push_back(report);
    }
    const StepColumns columns = step_columns(reports, 20);
    EXPECT_EQ(columns.merged, 6);
    EXPECT_EQ(columns.count, 18);
    EXPECT_EQ(std::ssize(columns.bytes), columns.count * (8 + 18 * 4 + 6 * 4));
    const StepReport entry = merged_steps(std::span(reports).subspan(54, 6));
    EXPECT_EQ(entry.relative_error, 9.0);
    EXPECT_EQ(entry.worst, reports[57].worst);
    EXPECT_EQ(entry.status, reports[57].status);
    EXPECT_EQ(entry.deepest, reports[58].deepest);
    EXPECT_FALSE(entry.tolerance_met);
    EXPECT_EQ(entry.time, reports[59].time);
    EXPECT_EQ(entry.kinetic_J, reports[59].kinetic_J);
}

TEST(Joints, WatchedOnesComeFirstWhereNotAllFit) {
    Scene scene;
    for (int k = 0; k < 100; ++k) scene.model.joints.push_back({.name = "joint " + std::to_string(k)});
    scene.watch = {"joint 70"};
    EXPECT_EQ(chosen_joints(scene, 1000).size(), 100U);
    const std::vector<int> few = chosen_joints(scene, 100'000);  // 2.4 MB each
    EXPECT_EQ(few, (std::vector<int>{0, 1, 70}));
}

class Report : public test::RecordingTest {};

TEST_F(Report, HasWhatFactsSay) {
    if (!has_page()) GTEST_SKIP() << "built without the page";
    {
        RecordingWriter writer(folder / "run.h5", scene);
        test::write_turns(writer, scene, 0, 70);
        writer.finish();
    }
    const Recording recording(folder / "run.h5");
    std::ostringstream out;
    const ReportFacts facts = write_report(out, recording, {.every = 2, .recording = "run.h5"});
    EXPECT_EQ(facts.frames, 35);
    EXPECT_EQ(facts.bytes, std::ssize(out.str()));
    EXPECT_EQ(facts.contacts_kept, facts.contacts_found);
    EXPECT_EQ(facts.joints, 1);
}

TEST_F(Report, NothingRecordedYetIsSaid) {
    RecordingWriter writer(folder / "run.h5", scene);
    writer.flush();
    const Recording recording(folder / "run.h5.part");
    std::ostringstream out;
    EXPECT_THROW(write_report(out, recording), InputError);
    EXPECT_TRUE(out.str().empty());
}

}  // namespace
}  // namespace uptack::report

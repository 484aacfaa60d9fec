#include <gtest/gtest.h>
#include <hdf5.h>

#include <fstream>
#include <iterator>

#include "commit_record.h"
#include "output_recording.h"
#include "sample_run.h"
#include "uptack/input_error.h"
#include "uptack/recording.h"

namespace uptack::test {
namespace {

std::vector<char> bytes_of(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void write_bytes(const fs::path& path, const std::vector<char>& bytes) {
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// Everything a reader can ask for.  Throws InputError or nothing; anything else is a fault.
void read_all(const fs::path& path) {
    const Recording recording(path);
    for (int k = 0; k < recording.frame_count(); ++k) recording.frame(k);
    recording.reports();
    recording.last_checkpoint();
}

std::string refusal(const fs::path& path) {
    try {
        read_all(path);
        return "";
    } catch (const InputError& error) {
        return error.what();
    }
}

class DamagedRecording : public RecordingTest {
protected:
    void SetUp() override {
        RecordingTest::SetUp();
        path = folder / "run.h5";
        RecordingWriter writer(path, scene);
        write_turns(writer, scene, 0, 30);
        writer.finish();
    }

    /// Opens with the plain C API, so that the tests do not trust the code they test.
    template <class Change>
    void change(const Change& how) const {
        const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
        ASSERT_GE(file, 0);
        how(file);
        ASSERT_GE(H5Fclose(file), 0);
    }

    void set_committed(const recording::CommitRow& row) const {
        change([&row](hid_t file) {
            const hid_t table = H5Dopen2(file, "committed", H5P_DEFAULT);
            std::array<std::int64_t, 2 * recording::commit_columns> both{};
            std::copy(row.begin(), row.end(), both.begin());
            EXPECT_GE(H5Dwrite(table, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, both.data()), 0);
            H5Dclose(table);
        });
    }

    fs::path path;
};

TEST_F(DamagedRecording, CutAnywhereIsRefusedWithPlaceAndRemedy) {
    const std::vector<char> whole = bytes_of(path);
    for (std::size_t kept = 0; kept < whole.size(); kept += 1 + whole.size() / 60) {
        const fs::path cut = folder / "cut.h5";
        write_bytes(cut, {whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(kept)});
        EXPECT_NE(refusal(cut).find("cut.h5"), std::string::npos) << kept << " bytes of " << whole.size();
        EXPECT_FALSE(is_recording(cut));
    }
}

TEST_F(DamagedRecording, FlippedBytesAreRefusedOrHarmlessButNeverACrash) {
    const std::vector<char> whole = bytes_of(path);
    Random random(3);
    int refused = 0;
    for (int round = 0; round < 300; ++round) {
        std::vector<char> bytes = whole;
        for (int k = 0; k < 4; ++k) {
            bytes[static_cast<std::size_t>(random.whole(0, static_cast<int>(bytes.size()) - 1))] ^=
                static_cast<char>(1 << random.whole(0, 7));
        }
        const fs::path flipped = folder / "flipped.h5";
        write_bytes(flipped, bytes);
        refused += refusal(flipped).empty() ? 0 : 1;
    }
    EXPECT_GT(refused, 50);
}

// HDF5 would wait for a writer that might be in the middle of it.
TEST_F(DamagedRecording, ADamagedBeginningIsRefusedAtOnce) {
    const std::vector<char> whole = bytes_of(path);
    Random random(4);
    for (int round = 0; round < 30; ++round) {
        std::vector<char> bytes = whole;
        bytes[static_cast<std::size_t>(random.whole(8, 47))] ^=
            static_cast<char>(1 << random.whole(0, 7));  // the superblock
        write_bytes(folder / "damaged.h5", bytes);
        EXPECT_NE(refusal(folder / "damaged.h5"), "");
    }
}

TEST_F(DamagedRecording, OtherFilesAreNotTakenForRecordings) {
    const fs::path text = folder / "note.txt";
    write_bytes(text, {'h', 'e', 'l', 'l', 'o'});
    EXPECT_FALSE(is_recording(text));
    EXPECT_NE(refusal(text).find("note.txt"), std::string::npos);
    const fs::path foreign = folder / "foreign.h5";
    H5Fclose(H5Fcreate(foreign.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    EXPECT_FALSE(is_recording(foreign));
    EXPECT_NE(refusal(foreign).find("is not a recording"), std::string::npos);
    EXPECT_NE(refusal(folder / "missing.h5").find("missing.h5"), std::string::npos);
    EXPECT_TRUE(is_recording(path));
}

TEST_F(DamagedRecording, AnotherVersionIsRefusedWithWhatToDo) {
    change([](hid_t file) {
        const hid_t attribute = H5Aopen(file, "version", H5P_DEFAULT);
        const int version = 99;
        EXPECT_GE(H5Awrite(attribute, H5T_NATIVE_INT, &version), 0);
        H5Aclose(attribute);
    });
    EXPECT_TRUE(is_recording(path));
    EXPECT_NE(refusal(path).find("version 99"), std::string::npos) << refusal(path);
    EXPECT_NE(refusal(path).find("newer"), std::string::npos);
}

TEST_F(DamagedRecording, AMissingTableIsNamed) {
    change([](hid_t file) { EXPECT_GE(H5Ldelete(file, "steps/solver", H5P_DEFAULT), 0); });
    EXPECT_NE(refusal(path).find("steps/solver"), std::string::npos) << refusal(path);
}

TEST_F(DamagedRecording, ATornCommitRecordLeavesTheOtherInForce) {
    using namespace recording;
    const CommitRow older = encode({.sequence = 5, .counts = {.frames = 1}});
    CommitRow torn = encode({.sequence = 6, .counts = {.frames = 2}});
    EXPECT_EQ(decode(torn)->counts.frames, 2);
    for (std::size_t k = 0; k < torn.size(); ++k) {
        CommitRow half = older;
        std::copy(torn.begin(), torn.begin() + static_cast<std::ptrdiff_t>(k), half.begin());
        EXPECT_EQ(decode(half).has_value(), k == 0) << k;
    }
    EXPECT_FALSE(decode(CommitRow{}).has_value());
    EXPECT_EQ(*decode(older), (CommitRecord{.sequence = 5, .counts = {.frames = 1}}));
}

TEST_F(DamagedRecording, MoreThanIsThereIsRefused) {
    set_committed(recording::encode({.sequence = 9, .counts = {.frames = 1000}}));
    EXPECT_NE(refusal(path).find("expected at least 1000"), std::string::npos) << refusal(path);
}

TEST_F(DamagedRecording, AbsurdSizesAreALimitError) {
    for (const recording::Counts& counts : {recording::Counts{.frames = std::int64_t{1} << 60},
                                            recording::Counts{.steps = std::int64_t{1} << 60},
                                            recording::Counts{.string_bytes = std::int64_t{1} << 60}}) {
        set_committed(recording::encode({.sequence = 9, .counts = counts}));
        EXPECT_THROW(read_all(path), LimitError);
    }
}

TEST_F(DamagedRecording, ADamagedCheckpointDoesNotHideTheFrames) {
    change([](hid_t file) {
        const hid_t table = H5Dopen2(file, "checkpoint/a/body", H5P_DEFAULT);
        std::vector<double> numbers(3 * 15);
        EXPECT_GE(H5Dread(table, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()), 0);
        numbers[20] += 1e-9;
        EXPECT_GE(H5Dwrite(table, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()), 0);
        H5Dclose(table);
    });
    const Recording recording(path);
    expect_same_frame(recording.frame(29), sample_frame(scene, 29));
    EXPECT_THROW(recording.last_checkpoint(), InputError);
}

}  // namespace
}  // namespace uptack::test

// A damaged file is either read or refused with an InputError; it never takes the program down.

#include <gtest/gtest.h>

#include <cstdint>

#include "raw_hdf5.h"
#include "sample_problems.h"
#include "uptack/problem_file.h"

// The HDF5 library leaks a little when it gives up on a damaged file; leaks of ours still count.
extern "C" const char* __lsan_default_suppressions() {
    return "leak:libhdf5";
}

namespace uptack::test {
namespace {

// A global problem as FCLIB's own writers make it, in HDF5's old layout without checksums.
void put_one_contact(const fs::path& path) {
    const RawMatrix identity{
        .m = 3, .n = 3, .nz = -1, .p = {0, 1, 2, 3}, .i = {0, 1, 2}, .x = {1.0, 2.0, 3.0}};
    RawFile file(path, RawFile::Mode::create);
    file.group("fclib_global");
    file.group("fclib_global/vectors");
    file.group("fclib_global/info");
    file.ints("fclib_global/spacedim", {3});
    put_matrix(file, "fclib_global/M", identity);
    put_matrix(file, "fclib_global/H", identity);
    file.doubles("fclib_global/vectors/f", {1.0, -2.0, 0.5});
    file.doubles("fclib_global/vectors/w", {0.1, 0.2, 0.3});
    file.doubles("fclib_global/vectors/mu", {0.5});
    file.text("fclib_global/info/title", "one contact");
}

class DamagedFile : public testing::TestWithParam<const char*> {
protected:
    // A small valid file of the kind the parameter names.
    std::vector<char> valid_bytes() const {
        const std::string kind = GetParam();
        const fs::path path = folder_ / "valid";
        if (kind == "bodies") {
            Problem problem = contacts_and_joints(3);
            problem.block_names.resize(problem.blocks.size(), "block");
            write_problem(path, problem);
        } else if (kind == "assembled") {
            write_problem(path, assemble(contacts_and_joints(3)));
        } else if (kind == "fclib") {
            write_fclib_local(path, contacts_and_joints(2));
        } else if (kind == "old_layout") {
            put_one_contact(path);
        } else {
            write_text_file(path, "2\n0\n2\n2\n2 2\n2.5 1.25\n1.25 3.75\n-5.5 -6.5\n");
        }
        return file_bytes(path);
    }

    bool reads_or_refuses(const std::vector<char>& bytes) const {
        write_bytes(folder_ / "damaged", bytes);
        try {
            read_problem(folder_ / "damaged");
        } catch (const InputError&) {
            ++refused_;
        }
        return true;
    }

    ScratchFolder folder_;
    mutable int refused_ = 0;
};

TEST_P(DamagedFile, TruncatedAtAnyLengthIsRefused) {
    const std::vector<char> bytes = valid_bytes();
    const bool text = GetParam() == std::string("text");
    const std::size_t end =
        text ? bytes.size() - 6 : bytes.size();  // inside the last number text may be valid
    const std::size_t step = std::max<std::size_t>(1, bytes.size() / 150);
    int lengths = 0;
    for (std::size_t length = 0; length < end; length += step) {
        reads_or_refuses({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)});
        ++lengths;
    }
    EXPECT_EQ(refused_, lengths);
}

TEST_P(DamagedFile, WithOneByteChangedIsReadOrRefused) {
    const std::vector<char> bytes = valid_bytes();
    std::uint64_t state = 12345;
    const auto next = [&] {
        state = state * 6364136223846793005U + 1442695040888963407U;
        return state >> 33U;
    };
    for (int round = 0; round < 300; ++round) {
        std::vector<char> damaged = bytes;
        // Every second change hits the first kilobytes, where HDF5 keeps the structure.
        const std::size_t range =
            round % 2 == 0 ? damaged.size() : std::min<std::size_t>(damaged.size(), 2500);
        const std::size_t place = next() % range;
        damaged[place] = static_cast<char>(damaged[place] ^ static_cast<char>(1 + next() % 255));
        EXPECT_TRUE(reads_or_refuses(damaged));
    }
    EXPECT_GT(refused_, 0);
}

TEST_P(DamagedFile, WithAStretchOfOnesIsReadOrRefused) {
    const std::vector<char> bytes = valid_bytes();
    const std::size_t step = std::max<std::size_t>(1, bytes.size() / 200);
    for (std::size_t place = 0; place + 8 < bytes.size(); place += step) {
        std::vector<char> damaged = bytes;
        std::fill_n(damaged.begin() + static_cast<std::ptrdiff_t>(place), 8, '\xFF');
        EXPECT_TRUE(reads_or_refuses(damaged));
    }
    EXPECT_GT(refused_, 0);
}

INSTANTIATE_TEST_SUITE_P(AllFormats, DamagedFile,
                         testing::Values("bodies", "assembled", "fclib", "old_layout", "text"),
                         [](const auto& kind) { return std::string(kind.param); });

}  // namespace
}  // namespace uptack::test

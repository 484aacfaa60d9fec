#include "uptack/problem_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <zlib.h>

#include <csignal>
#include <functional>
#include <limits>

#include "raw_hdf5.h"
#include "sample_problems.h"

namespace uptack::test {
namespace {

Problem round_trip(const Problem& problem) {
    const ScratchFolder folder;
    write_problem(folder / "problem.h5", problem);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
    return read_problem(folder / "problem.h5");
}

bool says(const std::string& message, const std::string& part) {
    return message.find(part) != std::string::npos;
}

// What reading says after `edit` has changed a valid file.
std::string error_after(const std::function<void(RawFile&)>& edit, const Problem& problem = every_law()) {
    const ScratchFolder folder;
    write_problem(folder / "problem.h5", problem);
    {
        RawFile file(folder / "problem.h5", RawFile::Mode::edit);
        edit(file);
    }
    return input_error([&] { read_problem(folder / "problem.h5"); });
}

TEST(ProblemFile, RoundTripKeepsEveryBit) {
    const Problem problem = every_law();
    expect_same_problem(problem, round_trip(problem));
}

TEST(ProblemFile, RoundTripKeepsComplianceAndNames) {
    Problem problem = every_law();
    problem.compliance.assign(problem.bias.size(), 0.1);
    problem.compliance[2] = 0.0;
    problem.body_names = {"jar", "", "lid \xE2\x8A\xA5", std::string("nul\0inside", 10), "base"};
    problem.block_names.resize(problem.blocks.size(), "contact");
    expect_same_problem(problem, round_trip(problem));
}

TEST(ProblemFile, RoundTripKeepsTheAssembledForm) {
    const Problem problem = assemble(every_law());
    expect_same_problem(problem, round_trip(problem));
}

TEST(ProblemFile, RoundTripKeepsAnEmptyProblem) {
    expect_same_problem(Problem{}, round_trip(Problem{}));
}

TEST(ProblemFile, RoundTripKeepsWhatStandsOnASideWithoutBody) {
    Problem problem = every_law();
    ASSERT_EQ(problem.blocks[0].body_b, no_body);
    problem.jacobian[0].b[2] = -1e300;
    expect_same_problem(problem, round_trip(problem));
}

TEST(ProblemFile, TheSameProblemGivesTheSameBytes) {
    const ScratchFolder folder;
    write_problem(folder / "a.h5", every_law());
    write_problem(folder / "b.h5", every_law());
    EXPECT_EQ(file_bytes(folder / "a.h5"), file_bytes(folder / "b.h5"));
}

TEST(ProblemFile, OtherWidthsOfNumbersAreConverted) {
    const Problem problem = every_law();
    const ScratchFolder folder;
    write_problem(folder / "problem.h5", problem);
    {
        RawFile file(folder / "problem.h5", RawFile::Mode::edit);
        const std::vector<int> rows = file.get_ints("uptack_problem/blocks/rows");
        file.remove("uptack_problem/blocks/rows");
        file.put("uptack_problem/blocks/rows", H5T_STD_I16BE, H5T_NATIVE_INT, {rows.size()}, rows.data());
        const std::vector<double> bias = file.get_doubles("uptack_problem/bias");
        file.remove("uptack_problem/bias");
        file.put("uptack_problem/bias", H5T_IEEE_F64BE, H5T_NATIVE_DOUBLE, {bias.size()}, bias.data());
    }
    expect_same_problem(problem, read_problem(folder / "problem.h5"));
}

TEST(ProblemFile, SolutionsRoundTripBitForBit) {
    const ScratchFolder folder;
    const Solution solution{.impulse = {1.0 / 3.0, -0.0, 1e-310}, .velocity = {{1, 2, 3, 4, 5, 0.1}}};
    write_solution(folder / "solution.h5", solution);
    const Solution read = read_solution(folder / "solution.h5");
    expect_same_bits(solution.impulse, read.impulse, "impulse");
    ASSERT_EQ(read.velocity.size(), 1U);
    expect_same_bits(solution.velocity[0], read.velocity[0], "velocity");

    for (const double odd : {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()}) {
        const Solution impulse{.impulse = {0.0, 1.0, odd}, .velocity = {}};
        write_solution(folder / "odd.h5", impulse);
        EXPECT_TRUE(says(input_error([&] { read_solution(folder / "odd.h5"); }),
                         "odd.h5:/uptack_solution/impulse: row 2"));
        const Solution velocity{.impulse = {0.0}, .velocity = {{1, 2, 3, 4, 5, 6}, {0, 0, odd, 0, 0, 0}}};
        write_solution(folder / "odd.h5", velocity);
        EXPECT_TRUE(says(input_error([&] { read_solution(folder / "odd.h5"); }), "/velocity: row 1 is"));
    }

    write_solution(folder / "empty.h5", {});
    EXPECT_TRUE(read_solution(folder / "empty.h5").impulse.empty());
    write_problem(folder / "problem.h5", every_law());
    EXPECT_TRUE(says(input_error([&] { read_solution(folder / "problem.h5"); }), "/uptack_solution"));
}

TEST(ProblemFile, ANewerVersionIsNamed) {
    const std::string message = error_after([](RawFile& file) {
        const int version = 99;
        H5Adelete_by_name(file.id(), "uptack_problem", "version", H5P_DEFAULT);
        const hid_t space = H5Screate(H5S_SCALAR);
        const hid_t attribute = H5Acreate_by_name(file.id(), "uptack_problem", "version", H5T_STD_I32LE,
                                                  space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        H5Awrite(attribute, H5T_NATIVE_INT, &version);
        H5Aclose(attribute);
        H5Sclose(space);
    });
    EXPECT_TRUE(says(message, "version 99 is newer")) << message;
    EXPECT_TRUE(says(message, "use a newer Uptack")) << message;
}

TEST(ProblemFile, AMissingVersionIsNamed) {
    const std::string message = error_after(
        [](RawFile& file) { H5Adelete_by_name(file.id(), "uptack_problem", "version", H5P_DEFAULT); });
    EXPECT_TRUE(says(message, "attribute 'version' is missing")) << message;
}

TEST(ProblemFile, AMissingDatasetIsNamed) {
    for (const char* name : {"bias", "name", "jacobian", "bodies/inverse_mass", "bodies/free_velocity",
                             "blocks/law", "blocks/law_parameters", "blocks/rows"}) {
        const std::string path = std::string("uptack_problem/") + name;
        const std::string message = error_after([&](RawFile& file) { file.remove(path); });
        EXPECT_TRUE(says(message, "problem.h5:/" + path)) << message;
        EXPECT_TRUE(says(message, "missing")) << message;
    }
}

TEST(ProblemFile, AWrongRankOrSizeIsNamed) {
    const std::string rank = error_after([](RawFile& file) {
        file.remove("uptack_problem/jacobian");
        file.doubles("uptack_problem/jacobian", {1.0, 2.0});
    });
    EXPECT_TRUE(says(rank, "jacobian: has 1 dimensions, expected 2")) << rank;
    const std::string columns = error_after([](RawFile& file) {
        file.remove("uptack_problem/jacobian");
        file.table("uptack_problem/jacobian", {2, 3}, std::vector<double>(6));
    });
    EXPECT_TRUE(says(columns, "has 3 columns, expected 12")) << columns;
    const std::string length = error_after([](RawFile& file) {
        file.set_ints("uptack_problem/blocks/rows", {1, 2});
    });
    EXPECT_TRUE(says(length, "has 2 entries, expected")) << length;
    const std::string scalar = error_after([](RawFile& file) {
        const double value = 1.0;
        file.remove("uptack_problem/bias");
        file.put("uptack_problem/bias", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {}, &value);
    });
    EXPECT_TRUE(says(scalar, "has 0 dimensions")) << scalar;
}

TEST(ProblemFile, AWrongKindOfDataIsNamed) {
    const std::string reals = error_after([](RawFile& file) {
        const std::size_t blocks = file.get_ints("uptack_problem/blocks/rows").size();
        file.set_doubles("uptack_problem/blocks/rows", std::vector<double>(blocks, 1.5));
    });
    EXPECT_TRUE(says(reals, "expected whole numbers")) << reals;
    const std::string group = error_after([](RawFile& file) {
        file.remove("uptack_problem/bias");
        file.group("uptack_problem/bias");
    });
    EXPECT_TRUE(says(group, "cannot be opened as a dataset")) << group;
}

TEST(ProblemFile, BadValuesAreRefusedWithTheirPlace) {
    const auto set = [](const char* name, std::size_t index, double value) {
        return [=](RawFile& file) {
            std::vector<double> values = file.get_doubles(name);
            values[index] = value;
            file.set_doubles(name, values);
        };
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::string bias = error_after(set("uptack_problem/bias", 3, nan));
    EXPECT_TRUE(says(bias, "row 3: bias is not finite")) << bias;
    const std::string mass = error_after(set("uptack_problem/bodies/inverse_mass", 1, -2.0));
    EXPECT_TRUE(says(mass, "body 1: inverse mass is -2")) << mass;

    const auto set_int = [](const char* name, std::size_t index, int value) {
        return [=](RawFile& file) {
            std::vector<int> values = file.get_ints(name);
            values[index] = value;
            file.set_ints(name, values);
        };
    };
    EXPECT_TRUE(says(error_after(set_int("uptack_problem/blocks/law", 2, 17)), "law 17 is unknown"));
    EXPECT_TRUE(says(error_after(set_int("uptack_problem/blocks/friction_model", 6, 5)), "friction model 5"));
    EXPECT_TRUE(says(error_after(set_int("uptack_problem/blocks/body_a", 1, 1000)), "body index 1000"));
    EXPECT_TRUE(says(error_after(set_int("uptack_problem/blocks/first_row", 1, -7)), "block 1"));
    const int huge = std::numeric_limits<int>::max();
    EXPECT_TRUE(says(error_after(set_int("uptack_problem/blocks/rows", 1, huge)), "block 1"));
    EXPECT_TRUE(
        says(error_after(set_int("uptack_problem/matrix/column", 0, 99), assemble(every_law())), "matrix"));
    EXPECT_TRUE(says(error_after(set_int("uptack_problem/matrix/start", 1, 1 << 30), assemble(every_law())),
                     "matrix"));
}

TEST(ProblemFile, NamesThatDoNotFitTheirTextAreRefused) {
    Problem problem = every_law();
    problem.body_names = {"a", "b", "c", "d", "e"};
    const auto lengths = [&](const std::vector<int>& values) {
        return error_after([&](RawFile& file) { file.set_ints("uptack_problem/body_names/length", values); },
                           problem);
    };
    EXPECT_TRUE(says(lengths({1, 1, 1, 1, 100}), "do not fit"));
    EXPECT_TRUE(says(lengths({1, -1, 1, 1, 1}), "do not fit"));
    EXPECT_TRUE(says(lengths({1, 1}), "one name per body"));
}

TEST(ProblemFile, LimitsAreKeptAndNamed) {
    const ScratchFolder folder;
    Problem problem = every_law();
    problem.body_names = {"a", "b", "c", "d", "e"};
    write_problem(folder / "bodies.h5", problem);
    write_problem(folder / "matrix.h5", assemble(problem));
    const auto message = [&](const char* name, const ReadLimits& limits) {
        try {
            read_problem(folder / name, limits);
        } catch (const LimitError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_TRUE(says(message("bodies.h5", {.max_rows = 5}), "the limit max_rows is 5"));
    EXPECT_TRUE(says(message("bodies.h5", {.max_bodies = 4}), "5 bodies; the limit max_bodies is 4"));
    EXPECT_TRUE(says(message("bodies.h5", {.max_name_bytes = 3}), "max_name_bytes is 3"));
    EXPECT_TRUE(says(message("matrix.h5", {.max_matrix_entries = 10}), "the limit max_matrix_entries is 10"));
}

// A few hundred bytes that claim terabytes must be refused before anything is allocated.
TEST(ProblemFile, HostileSizesAreRefusedBeforeAllocation) {
    const hsize_t huge = hsize_t{1} << 40U;
    const std::string contiguous = error_after([&](RawFile& file) {
        file.remove("uptack_problem/bias");
        file.put("uptack_problem/bias", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {huge}, nullptr);
    });
    EXPECT_TRUE(says(contiguous, "bytes are stored")) << contiguous;
    const std::string chunked = error_after([&](RawFile& file) {
        file.remove("uptack_problem/jacobian");
        const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
        const std::vector<hsize_t> chunk{1024, 12};
        const std::vector<hsize_t> extent{huge, 12};
        H5Pset_chunk(properties, 2, chunk.data());
        const hid_t space = H5Screate_simple(2, extent.data(), nullptr);
        H5Dclose(H5Dcreate2(file.id(), "uptack_problem/jacobian", H5T_IEEE_F64LE, space, H5P_DEFAULT,
                            properties, H5P_DEFAULT));
        H5Sclose(space);
        H5Pclose(properties);
    });
    EXPECT_TRUE(says(chunked, "bytes are stored")) << chunked;
}

TEST(ProblemFile, CompressedDatasetsAreRead) {
    const Problem problem = every_law();
    const ScratchFolder folder;
    write_problem(folder / "problem.h5", problem);
    {
        RawFile file(folder / "problem.h5", RawFile::Mode::edit);
        const std::vector<double> bias = file.get_doubles("uptack_problem/bias");
        file.remove("uptack_problem/bias");
        const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
        const hsize_t extent = bias.size();
        const hsize_t chunk = 8;
        H5Pset_chunk(properties, 1, &chunk);
        H5Pset_deflate(properties, 6);
        const hid_t space = H5Screate_simple(1, &extent, nullptr);
        const hid_t dataset = H5Dcreate2(file.id(), "uptack_problem/bias", H5T_IEEE_F64LE, space, H5P_DEFAULT,
                                         properties, H5P_DEFAULT);
        H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, bias.data());
        H5Dclose(dataset);
        H5Sclose(space);
        H5Pclose(properties);
    }
    expect_same_problem(problem, read_problem(folder / "problem.h5"));
}

/// `uptack_problem/bias` as one chunk, whose stored bytes and mask of undone filters are given.
void put_chunk(RawFile& file, const std::vector<unsigned char>& stored, std::uint32_t mask) {
    const hsize_t extent = file.get_doubles("uptack_problem/bias").size();
    file.remove("uptack_problem/bias");
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(properties, 1, &extent);
    H5Pset_deflate(properties, 6);
    const hid_t space = H5Screate_simple(1, &extent, nullptr);
    const hid_t dataset = H5Dcreate2(file.id(), "uptack_problem/bias", H5T_IEEE_F64LE, space, H5P_DEFAULT,
                                     properties, H5P_DEFAULT);
    const hsize_t start = 0;
    EXPECT_GE(H5Dwrite_chunk(dataset, H5P_DEFAULT, mask, &start, stored.size(), stored.data()), 0);
    H5Dclose(dataset);
    H5Sclose(space);
    H5Pclose(properties);
}

std::vector<unsigned char> deflated_zeros(std::size_t bytes) {
    const std::vector<unsigned char> zeros(bytes, 0);
    uLongf length = compressBound(bytes);
    std::vector<unsigned char> out(length);
    EXPECT_EQ(compress(out.data(), &length, zeros.data(), bytes), Z_OK);
    out.resize(length);
    return out;
}

// Found by fuzzing: libhdf5 1.10 reads a chunk of such a stream from beyond its end.
TEST(ProblemFile, ChunksThatInflateToLessThanTheyShouldAreRefused) {
    const auto after = [](const std::vector<unsigned char>& stored, std::uint32_t mask) {
        return error_after([&](RawFile& file) { put_chunk(file, stored, mask); });
    };
    const std::string damaged = "a chunk that does not hold";
    const std::size_t whole = every_law().bias.size() * sizeof(double);
    EXPECT_FALSE(says(after(deflated_zeros(whole), 0), damaged));
    EXPECT_TRUE(says(after(deflated_zeros(8), 0), damaged));
    EXPECT_TRUE(says(after(deflated_zeros(whole + 8), 0), damaged));
    EXPECT_TRUE(says(after(std::vector<unsigned char>(32, 1), 0), damaged));  // no deflate stream
    EXPECT_TRUE(says(after(std::vector<unsigned char>(32, 1), 1), damaged));  // said to be none, and short
}

TEST(ProblemFile, DataInOtherFilesAreRefused) {
    const std::string message = error_after([](RawFile& file) {
        file.remove("uptack_problem/bias");
        const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
        H5Pset_external(properties, "elsewhere.bin", 0, H5F_UNLIMITED);
        const hsize_t extent = 30;
        const hid_t space = H5Screate_simple(1, &extent, nullptr);
        H5Dclose(H5Dcreate2(file.id(), "uptack_problem/bias", H5T_IEEE_F64LE, space, H5P_DEFAULT, properties,
                            H5P_DEFAULT));
        H5Sclose(space);
        H5Pclose(properties);
    });
    EXPECT_TRUE(says(message, "other files")) << message;
}

// The other file is there and holds what is asked for: only the link makes it somebody else's.
TEST(ProblemFile, LinksToOtherFilesAreNotFollowed) {
    const ScratchFolder folder;
    const Problem problem = every_law();
    write_problem(folder / "other.h5", problem);
    write_problem(folder / "bias.h5", problem);
    write_problem(folder / "soft.h5", problem);
    {
        RawFile file(folder / "bias.h5", RawFile::Mode::edit);
        file.remove("uptack_problem/bias");
        H5Lcreate_external("other.h5", "/uptack_problem/bias", file.id(), "uptack_problem/bias", H5P_DEFAULT,
                           H5P_DEFAULT);
        EXPECT_EQ(file.get_doubles("uptack_problem/bias").size(), problem.bias.size()) << "HDF5 follows it";
    }
    {
        RawFile file(folder / "soft.h5", RawFile::Mode::edit);
        file.remove("uptack_problem/bias");
        H5Lcreate_external("other.h5", "/", file.id(), "elsewhere", H5P_DEFAULT, H5P_DEFAULT);
        H5Lcreate_soft("/elsewhere/uptack_problem/bias", file.id(), "uptack_problem/bias", H5P_DEFAULT,
                       H5P_DEFAULT);
    }
    {
        RawFile file(folder / "whole.h5", RawFile::Mode::create);
        H5Lcreate_external("other.h5", "/uptack_problem", file.id(), "uptack_problem", H5P_DEFAULT,
                           H5P_DEFAULT);
    }
    for (const char* name : {"bias.h5", "soft.h5", "whole.h5"}) {
        const std::string message = input_error([&] { read_problem(folder / name); });
        EXPECT_TRUE(says(message, name)) << message;
        EXPECT_TRUE(says(message, "uptack_problem")) << message;
    }
}

TEST(ProblemFile, AFileIsOfTheKindItIsReadAs) {
    const ScratchFolder folder;
    write_problem(folder / "ours.dat", every_law());
    EXPECT_EQ(file_kind(folder / "ours.dat"), "uptack");
    write_text_file(folder / "lcp.h5", "1\n0\n1 1\n1 1\n2.0\n-1.0\n");
    EXPECT_EQ(file_kind(folder / "lcp.h5"), "siconos_text");
    for (const std::string group : {"fclib_local", "fclib_global", "fclib_global_rolling"}) {
        RawFile(folder / group, RawFile::Mode::create).group(group);
        EXPECT_EQ(file_kind(folder / group), group);
    }
    {
        RawFile file(folder / "ours.dat", RawFile::Mode::edit);
        file.group("fclib_local");
    }
    EXPECT_EQ(file_kind(folder / "ours.dat"), "uptack") << "as read_problem takes it";
    write_text_file(folder / "poem.txt", "Roses are red\n");
    EXPECT_TRUE(says(input_error([&] { file_kind(folder / "poem.txt"); }), "unknown format"));
    RawFile(folder / "other.h5", RawFile::Mode::create).group("somebody_elses");
    EXPECT_TRUE(says(input_error([&] { file_kind(folder / "other.h5"); }), "without a problem"));
    EXPECT_TRUE(says(input_error([&] { file_kind(folder / "absent.h5"); }), "no such file"));
}

TEST(ProblemFile, WhatIsNoProblemIsToldWhatIsKnown) {
    const ScratchFolder folder;
    write_text_file(folder / "poem.txt", "Roses are red\n");
    write_text_file(folder / "empty.h5", "");
    RawFile(folder / "other.h5", RawFile::Mode::create).group("somebody_elses");
    for (const char* name : {"poem.txt", "empty.h5", "other.h5"}) {
        const std::string message = input_error([&] { read_problem(folder / name); });
        EXPECT_TRUE(says(message, name)) << message;
        EXPECT_TRUE(says(message, "/uptack_problem")) << message;
        EXPECT_TRUE(says(message, "/fclib_local")) << message;
        EXPECT_TRUE(says(message, "Siconos text")) << message;
    }
    EXPECT_TRUE(says(input_error([&] { read_problem(folder / "absent.h5"); }), "no such file"));
    EXPECT_TRUE(says(input_error([&] { read_solution(folder / "absent.h5"); }), "No such file"));
    EXPECT_FALSE(input_error([&] { read_solution(folder / "poem.txt"); }).empty());
    EXPECT_TRUE(says(input_error([&] { read_problem(folder.path()); }), "is a folder"));
    EXPECT_TRUE(says(input_error([&] { read_problem("/dev/zero"); }), "not a regular file"));
}

TEST(ProblemFile, UnwritableOutputSaysSoAndLeavesNothingBehind) {
    const ScratchFolder folder;
    const auto everywhere = [](const fs::path& path) {
        return std::vector<std::string>{
            input_error([&] { write_problem(path, every_law()); }),
            input_error([&] { write_solution(path, {}); }),
            input_error([&] { write_fclib_local(path, contacts_and_joints(3)); }),
        };
    };
    for (const std::string& message : everywhere(folder / "no/such/folder/problem.h5")) {
        EXPECT_TRUE(says(message, "No such file or directory")) << message;
        EXPECT_TRUE(says(message, "choose a folder that exists")) << message;
    }
    EXPECT_TRUE(folder.empty());
    fs::create_directory(folder / "taken.h5");
    for (const std::string& message : everywhere(folder / "taken.h5")) {
        EXPECT_TRUE(says(message, "is a folder")) << message;
    }
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
}

TEST(ProblemFile, AnInvalidProblemIsNotWritten) {
    const ScratchFolder folder;
    Problem problem = every_law();
    problem.bias[0] = infinity;
    EXPECT_TRUE(says(input_error([&] { write_problem(folder / "problem.h5", problem); }), "row 0"));
    EXPECT_TRUE(folder.empty());
}

TEST(ProblemFile, WritingReplacesAnOlderFile) {
    const ScratchFolder folder;
    write_problem(folder / "problem.h5", every_law());
    write_problem(folder / "problem.h5", contacts_and_joints(2));
    expect_same_problem(contacts_and_joints(2), read_problem(folder / "problem.h5"));
}

// A limit on file size stands in for a full disk.  In a child process, because the limit cannot be lifted
// again.
TEST(ProblemFileDeathTest, AFullDiskSaysSoAndLeavesTheOldFile) {
    const ScratchFolder folder;
    write_problem(folder / "problem.h5", every_law());
    const std::vector<char> before = file_bytes(folder / "problem.h5");
    const auto write_too_much = [&] {
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{4096, 4096};
        setrlimit(RLIMIT_FSIZE, &limit);
        const std::string message = input_error([&] { write_problem(folder / "problem.h5", every_law()); });
        std::_Exit(says(message, "problem.h5: cannot be written (File too large); choose") ? 0 : 1);
    };
    EXPECT_EXIT(write_too_much(), testing::ExitedWithCode(0), "");
    EXPECT_EQ(file_bytes(folder / "problem.h5"), before);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
}

}  // namespace
}  // namespace uptack::test

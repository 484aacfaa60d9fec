#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "dense.h"
#include "raw_hdf5.h"
#include "sample_problems.h"
#include "support/tolerance.h"
#include "uptack/problem_file.h"

namespace uptack::test {
namespace {

bool says(const std::string& message, const std::string& part) {
    return message.find(part) != std::string::npos;
}

// Two contacts in the plane: W is not symmetric, which must stay so.
Eigen::MatrixXd sample_w() {
    Eigen::MatrixXd w(4, 4);
    w << 4.0, 0.5, 1.0, 0.0,   //
        0.5, 3.0, 0.0, -0.25,  //
        1.1, 0.0, 5.0, 0.125,  //
        0.0, -0.25, 0.125, 2.0;
    return w;
}

RawMatrix as_rows(const Eigen::MatrixXd& matrix) {
    RawMatrix raw{.m = static_cast<int>(matrix.rows()),
                  .n = static_cast<int>(matrix.cols()),
                  .nz = -2,
                  .p = {0},
                  .i = {},
                  .x = {}};
    for (int i = 0; i < raw.m; ++i) {
        for (int j = 0; j < raw.n; ++j) {
            if (matrix(i, j) == 0.0) continue;
            raw.i.push_back(j);
            raw.x.push_back(matrix(i, j));
        }
        raw.p.push_back(static_cast<int>(raw.x.size()));
    }
    return raw;
}

RawMatrix as_columns(const Eigen::MatrixXd& matrix) {
    RawMatrix raw = as_rows(matrix.transpose());
    std::swap(raw.m, raw.n);
    raw.nz = -1;
    return raw;
}

// From the last entry to the first, the first one in two halves.
RawMatrix as_triplets(const Eigen::MatrixXd& matrix) {
    RawMatrix raw{.m = static_cast<int>(matrix.rows()),
                  .n = static_cast<int>(matrix.cols()),
                  .p = {},
                  .i = {},
                  .x = {}};
    const auto add = [&](int i, int j, double value) {
        raw.i.push_back(i);
        raw.p.push_back(j);
        raw.x.push_back(value);
        ++raw.nz;
    };
    for (int i = raw.m - 1; i >= 0; --i) {
        for (int j = raw.n - 1; j >= 0; --j) {
            if (matrix(i, j) != 0.0) add(i, j, matrix(i, j));
        }
    }
    raw.x.back() /= 2.0;
    add(raw.i.back(), raw.p.back(), raw.x.back());
    return raw;
}

void put_local(RawFile& file, const RawMatrix& w) {
    file.group("fclib_local");
    file.group("fclib_local/vectors");
    file.ints("fclib_local/spacedim", {2});
    put_matrix(file, "fclib_local/W", w);
    file.doubles("fclib_local/vectors/q", {-1.0, 0.25, -2.0, 1.0 / 3.0});
    file.doubles("fclib_local/vectors/mu", {0.5, 0.0});
}

Problem read_local(const RawMatrix& w) {
    const ScratchFolder folder;
    {
        RawFile file(folder / "local.hdf5", RawFile::Mode::create);
        put_local(file, w);
    }
    return read_problem(folder / "local.hdf5");
}

std::string error_of_local(const std::function<void(RawFile&)>& edit, const ReadLimits& limits = {}) {
    const ScratchFolder folder;
    {
        RawFile file(folder / "local.hdf5", RawFile::Mode::create);
        put_local(file, as_rows(sample_w()));
        edit(file);
    }
    return input_error([&] { read_problem(folder / "local.hdf5", limits); });
}

TEST(Fclib, LocalProblemsReadTheSameFromEveryStorage) {
    for (const RawMatrix& w : {as_rows(sample_w()), as_columns(sample_w()), as_triplets(sample_w())}) {
        const Problem problem = read_local(w);
        EXPECT_EQ(dense(problem), sample_w()) << "storage " << w.nz;
        EXPECT_EQ(problem.name, "local");
        EXPECT_EQ(problem.bias, (std::vector<double>{-1.0, 0.25, -2.0, 1.0 / 3.0}));
        ASSERT_EQ(problem.blocks.size(), 2U);
        const auto& cone = std::get<FrictionCone>(problem.blocks[1].law);
        EXPECT_EQ(problem.blocks[1].first_row, 2);
        EXPECT_EQ(problem.blocks[1].rows, 2);
        EXPECT_EQ(cone.mu, 0.0);
        EXPECT_EQ(cone.model, FrictionModel::exact);
        EXPECT_EQ(std::get<FrictionCone>(problem.blocks[0].law).mu, 0.5);
    }
}

TEST(Fclib, TripletsBeyondNzAreIgnored) {
    RawMatrix w = as_triplets(sample_w());
    for (int extra = 0; extra < 3; ++extra) {
        w.i.push_back(1 << 20);
        w.p.push_back(-5);
        w.x.push_back(1e9);
    }
    EXPECT_EQ(dense(read_local(w)), sample_w());
}

TEST(Fclib, EntriesBeyondTheLastPointerAreIgnored) {
    RawMatrix w = as_rows(sample_w());
    w.i.push_back(77);
    w.x.push_back(1e9);
    EXPECT_EQ(dense(read_local(w)), sample_w());
}

TEST(Fclib, AFullMatrixWithEmptyPointersIsRepairedAndSaysSo) {
    RawMatrix w{.m = 4, .n = 4, .nz = -2, .p = {0, 0, 0, 0, 0}, .i = std::vector<int>(16), .x = {}};
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) w.x.push_back(sample_w()(i, j));
    }
    const Problem problem = read_local(w);
    EXPECT_EQ(dense(problem), sample_w());
    EXPECT_EQ(problem.name, "local [repaired: W: was a full matrix with empty pointers]");
}

TEST(Fclib, AnEmptyMatrixIsNotTakenForAFullOne) {
    const Problem problem = read_local({.m = 4, .n = 4, .nz = -2, .p = {0, 0, 0, 0, 0}, .i = {}, .x = {}});
    EXPECT_TRUE(problem.matrix->value.empty());
}

TEST(Fclib, TitlesThatAreNotUtf8BecomeNames) {
    const ScratchFolder folder;
    {
        RawFile file(folder / "local.hdf5", RawFile::Mode::create);
        put_local(file, as_rows(sample_w()));
        file.group("fclib_local/info");
        file.text("fclib_local/info/title", "  caf\xE9 \xC3\xA9\n\xA8 ");
    }
    EXPECT_EQ(read_problem(folder / "local.hdf5").name, "caf? \xC3\xA9 ?");
}

TEST(Fclib, LocalJointsBecomeBilateralRows) {
    const ScratchFolder folder;
    Eigen::MatrixXd v(4, 2);
    v << 1.0, 0.0, 0.5, 0.0, 0.0, -1.0, 0.0, 0.25;
    Eigen::MatrixXd r(2, 2);
    r << 3.0, 0.5, 0.5, 2.0;
    {
        RawFile file(folder / "local.hdf5", RawFile::Mode::create);
        put_local(file, as_rows(sample_w()));
        put_matrix(file, "fclib_local/V", as_columns(v));
        put_matrix(file, "fclib_local/R", as_triplets(r));
        file.doubles("fclib_local/vectors/s", {0.1, 0.2});
    }
    const Problem problem = read_problem(folder / "local.hdf5");
    Eigen::MatrixXd expected(6, 6);
    expected << sample_w(), v, v.transpose(), r;
    EXPECT_EQ(dense(problem), expected);
    ASSERT_EQ(problem.blocks.size(), 4U);
    EXPECT_TRUE(std::holds_alternative<Bilateral>(problem.blocks[2].law));
    EXPECT_EQ(problem.blocks[3].first_row, 5);
    EXPECT_EQ(problem.bias[5], 0.2);
}

/// A global problem with coupled and lone degrees of freedom, a nonsymmetric M and one joint row.
struct GlobalSample {
    Eigen::MatrixXd m = Eigen::MatrixXd::Zero(5, 5);
    Eigen::MatrixXd h = Eigen::MatrixXd::Zero(5, 4);
    Eigen::MatrixXd g = Eigen::MatrixXd::Zero(5, 1);
    std::vector<double> f{1.0, -2.0, 0.5, 3.0, -1.0};
    std::vector<double> w{0.1, 0.2, 0.3, 0.4};
    std::vector<double> b{-0.5};

    GlobalSample() {
        m << 2.0, 0.0, 0.3, 0.0, 0.0,  //
            0.0, 4.0, 0.0, 0.0, 0.0,   //
            0.1, 0.0, 3.0, 0.0, 0.0,   //
            0.0, 0.0, 0.0, 1.5, 0.2,   //
            0.0, 0.0, 0.0, -0.2, 1.0;
        h << 1.0, 0.0, 0.0, 0.5,   //
            0.0, 1.0, 0.0, 0.0,    //
            0.25, 0.0, 1.0, 0.0,   //
            -1.0, 0.0, 0.0, 1.0,   //
            0.0, 0.5, 0.0, 0.125;  //
        g << 0.0, 1.0, 0.0, -1.0, 0.5;
    }

    void put(RawFile& file, const std::string& group) const {
        file.group(group);
        file.group(group + "/vectors");
        file.ints(group + "/spacedim", {2});
        put_matrix(file, group + "/M", as_triplets(m));
        put_matrix(file, group + "/H", as_columns(h));
        file.doubles(group + "/vectors/f", f);
        file.doubles(group + "/vectors/w", w);
        file.doubles(group + "/vectors/mu", {0.5, 0.25});
    }
    void put_joint(RawFile& file, const std::string& group) const {
        put_matrix(file, group + "/G", as_rows(g));
        file.doubles(group + "/vectors/b", b);
    }
};

TEST(Fclib, GlobalProblemsAreReducedAsADenseSolveWould) {
    const ScratchFolder folder;
    const GlobalSample sample;
    {
        RawFile file(folder / "global.hdf5", RawFile::Mode::create);
        sample.put(file, "fclib_global");
        sample.put_joint(file, "fclib_global");
    }
    const Problem problem = read_problem(folder / "global.hdf5");
    Eigen::MatrixXd directions(5, 5);
    directions << sample.h, sample.g;
    Eigen::VectorXd bias(5);
    bias << to_eigen(sample.w), to_eigen(sample.b);
    const Eigen::MatrixXd inverse = sample.m.inverse();
    EXPECT_LE(relative_difference(dense(problem), directions.transpose() * inverse * directions),
              tolerance(1e-14));
    const Eigen::VectorXd q = directions.transpose() * inverse * to_eigen(sample.f) + bias;
    EXPECT_LE(relative_difference(to_eigen(problem.bias), q), tolerance(1e-14));
    ASSERT_EQ(problem.blocks.size(), 3U);
    EXPECT_TRUE(std::holds_alternative<Bilateral>(problem.blocks[2].law));
}

TEST(Fclib, TripletsInTheOrderOfTheFclibHeaderAreUnderstood) {
    const ScratchFolder folder;
    const GlobalSample sample;
    {
        RawFile file(folder / "cs.hdf5", RawFile::Mode::create);
        sample.put(file, "fclib_global");
        RawFile other(folder / "header.hdf5", RawFile::Mode::create);
        sample.put(other, "fclib_global");
        other.remove("fclib_global/H");
        RawMatrix h = as_triplets(sample.h);
        std::swap(h.i, h.p);
        put_matrix(other, "fclib_global/H", h);
    }
    const Problem expected = read_problem(folder / "cs.hdf5");
    const Problem problem = read_problem(folder / "header.hdf5");
    EXPECT_LE(relative_difference(dense(problem), dense(expected)), tolerance(1e-15));
    EXPECT_TRUE(says(problem.name, "H: row and column indices were swapped")) << problem.name;
}

TEST(Fclib, RollingProblemsHaveFiveRowsPerContact) {
    const ScratchFolder folder;
    {
        RawFile file(folder / "rolling.hdf5", RawFile::Mode::create);
        file.group("fclib_global_rolling");
        file.group("fclib_global_rolling/vectors");
        file.ints("fclib_global_rolling/spacedim", {5});
        put_matrix(file, "fclib_global_rolling/M", as_triplets(2.0 * Eigen::MatrixXd::Identity(6, 6)));
        put_matrix(file, "fclib_global_rolling/H", as_triplets(Eigen::MatrixXd::Identity(6, 5)));
        file.doubles("fclib_global_rolling/vectors/f", {1, 2, 3, 4, 5, 6});
        file.doubles("fclib_global_rolling/vectors/w", {0, 0, 0, 0, 1});
        file.doubles("fclib_global_rolling/vectors/mu", {0.5});
        file.doubles("fclib_global_rolling/vectors/mu_r", {0.01});
    }
    const Problem problem = read_problem(folder / "rolling.hdf5");
    ASSERT_EQ(problem.blocks.size(), 1U);
    EXPECT_EQ(problem.blocks[0].rows, 5);
    EXPECT_EQ(std::get<FrictionCone>(problem.blocks[0].law).mu_roll, 0.01);
    EXPECT_EQ(dense(problem), 0.5 * Eigen::MatrixXd::Identity(5, 5));
    EXPECT_EQ(problem.bias, (std::vector<double>{0.5, 1.0, 1.5, 2.0, 3.5}));
}

TEST(Fclib, ASingularMassIsNamed) {
    const auto message_for = [](const Eigen::MatrixXd& mass) {
        const ScratchFolder folder;
        {
            RawFile file(folder / "global.hdf5", RawFile::Mode::create);
            GlobalSample().put(file, "fclib_global");
            file.remove("fclib_global/M");
            put_matrix(file, "fclib_global/M", as_columns(mass));
        }
        return input_error([&] { read_problem(folder / "global.hdf5"); });
    };
    const Eigen::MatrixXd sample = GlobalSample().m;
    Eigen::MatrixXd zero_row = sample;
    zero_row.row(1).setZero();
    EXPECT_TRUE(says(message_for(zero_row), "M is singular near degree of freedom 1"));
    Eigen::MatrixXd structural = sample;
    structural(3, 3) = structural(4, 3) = 0.0;
    EXPECT_TRUE(says(message_for(structural), "M is singular near degree of freedom 3"));
    Eigen::MatrixXd numerical = sample;
    numerical.block<2, 2>(3, 3) << 1.0, 2.0, 2.0, 4.0;
    EXPECT_TRUE(says(message_for(numerical), "M is singular near degree of freedom 3"));
    EXPECT_TRUE(says(message_for(Eigen::MatrixXd::Zero(5, 5)), "M is singular"));
}

TEST(Fclib, BadValuesAreRefusedWithTheirPlace) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::string q = error_of_local([=](RawFile& file) {
        file.set_doubles("fclib_local/vectors/q", {0, 0, nan, 0});
    });
    EXPECT_TRUE(says(q, "local.hdf5:/fclib_local/vectors/q: entry 2 is nan")) << q;
    const std::string mu = error_of_local([](RawFile& file) {
        file.set_doubles("fclib_local/vectors/mu", {0.5, -0.1});
    });
    EXPECT_TRUE(says(mu, "block 1: mu is -0.1")) << mu;
    const std::string dimension =
        error_of_local([](RawFile& file) { file.set_ints("fclib_local/spacedim", {4}); });
    EXPECT_TRUE(says(dimension, "spacedim: is 4, expected 2 or 3")) << dimension;
    const std::string whole =
        error_of_local([](RawFile& file) { file.set_ints("fclib_local/spacedim", {3}); });
    EXPECT_TRUE(says(whole, "whole contacts")) << whole;
    const std::string index = error_of_local([](RawFile& file) {
        std::vector<int> i = file.get_ints("fclib_local/W/i");
        i[3] = 4;
        file.set_ints("fclib_local/W/i", i);
    });
    EXPECT_TRUE(says(index, "W/i: an index is not within 0 .. 3")) << index;
    const std::string pointer = error_of_local([](RawFile& file) {
        file.set_ints("fclib_local/W/p", {0, 3, 2, 9, 12});
    });
    EXPECT_TRUE(says(pointer, "W/p: pointers must start at 0 and not decrease")) << pointer;
    const std::string storage =
        error_of_local([](RawFile& file) { file.set_ints("fclib_local/W/nz", {-3}); });
    EXPECT_TRUE(says(storage, "storage -3 is unknown")) << storage;
}

TEST(Fclib, HostileSizesAreRefused) {
    const int huge = std::numeric_limits<int>::max();
    const auto with = [](const char* name, const std::vector<int>& values) {
        return error_of_local([&](RawFile& file) { file.set_ints(name, values); });
    };
    EXPECT_TRUE(says(with("fclib_local/W/m", {huge}), "is 2147483647 x 4, but the vectors ask for 4 x 4"));
    EXPECT_TRUE(says(with("fclib_local/W/n", {-1}), "is 4 x -1"));
    EXPECT_TRUE(says(with("fclib_local/W/nz", {huge}), "the limit max_matrix_entries"));
    EXPECT_TRUE(says(with("fclib_local/W/nz", {400'000'000}), "but nz says 400000000"));
    EXPECT_TRUE(says(with("fclib_local/W/nzmax", {huge}), "the limit max_matrix_entries"));
    EXPECT_TRUE(says(with("fclib_local/W/p", {0, 1, 2, 3, 400'000'000}), "expected 400000000"));
    EXPECT_TRUE(says(with("fclib_local/W/p", {0, 1}), "has 2 entries, expected 5"));
    EXPECT_TRUE(says(error_of_local([](RawFile&) {}, {.max_rows = 3}), "4 rows; the limit max_rows is 3"));
    EXPECT_TRUE(says(error_of_local([](RawFile&) {}, {.max_matrix_entries = 3}),
                     "the limit max_matrix_entries is 3"));
}

TEST(Fclib, ReductionStopsAtTheEntryLimit) {
    const ScratchFolder folder;
    {
        RawFile file(folder / "global.hdf5", RawFile::Mode::create);
        file.group("fclib_global");
        file.group("fclib_global/vectors");
        file.ints("fclib_global/spacedim", {2});
        put_matrix(file, "fclib_global/M", as_triplets(Eigen::MatrixXd::Identity(1, 1)));
        put_matrix(file, "fclib_global/H", as_triplets(Eigen::MatrixXd::Ones(1, 100)));
        file.doubles("fclib_global/vectors/f", {1.0});
        file.doubles("fclib_global/vectors/w", std::vector<double>(100));
        file.doubles("fclib_global/vectors/mu", std::vector<double>(50));
    }
    EXPECT_EQ(read_problem(folder / "global.hdf5").matrix->value.size(), 10'000U);
    const ReadLimits limits{.max_matrix_entries = 9'000};
    EXPECT_TRUE(says(input_error([&] { read_problem(folder / "global.hdf5", limits); }),
                     "max_matrix_entries is 9000"));
}

TEST(Fclib, MissingPartsAreNamed) {
    for (const char* name : {"spacedim", "W", "W/p", "W/x", "W/nz", "vectors/q", "vectors/mu", "vectors"}) {
        const std::string path = std::string("fclib_local/") + name;
        const std::string message = error_of_local([&](RawFile& file) { file.remove(path); });
        EXPECT_TRUE(says(message, path)) << message;
        EXPECT_TRUE(says(message, "missing")) << message;
    }
    const std::string joints = error_of_local([](RawFile& file) {
        put_matrix(file, "fclib_local/R", as_rows(Eigen::MatrixXd::Identity(1, 1)));
        file.doubles("fclib_local/vectors/s", {0.0});
    });
    EXPECT_TRUE(says(joints, "fclib_local/V/m: missing dataset")) << joints;
}

TEST(Fclib, WrittenLocalProblemsReadBackTheSame) {
    for (const int rows : {2, 3}) {
        const ScratchFolder folder;
        Problem original = assemble(contacts_and_joints(rows));
        write_fclib_local(folder / "problem.hdf5", contacts_and_joints(rows));
        EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
        const Problem read = read_problem(folder / "problem.hdf5");
        EXPECT_EQ(read.name, original.name);

        // Contacts first, then joints: the sample has joints in rows 0, 1 and after the first contact.
        std::vector<int> order;
        for (int row = 2; row < 2 + rows; ++row) order.push_back(row);
        for (int row = 3 + rows; row < original.row_count(); ++row) order.push_back(row);
        for (const int row : {0, 1, 2 + rows}) order.push_back(row);
        ASSERT_EQ(read.row_count(), original.row_count());
        const Eigen::MatrixXd a = dense(original);
        const Eigen::MatrixXd b = dense(read);
        for (int i = 0; i < read.row_count(); ++i) {
            EXPECT_EQ(read.bias[i], original.bias[order[i]]);
            for (int j = 0; j < read.row_count(); ++j) {
                EXPECT_NEAR(b(i, j), a(order[i], order[j]), tolerance(1e-15));
            }
        }
        ASSERT_EQ(read.blocks.size(), 6U);
        EXPECT_EQ(std::get<FrictionCone>(read.blocks[0].law).mu, 0.25);
        EXPECT_EQ(std::get<FrictionCone>(read.blocks[1].law).mu, 0.0);
        EXPECT_EQ(std::get<FrictionCone>(read.blocks[2].law).mu, 0.75);
    }
}

TEST(Fclib, WritingTwiceGivesTheSameProblem) {
    const ScratchFolder folder;
    write_fclib_local(folder / "a.hdf5", contacts_and_joints(3));
    const Problem first = read_problem(folder / "a.hdf5");
    write_fclib_local(folder / "b.hdf5", first);
    expect_same_problem(first, read_problem(folder / "b.hdf5"));
}

TEST(Fclib, WrittenFilesKeepFclibsLayout) {
    const ScratchFolder folder;
    write_fclib_local(folder / "problem.hdf5", contacts_and_joints(3));
    const RawFile file(folder / "problem.hdf5", RawFile::Mode::read);
    EXPECT_EQ(file.get_ints("fclib_local/spacedim"), std::vector<int>{3});
    EXPECT_EQ(file.get_ints("fclib_local/W/nz"), std::vector<int>{-2});
    EXPECT_EQ(file.get_ints("fclib_local/W/m"), std::vector<int>{9});
    EXPECT_EQ(file.get_ints("fclib_local/V/n"), std::vector<int>{3});
    EXPECT_EQ(file.get_doubles("fclib_local/vectors/mu").size(), 3U);
    EXPECT_EQ(file.get_doubles("fclib_local/vectors/s").size(), 3U);
    EXPECT_TRUE(file.has("fclib_local/info/description"));
}

TEST(Fclib, WhatFclibCannotSayIsRefusedByBlock) {
    const ScratchFolder folder;
    const auto message = [&](const Problem& problem) {
        return input_error([&] { write_fclib_local(folder / "problem.hdf5", problem); });
    };
    Problem unilateral = contacts_and_joints(3);
    unilateral.blocks[2].law = Unilateral{};
    EXPECT_TRUE(says(message(unilateral), "block 2 (unilateral)")) << message(unilateral);
    EXPECT_TRUE(says(message(unilateral), "own format instead"));

    Numbers numbers;
    Problem mixed = contacts_and_joints(3);
    add_random_block(mixed, numbers, FrictionCone{.mu = 0.1}, 2);
    EXPECT_TRUE(says(message(mixed), "has 2 rows where earlier contacts have 3")) << message(mixed);
    Problem rolling = contacts_and_joints(3);
    add_random_block(rolling, numbers, FrictionCone{.mu = 0.1}, 5);
    EXPECT_TRUE(says(message(rolling), "has 5 rows")) << message(rolling);
    Problem joints = contacts_and_joints(3);
    for (Block& block : joints.blocks) block.law = Bilateral{};
    EXPECT_TRUE(says(message(joints), "no friction cone")) << message(joints);

    Problem unequal = assemble(contacts_and_joints(3));
    for (std::int64_t k = 0; k < unequal.matrix->start[1]; ++k) unequal.matrix->value[k] *= 2.0;
    EXPECT_TRUE(says(message(unequal), "unequally")) << message(unequal);
    EXPECT_TRUE(folder.empty());
}

}  // namespace
}  // namespace uptack::test

// Every real file of the shared collection is read; the global ones against a dense elimination.

#include <gtest/gtest.h>

#include "dense.h"
#include "raw_hdf5.h"
#include "sample_problems.h"
#include "support/tolerance.h"
#include "uptack/problem_file.h"

namespace uptack::test {
namespace {

std::vector<fs::path> shared_files(const std::string& folder) {
    std::vector<fs::path> files;
    std::error_code absent;
    for (const auto& entry : fs::directory_iterator(fs::path(UPTACK_SHARED_PROBLEMS) / folder, absent)) {
        files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

constexpr const char* no_collection = "the shared collection of real problems is not there";

void expect_global_matches(const RawFile& file, const Problem& problem) {
    const Eigen::MatrixXd mass = dense(get_matrix(file, "fclib_global/M"));
    const Eigen::MatrixXd h = dense(get_matrix(file, "fclib_global/H"));
    const Eigen::VectorXd f = to_eigen(file.get_doubles("fclib_global/vectors/f"));
    const Eigen::VectorXd w = to_eigen(file.get_doubles("fclib_global/vectors/w"));
    const Eigen::PartialPivLU<Eigen::MatrixXd> factor(mass);
    EXPECT_LE(relative_difference(dense(problem), h.transpose() * factor.solve(h)), tolerance(1e-11));
    EXPECT_LE(relative_difference(to_eigen(problem.bias), h.transpose() * factor.solve(f) + w),
              tolerance(1e-11));
}

void expect_local_matches(const RawFile& file, const Problem& problem) {
    EXPECT_EQ(dense(problem), dense(get_matrix(file, "fclib_local/W")));
    EXPECT_EQ(problem.bias, file.get_doubles("fclib_local/vectors/q"));
}

TEST(SharedProblems, FclibFilesAreReadAsTheyAre) {
    const std::vector<fs::path> files = shared_files("fclib");
    if (files.empty()) GTEST_SKIP() << no_collection;
    for (const fs::path& path : files) {
        SCOPED_TRACE(path.filename());
        const Problem problem = read_problem(path);
        EXPECT_FALSE(problem.name.empty());
        EXPECT_EQ(problem.name.find("repaired"), std::string::npos) << problem.name;
        const RawFile file(path, RawFile::Mode::read);
        const std::string group = file.has("fclib_local") ? "fclib_local" : "fclib_global";
        const int dimension = file.get_ints(group + "/spacedim")[0];
        const std::vector<double> mu = file.get_doubles(group + "/vectors/mu");
        ASSERT_EQ(problem.blocks.size(), mu.size());
        for (std::size_t k = 0; k < mu.size(); ++k) {
            EXPECT_EQ(problem.blocks[k].rows, dimension);
            EXPECT_EQ(std::get<FrictionCone>(problem.blocks[k].law).mu, mu[k]);
            EXPECT_EQ(std::get<FrictionCone>(problem.blocks[k].law).model, FrictionModel::exact);
        }
        if (group == "fclib_local") {
            expect_local_matches(file, problem);
        } else {
            expect_global_matches(file, problem);
        }
    }
}

TEST(SharedProblems, FclibFilesSurviveBothOfOurFormats) {
    const std::vector<fs::path> files = shared_files("fclib");
    if (files.empty()) GTEST_SKIP() << no_collection;
    const ScratchFolder folder;
    for (const fs::path& path : files) {
        SCOPED_TRACE(path.filename());
        const Problem problem = read_problem(path);
        write_problem(folder / "own.h5", problem);
        write_fclib_local(folder / "fclib.hdf5", problem);
        for (const char* name : {"own.h5", "fclib.hdf5"}) {
            const Problem again = read_problem(folder / name);
            EXPECT_EQ(again.name, problem.name);
            EXPECT_EQ(again.matrix->start, problem.matrix->start);
            EXPECT_EQ(again.matrix->column, problem.matrix->column);
            EXPECT_EQ(again.matrix->value, problem.matrix->value);
            EXPECT_EQ(again.bias, problem.bias);
        }
    }
}

TEST(SharedProblems, ComplementarityFilesAreRead) {
    const std::vector<fs::path> files = shared_files("lcp");
    if (files.empty()) GTEST_SKIP() << no_collection;
    for (const fs::path& path : files) {
        SCOPED_TRACE(path.filename());
        const Problem problem = read_problem(path);
        EXPECT_EQ(problem.name, path.stem());
        EXPECT_EQ(problem.blocks.size(), problem.bias.size());
        const bool mixed = std::holds_alternative<Bilateral>(problem.blocks[0].law);
        EXPECT_EQ(mixed, path.stem().string().find("mlcp") != std::string::npos);
    }
}

TEST(SharedProblems, MurtysExampleHasMurtysMatrix) {
    const fs::path path = fs::path(UPTACK_SHARED_PROBLEMS) / "lcp/lcp_exp_murty.dat";
    if (!fs::exists(path)) GTEST_SKIP() << no_collection;
    Eigen::MatrixXd expected = Eigen::MatrixXd::Identity(6, 6);
    expected.triangularView<Eigen::StrictlyLower>().setConstant(2.0);
    const Problem problem = read_problem(path);
    EXPECT_EQ(dense(problem), expected);
    EXPECT_EQ(problem.bias, std::vector<double>(6, -1.0));
}

}  // namespace
}  // namespace uptack::test

#include <gtest/gtest.h>

#include "dense.h"
#include "raw_hdf5.h"
#include "uptack/problem_file.h"

namespace uptack::test {
namespace {

Problem read_text(const std::string& text) {
    const ScratchFolder folder;
    write_text_file(folder / "text.dat", text);
    return read_problem(folder / "text.dat");
}

std::string error_of(const std::string& text, const ReadLimits& limits = {}) {
    const ScratchFolder folder;
    write_text_file(folder / "text.dat", text);
    return input_error([&] { read_problem(folder / "text.dat", limits); });
}

bool says(const std::string& message, const std::string& part) {
    return message.find(part) != std::string::npos;
}

const std::string lcp = "2\n0\n2\n2\n2\t2\n 2.0e+00 1\n-1 0\n-5 +6.5\n";
const std::string mlcp = "1\n1\n1\n2\n0 1 3\n0 1\n0\n3\n3\n3 3\n1 0 0\n2 1 0\n0 1.5 1\n-1 1 -3\n";

TEST(SiconosText, LcpRowsAreUnilateral) {
    const Problem problem = read_text(lcp);
    Eigen::MatrixXd expected(2, 2);
    expected << 2.0, 1.0, -1.0, 0.0;
    EXPECT_EQ(dense(problem), expected);
    EXPECT_EQ(problem.bias, (std::vector<double>{-5.0, 6.5}));
    EXPECT_EQ(problem.name, "text");
    ASSERT_EQ(problem.blocks.size(), 2U);
    for (const Block& block : problem.blocks) EXPECT_TRUE(std::holds_alternative<Unilateral>(block.law));
}

TEST(SiconosText, MlcpEqualityRowsAreBilateral) {
    const Problem problem = read_text(mlcp);
    Eigen::MatrixXd expected(3, 3);
    expected << 1, 0, 0, 2, 1, 0, 0, 1.5, 1;
    EXPECT_EQ(dense(problem), expected);
    ASSERT_EQ(problem.blocks.size(), 3U);
    EXPECT_TRUE(std::holds_alternative<Bilateral>(problem.blocks[0].law));
    EXPECT_TRUE(std::holds_alternative<Unilateral>(problem.blocks[1].law));
    EXPECT_TRUE(std::holds_alternative<Unilateral>(problem.blocks[2].law));
}

TEST(SiconosText, MlcpBlocksMayComeInAnyOrder) {
    const Problem problem =
        read_text("1\n0\n2\n1\n0 1 2 3\n0 1 0\n0\n3\n3\n3 3\n1 0 0\n0 1 0\n0 0 1\n-1 -2 -3\n");
    EXPECT_TRUE(std::holds_alternative<Bilateral>(problem.blocks[0].law));
    EXPECT_TRUE(std::holds_alternative<Unilateral>(problem.blocks[1].law));
    EXPECT_TRUE(std::holds_alternative<Bilateral>(problem.blocks[2].law));
}

TEST(SiconosText, ALcpOfOneRowIsNotTakenForAnMlcp) {
    const Problem problem = read_text("1\n0\n1\n1\n1\t1\n2.5\n-1\n");
    ASSERT_EQ(problem.row_count(), 1);
    EXPECT_EQ(problem.matrix->value, std::vector<double>{2.5});
    EXPECT_TRUE(std::holds_alternative<Unilateral>(problem.blocks[0].law));
}

TEST(SiconosText, RemarksAreSkipped) {
    EXPECT_EQ(read_text("# made by hand\n" + lcp + "\nRemark 4.1.14, 2009\n").row_count(), 2);
    EXPECT_EQ(read_text(lcp + "# 1 2 3 4\n").row_count(), 2);
    EXPECT_EQ(read_text(lcp + "0.1 0.2\n").row_count(), 2);
}

// Bounds after q make it a relay problem, which has other solutions.
TEST(SiconosText, ARelayProblemIsNotTakenForALcp) {
    const std::string message = error_of(lcp + "-1 -1\n1 1\n");
    EXPECT_TRUE(says(message, "relay")) << message;
}

TEST(SiconosText, EveryTruncationIsRefused) {
    for (const std::string& text : {lcp, mlcp}) {
        const std::size_t last_number = text.find_last_of(' ');
        for (std::size_t length = 0; length <= last_number; ++length) {
            EXPECT_FALSE(error_of(text.substr(0, length)).empty()) << length;
        }
    }
}

TEST(SiconosText, GarbageIsNamedWithItsLine) {
    const std::string word = error_of("2\n0\n2\n2\n2 2\n1 zwei\n0 1\n1 1\n");
    EXPECT_TRUE(says(word, "text.dat, line 6: 'zwei' where a matrix value was expected")) << word;
    EXPECT_TRUE(says(error_of("2\n0\n2\n2\n2 2\n1 nan\n0 1\n1 1\n"), "'nan' where"));
    EXPECT_TRUE(says(error_of("2\n0\n2\n2\n2 2\n1 1e999\n0 1\n1 1\n"), "'1e999' where"));
    EXPECT_TRUE(says(error_of("2\n0\n2\n2\n2 2\n1 1.2.3\n0 1\n1 1\n"), "'1.2.3' where"));
    EXPECT_TRUE(says(error_of("2.5\n0\n2\n"), "'2.5' where"));
    EXPECT_TRUE(says(error_of("2\n0\n2\n2\n2 2\n1 \x01\xFF\n"), "'?' where"));
    EXPECT_TRUE(
        says(error_of("2\n0\n2\n2\n2 2\n1 0\n0 1\n1"), "the file ends where a value of q was expected"));
    EXPECT_TRUE(says(error_of("1" + std::string(1000, '0')), "more than 64 characters"));
}

TEST(SiconosText, OtherStoragesAndFormsAreNamed) {
    EXPECT_TRUE(says(error_of("2\n1\n2\n2\n2 2\n1 0\n0 1\n1 1\n"), "matrix storage 1 is not read"));
    EXPECT_TRUE(says(error_of("2\n0\n2\n3\n2 3\n1 0\n0 1\n1 1\n1 1"), "column count is 3, expected 2"));
    EXPECT_TRUE(says(error_of("0\n1\n1\n1\n1\n1\n1\n1\n1\n1\n"), "form A, B, C, D"));
    EXPECT_TRUE(
        says(error_of("1\n1\n1\n1\n0 2\n0\n0\n2\n2\n2 2\n1 0\n0 1\n1 1\n"), "2 equality rows, but 1"));
    EXPECT_TRUE(says(error_of("1\n1\n1\n1\n0 5\n0\n0\n2\n2\n2 2\n1 0\n0 1\n1 1\n"), "block start 5"));
    EXPECT_TRUE(says(error_of("1\n1\n1\n1\n0 1 2\n0 7\n0\n2\n2\n2 2\n1 0\n0 1\n1 1\n"), "block kind 7"));
}

TEST(SiconosText, HostileSizesAreRefused) {
    EXPECT_TRUE(says(error_of("2000000000\n0\n2\n"), "the limit max_rows"));
    EXPECT_TRUE(says(error_of("10000000\n0\n2\n"), "the limit max_matrix_entries"));
    EXPECT_TRUE(says(error_of("20000\n0\n20000\n20000\n"), "cannot hold"));
    EXPECT_TRUE(says(error_of("1\n1\n2000000000\n2000000000\n0\n"), "the limit max_rows"));
    EXPECT_TRUE(says(error_of("99999999999999999999\n0\n"), "where"));
    EXPECT_TRUE(says(error_of("-3\n0\n2\n"), "must be >= 0"));
    EXPECT_TRUE(says(error_of("0\n0\n0\n0\n0\n0\n"), "0 rows"));
    EXPECT_TRUE(says(error_of(lcp, {.max_rows = 1}), "the limit max_rows is 1"));
}

}  // namespace
}  // namespace uptack::test

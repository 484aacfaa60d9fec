// Where outputs may go, and that they appear whole or not at all.

#include "uptack/output_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string>

namespace uptack::test {
namespace {

namespace fs = std::filesystem;

class OutputTest : public testing::Test {
protected:
    OutputTest() {
        std::string name = testing::TempDir() + "uptack_output_XXXXXX";
        folder = ::mkdtemp(name.data());
    }
    ~OutputTest() override { fs::remove_all(folder); }

    static void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }
    static std::string content(const fs::path& path) {
        std::string text;
        std::getline(std::ifstream(path), text, '\0');
        return text;
    }
    static std::string refusal(const fs::path& path) {
        try {
            const OutputDraft draft(path);
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    }
    std::size_t files() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
    }

    fs::path folder;
};

TEST_F(OutputTest, ADraftReplacesTheFileOnlyWhenItIsPutInPlace) {
    const fs::path name = folder / "page.html";
    write(name, "old");
    {
        const OutputDraft given_up(name);
        write(given_up.path(), "half");
        EXPECT_EQ(content(name), "old");
    }
    EXPECT_EQ(files(), 1U);
    OutputDraft draft(name);
    write(draft.path(), "new");
    draft.put_in_place();
    EXPECT_EQ(content(name), "new");
    EXPECT_EQ(files(), 1U);
}

TEST_F(OutputTest, DraftsOfOneNameDoNotMix) {
    const fs::path name = folder / "page.html";
    OutputDraft one(name);
    OutputDraft other(name);
    ASSERT_NE(one.path(), other.path());
    write(one.path(), "one");
    write(other.path(), "other");
    one.put_in_place();
    EXPECT_EQ(content(name), "one");
    other.put_in_place();
    EXPECT_EQ(content(name), "other");
    EXPECT_EQ(files(), 1U);
}

TEST_F(OutputTest, TheUnfinishedRecordingBesideItStays) {
    write(folder / "run.h5.part", "precious");
    OutputDraft draft(folder / "run.h5");
    draft.put_in_place();
    EXPECT_EQ(content(folder / "run.h5.part"), "precious");
    EXPECT_NE(refusal(folder / "run.h5.part").find("unfinished recording"), std::string::npos);
    EXPECT_EQ(content(folder / "run.h5.part"), "precious");
}

TEST_F(OutputTest, WhatIsNoFileIsNotReplaced) {
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    fs::create_directory(folder / "folder");
    fs::create_symlink("pipe", folder / "link");
    EXPECT_NE(refusal(folder / "pipe").find("is not a regular file"), std::string::npos);
    EXPECT_NE(refusal(folder / "link").find("is not a regular file"), std::string::npos);
    EXPECT_NE(refusal(folder / "folder").find("is a folder"), std::string::npos);
    EXPECT_NE(refusal(folder / "none" / "page.html").find("No such file"), std::string::npos);
    EXPECT_TRUE(fs::is_fifo(folder / "pipe"));
    EXPECT_EQ(files(), 3U);
}

}  // namespace
}  // namespace uptack::test

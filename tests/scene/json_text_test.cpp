#include "json_text.h"

#include <sys/stat.h>

#include "scene/scene_support.h"

namespace uptack::scene {
namespace {

using test::error_of;

TEST(JsonText, SyntaxErrorsNameLineAndColumn) {
    const std::string error = error_of([] { parse_json("{\n  \"a\": 1,\n  \"b\" 2\n}", "x.json"); });
    EXPECT_TRUE(error.starts_with("x.json:3:7: not JSON")) << error;
    EXPECT_TRUE(error_of([] { parse_json("", "x.json"); }).starts_with("x.json:1:1: ")) << "an empty file";
    EXPECT_TRUE(error_of([] { parse_json("[1,]", "x.json"); }).starts_with("x.json:1:4: "));
}

TEST(JsonText, CommentsAreAllowed) {
    EXPECT_EQ(parse_json("// one\n{\"a\": /* two */ 1}", "x"), Json({{"a", 1}}));
}

TEST(JsonText, TheSameKeyTwiceIsRefusedWithItsPlace) {
    const std::string error = error_of([] { parse_json(R"({"a": [1, {"b": 1, "b": 2}]})", "x"); });
    EXPECT_EQ(error, "x: /a/1: the key \"b\" is there twice; remove one");
    EXPECT_NO_THROW(parse_json(R"({"b": {"b": 1}, "c": {"b": 2}})", "x"));
}

TEST(JsonText, KeysKeepTheirOrderAndNumbersTheirBits) {
    const Json json = parse_json(R"({"z": 0.1, "a": -0.0, "m": 12345678901234567890})", "x");
    EXPECT_EQ(json.dump(), R"({"z":0.1,"a":-0.0,"m":12345678901234567890})");
}

TEST(JsonText, DeepNestingAndLongTextsAreLimits) {
    EXPECT_NO_THROW(parse_json(std::string(64, '[') + std::string(64, ']'), "x"));
    EXPECT_THROW(parse_json(std::string(65, '[') + std::string(65, ']'), "x"), LimitError);
    EXPECT_THROW(parse_json(std::string(1'000'000, '['), "x"), LimitError);
    EXPECT_THROW(parse_json("\"" + std::string(max_text_bytes + 1, 'a') + "\"", "x"), LimitError);
}

TEST(JsonText, WhatFollowsANulByteIsNotPassedOver) {
    const std::string text = "{\n\"a\": 1}";
    const std::string error = error_of([&] { parse_json(text + '\0' + "{\"b\": 2}", "x"); });
    EXPECT_TRUE(error.starts_with("x:2:8: not JSON: a NUL byte")) << error;
    EXPECT_THROW(parse_json(text + '\0', "x"), InputError);
}

TEST(JsonText, NumbersThatOverflowAreRefused) {
    EXPECT_THROW(parse_json("[1e999]", "x"), InputError);
    EXPECT_THROW(parse_json("[NaN]", "x"), InputError);
}

TEST(JsonText, FilesAreReadWholeAndFoldersRefused) {
    const test::Folder folder("json_text");
    EXPECT_EQ(read_whole(folder.write("a.txt", std::string("a\0b", 3)), "a.txt"), std::string("a\0b", 3));
    EXPECT_THROW(read_whole(folder.path(), "folder"), InputError);
    EXPECT_THROW(read_whole(folder.path() / "none", "none"), InputError);
    ASSERT_EQ(::mkfifo((folder.path() / "pipe").c_str(), 0600), 0);
    EXPECT_EQ(
        error_of([&] { read_whole(folder.path() / "pipe", "pipe"); }).find("pipe: is not a regular file"),
        0U);
    EXPECT_THROW(read_whole(folder.write("large", std::string(max_file_bytes + 1, ' ')), "large"),
                 LimitError);
}

}  // namespace
}  // namespace uptack::scene

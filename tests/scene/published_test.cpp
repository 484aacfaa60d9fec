// What is published about the format agrees with what is read.
// To write the schema and the tables anew: UPTACK_WRITE_DOCS=1 build/bin/scene_test
// --gtest_filter='Published*'

#include <cstdlib>
#include <regex>

#include "json_text.h"
#include "keys.h"
#include "scene/scene_support.h"
#include "schema.h"

namespace uptack::test {
namespace {

namespace fs = std::filesystem;

const fs::path source = UPTACK_SOURCE;
const std::string mark =
    "<!-- From here on made from src/scene/keys.cpp; see tests/scene/published_test.cpp -->\n\n";

std::string content(const fs::path& path) {
    return scene::read_whole(path, path.string());
}
bool writing() {
    return std::getenv("UPTACK_WRITE_DOCS") != nullptr;
}

TEST(Published, SchemaIsTheReadersTable) {
    const fs::path path = source / "docs/scene.schema.json";
    if (writing()) std::ofstream(path) << scene::schema_text();
    EXPECT_EQ(content(path), scene::schema_text()) << "docs/scene.schema.json is out of date";
}

TEST(Published, TablesAreTheReadersTable) {
    const fs::path path = source / "docs/02-scene-format.md";
    std::string text = content(path);
    const std::size_t at = text.find(mark);
    ASSERT_NE(at, std::string::npos) << mark;
    if (writing()) std::ofstream(path) << text.substr(0, at + mark.size()) << scene::reference_text();
    text = content(path);
    EXPECT_EQ(text.substr(at + mark.size()), scene::reference_text()) << "the tables are out of date";
}

TEST(Published, EveryKeyIsInSchemaAndDocuments) {
    const scene::Json schema = scene::parse_json(content(source / "docs/scene.schema.json"), "schema");
    const std::string text = content(source / "docs/02-scene-format.md");
    for (const scene::ObjectKind* kind : scene::all_kinds()) {
        const std::string name(kind->name);
        const scene::Json& properties = (name == "scene" ? schema : schema["$defs"][name])["properties"];
        EXPECT_EQ(properties.size(), kind->keys.size()) << name;
        for (const scene::Key& key : kind->keys) {
            EXPECT_TRUE(properties.contains(std::string(key.name))) << name << " " << key.name;
            EXPECT_NE(text.find("| `" + std::string(key.name) + "` |"), std::string::npos)
                << name << " " << key.name;
        }
    }
}

/// Every ```json block that is a whole scene.
std::vector<std::string> examples(const std::string& text) {
    std::vector<std::string> found;
    const std::string fence = "```json\n";
    for (std::size_t at = text.find(fence); at != std::string::npos; at = text.find(fence, at + 1)) {
        const std::size_t start = at + fence.size();
        std::string block = text.substr(start, text.find("```", start) - start);
        if (block.find("\"uptack\"") != std::string::npos) found.push_back(std::move(block));
    }
    return found;
}

TEST(Published, ExamplesOfTheDocumentsAreScenes) {
    const std::vector<std::string> found = examples(content(source / "docs/02-scene-format.md"));
    EXPECT_GE(found.size(), 5U);
    for (const std::string& example : found) {
        EXPECT_NO_THROW(parse_scene(example, "example", {}, source / "scenes")) << example;
    }
}

TEST(Published, ScenesAreReadAndTheirDocumentsAreTheSameBits) {
    int count = 0;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(source / "scenes")) {
        if (entry.path().extension() != ".json") continue;
        ++count;
        const Scene scene = read_scene(entry.path());
        EXPECT_FALSE(scene.title.empty()) << entry.path();
        EXPECT_EQ(bits(parse_scene(scene.document, scene.name)), bits(scene)) << entry.path();
    }
    EXPECT_GE(count, 5);
}

}  // namespace
}  // namespace uptack::test

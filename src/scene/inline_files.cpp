#include "inline_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "mesh_file.h"
#include "uptack/input_error.h"

namespace uptack::scene {
namespace {

namespace fs = std::filesystem;

constexpr int max_files = 1000;
constexpr std::size_t max_total_bytes = 128U << 20U;

class Inliner {
public:
    Inliner(std::string name, const fs::path& folder) : origins_{{"", std::move(name)}} {
        if (!folder.empty()) root_ = fs::canonical(folder);
        if (!folder.empty()) open_.push_back(root_ / origins_[0].file);
    }

    void document(Json& json, const std::string& pointer, const fs::path& folder) {
        if (!json.is_object()) return;  // the reader will say so
        if (json.contains("include")) parts(json["include"], pointer + "/include", folder);
        if (json.contains("meshes") && json["meshes"].is_object()) {
            for (auto& [name, mesh] : json["meshes"].get_ref<Json::object_t&>()) {
                shape_file(mesh, fmt::format("{}/meshes/{}", pointer, name), folder, false);
            }
        }
        if (!json.contains("bodies") || !json["bodies"].is_array()) return;
        for (std::size_t k = 0; k < json["bodies"].size(); ++k) {
            body(json["bodies"][k], fmt::format("{}/bodies/{}", pointer, k), folder);
        }
    }

    const fs::path& root() const { return root_; }
    std::vector<Origin> take_origins() { return std::move(origins_); }

private:
    std::string where(const std::string& pointer) const { return origins_.front().file + ": " + pointer; }

    void body(Json& json, const std::string& pointer, const fs::path& folder) {
        if (!json.is_object()) return;
        if (json.contains("shape")) shape(json["shape"], pointer + "/shape", folder);
        if (!json.contains("shapes") || !json["shapes"].is_array()) return;
        for (std::size_t k = 0; k < json["shapes"].size(); ++k) {
            shape(json["shapes"][k], fmt::format("{}/shapes/{}", pointer, k), folder);
        }
    }

    void shape(Json& json, const std::string& pointer, const fs::path& folder) {
        if (!json.is_object()) return;
        if (json.contains("hull")) shape_file(json["hull"], pointer + "/hull", folder, true);
        if (json.contains("mesh")) shape_file(json["mesh"], pointer + "/mesh", folder, false);
    }

    void shape_file(Json& json, const std::string& pointer, const fs::path& folder, bool only_points) {
        if (!json.is_object() || !json.contains("file")) return;
        const std::string path = path_text(json["file"], pointer + "/file");
        for (const char* other : {"points", "vertices", "triangles"}) {
            if (json.contains(other)) {
                throw InputError(where(pointer),
                                 fmt::format("has both \"file\" and \"{}\"; leave one out", other));
            }
        }
        const TriangleSoup soup = parse_mesh(read(path, pointer + "/file", folder), path);
        json.erase("file");
        Json points = Json::array();
        for (const Vec3& vertex : soup.vertices) points.push_back(vertex);
        json[only_points ? "points" : "vertices"] = std::move(points);
        if (only_points) return;
        Json triangles = Json::array();
        for (const std::array<int, 3>& triangle : soup.triangles) triangles.push_back(triangle);
        json["triangles"] = std::move(triangles);
    }

    void parts(Json& json, const std::string& pointer, const fs::path& folder) {
        if (!json.is_array()) {
            Json only = std::move(json);
            json = Json::array();
            json.push_back(std::move(only));
        }
        for (std::size_t k = 0; k < json.size(); ++k) part(json[k], fmt::format("{}/{}", pointer, k), folder);
    }

    void part(Json& json, const std::string& pointer, const fs::path& folder) {
        if (json.is_string()) json = Json{{"file", json}};
        if (!json.is_object()) return;
        if (++includes_ > max_includes) {
            throw LimitError(where(pointer),
                             fmt::format("more includes than the limit of {}; put parts together in one file",
                                         max_includes));
        }
        if (!json.contains("file")) {
            if (json.contains("scene")) document(json["scene"], pointer + "/scene", folder);
            return;
        }
        if (json.contains("scene"))
            throw InputError(where(pointer), "has both file and scene; leave one out");
        const std::string path = path_text(json["file"], pointer + "/file");
        const fs::path full = safe_path(path, pointer + "/file", folder);
        if (std::find(open_.begin(), open_.end(), full) != open_.end()) {
            throw InputError(where(pointer), fmt::format("{} includes itself", path));
        }
        Json inner = parse_json(read(path, pointer + "/file", folder), path);
        origins_.push_back({pointer + "/scene", fs::relative(full, root_).generic_string()});
        open_.push_back(full);
        document(inner, pointer + "/scene", full.parent_path());
        open_.pop_back();
        json.erase("file");
        json["scene"] = std::move(inner);
    }

    std::string path_text(const Json& json, const std::string& pointer) const {
        if (!json.is_string())
            throw InputError(where(pointer), "the path of a file is wanted, as \"parts/arm.json\"");
        return json.get<std::string>();
    }

    /// What a scene names must be in its folder: scenes come from other people.
    fs::path safe_path(const std::string& text, const std::string& pointer, const fs::path& folder) const {
        if (root_.empty())
            throw InputError(where(pointer), "files cannot be read here: the scene has no folder");
        const fs::path path(text);
        const bool climbs =
            std::any_of(path.begin(), path.end(), [](const fs::path& step) { return step == ".."; });
        if (text.empty() || text.find('\0') != std::string::npos || path.is_absolute() || climbs) {
            throw InputError(where(pointer),
                             fmt::format("\"{}\" is refused; write a path inside the scene's folder "
                                         "without ..",
                                         text));
        }
        std::error_code error;
        fs::path full = fs::canonical(folder / path, error);
        if (error) throw InputError(where(pointer), fmt::format("there is no file {}", text));
        const auto [step, rest] = std::mismatch(root_.begin(), root_.end(), full.begin(), full.end());
        if (step != root_.end()) {
            throw InputError(where(pointer), fmt::format("{} leads out of the scene's folder", text));
        }
        if (!fs::is_regular_file(full, error))
            throw InputError(where(pointer), fmt::format("{} is no file", text));
        return full;
    }

    std::string read(const std::string& text, const std::string& pointer, const fs::path& folder) {
        if (++files_ > max_files)
            throw LimitError(
                where(pointer),
                fmt::format("more files than the limit of {}; put meshes together, or let bodies share them",
                            max_files));
        std::string content = read_whole(safe_path(text, pointer, folder), where(pointer) + ": " + text);
        bytes_ += content.size();
        if (bytes_ > max_total_bytes) {
            throw LimitError(
                where(pointer),
                fmt::format(
                    "the scene's files are larger than the limit of {} MB together; use simpler meshes",
                    max_total_bytes >> 20U));
        }
        return content;
    }

    fs::path root_;
    std::vector<Origin> origins_;
    std::vector<fs::path> open_;
    int includes_ = 0;
    int files_ = 0;
    std::size_t bytes_ = 0;
};

}  // namespace

std::vector<Origin> inline_files(Json& document, const std::string& name, const fs::path& folder) {
    Inliner inliner(name, folder);
    inliner.document(document, "", inliner.root());
    return inliner.take_origins();
}

}  // namespace uptack::scene

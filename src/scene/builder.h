// Puts the entries of a scene and its parts into a model.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "reader.h"
#include "uptack/model.h"
#include "uptack/scene.h"

namespace uptack::scene {

inline constexpr std::size_t max_name_bytes = 200;

/// Where the document that is being read stands in the whole.
struct Part {
    std::string prefix;  ///< of names: "left/", or "left/finger/" in a part of a part
    Pose placement;      ///< of its origin in the world
};

class Builder {
public:
    Builder(Reader& reader, Model& model, const SceneLimits& limits = {})
        : reader_(reader), model_(model), limits_(limits) {}

    /// Parameters of a document into the scope; `given` replaces values.
    void read_parameters(const Json& document, const std::vector<std::pair<std::string, double>>& given,
                         std::vector<SceneParameter>& parameters);
    /// Everything else of a document that is part of the model, its own parts first.
    void read_document(const Json& document);

    /// Names of joints to watch; throws InputError for one that is not there.
    std::vector<std::string> watched() const;

private:
    // parts.cpp
    void read_include(const Json& json);
    void read_part(const Object& object);
    std::vector<std::pair<std::string, double>> read_set(const Object& object, const Json& document);
    void read_watch(const Json& json);

    // materials.cpp
    void read_materials(const Json& json);
    void read_material_pairs(const Json& json);
    void read_groups(const Json& json);
    void read_surface(const Object& object, Material& material);
    int material_named(const Json& value);
    /// The part's own first, then those of the scenes around it; -1 where there is none.
    int find_material(const std::string& name) const;
    std::uint32_t group_bits(const Json& value);
    void read_collision(const Object& object, Shape& shape);

    // shapes.cpp
    void read_meshes(const Json& json);
    void read_shapes(const Object& body, std::vector<Shape>& shapes);
    void read_shape(const Json& json, const Shape& preset, std::vector<Shape>& shapes);
    Geometry read_geometry(const Object& object);
    Geometry read_hull(const Json& json);
    Geometry read_mesh(const Json& json);
    Geometry read_height_field(const Json& json);
    TriangleSoup read_soup(const Json& json);
    std::vector<Vec3> read_points(const Json& json, double scale);
    const TriangleSoup& mesh_named(const Json& value);

    // bodies.cpp
    void read_ground(const Json& json);
    void read_body(const Json& json);
    void read_one_body(const Object& object);
    void read_mass(const Object& object, BodyDefinition& body);
    void read_motion(const Json& json, BodyDefinition& body);
    void add_jitter(const Json& json, BodyDefinition& body);
    int add(const Json& json, BodyDefinition body);
    void read_no_collision(const Json& json);

    // joints.cpp
    void read_joint(const Json& json);
    void read_one_joint(const Object& object);
    Pose read_frame(const Object& object, const Pose& base, const Pose& otherwise);
    void read_axes(const Object& object, JointDefinition& joint);
    JointAxis read_axis(const Object& object, Coordinate coordinate);
    void read_motor(const Json& json, JointAxis& axis);
    void read_spring(const Json& json);
    void read_rope(const Json& json);
    JointDefinition read_link(const Object& object);
    int add(const Object& object, JointDefinition joint);
    void read_force(const Json& json);
    void read_one_force(const Object& object);

    // shared
    std::string name_of(const Object& object);
    int body_named(const Json& value);  ///< or no_body for "world"
    int body_named(const Json* value, int fallback);
    Pose origin_of(int body) const;      ///< in the world, at the start
    Pose base_of(const Object& object);  ///< of "relative_to", or the part's placement
    Vec3 to_world(const Vec3& direction) const { return rotate(part_.placement.orientation, direction); }
    std::array<Expression, 3> to_world(const std::array<Expression, 3>& vector) const;
    void for_each(const Json* entries, void (Builder::*read)(const Json&));

    Reader& reader_;
    Model& model_;
    SceneLimits limits_;
    Part part_;
    std::map<std::string, int, std::less<>> bodies_;
    std::map<std::string, int, std::less<>> joints_;
    std::map<std::string, int, std::less<>> forces_;
    std::map<std::string, int, std::less<>> materials_{{"default", 0}};
    std::map<std::string, std::uint32_t, std::less<>> groups_{{"default", 1U}};
    std::map<std::string, std::shared_ptr<const TriangleSoup>, std::less<>> meshes_;
    bool default_is_set_ = false;
    std::vector<std::pair<std::string, const Json*>> watch_;
    /// What a value without expressions was made into: patterns use it for every body.  Looked up, never
    /// walked: the addresses do not reach the results.
    std::map<const Json*, Geometry> made_;
};

/// What is there in `names` that is near: "; did you mean ...?", for messages.
template <class Map>
std::string near_name(const Map& names, std::string_view word) {
    constexpr std::size_t most = 1000;  // a message need not search a million bodies
    std::vector<std::string> known;
    for (const auto& [name, value] : names) {
        if (known.size() >= most) break;
        known.push_back(name);
    }
    return suggestion(word, known);
}

/// Everything of SimulationSettings, and what Scene has beside it.
void read_settings(Reader& reader, const Json& json, Scene& scene);
void read_camera(Reader& reader, const Json& json, Camera& camera);

}  // namespace uptack::scene

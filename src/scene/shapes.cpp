// Shapes: what a body looks like and touches with.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "builder.h"

namespace uptack::scene {
namespace {

constexpr std::array<std::string_view, 9> geometry_keys{
    "sphere", "box", "capsule", "cylinder", "cone", "half_space", "hull", "mesh", "height_field"};

bool has_formula(const Json& json) {
    if (json.is_string()) return true;
    return json.is_structured() && std::any_of(json.begin(), json.end(), has_formula);
}

template <class Round>
Round read_round(Reader& reader, const Json& json) {
    const Object object(reader, json, kinds::round_shape);
    const double radius = reader.number(object.need("radius"));
    return {.radius = radius, .half_length = 0.5 * reader.number(object.need("length"))};
}

}  // namespace

void Builder::read_meshes(const Json& json) {
    if (!json.is_object())
        reader_.fail(json, "an object is wanted, as in {\"gear\": {\"file\": \"gear.stl\"}}");
    for (const auto& [name, value] : json.get_ref<const Json::object_t&>()) {
        const std::string full = part_.prefix + name;
        if (meshes_.count(full) != 0) {
            reader_.fail(value, fmt::format("there is a mesh \"{}\" already; give the include a name", full));
        }
        meshes_[full] = std::make_shared<const TriangleSoup>(read_soup(value));
    }
}

void Builder::read_shapes(const Object& body, std::vector<Shape>& shapes) {
    Shape preset;
    preset.material = find_material("default");
    if (const Json* material = body.find("material")) preset.material = material_named(*material);
    if (const Json* color = body.find("color")) preset.color = reader_.color(*color);
    read_collision(body, preset);
    const Json* one = body.find("shape");
    const Json* many = body.find("shapes");
    if (one != nullptr && many != nullptr)
        reader_.fail(body.json(), "has both shape and shapes; leave one out");
    if (one != nullptr) read_shape(*one, preset, shapes);
    if (many == nullptr) return;
    for (const Json& entry : reader_.list(*many)) read_shape(entry, preset, shapes);
}

void Builder::read_shape(const Json& json, const Shape& preset, std::vector<Shape>& shapes) {
    const Object object(reader_, json, kinds::shape);
    reader_.repeat(object, [&] {
        if (model_.shapes.size() + shapes.size() >= limits_.shapes) {
            reader_.exceed(json,
                           fmt::format("more shapes than the limit of {}; use fewer, or simpler compounds",
                                       limits_.shapes));
        }
        Shape shape = preset;
        shape.geometry = read_geometry(object);
        shape.pose = object.pose();
        shape.name = object.filled_text("name");
        if (const Json* material = object.find("material")) shape.material = material_named(*material);
        if (const Json* color = object.find("color")) shape.color = reader_.color(*color);
        read_collision(object, shape);
        shapes.push_back(std::move(shape));
    });
}

Geometry Builder::read_geometry(const Object& object) {
    const std::string_view key = object.only_one(geometry_keys);
    const Json& value = object.need(key);
    if (key == "sphere") return Sphere{reader_.number(value)};
    if (key == "box") return Box{0.5 * reader_.size3(value)};
    if (key == "capsule") return read_round<Capsule>(reader_, value);
    if (key == "cylinder") return read_round<Cylinder>(reader_, value);
    if (key == "cone") return read_round<Cone>(reader_, value);
    if (key == "half_space") {
        if (!reader_.flag(value)) reader_.fail(value, "write true, or leave the shape out");
        return HalfSpace{};
    }
    const auto found = made_.find(&value);
    if (found != made_.end()) return found->second;
    Geometry geometry;
    if (key == "hull") {
        geometry = read_hull(value);
    } else if (key == "mesh") {
        geometry = read_mesh(value);
    } else {
        geometry = read_height_field(value);
    }
    if (value.is_string() || !has_formula(value)) made_.emplace(&value, geometry);
    return geometry;
}

const TriangleSoup& Builder::mesh_named(const Json& value) {
    const std::string name = part_.prefix + reader_.text(value);
    const auto found = meshes_.find(name);
    if (found == meshes_.end()) {
        reader_.fail(
            value, fmt::format("no entry of \"meshes\" is called \"{}\"{}", name, near_name(meshes_, name)));
    }
    return *found->second;
}

std::vector<Vec3> Builder::read_points(const Json& json, double scale) {
    std::vector<Vec3> points;
    points.reserve(reader_.list(json).size());
    for (const Json& point : json) points.push_back(scale * reader_.vec3(point));
    return points;
}

Geometry Builder::read_hull(const Json& json) {
    std::vector<Vec3> points;
    if (json.is_string()) {
        points = mesh_named(json).vertices;
    } else if (json.is_array()) {
        points = read_points(json, 1.0);
    } else {
        const Object object(reader_, json, kinds::points);
        points = read_points(object.need("points"), object.number("scale", 1.0));
    }
    Hull hull;
    reader_.at(json, [&] { hull = make_hull(points); });
    return hull;
}

TriangleSoup Builder::read_soup(const Json& json) {
    const Object object(reader_, json, kinds::mesh);
    TriangleSoup soup;
    soup.vertices = read_points(object.need("vertices"), object.number("scale", 1.0));
    const int last = static_cast<int>(soup.vertices.size()) - 1;
    for (const Json& triangle : reader_.list(object.need("triangles"))) {
        if (!triangle.is_array() || triangle.size() != 3)
            reader_.fail(triangle, "three numbers of vertices are wanted");
        std::array<int, 3> corner{};
        for (std::size_t k = 0; k < 3; ++k) {
            const double number = reader_.number(triangle[k]);
            if (!(number >= 0.0 && number <= last) || number != static_cast<int>(number)) {
                reader_.fail(triangle[k],
                             fmt::format("{} is not the number of a vertex, 0 to {}", number, last));
            }
            corner[k] = static_cast<int>(number);
        }
        soup.triangles.push_back(corner);
    }
    if (soup.triangles.empty()) reader_.fail(json, "the mesh has no triangles");
    return soup;
}

Geometry Builder::read_mesh(const Json& json) {
    if (json.is_string()) {
        mesh_named(json);
        return TriangleMesh{meshes_.find(part_.prefix + reader_.text(json))->second};
    }
    return TriangleMesh{std::make_shared<const TriangleSoup>(read_soup(json))};
}

Geometry Builder::read_height_field(const Json& json) {
    const Object object(reader_, json, kinds::height_field);
    HeightGrid grid;
    grid.columns = reader_.whole(object.need("columns"), 2, limits_.height_samples);
    grid.rows = reader_.whole(object.need("rows"), 2, limits_.height_samples);
    const std::int64_t samples = std::int64_t{grid.columns} * grid.rows;
    if (samples > limits_.height_samples) {
        reader_.exceed(json, fmt::format("{} samples; the limit is {}, take a coarser grid", samples,
                                         limits_.height_samples));
    }
    if (const Json* spacing = object.find("spacing")) {
        const std::vector<double> both = spacing->is_array()
                                             ? reader_.numbers(*spacing, 2, 2)
                                             : std::vector<double>(2, reader_.number(*spacing));
        grid.spacing_x = both[0];
        grid.spacing_y = both[1];
    }
    static constexpr std::array<std::string_view, 2> ways{"heights", "height"};
    const std::string_view way = object.only_one(ways);
    const Json& value = object.need(way);
    if (way == "heights") {
        grid.heights =
            reader_.numbers(value, static_cast<std::size_t>(samples), static_cast<std::size_t>(samples));
        return HeightField{std::make_shared<const HeightGrid>(std::move(grid))};
    }
    Scope& scope = reader_.scope();
    for (const char* name : {"x", "y"}) {
        if (scope.has(name))
            reader_.fail(value, fmt::format("{} is the place here; rename the variable {}", name, name));
    }
    const std::size_t size = scope.size();
    grid.heights.reserve(static_cast<std::size_t>(samples));
    for (int row = 0; row < grid.rows; ++row) {
        for (int column = 0; column < grid.columns; ++column) {
            scope.push("x", column * grid.spacing_x);
            scope.push("y", row * grid.spacing_y);
            grid.heights.push_back(reader_.number(value));
            scope.shrink(size);
        }
    }
    return HeightField{std::make_shared<const HeightGrid>(std::move(grid))};
}

}  // namespace uptack::scene

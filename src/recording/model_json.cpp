#include <map>
#include <nlohmann/json.hpp>

#include "uptack/recording.h"

namespace uptack {
namespace {

using Json = nlohmann::ordered_json;

/// JSON has no infinity: an open limit is null.
Json number(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

const char* kind_name(BodyKind kind) {
    switch (kind) {
        case BodyKind::dynamic:
            return "dynamic";
        case BodyKind::kinematic:
            return "kinematic";
        case BodyKind::fixed:
            return "fixed";
    }
    return "";
}

const char* motor_name(MotorKind kind) {
    switch (kind) {
        case MotorKind::none:
            return "none";
        case MotorKind::position:
            return "position";
        case MotorKind::velocity:
            return "velocity";
        case MotorKind::force:
            return "force";
    }
    return "";
}

Json pose_json(const Pose& pose) {
    const Quaternion& q = pose.orientation;
    return {{"position", pose.position}, {"orientation", {q.w, q.x, q.y, q.z}}};
}

/// Surfaces that many shapes share, each once, in the order in which they are met.
class Meshes {
public:
    int index(const Hull& hull) {
        return index(hull.polyhedron.get(), [&hull] {
            return Json{{"vertices", hull.polyhedron->vertices}, {"faces", hull.polyhedron->faces}};
        });
    }
    int index(const TriangleMesh& mesh) {
        return index(mesh.soup.get(), [&mesh] {
            return Json{{"vertices", mesh.soup->vertices}, {"faces", mesh.soup->triangles}};
        });
    }
    Json take() { return std::move(list_); }

private:
    template <class Make>
    int index(const void* which, const Make& make) {
        const auto [found, is_new] = seen_.try_emplace(which, static_cast<int>(list_.size()));
        if (is_new) list_.push_back(make());
        return found->second;
    }

    std::map<const void*, int> seen_;  // only looked up, never walked: addresses decide nothing
    Json list_ = Json::array();
};

struct GeometryFields {
    Json& shape;
    Meshes& meshes;

    void operator()(const Sphere& g) const { shape["radius"] = g.radius; }
    void operator()(const HalfSpace&) const {}
    void operator()(const Box& g) const { shape["half_size"] = g.half_size; }
    void operator()(const Capsule& g) const { round(g.radius, g.half_length); }
    void operator()(const Cylinder& g) const { round(g.radius, g.half_length); }
    void operator()(const Cone& g) const { round(g.radius, g.half_length); }
    void operator()(const Hull& g) const { shape["mesh"] = meshes.index(g); }
    void operator()(const TriangleMesh& g) const { shape["mesh"] = meshes.index(g); }
    void operator()(const HeightField& g) const {
        shape["columns"] = g.grid->columns;
        shape["rows"] = g.grid->rows;
        shape["spacing"] = {g.grid->spacing_x, g.grid->spacing_y};
        shape["heights"] = g.grid->heights;
    }

private:
    void round(double radius, double half_length) const {
        shape["radius"] = radius;
        shape["half_length"] = half_length;
    }
};

Json shape_json(const Shape& shape, Meshes& meshes) {
    Json result{{"geometry", geometry_name(shape.geometry)}};
    std::visit(GeometryFields{result, meshes}, shape.geometry);
    if (!(shape.pose == Pose{})) result.update(pose_json(shape.pose));
    if (!shape.name.empty()) result["name"] = shape.name;
    result["material"] = shape.material;
    if (!shape.color.empty()) result["color"] = shape.color;
    return result;
}

Json bodies_json(const Model& model, Meshes& meshes) {
    Json bodies = Json::array();
    for (const RigidBody& body : model.bodies) {
        bodies.push_back({{"name", body.name},
                          {"kind", kind_name(body.kind)},
                          {"mass_kg", body.mass.mass},
                          {"center_of_mass", body.mass.center_of_mass},
                          {"shapes", Json::array()}});
    }
    for (const Shape& shape : model.shapes) {
        if (shape.body < 0 || std::cmp_greater_equal(shape.body, bodies.size())) continue;
        bodies[static_cast<std::size_t>(shape.body)]["shapes"].push_back(shape_json(shape, meshes));
    }
    return bodies;
}

Json joints_json(const Model& model) {
    Json joints = Json::array();
    for (const Joint& joint : model.joints) {
        Json axes = Json::array();
        for (const JointAxis& axis : joint.axes) {
            axes.push_back({{"coordinate", coordinate_name(axis.coordinate)},
                            {"lower", number(axis.lower)},
                            {"upper", number(axis.upper)},
                            {"motor", motor_name(axis.motor)},
                            {"stiffness", axis.stiffness}});
        }
        joints.push_back({{"name", joint.name},
                          {"kind", joint_kind_name(joint.kind)},
                          {"body_a", joint.body_a},
                          {"body_b", joint.body_b},
                          {"frame_a", pose_json(joint.frame_a)},
                          {"frame_b", pose_json(joint.frame_b)},
                          {"axes", std::move(axes)}});
    }
    return joints;
}

Json materials_json(const Model& model) {
    Json materials = Json::array();
    for (const Material& material : model.materials) {
        materials.push_back({{"name", material.name},
                             {"density", material.density},
                             {"friction", material.friction},
                             {"restitution", material.restitution},
                             {"color", material.color}});
    }
    return materials;
}

Json parameters_json(const Scene& scene) {
    Json parameters = Json::array();
    for (const SceneParameter& parameter : scene.parameters) {
        parameters.push_back({{"name", parameter.name},
                              {"value", number(parameter.value)},
                              {"lower", parameter.lower ? number(*parameter.lower) : Json(nullptr)},
                              {"upper", parameter.upper ? number(*parameter.upper) : Json(nullptr)},
                              {"description", parameter.description}});
    }
    return parameters;
}

}  // namespace

std::string model_json(const Scene& scene) {
    const Model& model = scene.model;
    const SolverChoice& solver = scene.settings.solver;
    const bool joules = solver.stop.tolerance.unit == ErrorUnit::joules;
    Meshes meshes;
    Json document{
        {"name", scene.name},
        {"title", scene.title},
        {"description", scene.description},
        {"duration_s", scene.duration_s},
        {"frame_s", scene.frame_s},
        {"step_s", scene.settings.stepping.step_s},
        {"solver", solver.name},
        {"tolerance", solver.stop.tolerance.value},
        {"tolerance_unit", joules ? "J" : "relative"},
        {"budget_s", number(solver.stop.budget_s)},
        {"gravity", model.gravity},
        {"camera",
         {{"eye", scene.camera.eye},
          {"target", scene.camera.target},
          {"field_of_view_deg", scene.camera.field_of_view_deg}}},
        {"watch", scene.watch},
        {"parameters", parameters_json(scene)},
        {"materials", materials_json(model)},
        {"bodies", bodies_json(model, meshes)},
        {"joints", joints_json(model)},
    };
    document["meshes"] = meshes.take();
    return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace uptack

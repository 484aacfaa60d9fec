// MuJoCo 2.2, from an MJCF text written here.
//
// Joined bodies become a tree of ball joints, the way MuJoCo is meant to be used; the rest are free.  Its
// parser refuses elements nested deeper than about a hundred, so a long chain goes on in included files.
// Its memory is reserved ahead for the largest number of constraint rows, as a Jacobian and an A of rows x
// rows with room for every entry, and counted in a 32-bit number: large scenes do not fit.

#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <cstring>
#include <iterator>
#include <stdexcept>

#include "engine.h"

namespace uptack::peers {
namespace {

struct Choice {
    const char* solver = "Newton";
    const char* cone = "pyramidal";
    int iterations = 100;
    bool stiff =
        false;  ///< contacts as stiff as the step allows, tight solver, fourth order where it is smooth
};

/// Points at once: the pyramid has 7.6 per box, the wall 11.6.
int most_contacts(const Scene& scene) {
    const int per_body = scene.bodies.size() < 300 ? 9 : 12;
    return scene.touching ? per_body * static_cast<int>(scene.bodies.size()) + 64 : 0;
}

/// Bytes of the two large arrays of mjData and of their column numbers.
double reserved_bytes(const Scene& scene) {
    const double rows = 4.0 * most_contacts(scene);
    return 12.0 * rows * (rows + 2.0 * 6.0 * static_cast<double>(scene.bodies.size()));
}

int warning_count = 0;  // of MuJoCo's one handler

void count_warning(const char* /*text*/) {
    ++warning_count;
}

std::string file_name(std::size_t index) {
    return fmt::format("scene{}.xml", index);
}

class Mjcf {
public:
    explicit Mjcf(const Scene& scene) : scene_(scene), children_(scene.bodies.size() + 1) {
        std::vector<int> parent_joint(scene.bodies.size(), -1);
        for (std::size_t j = 0; j < scene.joints.size(); ++j) {
            const BallJoint& joint = scene.joints[j];
            parent_joint[static_cast<std::size_t>(joint.b)] = static_cast<int>(j);
            children_[static_cast<std::size_t>(joint.a + 1)].push_back(joint.b);
        }
        joint_of_ = parent_joint;
        for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
            if (parent_joint[i] < 0) children_[0].push_back(static_cast<int>(i));
        }
    }

    /// "scene0.xml" first, then what it includes.
    std::vector<std::string> files(const Choice& choice) {
        const double h = scene_.step_s;
        const bool smooth = choice.stiff && !scene_.touching;
        add("<mujoco><compiler inertiafromgeom='false' angle='radian' boundmass='0' boundinertia='0'/>"
            "<size njmax='{}' nconmax='{}' nstack='{}'/>",
            4 * most_contacts(scene_) + 64, most_contacts(scene_) + 16, 60'000'000);
        add("<option timestep='{:.17g}' gravity='{:.17g} {:.17g} {:.17g}' solver='{}' cone='{}' "
            "iterations='{}' "
            "integrator='{}' {}/>",
            h, scene_.gravity[0], scene_.gravity[1], scene_.gravity[2], choice.solver, choice.cone,
            choice.iterations, smooth ? "RK4" : "Euler", choice.stiff ? "tolerance='1e-12'" : "");
        contact_ = fmt::format("friction='{} 0.005 0.0001' condim='3' {}", scene_.friction,
                               scene_.touching ? "" : "contype='0' conaffinity='0'");
        if (choice.stiff) contact_ += fmt::format(" solref='{:.17g} 1' solimp='0.99 0.9999 0.001'", 2.0 * h);
        add("<worldbody>");
        for (const Plane& plane : scene_.planes) {
            const Quaternion q = turn_between({0.0, 0.0, 1.0}, plane.normal);
            const Vec3 p = plane.offset * plane.normal;
            add("<geom type='plane' size='100 100 1' pos='{} {} {}' quat='{:.17g} {:.17g} {:.17g} {:.17g}' "
                "{}/>",
                p[0], p[1], p[2], q.w, q.x, q.y, q.z, contact_);
        }
        bodies(children_[0], {}, 0);
        add("</worldbody></mujoco>");
        return std::move(files_);
    }

private:
    template <class... Arguments>
    void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
        fmt::format_to(std::back_inserter(files_[file_]), format, std::forward<Arguments>(arguments)...);
    }

    /// Children of a body `depth` levels down.
    void bodies(const std::vector<int>& children, const Vec3& parent_position, int depth) {
        constexpr int levels_per_file = 40;
        const std::size_t here = file_;
        const bool elsewhere = depth > 0 && depth % levels_per_file == 0 && !children.empty();
        if (elsewhere) {
            add("<include file='{}'/>", file_name(files_.size()));
            file_ = files_.size();
            files_.emplace_back("<mujocoinclude>");
        }
        for (const int child : children) body(child, parent_position, depth);
        if (elsewhere) add("</mujocoinclude>");
        file_ = here;
    }

    void body(int index, const Vec3& parent_position, int depth) {
        const SolidBody& solid = scene_.bodies[static_cast<std::size_t>(index)];
        const Vec3 at = solid.position - parent_position;
        add("<body name='b{}' pos='{:.17g} {:.17g} {:.17g}'>", index, at[0], at[1], at[2]);
        add("<inertial pos='0 0 0' mass='{:.17g}' diaginertia='{:.17g} {:.17g} {:.17g}'/>", solid.mass,
            solid.inertia[0], solid.inertia[1], solid.inertia[2]);
        const int joint = joint_of_[static_cast<std::size_t>(index)];
        if (joint < 0) {
            add("<freejoint/>");
        } else {
            const Vec3 anchor = scene_.joints[static_cast<std::size_t>(joint)].anchor - solid.position;
            add("<joint type='ball' pos='{:.17g} {:.17g} {:.17g}'/>", anchor[0], anchor[1], anchor[2]);
        }
        if (const auto* sphere = std::get_if<Sphere>(&solid.shape)) {
            add("<geom type='sphere' size='{:.17g}' {}/>", sphere->radius, contact_);
        } else {
            const Vec3 half = std::get<Box>(solid.shape).half_size;
            add("<geom type='box' size='{:.17g} {:.17g} {:.17g}' {}/>", half[0], half[1], half[2], contact_);
        }
        bodies(children_[static_cast<std::size_t>(index + 1)], solid.position, depth + 1);
        add("</body>");
    }

    const Scene& scene_;
    std::vector<std::vector<int>> children_;  ///< of the world, then of each body
    std::vector<int> joint_of_;               ///< by which a body hangs on its parent; -1: it is free
    std::string contact_;
    std::vector<std::string> files_{std::string()};
    std::size_t file_ = 0;  ///< the one being written
};

mjModel* load(const std::vector<std::string>& texts) {
    auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const std::string name = file_name(i);
        mj_makeEmptyFileVFS(files.get(), name.c_str(), static_cast<int>(texts[i].size()));
        std::memcpy(files->filedata[mj_findFileVFS(files.get(), name.c_str())], texts[i].data(),
                    texts[i].size());
    }
    char message[1000] = "";
    mjModel* model = mj_loadXML(file_name(0).c_str(), files.get(), message, sizeof message);
    mj_deleteVFS(files.get());
    if (model == nullptr) throw std::runtime_error(fmt::format("MuJoCo refuses the scene: {}", message));
    return model;
}

class MuJoCo final : public Engine {
public:
    MuJoCo(const Scene& scene, const Choice& choice)
        : model_(load(Mjcf(scene).files(choice))), data_(mj_makeData(model_)) {
        mju_user_warning = count_warning;  // its own would write a file into the working directory
        warning_count = 0;
        for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
            const int id = mj_name2id(model_, mjOBJ_BODY, fmt::format("b{}", i).c_str());
            bodies_.push_back(id);
            const int joint = model_->body_jntadr[id];
            if (model_->jnt_type[joint] != mjJNT_FREE) continue;
            // Linear in the world, angular in the body, which starts with the world's axes.
            mjtNum* velocity = data_->qvel + model_->jnt_dofadr[joint];
            for (std::size_t k = 0; k < 3; ++k) {
                velocity[k] = scene.bodies[i].velocity[k];
                velocity[k + 3] = scene.bodies[i].spin[k];
            }
        }
    }
    ~MuJoCo() override {
        mj_deleteData(data_);
        mj_deleteModel(model_);
    }
    MuJoCo(const MuJoCo&) = delete;
    MuJoCo& operator=(const MuJoCo&) = delete;

    void step() override { mj_step(model_, data_); }

    void read(std::vector<BodyState>& bodies) override {
        // mj_step leaves these as they were before it moved the coordinates; it makes them afresh next time.
        mj_kinematics(model_, data_);
        mj_comPos(model_, data_);
        mj_comVel(model_, data_);
        bodies.resize(bodies_.size());
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            const mjtNum* p = data_->xpos + 3 * bodies_[i];
            const mjtNum* q = data_->xquat + 4 * bodies_[i];
            mjtNum v[6];  // angular first
            mj_objectVelocity(model_, data_, mjOBJ_XBODY, bodies_[i], v, 0);
            bodies[i].pose = {{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}};
            bodies[i].velocity = {v[3], v[4], v[5], v[0], v[1], v[2]};
        }
    }

    int contacts() const override { return data_->ncon; }
    std::string complaint() const override {
        return warning_count > 0 ? fmt::format("{} warnings: unstable", warning_count) : "";
    }

private:
    mjModel* model_;
    mjData* data_;
    std::vector<int> bodies_;  ///< of the scene -> MuJoCo's
};

Setting setting(const char* name, const char* detail, const Choice& choice) {
    return {.engine = "mujoco",
            .name = name,
            .detail = detail,
            .start = [choice](const Scene& scene) { return std::make_unique<MuJoCo>(scene, choice); },
            .refusal =
                [](const Scene& scene) {
                    const double bytes = reserved_bytes(scene);
                    return bytes > 0x1p31 ? fmt::format("would reserve {:.0f} GB", bytes * 1e-9) : "";
                }};
}

}  // namespace

std::vector<Setting> mujoco_settings() {
    return {setting("newton", "defaults", {}), setting("pgs", "PGS, 100 iterations", {.solver = "PGS"}),
            setting("stiff", "Newton to 1e-12, elliptic cones, stiffest contacts; RK4 without contacts",
                    {.cone = "elliptic", .iterations = 200, .stiff = true})};
}

}  // namespace uptack::peers

// ODE: quick step (Gauss-Seidel) and the direct step (Dantzig's LCP method on a dense matrix).
//
// The user of ODE writes the collision loop; this is the one of its manual.  Friction is the pyramid that
// follows the normal force (dContactApprox1), what its users take.

#include <ode/ode.h>

#include <array>
#include <cstdarg>
#include <string>

#include "engine.h"

namespace uptack::peers {
namespace {

constexpr int direct_step = 0;  ///< in place of a number of iterations
/// CFM of the direct step.  Its default of 1e-10 gives LCP errors and 300 mm on the stack of plates; of the
/// powers of ten this did best.
constexpr double direct_softness = 1e-7;

int message_count = 0;  // of ODE's one handler

void count_message(int /*number*/, const char* /*text*/, va_list /*arguments*/) {
    ++message_count;
}

/// dInitODE2 once for the program.
void initialise() {
    static const int ready = dInitODE2(0);
    (void)ready;
    dSetMessageHandler(count_message);
    message_count = 0;
    dRandSetSeed(1);  // the quick step shuffles its rows
}

class Ode final : public Engine {
public:
    Ode(const Scene& scene, int iterations)
        : iterations_(iterations),
          friction_(scene.friction),
          step_s_(scene.step_s),
          touching_(scene.touching) {
        initialise();
        world_ = dWorldCreate();
        space_ = dHashSpaceCreate(nullptr);
        contact_joints_ = dJointGroupCreate(0);
        dWorldSetGravity(world_, scene.gravity[0], scene.gravity[1], scene.gravity[2]);
        dWorldSetQuickStepNumIterations(world_, iterations);
        dWorldSetAutoDisableFlag(world_, 0);
        if (iterations == direct_step) dWorldSetCFM(world_, direct_softness);
        for (const Plane& plane : scene.planes) {
            dCreatePlane(space_, plane.normal[0], plane.normal[1], plane.normal[2], plane.offset);
        }
        for (const SolidBody& solid : scene.bodies) add(solid);
        for (const BallJoint& joint : scene.joints) add(joint);
    }
    ~Ode() override {
        dJointGroupDestroy(contact_joints_);
        dSpaceDestroy(space_);
        dWorldDestroy(world_);
    }
    Ode(const Ode&) = delete;
    Ode& operator=(const Ode&) = delete;

    void step() override {
        contacts_ = 0;
        if (touching_) dSpaceCollide(space_, this, &Ode::near);
        if (iterations_ == direct_step) {
            dWorldStep(world_, step_s_);
        } else {
            dWorldQuickStep(world_, step_s_);
        }
        dJointGroupEmpty(contact_joints_);
    }

    void read(std::vector<BodyState>& bodies) override {
        bodies.resize(bodies_.size());
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            const dReal* p = dBodyGetPosition(bodies_[i]);
            const dReal* q = dBodyGetQuaternion(bodies_[i]);
            const dReal* v = dBodyGetLinearVel(bodies_[i]);
            const dReal* w = dBodyGetAngularVel(bodies_[i]);
            bodies[i].pose = {{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}};
            bodies[i].velocity = {v[0], v[1], v[2], w[0], w[1], w[2]};
        }
    }

    int contacts() const override { return contacts_; }
    std::string complaint() const override {
        return message_count > 0 ? std::to_string(message_count) + " LCP errors" : "";
    }

private:
    void add(const SolidBody& solid) {
        dBodyID body = dBodyCreate(world_);
        dMass mass;
        dMassSetParameters(&mass, solid.mass, 0, 0, 0, solid.inertia[0], solid.inertia[1], solid.inertia[2],
                           0, 0, 0);
        dBodySetMass(body, &mass);
        dBodySetPosition(body, solid.position[0], solid.position[1], solid.position[2]);
        dBodySetLinearVel(body, solid.velocity[0], solid.velocity[1], solid.velocity[2]);
        dBodySetAngularVel(body, solid.spin[0], solid.spin[1], solid.spin[2]);
        dGeomID geometry = nullptr;
        if (const auto* sphere = std::get_if<Sphere>(&solid.shape)) {
            geometry = dCreateSphere(space_, sphere->radius);
        } else {
            const Vec3 half = std::get<Box>(solid.shape).half_size;
            geometry = dCreateBox(space_, 2.0 * half[0], 2.0 * half[1], 2.0 * half[2]);
        }
        dGeomSetBody(geometry, body);
        bodies_.push_back(body);
    }

    void add(const BallJoint& joint) {
        dJointID ball = dJointCreateBall(world_, nullptr);
        dJointAttach(ball, joint.a == no_body ? nullptr : bodies_[static_cast<std::size_t>(joint.a)],
                     bodies_[static_cast<std::size_t>(joint.b)]);
        dJointSetBallAnchor(ball, joint.anchor[0], joint.anchor[1], joint.anchor[2]);
    }

    static void near(void* self, dGeomID a, dGeomID b) { static_cast<Ode*>(self)->touch(a, b); }

    void touch(dGeomID a, dGeomID b) {
        dBodyID body_a = dGeomGetBody(a);
        dBodyID body_b = dGeomGetBody(b);
        if (body_a == nullptr && body_b == nullptr) return;
        constexpr int most = 8;
        std::array<dContact, most> found;
        const int count = dCollide(a, b, most, &found[0].geom, sizeof(dContact));
        for (int i = 0; i < count; ++i) {
            found[static_cast<std::size_t>(i)].surface = {};
            found[static_cast<std::size_t>(i)].surface.mode = dContactApprox1;
            found[static_cast<std::size_t>(i)].surface.mu = friction_;
            dJointAttach(dJointCreateContact(world_, contact_joints_, &found[static_cast<std::size_t>(i)]),
                         body_a, body_b);
        }
        contacts_ += count;
    }

    int iterations_;
    double friction_;
    double step_s_;
    bool touching_;
    int contacts_ = 0;
    dWorldID world_ = nullptr;
    dSpaceID space_ = nullptr;
    dJointGroupID contact_joints_ = nullptr;
    std::vector<dBodyID> bodies_;
};

Setting setting(const char* name, const char* detail, int iterations) {
    return {.engine = "ode", .name = name, .detail = detail, .start = [iterations](const Scene& scene) {
                return std::make_unique<Ode>(scene, iterations);
            }};
}

}  // namespace

std::vector<Setting> ode_settings() {
    Setting direct = setting("direct", "dWorldStep, CFM 1e-7", direct_step);
    direct.refusal = [](const Scene& scene) {
        // Its time grows with the cube of the rows: the pyramid's 4800 rows take minutes per step.
        return scene.touching && scene.bodies.size() > 100 ? "dense: for small scenes only" : "";
    };
    return {setting("20", "quick step, 20 iterations", 20), setting("200", "quick step, 200 iterations", 200),
            direct};
}

}  // namespace uptack::peers

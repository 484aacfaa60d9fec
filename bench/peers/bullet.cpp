// Bullet, sequential impulse solver, the double precision build.
//
// Bullet multiplies the frictions of two bodies, so each gets the square root.  Bodies never sleep: the
// others are not allowed to either.  Two things are changed in its favour: planes are the faces of large
// boxes (its static plane keeps a manifold with every body of the scene), and islands are not split, which
// nobody needs where nothing sleeps.

#include <BulletCollision/CollisionDispatch/btSimulationIslandManager.h>
#include <btBulletDynamicsCommon.h>

#include <cmath>

#include "engine.h"

namespace uptack::peers {
namespace {

constexpr double slab = 20.0;  ///< half the edge of the boxes that stand for planes [m]

btVector3 bullet(const Vec3& a) {
    return {a[0], a[1], a[2]};
}
Vec3 ours(const btVector3& a) {
    return {a.x(), a.y(), a.z()};
}

class Bullet final : public Engine {
public:
    Bullet(const Scene& scene, int iterations) : step_s_(scene.step_s) {
        world_.getSolverInfo().m_numIterations = iterations;
        world_.setGravity(bullet(scene.gravity));
        world_.getSimulationIslandManager()->setSplitIslands(false);
        for (const Plane& plane : scene.planes) {
            shapes_.push_back(std::make_unique<btBoxShape>(btVector3(slab, slab, slab)));
            bodies_.push_back(make_body(scene, 0.0, {0, 0, 0}, (plane.offset - slab) * plane.normal));
            const Quaternion turned = turn_between({0.0, 0.0, 1.0}, plane.normal);
            btTransform place = bodies_.back()->getCenterOfMassTransform();
            place.setRotation({turned.x, turned.y, turned.z, turned.w});
            bodies_.back()->setCenterOfMassTransform(place);
            if (scene.touching) world_.addRigidBody(bodies_.back().get());
        }
        first_ = bodies_.size();
        for (const SolidBody& solid : scene.bodies) add(scene, solid);
        for (const BallJoint& joint : scene.joints) add(joint);
    }
    ~Bullet() override {
        for (const auto& joint : joints_) world_.removeConstraint(joint.get());
        for (const auto& body : bodies_) world_.removeRigidBody(body.get());
    }
    Bullet(const Bullet&) = delete;
    Bullet& operator=(const Bullet&) = delete;

    void step() override { world_.stepSimulation(step_s_, 0); }

    void read(std::vector<BodyState>& bodies) override {
        bodies.resize(bodies_.size() - first_);
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            const btRigidBody& body = *bodies_[first_ + i];
            const btQuaternion turn = body.getOrientation();
            bodies[i].pose = {ours(body.getCenterOfMassPosition()), {turn.w(), turn.x(), turn.y(), turn.z()}};
            bodies[i].velocity = join(ours(body.getLinearVelocity()), ours(body.getAngularVelocity()));
        }
    }

    int contacts() const override {
        int count = 0;
        for (int i = 0; i < dispatcher_.getNumManifolds(); ++i) {
            count += dispatcher_.getManifoldByIndexInternal(i)->getNumContacts();
        }
        return count;
    }

private:
    std::unique_ptr<btRigidBody> make_body(const Scene& scene, double mass, const btVector3& inertia,
                                           const Vec3& position) {
        btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shapes_.back().get(), inertia);
        info.m_startWorldTransform.setIdentity();
        info.m_startWorldTransform.setOrigin(bullet(position));
        info.m_friction = std::sqrt(scene.friction);
        auto body = std::make_unique<btRigidBody>(info);
        if (mass > 0.0) body->setActivationState(DISABLE_DEACTIVATION);
        return body;
    }

    void add(const Scene& scene, const SolidBody& solid) {
        if (const auto* sphere = std::get_if<Sphere>(&solid.shape)) {
            shapes_.push_back(std::make_unique<btSphereShape>(sphere->radius));
        } else {
            shapes_.push_back(std::make_unique<btBoxShape>(bullet(std::get<Box>(solid.shape).half_size)));
        }
        auto body = make_body(scene, solid.mass, bullet(solid.inertia), solid.position);
        body->setLinearVelocity(bullet(solid.velocity));
        body->setAngularVelocity(bullet(solid.spin));
        // Group 1 is everything; a mask of 0 touches nothing.
        world_.addRigidBody(body.get(), 1, scene.touching ? -1 : 0);
        bodies_.push_back(std::move(body));
    }

    void add(const BallJoint& joint) {
        btRigidBody& b = *bodies_[first_ + static_cast<std::size_t>(joint.b)];
        const btVector3 anchor_b = bullet(joint.anchor) - b.getCenterOfMassPosition();
        if (joint.a == no_body) {
            joints_.push_back(std::make_unique<btPoint2PointConstraint>(b, anchor_b));
        } else {
            btRigidBody& a = *bodies_[first_ + static_cast<std::size_t>(joint.a)];
            const btVector3 anchor_a = bullet(joint.anchor) - a.getCenterOfMassPosition();
            joints_.push_back(std::make_unique<btPoint2PointConstraint>(a, b, anchor_a, anchor_b));
        }
        world_.addConstraint(joints_.back().get(), true);
    }

    double step_s_;
    std::size_t first_ = 0;  ///< bodies_ before this are planes
    btDefaultCollisionConfiguration configuration_;
    mutable btCollisionDispatcher dispatcher_{&configuration_};
    btDbvtBroadphase broadphase_;
    btSequentialImpulseConstraintSolver solver_;
    btDiscreteDynamicsWorld world_{&dispatcher_, &broadphase_, &solver_, &configuration_};
    std::vector<std::unique_ptr<btCollisionShape>> shapes_;
    std::vector<std::unique_ptr<btRigidBody>> bodies_;
    std::vector<std::unique_ptr<btTypedConstraint>> joints_;
};

Setting setting(const char* name, int iterations) {
    return {
        .engine = "bullet",
        .name = name,
        .detail = std::to_string(iterations) + " iterations",
        .start = [iterations](const Scene& scene) { return std::make_unique<Bullet>(scene, iterations); }};
}

}  // namespace

std::vector<Setting> bullet_settings() {
    return {setting("10", 10), setting("200", 200)};
}

}  // namespace uptack::peers

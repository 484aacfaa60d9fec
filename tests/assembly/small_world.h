// A model with few bodies, stepped through integrator, assembly and a dense or a Newton solver.

#pragma once

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <string>
#include <vector>

#include "support/dense.h"
#include "support/random.h"
#include "uptack/assembly.h"
#include "uptack/integrator.h"
#include "uptack/solvers.h"

namespace uptack::test {

inline Vec3 random_vector(Random& random, double size = 1.0) {
    return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}
inline Quaternion random_turn(Random& random) {
    return normalised({random.normal(), random.normal(), random.normal(), random.normal()});
}
inline Pose random_pose(Random& random) {
    return {random_vector(random), random_turn(random)};
}
inline Vec6 random_velocity(Random& random) {
    return join(random_vector(random), random_vector(random));
}

/// A body by its centre of mass: no shapes needed.
inline RigidBody solid(const std::string& name, double mass = 2.0, const Pose& pose = {}) {
    RigidBody body;
    body.name = name;
    body.mass = {.mass = mass, .center_of_mass = {}, .inertia = {0.3, 0.4, 0.5, 0.01, 0.02, 0.03}};
    body.initial_pose = pose;
    return body;
}

/// The body after moving with velocity v for the time h.
inline Pose moved(const Pose& pose, const Vec6& v, double h) {
    return {pose.position + h * linear(v), normalised(exponential(h * angular(v)) * pose.orientation)};
}

/// Everything one step needs; contacts are set by hand.
class World {
public:
    explicit World(Model m, const StepSettings& s = {})
        : model(std::move(m)), settings(s), assembler(model), state(initial_state(model)) {
        assembler.follow_angles(state);
    }
    World(const World&) = delete;

    void assemble() {
        free_motion(model, state, settings, motion);
        assembler.assemble(state, contacts, motion, settings, step);
        ASSERT_TRUE(validate(step.problem).empty()) << validate(step.problem).front().message;
    }

    /// The curvature of the joints' motion, foreseen with the velocities before the step.
    void foresee() {
        std::vector<Vec6> velocity = state.velocity;
        for (std::size_t i = 0; i < velocity.size(); ++i) {
            if (step.problem_body[i] == no_body) velocity[i] = motion.body[i].free_velocity;
        }
        State ahead = state;
        advance(model, settings, motion, velocity, ahead);
        assembler.follow_curves(ahead, velocity, settings, step);
    }

    /// Bilateral problems exactly (least impulses where they are redundant), others by Newton's method.
    void solve() {
        if (step.problem.bias.empty()) {
            solution.impulse.clear();
            solution.velocity = body_velocities(step.problem, solution.impulse);
            return;
        }
        bool bilateral = true;
        for (const Block& block : step.problem.blocks) {
            bilateral = bilateral && std::holds_alternative<Bilateral>(block.law);
        }
        if (bilateral) {
            const Eigen::VectorXd x = dense_matrix(step.problem)
                                          .completeOrthogonalDecomposition()
                                          .solve(-linear_term(step.problem));
            solution.impulse.assign(x.data(), x.data() + x.size());
            solution.velocity = body_velocities(step.problem, solution.impulse);
            return;
        }
        solution = {};
        const StopRule rule{.tolerance = {.value = 1e-10, .unit = ErrorUnit::relative}};
        make_newton()->solve(step.problem, solution, rule);
    }

    void advance_all() {
        std::vector<Vec6> velocity(model.bodies.size());
        for (std::size_t i = 0; i < velocity.size(); ++i) {
            const int body = step.problem_body[i];
            velocity[i] = body == no_body ? motion.body[i].free_velocity : solution.velocity[body];
        }
        before = state;
        advance(model, settings, motion, velocity, state);
        assembler.follow_angles(state);
    }

    void run(int steps) {
        for (int k = 0; k < steps; ++k) {
            assemble();
            foresee();
            solve();
            advance_all();
        }
    }

    Vec6 new_velocity(int body) const { return solution.velocity[step.problem_body[body]]; }
    /// The block of this kind, or -1.
    int find(ConstraintKind kind) const {
        for (std::size_t k = 0; k < step.origin.size(); ++k) {
            if (step.origin[k].key.kind == kind) return static_cast<int>(k);
        }
        return -1;
    }
    double impulse_of(ConstraintKind kind) const {
        return solution.impulse[step.problem.blocks[find(kind)].first_row];
    }
    double bias_of(ConstraintKind kind) const {
        return step.problem.bias[step.problem.blocks[find(kind)].first_row];
    }
    double reading(int joint, Coordinate which) const {
        for (const CoordinateReading& r : assembler.readings(state, joint)) {
            if (r.coordinate == which) return r.value;
        }
        ADD_FAILURE() << "no such coordinate";
        return 0.0;
    }

    Model model;
    StepSettings settings;
    Assembler assembler;
    State state;
    State before;  ///< of the last advance_all()
    ContactSet contacts;
    FreeMotion motion;
    StepProblem step;
    Solution solution;
};

}  // namespace uptack::test

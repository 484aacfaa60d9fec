// From contacts and joints to the problem of one step, and from its impulses back to forces.
//
// Written by: assembly.  Read by: simulation, recording, tests.
//
// Only dynamic bodies that are awake become bodies of the problem, in the order of body_order(); the velocity
// of all others goes into the bias.  Blocks are sorted by their keys: joints in joint_order(), then contacts.

#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "uptack/contact.h"
#include "uptack/model.h"
#include "uptack/problem.h"
#include "uptack/solution.h"
#include "uptack/state.h"
#include "uptack/stepping.h"

namespace uptack {

enum class ConstraintKind : std::uint8_t {
    joint,
    spring,
    motor,
    friction,
    lower_limit,
    upper_limit,
    contact
};

/// What a block stands for; stays the same from step to step, whatever else comes or goes.
struct BlockKey {
    ConstraintKind kind = ConstraintKind::joint;
    std::uint64_t first = 0;   ///< rank of the joint, or ranks of the two bodies
    std::uint64_t second = 0;  ///< part or axis of the joint, or the two shapes
    std::uint64_t third = 0;   ///< feature of the contact
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the 0 of a defaulted <=> for a pointer
    auto operator<=>(const BlockKey&) const = default;
};

/// Where a block comes from.
struct BlockOrigin {
    BlockKey key;
    int index = -1;  ///< of the joint in the model, or of the contact in the set
    int axis = -1;   ///< index into Joint::axes, where one made it
};

struct StepProblem {
    Problem problem;
    std::vector<BlockOrigin> origin;  ///< one per block
    std::vector<int> model_body;      ///< body of the problem -> body of the model
    std::vector<int> problem_body;    ///< body of the model -> body of the problem, or no_body
    double kick_s = 0.0;              ///< impulse / kick_s is a force
};

/// The impulses of the last step, to start the next one with.  Sorted by key.
struct RememberedBlock {
    BlockKey key;
    int rows = 0;
    std::array<double, max_block_rows>
        impulse{};    ///< of a joint as it was; of a contact: normal, then sliding and
                      ///< rolling as world vectors do not fit 6 rows, so in its frame
    Vec3 normal_w{};  ///< of a contact: says which frame that was
    Vec3 point_w{};   ///< of a contact [m]
    bool operator==(const RememberedBlock&) const = default;
};
struct ImpulseMemory {
    std::vector<RememberedBlock> blocks;
    double kick_s = 0.0;               ///< impulses are scaled when the next step's kick differs
    double relative_error = infinity;  ///< by the certificate of the step that they are of
    bool operator==(const ImpulseMemory&) const = default;
};

/// A free coordinate of a joint, now.
struct CoordinateReading {
    Coordinate coordinate = Coordinate::angle;
    double value = 0.0;  ///< [m or rad], turns counted
    double rate = 0.0;   ///< [m/s or rad/s], of the state's velocities
};

/// What a joint does to its body b, all of its parts together.  Body a gets the opposite.
struct JointReaction {
    Vec3 force_w{};   ///< [N]
    Vec3 torque_w{};  ///< about the origin of b's frame of the joint [N m]
    Vec3 force_j{};   ///< the same along the axes of a's frame of the joint
    Vec3 torque_j{};
};

/// What a contact does to its body a, at its point.  Body b gets the opposite.
struct ContactReaction {
    Vec3 force_w{};       ///< [N]
    Vec3 torque_w{};      ///< of rolling and spinning friction [N m]
    double normal = 0.0;  ///< force along the normal [N]
};

/// The model is looked at in every call, not copied: it must outlive the assembler, in its place.
class Assembler {
public:
    explicit Assembler(const Model& model);
    ~Assembler();
    Assembler(Assembler&&) noexcept;
    Assembler& operator=(Assembler&&) noexcept;

    /// Gives bodies under strong pull the inertia that keeps them stable at this step
    /// (geometric_stiffness.cpp).
    void stiffen(const State& state, const ImpulseMemory& memory, const StepSettings& settings,
                 FreeMotion& motion);

    /// The problem of the step from `state`.  Allocates nothing once it has seen a step of this size.
    void assemble(const State& state, const ContactSet& contacts, const FreeMotion& motion,
                  const StepSettings& settings, StepProblem& step);

    /// What joints hold is not linear in the motion.  Puts into the bias of their rows how far the motion
    /// with these velocities, to `ahead`, leaves the straight line (instead of what an earlier
    /// call put there), so that a solution with the same velocities holds the joints at the end of the step.
    /// `velocity` is that of the model's bodies.
    void follow_curves(const State& ahead, std::span<const Vec6> velocity, const StepSettings& settings,
                       StepProblem& step);

    /// Impulses of the last step where keys match, turned into the present frames and scaled; zero elsewhere.
    void recall(const ImpulseMemory& memory, const StepProblem& step, const ContactSet& contacts,
                Solution& start) const;
    void remember(const StepProblem& step, const ContactSet& contacts, const Solution& solution,
                  ImpulseMemory& memory) const;

    /// Unwraps the joints' angles from the last ones; called after positions have moved (and at the start).
    void follow_angles(State& state) const;

    std::vector<CoordinateReading> readings(const State& state, int joint) const;
    /// Largest violation of what the joint holds [m; rad times the distance of 1 m].
    double drift(const State& state, int joint) const;
    /// Of the joints' springs, at the time of the velocities [J].
    double spring_energy(const State& state) const;

    /// `state` is the one that `step` was assembled from.
    std::vector<JointReaction> joint_reactions(const State& state, const StepProblem& step,
                                               const Solution& solution) const;
    std::vector<ContactReaction> contact_reactions(const ContactSet& contacts, const StepProblem& step,
                                                   const Solution& solution) const;

    /// "joint elbow", "upper limit elbow angle", "contact ball | floor": for people.
    std::string describe(const StepProblem& step, int block) const;
    /// Fills the problem's body_names and block_names, for files; assemble() leaves them empty.
    void name_blocks(StepProblem& step) const;

private:
    struct Inside;
    std::unique_ptr<Inside> inside_;
};

}  // namespace uptack

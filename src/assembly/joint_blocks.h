// From joints to their blocks: what they hold, then springs, motors, dry friction and limits.
//
// Held measures are not linear in the motion: Phi(q (+) h v) = Phi(q) + h J v + O(h^2 v^2), and a joint that
// turns would always lag by that.  The recovery's bias therefore has the curvature along the velocity v* that
// the bodies had, which is nearly the one they will have:
//
//     b = (K/h) Phi + c,     c = (Phi(q (+) h v*) - Phi(q)) / h - J v*
//
// The forces still act along J at q: a step of the SHAKE method with one Newton iteration.

#pragma once

#include <optional>
#include <span>
#include <vector>

#include "block_writer.h"
#include "joints/axis_terms.h"
#include "joints/joint_kinds.h"
#include "uptack/assembly.h"

namespace uptack::assembly {

class JointBlocks {
public:
    explicit JointBlocks(const Model& model);

    /// Appends all blocks in the order of their keys: kind by kind, and within a kind in joint_order().
    void add(const StepFacts& facts, const State& state, const FreeMotion& motion, BlockWriter& writer);

    /// Assembler::follow_curves().
    void follow_curves(const State& ahead, std::span<const Vec6> velocity, double h, StepProblem& step);

    std::span<const int> order() const { return order_; }
    const JointStart& start(int joint) const { return start_[joint]; }

private:
    /// A joint that can move, in this step.
    struct Moving {
        int joint = 0;
        int rank = 0;
        int first_axis = 0;  ///< in axes_
        JointFrames frames;
    };
    /// An axis of such a joint; no measure where the coordinate is undefined.
    struct MovingAxis {
        std::optional<Measure> q;
        AxisFacts facts;
    };
    struct HeldRow {
        double value = 0.0;  ///< of what it holds, where the bodies are
        double curve = 0.0;  ///< what follow_curves() has added to its bias
    };
    /// Which rows one kind of constraint makes of an axis.
    struct AxisRow {
        ConstraintKind kind;
        double sign;  ///< of the row against q'
    };

    void measure(const State& state, const FreeMotion& motion, const BlockWriter& writer);
    void add_held(const StepFacts& facts, const State& state, const Moving& moving, BlockWriter& writer);
    void add_axis_rows(const StepFacts& facts, const AxisRow& made, BlockWriter& writer) const;
    void apply_force_motors(const StepFacts& facts, BlockWriter& writer) const;

    const Model& model_;
    std::vector<int> order_;
    std::vector<JointStart> start_;  ///< one per joint of the model
    std::vector<Moving> moving_;
    std::vector<MovingAxis> axes_;
    std::vector<HeldRow> held_;  ///< the problem's first rows
};

}  // namespace uptack::assembly

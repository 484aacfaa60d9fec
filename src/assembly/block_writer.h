// Writes blocks into a step's problem, folding the velocities of bodies that are not in it into the bias.

#pragma once

#include <span>

#include "row_terms.h"
#include "uptack/assembly.h"

namespace uptack::assembly {

/// Rows of one block between two bodies of the model, up to max_block_rows of them.
struct BlockRows {
    int body_a = no_body;  ///< of the model
    int body_b = no_body;
    int count = 0;
    std::array<JacobianRow, max_block_rows> row{};
    std::array<double, max_block_rows> bias{};
    std::array<double, max_block_rows> compliance{};

    void add(const JacobianRow& jacobian, double b, double c = 0.0) {
        row[count] = jacobian;
        bias[count] = b;
        compliance[count++] = c;
    }
};

/// So many blocks and rows, or where they begin.
struct BlockCount {
    int blocks = 0;
    int rows = 0;

    BlockCount& operator+=(BlockCount more) {
        blocks += more.blocks;
        rows += more.rows;
        return *this;
    }
};

class BlockWriter {
public:
    BlockWriter(const FreeMotion& motion, StepProblem& step) : motion_(motion), step_(step) {}

    /// Bodies of the model that impulses can move, in `order`; no blocks yet.
    void start(std::span<const int> order);

    bool moves(int model_body) const {
        return model_body != no_body && step_.problem_body[model_body] != no_body;
    }

    /// Empty rows between two bodies of the model, to be filled and added before the next are asked for.  One
    /// buffer for all: clearing a fresh one for every contact would cost as much as filling it.
    BlockRows& rows_between(int body_a, int body_b) {
        rows_.body_a = body_a;
        rows_.body_b = body_b;
        rows_.count = 0;
        return rows_;
    }

    /// At least one of the bodies moves().  The row of a side that is not in the problem is kept beside
    /// no_body, which solvers ignore: reactions are read from it.
    void add(const BlockOrigin& origin, const Law& law, const BlockRows& rows);

    /// The same for many blocks on several threads: first room for all of them, where what may be compliant
    /// says so, then each at its own place.
    enum class Rows : bool { rigid, perhaps_compliant };
    BlockCount grow(BlockCount more, Rows kind);
    /// True: a row is compliant.
    bool put(BlockCount at, const BlockOrigin& origin, const Law& law, const BlockRows& rows) const;
    void note_compliance() { compliant_ = true; }

    /// An impulse known beforehand: changes the free velocities.
    void apply(int body_a, int body_b, const JacobianRow& row, double impulse);

    /// J M^-1 J^T.
    double mobility(int body_a, int body_b, const JacobianRow& row) const;

    /// Cuts off what was of the last step; leaves the compliance empty where all is rigid.
    void finish();

private:
    void make_room(BlockCount size);

    const FreeMotion& motion_;
    StepProblem& step_;
    BlockRows rows_;
    BlockCount done_;
    bool compliant_ = false;
};

}  // namespace uptack::assembly

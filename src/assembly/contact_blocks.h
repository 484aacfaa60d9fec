// From a contact to its block: normal, sliding, rolling and spinning rows.
//
// With n from b to a, t1 and t2 of contact_frame(n) and arms r from the centres of mass to the point:
//
//     normal, sliding   d in {n, t1, t2}:  w = d . (v_a + w_a x r_a - v_b - w_b x r_b)  = [d, r_a x d] v_a -
//     [d, r_b x d] v_b rolling, spinning d in {t1, t2, n}:  w = d . (w_a - w_b)
//
// Moving surfaces (belts) add d . (s_a - s_b) to the sliding rows.  Adhesion pulls with its force while the
// surfaces touch, as an impulse known beforehand, so the law sees the contact force plus the adhesion.
// Box friction has neither rolling nor spinning rows.

#pragma once

#include <optional>
#include <span>
#include <vector>

#include "block_writer.h"
#include "row_terms.h"
#include "uptack/assembly.h"

namespace uptack::assembly {

/// What holds between two surfaces; the numbers of combine().
struct PairValues {
    double friction = 0.0;
    double restitution = 0.0;
    double rolling = 0.0;
    double spinning = 0.0;
    double compliance = 0.0;
    double adhesion = 0.0;
};

/// combine() for every pair of materials, worked out beforehand.
class PairTable {
public:
    explicit PairTable(const Model& model);
    /// Is it more than 0 for some pair?
    bool any(double PairValues::*value) const;
    const PairValues& operator()(int material_a, int material_b) const {
        return values_[static_cast<std::size_t>(material_a) * count_ + static_cast<std::size_t>(material_b)];
    }

private:
    std::size_t count_;
    std::vector<PairValues> values_;
};

/// Does the contact's adhesion act now?
bool adheres(const Contact& contact, const PairValues& values);

class ContactBlocks {
public:
    ContactBlocks(const Model& model, std::span<const int> body_rank);

    BlockKey key(const Contact& contact) const;
    const PairValues& values(const Contact& contact) const {
        return pairs_(material_[contact.shape_a], material_[contact.shape_b]);
    }

    /// Appends the contacts' blocks; none where no body can move or the contact is skipped.
    void add(const StepFacts& facts, const State& state, const FreeMotion& motion,
             std::span<const Contact> contacts, BlockWriter& writer) const;

private:
    /// What the blocks of a step are made from.
    struct Step {
        const StepFacts& facts;
        const State& state;
        const FreeMotion& motion;
        const BlockWriter& writer;
    };

    std::optional<RowTerms> normal_terms(const Step& step, const Contact& contact,
                                         const JacobianRow& normal) const;
    static JacobianRow normal_row(const Step& step, const Contact& contact);
    int row_count(const Step& step, const Contact& contact) const;
    Law fill(const Step& step, const Contact& contact, BlockRows& rows) const;
    void apply_adhesion(const Step& step, std::span<const Contact> contacts, BlockWriter& writer) const;
    double belt_speed(const State& state, const Contact& contact, const Vec3& tangent) const;

    const Model& model_;
    std::span<const int> body_rank_;
    PairTable pairs_;
    std::vector<int> material_;     ///< of each shape
    std::vector<int> shape_place_;  ///< of each shape among those of its body
    bool belts_ = false;            ///< some surface moves against its body
    bool compliant_ = false;        ///< some pair is
    bool adhesive_ = false;
};

}  // namespace uptack::assembly

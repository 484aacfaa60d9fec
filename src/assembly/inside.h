// What an Assembler keeps from step to step.

#pragma once

#include <vector>

#include "contact_blocks.h"
#include "joint_blocks.h"
#include "uptack/assembly.h"

namespace uptack {

namespace assembly {
/// What the joints' forces do to a body's stiffness (geometric_stiffness.cpp).
struct Pull {
    Symmetric3 stiffness{};  ///< [N m/rad]
    int joints = 0;
    Vec3 arm_w{};  ///< of the last joint [m]
};
}  // namespace assembly

struct Assembler::Inside {
    explicit Inside(const Model& m);

    const Model& model;
    std::vector<int> body_order;
    std::vector<int> body_rank;  ///< the inverse of body_order
    assembly::ContactBlocks contacts;
    assembly::JointBlocks joints;
    std::vector<assembly::Pull> pulls;  ///< room for stiffen(), one per body
};

}  // namespace uptack

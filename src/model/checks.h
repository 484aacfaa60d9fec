// What a model must keep, said once: the add_ functions throw the first fault, validate() collects them all.

#pragma once

#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "uptack/model.h"

namespace uptack::model {

/// Collects faults and stops caring after the first `most`.
class Faults {
public:
    explicit Faults(std::size_t most) : most_(most) {}

    bool full() const { return found_.size() >= most_; }
    void add(std::string where, std::string message) {
        if (!full()) found_.push_back({std::move(where), std::move(message)});
    }
    std::vector<Fault> take() { return std::move(found_); }
    /// Throws InputError with the first, if there is one.
    void throw_first() const;

private:
    std::size_t most_;
    std::vector<Fault> found_;
};

/// Comparisons with NaN are false, so each of these is false for NaN.
inline bool is_positive(double x) {
    return x > 0.0 && x < infinity;
}
inline bool is_not_negative(double x) {
    return x >= 0.0 && x < infinity;
}
inline bool is_finite(const Vec3& a) {
    return std::isfinite(a[0]) && std::isfinite(a[1]) && std::isfinite(a[2]);
}
bool is_finite(const Pose& pose);

/// A pose whose quaternion is of unit length; one that is so already keeps its bits.  Faults for NaN and for
/// a quaternion without direction.
Pose unit_pose(const Pose& pose, const std::string& what, const std::string& where, Faults& faults);

/// The same for a vector whose length is not zero.
Vec3 unit_axis(const Vec3& axis);

void check_material(const Material& material, const std::string& where, Faults& faults);
/// Sizes, pose, material index, color.
void check_shape(const Shape& shape, std::size_t materials, const std::string& where, Faults& faults);
/// Mass, inertia and what no distribution of mass has.
void check_mass(const MassProperties& mass, const std::string& where, Faults& faults);
/// Axis, and values at the start.
void check_motion(const Motion& motion, const std::string& where, Faults& faults);
void check_damping(double linear, double angular, const std::string& where, Faults& faults);
/// Everything but the bodies' indices, for a joint whose poses and length are set.
void check_joint(const Joint& joint, const std::string& where, Faults& faults);
/// What can only be seen where both frames are in the world.
void check_joint_start(const Joint& joint, const Pose& frame_a_w, const Pose& frame_b_w,
                       const std::string& where, Faults& faults);
/// The bodies a joint holds together; false where something is wrong with them.
bool check_joint_bodies(const Model& model, int body_a, int body_b, const std::string& where, Faults& faults);
void check_force(const Model& model, const AppliedForce& force, const std::string& where, Faults& faults);

/// "body 'lid', shape 2 (box 'handle')".
std::string shape_place(const std::string& body, const Shape& shape, std::size_t index);

/// Eigenvalues of an inertia, ascending.
Vec3 principal_moments(const Symmetric3& inertia);

/// Whether shapes of this kind have an inside that weighs something.
bool is_solid(const Geometry& geometry);

}  // namespace uptack::model

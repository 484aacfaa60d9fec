#include "measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <exception>

namespace uptack::peers {

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

namespace {

double median(std::vector<double> values) {
    if (values.empty()) return 0.0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

bool is_finite(std::span<const BodyState> bodies) {
    return std::all_of(bodies.begin(), bodies.end(), [](const BodyState& body) {
        const Pose& p = body.pose;
        double sum = p.orientation.w + p.orientation.x + p.orientation.y + p.orientation.z;
        for (const double x : p.position) sum += x;
        for (const double v : body.velocity) sum += v;
        return std::isfinite(sum);
    });
}

void raise(std::optional<double>& largest, double value) {
    largest = std::max(largest.value_or(0.0), value);
}

/// What is gathered while a phase runs.
struct Samples {
    std::vector<double> seconds;
    std::vector<double> errors;
    int met = 0;
};

/// A run in progress: steps, clocks and the meters.
class Run {
public:
    Run(const Scene& scene, const Setting& setting, double limit_s)
        : scene_(scene), setting_(setting), limit_s_(limit_s), engine_(setting.start(scene)), meter_(scene) {
        engine_->read(bodies_);
        start_energy_J_ = total_energy(scene_, bodies_, engine_->velocity_lag_s());
    }

    std::vector<PhaseResult> all_phases() {
        std::vector<PhaseResult> results;
        for (const Phase& phase : scene_.phases) {
            PhaseResult result = one_phase(phase);
            if (phase.measured) results.push_back(std::move(result));
        }
        return results;
    }

private:
    PhaseResult one_phase(const Phase& phase) {
        PhaseResult result{
            .scene = scene_.name, .phase = phase.name, .engine = setting_.engine, .setting = setting_.name};
        Samples samples;
        const auto steps = static_cast<int>(std::lround(phase.seconds / scene_.step_s));
        for (int i = 0; i < steps && trouble_.empty(); ++i) {
            timed_step(samples);
            if (trouble_.empty() && phase.measured) judge(samples, result);
        }
        result.steps = static_cast<int>(samples.seconds.size());
        result.median_ms = 1e3 * median(samples.seconds);
        for (const double s : samples.seconds) result.worst_ms = std::max(result.worst_ms, 1e3 * s);
        if (!samples.errors.empty()) {
            result.relative_error = median(samples.errors);
            result.worst_error = *std::max_element(samples.errors.begin(), samples.errors.end());
            result.tolerance_met =
                static_cast<double>(samples.met) / static_cast<double>(samples.errors.size());
        }
        result.contacts = engine_->contacts();
        result.note = trouble_;
        const std::string complaint = engine_->complaint();
        if (!complaint.empty()) result.note += (trouble_.empty() ? "" : "; ") + complaint;
        return result;
    }

    void timed_step(Samples& samples) {
        const double before = cpu_seconds();
        engine_->step();
        const double spent = cpu_seconds() - before;
        samples.seconds.push_back(spent);
        spent_s_ += spent;
        ++steps_;
        engine_->read(bodies_);
        if (!is_finite(bodies_)) {
            trouble_ = fmt::format("not finite at {:.2f} s", steps_ * scene_.step_s);
        } else if (spent_s_ > limit_s_) {
            trouble_ = fmt::format("cut at {:.2f} s", steps_ * scene_.step_s);
        }
    }

    void judge(Samples& samples, PhaseResult& result) {
        if (scene_.touching) {
            result.last_penetration_mm = 1e3 * meter_(bodies_);
            raise(result.penetration_mm, *result.last_penetration_mm);
        }
        if (!scene_.joints.empty()) raise(result.drift_mm, 1e3 * joint_drift(scene_, bodies_));
        if (scene_.energy_scale_J > 0.0) {
            const double energy_J = total_energy(scene_, bodies_, engine_->velocity_lag_s());
            const double drift = (energy_J - start_energy_J_) / scene_.energy_scale_J;
            if (std::abs(drift) >= std::abs(result.energy_drift.value_or(0.0))) result.energy_drift = drift;
        }
        if (const auto quality = engine_->quality()) {
            samples.errors.push_back(quality->relative_error);
            samples.met += quality->tolerance_met ? 1 : 0;
        }
    }

    const Scene& scene_;
    const Setting& setting_;
    double limit_s_;
    std::unique_ptr<Engine> engine_;
    PenetrationMeter meter_;
    std::vector<BodyState> bodies_;
    double start_energy_J_ = 0.0;
    double spent_s_ = 0.0;
    int steps_ = 0;
    std::string trouble_;
};

/// A line of the table for what did not run.
std::vector<PhaseResult> absent(const Scene& scene, const Setting& setting, const std::string& why) {
    std::vector<PhaseResult> results;
    for (const Phase& phase : scene.phases) {
        if (!phase.measured) continue;
        results.push_back({.scene = scene.name,
                           .phase = phase.name,
                           .engine = setting.engine,
                           .setting = setting.name,
                           .note = why});
    }
    return results;
}

}  // namespace

PenetrationMeter::PenetrationMeter(const Scene& scene) : scene_(scene) {
    for (const SolidBody& body : scene.bodies) only_spheres_ &= std::holds_alternative<Sphere>(body.shape);
    if (only_spheres_ || !scene.touching) return;
    model_ = make_model(scene);
    collider_.emplace(model_);
    state_.pose.resize(model_.bodies.size());
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) state_.pose[i] = model_.bodies[i].initial_pose;
    state_.velocity.resize(model_.bodies.size());
    state_.still_s.resize(model_.bodies.size());
}

double PenetrationMeter::operator()(std::span<const BodyState> bodies) {
    return only_spheres_ ? of_spheres(bodies) : of_shapes(bodies);
}

double PenetrationMeter::of_spheres(std::span<const BodyState> bodies) const {
    double deepest = 0.0;
    const auto radius = [&](std::size_t i) { return std::get<Sphere>(scene_.bodies[i].shape).radius; };
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const Vec3& x = bodies[i].pose.position;
        for (const Plane& plane : scene_.planes) {
            deepest = std::max(deepest, radius(i) + plane.offset - dot(plane.normal, x));
        }
        for (std::size_t j = 0; j < i; ++j) {
            const Vec3 between = bodies[j].pose.position - x;
            const double reach = radius(i) + radius(j);
            const double square = dot(between, between);
            if (square < reach * reach) deepest = std::max(deepest, reach - std::sqrt(square));
        }
    }
    return deepest;
}

double PenetrationMeter::of_shapes(std::span<const BodyState> bodies) {
    for (std::size_t i = 0; i < bodies.size(); ++i) state_.pose[i + scene_.planes.size()] = bodies[i].pose;
    collider_->collide(state_, {.envelope = 0.0, .lookahead_s = 0.0}, contacts_);
    double deepest = 0.0;
    for (const Contact& contact : contacts_.contacts) deepest = std::max(deepest, -contact.gap);
    return deepest;
}

double joint_drift(const Scene& scene, std::span<const BodyState> bodies) {
    double largest = 0.0;
    const auto held = [&](int body, const Vec3& anchor) {
        if (body == no_body) return anchor;
        const auto i = static_cast<std::size_t>(body);
        return transform(bodies[i].pose, anchor - scene.bodies[i].position);
    };
    for (const BallJoint& joint : scene.joints) {
        largest = std::max(largest, length(held(joint.a, joint.anchor) - held(joint.b, joint.anchor)));
    }
    return largest;
}

double total_energy(const Scene& scene, std::span<const BodyState> bodies, double velocity_lag_s) {
    double energy = 0.0;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const SolidBody& solid = scene.bodies[i];
        const Vec3 v = linear(bodies[i].velocity);
        const Vec3 w = angular(bodies[i].velocity);
        const Vec3 x = bodies[i].pose.position - velocity_lag_s * v;
        const Quaternion q = exponential(-velocity_lag_s * w) * bodies[i].pose.orientation;
        const Vec3 w_b = rotate_back(q, w);
        energy += 0.5 * solid.mass * dot(v, v) - solid.mass * dot(scene.gravity, x);
        for (int k = 0; k < 3; ++k) energy += 0.5 * solid.inertia[k] * w_b[k] * w_b[k];
    }
    return energy;
}

std::vector<PhaseResult> run(const Scene& scene, const Setting& setting, double limit_s) {
    const std::vector<std::string>& only = setting.only_scenes;
    if (!only.empty() && std::find(only.begin(), only.end(), scene.name) == only.end()) return {};
    const std::string refusal = setting.refusal(scene);
    if (!refusal.empty()) return absent(scene, setting, refusal);
    try {
        return Run(scene, setting, limit_s).all_phases();
    } catch (const std::exception& error) {
        return absent(scene, setting, error.what());
    }
}

}  // namespace uptack::peers

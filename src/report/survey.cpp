#include "survey.h"

#include <algorithm>
#include <cmath>

namespace uptack::report {
namespace {

// Forces below a millionth of the largest are not seen; errors are looked at on a logarithmic axis.
constexpr double decades_of_force = 6.0;
constexpr double decades_of_error = 12.0;

// Positions that the extents are taken from; more would not change a percentile.
constexpr std::size_t most_samples = 300'000;

constexpr double quanta_of_body = 200.0;

double extent(const std::vector<Vec3>& points) {
    double least = infinity;
    for (std::size_t k = 0; k < 3; ++k) {
        const auto [low, high] = std::minmax_element(
            points.begin(), points.end(), [k](const Vec3& a, const Vec3& b) { return a[k] < b[k]; });
        if (low != points.end()) least = std::min(least, (*high)[k] - (*low)[k]);
    }
    return least;
}

/// The smallest of a shape's dimensions [m]; infinity where it has none.
struct Thickness {
    double operator()(const Sphere& g) const { return 2.0 * g.radius; }
    double operator()(const HalfSpace&) const { return infinity; }
    double operator()(const Box& g) const {
        return 2.0 * *std::min_element(g.half_size.begin(), g.half_size.end());
    }
    double operator()(const Capsule& g) const { return 2.0 * g.radius; }
    double operator()(const Cylinder& g) const { return 2.0 * std::min(g.radius, g.half_length); }
    double operator()(const Cone& g) const { return 2.0 * std::min(g.radius, g.half_length); }
    double operator()(const Hull& g) const { return extent(g.polyhedron->vertices); }
    double operator()(const TriangleMesh&) const { return infinity; }
    double operator()(const HeightField&) const { return infinity; }
};

bool moves(const RigidBody& body) {
    return body.kind != BodyKind::fixed;
}

/// A body is as thick as its thickest shape.
double thinnest_body(const Model& model) {
    std::vector<double> thickness(model.bodies.size(), 0.0);
    for (const Shape& shape : model.shapes) {
        const auto body = static_cast<std::size_t>(shape.body);
        if (shape.body < 0 || !moves(model.bodies[body])) continue;
        thickness[body] = std::max(thickness[body], std::visit(Thickness{}, shape.geometry));
    }
    double least = infinity;
    for (const double value : thickness) {
        if (value > 0.0) least = std::min(least, value);
    }
    return least;
}

/// The value that this part of them lies below, rounded outwards: of a few values the smallest or largest.
double percentile(std::vector<double>& values, double part) {
    const double rank = part * static_cast<double>(values.size() - 1);
    const auto index = static_cast<std::ptrdiff_t>(part < 0.5 ? std::floor(rank) : std::ceil(rank));
    std::nth_element(values.begin(), values.begin() + index, values.end());
    return values[static_cast<std::size_t>(index)];
}

/// Some of the positions of what moves, evenly over bodies and frames.
class PositionSample {
public:
    PositionSample(const Model& model, std::size_t frames) {
        for (std::size_t k = 0; k < model.bodies.size(); ++k) {
            if (moves(model.bodies[k])) movable_.push_back(k);
        }
        stride_ = std::max<std::size_t>(1, movable_.size() * frames / most_samples);
    }
    void look(const Frame& frame) {
        // The start goes round, so that every body has its turn.
        for (; next_ < movable_.size(); next_ += stride_) {
            const Vec3& position = frame.pose[movable_[next_]].position;
            if (std::isfinite(position[0] + position[1] + position[2])) positions.push_back(position);
        }
        next_ -= movable_.size();
    }

    std::vector<Vec3> positions;

private:
    std::vector<std::size_t> movable_;
    std::size_t stride_ = 1;
    std::size_t next_ = 0;
};

double fastest_of(const Frame& frame) {
    double square = 0.0;
    for (const Vec6& v : frame.velocity) square = std::max(square, v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    return std::isfinite(square) ? std::sqrt(square) : 0.0;
}

}  // namespace

BodyLoads body_loads(const Frame& frame) {
    BodyLoads loads{std::vector<double>(frame.pose.size()), std::vector<double>(frame.pose.size())};
    for (const FrameContact& contact : frame.contacts) {
        const double force = length(contact.force_w);
        for (const int body : {contact.body_a, contact.body_b}) {
            if (body < 0) continue;
            loads.force_N[static_cast<std::size_t>(body)] += force;
            loads.error_J[static_cast<std::size_t>(body)] += contact.energy_error_J;
        }
    }
    return loads;
}

Survey coarser(const Survey& survey) {
    Survey result = survey;
    result.grid.quantum_m =
        std::max(survey.grid.quantum_m, std::min(8.0 * survey.grid.quantum_m, survey.coarsest_quantum_m));
    result.precision = {.rotation_steps = 1023, .byte_step = 8};
    return result;
}

Grid grid_for(const Model& model, std::vector<Vec3> positions) {
    constexpr double quanta_of_extent = 65536.0;
    constexpr double smallest_quantum_m = 1e-9;  // where nothing moves and nothing has a size
    Grid grid;
    double largest = 0.0;
    std::vector<double> values(positions.size());
    for (std::size_t axis = 0; axis < 3 && !positions.empty(); ++axis) {
        std::transform(positions.begin(), positions.end(), values.begin(),
                       [axis](const Vec3& position) { return position[axis]; });
        const double low = percentile(values, 0.01);  // a few that fly away must not coarsen the rest
        const double high = percentile(values, 0.99);
        grid.origin[axis] = 0.5 * (low + high);
        largest = std::max(largest, high - low);
    }
    const double thickness = thinnest_body(model);
    if (largest == 0.0) largest = std::isfinite(thickness) ? thickness : 1.0;
    grid.quantum_m =
        std::max(smallest_quantum_m, std::min(largest / quanta_of_extent, thickness / quanta_of_body));
    return grid;
}

Survey look_at(const Recording& recording, int every) {
    const int frames = recording.frame_count();
    const Model& model = recording.scene().model;
    PositionSample sample(model, static_cast<std::size_t>(frames / every + 1));
    PositiveRange load;
    PositiveRange error;
    PositiveRange contact_force;
    PositiveRange contact_error;
    std::vector<double> fastest;
    Survey survey;
    survey.contacts.resize(static_cast<std::size_t>(frames));
    for (int k = 0; k < frames; k += every) {
        const Frame frame = recording.frame(k);
        sample.look(frame);
        fastest.push_back(fastest_of(frame));
        const BodyLoads loads = body_loads(frame);
        for (const double value : loads.force_N) load.look(value);
        for (const double value : loads.error_J) error.look(value);
        for (const FrameContact& contact : frame.contacts) {
            contact_force.look(length(contact.force_w));
            contact_error.look(contact.energy_error_J);
        }
        survey.contacts[static_cast<std::size_t>(k)] = std::ssize(frame.contacts);
    }
    survey.grid = grid_for(model, std::move(sample.positions));
    survey.coarsest_quantum_m = thinnest_body(model) / quanta_of_body;
    if (!fastest.empty())
        survey.speed_m_s = percentile(fastest, 0.98);  // one that flies off may be off the scale
    survey.load_N = load.scale(decades_of_force);
    survey.error_J = error.scale(decades_of_error);
    survey.contact_force_N = contact_force.scale(decades_of_force);
    survey.contact_error_J = contact_error.scale(decades_of_error);
    return survey;
}

}  // namespace uptack::report

// B4 at the moment of impact, as a snapshot: a wall in running bond, bricks touching all their neighbours,
// and a heavy ball against its middle.  The simulated wall comes with the engine; this one is for solvers.

#include <algorithm>
#include <array>
#include <utility>

#include "geometry.h"
#include "random.h"
#include "size_checks.h"
#include "uptack/generators.h"

namespace uptack {

using namespace generators;

namespace {

constexpr Vec3 brick = {0.2, 0.1, 0.08};  // edges [m]
constexpr double brick_mass = 3.0;        // [kg]
constexpr double joint_width = 0.001;     // between neighbours in a course [m]
constexpr double ball_radius = 0.3;       // [m]
constexpr double ball_mass = 300.0;       // [kg]
constexpr double least_overlap = 0.01;    // of bricks in adjacent courses, to count as touching [m]

class Wall {
public:
    explicit Wall(const BrickWallOptions& options) : options_(options), random_(options.seed) {}

    Problem build() {
        problem_.name = "wall";
        for (int course = 0; course < options_.courses; ++course) {
            for (int i = 0; i < options_.bricks_per_course; ++i) add_brick(course, i);
        }
        add_ball();
        for (int course = 0; course < options_.courses; ++course) {
            for (int i = 0; i < options_.bricks_per_course; ++i) add_contacts(course, i);
        }
        add_impact();
        problem_.body_names = numbered_names("brick", static_cast<int>(problem_.bodies.size()) - 1);
        if (!problem_.body_names.empty()) problem_.body_names.push_back("ball");
        return std::move(problem_);
    }

private:
    int index(int course, int i) const { return course * options_.bricks_per_course + i; }
    Vec3 middle() const {
        return {0.5 * options_.bricks_per_course * brick[0], 0.0, 0.5 * options_.courses * brick[2]};
    }
    Vec3 jitter(double size) {
        const double x = random_.uniform() - 0.5;
        const double y = random_.uniform() - 0.5;
        const double z = random_.uniform() - 0.5;
        return size * Vec3{x, y, z};
    }

    // Bricks near the ball are already on their way.
    void add_brick(int course, int i) {
        const Vec3 place = {(i + (course % 2 == 1 ? 0.5 : 0.0)) * (brick[0] + joint_width), 0.0,
                            brick[2] * (course + 0.5)};
        Vec3 velocity = jitter(0.05);
        if (length(place - middle()) < 0.35) velocity[1] += 0.8;
        Body body = solid_box(brick_mass, 0.5 * brick);
        body.free_velocity = free_velocity(velocity, jitter(0.2), {0.0, 0.0, -gravity});
        problem_.bodies.push_back(body);
        places_.push_back(place);
    }

    void add_ball() {
        Body ball;
        const double inverse_inertia = 2.5 / (ball_mass * ball_radius * ball_radius);
        ball.inverse_mass = 1.0 / ball_mass;
        ball.inverse_inertia_w = {inverse_inertia, inverse_inertia, inverse_inertia, 0.0, 0.0, 0.0};
        ball.free_velocity = free_velocity({0.0, 8.0, -1.0}, {}, {0.0, 0.0, -gravity});
        problem_.bodies.push_back(ball);
        places_.push_back(middle() - Vec3{0.0, 0.5 * brick[1] + ball_radius, 0.0});
    }

    void add_contact(int a, int b, const Vec3& normal, const Vec3& point, double gap) {
        const std::array<Vec3, 3> frame = contact_frame(normal);
        std::array<JacobianRow, 3> rows;
        for (std::size_t k = 0; k < rows.size(); ++k) {
            rows[k] = point_row(frame[k], point - places_[a], b == no_body ? Vec3{} : point - places_[b]);
            if (b == no_body) rows[k].b = {};
        }
        add_block(problem_, FrictionCone{.mu = options_.mu, .model = options_.model}, a, b, rows,
                  std::array{contact_bias(gap), 0.0, 0.0});
    }

    // Four corners of the rectangle in which two bricks meet, or of a brick on the ground.
    void add_bed_joint(int a, int b, double from, double to) {
        const double z = places_[a][2] - 0.5 * brick[2];
        for (const double x : {from, to}) {
            for (const double side : {-0.5, 0.5}) {
                add_contact(a, b, {0.0, 0.0, 1.0}, {x, side * brick[1], z}, 1e-5 * (random_.uniform() - 0.5));
            }
        }
    }

    void add_head_joint(int a, int b) {
        const double x = places_[a][0] - 0.5 * brick[0];
        for (const double height : {-0.5, 0.5}) {
            for (const double side : {-0.5, 0.5}) {
                add_contact(a, b, {1.0, 0.0, 0.0}, {x, side * brick[1], places_[a][2] + height * brick[2]},
                            0.5 * joint_width * random_.uniform() - 1e-4);
            }
        }
    }

    void add_contacts(int course, int i) {
        const int a = index(course, i);
        const double left = places_[a][0] - 0.5 * brick[0];
        if (course == 0) add_bed_joint(a, no_body, left, left + brick[0]);
        for (int j = 0; j < options_.bricks_per_course && course > 0; ++j) {
            const double below = places_[index(course - 1, j)][0] - 0.5 * brick[0];
            const double from = std::max(left, below);
            const double to = std::min(left, below) + brick[0];
            if (to - from >= least_overlap) add_bed_joint(a, index(course - 1, j), from, to);
        }
        if (i > 0) add_head_joint(a, index(course, i - 1));
    }

    void add_impact() {
        const auto ball = static_cast<int>(problem_.bodies.size()) - 1;
        int nearest = 0;
        for (int b = 1; b < ball; ++b) {
            if (length(places_[b] - middle()) < length(places_[nearest] - middle())) nearest = b;
        }
        add_contact(ball, nearest, {0.0, -1.0, 0.0}, middle() - Vec3{0.0, 0.5 * brick[1], 0.0}, -1e-3);
    }

    BrickWallOptions options_;
    RandomSource random_;
    Problem problem_;
    std::vector<Vec3> places_;
};

}  // namespace

Problem generate_brick_wall(const BrickWallOptions& options) {
    require_count("bricks_per_course", options.bricks_per_course, 1, 1000);
    require_count("courses", options.courses, 1, 1000);
    require_friction("mu", options.mu);
    return Wall(options).build();
}

}  // namespace uptack

// A contact by itself: what is found obeys the law, wherever it opens, sticks or slides.

#include "single_contact.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/random.h"
#include "support/tolerance.h"
#include "uptack/certificate.h"
#include "uptack/solvers.h"

namespace uptack::test {
namespace {

Vec6 random_vector(Random& random) {
    Vec6 out{};
    for (double& value : out) value = random.normal();
    return out;
}

/// A body on the ground or on another one; `coupling` is how far its rows turn it.
Problem random_contact(Random& random, double coupling) {
    Problem problem;
    for (int b = 0; b < 2; ++b) {
        Body body;
        body.inverse_mass = random.uniform(0.2, 2.0);
        body.inverse_inertia_w = {
            random.uniform(1.0, 3.0), random.uniform(1.0, 3.0), random.uniform(1.0, 3.0), 0.1, -0.2, 0.3};
        body.free_velocity = random_vector(random);
        problem.bodies.push_back(body);
    }
    std::vector<JacobianRow> rows(3);
    for (int i = 0; i < 3; ++i) {
        rows[i].a = random_vector(random);
        for (int k = 0; k < 3; ++k) {
            rows[i].a[k] = i == k ? 1.0 : 0.0;
            rows[i].a[3 + k] *= coupling;
        }
        rows[i].b = random_vector(random);
        for (int k = 0; k < 3; ++k) {
            rows[i].b[k] = -rows[i].a[k];
            rows[i].b[3 + k] *= coupling;
        }
    }
    const std::vector<double> bias = random.normals(3);
    const FrictionCone cone{.mu = random.whole(0, 5) == 0 ? 0.0 : random.uniform(0.0, 1.5),
                            .model = FrictionModel::exact};
    add_block(problem, cone, 0, random.whole(0, 1) == 0 ? no_body : 1, rows, bias);
    if (random.whole(0, 2) == 0) problem.compliance = {0.1, 0.02, 0.02};
    return problem;
}

TEST(SingleContact, ObeysTheExactLaw) {
    Random random(1);
    int opened = 0, stuck = 0, slid = 0;
    for (int trial = 0; trial < 3000; ++trial) {
        const Problem problem = random_contact(random, 0.3);
        ASSERT_TRUE(is_single_contact(problem));
        for (const Problem& form : {problem, assemble(problem)}) {
            std::vector<double> x;
            ASSERT_TRUE(solve_single_contact(form, x)) << trial;
            EXPECT_LE(certify(form, x).relative_error, tolerance(1e-11)) << trial;
            const double limit = std::get<FrictionCone>(form.blocks[0].law).mu * x[0];
            const double length = std::hypot(x[1], x[2]);
            if (x[0] == 0.0) {
                ++opened;
            } else if (length < 0.999 * limit) {
                ++stuck;
            } else {
                ++slid;
                EXPECT_NEAR(length, limit, tolerance(1e-11) * (1.0 + limit));
            }
        }
    }
    for (const int count : {opened, stuck, slid}) EXPECT_GT(count, 300);
}

// Coupled so strongly that there may be none; what is said to be a solution is one.
TEST(SingleContact, ClaimsNothingThatIsNot) {
    Random random(2);
    int found = 0;
    for (int trial = 0; trial < 3000; ++trial) {
        const Problem problem = random_contact(random, 5.0);
        std::vector<double> x;
        if (!solve_single_contact(problem, x)) continue;
        ++found;
        EXPECT_LE(certify(problem, x).relative_error, tolerance(1e-7)) << trial;
    }
    EXPECT_GT(found, 2000);
}

TEST(SingleContact, IsWhatAutoTakesForOne) {
    Random random(3);
    const Problem problem = random_contact(random, 0.3);
    const auto solver = make_solver("auto", {{"explain", "true"}});
    Solution solution;
    const SolveReport report = solver->solve(problem, solution, {.tolerance = {1e-10}});
    EXPECT_EQ(report.status, Status::converged);
    ASSERT_EQ(report.stages.size(), 1UL);
    EXPECT_EQ(report.stages[0].method, "direct");
    EXPECT_EQ(report.iterations, 1);
}

TEST(SingleContact, OtherLawsAndRowsAreNone) {
    Random random(4);
    Problem problem = random_contact(random, 0.3);
    problem.blocks[0].law = FrictionCone{.mu = 0.3};
    EXPECT_FALSE(is_single_contact(problem));
    problem.blocks[0].law = BoxFriction{.mu = 0.3};
    EXPECT_FALSE(is_single_contact(problem));
}

}  // namespace
}  // namespace uptack::test

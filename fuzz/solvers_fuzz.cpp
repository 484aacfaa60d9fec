// Small random problems, built from the input's bytes: every solver against the certificate and the others.

#include <algorithm>
#include <array>
#include <cmath>

#include "support/bytes.h"
#include "support/fuzz.h"
#include "support/judged_solve.h"

namespace uptack::fuzz {
namespace {

constexpr int max_bodies = 6;
constexpr int max_blocks = 8;

/// Diagonal, or with a fourth of the geometric mean beside the diagonal: positive definite either way.
Symmetric3 inverse_inertia(Bytes& bytes, double scale) {
    std::array<double, 3> d{};
    for (double& value : d) value = scale * bytes.one_of({1.0, 2.0, 0.5, 10.0, 0.01});
    const double beside = bytes.flag() ? 0.25 : 0.0;
    return {d[0],
            d[1],
            d[2],
            beside * std::sqrt(d[0] * d[1]),
            -beside * std::sqrt(d[0] * d[2]),
            beside * std::sqrt(d[1] * d[2])};
}

Vec6 signed_units(Bytes& bytes) {
    Vec6 out{};
    for (double& value : out) value = bytes.signed_unit();
    return out;
}

Body make_body(Bytes& bytes) {
    Body body;
    const double scale = bytes.one_of({1.0, 0.0, 0.1, 10.0, 1e-3, 1e3, 1e-5, 1e5});
    body.inverse_mass = scale;
    body.inverse_inertia_w = inverse_inertia(bytes, scale);
    body.free_velocity = signed_units(bytes);
    return body;
}

Law make_interval(Bytes& bytes) {
    const double lower = bytes.one_of({0.0, -1.0, -0.1, 0.3, -infinity, -1e-9});
    const double width = bytes.one_of({0.0, 1.0, infinity, 1e-12, 0.2});
    return Interval{lower, width == infinity ? infinity : lower + width};
}

struct LawAndRows {
    Law law;
    int rows = 1;
};

LawAndRows make_law(Bytes& bytes) {
    const int kind = bytes.below(8);
    const int rows = 1 + bytes.below(6);
    if (kind == 0) return {Bilateral{}, rows};
    if (kind == 1) return {Unilateral{}, 1 + rows % 3};
    if (kind == 2) {
        const Law interval = make_interval(bytes);
        const bool starts_nowhere = std::get<Interval>(interval).lower == -infinity &&
                                    !(std::get<Interval>(interval).upper < infinity);
        return {starts_nowhere ? Law{Interval{-infinity, 0.5}} : interval, rows};
    }
    const double mu = bytes.one_of({0.5, 0.0, 0.1, 1.0, 3.0, 1e-6});
    if (kind == 3) return {BoxFriction{mu}, 2 + rows % 2};
    FrictionCone cone{.mu = mu, .mu_roll = 0.0, .mu_spin = 0.0, .model = FrictionModel::convex};
    if (kind >= 6) cone.model = FrictionModel::exact;
    cone.mu_roll = bytes.one_of({0.1, 0.0, 1.0, 1e-3});
    cone.mu_spin = bytes.one_of({0.1, 0.0, 1.0, 1e-3});
    return {cone, 2 + rows % 5};
}

void add_random_block(Problem& problem, Bytes& bytes, double compliance) {
    const LawAndRows made = make_law(bytes);
    const int bodies = static_cast<int>(problem.bodies.size());
    const int a = bytes.below(bodies);
    const int other = bytes.below(bodies + 1);
    const int b = other == bodies || other == a ? no_body : other;
    const bool again = bytes.flag() && problem.row_count() >= made.rows;  // redundant, or contradictory
    std::vector<JacobianRow> rows;
    std::vector<double> bias;
    for (int k = 0; k < made.rows; ++k) {
        rows.push_back(again ? problem.jacobian[problem.row_count() - made.rows + k]
                             : JacobianRow{signed_units(bytes), signed_units(bytes)});
        bias.push_back(bytes.signed_unit() * bytes.one_of({1.0, 0.0, 1e-6, 100.0}));
    }
    add_block(problem, made.law, a, b, rows, bias);
    for (int k = 0; k < made.rows; ++k) {
        const Block& block = problem.blocks.back();
        const int row = block.first_row + k;
        problem.compliance.push_back(compliance);
        // A row that moves nothing has no answer to ask for unless it gives way.
        if (!(diagonal_entry(problem, block, row) > 0.0)) problem.compliance.back() = 0.1;
    }
}

Problem make_problem(Bytes& bytes) {
    Problem problem;
    problem.name = "fuzz";
    const double compliance = bytes.one_of({0.1, 0.0, 0.0, 1e-3, 10.0, 1e-6});
    const int bodies = 1 + bytes.below(max_bodies);
    const int blocks = 1 + bytes.below(max_blocks);
    for (int k = 0; k < bodies; ++k) problem.bodies.push_back(make_body(bytes));
    for (int k = 0; k < blocks && (k == 0 || !bytes.empty()); ++k) {
        add_random_block(problem, bytes, compliance);
    }
    return problem;
}

}  // namespace
}  // namespace uptack::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace uptack;
    using namespace uptack::fuzz;
    use_one_thread();
    Bytes bytes({data, size});
    const StopRule rule{.tolerance = {.value = bytes.one_of({1e-6, 1e-2, 1e-9, 0.0}),
                                      .unit = bytes.flag() ? ErrorUnit::joules : ErrorUnit::relative},
                        .max_iterations = 1 + bytes.below(150)};
    Problem problem = make_problem(bytes);
    if (!validate(problem, 1).empty()) return 0;
    if (bytes.flag() && bytes.flag()) problem = assemble(problem);
    std::vector<Judged> answers;
    for (const SolverInfo& solver : list_solvers()) {
        Judged answer = judged_solve(problem, solver.name, rule);
        if (answer.report.status == Status::converged) answers.push_back(std::move(answer));
    }
    if (!has_one_answer(problem)) return 0;
    for (std::size_t k = 1; k < answers.size(); ++k) require_agreement(problem, answers[0], answers[k]);
    return 0;
}

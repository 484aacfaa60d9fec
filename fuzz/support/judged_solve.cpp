#include "support/judged_solve.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/fuzz.h"
#include "uptack/error_metric.h"

namespace uptack::fuzz {
namespace {

// Rounding of sums as long as these, and of the projections; measured differences stay below a tenth of it.
constexpr double rounding = 1000.0 * std::numeric_limits<double>::epsilon();
constexpr double slack = 1.0 + 1e-6;

template <class Values>
void make_absolute(Values& values) {
    for (double& value : values) value = std::abs(value);
}

/// s: the row velocities of the same problem with every number in absolute value, De Saxce's term included.
std::vector<double> magnitudes(Problem problem, std::vector<double> x) {
    make_absolute(x);
    make_absolute(problem.bias);
    for (Body& body : problem.bodies) {
        make_absolute(body.inverse_inertia_w);
        make_absolute(body.free_velocity);
    }
    for (JacobianRow& row : problem.jacobian) {
        make_absolute(row.a);
        make_absolute(row.b);
    }
    if (problem.matrix) make_absolute(problem.matrix->value);
    const Problem assembled = problem.matrix ? std::move(problem) : assemble(problem);
    const SparseMatrix& a = *assembled.matrix;
    std::vector<double> s = assembled.bias;
    for (int row = 0; row < a.rows(); ++row) {
        for (std::int64_t k = a.start[row]; k < a.start[row + 1]; ++k) s[row] += a.value[k] * x[a.column[k]];
    }
    for (const Block& block : assembled.blocks) {
        add_de_saxce_term(block.law, std::span(s).subspan(block.first_row, block.rows));
    }
    return s;
}

double noise_of(const Problem& problem, const std::vector<double>& x) {
    const std::vector<double> s = magnitudes(problem, x);
    const std::vector<double> a = inverse_masses(problem);
    double noise = 0.0;
    for (std::size_t i = 0; i < s.size(); ++i) {
        const double r = rounding * (s[i] / a[i] + std::abs(x[i]));
        noise += 0.5 * a[i] * r * r;
    }
    return noise;
}

bool is_zero(std::span<const double> x) {
    return std::all_of(x.begin(), x.end(), [](double value) { return value == 0.0; });
}

/// Box friction may be broken by what its error says: solvers freeze its bounds while they iterate.
double allowed_slack(const Problem& problem, const Block& block, double energy_J) {
    if (!std::holds_alternative<BoxFriction>(block.law)) return 0.0;
    const RowValues a = effective_inverse_mass(problem, block);
    return slack * std::sqrt(2.0 * energy_J / *std::min_element(a.begin(), a.begin() + block.rows));
}

void require_allowed(const Problem& problem, const Judged& judged, const std::string& who) {
    const std::vector<double>& x = judged.solution.impulse;
    double largest = 0.0;
    for (const double value : x) largest = std::max(largest, std::abs(value));
    for (std::size_t k = 0; k < problem.blocks.size(); ++k) {
        const Block& block = problem.blocks[k];
        const auto part = std::span(x).subspan(block.first_row, block.rows);
        const double broken = allowed_slack(problem, block, judged.certificate.block_energy_error_J[k]);
        require(is_zero(part) || contains(block.law, part, 1e-12 * largest + broken),
                fmt::format("{}: impulses [{}] break the law of {}", who, fmt::join(part, ", "),
                            describe_block(problem, static_cast<int>(k))));
    }
}

bool has_box(const Problem& problem) {
    return std::any_of(problem.blocks.begin(), problem.blocks.end(),
                       [](const Block& block) { return std::holds_alternative<BoxFriction>(block.law); });
}

void require_velocities(const Problem& problem, const Solution& solution, const std::string& who) {
    const std::vector<Vec6> expected = body_velocities(problem, solution.impulse);
    require(solution.velocity == expected, who + ": velocities are not those of its impulses");
}

/// Is the root of one energy at most that of the other, up to round-off?
bool at_most(double energy_J, double bound_J, double noise_J) {
    return std::sqrt(energy_J) <= slack * std::sqrt(bound_J) + std::sqrt(noise_J);
}

Judged solve_once(Solver& solver, const Problem& problem, Solution start, const StopRule& rule) {
    const std::string who(solver.name());
    Judged out;
    out.solution = std::move(start);
    out.report = solver.solve(problem, out.solution, rule);
    const std::vector<double>& x = out.solution.impulse;
    require(x.size() == problem.bias.size(), who + ": a wrong number of impulses");
    for (const double value : x) require(std::isfinite(value), who + ": an impulse is not finite");
    if (out.report.status == Status::unsuitable) {
        require(!out.report.reason.empty(), who + ": refuses without a reason");
        return out;
    }
    require_velocities(problem, out.solution, who);
    out.certificate = certify(problem, x);
    require_allowed(problem, out, who);
    out.noise_J = noise_of(problem, x);
    const Certificate& c = out.certificate;
    const double claimed = out.report.energy_error_J;
    require(c.finite, who + ": the certificate is not finite");
    require(
        at_most(c.energy_error_J, claimed, out.noise_J) && at_most(claimed, c.energy_error_J, out.noise_J),
        fmt::format("{}: claims {} J, the certificate finds {} J (round-off {} J)", who, claimed,
                    c.energy_error_J, out.noise_J));
    require(at_most(c.energy_error_J, c.reference_energy_J, out.noise_J),
            fmt::format("{}: {} J is worse than zero impulses, {} J", who, c.energy_error_J,
                        c.reference_energy_J));
    if (out.report.status == Status::converged) {
        const double t = rule.tolerance.value;
        const double bound = rule.tolerance.unit == ErrorUnit::joules ? t : t * t * c.reference_energy_J;
        require(at_most(c.energy_error_J, bound, out.noise_J),
                fmt::format("{}: converged at {} J, the tolerance is {} J (round-off {} J)", who,
                            c.energy_error_J, bound, out.noise_J));
    }
    return out;
}

}  // namespace

std::vector<double> inverse_masses(const Problem& problem) {
    std::vector<double> a;
    for (const Block& block : problem.blocks) {
        const RowValues rows = effective_inverse_mass(problem, block);
        a.insert(a.end(), rows.begin(), rows.begin() + block.rows);
    }
    return a;
}

Judged judged_solve(const Problem& problem, const std::string& solver, const StopRule& rule) {
    const std::unique_ptr<Solver> worker = make_solver(solver);
    Judged cold = solve_once(*worker, problem, {}, rule);
    const Judged warm = solve_once(*worker, problem, cold.solution, rule);
    const auto is_refused = [](const Judged& judged) { return judged.report.status == Status::unsuitable; };
    require(is_refused(warm) == is_refused(cold), solver + ": refuses a problem from one start only");
    // A start is projected first; onto the bounds of box friction that is no nearest point, and can cost.
    if (is_refused(cold) || has_box(problem)) return cold;
    require(at_most(warm.certificate.energy_error_J, cold.certificate.energy_error_J,
                    warm.noise_J + cold.noise_J),
            fmt::format("{}: {} J ({}) is worse than the {} J ({}) it was started from", solver,
                        warm.certificate.energy_error_J, status_name(warm.report.status),
                        cold.certificate.energy_error_J, status_name(cold.report.status)));
    return cold;
}

bool has_one_answer(const Problem& problem) {
    const auto is_convex = [](const Block& block) {
        const auto* cone = std::get_if<FrictionCone>(&block.law);
        return cone == nullptr || cone->model == FrictionModel::convex;
    };
    return !has_box(problem) && !problem.compliance.empty() &&
           std::all_of(problem.compliance.begin(), problem.compliance.end(),
                       [](double c) { return c > 0.0; }) &&
           std::all_of(problem.blocks.begin(), problem.blocks.end(), is_convex);
}

void require_agreement(const Problem& problem, const Judged& one, const Judged& other) {
    const std::vector<double> a = inverse_masses(problem);
    const Problem assembled = assemble(problem);
    const SparseMatrix& matrix = *assembled.matrix;
    double most = 0.0;         // L, by Gershgorin
    double least = infinity;   // m
    double distance_sq = 0.0;  // |x - x'|_D^2
    for (int row = 0; row < matrix.rows(); ++row) {
        double sum = 0.0;
        for (std::int64_t k = matrix.start[row]; k < matrix.start[row + 1]; ++k) {
            sum += std::abs(matrix.value[k]) / std::sqrt(a[row] * a[matrix.column[k]]);
        }
        most = std::max(most, sum);
        least = std::min(least, problem.compliance[row] / a[row]);
        const double difference = one.solution.impulse[row] - other.solution.impulse[row];
        distance_sq += a[row] * difference * difference;
    }
    const auto radius = [](const Judged& judged) {
        return std::sqrt(2.0 * judged.certificate.energy_error_J) + std::sqrt(2.0 * judged.noise_J);
    };
    const double bound = (1.0 + most) / least * (radius(one) + radius(other));
    require(std::sqrt(distance_sq) <= slack * bound,
            fmt::format("two solvers' answers are {} sqrt(J) from each other, their errors allow {}",
                        std::sqrt(distance_sq), bound));
}

}  // namespace uptack::fuzz

#include <fmt/format.h>

#include <cmath>

#include "uptack/problem.h"

namespace uptack {
namespace {

/// Collects faults and stops caring after the first `most`.
class Faults {
public:
    explicit Faults(std::size_t most) : most_(most) {}

    bool full() const { return found_.size() >= most_; }
    bool any() const { return !found_.empty(); }
    std::size_t count() const { return found_.size(); }
    void add(std::string where, std::string message) {
        if (!full()) found_.push_back({std::move(where), std::move(message)});
    }
    std::vector<Fault> take() { return std::move(found_); }

private:
    std::size_t most_;
    std::vector<Fault> found_;
};

template <class Range>
bool all_finite(const Range& values) {
    for (const double value : values) {
        if (!std::isfinite(value)) return false;
    }
    return true;
}

// Leading minors of a semidefinite matrix are >= 0, up to round-off of the entries they are made of.
bool is_semidefinite(const Symmetric3& s) {
    const auto [xx, yy, zz, xy, xz, yz] = s;
    const double size = std::abs(xx) + std::abs(yy) + std::abs(zz);
    const double slack = 1e-12 * size;
    if (xx < -slack || yy < -slack || zz < -slack) return false;
    if (xx * yy - xy * xy < -slack * size || xx * zz - xz * xz < -slack * size) return false;
    if (yy * zz - yz * yz < -slack * size) return false;
    const double det = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
    return det >= -slack * size * size;
}

void check_body(const Problem& problem, std::size_t i, Faults& faults) {
    const Body& body = problem.bodies[i];
    const std::string where = fmt::format("body {}", i);
    if (!std::isfinite(body.inverse_mass) || body.inverse_mass < 0.0) {
        faults.add(where,
                   fmt::format("inverse mass is {}; give 1/m > 0, or 0 for a body that moves as prescribed",
                               body.inverse_mass));
    }
    if (!all_finite(body.inverse_inertia_w) || !is_semidefinite(body.inverse_inertia_w)) {
        faults.add(where,
                   "inverse inertia is not finite and positive semidefinite; check the inertia tensor");
    }
    if (!all_finite(body.free_velocity)) {
        faults.add(where, "free velocity is not finite; check the forces and velocities of the step before");
    }
}

void check_coefficient(const char* name, double value, const std::string& where, Faults& faults) {
    if (!std::isfinite(value) || value < 0.0) {
        faults.add(where,
                   fmt::format("{} is {}; friction coefficients must be finite and >= 0", name, value));
    }
}

void check_law(const Block& block, const std::string& where, Faults& faults) {
    if (!allows_rows(block.law, block.rows)) {
        faults.add(where, fmt::format("a {} block cannot have {} rows; see law.h for the numbers it may have",
                                      law_name(block.law), block.rows));
    }
    if (const auto* interval = std::get_if<Interval>(&block.law)) {
        if (!(interval->lower <= interval->upper) || interval->lower == infinity ||
            interval->upper == -infinity) {
            faults.add(where, fmt::format("interval [{}, {}] is empty; give lower <= upper", interval->lower,
                                          interval->upper));
        }
    }
    if (const auto* cone = std::get_if<FrictionCone>(&block.law)) {
        check_coefficient("mu", cone->mu, where, faults);
        check_coefficient("mu_roll", cone->mu_roll, where, faults);
        check_coefficient("mu_spin", cone->mu_spin, where, faults);
    }
    if (const auto* box = std::get_if<BoxFriction>(&block.law))
        check_coefficient("mu", box->mu, where, faults);
}

void check_body_index(int body, const Problem& problem, const std::string& where, Faults& faults) {
    if (body != no_body && (body < 0 || body >= static_cast<int>(problem.bodies.size()))) {
        faults.add(where,
                   fmt::format("body index {} is out of range; there are {} bodies, and {} means the world",
                               body, problem.bodies.size(), no_body));
    }
}

// A row that moves nothing and is not compliant has no answer to ask for.
void check_moves_something(const Problem& problem, const Block& block, int row, Faults& faults) {
    const double a = diagonal_entry(problem, block, row);
    if (!(a > 0.0)) {
        faults.add(fmt::format("row {}", row),
                   "moves no body (zero effective inverse mass); drop the row or give it compliance");
    } else if (!std::isfinite(a)) {
        faults.add(fmt::format("row {}", row),
                   "effective inverse mass overflows; check the units of its Jacobian and its bodies");
    }
}

void check_row(const Problem& problem, const Block& block, int row, Faults& faults) {
    const std::string where = fmt::format("row {}", row);
    if (!std::isfinite(problem.bias[row])) faults.add(where, "bias is not finite; check gaps and velocities");
    if (!problem.compliance.empty()) {
        const double c = problem.compliance[row];
        if (!std::isfinite(c) || c < 0.0)
            faults.add(where, fmt::format("compliance is {}; it must be >= 0", c));
    }
    if (problem.matrix) return;
    const JacobianRow& jacobian = problem.jacobian[row];
    if ((block.body_a != no_body && !all_finite(jacobian.a)) ||
        (block.body_b != no_body && !all_finite(jacobian.b))) {
        faults.add(where, "Jacobian is not finite; check contact normals and lever arms");
    }
}

// False: the blocks no longer line up with the rows, and nothing after this one can be judged.
bool check_block(const Problem& problem, std::size_t i, int& next_row, Faults& faults) {
    const Block& block = problem.blocks[i];
    const std::string where = fmt::format("block {}", i);
    if (block.first_row != next_row || block.rows < 1 || block.rows > problem.row_count() - next_row) {
        faults.add(where,
                   fmt::format("covers rows {} to {} but row {} of {} is next; blocks must follow each other",
                               block.first_row, std::int64_t{block.first_row} + block.rows - 1, next_row,
                               problem.row_count()));
        return false;
    }
    next_row += block.rows;
    const std::size_t faults_before = faults.count();
    check_law(block, where, faults);
    if (!problem.matrix) {
        check_body_index(block.body_a, problem, where, faults);
        check_body_index(block.body_b, problem, where, faults);
        if (block.body_a == block.body_b) {
            faults.add(where, "couples a body with itself; a block needs two different partners");
        }
    }
    if (faults.count() > faults_before) return true;  // its rows would be read through a broken block
    for (int row = block.first_row; row < next_row && !faults.full(); ++row) {
        const std::size_t before_row = faults.count();
        check_row(problem, block, row, faults);
        if (!problem.matrix && faults.count() == before_row) {
            check_moves_something(problem, block, row, faults);
        }
    }
    return true;
}

void check_matrix(const SparseMatrix& matrix, int rows, Faults& faults) {
    if (matrix.start.empty() || matrix.rows() != rows) {
        faults.add("matrix",
                   fmt::format("has {} rows but bias has {}; they must agree", matrix.rows(), rows));
        return;
    }
    const auto entries = static_cast<std::int64_t>(matrix.value.size());
    if (matrix.column.size() != matrix.value.size() || matrix.start.front() != 0 ||
        matrix.start.back() != entries) {
        faults.add("matrix",
                   "row starts, columns and values do not fit together; rebuild the compressed rows");
        return;
    }
    for (int row = 0; row < rows && !faults.full(); ++row) {
        const std::string where = fmt::format("matrix row {}", row);
        if (matrix.start[row] > matrix.start[row + 1] || matrix.start[row + 1] > entries) {
            faults.add(where, "row starts must not decrease");
            return;
        }
        int last = -1;
        for (std::int64_t k = matrix.start[row]; k < matrix.start[row + 1] && !faults.full(); ++k) {
            if (matrix.column[k] <= last || matrix.column[k] >= rows) {
                faults.add(where, fmt::format("column {} after {}; columns must ascend and stay below {}",
                                              matrix.column[k], last, rows));
            }
            if (!std::isfinite(matrix.value[k])) {
                faults.add(where, fmt::format("entry in column {} is not finite", matrix.column[k]));
            }
            last = matrix.column[k];
        }
    }
}

void check_sizes(const Problem& problem, Faults& faults) {
    const std::size_t rows = problem.bias.size();
    if (problem.matrix) {
        if (!problem.bodies.empty() || !problem.jacobian.empty() || !problem.compliance.empty()) {
            faults.add("problem",
                       "an assembled problem carries no bodies, Jacobian or compliance; put them into A");
        }
        check_matrix(*problem.matrix, static_cast<int>(rows), faults);
    } else if (problem.jacobian.size() != rows) {
        faults.add("jacobian", fmt::format("has {} rows but bias has {}", problem.jacobian.size(), rows));
    }
    if (!problem.compliance.empty() && problem.compliance.size() != rows) {
        faults.add("compliance", fmt::format("has {} rows but bias has {}; leave it empty for zero",
                                             problem.compliance.size(), rows));
    }
    if (!problem.body_names.empty() && problem.body_names.size() != problem.bodies.size()) {
        faults.add("body_names", "must be empty or have one name per body");
    }
    if (!problem.block_names.empty() && problem.block_names.size() != problem.blocks.size()) {
        faults.add("block_names", "must be empty or have one name per block");
    }
}

}  // namespace

std::vector<Fault> validate(const Problem& problem, std::size_t most) {
    Faults faults(most);
    check_sizes(problem, faults);
    for (std::size_t i = 0; i < problem.bodies.size() && !faults.full(); ++i) check_body(problem, i, faults);
    if (faults.any()) return faults.take();  // blocks and rows lean on these
    int next_row = 0;
    for (std::size_t i = 0; i < problem.blocks.size() && !faults.full(); ++i) {
        if (!check_block(problem, i, next_row, faults)) break;
    }
    if (!faults.any() && next_row != problem.row_count()) {
        faults.add("blocks",
                   fmt::format("cover {} of {} rows; every row needs a law", next_row, problem.row_count()));
    }
    return faults.take();
}

}  // namespace uptack

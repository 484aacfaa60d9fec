#include "auto_costs.h"

#include <algorithm>
#include <cmath>

#include "newton.h"

namespace uptack {
namespace {

// A sweep, and per row of it, in nanoseconds: of a contact with friction (its rows are swept together, four
// contacts at a time), of a row by itself, and of anything else.
constexpr double swept_call = 1000.0;
constexpr double swept_cone_row = 6.0, swept_single = 14.0, swept_row = 20.0;
constexpr double gradient_cone_row = 15.0, gradient_row = 26.0;
// In the assembled form, and of its contacts, whose rows are multiplied side by side.
constexpr double matrix_row = 15.0, matrix_entry = 1.0;
constexpr double panel_row = 6.0, panel_entry = 0.25;

// An iteration of newton, without what the fill of its factor adds.  Large ones leave the caches.
constexpr double newton_call = 5000.0;
constexpr double newton_block = 425.0, newton_row = 125.0;
constexpr double newton_matrix_call = 800.0;
constexpr double newton_matrix_block = 250.0, newton_matrix_row = 100.0, newton_matrix_entry = 6.0;
constexpr double leaning = 3.5;  // as long where there is box friction: GMRES refines the directions
double share_of_large(double blocks) {
    return std::clamp(0.25 + 0.25 * std::log10(std::max(1.0, blocks)), 0.5, 1.1);
}

// Its analysis; from a thousand bodies on METIS looks for a better order.
constexpr double analysed_body = 1200.0, analysed_matrix_row = 800.0;
double body_of_large(double bodies) {
    return 4500.0 * std::min(1.0, bodies / 1000.0);
}

// Interior point: a few iterations to come near, and some per digit; fewer where there is little to decide.
constexpr double base = 6.0;
constexpr double per_digit = 3.0;
constexpr double polish = 12.0;
constexpr double not_convex = 1.3;  // as many;
constexpr double from_far = 4.0;    // and again;
constexpr double walking = 10.0;    // walls of 20 to 140 bricks took 5 to 30 times as many

}  // namespace

AutoCosts costs_of(const Problem& problem, Convex convex) {
    const double rows = problem.row_count();
    const auto blocks = static_cast<double>(problem.blocks.size());
    AutoCosts costs;
    costs.float_from = convex == Convex::yes ? Newton::float_operations * blocks : infinity;
    if (problem.matrix) {
        for (const Block& block : problem.blocks) {
            const std::int64_t* start = problem.matrix->start.data() + block.first_row;
            const auto entries = static_cast<double>(start[block.rows] - start[0]);
            const bool contact = block.rows <= 3 && std::holds_alternative<FrictionCone>(block.law);
            costs.sweep_ns += contact ? panel_row * block.rows + panel_entry * entries
                                      : matrix_row * block.rows + matrix_entry * entries;
        }
        costs.gradient_ns = costs.sweep_ns;
        costs.analysis_ns = analysed_matrix_row * rows;
        costs.iteration_ns = newton_matrix_call + newton_matrix_block * blocks + newton_matrix_row * rows +
                             newton_matrix_entry * static_cast<double>(problem.matrix->value.size());
        return costs;
    }
    double cone_rows = 0.0;
    double singles = 0.0;
    bool has_boxes = false;
    for (const Block& block : problem.blocks) {
        if (std::holds_alternative<FrictionCone>(block.law)) cone_rows += block.rows;
        if (block.rows == 1) singles += 1.0;
        if (std::holds_alternative<BoxFriction>(block.law)) has_boxes = true;
    }
    costs.sweep_ns = swept_call + swept_cone_row * cone_rows + swept_single * singles +
                     swept_row * (rows - cone_rows - singles);
    costs.gradient_ns = gradient_cone_row * cone_rows + gradient_row * (rows - cone_rows);
    const auto bodies = static_cast<double>(problem.bodies.size());
    costs.analysis_ns = (analysed_body + body_of_large(bodies)) * bodies;
    costs.iteration_ns = newton_call + (newton_block * blocks + newton_row * rows) * share_of_large(blocks) *
                                           (has_boxes ? leaning : 1.0);
    return costs;
}

double newton_iterations(const NewtonTask& task) {
    const double digits = -std::log10(std::clamp(task.goal, 1e-15, 1.0));
    const double size = std::min(1.0, 0.1 + 0.22 * std::log10(std::max(1, task.rows)));
    double count = base + per_digit * digits;
    if (task.convex && task.start < task.polish_from) count = std::min(polish, count);
    if (!task.convex) count *= task.starts_far ? not_convex * from_far : not_convex;
    if (task.has_valleys) count *= walking;
    return size * count;
}

}  // namespace uptack

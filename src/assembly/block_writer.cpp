#include "block_writer.h"

namespace uptack::assembly {

void BlockWriter::start(std::span<const int> order) {
    Problem& problem = step_.problem;
    problem.bodies.clear();
    problem.jacobian.clear();
    problem.matrix.reset();
    problem.blocks.clear();
    problem.bias.clear();
    problem.compliance.clear();
    problem.body_names.clear();
    problem.block_names.clear();
    step_.origin.clear();
    step_.model_body.clear();
    step_.problem_body.assign(motion_.body.size(), no_body);
    step_.kick_s = motion_.kick_s;
    for (const int body : order) {
        if (!(motion_.body[body].inverse_mass > 0.0)) continue;
        step_.problem_body[body] = static_cast<int>(problem.bodies.size());
        step_.model_body.push_back(body);
        problem.bodies.push_back(motion_.body[body]);
    }
}

void BlockWriter::add(const BlockOrigin& origin, const Law& law, const BlockRows& rows) {
    Problem& problem = step_.problem;
    const Block block{.body_a = rows.body_a == no_body ? no_body : step_.problem_body[rows.body_a],
                      .body_b = rows.body_b == no_body ? no_body : step_.problem_body[rows.body_b],
                      .first_row = problem.row_count(),
                      .rows = rows.count,
                      .law = law};
    const bool fold_a = block.body_a == no_body && rows.body_a != no_body;
    const bool fold_b = block.body_b == no_body && rows.body_b != no_body;
    const int count = rows.count;
    problem.jacobian.insert(problem.jacobian.end(), rows.row.begin(), rows.row.begin() + count);
    problem.bias.insert(problem.bias.end(), rows.bias.begin(), rows.bias.begin() + count);
    problem.compliance.insert(problem.compliance.end(), rows.compliance.begin(),
                              rows.compliance.begin() + count);
    for (int i = 0; i < count; ++i) {
        double& bias = problem.bias[block.first_row + i];
        if (fold_a) bias += dot(rows.row[i].a, motion_.body[rows.body_a].free_velocity);
        if (fold_b) bias += dot(rows.row[i].b, motion_.body[rows.body_b].free_velocity);
        compliant_ = compliant_ || rows.compliance[i] > 0.0;
    }
    problem.blocks.push_back(block);
    step_.origin.push_back(origin);
}

void BlockWriter::apply(int body_a, int body_b, const JacobianRow& row, double impulse) {
    const auto kick = [&](int model_body, const Vec6& side) {
        if (!moves(model_body)) return;
        Body& body = step_.problem.bodies[step_.problem_body[model_body]];
        const Vec6 change = apply_inverse_mass(body, side);
        for (int k = 0; k < 6; ++k) body.free_velocity[k] += impulse * change[k];
    };
    kick(body_a, row.a);
    kick(body_b, row.b);
}

double BlockWriter::mobility(int body_a, int body_b, const JacobianRow& row) const {
    double a = 0.0;
    if (moves(body_a)) a += dot(row.a, apply_inverse_mass(motion_.body[body_a], row.a));
    if (moves(body_b)) a += dot(row.b, apply_inverse_mass(motion_.body[body_b], row.b));
    return a;
}

void BlockWriter::finish() {
    if (!compliant_) step_.problem.compliance.clear();
}

}  // namespace uptack::assembly

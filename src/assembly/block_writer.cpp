#include "block_writer.h"

#include <algorithm>

#include "linalg/room.h"

namespace uptack::assembly {

namespace {

/// Room for `size`, with the first `kept` as they are.
template <class T>
void grow_to(std::size_t size, std::size_t kept, std::vector<T>& list) {
    if (list.capacity() < size && size > 64) {
        const std::vector<T> head(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(kept));
        reserve_anew(list, size);
        list = head;
    }
    if (list.size() < size) list.resize(size);
}

}  // namespace

/// The last step's rows stay until they are overwritten: clearing them would cost as much as writing them.
void BlockWriter::start(std::span<const int> order) {
    Problem& problem = step_.problem;
    problem.bodies.clear();
    problem.matrix.reset();
    problem.body_names.clear();
    problem.block_names.clear();
    step_.model_body.clear();
    step_.problem_body.assign(motion_.body.size(), no_body);
    step_.kick_s = motion_.kick_s;
    done_ = {};
    for (const int body : order) {
        if (!(motion_.body[body].inverse_mass > 0.0)) continue;
        step_.problem_body[body] = static_cast<int>(problem.bodies.size());
        step_.model_body.push_back(body);
        problem.bodies.push_back(motion_.body[body]);
    }
}

void BlockWriter::make_room(BlockCount size) {
    Problem& problem = step_.problem;
    grow_to(size.rows, done_.rows, problem.jacobian);
    grow_to(size.rows, done_.rows, problem.bias);
    grow_to(size.blocks, done_.blocks, problem.blocks);
    grow_to(size.blocks, done_.blocks, step_.origin);
}

BlockCount BlockWriter::grow(BlockCount more, Rows kind) {
    const BlockCount first = done_;
    BlockCount size = done_;
    size += more;
    make_room(size);
    // Rows of joints always give a little, so that before the first compliant row all rows are new.
    std::vector<double>& compliance = step_.problem.compliance;
    if (kind == Rows::perhaps_compliant || compliant_) grow_to(size.rows, done_.rows, compliance);
    done_ = size;
    return first;
}

bool BlockWriter::put(BlockCount at, const BlockOrigin& origin, const Law& law, const BlockRows& rows) const {
    Problem& problem = step_.problem;
    const Block block{.body_a = rows.body_a == no_body ? no_body : step_.problem_body[rows.body_a],
                      .body_b = rows.body_b == no_body ? no_body : step_.problem_body[rows.body_b],
                      .first_row = at.rows,
                      .rows = rows.count,
                      .law = law};
    const bool fold_a = block.body_a == no_body && rows.body_a != no_body;
    const bool fold_b = block.body_b == no_body && rows.body_b != no_body;
    bool compliant = false;
    for (int i = 0; i < rows.count; ++i) {
        problem.jacobian[at.rows + i] = rows.row[i];
        double& bias = problem.bias[at.rows + i];
        bias = rows.bias[i];
        if (fold_a) bias += dot(rows.row[i].a, motion_.body[rows.body_a].free_velocity);
        if (fold_b) bias += dot(rows.row[i].b, motion_.body[rows.body_b].free_velocity);
        compliant = compliant || rows.compliance[i] > 0.0;
    }
    if (problem.compliance.size() >= static_cast<std::size_t>(at.rows + rows.count)) {
        std::copy_n(rows.compliance.begin(), rows.count, problem.compliance.begin() + at.rows);
    }
    problem.blocks[at.blocks] = block;
    step_.origin[at.blocks] = origin;
    return compliant;
}

void BlockWriter::add(const BlockOrigin& origin, const Law& law, const BlockRows& rows) {
    const BlockCount at = grow({.blocks = 1, .rows = rows.count}, Rows::perhaps_compliant);
    if (put(at, origin, law, rows)) compliant_ = true;
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
    Problem& problem = step_.problem;
    problem.jacobian.resize(done_.rows);
    problem.bias.resize(done_.rows);
    problem.compliance.resize(compliant_ ? done_.rows : 0);
    problem.blocks.resize(done_.blocks);
    step_.origin.resize(done_.blocks);
}

}  // namespace uptack::assembly

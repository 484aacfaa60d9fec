#include "uptack/friction_pyramid.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace uptack {
namespace {

/// One generator ray in the contact's frame: (1, mu cos, mu sin).
Vec3 ray(const FrictionCone& cone, int rows, int index, int facets) {
    if (rows == 2) return {1.0, index == 0 ? cone.mu : -cone.mu, 0.0};
    const double angle = 2.0 * std::numbers::pi * index / facets;
    return {1.0, cone.mu * std::cos(angle), cone.mu * std::sin(angle)};
}

int rays_of(const FrictionCone& cone, int rows, int facets) {
    if (cone.mu == 0.0) return 1;
    return rows == 2 ? 2 : facets;
}

void add_rays(const Problem& original, const Block& block, const FrictionCone& cone, FrictionPyramid& out) {
    for (int index = 0; index < rays_of(cone, block.rows, out.facets); ++index) {
        const Vec3 direction = ray(cone, block.rows, index, out.facets);
        JacobianRow row;
        double bias = 0.0;
        for (int i = 0; i < block.rows; ++i) {
            const JacobianRow& from = original.jacobian[block.first_row + i];
            for (int k = 0; k < 6; ++k) {
                row.a[k] += direction[i] * from.a[k];
                row.b[k] += direction[i] * from.b[k];
            }
            bias += direction[i] * original.bias[block.first_row + i];
        }
        add_block(out.problem, Unilateral{}, block.body_a, block.body_b, std::span(&row, 1),
                  std::span(&bias, 1));
    }
}

}  // namespace

std::string why_no_pyramid(const Problem& problem) {
    for (std::size_t k = 0; k < problem.blocks.size(); ++k) {
        const Block& block = problem.blocks[k];
        if (!std::holds_alternative<FrictionCone>(block.law)) continue;
        const std::string where = describe_block(problem, static_cast<int>(k));
        if (problem.matrix) return where + ": an assembled matrix has no rows to combine into rays";
        if (block.rows > 3) return where + ": rolling and spinning rows have no pyramid here";
        for (int i = 0; i < block.rows && !problem.compliance.empty(); ++i) {
            if (problem.compliance[block.first_row + i] > 0.0)
                return where + ": compliant contacts couple the rays";
        }
    }
    return {};
}

FrictionPyramid linearise_friction(const Problem& problem, int facets) {
    FrictionPyramid out;
    out.facets = facets;
    out.problem.name = problem.name;
    out.problem.bodies = problem.bodies;
    for (const Block& block : problem.blocks) {
        out.first.push_back(static_cast<int>(out.problem.blocks.size()));
        if (const auto* cone = std::get_if<FrictionCone>(&block.law)) {
            add_rays(problem, block, *cone, out);
            continue;
        }
        add_block(out.problem, block.law, block.body_a, block.body_b,
                  std::span(problem.jacobian).subspan(block.first_row, block.rows),
                  std::span(problem.bias).subspan(block.first_row, block.rows));
    }
    if (!problem.compliance.empty()) {
        out.problem.compliance.assign(out.problem.bias.size(), 0.0);
        for (std::size_t k = 0; k < problem.blocks.size(); ++k) {
            const Block& from = problem.blocks[k];
            const Block& to = out.problem.blocks[out.first[k]];
            if (std::holds_alternative<FrictionCone>(from.law)) continue;
            std::copy_n(problem.compliance.begin() + from.first_row, from.rows,
                        out.problem.compliance.begin() + to.first_row);
        }
    }
    return out;
}

void recover_impulses(const Problem& original, const FrictionPyramid& pyramid, std::span<const double> beta,
                      std::span<double> impulse) {
    std::fill(impulse.begin(), impulse.end(), 0.0);
    for (std::size_t k = 0; k < original.blocks.size(); ++k) {
        const Block& block = original.blocks[k];
        const int first_row = pyramid.problem.blocks[pyramid.first[k]].first_row;
        const auto* cone = std::get_if<FrictionCone>(&block.law);
        const int sources = cone == nullptr ? block.rows : rays_of(*cone, block.rows, pyramid.facets);
        for (int index = 0; index < sources; ++index) {
            if (cone == nullptr) {
                impulse[block.first_row + index] = beta[first_row + index];
                continue;
            }
            const Vec3 direction = ray(*cone, block.rows, index, pyramid.facets);
            for (int i = 0; i < block.rows; ++i)
                impulse[block.first_row + i] += direction[i] * beta[first_row + index];
        }
    }
}

}  // namespace uptack

#include "height_field.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace uptack::collision {

namespace {

/// A sample of the grid.
struct Sample {
    int i = 0;
    int j = 0;
};

/// Corners of the two triangles of a cell, from its low corner.
constexpr std::array<std::array<Sample, 3>, 2> corner_offset{{
    {{{0, 0}, {1, 0}, {1, 1}}},
    {{{0, 0}, {1, 1}, {0, 1}}},
}};
/// The far corner of the triangle beyond each edge.
constexpr std::array<std::array<Sample, 3>, 2> apex_offset{{
    {{{0, -1}, {2, 1}, {0, 1}}},
    {{{1, 0}, {1, 2}, {-1, 0}}},
}};
/// Samples that share an edge with one.
constexpr std::array<Sample, 6> ring_offset{{{1, 0}, {1, 1}, {0, 1}, {-1, 0}, {-1, -1}, {0, -1}}};

class HeightGround final : public Ground {
public:
    explicit HeightGround(std::shared_ptr<const HeightGrid> grid) : grid_(std::move(grid)) {
        const auto [low, high] = std::minmax_element(grid_->heights.begin(), grid_->heights.end());
        bounds_ = {
            .low = {0.0, 0.0, *low},
            .high = {(grid_->columns - 1) * grid_->spacing_x, (grid_->rows - 1) * grid_->spacing_y, *high}};
    }

    Aabb bounds() const override { return bounds_; }

    void find(const Aabb& box, std::vector<std::uint32_t>& numbers) const override {
        const auto [first_i, last_i] = cells(box.low[0], box.high[0], grid_->spacing_x, grid_->columns - 1);
        const auto [first_j, last_j] = cells(box.low[1], box.high[1], grid_->spacing_y, grid_->rows - 1);
        for (int j = first_j; j <= last_j; ++j) {
            for (int i = first_i; i <= last_i; ++i) find_in_cell({i, j}, box, numbers);
        }
    }

    GroundTriangle triangle(std::uint32_t number) const override {
        const auto [cell, half] = place(number);
        GroundTriangle out;
        for (std::size_t k = 0; k < 3; ++k) {
            const Sample s = sum(cell, corner_offset[half][k]);
            out.corner[k] = point(s);
            out.corner_number[k] = static_cast<std::uint32_t>(s.j * grid_->columns + s.i);
        }
        out.normal = triangle_normal(out.corner);
        for (std::size_t k = 0; k < 3; ++k) {
            const Sample apex = sum(cell, apex_offset[half][k]);
            const Vec3& p = out.corner[k];
            const Vec3& q = out.corner[(k + 1) % 3];
            GroundTriangle::Edge& edge = out.edge[k];
            if (exists(apex)) {
                edge.neighbour_normal = triangle_normal({q, p, point(apex)});
                edge.kind = edge_kind(p, q, out.normal, point(apex));
            }
            out.sharp = out.sharp || edge.kind == EdgeKind::convex || edge.kind == EdgeKind::open;
        }
        return out;
    }

    bool lies_below(std::uint32_t corner, const Vec3& normal, double slack) const override {
        const Sample at{static_cast<int>(corner) % grid_->columns, static_cast<int>(corner) / grid_->columns};
        return std::all_of(ring_offset.begin(), ring_offset.end(), [&](const Sample& offset) {
            const Sample other = sum(at, offset);
            if (!exists(other)) return true;
            const Vec3 along = point(other) - point(at);
            return dot(normal, along) <= slack * length(along);
        });
    }

private:
    static Sample sum(const Sample& a, const Sample& b) { return {a.i + b.i, a.j + b.j}; }

    bool exists(const Sample& s) const {
        return s.i >= 0 && s.j >= 0 && s.i < grid_->columns && s.j < grid_->rows;
    }
    double height(const Sample& s) const {
        return grid_->heights[static_cast<std::size_t>(s.j) * static_cast<std::size_t>(grid_->columns) +
                              static_cast<std::size_t>(s.i)];
    }
    Vec3 point(const Sample& s) const { return {s.i * grid_->spacing_x, s.j * grid_->spacing_y, height(s)}; }

    /// The cells that an interval of a coordinate meets; none where the first is behind the last.
    static std::pair<int, int> cells(double low, double high, double spacing, int count) {
        const double first = std::floor(low / spacing);
        const double last = std::floor(high / spacing);
        if (!(first < count && last >= 0.0)) return {0, -1};
        return {static_cast<int>(std::max(0.0, first)), static_cast<int>(std::min(last, count - 1.0))};
    }

    std::pair<Sample, std::size_t> place(std::uint32_t number) const {
        const auto cell = static_cast<int>(number / 2);
        return {{cell % (grid_->columns - 1), cell / (grid_->columns - 1)}, number % 2};
    }

    void find_in_cell(const Sample& cell, const Aabb& box, std::vector<std::uint32_t>& numbers) const {
        const auto first = 2 * static_cast<std::uint32_t>(cell.j * (grid_->columns - 1) + cell.i);
        for (std::uint32_t half = 0; half < 2; ++half) {
            double low = infinity;
            double high = -infinity;
            for (const Sample& offset : corner_offset[half]) {
                low = std::min(low, height(sum(cell, offset)));
                high = std::max(high, height(sum(cell, offset)));
            }
            if (low <= box.high[2] && high >= box.low[2]) numbers.push_back(first + half);
        }
    }

    std::shared_ptr<const HeightGrid> grid_;
    Aabb bounds_;
};

}  // namespace

std::unique_ptr<Ground> make_height_ground(std::shared_ptr<const HeightGrid> grid) {
    return std::make_unique<HeightGround>(std::move(grid));
}

}  // namespace uptack::collision

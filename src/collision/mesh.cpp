#include "mesh.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

namespace uptack::collision {

namespace {

using Corners = std::array<std::uint32_t, 3>;

constexpr std::uint32_t triangles_per_leaf = 4;

class MeshGround final : public Ground {
public:
    explicit MeshGround(const TriangleSoup& soup) {
        take_triangles(soup, weld(soup.vertices));
        join_edges();
        collect_rings();
        build_tree();
    }

    Aabb bounds() const override { return node_.empty() ? Aabb{} : node_[0].box; }

    /// Nodes stand in the order in which a search visits them; one that is missed is skipped with all below.
    void find(const Aabb& box, std::vector<std::uint32_t>& numbers) const override {
        for (std::uint32_t k = 0; k < node_.size();) {
            const Node& node = node_[k];
            const bool met = meet(node.box, box);
            if (met) {
                for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
                    if (meet(box_of(leaf_[i]), box)) numbers.push_back(leaf_[i]);
                }
            }
            k = met ? k + 1 : node.skip;
        }
        std::sort(numbers.begin(), numbers.end());
    }

    GroundTriangle triangle(std::uint32_t number) const override {
        GroundTriangle out;
        out.corner_number = triangle_[number];
        out.normal = normal_[number];
        for (std::size_t k = 0; k < 3; ++k) {
            out.corner[k] = vertex_[triangle_[number][k]];
            const Edge& edge = edge_[number][k];
            out.edge[k].kind = edge.kind;
            if (edge.neighbour != none) out.edge[k].neighbour_normal = normal_[edge.neighbour];
            out.sharp = out.sharp || edge.kind == EdgeKind::convex || edge.kind == EdgeKind::open;
        }
        return out;
    }

    bool lies_below(std::uint32_t corner, const Vec3& normal, double slack) const override {
        for (std::uint32_t k = ring_start_[corner]; k < ring_start_[corner + 1]; ++k) {
            const Vec3 along = vertex_[ring_[k]] - vertex_[corner];
            if (dot(normal, along) > slack * length(along)) return false;
        }
        return true;
    }

private:
    static constexpr std::uint32_t none = 0xffffffffU;

    struct Edge {
        std::uint32_t neighbour = none;
        EdgeKind kind = EdgeKind::open;
    };
    struct Node {
        Aabb box;
        std::uint32_t first = 0;  ///< into leaf_
        std::uint32_t count = 0;  ///< 0 unless a leaf
        std::uint32_t skip = 0;   ///< the node to go on with when this one is missed
    };

    static bool meet(const Aabb& a, const Aabb& b) {
        for (int k = 0; k < 3; ++k) {
            if (a.low[k] > b.high[k] || b.low[k] > a.high[k]) return false;
        }
        return true;
    }

    Aabb box_of(std::uint32_t number) const {
        Aabb box{.low = vertex_[triangle_[number][0]], .high = vertex_[triangle_[number][0]]};
        for (const std::uint32_t v : triangle_[number]) {
            for (int k = 0; k < 3; ++k) {
                box.low[k] = std::min(box.low[k], vertex_[v][k]);
                box.high[k] = std::max(box.high[k], vertex_[v][k]);
            }
        }
        return box;
    }

    /// Files of triangles without shared corners name every place several times: one number for each place.
    std::vector<std::uint32_t> weld(const std::vector<Vec3>& vertices) {
        std::vector<std::uint32_t> order(vertices.size());
        std::iota(order.begin(), order.end(), 0U);
        std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            return vertices[a] != vertices[b] ? vertices[a] < vertices[b] : a < b;
        });
        std::vector<std::uint32_t> number(vertices.size());
        for (std::size_t k = 0; k < order.size(); ++k) {
            if (k == 0 || vertices[order[k]] != vertices[order[k - 1]]) vertex_.push_back(vertices[order[k]]);
            number[order[k]] = static_cast<std::uint32_t>(vertex_.size() - 1);
        }
        return number;
    }

    void take_triangles(const TriangleSoup& soup, const std::vector<std::uint32_t>& number) {
        for (const std::array<int, 3>& t : soup.triangles) {
            const Corners corners{number[t[0]], number[t[1]], number[t[2]]};
            const Vec3 normal =
                triangle_normal({vertex_[corners[0]], vertex_[corners[1]], vertex_[corners[2]]});
            if (normal == Vec3{}) continue;
            triangle_.push_back(corners);
            normal_.push_back(normal);
        }
        edge_.resize(triangle_.size());
    }

    /// Sorts all edges by their ends; two that run in opposite directions and are alone make neighbours.
    void join_edges() {
        struct Side {
            std::uint32_t low, high, triangle, k;
        };
        std::vector<Side> sides;
        sides.reserve(3 * triangle_.size());
        for (std::uint32_t t = 0; t < triangle_.size(); ++t) {
            for (std::uint32_t k = 0; k < 3; ++k) {
                const std::uint32_t p = triangle_[t][k];
                const std::uint32_t q = triangle_[t][(k + 1) % 3];
                sides.push_back({std::min(p, q), std::max(p, q), t, k});
            }
        }
        std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
            return std::tie(a.low, a.high, a.triangle, a.k) < std::tie(b.low, b.high, b.triangle, b.k);
        });
        for (std::size_t first = 0; first < sides.size();) {
            std::size_t last = first + 1;
            while (last < sides.size() && sides[last].low == sides[first].low &&
                   sides[last].high == sides[first].high) {
                ++last;
            }
            const Side& a = sides[first];
            if (last - first == 2) {
                const Side& b = sides[first + 1];
                if (triangle_[a.triangle][a.k] != triangle_[b.triangle][b.k]) {
                    join(a.triangle, a.k, b.triangle, b.k);
                    join(b.triangle, b.k, a.triangle, a.k);
                }
            }
            first = last;
        }
    }

    void join(std::uint32_t t, std::uint32_t k, std::uint32_t neighbour, std::uint32_t k_neighbour) {
        const Corners& c = triangle_[t];
        edge_[t][k] = {.neighbour = neighbour,
                       .kind = edge_kind(vertex_[c[k]], vertex_[c[(k + 1) % 3]], normal_[t],
                                         vertex_[triangle_[neighbour][(k_neighbour + 2) % 3]])};
        // Folded back onto itself: the apex is in the plane, but the surface turns by half a turn.
        if (edge_[t][k].kind == EdgeKind::flat && dot(normal_[t], normal_[neighbour]) < 0.0) {
            edge_[t][k].kind = EdgeKind::convex;
        }
    }

    void collect_rings() {
        ring_start_.assign(vertex_.size() + 1, 0);
        for (const Corners& c : triangle_) {
            for (const std::uint32_t v : c) ring_start_[v] += 2;
        }
        std::uint32_t sum = 0;
        for (std::uint32_t& end : ring_start_) end = sum += end;
        ring_.resize(sum);
        for (const Corners& c : triangle_) {
            for (std::size_t k = 0; k < 3; ++k) {
                ring_[--ring_start_[c[k]]] = c[(k + 1) % 3];
                ring_[--ring_start_[c[k]]] = c[(k + 2) % 3];
            }
        }
    }

    void build_tree() {
        leaf_.resize(triangle_.size());
        std::iota(leaf_.begin(), leaf_.end(), 0U);
        if (!leaf_.empty()) build_node(0, static_cast<std::uint32_t>(leaf_.size()));
    }

    /// Halves at the median of the centres along the longest side of their box.
    void build_node(std::uint32_t first, std::uint32_t last) {
        const std::size_t self = node_.size();
        node_.emplace_back();
        Aabb box = box_of(leaf_[first]);
        for (std::uint32_t i = first; i < last; ++i) {
            const Aabb other = box_of(leaf_[i]);
            for (int k = 0; k < 3; ++k) {
                box.low[k] = std::min(box.low[k], other.low[k]);
                box.high[k] = std::max(box.high[k], other.high[k]);
            }
        }
        node_[self].box = box;
        if (last - first <= triangles_per_leaf) {
            node_[self].first = first;
            node_[self].count = last - first;
        } else {
            const std::uint32_t middle = first + (last - first) / 2;
            split(first, middle, last, box);
            build_node(first, middle);
            build_node(middle, last);
        }
        node_[self].skip = static_cast<std::uint32_t>(node_.size());
    }

    void split(std::uint32_t first, std::uint32_t middle, std::uint32_t last, const Aabb& box) {
        int axis = 0;
        for (int k = 1; k < 3; ++k) {
            if (box.high[k] - box.low[k] > box.high[axis] - box.low[axis]) axis = k;
        }
        const auto center = [&](std::uint32_t t) {
            const Corners& c = triangle_[t];
            return vertex_[c[0]][axis] + vertex_[c[1]][axis] + vertex_[c[2]][axis];
        };
        std::nth_element(leaf_.begin() + first, leaf_.begin() + middle, leaf_.begin() + last,
                         [&](std::uint32_t a, std::uint32_t b) {
                             const double p = center(a);
                             const double q = center(b);
                             return p != q ? p < q : a < b;
                         });
    }

    std::vector<Vec3> vertex_;
    std::vector<Corners> triangle_;
    std::vector<Vec3> normal_;
    std::vector<std::array<Edge, 3>> edge_;
    std::vector<std::uint32_t> ring_start_;  ///< the corners around corner c are from ring_start_[c] on
    std::vector<std::uint32_t> ring_;
    std::vector<Node> node_;
    std::vector<std::uint32_t> leaf_;  ///< triangles, leaf after leaf
};

}  // namespace

std::unique_ptr<Ground> make_mesh_ground(const TriangleSoup& soup) {
    return std::make_unique<MeshGround>(soup);
}

}  // namespace uptack::collision

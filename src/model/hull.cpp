// The convex hull of points: Qhull finds the facets, here they become loops in a canonical order.
//
//     1. points are moved to the middle of their box and scaled by a power of two, so that Qhull's
//     tolerances,
//        which are absolute, fit; the corners handed out are the points as given, bit by bit
//     2. Qhull, told that coordinates are good to single precision only: corners from mesh files are, and
//        without that a turned box would come out as twelve triangles
//     3. the edges of each facet are chained to a loop, turned counter-clockwise, started at its smallest
//     corner
//     4. corners sorted as the points were, faces sorted by their loops
//     5. a check of the whole: every edge in two faces, Euler's formula, not flat

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>

#include "checks.h"
#include "uptack/input_error.h"

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

namespace uptack {
namespace model {
namespace {

constexpr std::size_t max_points = 4096;

// Qhull's option for how far coordinates may be off, as a part of the size [-]; points may lie outside the
// hull by a few times this.
constexpr std::string_view coordinate_error = "E1e-7";

// Thinner than this part of its size, a solid is made of those errors.
constexpr double least_thickness = 1e-6;

using Loop = std::vector<int>;
using Edges = std::vector<std::pair<int, int>>;

/// What Qhull wants to print, kept from the terminal.
class Silence {
public:
    Silence() : stream_(open_memstream(&text_, &size_)) {}
    ~Silence() {
        if (stream_ != nullptr) static_cast<void>(std::fclose(stream_));
        std::free(text_);  // NOLINT(cppcoreguidelines-no-malloc): open_memstream's, by its contract
    }
    Silence(const Silence&) = delete;
    Silence& operator=(const Silence&) = delete;
    FILE* stream() const { return stream_; }

private:
    char* text_ = nullptr;
    std::size_t size_ = 0;
    FILE* stream_;
};

/// One run of Qhull and its memory.
class QhullRun {
public:
    explicit QhullRun(std::vector<double>& coordinates) {
        qh_zero(&qh_, silence_.stream());
        std::string options = fmt::format("qhull {}", coordinate_error);
        exit_code_ = qh_new_qhull(&qh_, 3, static_cast<int>(coordinates.size() / 3), coordinates.data(),
                                  False, options.data(), nullptr, silence_.stream());
    }
    ~QhullRun() {
        int long_left = 0;
        int all_left = 0;
        qh_freeqhull(&qh_, !qh_ALL);
        qh_memfreeshort(&qh_, &long_left, &all_left);
    }
    QhullRun(const QhullRun&) = delete;
    QhullRun& operator=(const QhullRun&) = delete;

    int exit_code() const { return exit_code_; }
    const facetT* facets() const { return qh_.facet_list; }
    int point_of(vertexT* vertex) { return qh_pointid(&qh_, vertex->point); }

private:
    Silence silence_;
    qhT qh_{};
    int exit_code_ = 0;
};

/// The elements of one of Qhull's sets, which end with a null.
template <class Element>
std::vector<Element*> elements(setT* set) {
    std::vector<Element*> list;
    if (set == nullptr) return list;
    for (setelemT* e = &set->e[0]; e->p != nullptr; ++e) list.push_back(static_cast<Element*>(e->p));
    return list;
}

/// A facet that was merged knows its edges as ridges; a triangle has only corners.
Edges edges_of(QhullRun& run, const facetT& facet) {
    Edges edges;
    if (facet.simplicial) {
        const auto corners = elements<vertexT>(facet.vertices);
        for (std::size_t i = 0; i < corners.size(); ++i) {
            edges.emplace_back(run.point_of(corners[i]), run.point_of(corners[(i + 1) % corners.size()]));
        }
        return edges;
    }
    for (ridgeT* ridge : elements<ridgeT>(facet.ridges)) {
        const auto corners = elements<vertexT>(ridge->vertices);
        if (corners.size() == 2) edges.emplace_back(run.point_of(corners[0]), run.point_of(corners[1]));
    }
    return edges;
}

/// Empty where the edges are not one closed loop.
Loop chain(Edges edges) {
    Loop loop;
    if (edges.size() < 3) return loop;
    const int start = edges[0].first;
    int at = edges[0].second;
    loop = {start};
    edges.erase(edges.begin());
    while (at != start) {
        const auto next = std::find_if(edges.begin(), edges.end(),
                                       [at](const auto& e) { return e.first == at || e.second == at; });
        if (next == edges.end()) return {};
        loop.push_back(at);
        at = next->first == at ? next->second : next->first;
        edges.erase(next);
    }
    return edges.empty() ? loop : Loop{};
}

/// Twice the area, along the outward normal of a counter-clockwise loop.
Vec3 area_vector(const Loop& loop, std::span<const Vec3> points) {
    const auto point = [&](std::size_t i) { return points[static_cast<std::size_t>(loop[i])]; };
    Vec3 area{};
    for (std::size_t i = 1; i + 1 < loop.size(); ++i) {
        area += cross(point(i) - point(0), point(i + 1) - point(0));
    }
    return area;
}

[[noreturn]] void refuse(const std::string& where, std::size_t count, int exit_code) {
    if (exit_code == qh_ERRsingular || exit_code == qh_ERRinput) {
        throw InputError(where,
                         fmt::format("its {} points lie in a plane and span no volume; give points that "
                                     "do, or use a box",
                                     count));
    }
    throw InputError(where, fmt::format("the hull of its {} points could not be computed (Qhull says {}); "
                                        "remove points that nearly coincide",
                                        count, exit_code));
}

void check_points(std::span<const Vec3> points, const std::string& where) {
    if (points.size() > max_points) {
        throw LimitError(where, fmt::format("has {} points; at most {} are taken, simplify it", points.size(),
                                            max_points));
    }
    if (points.size() < 4) {
        throw InputError(where, fmt::format("has {} points; give at least 4", points.size()));
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (!is_finite(points[i]))
            throw InputError(where, fmt::format("point {} is not finite; give numbers", i));
    }
}

std::vector<Vec3> centred(std::span<const Vec3> points, const std::string& where) {
    Vec3 low = points[0];
    Vec3 high = points[0];
    for (const Vec3& p : points) {
        for (std::size_t k = 0; k < 3; ++k) {
            low[k] = std::min(low[k], p[k]);
            high[k] = std::max(high[k], p[k]);
        }
    }
    const Vec3 size = high - low;
    const double largest = std::max({size[0], size[1], size[2]});
    if (!is_positive(largest)) {
        throw InputError(where, "its points coincide or are too far apart; give points that span a volume");
    }
    const double scale = std::exp2(-std::ilogb(largest));
    std::vector<Vec3> moved;
    moved.reserve(points.size());
    for (const Vec3& p : points) moved.push_back(scale * (p - (low + 0.5 * size)));
    return moved;
}

/// Loops of indices into `points`; empty where Qhull's facets do not close.
std::vector<Loop> find_loops(std::span<const Vec3> points, const std::string& where) {
    std::vector<double> coordinates;
    coordinates.reserve(3 * points.size());
    for (const Vec3& p : points) coordinates.insert(coordinates.end(), p.begin(), p.end());
    QhullRun run(coordinates);
    if (run.exit_code() != 0) refuse(where, points.size(), run.exit_code());

    std::vector<Loop> loops;
    for (const facetT* facet = run.facets(); facet != nullptr && facet->next != nullptr;
         facet = facet->next) {
        Loop loop = chain(edges_of(run, *facet));
        if (loop.empty()) return {};
        const Vec3 outward{facet->normal[0], facet->normal[1], facet->normal[2]};
        if (dot(area_vector(loop, points), outward) < 0.0) std::reverse(loop.begin(), loop.end());
        loops.push_back(std::move(loop));
    }
    return loops;
}

/// Renumbers the corners in the order of the points, of equal points the first, and sorts.
Polyhedron canonical(std::vector<Loop> loops, std::span<const Vec3> points) {
    std::map<int, int> corner_of;
    for (Loop& loop : loops) {
        for (int& i : loop) {
            const auto first = std::find(points.begin(), points.end(), points[static_cast<std::size_t>(i)]);
            i = static_cast<int>(first - points.begin());
            corner_of.emplace(i, 0);
        }
    }
    Polyhedron solid;
    for (auto& [point, corner] : corner_of) {
        corner = static_cast<int>(solid.vertices.size());
        solid.vertices.push_back(points[static_cast<std::size_t>(point)]);
    }
    for (Loop& loop : loops) {
        for (int& i : loop) i = corner_of[i];
        std::rotate(loop.begin(), std::min_element(loop.begin(), loop.end()), loop.end());
    }
    std::sort(loops.begin(), loops.end());
    solid.faces = std::move(loops);
    return solid;
}

/// Every edge runs once each way, and corners - edges + faces = 2.
bool is_closed(const Polyhedron& solid) {
    Edges edges;
    for (const Loop& loop : solid.faces) {
        for (std::size_t i = 0; i < loop.size(); ++i) {
            edges.emplace_back(loop[i], loop[(i + 1) % loop.size()]);
        }
    }
    std::sort(edges.begin(), edges.end());
    if (std::adjacent_find(edges.begin(), edges.end()) != edges.end()) return false;
    for (const auto& [from, to] : edges) {
        if (!std::binary_search(edges.begin(), edges.end(), std::pair{to, from})) return false;
    }
    return 2 * solid.vertices.size() + 2 * solid.faces.size() == edges.size() + 4;
}

/// The least extent across any face, for points of a size near 1.
double thickness(const std::vector<Loop>& loops, std::span<const Vec3> points) {
    double least = infinity;
    for (const Loop& loop : loops) {
        const Vec3 normal = direction(area_vector(loop, points));
        double depth = 0.0;
        for (const Vec3& p : points) {
            depth = std::max(depth, dot(normal, points[static_cast<std::size_t>(loop[0])] - p));
        }
        least = std::min(least, depth);
    }
    return least;
}

}  // namespace
}  // namespace model

Hull make_hull(std::span<const Vec3> points, const std::string& where) {
    model::check_points(points, where);
    const std::vector<Vec3> moved = model::centred(points, where);
    std::vector<model::Loop> loops = model::find_loops(moved, where);
    if (!loops.empty() && model::thickness(loops, moved) < model::least_thickness) {
        model::refuse(where, points.size(), qh_ERRsingular);
    }
    auto solid = std::make_shared<Polyhedron>(model::canonical(std::move(loops), points));
    if (solid->faces.empty() || !model::is_closed(*solid)) model::refuse(where, points.size(), qh_ERRprec);
    return {std::move(solid)};
}

}  // namespace uptack

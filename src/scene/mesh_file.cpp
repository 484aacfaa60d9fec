#include "mesh_file.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <string_view>

#include "uptack/input_error.h"

namespace uptack::scene {
namespace {

constexpr std::size_t max_triangles = 1'000'000;
constexpr std::size_t stl_header_bytes = 80;
constexpr std::size_t stl_triangle_bytes = 50;

/// Collects corners; equal ones are one vertex, numbered in the order of their first appearance.
class SoupMaker {
public:
    explicit SoupMaker(const std::string& name) : name_(name) {}

    int vertex(const Vec3& point, const std::string& where) {
        for (const double coordinate : point) {
            if (!std::isfinite(coordinate)) throw InputError(where, "a coordinate is not finite");
        }
        const Vec3 key{point[0] + 0.0, point[1] + 0.0, point[2] + 0.0};  // -0 is the place of 0
        const auto [entry, added] = known_.try_emplace(key, static_cast<int>(soup_.vertices.size()));
        if (added) soup_.vertices.push_back(key);
        return entry->second;
    }
    void triangle(int a, int b, int c) {
        if (soup_.triangles.size() >= max_triangles) {
            throw LimitError(
                name_, fmt::format("more triangles than the limit of {}; simplify the mesh", max_triangles));
        }
        if (a == b || b == c || c == a) return;  // no area
        soup_.triangles.push_back({a, b, c});
    }
    TriangleSoup take() {
        if (soup_.triangles.empty())
            throw InputError(name_, "no triangles in it; OBJ and STL files are read");
        return std::move(soup_);
    }

private:
    const std::string& name_;
    TriangleSoup soup_;
    std::map<Vec3, int> known_;
};

std::uint32_t word_at(const std::string& content, std::size_t byte) {
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 4; ++k) {
        word |= static_cast<std::uint32_t>(static_cast<unsigned char>(content[byte + k])) << (8 * k);
    }
    return word;
}

/// The count in the header agrees with the size; "solid" at the start proves nothing.
bool is_binary_stl(const std::string& content) {
    if (content.size() < stl_header_bytes + 4) return false;
    const std::uint64_t count = word_at(content, stl_header_bytes);
    return content.size() == stl_header_bytes + 4 + stl_triangle_bytes * count;
}

TriangleSoup parse_binary_stl(const std::string& content, const std::string& name) {
    SoupMaker maker(name);
    const std::size_t count = word_at(content, stl_header_bytes);
    for (std::size_t k = 0; k < count; ++k) {
        std::array<int, 3> corner{};
        for (std::size_t c = 0; c < 3; ++c) {
            Vec3 point{};
            for (std::size_t d = 0; d < 3; ++d) {
                const std::size_t byte = stl_header_bytes + 4 + k * stl_triangle_bytes + 12 * (c + 1) + 4 * d;
                point[d] = static_cast<double>(std::bit_cast<float>(word_at(content, byte)));
            }
            corner[c] = maker.vertex(point, fmt::format("{}: triangle {}", name, k));
        }
        maker.triangle(corner[0], corner[1], corner[2]);
    }
    return maker.take();
}

/// Lines and their words.
class Lines {
public:
    Lines(const std::string& content, const std::string& name) : rest_(content), name_(name) {}

    bool next() {
        if (rest_.empty()) return false;
        const std::size_t end = std::min(rest_.find('\n'), rest_.size());
        line_ = rest_.substr(0, end);
        rest_.remove_prefix(std::min(end + 1, rest_.size()));
        ++number_;
        return true;
    }
    std::string_view word() {
        const std::size_t start = std::min(line_.find_first_not_of(" \t\r"), line_.size());
        line_.remove_prefix(start);
        const std::size_t end = std::min(line_.find_first_of(" \t\r"), line_.size());
        const std::string_view found = line_.substr(0, end);
        line_.remove_prefix(end);
        return found;
    }
    double number() {
        std::string_view text = word();
        if (text.starts_with('+')) text.remove_prefix(1);
        double value = 0.0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || end != text.data() + text.size())
            fail(fmt::format("'{}' is no number", text));
        return value;
    }
    Vec3 point() {
        const double x = number();
        const double y = number();
        return {x, y, number()};
    }
    std::string where() const { return fmt::format("{}:{}", name_, number_); }
    [[noreturn]] void fail(const std::string& message) const { throw InputError(where(), message); }

private:
    std::string_view rest_;
    std::string_view line_;
    const std::string& name_;
    std::size_t number_ = 0;
};

TriangleSoup parse_text_stl(const std::string& content, const std::string& name) {
    SoupMaker maker(name);
    Lines lines(content, name);
    std::vector<int> loop;
    while (lines.next()) {
        const std::string_view word = lines.word();
        if (word == "vertex") loop.push_back(maker.vertex(lines.point(), lines.where()));
        if (word != "endloop") continue;
        if (loop.size() != 3) lines.fail(fmt::format("a facet with {} corners; 3 are wanted", loop.size()));
        maker.triangle(loop[0], loop[1], loop[2]);
        loop.clear();
    }
    return maker.take();
}

/// "7", "7/1", "7//3" or "-1": the vertex's number in the maker.
int obj_corner(std::string_view word, const std::vector<int>& vertices, const Lines& lines) {
    const std::string_view text = word.substr(0, word.find('/'));
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const auto count = static_cast<std::int64_t>(vertices.size());
    if (number < 0) number += count + 1;
    if (error != std::errc{} || end != text.data() + text.size() || number < 1 || number > count) {
        lines.fail(fmt::format("'{}' is not a vertex; {} are there so far", word, count));
    }
    return vertices[static_cast<std::size_t>(number - 1)];
}

TriangleSoup parse_obj(const std::string& content, const std::string& name) {
    SoupMaker maker(name);
    Lines lines(content, name);
    std::vector<int> vertices;
    while (lines.next()) {
        const std::string_view word = lines.word();
        if (word == "v") vertices.push_back(maker.vertex(lines.point(), lines.where()));
        if (word != "f") continue;
        std::vector<int> polygon;
        for (std::string_view corner = lines.word(); !corner.empty(); corner = lines.word()) {
            polygon.push_back(obj_corner(corner, vertices, lines));
        }
        if (polygon.size() < 3) lines.fail("a face with less than three corners");
        for (std::size_t k = 2; k < polygon.size(); ++k)
            maker.triangle(polygon[0], polygon[k - 1], polygon[k]);
    }
    return maker.take();
}

}  // namespace

TriangleSoup parse_mesh(const std::string& content, const std::string& name) {
    if (is_binary_stl(content)) return parse_binary_stl(content, name);
    const std::size_t start = content.find_first_not_of(" \t\r\n");
    if (start != std::string::npos && content.compare(start, 5, "solid") == 0)
        return parse_text_stl(content, name);
    return parse_obj(content, name);
}

}  // namespace uptack::scene

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

#include "surface.h"
#include "text_file.h"
#include "uptack/recording.h"

// VTK's XML files: arrays as base64 of a byte count (UInt64) and the numbers, so that they stay XML.

namespace uptack {
namespace {

using recording::Surface;
using recording::TextFile;

std::string base64(std::span<const unsigned char> bytes) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t k = 0; k < bytes.size(); k += 3) {
        const std::size_t left = std::min<std::size_t>(3, bytes.size() - k);
        std::uint32_t group = 0;
        for (std::size_t b = 0; b < 3; ++b) group = group << 8U | (b < left ? bytes[k + b] : 0U);
        for (std::size_t d = 0; d < 4; ++d) {
            text += d <= left ? digits[group >> (18U - 6U * d) & 63U] : '=';
        }
    }
    return text;
}

template <class T>
std::string array(const char* type, const char* name, int components, const std::vector<T>& values) {
    const std::uint64_t count = values.size() * sizeof(T);
    std::vector<unsigned char> bytes(sizeof count + count);
    std::memcpy(bytes.data(), &count, sizeof count);
    if (count > 0) std::memcpy(bytes.data() + sizeof count, values.data(), count);
    return fmt::format(
        "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"binary\">{}</DataArray>\n",
        type, name, components, base64(bytes));
}

std::string reals(const char* name, int components, const std::vector<float>& values) {
    return array("Float32", name, components, values);
}

std::string indices(const char* name, const std::vector<std::int64_t>& values) {
    return array("Int64", name, 1, values);
}

std::string whole_numbers(const char* name, const std::vector<std::int32_t>& values) {
    return array("Int32", name, 1, values);
}

void put(std::vector<float>& values, const Vec3& a) {
    for (const double x : a) values.push_back(single_precision(x));
}

/// Cells of one kind: which points each has.
struct Cells {
    std::vector<std::int64_t> connectivity;
    std::vector<std::int64_t> offsets;

    std::string text(const char* kind) const {
        return fmt::format("<{}>\n{}{}</{}>\n", kind, indices("connectivity", connectivity),
                           indices("offsets", offsets), kind);
    }
};

std::string poly_data(const char* counts, std::size_t points, std::size_t cells, const std::string& inside) {
    return fmt::format(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
        "header_type=\"UInt64\">\n<PolyData>\n<Piece NumberOfPoints=\"{}\" {}=\"{}\">\n{}</Piece>\n"
        "</PolyData>\n</VTKFile>\n",
        points, counts, cells, inside);
}

/// The model's shapes, tessellated once.
class Shapes {
public:
    explicit Shapes(const Model& model) : model_(model) {
        const double size = picture_size(model);
        for (const Shape& shape : model.shapes) {
            surfaces_.push_back(recording::surface_of(shape.geometry, size));
            for (const auto& face : surfaces_.back().faces) {
                const auto offset = static_cast<std::int64_t>(cells_.connectivity.size() + face.size());
                for (const int point : face) cells_.connectivity.push_back(points_ + point);
                cells_.offsets.push_back(offset);
                body_.push_back(shape.body);
                material_.push_back(shape.material);
            }
            points_ += std::ssize(surfaces_.back().points);
        }
    }

    std::string text(const Frame& frame) const {
        std::vector<float> points;
        points.reserve(3 * static_cast<std::size_t>(points_));
        for (std::size_t k = 0; k < surfaces_.size(); ++k) {
            const Shape& shape = model_.shapes[k];
            const Pose pose = frame.pose[static_cast<std::size_t>(shape.body)] * shape.pose;
            for (const Vec3& point : surfaces_[k].points) put(points, transform(pose, point));
        }
        std::vector<float> velocity;
        velocity.reserve(3 * body_.size());
        for (const int body : body_) put(velocity, linear(frame.velocity[static_cast<std::size_t>(body)]));
        const std::string inside =
            fmt::format("<Points>\n{}</Points>\n{}<CellData>\n{}{}{}</CellData>\n",
                        reals("points", 3, points), cells_.text("Polys"), whole_numbers("body", body_),
                        whole_numbers("material", material_), reals("velocity", 3, velocity));
        return poly_data("NumberOfPolys", static_cast<std::size_t>(points_), body_.size(), inside);
    }

private:
    /// A half-space is drawn so large that everything stands on it at the start.
    static double picture_size(const Model& model) {
        double reach = 1.0;
        for (const RigidBody& body : model.bodies) {
            for (const double x : body.initial_pose.position) reach = std::max(reach, std::abs(x));
        }
        return 4.0 * reach;
    }

    const Model& model_;
    std::vector<Surface> surfaces_;
    Cells cells_;
    std::vector<std::int32_t> body_;
    std::vector<std::int32_t> material_;
    std::int64_t points_ = 0;
};

std::string contacts_text(const Frame& frame) {
    std::vector<float> points;
    std::vector<float> forces;
    std::vector<float> normals;
    std::vector<float> gaps;
    std::vector<float> errors;
    Cells cells;
    for (const FrameContact& contact : frame.contacts) {
        put(points, contact.point_w);
        put(forces, contact.force_w);
        put(normals, contact.normal_w);
        gaps.push_back(single_precision(contact.gap));
        errors.push_back(single_precision(contact.energy_error_J));
        cells.connectivity.push_back(std::ssize(cells.offsets));
        cells.offsets.push_back(std::ssize(cells.offsets) + 1);
    }
    const std::string inside =
        fmt::format("<PointData>\n{}{}{}{}</PointData>\n<Points>\n{}</Points>\n{}",
                    reals("force_N", 3, forces), reals("normal", 3, normals), reals("gap_m", 1, gaps),
                    reals("energy_error_J", 1, errors), reals("points", 3, points), cells.text("Verts"));
    return poly_data("NumberOfVerts", frame.contacts.size(), frame.contacts.size(), inside);
}

void write_file(const std::filesystem::path& path, const std::string& text) {
    TextFile file(path);
    file.write(text);
    file.commit();
}

/// For names inside XML attributes.
std::string escaped(const std::string& text) {
    std::string result;
    for (const char c : text) {
        switch (c) {
            case '&':
                result += "&amp;";
                break;
            case '<':
                result += "&lt;";
                break;
            case '"':
                result += "&quot;";
                break;
            default:
                result += c;
        }
    }
    return result;
}

}  // namespace

void export_vtk(const Recording& recording, const std::filesystem::path& stem) {
    const Shapes shapes(recording.scene().model);
    std::string list =
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
        "byte_order=\"LittleEndian\">\n<Collection>\n";
    for (int k = 0; k < recording.frame_count(); ++k) {
        const Frame frame = recording.frame(k);
        const std::array<std::string, 2> ending{fmt::format("_{:05}.vtp", k),
                                                fmt::format("_contacts_{:05}.vtp", k)};
        write_file(stem.string() + ending[0], shapes.text(frame));
        write_file(stem.string() + ending[1], contacts_text(frame));
        for (std::size_t part = 0; part < ending.size(); ++part) {
            fmt::format_to(std::back_inserter(list), "<DataSet timestep=\"{}\" part=\"{}\" file=\"{}\"/>\n",
                           frame.time, part, escaped(stem.filename().string() + ending[part]));
        }
    }
    // Last: whoever finds it finds all the files it names.
    write_file(stem.string() + ".pvd", list + "</Collection>\n</VTKFile>\n");
}

}  // namespace uptack

#include <fmt/format.h>

#include <algorithm>

#include "fclib.h"
#include "fclib_matrix.h"
#include "global_reduction.h"
#include "printable.h"
#include "read_limits.h"

namespace uptack {
namespace {

constexpr const char* local_group = "fclib_local";
constexpr const char* global_group = "fclib_global";
constexpr const char* rolling_group = "fclib_global_rolling";

/// What all three kinds of group have in common.
struct Source {
    const hdf5::InputFile& file;
    const ReadLimits& limits;
    std::string group;
    std::vector<std::string> repairs;

    std::string in(const std::string& name) const { return group + "/" + name; }
};

int vector_length(const Source& source, const std::string& name) {
    const std::string path = source.in("vectors/" + name);
    const std::int64_t length = source.file.length(path);
    check_rows(fmt::format("{}:/{}", source.file.path().string(), path), length, source.limits);
    return static_cast<int>(length);
}

std::vector<double> read_vector(const Source& source, const std::string& name, int length) {
    const std::string path = source.in("vectors/" + name);
    if (source.file.length(path) != length) {
        throw source.file.error(path,
                                fmt::format("has {} entries, expected {}", source.file.length(path), length));
    }
    return read_finite(source.file, path, length);
}

Triplets read_matrix(Source& source, const std::string& name, MatrixSize size) {
    FclibMatrix matrix = read_fclib_matrix(source.file, source.in(name), size, source.limits);
    if (!matrix.repair.empty()) source.repairs.push_back(matrix.repair);
    return std::move(matrix.entries);
}

int read_dimension(const Source& source, std::initializer_list<int> known) {
    const int dimension = source.file.read_int(source.in("spacedim"));
    if (std::find(known.begin(), known.end(), dimension) == known.end()) {
        throw source.file.error(source.in("spacedim"),
                                fmt::format("is {}, expected {}", dimension, fmt::join(known, " or ")));
    }
    return dimension;
}

void add_cones(const Source& source, int rows, int dimension, Problem& problem) {
    if (rows % dimension != 0) {
        throw source.file.error(
            source.in("vectors"),
            fmt::format("{} rows do not make whole contacts of {} rows", rows, dimension));
    }
    const int contacts = rows / dimension;
    const std::vector<double> mu = read_vector(source, "mu", contacts);
    std::vector<double> mu_roll(mu.size(), 0.0);
    if (dimension == 5) mu_roll = read_vector(source, "mu_r", contacts);
    problem.blocks.reserve(mu.size());
    for (int k = 0; k < contacts; ++k) {
        const FrictionCone cone{.mu = mu[k], .mu_roll = mu_roll[k], .model = FrictionModel::exact};
        problem.blocks.push_back({.first_row = k * dimension, .rows = dimension, .law = cone});
    }
}

void add_bilateral_rows(int first, int count, Problem& problem) {
    for (int row = first; row < first + count; ++row) {
        problem.blocks.push_back({.first_row = row, .rows = 1, .law = Bilateral{}});
    }
}

std::string problem_name(const Source& source) {
    std::string name;
    if (source.file.contains(source.in("info/title"))) {
        name = printable(source.file.read_text(source.in("info/title"), source.limits.max_name_bytes));
    }
    if (name.empty()) name = printable(source.file.path().stem().string());
    if (!source.repairs.empty()) name += fmt::format(" [repaired: {}]", fmt::join(source.repairs, "; "));
    return name;
}

void append(const Triplets& from, int row_shift, int column_shift, Triplets& to) {
    for (std::size_t k = 0; k < from.value.size(); ++k) {
        to.add(from.row[k] + row_shift, from.column[k] + column_shift, from.value[k]);
    }
}

void append_vector(const std::vector<double>& from, std::vector<double>& to) {
    to.insert(to.end(), from.begin(), from.end());
}

Problem read_local(Source source) {
    const int dimension = read_dimension(source, {2, 3});
    const int rows = vector_length(source, "q");
    const bool jointed = source.file.contains(source.in("V")) || source.file.contains(source.in("R"));
    const int joint_rows = jointed ? vector_length(source, "s") : 0;
    check_rows(source.file.path().string(), std::int64_t{rows} + joint_rows, source.limits);

    Problem problem;
    problem.bias = read_vector(source, "q", rows);
    Triplets entries = read_matrix(source, "W", {rows, rows});
    add_cones(source, rows, dimension, problem);
    if (jointed) {
        Triplets v = read_matrix(source, "V", {rows, joint_rows});
        append(v, 0, rows, entries);
        std::swap(v.row, v.column);
        append(v, rows, 0, entries);
        append(read_matrix(source, "R", {joint_rows, joint_rows}), rows, rows, entries);
        append_vector(read_vector(source, "s", joint_rows), problem.bias);
        add_bilateral_rows(rows, joint_rows, problem);
    }
    problem.matrix = compress(entries, rows + joint_rows);
    problem.name = problem_name(source);
    return problem;
}

Problem read_global(Source source, std::initializer_list<int> dimensions) {
    const int dimension = read_dimension(source, dimensions);
    const int dofs = vector_length(source, "f");
    const int rows = vector_length(source, "w");
    const bool jointed = source.file.contains(source.in("G"));
    const int joint_rows = jointed ? vector_length(source, "b") : 0;
    check_rows(source.file.path().string(), std::int64_t{rows} + joint_rows, source.limits);

    Problem problem;
    GlobalForm global;
    global.momentum = read_vector(source, "f", dofs);
    global.bias = read_vector(source, "w", rows);
    global.mass = compress(read_matrix(source, "M", {dofs, dofs}), dofs);
    Triplets directions = read_matrix(source, "H", {dofs, rows});
    add_cones(source, rows, dimension, problem);
    if (jointed) {
        append(read_matrix(source, "G", {dofs, joint_rows}), 0, rows, directions);
        append_vector(read_vector(source, "b", joint_rows), global.bias);
        add_bilateral_rows(rows, joint_rows, problem);
    }
    global.directions = compress(directions, dofs);
    AssembledForm assembled = eliminate_mass(global, source.file.path().string(), source.limits);
    problem.matrix = std::move(assembled.matrix);
    problem.bias = std::move(assembled.bias);
    problem.name = problem_name(source);
    return problem;
}

}  // namespace

std::string_view fclib_kind(const hdf5::InputFile& file) {
    for (const char* group : {local_group, global_group, rolling_group}) {
        if (file.contains(group)) return group;
    }
    return {};
}

Problem read_fclib(const hdf5::InputFile& file, const ReadLimits& limits) {
    const std::string_view kind = fclib_kind(file);
    if (kind == local_group) return read_local({file, limits, local_group, {}});
    if (kind == global_group) return read_global({file, limits, global_group, {}}, {2, 3});
    return read_global({file, limits, rolling_group, {}}, {3, 5});
}

}  // namespace uptack

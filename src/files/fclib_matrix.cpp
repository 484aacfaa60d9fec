#include "fclib_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "read_limits.h"

namespace uptack {
namespace {

constexpr int compressed_columns = -1;
constexpr int compressed_rows = -2;

bool all_below(std::span<const int> indices, int end) {
    return std::all_of(indices.begin(), indices.end(), [=](int i) { return i >= 0 && i < end; });
}

// Prefers CSparse's order; takes the one of the FCLIB header when only that one fits.
FclibMatrix read_triplets(const hdf5::InputFile& file, const std::string& group, MatrixSize size, int nz) {
    FclibMatrix matrix;
    Triplets& entries = matrix.entries;
    entries.row.resize(static_cast<std::size_t>(nz));
    entries.column.resize(static_cast<std::size_t>(nz));
    file.read(group + "/i", entries.row);
    file.read(group + "/p", entries.column);
    if (!all_below(entries.row, size.rows) || !all_below(entries.column, size.columns)) {
        if (!all_below(entries.row, size.columns) || !all_below(entries.column, size.rows)) {
            throw file.error(
                group, fmt::format("an index is outside the {} x {} matrix; indices count from 0", size.rows,
                                   size.columns));
        }
        std::swap(entries.row, entries.column);
        matrix.repair = group.substr(group.rfind('/') + 1) + ": row and column indices were swapped";
    }
    entries.value = read_finite(file, group + "/x", nz);
    return matrix;
}

std::vector<std::int64_t> read_pointers(const hdf5::InputFile& file, const std::string& group, int lines) {
    const std::string name = group + "/p";
    if (file.length(name) < std::int64_t{lines} + 1) {
        throw file.error(name, fmt::format("has {} entries, expected {}", file.length(name), lines + 1));
    }
    std::vector<std::int64_t> p(static_cast<std::size_t>(lines) + 1);
    file.read(name, p);
    if (p.front() != 0 || !std::is_sorted(p.begin(), p.end())) {
        throw file.error(name, "pointers must start at 0 and not decrease");
    }
    return p;
}

// Some old writers left the pointers of a full matrix at zero.
FclibMatrix read_unpointed_dense(const hdf5::InputFile& file, const std::string& group, int lines,
                                 int across) {
    FclibMatrix matrix;
    const std::int64_t count = std::int64_t{lines} * across;
    const std::vector<double> x = read_finite(file, group + "/x", count);
    for (std::int64_t k = 0; k < count; ++k) {
        if (x[k] != 0.0) {
            matrix.entries.add(static_cast<int>(k / across), static_cast<int>(k % across), x[k]);
        }
    }
    matrix.repair = group.substr(group.rfind('/') + 1) + ": was a full matrix with empty pointers";
    return matrix;
}

// `lines` compressed lines (rows or columns) with indices below `across`; the line becomes Triplets::row.
FclibMatrix read_lines(const hdf5::InputFile& file, const std::string& group, int lines, int across,
                       const ReadLimits& limits) {
    const std::vector<std::int64_t> p = read_pointers(file, group, lines);
    const int nzmax = file.read_int(group + "/nzmax");
    check_entries(fmt::format("{}:/{}", file.path().string(), group), std::max<std::int64_t>(nzmax, p.back()),
                  limits);
    if (p.back() == 0 && nzmax > 0 && nzmax == std::int64_t{lines} * across) {
        return read_unpointed_dense(file, group, lines, across);
    }
    FclibMatrix matrix;
    matrix.entries.value = read_finite(file, group + "/x", p.back());  // also shows that p.back() is honest
    matrix.entries.column.resize(static_cast<std::size_t>(p.back()));
    file.read(group + "/i", matrix.entries.column);
    if (!all_below(matrix.entries.column, across)) {
        throw file.error(group + "/i", fmt::format("an index is not within 0 .. {}", across - 1));
    }
    matrix.entries.row.resize(static_cast<std::size_t>(p.back()));
    for (int line = 0; line < lines; ++line) {
        std::fill(matrix.entries.row.begin() + p[line], matrix.entries.row.begin() + p[line + 1], line);
    }
    return matrix;
}

}  // namespace

std::vector<double> read_finite(const hdf5::InputFile& file, const std::string& name, std::int64_t count) {
    if (file.length(name) < count) {
        throw file.error(name, fmt::format("has {} entries, expected {}", file.length(name), count));
    }
    std::vector<double> values(static_cast<std::size_t>(count));
    file.read(name, values);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values[i])) {
            throw file.error(name, fmt::format("entry {} is {}; all numbers must be finite", i, values[i]));
        }
    }
    return values;
}

FclibMatrix read_fclib_matrix(const hdf5::InputFile& file, const std::string& group, MatrixSize size,
                              const ReadLimits& limits) {
    const int m = file.read_int(group + "/m");
    const int n = file.read_int(group + "/n");
    if (m != size.rows || n != size.columns) {
        throw file.error(
            group, fmt::format("is {} x {}, but the vectors ask for {} x {}", m, n, size.rows, size.columns));
    }
    const int nz = file.read_int(group + "/nz");
    if (nz >= 0) {
        check_entries(fmt::format("{}:/{}", file.path().string(), group), nz, limits);
        if (file.length(group + "/i") < nz) {
            throw file.error(group + "/i",
                             fmt::format("has {} entries, but nz says {}", file.length(group + "/i"), nz));
        }
        return read_triplets(file, group, size, nz);
    }
    if (nz == compressed_rows) return read_lines(file, group, m, n, limits);
    if (nz == compressed_columns) {
        FclibMatrix matrix = read_lines(file, group, n, m, limits);
        std::swap(matrix.entries.row, matrix.entries.column);
        return matrix;
    }
    throw file.error(group + "/nz", fmt::format("storage {} is unknown; expected a count of triplets, -1 for "
                                                "compressed columns or -2 for compressed rows",
                                                nz));
}

void write_fclib_matrix(hdf5::OutputFile& file, const std::string& group, const SparseMatrix& matrix,
                        int columns) {
    const auto write_int = [&](const char* name, int value) {
        file.write(group + name, std::span<const int>(&value, 1));
    };
    file.create_group(group);
    write_int("/nzmax", static_cast<int>(matrix.value.size()));
    write_int("/m", matrix.rows());
    write_int("/n", columns);
    write_int("/nz", compressed_rows);
    file.write(group + "/p", std::vector<int>(matrix.start.begin(), matrix.start.end()));
    file.write(group + "/i", matrix.column);
    file.write(group + "/x", matrix.value);
}

}  // namespace uptack

#include "uptack/problem_file.h"

#include <fmt/format.h>

#include <cctype>
#include <fstream>
#include <new>

#include "fclib.h"
#include "hdf5/hdf5_file.h"
#include "siconos_text.h"
#include "uptack/input_error.h"
#include "uptack_format.h"

namespace uptack {
namespace {

constexpr std::size_t faults_told = 3;
constexpr std::string_view uptack_kind = "uptack";
constexpr std::string_view siconos_kind = "siconos_text";

constexpr const char* known_formats =
    "known are Uptack problems (HDF5 with a group /uptack_problem), FCLIB problems (HDF5 with /fclib_local, "
    "/fclib_global or /fclib_global_rolling) and Siconos text (.dat) with an LCP or MLCP";

void check_regular(const std::filesystem::path& path) {
    std::error_code failure;
    const std::filesystem::file_status status = std::filesystem::status(path, failure);
    if (status.type() == std::filesystem::file_type::not_found)
        throw InputError(path.string(), "no such file");
    if (failure) throw InputError(path.string(), fmt::format("cannot be read ({})", failure.message()));
    if (std::filesystem::is_directory(status)) throw InputError(path.string(), "is a folder, not a file");
    if (!std::filesystem::is_regular_file(status)) throw InputError(path.string(), "is not a regular file");
    hdf5::check_readable(path);
}

bool has_hdf5_signature(const std::filesystem::path& path) {
    const hdf5::Quiet quiet;
    return H5Fis_hdf5(path.c_str()) > 0;
}

// Siconos text begins with a whole number; everything else is somebody else's.
bool begins_with_number(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    char c = ' ';
    while (stream.get(c) && std::isspace(static_cast<unsigned char>(c)) != 0) {
    }
    return stream && (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '+' || c == '-' || c == '#');
}

std::string_view hdf5_kind(const hdf5::InputFile& file) {
    if (holds_uptack_problem(file)) return uptack_kind;
    const std::string_view fclib = fclib_kind(file);
    if (!fclib.empty()) return fclib;
    throw InputError(file.path().string(),
                     fmt::format("an HDF5 file without a problem in it; {}", known_formats));
}

std::string_view text_kind(const std::filesystem::path& path) {
    if (begins_with_number(path)) return siconos_kind;
    throw InputError(path.string(), fmt::format("of unknown format; {}", known_formats));
}

Problem read_any(const std::filesystem::path& path, const ReadLimits& limits) {
    if (!has_hdf5_signature(path)) {
        text_kind(path);  // throws for what is no Siconos text, the only kind there is
        return read_siconos_text(path, limits);
    }
    const hdf5::InputFile file(path);
    return hdf5_kind(file) == uptack_kind ? read_uptack_problem(file, limits) : read_fclib(file, limits);
}

void check_faults(const std::filesystem::path& path, const Problem& problem) {
    const std::vector<Fault> faults = validate(problem, faults_told);
    if (faults.empty()) return;
    std::string told;
    for (const Fault& fault : faults) {
        told += fmt::format("{}{}: {}", told.empty() ? "" : "; ", fault.where, fault.message);
    }
    throw InputError(path.string(), told);
}

}  // namespace

std::string_view file_kind(const std::filesystem::path& path) {
    check_regular(path);
    return has_hdf5_signature(path) ? hdf5_kind(hdf5::InputFile(path)) : text_kind(path);
}

Problem read_problem(const std::filesystem::path& path, const ReadLimits& limits) {
    check_regular(path);
    try {
        Problem problem = read_any(path, limits);
        check_faults(path, problem);
        return problem;
    } catch (const std::bad_alloc&) {
        throw LimitError(path.string(),
                         "needs more memory than there is; take a smaller problem or a larger machine");
    }
}

}  // namespace uptack

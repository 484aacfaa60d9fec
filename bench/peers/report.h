// The table for people and the file for machines.

#pragma once

#include <filesystem>
#include <fstream>
#include <span>
#include <string>

#include "measure.h"

namespace uptack::peers {

void print_heading(const Scene& scene);
/// Ratios are against Uptack at 1e-4, which is among `all` if it ran.
void print_line(const PhaseResult& result, std::span<const PhaseResult> all);

struct Origin {
    std::string machine{};
    std::string commit{};
    std::string date{};
    std::string load{};  ///< of the last minute when the run began: says how quiet it was
};
Origin origin_of_run(const std::string& commit);
std::string describe(const Origin& origin);

/// A file for results, in a folder that is made if need be; its first lines, beginning with #, say where and
/// when.
std::ofstream begin_csv(const std::filesystem::path& path, const Origin& origin);
/// Throws if anything was not written.
void end_csv(const std::filesystem::path& path, std::ofstream& file);

void write_csv(const std::filesystem::path& path, const Origin& origin, std::span<const PhaseResult> results);

}  // namespace uptack::peers

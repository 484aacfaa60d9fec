// The table for people and the file for machines.

#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "measure.h"

namespace uptack::peers {

/// The results of one scene; ratios are against Uptack at 1e-4.
void print_table(const Scene& scene, std::span<const PhaseResult> results);

struct Origin {
    std::string machine{};
    std::string commit{};
    std::string date{};
    std::string load{};  ///< of the last minute when the run began: says how quiet it was
};
Origin origin_of_run(const std::string& commit);
std::string describe(const Origin& origin);

/// Lines beginning with # say where and when.
void write_csv(const std::filesystem::path& path, const Origin& origin, std::span<const PhaseResult> results);

}  // namespace uptack::peers

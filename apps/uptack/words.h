// Single words of the command line that mean several things at once.  Nothing here touches a file.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "uptack/solver.h"

namespace uptack::app {

struct PictureSize {
    int width = 0;
    int height = 0;
};

/// "1280x800"; throws UsageError.
PictureSize size_from_words(const std::string& words);

struct Dump {
    std::int64_t step = 0;
    std::string file;
};

/// "120:problem.h5"; throws UsageError.
Dump dump_from_words(const std::string& words);

/// "psor:omega=1.2:symmetric=true" as a solver; throws UsageError.
std::unique_ptr<Solver> solver_from_label(const std::string& label);

}  // namespace uptack::app

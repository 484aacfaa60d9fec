// What the targets share: the function that libFuzzer (or replay.cpp) calls, and how a finding is said.

#pragma once

#include <oneapi/tbb/global_control.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <type_traits>

#include "uptack/input_error.h"

/// One input.  Returns 0; ends the program at a finding.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace uptack::fuzz {

/// A finding unless `condition`: says what and aborts, on which the fuzzer keeps the input.
inline void require(bool condition, const std::string& what) {
    if (condition) return;
    std::fprintf(stderr, "FINDING: %s\n", what.c_str());
    std::abort();
}

struct NothingElse {};

/// What `read` returns, or nothing where it refuses its input as it should.  Whatever else it throws is a
/// finding: nobody catches it.
template <class Refusal = NothingElse, class Read>
auto accepted(const Read& read) -> std::optional<std::invoke_result_t<Read>> {
    try {
        return read();
    } catch (const InputError&) {
        return std::nullopt;
    } catch (const Refusal&) {
        return std::nullopt;
    }
}

/// Everything on the calling thread: a finding must come back when its input does.
inline void use_one_thread() {
    static const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
}

}  // namespace uptack::fuzz

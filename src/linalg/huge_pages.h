// Large arrays on large pages, where the system gives them only to who asks: in pages of 4 KiB a sweep over a
// million contacts spends a tenth of its time on finding out where they are.

#pragma once

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <cstddef>
#include <memory>

namespace uptack {

/// For memory that has not been touched yet.  Only advice: nothing depends on whether it is taken.
inline void prefer_huge_pages(void* memory, std::size_t bytes) {
#ifdef MADV_HUGEPAGE
    constexpr std::size_t page = std::size_t{1} << 21U;
    if (bytes < 2 * page || std::align(page, page, memory, bytes) == nullptr) return;
    static_cast<void>(madvise(memory, bytes / page * page, MADV_HUGEPAGE));
#else
    static_cast<void>(memory);
    static_cast<void>(bytes);
#endif
}

}  // namespace uptack

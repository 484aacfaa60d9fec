// A vector that begins on a cache line: states whose slots are a line each must not lie across two, where two
// threads would take them from each other.

#pragma once

#include <cstddef>
#include <new>
#include <vector>

#include "linalg/huge_pages.h"

namespace uptack {

template <class T>
struct CacheLineAllocator {
    using value_type = T;

    CacheLineAllocator() = default;
    template <class U>
    CacheLineAllocator(const CacheLineAllocator<U>& /*other*/) {}  // NOLINT: as the standard asks

    T* allocate(std::size_t count) {
        void* memory = ::operator new(count * sizeof(T), line);
        prefer_huge_pages(memory, count * sizeof(T));
        return static_cast<T*>(memory);
    }
    void deallocate(T* first, std::size_t) { ::operator delete(first, line); }

    bool operator==(const CacheLineAllocator&) const { return true; }

private:
    static constexpr std::align_val_t line{64};
};

using AlignedVector = std::vector<double, CacheLineAllocator<double>>;

}  // namespace uptack

// Counts every allocation of a test program.  Include it in one file of the program only: it replaces
// operator new.

#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace uptack::test {
inline std::atomic<std::int64_t> allocations{0};
}

// Not inlined: gcc 12 would see free() without its malloc() and warn of a mismatch.
[[gnu::noinline]] void* operator new(std::size_t size) {
    ++uptack::test::allocations;
    if (void* memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}
// std::stable_sort asks for its buffer in this way.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    ++uptack::test::allocations;
    return std::malloc(size);
}
// Whole cache lines are asked for in this way.
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
    ++uptack::test::allocations;
    const auto line = static_cast<std::size_t>(alignment);
    if (void* memory = std::aligned_alloc(line, (size + line - 1) / line * line)) return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

// Loops over batches of pairs of shapes, on several threads where there is enough of them.
//
// linalg/parallel.h cuts the work; its own chunks, made for rows, are too long for pairs.

#pragma once

#include <cstddef>

#include "linalg/parallel.h"

namespace uptack::collision {

inline std::size_t batch_count(std::size_t count, std::size_t size) {
    return (count + size - 1) / size;
}

/// Calls body(batch, first, last) for every batch of `size` out of 0 .. count - 1.
template <class Body>
void for_each_batch(std::size_t count, std::size_t size, Body&& body) {
    constexpr std::size_t serial_batches = 3;  // below this, waking a thread costs more than it saves
    const bool few = batch_count(count, size) <= serial_batches;
    for_each_piece(count, size, few ? Threads::one : Threads::several, body);
}

}  // namespace uptack::collision

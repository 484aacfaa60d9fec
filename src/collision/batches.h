// Loops over batches of work, on several threads where there is enough of it.
//
// Batches depend on the amount of work alone and each writes to places of its own, so results do not depend
// on threads.  (linalg/parallel.h has the same for rows; its batches are too long for pairs of shapes.)

#pragma once

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>

namespace uptack::collision {

inline std::size_t batch_count(std::size_t count, std::size_t size) {
    return (count + size - 1) / size;
}

/// Calls body(batch, first, last) for every batch of `size` out of 0 .. count - 1.
template <class Body>
void for_each_batch(std::size_t count, std::size_t size, Body&& body) {
    constexpr std::size_t serial_batches = 3;  // below this, waking a thread costs more than it saves
    const std::size_t batches = batch_count(count, size);
    const auto one = [&](std::size_t batch) {
        body(batch, batch * size, std::min(count, (batch + 1) * size));
    };
    if (batches <= serial_batches) {
        for (std::size_t batch = 0; batch < batches; ++batch) one(batch);
    } else {
        tbb::parallel_for(std::size_t{0}, batches, one);
    }
}

}  // namespace uptack::collision

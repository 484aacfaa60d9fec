// Loops that run on several threads and still give the same bits on one.
//
// Work is cut into chunks whose bounds depend on its size alone; sums are taken per chunk and then added in
// chunk order.  Small work stays on the calling thread, in the same chunks.

#pragma once

#ifdef UPTACK_PLAIN_THREADS
#include <atomic>
#include <thread>
#else
#include <tbb/parallel_for.h>
#endif

#include <algorithm>
#include <array>
#include <cstddef>

namespace uptack {

/// Below this many rows a thread switch costs more than it saves.
inline constexpr std::size_t parallel_threshold = 32'768;

inline constexpr std::size_t max_chunks = 512;

/// How finely work is cut, by what one item costs.
struct Grain {
    std::size_t smallest_chunk = 0;
    std::size_t parallel_from = 0;  ///< items; fewer stay on the calling thread
};
inline constexpr Grain rows_grain{.smallest_chunk = 4096, .parallel_from = parallel_threshold};
/// Blocks, contacts and bodies: 50 ns and more each.
inline constexpr Grain blocks_grain{.smallest_chunk = 512, .parallel_from = 4096};

inline std::size_t chunk_size(std::size_t count, Grain grain = rows_grain) {
    return std::max(grain.smallest_chunk, (count + max_chunks - 1) / max_chunks);
}
inline std::size_t chunk_count(std::size_t count, Grain grain = rows_grain) {
    const std::size_t size = chunk_size(count, grain);
    return (count + size - 1) / size;
}

enum class Threads : bool { one, several };

/// Whether a piece goes to any thread, or in every call to the same one, in whose cache its data then stays.
enum class Pieces : bool { anywhere, stay };

/// Calls one(piece) for every piece, on several threads in any order.
template <class One>
void on_several_threads(std::size_t pieces, const One& one, Pieces where = Pieces::anywhere) {
#ifdef UPTACK_PLAIN_THREADS
    static_cast<void>(where);
    // For the thread sanitizer, which sees nothing of how a oneTBB that was built without it forks and joins:
    // it would call every use of a result a race, and hiding that would hide ours.  No order between pieces.
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t piece = 0; (piece = next.fetch_add(1, std::memory_order_relaxed)) < pieces;)
            one(piece);
    };
    std::thread first(work);
    std::thread second(work);
    work();
    first.join();
    second.join();
#else
    if (where == Pieces::stay) {
        tbb::parallel_for(std::size_t{0}, pieces, one, tbb::static_partitioner{});
    } else {
        tbb::parallel_for(std::size_t{0}, pieces, one);
    }
#endif
}

/// Calls body(piece, first, last) for every piece of `size` out of 0 .. count - 1.
template <class Body>
void for_each_piece(std::size_t count, std::size_t size, Threads threads, Body&& body) {
    const std::size_t pieces = (count + size - 1) / size;
    const auto one = [&](std::size_t piece) {
        body(piece, piece * size, std::min(count, (piece + 1) * size));
    };
    if (threads == Threads::one) {
        for (std::size_t piece = 0; piece < pieces; ++piece) one(piece);
    } else {
        on_several_threads(pieces, one);
    }
}

/// Calls body(chunk, first, last) for every chunk of 0 .. count - 1.
template <class Body>
void for_each_chunk(std::size_t count, Body&& body, Grain grain = rows_grain) {
    for_each_piece(count, chunk_size(count, grain),
                   count < grain.parallel_from ? Threads::one : Threads::several, body);
}

/// Sums of body(first, last), an array of N numbers, over all chunks.
template <std::size_t N, class Body>
std::array<double, N> sums_over_chunks(std::size_t count, Body&& body, Grain grain = rows_grain) {
    std::array<std::array<double, N>, max_chunks> partial;
    for_each_chunk(
        count,
        [&](std::size_t chunk, std::size_t first, std::size_t last) { partial[chunk] = body(first, last); },
        grain);
    std::array<double, N> sum{};
    for (std::size_t chunk = 0; chunk < chunk_count(count, grain); ++chunk) {
        for (std::size_t i = 0; i < N; ++i) sum[i] += partial[chunk][i];
    }
    return sum;
}

/// Sum of body(first, last) over all chunks.
template <class Body>
double sum_over_chunks(std::size_t count, Body&& body, Grain grain = rows_grain) {
    return sums_over_chunks<1>(
        count, [&](std::size_t first, std::size_t last) { return std::array<double, 1>{body(first, last)}; },
        grain)[0];
}

}  // namespace uptack

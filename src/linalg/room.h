// Room for what is written anew in every step.

#pragma once

#include <cstddef>

#include "linalg/huge_pages.h"

namespace uptack {

/// An empty `list` with room for this many.  The old one is let go first, so that old and new are not there
/// together, and there is an eighth more than asked for: twice as much, as vectors take, is too much of what
/// is largest.
template <class List>
void reserve_anew(List& list, std::size_t size) {
    List().swap(list);
    list.reserve(size + size / 8);
    prefer_huge_pages(list.data(), size * sizeof(*list.data()));  // not the rest: it is not to be touched
}

/// `list` with this size and any contents.
template <class List>
void resize_anew(List& list, std::size_t size) {
    if (list.capacity() < size) reserve_anew(list, size);
    list.resize(size);
}

}  // namespace uptack

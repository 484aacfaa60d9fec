// Room for what is written anew in every step.

#pragma once

#include <cstddef>

#include "linalg/huge_pages.h"

namespace uptack {

/// `list` with this size and any contents.  What must grow is let go first, so that old and new are not there
/// together, and grows by an eighth more than it needs: twice as much, as vectors do, is too much of what is
/// largest.
template <class List>
void resize_anew(List& list, std::size_t size) {
    if (list.capacity() < size) {
        List().swap(list);
        list.reserve(size + size / 8);
        prefer_huge_pages(list.data(), size * sizeof(*list.data()));  // not the rest: it is not to be touched
    }
    list.resize(size);
}

}  // namespace uptack

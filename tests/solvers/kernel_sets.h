// The sets of kernels that this program has, one per instruction set: src/solvers/kernel_dispatch.cpp.

#pragma once

#include "kernels/packed_view.h"

namespace uptack {

extern const Kernels kernels_portable;
#ifdef __x86_64__
extern const Kernels kernels_avx2;
#endif

}  // namespace uptack

// Which of the compiled kernel sets this machine runs.

#include <cstdlib>
#include <cstring>

#include "kernels/packed_view.h"

namespace uptack {

extern const Kernels kernels_portable;
#ifdef UPTACK_HAVE_AVX2
extern const Kernels kernels_avx2;
#endif

namespace {

bool use_avx2() {
#ifdef UPTACK_HAVE_AVX2
    const char* wish = std::getenv("UPTACK_SIMD");
    if (wish != nullptr && std::strcmp(wish, "portable") == 0) return false;
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
#else
    return false;
#endif
}

}  // namespace

const Kernels& kernels() {
#ifdef UPTACK_HAVE_AVX2
    static const Kernels& chosen = use_avx2() ? kernels_avx2 : kernels_portable;
    return chosen;
#else
    return kernels_portable;
#endif
}

const char* kernel_target() {
    return &kernels() == &kernels_portable ? "portable" : "avx2";
}

}  // namespace uptack

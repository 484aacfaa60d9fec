// Which of the compiled panel kernels this machine runs.

#include <cstdlib>
#include <cstring>

#include "kernels/panel.h"

namespace uptack {

extern const PanelKernels panel_kernels_portable;
#ifdef UPTACK_HAVE_AVX2
extern const PanelKernels panel_kernels_avx2;
extern const PanelKernels panel_kernels_avx512;
#endif

namespace {

const PanelKernels& choose() {
#ifdef UPTACK_HAVE_AVX2
    const char* wish = std::getenv("UPTACK_SIMD");
    if (wish != nullptr && std::strcmp(wish, "portable") == 0) return panel_kernels_portable;
    const bool only_avx2 = wish != nullptr && std::strcmp(wish, "avx2") == 0;
    if (!only_avx2 && __builtin_cpu_supports("avx512f") != 0) return panel_kernels_avx512;
    if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0) return panel_kernels_avx2;
#endif
    return panel_kernels_portable;
}

}  // namespace

const PanelKernels& panel_kernels() {
    static const PanelKernels& chosen = choose();
    return chosen;
}

}  // namespace uptack

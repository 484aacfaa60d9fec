// Which of the compiled panel kernels this machine runs.

#include <cstdlib>
#include <cstring>

#include "kernels/panel.h"

namespace uptack {

extern const PanelKernels panel_kernels_portable;
#ifdef UPTACK_HAVE_AVX2
extern const PanelKernels panel_kernels_avx2;
#endif

const PanelKernels& panel_kernels() {
#ifdef UPTACK_HAVE_AVX2
    static const bool plain = [] {
        const char* wish = std::getenv("UPTACK_SIMD");
        return (wish != nullptr && std::strcmp(wish, "portable") == 0) ||
               __builtin_cpu_supports("avx2") == 0;
    }();
    return plain ? panel_kernels_portable : panel_kernels_avx2;
#else
    return panel_kernels_portable;
#endif
}

}  // namespace uptack

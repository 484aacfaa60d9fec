// Which of the compiled panel kernels this machine runs.

#include <cstdlib>
#include <cstring>

#include "kernels/panel.h"

namespace uptack {

extern const PanelKernels<double> double_panels_portable;
extern const PanelKernels<float> float_panels_portable;
#ifdef UPTACK_HAVE_AVX2
extern const PanelKernels<double> double_panels_avx2;
extern const PanelKernels<double> double_panels_avx512;
extern const PanelKernels<float> float_panels_avx2;
extern const PanelKernels<float> float_panels_avx512;
#endif

namespace {

struct Target {
    const PanelKernels<double>& doubles;
    const PanelKernels<float>& floats;
};

Target choose() {
#ifdef UPTACK_HAVE_AVX2
    const char* wish = std::getenv("UPTACK_SIMD");
    const auto wanted = [&](const char* name) { return wish != nullptr && std::strcmp(wish, name) == 0; };
    if (wanted("portable")) return {double_panels_portable, float_panels_portable};
    if (!wanted("avx2") && __builtin_cpu_supports("avx512f") != 0)
        return {double_panels_avx512, float_panels_avx512};
    if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0)
        return {double_panels_avx2, float_panels_avx2};
#endif
    return {double_panels_portable, float_panels_portable};
}

const Target& chosen() {
    static const Target target = choose();
    return target;
}

}  // namespace

template <>
const PanelKernels<double>& panel_kernels() {
    return chosen().doubles;
}

template <>
const PanelKernels<float>& panel_kernels() {
    return chosen().floats;
}

}  // namespace uptack

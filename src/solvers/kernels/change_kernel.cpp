// What nncg does with whole vectors between two sweeps; compiled once per instruction set
// (cmake/kernels.cmake).

#include "kernels/kernel_names.h"
#include "kernels/lanes.h"
#include "kernels/packed_view.h"

namespace uptack {

double UPTACK_SQUARE_OF_CHANGE(const double* x, const double* before, const double* metric, int count);
double UPTACK_SQUARE_OF_CHANGE(const double* x, const double* before, const double* metric, int count) {
    Four sums[2] = {all(0.0), all(0.0)};
    int i = 0;
    for (; i + 8 <= count; i += 8) {
        for (int half = 0; half < 2; ++half) {
            const int at = i + 4 * half;
            const Four change = load_any(x + at) - load_any(before + at);
            sums[half] = fused(change * change, load_any(metric + at), sums[half]);
        }
    }
    double rest = 0.0;
    for (; i < count; ++i) rest += (x[i] - before[i]) * (x[i] - before[i]) * metric[i];
    return sum(sums[0] + sums[1]) + rest;
}

void UPTACK_EXTRAPOLATE(double beta, double* x, double* before, double* direction, int count);
void UPTACK_EXTRAPOLATE(double beta, double* x, double* before, double* direction, int count) {
    int i = 0;
    for (; i + 4 <= count; i += 4) {
        const Four now = load_any(x + i);
        const Four step = all(beta) * load_any(direction + i);
        const Four next = now + step;
        store_any(direction + i, now - load_any(before + i) + step);
        store_any(x + i, next);
        store_any(before + i, next);
    }
    for (; i < count; ++i) {
        const double step = beta * direction[i];
        direction[i] = x[i] - before[i] + step;
        x[i] += step;
        before[i] = x[i];
    }
}

}  // namespace uptack

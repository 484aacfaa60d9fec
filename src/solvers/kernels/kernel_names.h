// What the kernels of one instruction set are called; UPTACK_KERNEL_TARGET comes from cmake/kernels.cmake.

#pragma once

#define UPTACK_JOIN2(a, b) a##b
#define UPTACK_JOIN(a, b) UPTACK_JOIN2(a, b)
#define UPTACK_KERNELS UPTACK_JOIN(kernels_, UPTACK_KERNEL_TARGET)
#define UPTACK_SWEEP_BATCHES UPTACK_JOIN(sweep_batches_, UPTACK_KERNEL_TARGET)
#define UPTACK_SCATTER_BATCHES UPTACK_JOIN(scatter_batches_, UPTACK_KERNEL_TARGET)
#define UPTACK_GATHER_BATCHES UPTACK_JOIN(gather_batches_, UPTACK_KERNEL_TARGET)
#define UPTACK_ENERGY_OF_CONTACTS UPTACK_JOIN(energy_of_contacts_, UPTACK_KERNEL_TARGET)
#define UPTACK_STEP_CONTACTS UPTACK_JOIN(step_contacts_, UPTACK_KERNEL_TARGET)
#define UPTACK_PROJECT_CONTACTS UPTACK_JOIN(project_contacts_, UPTACK_KERNEL_TARGET)
#define UPTACK_SQUARE_OF_CHANGE UPTACK_JOIN(square_of_change_, UPTACK_KERNEL_TARGET)
#define UPTACK_EXTRAPOLATE UPTACK_JOIN(extrapolate_, UPTACK_KERNEL_TARGET)

#define UPTACK_INLINE [[gnu::always_inline]] inline

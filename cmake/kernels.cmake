# The hot loops are compiled once per instruction set and chosen at run time (src/solvers/kernels/).  They are
# written so that every target does the same operations in the same order: the bits do not change.
function(uptack_kernel target)
  set(library uptack_kernels_${target})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/solvers/kernels/*_kernel.cpp)
  add_library(${library} OBJECT ${sources})
  target_include_directories(${library} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src/solvers)
  target_compile_definitions(${library} PRIVATE UPTACK_KERNEL_TARGET=${target})
  target_compile_options(${library} PRIVATE ${ARGN})
  target_link_libraries(${library} PRIVATE uptack_warnings)
  target_sources(uptack_solvers PRIVATE $<TARGET_OBJECTS:${library}>)
endfunction()

uptack_kernel(portable)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  uptack_kernel(avx2 -mavx2)
  target_compile_definitions(uptack_solvers PRIVATE UPTACK_HAVE_AVX2=1)
endif()

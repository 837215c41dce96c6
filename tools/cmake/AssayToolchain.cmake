# Compilers, language levels and the flags that everything is built with.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

if(ASSAY_CUDA)
  set(CMAKE_CUDA_ARCHITECTURES ${ASSAY_CUDA_ARCHITECTURES})   # before enabling: CMake 3.25's default (52) is gone from nvcc 13
  enable_language(CUDA)
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)                # CMake 3.25 does not know that nvcc speaks C++20
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
  endif()
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
endif()

include(AssayFlavours)
add_library(assay_cuda_headers INTERFACE)
target_include_directories(assay_cuda_headers SYSTEM INTERFACE ${ASSAY_CUDA_INCLUDE})

set(ASSAY_ARITHMETIC_FLAGS -fmad=false)   # of GPU code: what fixes its bits

add_library(assay_options INTERFACE)
target_include_directories(assay_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(assay_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wno-missing-field-initializers -Werror -ffp-contract=off ${ASSAY_MARCH}>
  $<$<COMPILE_LANGUAGE:CUDA>:${ASSAY_ARITHMETIC_FLAGS} -Werror=all-warnings -Xcompiler=-Wall,-Wextra,-Werror,-ffp-contract=off>)

# What every host library uses. Images do not: a sanitizer must never meet the checker's own instrumentation.
add_library(assay_code INTERFACE)
target_link_libraries(assay_code INTERFACE assay_options)
if(ASSAY_SANITIZE)
  # GCC takes what the sanitizers insert for paths on which an optional's value is not set.
  target_compile_options(assay_code INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${ASSAY_SANITIZE} -fno-sanitize-recover=all -Wno-maybe-uninitialized>)
  target_link_options(assay_code INTERFACE -fsanitize=${ASSAY_SANITIZE})
endif()

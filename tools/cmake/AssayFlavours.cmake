# What device code is compiled with in each flavour, for our kernel images (AssayImages.cmake) and for plug-ins of others (tools/plugin).
# Flavours: cuda (nvcc, for the GPU), emu (g++, for the emulator that lives in the program) and checked (emu, with every access reported to
# the checker beside the emulator: the sanitizers' instrumentation without their runtimes).
get_filename_component(ASSAY_SOURCES ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)

# FindCUDAToolkit needs nvcc; the emulator needs the headers alone.
find_path(ASSAY_CUDA_INCLUDE cuda_bf16.h
  HINTS ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda PATH_SUFFIXES include targets/x86_64-linux/include)
if(NOT ASSAY_CUDA_INCLUDE)
  message(FATAL_ERROR "No CUDA headers (cuda_bf16.h): install the CUDA Toolkit 13 or set CUDA_HOME to the folder that holds include/cuda_bf16.h")
endif()

# x86-64-v3 (Haswell and newer) and never -march=native: programs and images travel to GPU machines.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(ASSAY_MARCH -march=x86-64-v3)
endif()

# Functions that the emulator defines: the compiler must not fold them with the host's, nor merge sinf and cosf into a call of its own.
set(ASSAY_EMULATED_BUILTINS -fno-builtin-exp2f -fno-builtin-rsqrtf -fno-builtin-exp2 -fno-builtin-sincosf)
file(STRINGS ${ASSAY_SOURCES}/kernels/simt/math/library_names.hpp lines REGEX "X\\([a-z0-9]+\\)")
string(REGEX MATCHALL "X\\([a-z0-9]+\\)" names "${lines}")
foreach(name ${names})
  string(REGEX REPLACE "X\\(|\\)" "" name ${name})
  list(APPEND ASSAY_EMULATED_BUILTINS -fno-builtin-${name} -fno-builtin-${name}f)
endforeach()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ASSAY_SOURCES}/kernels/simt/math/library_names.hpp)
set(ASSAY_CHECKED -fsanitize=thread,alignment,bounds --param tsan-instrument-func-entry-exit=0 -Wno-tsan)   # fences are let through

# assay_device_code(<target> <flavour> <source.cu>...): the target, a shared object of that flavour.
#
# Hidden visibility, no GNU_UNIQUE and no exported archives: a symbol of an image must never be answered by the program's or another
# image's symbol of the same name, or a mutant would quietly run the real kernel.
function(assay_device_code target flavour)
  if(flavour STREQUAL "cuda")
    add_library(${target} MODULE ${ARGN})
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-fno-gnu-unique>)
  else()
    set(stubs "")
    foreach(source ${ARGN})   # one source file has one language in a folder: g++ gets it through a stub
      get_filename_component(stem ${source} NAME_WE)
      set(stub ${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp)
      list(LENGTH ARGN count)
      if(count GREATER 1)
        set(stub ${CMAKE_CURRENT_BINARY_DIR}/${target}.${stem}.cpp)
      endif()
      file(CONFIGURE OUTPUT ${stub} CONTENT "#include \"${source}\"\n" @ONLY)
      set_property(SOURCE ${stub} APPEND PROPERTY OBJECT_DEPENDS ${source})
      list(APPEND stubs ${stub})
    endforeach()
    add_library(${target} MODULE ${stubs})
    target_compile_options(${target} PRIVATE -O2 ${ASSAY_EMULATED_BUILTINS} -fno-strict-aliasing -fno-gnu-unique -Wno-unknown-pragmas)
    if(flavour STREQUAL "checked")
      target_compile_options(${target} PRIVATE ${ASSAY_CHECKED})
      set_target_properties(${target} PROPERTIES CXX_CLANG_TIDY "")   # knows the plain flavour, and not these flags
    endif()
  endif()
  target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc -Wl,--exclude-libs,ALL)
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME ${target} CXX_VISIBILITY_PRESET hidden CUDA_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
endfunction()

# assay_image(<image> <flavour> <source.cu> [NOT_IN_ALL_IMAGES]): one shared object with plain C launch functions, build/<preset>/images/<image>.<flavour>.so.
# Flavours: cuda (nvcc, for the GPU), emu (g++, for the emulator that lives in the program) and checked (emu, with every access reported to
# the checker beside the emulator: the sanitizers' instrumentation without their runtimes).
#
# Hidden visibility, no GNU_UNIQUE and no exported archives: a symbol of an image must never be answered by the program's or another
# image's symbol of the same name, or a mutant would quietly run the real kernel.
add_custom_target(assay_images)

# Functions that the emulator defines: the compiler must not fold them with the host's, nor merge sinf and cosf into a call of its own.
set(ASSAY_EMULATED_BUILTINS -fno-builtin-exp2f -fno-builtin-rsqrtf -fno-builtin-exp2 -fno-builtin-sincosf)
file(STRINGS ${PROJECT_SOURCE_DIR}/kernels/simt/math/library_names.hpp lines REGEX "X\\([a-z0-9]+\\)")
string(REGEX MATCHALL "X\\([a-z0-9]+\\)" names "${lines}")
foreach(name ${names})
  string(REGEX REPLACE "X\\(|\\)" "" name ${name})
  list(APPEND ASSAY_EMULATED_BUILTINS -fno-builtin-${name} -fno-builtin-${name}f)
endforeach()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernels/simt/math/library_names.hpp)
set(ASSAY_CHECKED -fsanitize=thread,alignment,bounds --param tsan-instrument-func-entry-exit=0 -Wno-tsan)   # fences are let through

function(assay_image image flavour source)
  set(target ${image}.${flavour})
  if(flavour STREQUAL "cuda")
    add_library(${target} MODULE ${source})
    target_compile_options(${target} PRIVATE -Xcompiler=-fno-gnu-unique)
  else()
    set(stub ${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp)   # one source file has one language in a folder: g++ gets it through a stub
    file(CONFIGURE OUTPUT ${stub} CONTENT "#include \"${source}\"\n" @ONLY)
    add_library(${target} MODULE ${stub})
    set_property(SOURCE ${stub} APPEND PROPERTY OBJECT_DEPENDS ${source})
    target_compile_options(${target} PRIVATE -O2 ${ASSAY_EMULATED_BUILTINS} -fno-strict-aliasing -fno-gnu-unique -Wno-unknown-pragmas)
    if(flavour STREQUAL "checked")
      target_compile_options(${target} PRIVATE ${ASSAY_CHECKED})
      set_target_properties(${target} PROPERTIES CXX_CLANG_TIDY "")   # knows the plain flavour, and not these flags
    endif()
  endif()
  target_link_libraries(${target} PRIVATE assay_options assay_cuda_headers)
  target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc -Wl,--exclude-libs,ALL)
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME ${target} LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/images
    CXX_VISIBILITY_PRESET hidden CUDA_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  if(NOT "NOT_IN_ALL_IMAGES" IN_LIST ARGN)
    add_dependencies(assay_images ${target})
  endif()
endfunction()

# assay_kernel_images(<image> <source.cu>): the image in every flavour this build has.
function(assay_kernel_images image source)
  assay_image(${image} emu ${source})
  assay_image(${image} checked ${source})
  if(ASSAY_CUDA)
    assay_image(${image} cuda ${source})
  endif()
endfunction()

# For a project of your own, after find_package(assay).
#
# assay_plugin(<name> SOURCES <source.cu>...): the plug-in in every flavour that this machine can build, each a shared object in the build
# folder: <name>.emu.so for the emulator, <name>.checked.so for the emulator with the checker, and <name>.cuda.so for the GPU where the
# project has the language CUDA. Its targets have the names of the files without .so: flags, include folders and libraries of yours go there.
#
# The emulator's flavours are built by g++ from the same sources, which include kernels/launch.h before all else, launch by assay::launch and
# call PTX by kernels/ptx.h. <cub/...> and <cooperative_groups.h> are the emulator's there (kernels/simt/shims), and a*b+c is not fused.
include(${CMAKE_CURRENT_LIST_DIR}/../cmake/AssayFlavours.cmake)

function(assay_plugin name)
  cmake_parse_arguments(arg "" "" "SOURCES" ${ARGN})
  if(NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "assay_plugin(${name} SOURCES <source.cu>...): want sources, and nothing else")
  endif()
  list(TRANSFORM arg_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ REGEX "^[^/]")
  set(flavours emu checked)
  if(CMAKE_CUDA_COMPILER)
    list(APPEND flavours cuda)
  endif()
  foreach(flavour ${flavours})
    set(target ${name}.${flavour})
    assay_device_code(${target} ${flavour} ${arg_SOURCES})
    if(flavour STREQUAL "cuda")
      target_compile_options(${target} PRIVATE -std=c++20)   # CMake 3.25 does not know that nvcc 13 speaks it
    else()
      target_compile_options(${target} PRIVATE -std=c++20 -ffp-contract=off ${ASSAY_MARCH})
      target_include_directories(${target} PRIVATE ${ASSAY_SOURCES}/kernels/simt/shims)
      target_include_directories(${target} SYSTEM PRIVATE ${ASSAY_CUDA_INCLUDE})
    endif()
    target_include_directories(${target} PRIVATE ${ASSAY_SOURCES})
    set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  endforeach()
endfunction()

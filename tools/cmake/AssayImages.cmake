# assay_image(<image> <flavour> <source.cu> [NOT_IN_ALL_IMAGES] [MUTANT]): one shared object with plain C launch functions,
# build/<preset>/images/<image>.<flavour>.so. MUTANT: of a planted fault.
add_custom_target(assay_images)

# A third and a half of the compiler's time, and they run only for small cases. With -Og not every access is instrumented.
set(ASSAY_MUTANT_OPTIMISATION_emu -Og)
set(ASSAY_MUTANT_OPTIMISATION_checked -O1)

function(assay_image_target target flavour source mutant)
  assay_device_code(${target} ${flavour} ${source})
  target_link_libraries(${target} PRIVATE assay_options assay_cuda_headers)
  if(mutant)
    target_compile_options(${target} PRIVATE ${ASSAY_MUTANT_OPTIMISATION_${flavour}})
  endif()
  # No <target>_EXPORTS: files that share what is precompiled have the same macros.
  set_target_properties(${target} PROPERTIES DISABLE_PRECOMPILE_HEADERS OFF DEFINE_SYMBOL "")
endfunction()

function(assay_image image flavour source)
  set(target ${image}.${flavour})
  set(mutant "")
  if("MUTANT" IN_LIST ARGN)
    set(mutant .mutant)
  endif()
  assay_image_target(${target} ${flavour} ${source} "${mutant}")
  set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/images)
  if(NOT mutant AND NOT "NOT_IN_ALL_IMAGES" IN_LIST ARGN)
    add_dependencies(assay_images ${target})
  endif()
  if(NOT flavour STREQUAL "cuda")
    # What each of them includes before all else is parsed once, and not some hundreds of times.
    set(holder assay_launch.${flavour}${mutant})
    if(NOT TARGET ${holder})
      assay_image_target(${holder} ${flavour} ${PROJECT_SOURCE_DIR}/kernels/launch.h "${mutant}")
      target_precompile_headers(${holder} PRIVATE ${PROJECT_SOURCE_DIR}/kernels/launch.h)
      set_target_properties(${holder} PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
    target_precompile_headers(${target} REUSE_FROM ${holder})
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

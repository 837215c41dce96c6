# assay_image(<image> <flavour> <source.cu> [NOT_IN_ALL_IMAGES]): one shared object with plain C launch functions, build/<preset>/images/<image>.<flavour>.so.
add_custom_target(assay_images)

function(assay_image image flavour source)
  set(target ${image}.${flavour})
  assay_device_code(${target} ${flavour} ${source})
  target_link_libraries(${target} PRIVATE assay_options assay_cuda_headers)
  set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/images)
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

# find_package(assay): the program as the target assay::assay, and the functions assay_plugin and assay_add_kernel_test
# (lib/assay/tools/plugin); ASSAY_RUNS_ON_GPU says whether this Assay was built for GPUs too. Building a plug-in needs the headers of the CUDA Toolkit 13; nvcc only for a GPU.
get_filename_component(ASSAY_FOLDER ${CMAKE_CURRENT_LIST_DIR}/../../assay ABSOLUTE)
if(NOT TARGET assay::assay)
  add_executable(assay::assay IMPORTED GLOBAL)
  set_target_properties(assay::assay PROPERTIES IMPORTED_LOCATION ${ASSAY_FOLDER}/bin/assay)
endif()
if(EXISTS ${ASSAY_FOLDER}/images/device.cuda.so)   # of a build with -DASSAY_CUDA=ON
  set(ASSAY_RUNS_ON_GPU ON)
else()
  set(ASSAY_RUNS_ON_GPU OFF)
endif()
include(${ASSAY_FOLDER}/tools/plugin/AssayPlugin.cmake)
include(${ASSAY_FOLDER}/tools/plugin/AssayKernelTest.cmake)

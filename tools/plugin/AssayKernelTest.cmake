# assay_add_kernel_test(<name> PLUGIN <target> [SUITE <suite>] [CONTRACT <contract>] [LAWS <law>...] [ARGS <argument>...] [GPU])
#
# A test of the calling project's ctest: `assay check` of the kernels in a plug-in, by default all of them under all laws on suite smoke.
#   PLUGIN    the target of a shared object that exports the plug-in ABI: one of assay_plugin(), such as my_kernel.emu, or any other
#   SUITE     a suite's name, or a file's path (from the calling folder)
#   CONTRACT  of the plug-in's kernels those of this contract;  LAWS  these laws alone
#   ARGS      more arguments of `assay check`: --cases 0, --seed 7, --json report.json
#   GPU       the plug-in runs on a GPU: the test takes one slot of a ctest resource `gpus` where ctest is given a resource file, and sees
#             that GPU alone. Disabled where the installed Assay was built without nvcc
# The test carries the label `assay`, with GPU `gpu` too. Where nothing could be checked (exit code 3: no GPU, no case that the kernel
# takes, bounds that prove too little) ctest calls it skipped.
function(assay_add_kernel_test name)
  cmake_parse_arguments(arg "GPU" "PLUGIN;SUITE;CONTRACT" "LAWS;ARGS" ${ARGN})
  if(NOT arg_PLUGIN OR arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "assay_add_kernel_test(${name} ...): want PLUGIN <target>, and of SUITE, CONTRACT, LAWS, ARGS and GPU what is needed")
  endif()
  if(NOT TARGET ${arg_PLUGIN})
    message(FATAL_ERROR "assay_add_kernel_test(${name} PLUGIN ${arg_PLUGIN}): there is no such target; assay_plugin(x ...) makes x.emu, x.checked and, with nvcc, x.cuda")
  endif()
  if(NOT arg_SUITE)
    set(arg_SUITE smoke)
  elseif(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${arg_SUITE})
    set(arg_SUITE ${CMAKE_CURRENT_SOURCE_DIR}/${arg_SUITE})
  endif()
  set(labels assay)
  set(with "")
  if(arg_GPU)
    list(APPEND labels gpu)
    set(with ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/on_lent_gpu)
  endif()
  add_test(NAME ${name} COMMAND ${with} $<TARGET_FILE:assay::assay> check ${arg_CONTRACT} ${arg_LAWS} --plugin $<TARGET_FILE:${arg_PLUGIN}>
    --suite ${arg_SUITE} ${arg_ARGS})
  set_tests_properties(${name} PROPERTIES LABELS "${labels}" SKIP_RETURN_CODE 3 TIMEOUT 1500)
  if(arg_GPU)
    set_tests_properties(${name} PROPERTIES RESOURCE_GROUPS gpus:1)
    if(NOT ASSAY_RUNS_ON_GPU)
      set_tests_properties(${name} PROPERTIES DISABLED TRUE)
    endif()
  endif()
endfunction()

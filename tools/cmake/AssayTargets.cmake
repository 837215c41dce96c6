# assay_library(<name> FOLDERS <folder>... LINK <library>... [TEST_LINK <library>...] [OBJECT] [PROGRAM_TESTS])
#
# Makes the library <name> from every .cpp of the folders, and from every <file>_test.cpp beside them one test program <name>_test;
# <file>_slow_test.cpp goes to <name>_slow_test, whose tests carry the label `slow`; <file>_benchmark.cpp and <file>_main.cpp are
# left to whoever makes a program of them.
# OBJECT: whatever registers itself must not sit in an archive, where the linker drops what nothing names.
# PROGRAM_TESTS: the tests run kernel images, so their program is linked like `assay` itself (assay_program).
include(GoogleTest)

function(assay_library name)
  cmake_parse_arguments(arg "OBJECT;PROGRAM_TESTS" "" "FOLDERS;LINK;TEST_LINK" ${ARGN})
  foreach(folder ${arg_FOLDERS})
    file(GLOB found CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
    list(APPEND files ${found})
  endforeach()
  set(slow_tests ${files})
  list(FILTER slow_tests INCLUDE REGEX "_slow_test\\.cpp$")
  list(FILTER files EXCLUDE REGEX "_slow_test\\.cpp$|_benchmark\\.cpp$|_main\\.cpp$")
  set(tests ${files})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER files EXCLUDE REGEX "_test\\.cpp$")

  if(arg_OBJECT)
    add_library(${name} OBJECT ${files})
  else()
    add_library(${name} STATIC ${files})
  endif()
  target_link_libraries(${name} PUBLIC assay_code assay_fmt ${arg_LINK})
  assay_test(${name}_test "" "${tests}" "${arg_PROGRAM_TESTS}" ${name} ${arg_TEST_LINK})
  assay_test(${name}_slow_test slow "${slow_tests}" "${arg_PROGRAM_TESTS}" ${name} ${arg_TEST_LINK})
endfunction()

# assay_test(<name> <label> <files> <program?> <library>...): a GoogleTest program, if there are files.
function(assay_test name label files program)
  if(NOT files)
    return()
  endif()
  add_executable(${name} ${files})
  target_link_libraries(${name} PRIVATE ${ARGN} GTest::gtest_main)
  if(program)
    assay_program(${name})
  endif()
  if(label)
    gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 PROPERTIES LABELS ${label} TIMEOUT 3600)
  else()
    gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 PROPERTIES LABELS host TIMEOUT 600)
  endif()
endfunction()

# assay_program(<target>): a program that loads kernel images. It holds the emulator's runtime and exports it, and nothing else, to them.
function(assay_program target)
  target_link_libraries(${target} PRIVATE assay_simt)
  target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc
    -Wl,--export-dynamic-symbol=_ZN4simt* -Wl,--export-dynamic-symbol=_ZTIN4simt* -Wl,--export-dynamic-symbol=simt_*
    -Wl,--export-dynamic-symbol=cuda* -Wl,--export-dynamic-symbol=__tsan_* -Wl,--export-dynamic-symbol=__ubsan_*)
  add_dependencies(${target} assay_images)
endfunction()

# assay_benchmark(<name> <file> <library>... [WITHOUT_IMAGES]): a google-benchmark program; built with everything else, run by hand.
function(assay_benchmark name file)
  cmake_parse_arguments(arg "WITHOUT_IMAGES" "" "" ${ARGN})
  add_executable(${name} ${file})
  target_link_libraries(${name} PRIVATE ${arg_UNPARSED_ARGUMENTS} benchmark::benchmark)
  if(NOT arg_WITHOUT_IMAGES)
    assay_program(${name})
  endif()
endfunction()

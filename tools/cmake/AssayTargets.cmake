# assay_library(<name> FOLDERS <folder>... LINK <library>... [TEST_LINK <library>...] [OBJECT] [PROGRAM_TESTS])
#
# Makes the library <name> from every .cpp of the folders, and from every <file>_test.cpp beside them one test program <name>_test;
# <file>_slow_test.cpp goes to <name>_slow_test, whose tests carry the label `slow`; <file>_benchmark.cpp and <file>_main.cpp are
# left to whoever makes a program of them.
# OBJECT: whatever registers itself must not sit in an archive, where the linker drops what nothing names.
# PROGRAM_TESTS: the tests run kernel images, so their program is linked like `assay` itself (assay_program).
include(GoogleTest)

# Parsed once and not by each of some hundreds of files: only headers from outside, so that an edit here recompiles no more than it must.
set(ASSAY_PRECOMPILED <fmt/format.h> <algorithm> <array> <bit> <cmath> <filesystem> <functional> <map> <memory> <optional> <random> <span>
  <string> <vector>)

# assay_precompile(<target> <holder>): shares what <holder> precompiled, made with the first target that asks. For targets whose files are compiled as
# all host code is; a file with options of its own has SKIP_PRECOMPILE_HEADERS.
function(assay_precompile target holder)
  if(NOT TARGET ${holder})
    get_target_property(type ${target} TYPE)
    set(source ${CMAKE_BINARY_DIR}/${holder}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "")
    if(type STREQUAL EXECUTABLE)
      add_executable(${holder} EXCLUDE_FROM_ALL ${source})   # as position-independent as those that share it
      target_compile_options(${holder} PRIVATE $<$<CONFIG:Release>:-O1>)
      target_precompile_headers(${holder} PRIVATE ${ASSAY_PRECOMPILED} <gtest/gtest.h>)
      target_link_libraries(${holder} PRIVATE GTest::gtest_main)
    else()
      add_library(${holder} OBJECT EXCLUDE_FROM_ALL ${source})
      target_precompile_headers(${holder} PRIVATE ${ASSAY_PRECOMPILED})
    endif()
    target_link_libraries(${holder} PRIVATE assay_code assay_fmt)
  endif()
  target_precompile_headers(${target} REUSE_FROM ${holder})
  # GCC 12 forgets that std::string's code is a system header's once it is precompiled, and warns of it (its bugs 105329, 105651).
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-stringop-overread;-Wno-restrict>)
endfunction()

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
  assay_precompile(${name} assay_precompiled)
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
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)   # half the time of -O2, and what is slow is the libraries' code
  assay_precompile(${name} assay_precompiled_tests)
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

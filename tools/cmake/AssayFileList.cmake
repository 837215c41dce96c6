# assay_file_list(<test> <folder>): gives the test's source file ASSAY_FILES, the names of the folder's .cpp files without tests, so that
# it can compare a registry with the files on disk.
function(assay_file_list test folder)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
  list(FILTER files EXCLUDE REGEX "_(test|benchmark)\\.cpp$")
  list(TRANSFORM files REPLACE "^.*/([^/]*)\\.cpp$" "\\1")
  list(JOIN files " " names)
  set_source_files_properties(${test} PROPERTIES COMPILE_DEFINITIONS "ASSAY_FILES=\"${names}\"")
endfunction()

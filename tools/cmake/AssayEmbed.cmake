# assay_embed(<target> <file>...): an object library that holds the files' contents. In C++:
#   namespace assay { std::span<const EmbeddedFile> <target>(); }   with EmbeddedFile from fixtures/suite/embedded.hpp
function(assay_embed target)
  set(entries "")
  foreach(file ${ARGN})
    get_filename_component(name ${file} NAME_WE)
    file(READ ${file} text)
    string(APPEND entries "    {\"${name}\", R\"suite(${text})suite\"},\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  endforeach()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT
"#include \"fixtures/suite/embedded.hpp\"
namespace assay {
std::span<const EmbeddedFile> @target@() {
  static const EmbeddedFile files[] = {
@entries@  };
  return files;
}
}  // namespace assay
")
  add_library(${target} STATIC ${source})
  target_link_libraries(${target} PRIVATE assay_code)
endfunction()
